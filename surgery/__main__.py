"""``python -m surgery``."""

from surgery.cli import run

if __name__ == "__main__":
    run()

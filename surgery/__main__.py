"""``python -m surgery``."""

from surgery.cli import main

if __name__ == "__main__":
    raise SystemExit(main())

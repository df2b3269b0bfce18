"""The command line: parse arguments, call the API, print."""

from surgery.cli.main import main, run

__all__ = ["main", "run"]

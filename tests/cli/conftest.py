"""Runs the command line as a user does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.ran import ROOT, Ran, Surgery


@pytest.fixture
def surgery(tmp_path: Path) -> Surgery:
    def run(*arguments: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> Ran:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        settings = {**os.environ, "PYTHONPATH": str(ROOT), "TOPHUB_LOCATION": "NONE"}
        done = subprocess.run(
            [sys.executable, "-m", "surgery", *arguments],
            cwd=tmp_path, input=data, capture_output=True, timeout=300, check=False,
            env={**settings, **(env or {})},
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run

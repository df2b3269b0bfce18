"""Settings of every test run."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

# A shell that starts the tests in the background ignores SIGINT for them, and every process they
# start would inherit that: the tests of Ctrl-C could not interrupt anything.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def harm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of :mod:`tests.runtime.pipeline.faulty`, built once."""
    from tests.runtime.pipeline import faulty

    return faulty.build(tmp_path_factory.mktemp("harm"))

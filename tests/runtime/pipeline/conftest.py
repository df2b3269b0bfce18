"""The built net that does harm, once for all tests of the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runtime.pipeline import faulty


@pytest.fixture(scope="session")
def harm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of :mod:`tests.runtime.pipeline.faulty`."""
    return faulty.build(tmp_path_factory.mktemp("harm"))

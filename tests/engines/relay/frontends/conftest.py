"""A cache of conversions that is the module's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("SURGERY_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()

"""What running a command leaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ran:
    """What a command left: exit state, stdout, stderr."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; anything else there is an error."""
        return json.loads(self.out)


Surgery = Callable[..., Ran]

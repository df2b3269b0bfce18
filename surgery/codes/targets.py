"""Codes of targets, formats and executors of single stages."""

from __future__ import annotations

CODES: dict[str, tuple[str, str]] = {
    "S243": (
        "no such stage",
        "`stage N on TARGET` names a stage that the plan doesn't have. Stages count from 0; N cuts "
        "make N + 1 stages, and a model that isn't cut has the stage 0 only. `surgery plan` lists "
        "them.",
    ),
}

"""Situations from practice: models by number, and short ways to plan, apply and run them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import surgery.api as api
from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.planning import Plan

DATA = Path(__file__).parent / "data"


def model(number: str) -> Path:
    """Return the file of a situation's model."""
    (found,) = DATA.glob(f"{number}-*")
    return found


def planned(number: str, text: str, params: Mapping[str, object] | None = None) -> Plan:
    """Plan a spec against a situation's model."""
    return api.plan(api.parse_spec(text), model=model(number), params=params).plan


def faults(number: str, text: str) -> tuple[Diagnostic, ...]:
    """Return the findings of a spec that is refused."""
    with pytest.raises(SurgeryError) as caught:
        planned(number, text)
    return caught.value.diagnostics


def fault(number: str, text: str) -> Diagnostic:
    """Return the one finding of a spec that is refused."""
    (only,) = faults(number, text)
    return only


def applied(number: str, text: str, out: Path, **options: object) -> api.Applied:
    """Apply, build and verify a spec; the outputs must agree with the original's."""
    spec = api.parse_spec(text)
    result = api.apply(spec, out, model=options.pop("model", model(number)), verify=True, **options)
    assert result.verification is not None and result.verification.passed
    return result


def crossings(plan: Plan) -> dict[str, str]:
    """Return what crosses: label to type."""
    graph = plan.module.main
    return {graph.label(c.ref): str(c.type) for c in plan.crossings}


def reasons(plan: Plan) -> dict[str, str]:
    """Return why sites were rejected: label to reason."""
    return {plan.module.functions[r.function].label(r.node): r.reason for r in plan.rejected}


def notes(plan: Plan) -> str:
    """Return all that the plan tells the user, as one text."""
    return "\n".join(n.message for n in plan.notes)

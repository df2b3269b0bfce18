"""``pipeline on ...``: recorded in the plan, for the recipe and every run."""

from __future__ import annotations

from surgery.planning import plan_json
from tests.planning.test_stages import chain, plan_of


def test_what_the_spec_says_of_a_run() -> None:
    plan = plan_of(chain(), "cut after %1; pipeline on processes depth 3")
    assert plan_json(plan)["pipeline"] == {"on": "processes", "depth": 3}
    plan = plan_of(chain(), "pipeline on threads; pipeline on threads depth 5")
    assert plan_json(plan)["pipeline"] == {"on": "threads", "depth": 5}


def test_nothing_is_said_without_the_statement() -> None:
    assert "pipeline" not in plan_json(plan_of(chain(), "cut after %1"))

"""The surgery itself, as TVM module passes: one file each, named after the pass."""

from __future__ import annotations

from typing import Any

from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.passes.bind_params import BindParams
from surgery.engines.relay.passes.carry import ATTRIBUTE, Carrier, regions_by_function, tvm
from surgery.engines.relay.passes.expose_outputs import ExposeOutputs
from surgery.engines.relay.passes.outline_regions import OutlineRegions
from surgery.engines.relay.passes.results import result_refs
from surgery.engines.relay.passes.split_stages import SplitStages, stage_symbol
from surgery.planning.model import Plan


def plan_passes(model: RelayModel, plan: Plan, *, portable: bool = True) -> list[Any]:
    """Return a plan's passes in order; what it doesn't ask for isn't among them.

    They may be used in anyone's own ``tvm.transform.Sequential``. Typing may run between them;
    a pass that changes structure may not (``S302``).

    Args:
        model: The model the plan was made for.
        plan: What to do.
        portable: Whether other passes may run in between. Without, each must get the very module
            that the one before it returned.
    """
    carrier = Carrier.of(model, plan, portable=portable)
    results = result_refs(plan)
    regions = regions_by_function(plan)
    found: list[Any] = []
    main = plan.module.main
    unbound = {main.names[p] for p in main.params if main.kinds[p] == "param"}
    # What was bound before the picture was taken is a constant in it already.
    names = tuple(name for name in plan.bind_params if name in unbound)
    if names:
        found.append(BindParams(names=names).as_pass(carrier))
    if results.changed:
        found.append(ExposeOutputs(results=results).as_pass(carrier))
    if regions:
        found.append(OutlineRegions(regions=regions, results=results).as_pass(carrier))
    if len(plan.stages) > 1:
        found.append(SplitStages(stages=plan.stages, results=results).as_pass(carrier))
    found.append(_finish())
    return found


def _finish() -> Any:
    """Return the last pass: types, and no trace of the carried tables."""

    def run(module: Any, _context: Any) -> Any:
        if module.get_attr(ATTRIBUTE) is not None:
            module = module.without_attr(ATTRIBUTE)
        return tvm.relay.transform.InferType()(module)

    return tvm.transform.module_pass(run, opt_level=0, name="surgery.InferType")


__all__ = ["ATTRIBUTE", "BindParams", "ExposeOutputs", "OutlineRegions", "SplitStages",
           "plan_passes", "stage_symbol"]  # fmt: skip

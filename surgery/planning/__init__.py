"""From AST and graph to a plan in which everything is decided."""

from surgery.graph import Resolved
from surgery.planning.document import (
    kernel_signature,
    place,
    plan_json,
    region_json,
    relative,
    signature,
    type_json,
)
from surgery.planning.model import (
    Alternative,
    Balance,
    BuildPlan,
    Composite,
    Crossing,
    Operand,
    Output,
    Place,
    Plan,
    PlannedBackend,
    PlannedStatement,
    Region,
    RegionArgument,
    RegionConstant,
    Rejected,
    SiteCount,
    Stage,
    StageInput,
    StageOutput,
    VerifyPlan,
    installed_lowerings,
)
from surgery.planning.planner import make_plan
from surgery.planning.settings import build_plan, fusion_hazard, stage_settings, verify_plan
from surgery.planning.sharing import ShareCost, Sharing
from surgery.planning.support import Preparation, preparation
from surgery.planning.timing import unmeasured

__all__ = [
    "Alternative", "Balance", "BuildPlan", "Composite", "Crossing", "Operand", "Output", "Place",
    "Plan", "PlannedBackend", "PlannedStatement", "Preparation", "Region", "RegionArgument",
    "RegionConstant", "Rejected", "Resolved", "ShareCost", "Sharing", "SiteCount", "Stage",
    "StageInput", "StageOutput", "VerifyPlan", "build_plan", "fusion_hazard", "installed_lowerings",
    "kernel_signature", "make_plan", "place", "plan_json", "preparation", "region_json", "relative",
    "signature", "stage_settings", "type_json", "unmeasured", "verify_plan",
]  # fmt: skip

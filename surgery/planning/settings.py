"""How a plan's stages are compiled and compared: build and verify statements, executor, guards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

from surgery.diagnostics import Diagnostic
from surgery.graph import Graph, Module, TensorType, TupleType, ValueType
from surgery.graph.ops import is_injective
from surgery.planning.model import BuildPlan, PipelinePlan, Region, Stage, StageSettings, VerifyPlan
from surgery.source import Span
from surgery.syntax import ast

Executor = Literal["graph", "aot", "vm"]

#: Inlined size from which TVM's fusion takes minutes (each doubling doubles its time).
FUSION_LIMIT = 1 << 16
_DEPTH_KEY = "relay.FuseOps.max_depth"


def build_plan(spec: ast.Spec) -> BuildPlan:
    """Merge a spec's ``build`` statements (later ones fill in what earlier ones leave open)."""
    plan = BuildPlan()
    asked = [s for s in spec.statements if isinstance(s, ast.Build)]
    if not asked:
        return plan
    target, opt, executor, format_ = plan.target, plan.opt_level, plan.executor, plan.format
    config: dict[str, ast.Value] = {}
    disable: list[str] = []
    for statement in asked:
        target = statement.target or target
        opt = opt if statement.opt_level is None else statement.opt_level
        executor = statement.executor or executor
        format_ = statement.format or format_
        config.update(statement.config)
        disable.extend(d for d in statement.disable if d not in disable)
    return BuildPlan(
        target=target,
        opt_level=opt,
        executor=executor,
        format=format_,
        config=tuple(config.items()),
        disable=tuple(disable),
        asked=True,
    )


def stage_settings(spec: ast.Spec) -> dict[int, StageSettings]:
    """Merge a spec's ``stage N on`` statements, by the stage's number.

    Statements of one stage that contradict each other don't get this far.
    """
    settings: dict[int, StageSettings] = {}
    for statement in spec.statements:
        if isinstance(statement, ast.StageOn):
            before = settings.get(statement.stage, StageSettings())
            opt, threads = statement.opt_level, statement.threads
            settings[statement.stage] = StageSettings(
                target=statement.target or before.target,
                opt_level=before.opt_level if opt is None else opt,
                threads=before.threads if threads is None else threads,
            )
    return settings


def no_such_stages(statements: Iterable[ast.Statement], count: int) -> Iterator[Diagnostic]:
    """Yield an error for each ``stage N on`` of a stage that the plan doesn't have."""
    for statement in statements:
        if isinstance(statement, ast.StageOn) and statement.stage >= count:
            yield Diagnostic(
                code="S243",
                message=f"there is no stage {statement.stage}",
                span=statement.span,
                reason="Nothing is cut: the only stage is 0."
                if count == 1
                else f"The plan has stages 0 to {count - 1}.",
                remedy="correct the number, or cut the model (`cut after S`, `cut into N stages`)",
            )


def verify_plan(spec: ast.Spec) -> VerifyPlan:
    """Read a spec's ``verify`` statement; the last one wins."""
    plan = VerifyPlan()
    for statement in spec.statements:
        if isinstance(statement, ast.Verify):
            plan = VerifyPlan(
                inputs=statement.inputs,
                seed=statement.seed or 0,
                rtol=statement.rtol,
                atol=statement.atol,
                asked=True,
                each=statement.each,
            )
    return plan


def pipeline_plan(spec: ast.Spec) -> PipelinePlan | None:
    """Merge a spec's ``pipeline`` statements; ``None`` when it has none."""
    asked = [s for s in spec.statements if isinstance(s, ast.Pipeline)]
    if not asked:
        return None
    depths = [s.depth for s in asked if s.depth is not None]
    return PipelinePlan(on=asked[-1].on, depth=depths[-1] if depths else None)


def build_faults(
    statements: Iterable[ast.Statement],
    build: BuildPlan,
    stages: Iterable[Stage],
    regions: Sequence[Region],
) -> Iterator[Diagnostic]:
    """Yield an error for each stage that can't be built with the executor and format asked for."""
    asked = [s for s in statements if isinstance(s, ast.Build)]
    span = next((s.span for s in asked if s.executor == "aot"), None)
    form = next((s.span for s in asked if s.format == "mlf"), None)
    if build.executor == "aot" and regions:
        yield Diagnostic(
            code="S244",
            message="offloaded regions can't be built for the AOT executor",
            span=span,
            reason=f"TVM's AOT executor passes a region ({regions[0].symbol}) memory without the "
            "shape that its kernel checks.",
            remedy="leave `executor aot` out, or the offload",
        )
    for stage in stages:
        if build.executor == "aot" and stage.executor != "aot":
            yield Diagnostic(
                code="S244",
                message=f"stage {stage.index} can't be built for the AOT executor",
                span=span,
                reason=stage.executor_reason[:1].upper() + stage.executor_reason[1:],
                remedy="leave `executor aot` out (such a stage then goes to TVM's VM), or give its "
                "inputs a shape (`bind x: float32(1,128)`)",
            )
        elif build.format == "mlf" and stage.executor == "vm":
            yield Diagnostic(
                code="S245",
                message=f"stage {stage.index} can't be written in the Model Library Format",
                span=form,
                reason="The format has no place for TVM's VM"
                + (f": {stage.executor_reason}." if stage.executor_reason else "."),
                remedy="write `build format tar` or `format so`",
            )


def executor_for(module: Module, nodes: Iterable[int], asked: Executor) -> tuple[Executor, str]:
    """Return the executor a stage needs, and why when it is not the one asked for.

    TVM's graph executor runs neither control flow nor values of unknown shape nor calls of
    functions; the VM does.

    Args:
        nodes: Ids of the stage's values in ``@main``.
    """
    if asked == "vm":
        return "vm", ""
    graph = module.main
    for node in nodes:
        kind = graph.kinds[node]
        reason = ""
        if kind == "if":
            reason = f"{graph.label(node)} is an if"
        elif kind == "opaque":
            reason = f"{graph.label(node)} is a {graph.ops[node]}"
        elif kind == "call" and graph.ops[node].startswith("@"):
            callee = module.functions.get(graph.ops[node][1:])
            # A function that was taken out for a backend before is one kernel.
            # The AOT executor can't call even that.
            if asked == "aot" or callee is None or not callee.function_attrs.get("Compiler"):
                reason = f"{graph.label(node)} calls {graph.ops[node]}"
        elif kind == "call" and graph.ops[node] == "fn":
            reason = f"{graph.label(node)} calls a function literal"
        if not reason and not _static(graph.types[node]):
            reason = f"{graph.label(node)}: {graph.types[node]} has no static shape"
        if reason:
            return "vm", f"the {asked} executor can't run it: {reason}"
    return asked, ""


def _static(type_: ValueType) -> bool:
    match type_:
        case TensorType():
            return type_.is_static or type_.dtype == "?"
        case TupleType(fields=fields):
            return all(_static(f) for f in fields)
        case _:
            return True


def fused_size(graph: Graph, unfused: Collection[int] = ()) -> tuple[int, int]:
    """Return the largest inlined size of a fused elementwise group, and the node it ends at.

    TVM's FuseOps inlines injective ops into their users; a value used twice inside a group is
    inlined twice, so a residual chain of elementwise ops doubles with every block.

    Args:
        unfused: Ids of ops that are compiled without fusion.
    """
    size = [1] * len(graph)
    users = graph.users
    injective = [
        k == "call" and is_injective(o) for k, o in zip(graph.kinds, graph.ops, strict=True)
    ]
    for node in unfused:
        injective[node] = False
    # An op goes into its users' kernels when all of them are injective too.
    inlined = [i and all(injective[u] for u in users[n]) for n, i in enumerate(injective)]
    best, at = 0, -1
    for node, operands in enumerate(graph.operands):
        if not injective[node]:
            continue
        total = 1 + sum(size[operand] for operand in operands if inlined[operand])
        size[node] = min(total, 1 << 62)
        if size[node] > best:
            best, at = size[node], node
    return best, at


def fusion_hazard(
    graph: Graph,
    opt_level: int,
    config: Sequence[tuple[str, ast.Value]],
    disable: Sequence[str],
    span: Span | None = None,
    unfused: Collection[int] = (),
) -> Diagnostic | None:
    """Return an error when a build at this level would take exponentially long, else ``None``.

    Args:
        unfused: Ids of ops that are compiled without fusion all the same.
    """
    if opt_level < 1 or "FuseOps" in disable or any(key == _DEPTH_KEY for key, _ in config):
        return None
    size, node = fused_size(graph, unfused)
    if size < FUSION_LIMIT:
        return None
    return Diagnostic(
        code="S450",
        message=f"a build at opt {opt_level} would take exponentially long",
        span=span,
        reason=f"TVM fuses the elementwise ops up to {graph.label(node)} into one kernel and "
        f"writes shared values out once a use: about {size:.1e} ops.",
        remedy=f"limit fusion: `build opt {opt_level} config {_DEPTH_KEY}=4`, or `build opt 0`",
    )

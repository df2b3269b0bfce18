"""The resolved plan: ids, names and orders only; everything is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from surgery.diagnostics import Diagnostic
from surgery.graph import Module, Ref, Resolved, TensorType
from surgery.source import Span
from surgery.syntax.ast import Value

if TYPE_CHECKING:
    from surgery.planning.sharing import Sharing


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStatement:
    """One statement of the spec and what its selectors picked.

    Attributes:
        text: The statement in canonical text form.
        span: Where it was written.
        resolved: What its selectors picked, in id order.
        offload: Whether it offloads: sites can be counted.
    """

    text: str
    span: Span | None
    resolved: tuple[Resolved, ...] = ()
    offload: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCount:
    """How many sites an offload statement has.

    Attributes:
        taken: Those that are offloaded: one kernel call each.
        rejected: Near-misses.
        kept_out: Whole sites that another site or a statement keeps out.
        regions: The regions that hold those taken; of several merged sites it is one.
    """

    taken: int
    rejected: int
    kept_out: int
    regions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One public output, in order.

    Attributes:
        name: Its name, unique among outputs and different from every input's.
        ref: The tensor of ``@main``.
        index: Its place in the operated ``@main``'s flattened result. Two outputs of one value
            that a spec gave two names share an index.
        added: Whether the spec added it (the model did not return it before).
        type: Its type.
    """

    name: str
    ref: Ref
    index: int
    added: bool
    type: TensorType


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionConstant:
    """A constant leaf of a region.

    Attributes:
        name: Its parameter name, or the operand's role (``w``, ``constant 3``).
        node: Id of the constant or weight.
        type: Its type.
        embedded: Inside the region (``embed``) or a trailing argument (``pass``).
    """

    name: str
    node: int
    type: TensorType
    embedded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionArgument:
    """A runtime argument of a region, in kernel order."""

    name: str
    ref: Ref
    type: TensorType


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """What a composite of a region takes at one place.

    Attributes:
        name: The kernel parameter's name, unique in the kernel.
        source: ``("argument", i)`` or ``("constant", i)`` of the region, or
            ``("composite", j, k)``: output ``k`` of composite ``j`` of the same region, which runs
            before.
    """

    name: str
    type: TensorType
    source: tuple[Literal["argument", "constant"], int] | tuple[Literal["composite"], int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """One call of a backend's kernel inside a region.

    The kernel's arguments are ``operands`` (runtime values first, then constants, embedded ones
    too: a C kernel gets a pointer to them), then its outputs.

    Attributes:
        name: ``BACKEND.NAME``.
        kernel: Symbol of the backend's own function. Composites of one name whose ops, attributes
            and types are the same share a kernel.
        pattern: TVM's own name of its shape.
        nodes: Its ops' ids, ascending; ``field`` and ``tuple`` nodes inside included.
        uses: For each ``(node, operand index)`` that reads from outside: an index into
            ``operands``.
        outputs: What it returns: refs of its nodes.
        inplace: Indices of operands whose buffer the kernel may overwrite with its output.
        statement: Index of the spec statement it comes from.
    """

    name: str
    kernel: str
    pattern: str
    nodes: tuple[int, ...]
    operands: tuple[Operand, ...]
    uses: Mapping[tuple[int, int], int]
    outputs: tuple[Ref, ...]
    output_types: tuple[TensorType, ...]
    captures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    inplace: tuple[int, ...] = ()
    statement: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """An accepted site: ops that become one composite and one kernel call.

    The kernel's arguments are ``arguments``, then those ``constants`` that aren't embedded, then
    ``outputs``: also the arguments of the call, in that order.

    Attributes:
        symbol: The kernel's symbol, unique in the module.
        backend: The backend's name.
        composite: The composite's name, ``BACKEND.NAME``.
        pattern: TVM's own name of the composite's shape (``reshape_nn.conv2d_add_nn.relu_``).
        function: The Relay function the site is in.
        nodes: Its ops' ids, ascending; ``field`` and ``tuple`` nodes inside included.
        arguments: What is passed at run time, in kernel order.
        constants: Constants and weights that its ops read, embedded or passed.
        slots: For each ``(node, operand index)`` that reads from outside, which of ``arguments`` or
            ``constants`` it is: ``("argument", i)`` or ``("constant", i)``.
        outputs: What it returns: refs of its nodes, one flat tuple.
        output_types: Their types.
        stage: The stage it is in; the first one that calls its function, if that isn't ``main``.
        captures: Named nodes of the pattern.
        statement: Index of the spec statement it comes from.
        notes: What a kernel's author should know (two arguments that read one value).
        composites: The kernels it calls, in the order they run; at least one. ``composite``,
            ``pattern``, ``captures`` and ``statement`` are those of the first, but ``pattern``,
            which joins all.
    """

    symbol: str
    backend: str
    composite: str
    pattern: str
    function: str
    nodes: tuple[int, ...]
    arguments: tuple[RegionArgument, ...]
    constants: tuple[RegionConstant, ...]
    slots: Mapping[tuple[int, int], tuple[Literal["argument", "constant"], int]]
    outputs: tuple[Ref, ...]
    output_types: tuple[TensorType, ...]
    stage: int = 0
    captures: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    statement: int = 0
    notes: tuple[str, ...] = ()
    composites: tuple[Composite, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A site that was not taken.

    Attributes:
        statement: Index of the spec statement.
        function: The Relay function.
        node: The op the site would end at (the closest partial match's last op).
        matched: Ops that did match, ids.
        reason: Why it was given up.
        excluded: Whether it is a whole site that another one, or a statement of the spec, keeps
            out (``keep``, ``until``, ``max regions``, ...): no fault of the pattern.
        distant: Whether it is only the closest there is to a pattern that nothing comes near.
    """

    statement: int
    function: str
    node: int
    matched: tuple[int, ...]
    reason: str
    excluded: bool = False
    distant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """A tensor that one stage computes and later stages need.

    Attributes:
        ref: The tensor.
        name: Its name: an output of ``source``, an input of each of ``targets``.
        source: The stage that computes it.
        targets: The later stages that use it.
        uses: Ids of the ops in later stages that use it.
        runtime_dependent: Whether it depends on a runtime input.
    """

    ref: Ref
    name: str
    type: TensorType
    source: int
    targets: tuple[int, ...]
    uses: tuple[int, ...]
    runtime_dependent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StageInput:
    """An input of a stage: a graph input (``source`` is ``None``) or another stage's output."""

    name: str
    ref: Ref
    type: TensorType
    source: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutput:
    """An output of a stage; ``public`` when it is (also) an output of the model."""

    name: str
    ref: Ref
    type: TensorType
    public: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One part of the model.

    Attributes:
        nodes: Ids of the body-scope values it computes, ascending (leaves and weights excluded;
            tuple literals and field nodes are rebuilt wherever they are needed).
        recomputed: The part of ``nodes`` that an earlier stage computes too.
        params: Names of the weights it needs.
        param_bytes: Their size in bytes.
        executor: ``graph``, ``aot`` or ``vm``; ``executor_reason`` says why when it is not what
            the spec asked for.
        threads: How many of the compiler's threads run it; ``None``: the runtime's own choice.
    """

    index: int
    name: str
    nodes: tuple[int, ...]
    recomputed: tuple[int, ...]
    inputs: tuple[StageInput, ...]
    outputs: tuple[StageOutput, ...]
    params: tuple[str, ...]
    param_bytes: int
    op_count: int
    target: str
    opt_level: int
    executor: Literal["graph", "aot", "vm"]
    executor_reason: str = ""
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where two stages meet, chosen or asked for.

    Attributes:
        nodes: Ids of the ops to cut after; together they are what ``cut after`` would name.
        nbytes: Bytes of all values that are computed before and needed after it.
        asked: Whether a ``cut after`` or ``cut before`` of the spec asks for it.
    """

    nodes: tuple[int, ...]
    nbytes: int
    asked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Other places that were weighed: after the last op of each stage but the last."""

    nodes: tuple[int, ...]
    costs: tuple[int, ...]
    nbytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What ``cut into N stages`` chose.

    Attributes:
        statement: Index of the statement.
        by: What is balanced: FLOPs, bytes read and written, or nanoseconds.
        costs: What each stage costs a run, with what it computes again.
        places: Where stages meet, in order.
        others: Other ways that were weighed, the cheapest slowest stage first.
        unknown: Ops whose cost isn't known; one FLOP an element of the result is assumed.
        folded: Whether what depends on no runtime input counts as nothing, as the build folds it.
        notes: How the choice came about, a sentence each.
    """

    statement: int
    by: Literal["flops", "bytes", "time"]
    costs: tuple[int, ...]
    places: tuple[Place, ...]
    others: tuple[Alternative, ...]
    unknown: tuple[str, ...] = ()
    folded: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBackend:
    """A backend that regions go to. ``implicit``: no ``backend`` statement, so ``via tvm``."""

    name: str
    kind: Literal["tvm", "te", "c", "packed", "builtin"]
    source: str | None = None
    library: str | None = None
    options: tuple[tuple[str, Value], ...] = ()
    implicit: bool = False


def installed_lowerings(kind: str, source: str | None) -> str | None:
    """Return the entry point that a ``via te NAME`` backend names, if it names no file."""
    return source if kind == "te" and source is not None and not source.endswith(".py") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """How stages are compiled."""

    target: str = "llvm"
    opt_level: int = 3
    executor: Literal["graph", "aot", "vm"] = "graph"
    format: Literal["so", "tar", "mlf"] = "so"
    config: tuple[tuple[str, Value], ...] = ()
    disable: tuple[str, ...] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSettings:
    """What ``stage N on`` says of one stage; ``None``: as the ``build`` statement says."""

    target: str | None = None
    opt_level: int | None = None
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyPlan:
    """How the operated model is compared with the original.

    ``None`` for a tolerance: by element type (:func:`surgery.verification.tolerances`).

    Attributes:
        each: Whether that is done after every pass as well.
    """

    inputs: str | None = None
    seed: int = 0
    rtol: float | None = None
    atol: float | None = None
    asked: bool = False
    each: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelinePlan:
    """What drives the stages when they run, unless a run asks for something else.

    Attributes:
        on: Where the stages run.
        depth: Items in flight for each stage; ``None``: the runtime's own choice.
    """

    on: Literal["threads", "processes", "ray"]
    depth: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that will be done to one model.

    Attributes:
        module: The model's picture that the ids refer to (after ``bind`` and ``prepare``).
        inputs: Runtime inputs of the model, in parameter order.
        bind_params: Names of the weights that ``bind`` asked to make constants, sorted.
        bind_inputs: Types given to inputs by ``bind``.
        prepare: Passes to run first, with their arguments.
        balance: What ``cut into`` chose, if the spec has one.
        sharing: What sending values from stage to stage costs, and computing them again.
        notes: Warnings and notes for the user.
    """

    engine: str
    model_path: str
    params_path: str | None = None
    module: Module
    statements: tuple[PlannedStatement, ...]
    inputs: tuple[StageInput, ...]
    outputs: tuple[Output, ...]
    crossings: tuple[Crossing, ...]
    stages: tuple[Stage, ...]
    regions: tuple[Region, ...]
    rejected: tuple[Rejected, ...]
    backends: tuple[PlannedBackend, ...]
    build: BuildPlan
    verify: VerifyPlan
    pipeline: PipelinePlan | None = None
    bind_params: tuple[str, ...] = ()
    bind_inputs: Mapping[str, TensorType] = field(default_factory=dict)
    prepare: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    balance: Balance | None = None
    sharing: Sharing | None = None
    notes: tuple[Diagnostic, ...] = ()

    def count_sites(self, index: int) -> SiteCount:
        """Count the sites of the offload statement with an index."""
        taken = [[c for c in r.composites if c.statement == index] for r in self.regions]
        missed = [r for r in self.rejected if r.statement == index and not r.distant]
        kept_out = sum(r.excluded for r in missed)
        return SiteCount(
            taken=sum(map(len, taken)),
            rejected=len(missed) - kept_out,
            kept_out=kept_out,
            regions=sum(map(bool, taken)),
        )

"""The abstract syntax of a spec: frozen dataclasses, each with the place it was written at.

Both forms of a spec (text and YAML) parse to these. Spans take no part in equality, so the same
spec in either form compares equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from surgery.source import Span

Scalar = bool | int | float | str | None
#: The value of an attribute or predicate: a scalar, a tuple of values, or a wildcard ``*``.
Value = Scalar | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Star:
    """``*`` inside a value: any dimension, any element."""


STAR = Star()


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """Base of everything parsed."""

    span: Span | None = field(default=None, compare=False, repr=False)


# ---------------------------------------------------------------- selectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered(Syntax):
    """``%42``, ``%3.1``, ``%3.*``, ``@f:%3``."""

    number: int
    path: tuple[int, ...] = ()
    all_fields: bool = False
    function: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Syntax):
    """``result``, ``@f:result``, ``result.1``: the value printed without a number."""

    function: str | None = None
    path: tuple[int, ...] = ()
    all_fields: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable(Syntax):
    """``%x``, ``@f:%x``: the value printed under this variable name."""

    name: str
    function: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRun(Syntax):
    """``layer_._3``, ``encoder/layer_._3``: a run of whole components of a source name.

    A bare word that a ``let`` defines stands for that selector instead.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameGlob(Syntax):
    """``"*/attention/self/MatMul"``: a glob over the whole source name."""

    glob: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRegex(Syntax):
    r"""``re"layer_\\._(0|1)/"``: a regular expression searched for in the source name."""

    regex: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpKind(Syntax):
    """``op nn.softmax``, ``op nn.*``, ``op conv2d``."""

    op: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSel(Syntax):
    """``input x``, ``input "x*"``: function parameters by name or glob."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamSel(Syntax):
    """``param "*/query/*"``: weights by name or glob."""

    name: str


Comparison = Literal["=", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate(Syntax):
    """``dtype=float32``, ``shape=(1,12,*,*)``, ``users>1``, ``attrs.axis=1``.

    ``key`` is ``dtype``, ``shape``, ``rank``, ``users``, ``op``, ``name``, ``kind``, ``bytes`` or
    ``attrs.NAME``. ``value`` may hold :data:`STAR`.
    """

    key: str
    comparison: Comparison
    value: Value | Star | tuple[Value | Star, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Where(Syntax):
    """``S where P and P ...``: all predicates hold."""

    selector: Selector
    predicates: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation(Syntax):
    """``first(S)``, ``last(S)``, ``nth(S, 3)``, ``inputs(S)``, ``users(S)``, ``between(S, T)``."""

    kind: Literal["first", "last", "nth", "inputs", "users", "between"]
    arguments: tuple[Selector, ...]
    index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOp(Syntax):
    """``S and T``, ``S or T``, ``S except T``."""

    kind: Literal["and", "or", "except"]
    left: Selector
    right: Selector


Selector = (
    Numbered
    | Result
    | Variable
    | NameRun
    | NameGlob
    | NameRegex
    | OpKind
    | InputSel
    | ParamSel
    | Where
    | Relation
    | SetOp
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect(Syntax):
    """``expect 3``, ``expect >=1``: pins how many things a statement acts on."""

    comparison: Comparison
    count: int


# ---------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class AttrConstraint(Syntax):
    """``groups=1`` in ``conv2d{groups=1}``; ``dtype`` and ``shape`` speak of the result's type."""

    name: str
    comparison: Comparison
    value: Value | Star | tuple[Value | Star, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyValue(Syntax):
    """``*``: any value, a leaf of the match. ``{dtype=...}`` may narrow it."""

    constraints: tuple[AttrConstraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstLeaf(Syntax):
    """``const``: a constant or a weight, a leaf of the match."""

    constraints: tuple[AttrConstraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLeaf(Syntax):
    """``input``: a runtime input of the model, a leaf of the match."""

    constraints: tuple[AttrConstraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpPattern(Syntax):
    """One op of a pattern: ``conv2d``, ``topk.1``, ``conv2d{groups=1}(x:*, w:const)``.

    Attributes:
        op: The name as written: an alias, a full op name, a glob (``nn.*``), a class of ops
            (``elementwise``, ``broadcast``, ``injective``), or the name of a ``pattern``.
        field: The field of a multi-result op that goes on; ``None`` when not written.
        arguments: Patterns of the operands; ``None`` when not written (a chain element, or a
            bare name: all operands are free).
        optional: ``add?``: may be absent; then its place is taken by its first operand.
        repeat: ``elementwise*``: any number of such ops in a row, none included.
    """

    op: str
    field: int | None = None
    constraints: tuple[AttrConstraint, ...] = ()
    arguments: tuple[Pattern, ...] | None = None
    optional: bool = False
    repeat: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative(Syntax):
    """``(relu|clip)``, ``dense|matmul``: exactly one of them; ``optional`` for ``(relu|clip)?``."""

    choices: tuple[Pattern, ...]
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture(Syntax):
    """``x:*``: a name for what the pattern matches there."""

    name: str
    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain(Syntax):
    """``reshape>conv2d>add>bn>relu``: the region's ops in post-order, read as postfix."""

    elements: tuple[OpPattern | Alternative | Capture, ...]


Pattern = AnyValue | ConstLeaf | InputLeaf | OpPattern | Alternative | Capture | Chain


# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Syntax):
    """``model "bert.json" [params "bert.params"]``."""

    path: str
    params: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Include(Syntax):
    """``include "other.surgery"``."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(Syntax):
    """``let NAME = S``."""

    name: str
    selector: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternDef(Syntax):
    """``pattern NAME = P``."""

    name: str
    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputItem(Syntax):
    """``S as NAME``, ``each S as "{name}"``; the name is a template when ``each``."""

    selector: Selector
    name: str | None = None
    each: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Syntax):
    """``output S as NAME [, ...]``, ``output only ...``."""

    items: tuple[OutputItem, ...]
    only: bool = False
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputDrop(Syntax):
    """``output drop NAME|INDEX``."""

    output: str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRename(Syntax):
    """``output rename 0 as logits``."""

    output: str | int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(Syntax):
    """``cut after S``, ``cut before S``."""

    where: Literal["after", "before"]
    selector: Selector
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CutInto(Syntax):
    """``cut into N stages by flops|bytes|time [within S]``."""

    stages: int
    by: Literal["flops", "bytes", "time"]
    within: Selector | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(Syntax):
    """``share S by transfer|recompute``."""

    selector: Selector
    by: Literal["transfer", "recompute"]
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Recompute(Syntax):
    """``recompute constants``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offload(Syntax):
    """``offload pattern P to B``, ``offload S to B``, ``offload table NAME``.

    Attributes:
        what: The pattern, the selected ops, or the name of a pattern table.
        backend: The backend's name (the table's own when not written).
        name: ``as NAME``: the composite's name.
        constants: ``embed`` or ``pass``.
        require_all: ``require all``: a rejected near-miss is an error.
        min_ops, min_macs, max_regions: Limits on regions.
        until: ``until S``: only sites that don't depend on S.
        between: ``only between(S, T)``.
        prefer_over: Names of patterns this one wins against.
        inplace: Captures whose buffer the kernel may overwrite.
        ignore_annotations: Identity annotations are seen through.
    """

    what: Pattern | Selector | str
    kind: Literal["pattern", "ops", "table"]
    backend: str | None = None
    name: str | None = None
    constants: Literal["embed", "pass"] = "embed"
    expect: Expect | None = None
    optional: bool = False
    require_all: bool = False
    min_ops: int | None = None
    min_macs: int | None = None
    max_regions: int | None = None
    until: Selector | None = None
    between: tuple[Selector, Selector] | None = None
    inplace: tuple[str, ...] = ()
    ignore_annotations: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep(Syntax):
    """``keep S on host``."""

    selector: Selector
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefer(Syntax):
    """``prefer P over Q`` (names of patterns or of offloads)."""

    winner: str
    loser: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend(Syntax):
    """``backend bmlib { via tvm }``.

    ``kind`` is ``tvm``, ``te``, ``c``, ``packed`` or ``builtin``; ``source`` its file or name;
    ``library`` a prebuilt library; ``options`` further ``KEY=VALUE`` pairs.
    """

    name: str
    kind: Literal["tvm", "te", "c", "packed", "builtin"]
    source: str | None = None
    library: str | None = None
    options: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace(Syntax):
    """``replace pattern P with Q``, ``replace S with T``."""

    what: Pattern | Selector
    new: Pattern | Selector
    kind: Literal["pattern", "value"]
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Syntax):
    """``remove S``: bypass."""

    selector: Selector
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Syntax):
    """``insert OP(...) after S``."""

    new: Pattern
    selector: Selector
    where: Literal["after", "before"] = "after"
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAttr(Syntax):
    """``set S.attr = value``."""

    selector: Selector
    attr: str
    value: Value
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast(Syntax):
    """``cast S to float16``."""

    selector: Selector
    dtype: str
    expect: Expect | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename(Syntax):
    """``rename S as NAME``."""

    selector: Selector
    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract(Syntax):
    """``extract from S to T as NAME``."""

    start: Selector
    end: Selector
    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BindParams(Syntax):
    """``bind all params`` (``glob`` is ``None``), ``bind param "*/beta"``."""

    glob: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BindInput(Syntax):
    """``bind x: float32(1,128)``: a type for a runtime input."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCall(Syntax):
    """One pass of ``prepare``: ``FoldConstant``, ``ConvertLayout(NHWC)``."""

    name: str
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepare(Syntax):
    """``prepare SimplifyInference, FoldConstant``."""

    passes: tuple[PassCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Build(Syntax):
    """``build target "llvm" [opt 3] [executor graph|aot|vm] [format so|tar|mlf] ...``.

    ``None`` where not written. ``config`` are ``KEY=VALUE`` pairs of TVM's ``PassContext``.
    """

    target: str | None = None
    opt_level: int | None = None
    executor: Literal["graph", "aot", "vm"] | None = None
    format: Literal["so", "tar", "mlf"] | None = None
    config: tuple[tuple[str, Value], ...] = ()
    disable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOn(Syntax):
    """``stage 0 on "llvm -mcpu=..." [opt N] [threads N]``."""

    stage: int
    target: str | None = None
    opt_level: int | None = None
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify(Syntax):
    """``verify [each] [inputs "x.npz" | seed 0] [rtol 1e-4] [atol 1e-5]``."""

    inputs: str | None = None
    seed: int | None = None
    rtol: float | None = None
    atol: float | None = None
    each: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline(Syntax):
    """``pipeline on threads|processes|ray [depth N]``."""

    on: Literal["threads", "processes", "ray"]
    depth: int | None = None


Statement = (
    Model
    | Include
    | Let
    | PatternDef
    | Output
    | OutputDrop
    | OutputRename
    | Cut
    | CutInto
    | Share
    | Recompute
    | Offload
    | Keep
    | Prefer
    | Backend
    | Replace
    | Remove
    | Insert
    | SetAttr
    | Cast
    | Rename
    | Extract
    | BindParams
    | BindInput
    | Prepare
    | Build
    | StageOn
    | Verify
    | Pipeline
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec(Syntax):
    """A whole spec: its statements in file order (includes already spliced in by ``load_spec``)."""

    statements: tuple[Statement, ...]

"""Plans made by hand for the report tests: nothing here needs a compiler or the planner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from surgery.diagnostics import Diagnostic
from surgery.graph import Graph, Kind, Module, Ref, Resolved, TensorType, TupleType, ValueType
from surgery.planning.model import (
    BuildPlan,
    Crossing,
    Output,
    Plan,
    PlannedBackend,
    PlannedStatement,
    Region,
    RegionArgument,
    RegionConstant,
    Rejected,
    Stage,
    StageInput,
    StageOutput,
    VerifyPlan,
)
from surgery.source import Source, Span


def f32(*shape: int) -> TensorType:
    return TensorType(shape, "float32")


@dataclass
class Draft:
    """Collects the columns of a graph, numbering calls as a listing would."""

    kinds: list[Kind] = field(default_factory=list)
    ops: list[str] = field(default_factory=list)
    operands: list[tuple[int, ...]] = field(default_factory=list)
    types: list[ValueType] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)
    attrs: list[dict[str, object]] = field(default_factory=list)
    fields: dict[int, int] = field(default_factory=dict)
    counter: int = 0

    def _add(
        self, kind: Kind, op: str, operands: tuple[int, ...], type_: ValueType,
        name: str | None, attrs: dict[str, object] | None = None,
    ) -> int:  # fmt: skip
        self.kinds.append(kind)
        self.ops.append(op)
        self.operands.append(operands)
        self.types.append(type_)
        self.names.append(name)
        self.attrs.append(attrs or {})
        numbered = kind in ("call", "tuple", "field")
        self.numbers.append(self.counter if numbered else None)
        self.counter += numbered
        return len(self.kinds) - 1

    def input(self, name: str, type_: ValueType) -> int:
        return self._add("input", "", (), type_, name)

    def param(self, name: str, type_: ValueType) -> int:
        return self._add("param", "", (), type_, name)

    def constant(self, type_: ValueType) -> int:
        return self._add("constant", "", (), type_, None)

    def call(
        self, op: str, *operands: int, type_: ValueType, name: str | None = None, **attrs: object
    ) -> int:
        return self._add("call", op, operands, type_, name, attrs)

    def tuple(self, *operands: int) -> int:
        types = tuple(self.types[o] for o in operands)
        return self._add("tuple", "", operands, TupleType(types), None)

    def field(self, operand: int, index: int) -> int:
        type_ = self.types[operand]
        assert isinstance(type_, TupleType)
        made = self._add("field", "", (operand,), type_.fields[index], None)
        self.fields[made] = index
        return made

    def graph(self, result: int, function: str = "main") -> Graph:
        numbers = list(self.numbers)
        numbers[result] = None
        return Graph(
            function=function, kinds=self.kinds, ops=self.ops, operands=self.operands,
            result=result,
            params=[i for i, k in enumerate(self.kinds) if k in ("input", "param")],
            types=self.types, names=self.names, numbers=numbers, attrs=self.attrs,
            fields=self.fields,
        )  # fmt: skip


def span(text: str, needle: str, path: str = "conv.surgery") -> Span:
    start = text.index(needle)
    return Span(Source(text, path), start, start + len(needle))


CONV_SPEC = """output %0 as taps
cut after block_1
offload pattern conv2d>bn>relu to bmlib expect 1
build target "llvm"
"""


def conv_plan() -> Plan:
    """Two conv blocks and a head, cut after the first; one block offloaded, one rejected."""
    d = Draft()
    x = d.input("data", f32(1, 8, 6, 6))
    weights = [d.param(f"w{i}", f32(8, 8, 3, 3)) for i in range(2)]
    norms = [d.param(f"{n}{i}", f32(8)) for i in range(2) for n in ("gamma", "beta", "mu", "var")]
    act = f32(1, 8, 6, 6)
    normed = TupleType((act, f32(8), f32(8)))
    ends = []
    at = x
    for i in range(2):
        where = f"net/block_{i + 1}"
        conv = d.call("nn.conv2d", at, weights[i], type_=act, name=f"{where}/conv", groups=1)
        bn = d.call(
            "nn.batch_norm", conv, *norms[4 * i : 4 * i + 4], type_=normed, name=f"{where}/bn"
        )
        out = d.field(bn, 0)
        at = d.call("nn.relu", out, type_=act, name=f"{where}/relu")
        ends.append((conv, bn, out, at))
    head = d.call("nn.softmax", at, type_=act, name="net/head/<softmax>", axis=-1)
    both = d.tuple(head, ends[1][0])
    graph = d.graph(both)
    (c0, b0, f0, r0), (c1, b1, _, r1) = ends
    statements = (
        PlannedStatement(
            text="output %0 as taps",
            span=span(CONV_SPEC, "output %0 as taps"),
            resolved=(Resolved(function="main", ref=Ref(c0)),),
        ),
        PlannedStatement(
            text="cut after block_1",
            span=span(CONV_SPEC, "cut after block_1"),
            resolved=tuple(Resolved(function="main", ref=Ref(n)) for n in (c0, b0, f0, r0)),
        ),
        PlannedStatement(
            text="offload pattern conv2d>bn>relu to bmlib expect 1",
            span=span(CONV_SPEC, "offload pattern conv2d>bn>relu to bmlib expect 1"),
            resolved=(Resolved(function="main", ref=Ref(r0)),),
        ),
    )
    region = Region(
        symbol="bmlib_0",
        backend="bmlib",
        composite="bmlib.conv2d_bn_relu",
        pattern="nn.conv2d_nn.batch_norm_TupleGetItem0_nn.relu_",
        function="main",
        nodes=(c0, b0, f0, r0),
        arguments=(RegionArgument(name="data", ref=Ref(x), type=act),),
        constants=tuple(
            RegionConstant(
                name=str(d.names[n]),
                node=n,
                type=d.types[n],
                embedded=True,  # type: ignore[arg-type]
            )
            for n in (weights[0], *norms[:4])
        ),
        slots={(c0, 0): ("argument", 0)},
        outputs=(Ref(r0),),
        output_types=(act,),
        stage=0,
        statement=2,
        captures={"c": (c0,)},
        notes=("operand 0 of nn.relu is field 0 of %1",),
    )
    return Plan(
        engine="relay",
        model_path="conv.json",
        module=Module(functions={"main": graph}),
        statements=statements,
        inputs=(StageInput(name="data", ref=Ref(x), type=act, source=None),),
        outputs=(
            Output(name="output_0", ref=Ref(head), index=0, added=False, type=act),
            Output(name="raw", ref=Ref(c1), index=1, added=False, type=act),
            Output(name="taps", ref=Ref(c0), index=2, added=True, type=act),
        ),
        crossings=(
            Crossing(
                ref=Ref(r0),
                name="hidden",
                type=act,
                source=0,
                targets=(1,),
                uses=(c1,),
                runtime_dependent=True,
            ),
        ),
        stages=(
            Stage(
                index=0,
                name="stage_0",
                nodes=(c0, b0, r0),
                recomputed=(),
                inputs=(StageInput(name="data", ref=Ref(x), type=act, source=None),),
                outputs=(
                    StageOutput(name="taps", ref=Ref(c0), type=act, public=True),
                    StageOutput(name="hidden", ref=Ref(r0), type=act, public=False),
                ),
                params=("w0", "gamma0", "beta0", "mu0", "var0"),
                param_bytes=2432,
                op_count=3,
                target="llvm",
                opt_level=3,
                executor="graph",
            ),
            Stage(
                index=1,
                name="stage_1",
                nodes=(c1, b1, r1, head),
                recomputed=(),
                inputs=(StageInput(name="hidden", ref=Ref(r0), type=act, source=0),),
                outputs=(
                    StageOutput(name="output_0", ref=Ref(head), type=act, public=True),
                    StageOutput(name="raw", ref=Ref(c1), type=act, public=True),
                ),
                params=("w1", "gamma1", "beta1", "mu1", "var1"),
                param_bytes=2432,
                op_count=4,
                target="llvm",
                opt_level=3,
                executor="vm",
                executor_reason="it has an If",
            ),
        ),
        regions=(region,),
        rejected=(
            Rejected(
                statement=2,
                function="main",
                node=r1,
                matched=(c1, b1),
                reason="%4 is also used by output 1 (raw)",
            ),
        ),
        backends=(PlannedBackend(name="bmlib", kind="tvm", implicit=True),),
        build=BuildPlan(asked=True, config=(("relay.FuseOps.max_depth", 4),)),
        verify=VerifyPlan(asked=True),
        notes=(
            Diagnostic(
                code="S290",
                message="w & <b> cross without need",
                remedy="share %0 by recompute",
                severity="note",
            ),
        ),
    )


def layers_plan(layers: int, *, named: bool = True, cut: int | None = None) -> Plan:
    """A transformer-like chain of ``layers`` layers of ten ops with one mask for all of them."""
    d = Draft()
    x = d.input("ids", f32(1, 128))
    mask_in = d.input("input_mask", f32(1, 128))
    hidden = f32(1, 128, 64)
    mask = d.call("multiply", mask_in, type_=f32(1, 1, 1, 128), name="bert/mul" if named else None)
    at = d.call("take", x, type_=hidden, name="bert/embeddings/take" if named else None)
    ends: list[int] = []
    for layer in range(layers):
        start = at
        parts = ("attention/query", "attention/key", "attention/value", "output/dense")
        for part in (*parts, "output/norm"):
            weight = d.param(f"w{layer}.{part}", f32(64, 64))
            name = f"bert/encoder/layer_._{layer}/{part}"
            at = d.call(
                "nn.dense", at, weight, type_=hidden, name=name + "/MatMul" if named else None
            )
            other = mask if part == "attention/value" else start
            at = d.call("add", at, other, type_=hidden, name=name + "/add" if named else None)
        ends.append(at)
    graph = d.graph(at)
    calls = [i for i, k in enumerate(graph.kinds) if k == "call"]
    inputs = tuple(
        StageInput(name=str(d.names[i]), ref=Ref(i), type=d.types[i], source=None)  # type: ignore[arg-type]
        for i in (x, mask_in)
    )
    final = StageOutput(name="output_0", ref=Ref(at), type=hidden, public=True)
    if cut is None:
        bounds, crossings = [calls], ()
        stage_inputs, stage_outputs = [inputs], [(final,)]
    else:
        end = ends[cut]
        bounds = [[i for i in calls if i <= end], [i for i in calls if i > end]]
        users = [i for i in graph.users[mask] if i > end]
        crossings = tuple(
            Crossing(
                ref=Ref(node), name=name, type=graph.types[node], source=0,  # type: ignore[arg-type]
                targets=(1,), uses=tuple(uses), runtime_dependent=True,
            )
            for node, name, uses in ((mask, "mask", users), (end, "hidden", [end + 2]))
        )  # fmt: skip
        stage_inputs = [
            inputs,
            tuple(StageInput(name=c.name, ref=c.ref, type=c.type, source=0) for c in crossings),
        ]
        stage_outputs = [
            tuple(
                StageOutput(name=c.name, ref=c.ref, type=c.type, public=False) for c in crossings
            ),
            (final,),
        ]
    return Plan(
        engine="relay",
        model_path="layers.json",
        module=Module(functions={"main": graph}, has_source_names=named),
        statements=(),
        inputs=inputs,
        outputs=(Output(name="output_0", ref=Ref(at), index=0, added=False, type=hidden),),
        crossings=crossings,
        stages=tuple(
            Stage(
                index=k,
                name=f"stage_{k}",
                nodes=tuple(nodes),
                recomputed=(),
                inputs=stage_inputs[k],
                outputs=stage_outputs[k],
                params=(),
                param_bytes=0,
                op_count=len(nodes),
                target="llvm",
                opt_level=3,
                executor="graph",
            )
            for k, nodes in enumerate(bounds)
        ),
        regions=(),
        rejected=(),
        backends=(),
        build=BuildPlan(),
        verify=VerifyPlan(),
    )


def named_chain(names: Sequence[str | None]) -> Graph:
    """Return a chain of relus with these source names."""
    d = Draft()
    at = d.input("x", f32(4))
    for name in names:
        at = d.call("nn.relu", at, type_=f32(4), name=name)
    return d.graph(at)

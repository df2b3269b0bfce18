"""Where two models, or two builds of one, begin to differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.api.reading import Progress, silent
from surgery.api.reproducing import Reproducer, check_target, write_reproducer
from surgery.api.sides import (
    BuildChoice,
    Side,
    Sides,
    framework_values,
    open_sides,
    side_inputs,
)
from surgery.diagnostics import SurgeryError
from surgery.graph import Graph, Ref, TensorType
from surgery.planning import BuildPlan

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.verification import Matching, OutputComparison, Pair, Search

#: Bytes that values may take at a time unless the caller says otherwise.
DEFAULT_MEMORY = 2 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightDifference:
    """A weight or constant that an op reads, which isn't the same in both models.

    Attributes:
        operand: Its place among the op's operands.
        label: What the second model calls it.
    """

    operand: int
    label: str
    comparison: OutputComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is different about the op that was found.

    Attributes:
        op_a, op_b: The ops, ``@symbol`` for a region.
        label_a, label_b: ``%N`` of both.
        name: The source name, if it has one.
        attributes: Attributes that differ: by name, of both sides as text.
        weights: Weights and constants that differ.
        inside: The ops inside, of a region.
        through: Ops of the second model between what agrees and what differs, without a
            counterpart in the first: the fault may be in one of them.
    """

    op_a: str
    op_b: str
    label_a: str
    label_b: str
    name: str | None
    attributes: Mapping[str, tuple[str, str]]
    weights: tuple[WeightDifference, ...]
    inside: tuple[str, ...] = ()
    through: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisection:
    """The first value that differs, and how it was found.

    Attributes:
        search: Every comparison.
        finding: What is different at ``search.first``; ``None`` when nothing differs.
        builds: Builds of the whole model that it took, both sides together.
        reproducer: The folder that shows the fault by itself, if one was asked for.
        notes: What the user should know about the builds.
        inputs: Where the inputs came from.
        outputs: Names of the second model's results by tensor.
    """

    a: Side
    b: Side
    matching: Matching
    search: Search
    finding: Finding | None
    builds: int
    inputs: str
    outputs: Mapping[Ref, str]
    reproducer: Reproducer | None = None
    notes: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        return self.search.first is not None

    @property
    def outputs_differ(self) -> bool:
        return any(m.differs for m in self.search.outputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first value at which two models differ, in a word.

    Attributes:
        finding: What is different about its op.
        comparison: How far the values are apart.
    """

    finding: Finding
    comparison: OutputComparison

    def as_json(self) -> dict[str, object]:
        """Return it as JSON-ready data."""
        return {
            "op_a": self.finding.op_a,
            "op_b": self.finding.op_b,
            "value_a": self.finding.label_a,
            "value_b": self.finding.label_b,
            "name": self.finding.name,
            "through": list(self.finding.through),
            "comparison": self.comparison.as_json(),
        }


def first_divergence(
    a: Side,
    b: Side,
    inputs: Mapping[str, Array],
    rtol: float | None,
    atol: float | None,
    tell: Progress,
    memory: int = DEFAULT_MEMORY,
) -> Divergence | None:
    """Return where two models that take the same inputs begin to differ; ``None``: nowhere.

    Raises:
        SurgeryError: What building and running raise.
    """
    from surgery.verification import search

    sides = Sides(a=a, b=b)
    reader = Reader(sides, inputs, inputs, memory, tell)
    found = search(
        b.model.module.main, sides.match(), reader.read,
        rtol=rtol, atol=atol, memory=memory // _HELD, complete=False,
    )  # fmt: skip
    if found.first is None:
        return None
    return Divergence(finding=_finding(sides, found), comparison=found.first.comparison)


def bisect(
    a: str | Path,
    b: str | Path | None = None,
    *,
    params_a: str | Path | None = None,
    params_b: str | Path | None = None,
    opt_a: int | None = None,
    opt_b: int | None = None,
    target_a: str | None = None,
    target_b: str | None = None,
    inputs: Mapping[str, Array] | str | Path | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    rtol: float | None = None,
    atol: float | None = None,
    complete: bool = False,
    memory: int = DEFAULT_MEMORY,
    reproducer: str | Path | None = None,
    force: bool = False,
    allow_code: bool = False,
    types: Mapping[str, TensorType] | None = None,
    progress: Progress | None = None,
) -> Bisection:
    """Find the first value at which two models differ beyond tolerance.

    Args:
        a, b: Models, output folders or specs; ``a`` is what is expected. Without ``b`` an output
            folder is compared with its original, a model with itself built in another way.
        opt_a, opt_b, target_a, target_b: How to build them; by default as an output folder's
            recipe says, else for ``llvm`` at level 3.
        inputs: Of ``a``, by name, or an ``.npz`` file or folder of one or many items; random ones
            from ``seed`` when not given. Of many that is searched on whose outputs differ most.
        data: A Python file whose function ``inputs()`` yields items, run with ``allow_code``.
        rtol, atol: Tolerances (:func:`surgery.verification.compare_values`).
        complete: Compare every value where the outputs and those first tried agree: a difference
            may be lost on the way.
        memory: Bytes that the values that are held at a time may take.
        reproducer: A folder to write that shows the fault by itself.
        force: Write it although the folder is there and not empty.
        types: Of inputs that another framework's model leaves open.

    Raises:
        SurgeryError: S361, S362 the two can't be compared, S363 no place for a reproducer; what
            loading, building and running raise.
    """
    from surgery.api.comparing import check_data, worst_item
    from surgery.runtime import load_npz
    from surgery.verification import search

    tell = progress or silent
    check_data(data, allow_code)
    with open_sides(
        a,
        b,
        params_a=params_a,
        params_b=params_b,
        build_a=BuildChoice(opt_level=opt_a, target=target_a),
        build_b=BuildChoice(opt_level=opt_b, target=target_b),
        allow_code=allow_code,
        tell=tell,
        types=types,
    ) as sides:
        target = None if reproducer is None else check_target(Path(reproducer), force)
        origin = _origin(inputs, data, seed)
        given = inputs if isinstance(inputs, Mapping) else None
        if data is not None or isinstance(inputs, str | Path):
            path = None if isinstance(inputs, Mapping) else inputs
            worst = worst_item(sides, path, data, rtol, atol, tell)
            if worst is not None:
                number, count, given = worst
                origin += f", item {number} of {count}, whose outputs differ most"
            elif path is not None:
                given = load_npz(path)
        arrays_a, arrays_b = side_inputs(sides, given, seed)
        matching = sides.match()
        reader = Reader(sides, arrays_a, arrays_b, memory, tell)
        found = search(
            sides.b.model.module.main, matching, reader.read,
            rtol=rtol, atol=atol, memory=memory // _HELD, complete=complete,
        )  # fmt: skip
        written = None
        if found.first is not None and target is not None:
            tell("writing the reproducer")
            written = write_reproducer(sides, matching, found, reader, target)
        names = dict(zip(sides.b.model.module.main.outputs, sides.b.output_names, strict=True))
        return Bisection(
            a=sides.a,
            b=sides.b,
            matching=matching,
            search=found,
            finding=None if found.first is None else _finding(sides, found),
            builds=reader.builds,
            inputs=origin,
            outputs=names,
            reproducer=written,
            notes=tuple(
                f"{which} was built without {_LAYOUTS}: TVM fails with it when values in between "
                "are read, so layouts are not packed as they are without"
                for which in sorted(reader.unpacked)
            ),
        )


def _origin(inputs: object, data: object, seed: int) -> str:
    if data is not None:
        return str(data)
    if inputs is None:
        return f"random, seed {seed}"
    return str(inputs) if isinstance(inputs, str | Path) else "given"


#: The pass of TVM that packs layouts, and the level from which on it runs.
_LAYOUTS, _PACKS = "AlterOpLayout", 3
#: Copies of a value that exist while a pair is compared: in both executors, and read from both.
_HELD = 4


class Reader:
    """Reads values of both sides, and counts the builds that takes."""

    def __init__(
        self,
        sides: Sides,
        inputs_a: Mapping[str, Array],
        inputs_b: Mapping[str, Array],
        memory: int,
        tell: Progress,
    ) -> None:
        self.sides = sides
        self.inputs_a, self.inputs_b = inputs_a, inputs_b
        self.memory = memory
        self.builds = 0
        self._tell = tell
        #: Values of the first model that were read last, as many as memory allows.
        self._kept: dict[Ref, Array] = {}
        #: Sides that TVM can't build with these outputs unless it leaves layouts as they are.
        self.unpacked: set[str] = set()

    def read(self, pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Array, Array]]:
        """Yield both values of each pair, in as few builds as memory allows."""
        from surgery.verification import tap_batches

        by_ref = {p.b: p for p in pairs}
        graph = self.sides.b.model.module.main
        for refs in tap_batches(graph, [*by_ref], self.memory * 2 // _HELD):
            some = [by_ref[r] for r in refs]
            expected = self.values(self.sides.a, [p.a for p in some])
            actual = self.values(self.sides.b, [p.b for p in some])
            self._keep(expected)
            for pair in some:
                yield pair, expected[pair.a], actual[pair.b]

    def expected(self, refs: Sequence[Ref]) -> dict[Ref, Array]:
        """Return values of the first model: those that were read last are still at hand."""
        found = {r: self._kept[r] for r in refs if r in self._kept}
        missing = [r for r in refs if r not in found]
        return found | (self.values(self.sides.a, missing) if missing else {})

    def _keep(self, values: Mapping[Ref, Array]) -> None:
        for ref, array in values.items():
            self._kept.pop(ref, None)
            self._kept[ref] = array
        size = sum(array.nbytes for array in self._kept.values())
        while size > self.memory // _HELD:
            oldest = next(iter(self._kept))
            size -= self._kept.pop(oldest).nbytes

    def values(self, side: Side, refs: Sequence[Ref]) -> dict[Ref, Array]:
        """Return values of one side, from one build."""
        from surgery.verification import tap_values

        if side.framework:
            return self._by_framework(side, refs)
        which = "a" if side is self.sides.a else "b"

        def told(done: int, total: int) -> None:
            self.builds += 1
            self._tell(f"build {self.builds}: {len(set(refs))} values of {which}, {side.shown}")

        def read(build: BuildPlan) -> dict[Ref, Array]:
            found: dict[Ref, Array] = {}
            for batch in tap_values(
                side.engine,
                side.model,
                list(dict.fromkeys(refs)),
                self.inputs_a if side is self.sides.a else self.inputs_b,
                build=build,
                backends=side.backends,
                on_batch=told,
            ):
                found |= batch
            return found

        build = side.build
        if which in self.unpacked:
            build = replace(build, disable=(*build.disable, _LAYOUTS))
        try:
            return read(build)
        except SurgeryError as failure:
            packs = build.opt_level >= _PACKS and _LAYOUTS not in build.disable
            if not packs or failure.diagnostics[0].code != "S415":
                raise
        # TVM packs the layouts of convolutions, and fails where a value in between is an output.
        self.unpacked.add(which)
        return read(replace(build, disable=(*build.disable, _LAYOUTS)))

    def _by_framework(self, side: Side, refs: Sequence[Ref]) -> dict[Ref, Array]:
        """Return values of a model as its own framework computes them."""
        names = framework_values(side)
        main = side.model.module.main
        asked = list(dict.fromkeys(refs))
        inner = [names[r] for r in asked if names[r] not in side.output_names]
        given = side.reference(self.inputs_a, self._tell, inner)
        found = {}
        for ref in asked:
            array, type_ = given[names[ref]], main.type_of(ref)
            if isinstance(type_, TensorType) and type_.is_static:
                # TVM's importer may leave axes of one out, or put them in.
                shape = tuple(int(d) for d in type_.shape)
                array = array.reshape(shape) if array.size == math.prod(shape) else array
            found[ref] = array
        return found


def _finding(sides: Sides, found: Search) -> Finding:
    """Say what is different about the op at which two models begin to differ."""
    assert found.first is not None
    pair = found.first.pair
    a, b = sides.a.model.module.main, sides.b.model.module.main
    one, other = pair.a.node, pair.b.node
    attrs_a, attrs_b = a.attrs[one], b.attrs[other]
    same = a.ops[one] == b.ops[other]
    keys = sorted({*attrs_a, *attrs_b}) if same else []
    inside = sides.b.model.module.functions.get(b.ops[other][1:])
    return Finding(
        op_a=a.ops[one] or a.kinds[one],
        op_b=b.ops[other] or b.kinds[other],
        label_a=a.label(pair.a),
        label_b=b.label(pair.b),
        name=b.names[other] or a.names[one],
        attributes={
            k: (str(attrs_a.get(k)), str(attrs_b.get(k)))
            for k in keys
            if repr(attrs_a.get(k)) != repr(attrs_b.get(k))
        },
        weights=tuple(_weights(sides, one, other)),
        inside=_ops(inside) if b.ops[other][:1] == "@" and inside is not None else (),
        through=tuple(b.describe(n) for n in found.through),
    )


def _ops(graph: Graph) -> tuple[str, ...]:
    return tuple(
        o for o, k in zip(graph.ops, graph.kinds, strict=True) if k == "call" and o != "fn"
    )


def _weights(sides: Sides, one: int, other: int) -> Iterator[WeightDifference]:
    """Yield the weights that two ops read at the same place and that differ at all."""
    from surgery.verification import compare_arrays

    a, b = sides.a.model.module.main, sides.b.model.module.main
    if len(a.operands[one]) != len(b.operands[other]):
        return
    ours = [a.resolve(o).node for o in a.operands[one]]
    theirs = [b.resolve(o).node for o in b.operands[other]]
    kinds = ("constant", "param")
    both = [
        (i, x, y)
        for i, (x, y) in enumerate(zip(ours, theirs, strict=True))
        if a.kinds[x] in kinds and b.kinds[y] in kinds
        and isinstance(a.types[x], TensorType) and isinstance(b.types[y], TensorType)
    ]  # fmt: skip
    expected = sides.a.engine.weights(sides.a.model, [x for _, x, _ in both])
    actual = sides.b.engine.weights(sides.b.model, [y for _, _, y in both])
    for place, x, y in both:
        label = b.label(y)
        comparison = compare_arrays(label, actual[y], expected[x], 0.0, 0.0)
        if not comparison.passed:
            yield WeightDifference(operand=place, label=label, comparison=comparison)

"""The outputs of two models, or of two builds of one, on the same inputs."""

from __future__ import annotations

import math
import runpy
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.api.reading import Progress, silent
from surgery.api.sides import (
    BuildChoice,
    Side,
    Sides,
    open_sides,
    side_inputs,
    wanted_inputs,
)
from surgery.api.stages import reference_build
from surgery.diagnostics import SurgeryError, error, nearest
from surgery.graph import TensorType
from surgery.planning import make_plan
from surgery.syntax import ast

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.verification import OutputComparison, Verification

#: Relative and absolute; ``None``: by type.
Tolerance = tuple[float | None, float | None]

#: The function of a file of data that yields items.
LOADER = "inputs"

_Run = Callable[[Mapping[str, "Array"]], dict[str, "Array"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How the outputs of two models compare.

    Attributes:
        verification: For each output of the first model the worst of all items.
        items: How many were compared.
        by_position: Whether outputs were paired by position, as the names differ.
    """

    a: Side
    b: Side
    verification: Verification
    items: int
    by_position: bool


def compare_models(
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
    tolerances: Mapping[str, Tolerance] | None = None,
    allow_code: bool = False,
    types: Mapping[str, TensorType] | None = None,
    framework: bool = False,
    progress: Progress | None = None,
) -> Compared:
    """Compare the outputs of two models; arguments are those of :func:`surgery.bisect`.

    Args:
        inputs: Of ``a``: one item by name, or an ``.npz`` file or folder of one or many
            (:func:`surgery.runtime.pipeline.streams.open_stream`).
        data: A Python file whose function ``inputs()`` yields items, run with ``allow_code``.
        rtol, atol: Tolerances, by type when not given.
        tolerances: Others for single outputs, by name.
        types: Of inputs that another framework's model leaves open.
        framework: Run ``a`` in the framework that it is of, as it is with no ``b``.

    Raises:
        SurgeryError: S361, S362 the two can't be compared, S367 a tolerance for no output, S368
            the file of data doesn't give items; what loading, building and running raise.
    """
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
        if framework and not sides.a.framework:
            sides = replace(sides, a=sides.a.in_framework())
        names, by_position = _names(sides)
        own = tolerances or {}
        for name in own:
            if name not in names.values():
                close = nearest(name, [*names.values()])
                raise error(
                    "S367",
                    f"there is no output {name!r} to give a tolerance",
                    reason=f"the outputs are {', '.join(names.values())}",
                    remedy=f"did you mean {close[0]!r}?" if close else "use one of these",
                )
        items = _items(sides, inputs, data)
        worst: dict[str, tuple[int, OutputComparison]] = {}
        count = 0
        with _opened(sides.a, tell) as run_a, _opened(sides.b, tell) as run_b:
            for given in items:
                arrays_a, arrays_b = side_inputs(sides, given, seed)
                tell("running both", count)
                expected = run_a(arrays_a)
                actual = {names[n]: v for n, v in run_b(arrays_b).items()}
                for row in _rows(actual, expected, rtol, atol, own):
                    before = worst.get(row.name)
                    if before is None or _badness(row) > _badness(before[1]):
                        worst[row.name] = (count, row)
                count += 1
    return Compared(
        a=sides.a,
        b=sides.b,
        verification=_verification(worst, count, rtol, atol, _origin(inputs, data, seed)),
        items=count,
        by_position=by_position,
    )


def worst_item(
    sides: Sides,
    inputs: str | Path | None,
    data: str | Path | None,
    rtol: float | None,
    atol: float | None,
    tell: Progress,
) -> tuple[int, int, Mapping[str, Array]] | None:
    """Return the item on which the outputs of two models are furthest apart, of several.

    Returns:
        Its number, how many there are, and itself; ``None`` for a file of one item.

    Raises:
        SurgeryError: As :func:`compare_models`.
    """
    from surgery.runtime.pipeline.streams import open_stream

    if data is None and (
        inputs is None or open_stream(inputs, wanted_inputs(sides.a)).single is not None
    ):
        return None
    names, _ = _names(sides)
    worst: tuple[int, Mapping[str, Array]] | None = None
    badness: tuple[float, ...] | None = None
    count = 0
    with _opened(sides.a, tell) as run_a, _opened(sides.b, tell) as run_b:
        for given in _items(sides, inputs, data):
            assert given is not None
            arrays_a, arrays_b = side_inputs(sides, given, 0)
            tell("running both", count)
            expected = run_a(arrays_a)
            actual = {names[n]: v for n, v in run_b(arrays_b).items()}
            found = max(_badness(row) for row in _rows(actual, expected, rtol, atol, {}))
            if badness is None or found > badness:
                badness, worst = found, (count, given)
            count += 1
    return None if worst is None else (worst[0], count, worst[1])


def check_data(data: str | Path | None, allow_code: bool) -> None:
    """Refuse to run a file of data that wasn't allowed.

    Raises:
        SurgeryError: S241.
    """
    if data is not None and not allow_code:
        raise error(
            "S241",
            f"{data} is Python code, which was not allowed",
            reason="it is run with your rights",
            remedy="read it, then add --allow-code (allow_code=True in Python)",
        )


def _origin(inputs: object, data: object, seed: int) -> str:
    if data is not None:
        return str(data)
    if inputs is None:
        return f"random, seed {seed}"
    return str(inputs) if isinstance(inputs, str | Path) else "given"


def _names(sides: Sides) -> tuple[dict[str, str], bool]:
    """Return what the second model's outputs are called in the first, and if by position."""
    ours, theirs = sides.a.output_names, sides.b.output_names
    if set(ours) & set(theirs) or len(ours) != len(theirs):
        return {n: n for n in theirs} | {n: n for n in ours}, False
    return dict(zip(theirs, ours, strict=True)), True


def _items(
    sides: Sides, inputs: Mapping[str, Array] | str | Path | None, data: str | Path | None
) -> Iterable[Mapping[str, Array] | None]:
    from surgery.runtime.pipeline.streams import open_stream

    if data is not None:
        return _loaded(Path(data))
    if isinstance(inputs, str | Path):
        return open_stream(inputs, wanted_inputs(sides.a)).read()
    return (inputs,)


def _loaded(path: Path) -> Iterator[Mapping[str, Array]]:
    """Yield the items of a file of data.

    Raises:
        SurgeryError: S368.
    """
    wrong = f'write `def {LOADER}():` that yields dicts, {{"NAME": array, ...}}'
    if not path.is_file():
        raise error("S368", f"there is no file {path}", remedy=wrong)
    try:
        made = runpy.run_path(str(path)).get(LOADER)
        if not callable(made):
            raise error("S368", f"{path} has no function {LOADER}", remedy=wrong)
        count = 0
        for item in made():
            if not isinstance(item, Mapping):
                reason = f"item {count} is a {type(item).__name__}"
                raise error("S368", f"{path} yields no dicts", reason=reason, remedy=wrong)
            yield item
            count += 1
    except SurgeryError:
        raise
    except (Exception, SystemExit) as failure:
        reason = f"{type(failure).__name__}: {failure}"
        raise error("S368", f"{path} fails", reason=reason, remedy=wrong) from failure
    if not count:
        raise error("S368", f"{path} yields no item", remedy=wrong)


@contextmanager
def _opened(side: Side, tell: Progress) -> Iterator[_Run]:
    """Give what runs a side: the libraries of a folder that is built, or a build of its own."""
    from surgery.recipe import check_files
    from surgery.runtime import Runner

    if side.framework:
        yield lambda inputs: side.reference(inputs, tell)
        return
    if side.as_built and side.recipe is not None and side.folder is not None:
        check_files(side.recipe, side.folder, to_run=True)
        yield Runner(side.recipe, side.folder)
        return
    made = make_plan(ast.Spec(statements=()), side.model.module, model_path=side.model.path)
    made = replace(made, build=replace(side.build, executor=made.build.executor))
    with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        tell(f"building {side.shown}: {side.build.target}, opt {side.build.opt_level}")
        saved = side.engine.save_reference(side.model, made, folder)
        build = reference_build(made, saved, folder)
        if side.backends is not None:
            source = side.backends.folder / "backends"
            if source.is_dir():
                (folder / "backends").symlink_to(source.resolve())
            build = replace(build, backends=side.backends.builds)
        side.engine.build_stage(build)
        runner = side.engine.open_stage(
            folder, build.library, build.executor, [i.name for i in made.inputs]
        )
        names = side.output_names

        def run(inputs: Mapping[str, Array]) -> dict[str, Array]:
            found = runner(inputs)
            return {name: found[o.index] for name, o in zip(names, made.outputs, strict=True)}

        yield run


def _rows(
    actual: Mapping[str, Array],
    expected: Mapping[str, Array],
    rtol: float | None,
    atol: float | None,
    own: Mapping[str, Tolerance],
) -> Iterator[OutputComparison]:
    from surgery.verification import compare

    for name in dict.fromkeys((*expected, *actual)):
        relative, absolute = own.get(name, (rtol, atol))
        yield from compare(
            {name: actual[name]} if name in actual else {},
            {name: expected[name]} if name in expected else {},
            rtol=relative,
            atol=absolute,
            between_floats=True,
        ).rows


def _badness(row: OutputComparison) -> tuple[bool, int, float]:
    return (not row.passed, row.mismatches, row.max_abs or 0.0)


def _verification(
    worst: Mapping[str, tuple[int, OutputComparison]],
    count: int,
    rtol: float | None,
    atol: float | None,
    origin: str,
) -> Verification:
    from surgery.verification import DEFAULT_ATOL, DEFAULT_RTOL, Verification

    rows = []
    for item, row in worst.values():
        if count > 1 and not row.passed:
            row = replace(row, reason=f"{row.reason} (item {item})")
        rows.append(row)
    return Verification(
        rows=tuple(rows),
        rtol=DEFAULT_RTOL if rtol is None else rtol,
        atol=DEFAULT_ATOL if atol is None else atol,
        inputs=origin if count == 1 else f"{origin}, {count} items",
    )


def parse_tolerance(text: str) -> tuple[str, Tolerance]:
    """Read ``NAME=rtol,atol``.

    Raises:
        ValueError: It is not that.
    """
    name, equals, numbers = text.rpartition("=")
    parts = numbers.split(",")
    if not equals or not name or len(parts) != 2:
        raise ValueError(text)
    rtol, atol = map(float, parts)
    if not all(math.isfinite(x) and x >= 0 for x in (rtol, atol)):
        raise ValueError(text)
    return name, (rtol, atol)

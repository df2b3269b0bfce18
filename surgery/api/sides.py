"""What is compared: a model, an output folder or a spec, each with a way to build it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from surgery.api.applying import apply
from surgery.api.backends import check_code_allowed
from surgery.api.folders import is_prepared, original_model, region_outputs
from surgery.api.reading import Progress
from surgery.api.stages import stage_build
from surgery.diagnostics import Collector, SurgeryError, error
from surgery.engines import get_engine
from surgery.engines.base import Engine, EngineModel
from surgery.graph import Ref, TensorType
from surgery.planning import BuildPlan
from surgery.syntax import load_spec

if TYPE_CHECKING:
    from surgery.engines.base import Array
    from surgery.recipe import Recipe, RecipeInput
    from surgery.verification import Backends, Matching

_SPECS = (".surgery", ".yaml", ".yml")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildChoice:
    """How a side is built; ``None``: as its recipe says, or by default."""

    opt_level: int | None = None
    target: str | None = None

    @property
    def is_empty(self) -> bool:
        return self.opt_level is None and self.target is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two models that are compared.

    Attributes:
        shown: What the user calls it.
        model: Loaded; of an output folder the operated module as one graph.
        build: How it is built.
        backends: Of an output folder with regions.
        recipe, folder: Of an output folder.
        notes: What the user should know.
        as_built: Whether the libraries of ``folder`` are what is asked for.
        framework: Whether the model's own framework runs it (``ONNX``), not a build of it.
        allow_code: Whether its file may run code of its own where it's read.
    """

    shown: str
    engine: Engine
    model: EngineModel
    build: BuildPlan
    backends: Backends | None = None
    recipe: Recipe | None = None
    folder: Path | None = None
    notes: tuple[str, ...] = ()
    as_built: bool = False
    framework: bool = False
    allow_code: bool = False

    def in_framework(self) -> Side:
        """Return it as its own framework runs it.

        Raises:
            SurgeryError: S361 no other framework's file is at hand.
        """
        if not self.model.foreign:
            raise error(
                "S361",
                f"{self.shown} is no other framework's model to run there",
                reason="it is Relay already",
                remedy="name the file that it was made from first: `surgery verify net.onnx OUT "
                "--framework`",
            )
        shown = f"{self.shown} by {self.model.foreign}'s own runtime"
        return replace(self, shown=shown, framework=True)

    def reference(
        self, inputs: Mapping[str, Array], tell: Progress, values: Sequence[str] = ()
    ) -> dict[str, Array]:
        """Run the model in its own framework; return its outputs, and values, by name."""
        types = {i.name: i.type for i in wanted_inputs(self)}
        return self.engine.reference(self.model.path, inputs, types, self.allow_code, tell, values)

    @property
    def how(self) -> str:
        """How it is built, in a word."""
        if self.framework:
            return "as it is"
        if self.as_built:
            return "as built"
        return f"{self.build.target}, opt {self.build.opt_level}"

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of ``@main``'s results, in order."""
        count = len(self.model.module.main.outputs)
        names = tuple(o.name for o in self.recipe.outputs) if self.recipe is not None else ()
        # A value that has two names is returned once.
        if len(names) == count:
            return names
        own = self.model.module.output_names
        return own if len(own) == count else tuple(f"out{i}" for i in range(count))

    @property
    def has_regions(self) -> bool:
        functions = self.model.module.functions.values()
        return any("Compiler" in f.function_attrs for f in functions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Both models; ``regions`` says what functions of ``b`` return in terms of ``a``."""

    a: Side
    b: Side
    regions: Mapping[str, tuple[Ref, ...]] = field(default_factory=dict)

    def match(self) -> Matching:
        """Return which values the two have in common."""
        from surgery.verification import match_graphs

        if self.a.framework:
            return _given_by_framework(self.a)

        return match_graphs(self.a.model.module, self.b.model.module, self.regions)


def framework_values(side: Side) -> dict[Ref, str]:
    """Return the tensors that a model's own framework can give, and what it calls them."""
    main = side.model.module.main
    last: dict[str, int] = {}
    for id_, name in enumerate(main.names):
        # Of the ops that one of the framework's became, the last one gives its result.
        if name and main.kinds[id_] == "call" and not main.scopes[id_]:
            last[name] = id_
    found = {
        main.leaves(Ref(id_))[0]: side.model.foreign_values[name]
        for name, id_ in last.items()
        if name in side.model.foreign_values
    }
    return found | dict(zip(main.outputs, side.output_names, strict=True))


def _given_by_framework(side: Side) -> Matching:
    from surgery.verification import Matching, Pair

    pairs = tuple(Pair(a=r, b=r) for r in sorted(framework_values(side)))
    return Matching(pairs=pairs, unmatched_a=(), unmatched_b=(), identical=True)


@contextmanager
def open_sides(
    a: str | Path,
    b: str | Path | None,
    *,
    params_a: str | Path | None = None,
    params_b: str | Path | None = None,
    build_a: BuildChoice,
    build_b: BuildChoice,
    allow_code: bool,
    tell: Progress,
    types: Mapping[str, TensorType] | None = None,
) -> Iterator[Sides]:
    """Load what two arguments of the command line name.

    Args:
        a, b: Models, output folders or specs. Without ``b`` an output folder or a spec is compared
            with its original, another framework's model with what that framework makes of it, and
            a model with itself, built another way.
        types: Of inputs that models leave open.

    Raises:
        SurgeryError: S361 there is only one model and one way to build it; what loading raises.
    """
    with tempfile.TemporaryDirectory(prefix="surgery-", ignore_cleanup_errors=True) as scratch:
        operated = [_operated(p, Path(scratch) / str(i), tell) for i, p in enumerate((a, b)) if p]
        if b is None:
            folder = operated[0]
            if folder is None:
                first = _model_side(a, params_a, build_a, allow_code, tell, types)
                if build_a == build_b and first.model.foreign:
                    yield Sides(a=first.in_framework(), b=first)
                    return
                if build_a == build_b:
                    raise error(
                        "S361",
                        f"there is nothing to compare {a} with",
                        reason="one model, built in one way, is given",
                        remedy="name a second model, or say how to build it the second time: "
                        "`--opt-a 0 --opt-b 3`",
                    )
                second = replace(first, build=_built(BuildPlan(), build_b))
                yield Sides(a=first, b=second)
                return
            second = _recipe_side(str(a), folder, build_b, allow_code, tell)
            yield _with_original(second, None, params_a, build_a, tell)
            return
        one, other = operated
        if other is None:
            second = _model_side(b, params_b, build_b, allow_code, tell, types)
        else:
            second = _recipe_side(str(b), other, build_b, allow_code, tell)
        if one is not None:
            first = _recipe_side(str(a), one, build_a, allow_code, tell)
            yield Sides(a=first, b=second)
        elif second.recipe is not None and _is_original(str(a), second.recipe):
            yield _with_original(second, a, params_a, build_a, tell)
        else:
            yield Sides(a=_model_side(a, params_a, build_a, allow_code, tell, types), b=second)


def _operated(path: str | Path, scratch: Path, tell: Progress) -> Path | None:
    """Return the output folder that a path stands for, applying a spec to get it."""
    from surgery.recipe import recipe_folder

    place = Path(path)
    if place.name == "recipe.json" or (place.is_dir() and (place / "recipe.json").is_file()):
        return recipe_folder(place)
    if place.suffix not in _SPECS:
        return None
    tell(f"applying {path}")
    return apply(load_spec(place), scratch, build=False, verify=False, progress=tell).folder


def is_model(path: str | Path) -> bool:
    """Tell a model or a spec from an output folder, which may not be there."""
    place = Path(path)
    if place.is_dir():
        recipe = (place / "recipe.json").is_file()
        return not recipe and bool(get_engine("relay").foreign_kind(str(place)))
    return place.is_file() and place.name != "recipe.json"


def _is_original(path: str, recipe: Recipe) -> bool:
    from surgery.recipe import file_sha256

    return Path(path).is_file() and file_sha256(path) == recipe.model.sha256


def _with_original(
    second: Side,
    path: str | Path | None,
    params: str | Path | None,
    choice: BuildChoice,
    tell: Progress,
) -> Sides:
    """Compare an output folder with the model it was made from.

    A model that is named is taken as it is in its file; else it is prepared in the same way.
    """
    assert second.recipe is not None and second.folder is not None
    prepared = path is None or not is_prepared(second.folder)
    original = original_model(second.recipe, second.folder, path, params, tell, prepared)
    stage = second.recipe.stages[0]
    build = replace(second.build, target=stage.target, opt_level=stage.opt_level)
    first = Side(
        shown=original.path if path is None else str(path),
        engine=second.engine,
        model=original,
        build=_built(build, choice),
    )
    outputs = region_outputs(second.folder, original.module.main) if prepared else {}
    return Sides(a=first, b=second, regions=outputs)


def _model_side(
    path: str | Path,
    params: str | Path | None,
    choice: BuildChoice,
    allow_code: bool,
    tell: Progress,
    types: Mapping[str, TensorType] | None = None,
) -> Side:
    tell(f"loading {path}")
    engine = get_engine("relay")
    weights = None if params is None else str(params)
    loaded = engine.load(str(path), weights, inputs=types, allow_code=allow_code, progress=tell)
    return Side(
        shown=str(path), engine=engine, model=loaded, build=_built(BuildPlan(), choice),
        notes=(*loaded.notes, *loaded.warnings), allow_code=allow_code,
    )  # fmt: skip


def _recipe_side(
    shown: str, folder: Path, choice: BuildChoice, allow_code: bool, tell: Progress
) -> Side:
    from surgery.recipe import check_files, read_recipe
    from surgery.verification import Backends

    recipe = read_recipe(folder)
    check_files(recipe, folder)
    check_code_allowed(recipe, allow_code)
    tell(f"loading {shown}")
    engine = get_engine(recipe.engine)
    weights = [str(folder / s.params) for s in recipe.stages if s.params is not None]
    model = engine.load_operated(
        str(folder / "module.json"), weights, staged=len(recipe.stages) > 1
    )
    stage = recipe.stages[0]
    build = BuildPlan(
        target=stage.target,
        opt_level=stage.opt_level,
        config=tuple(stage.config.items()),
        disable=tuple(stage.disabled_passes),
    )
    notes = []
    if len({(s.target, s.opt_level) for s in recipe.stages}) > 1:
        notes.append(
            f"{shown}: its stages have builds of their own; values are read from a build of the "
            f"whole as the first: {stage.target}, opt {stage.opt_level}"
        )
    return Side(
        shown=shown,
        engine=engine,
        model=model,
        build=_built(build, choice),
        backends=Backends(folder=folder, builds=stage_build(recipe, 0, folder).backends)
        if recipe.backends
        else None,
        recipe=recipe,
        folder=folder,
        notes=tuple(notes),
        as_built=choice.is_empty and all((folder / s.library).is_file() for s in recipe.stages),
    )


def _built(build: BuildPlan, choice: BuildChoice) -> BuildPlan:
    return replace(
        build,
        opt_level=build.opt_level if choice.opt_level is None else choice.opt_level,
        target=choice.target or build.target,
    )


# -- inputs


def side_inputs(
    sides: Sides, given: Mapping[str, Array] | None, seed: int
) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the inputs of both sides: given for the first, checked, or made up.

    The second takes them by name; where its names differ, by position. Floats are cast to the type
    it takes.

    Raises:
        SurgeryError: S58x what is given doesn't fit; S362 the models take other inputs.
    """
    from surgery.recipe import RecipeInput
    from surgery.runtime import check_inputs, random_inputs
    from surgery.verification import input_bounds

    ours, theirs = _inputs(sides.a), _inputs(sides.b)
    wanted = wanted_inputs(sides.a)
    if given is None:
        first = random_inputs(wanted, seed, input_bounds(sides.a.model.module))
    else:
        first = check_inputs(wanted, given)
    by_name = set(theirs) <= set(ours)
    if not by_name and len(ours) != len(theirs):
        raise error(
            "S362",
            f"{sides.b.shown} takes other inputs than {sides.a.shown}",
            reason=f"{', '.join(theirs)} against {', '.join(ours)}",
            remedy="compare models of the same inputs; give the one its weights with --params-a "
            "or --params-b if some of these are weights",
        )
    from_name = dict(zip(theirs, theirs if by_name else ours, strict=True))
    second: dict[str, Array] = {}
    found = Collector()
    for name, type_ in theirs.items():
        array = first[from_name[name]]
        floats = "float" in type_.dtype and "float" in str(array.dtype)
        try:
            fitting = RecipeInput(name=name, shape=type_.shape, dtype=type_.dtype)
            cast = array.astype(type_.dtype) if floats else array
            second |= check_inputs([fitting], {name: cast})
        except SurgeryError as failure:
            found.take(failure)
    found.raise_if_errors()
    return first, second


def wanted_inputs(side: Side) -> list[RecipeInput]:
    """Return the inputs that a side takes."""
    from surgery.recipe import RecipeInput

    found = _inputs(side).items()
    return [RecipeInput(name=n, shape=t.shape, dtype=t.dtype) for n, t in found]


def _inputs(side: Side) -> dict[str, TensorType]:
    graph = side.model.module.main
    found = {}
    for id_ in graph.params:
        type_ = graph.types[id_]
        if graph.kinds[id_] == "input" and isinstance(type_, TensorType):
            found[graph.names[id_] or ""] = type_
    return found

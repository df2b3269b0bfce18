"""The commands and their options. Bodies are imported when a command runs: ``--help`` is cheap."""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from surgery import __version__
from surgery.cli.console import Outcome, Session
from surgery.cli.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


# Whether a file can be read is said when it is read (S500): it is no wrong usage.
_PATH = click.Path(readable=False, path_type=Path)
_FILE = click.Path(readable=False)


def _show_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"surgery {__version__}")
        context.exit()


@click.group(
    context_settings=_CONTEXT,
    epilog="Exit states: 0 done; 1 the spec, a selector or a check is at fault; 2 wrong usage; "
    "3 verification differs; 4 TVM failed to transform, build or run; 5 reading or writing failed; "
    "130 interrupted.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Print the version and stop.",
)  # fmt: skip
def app() -> None:
    """Graph surgery on compiler graphs by a checked-in spec: outputs, cuts, offloads."""


def _command(**settings: Any) -> Callable[[Callable[..., Outcome]], click.Command]:
    """Register a command: give it the options that all have, and print its outcome."""

    def register(body: Callable[..., Outcome]) -> click.Command:
        @functools.wraps(body)
        def run(*, as_json: bool, quiet: bool, no_color: bool, **arguments: Any) -> int:
            session = Session(json=as_json, quiet=quiet, no_color=no_color)
            return session.finish(body(session, **arguments))

        common = [
            click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON document."),
            click.Option(["-q", "--quiet"], is_flag=True, help="Print errors only."),
            click.Option(["--no-color"], is_flag=True, help="Never colour, even on a terminal."),
        ]
        return app.command(params=common, **settings)(run)

    return register


def _variables(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Settings:
    found: dict[str, str] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", param=parameter)
        found[name] = value
    return Settings(found)


def _not_blank(
    _: click.Context, parameter: click.Parameter, value: str | tuple[str, ...]
) -> str | tuple[str, ...]:
    """Refuse an empty argument: in scripts it is a variable that isn't set."""
    for text in (value,) if isinstance(value, str) else value:
        if not text.strip():
            raise click.BadParameter("it is empty", param=parameter)
    return value


def _tolerance(_: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise click.BadParameter("a tolerance is a finite number from 0 up", param=parameter)
    return value


def _size(_: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Read ``2G``: bytes, with K, M, G or T for powers of 1024."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", value.strip(), re.IGNORECASE)
    size = (
        0
        if found is None
        else int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))
    )
    if not size:
        raise click.BadParameter(f"{value!r} is not a size, like 500M or 2G", param=parameter)
    return size


def _counts(
    _: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """Read ``1,2``: a number from 1 up for each stage."""
    if value is None:
        return None
    found = value.split(",")
    if not all(n.strip().isdecimal() and int(n) for n in found):
        raise click.BadParameter(f"{value!r} is not N or N,N,... from 1 up", param=parameter)
    return tuple(map(int, found))


def _cpus(
    _: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[tuple[int, ...], ...] | None:
    """Read ``0,1/2-3``: CPUs for each stage."""
    if value is None:
        return None
    stages = []
    for stage in value.split("/"):
        cpus: set[int] = set()
        for part in stage.split(","):
            range_ = re.fullmatch(r"([0-9]{1,5})(?:-([0-9]{1,5}))?", part.strip())
            if range_ is None:
                message = f"{value!r} is not CPUs of each stage, like 0,1/2-3"
                raise click.BadParameter(message, param=parameter)
            cpus |= set(range(int(range_[1]), int(range_[2] or range_[1]) + 1))
        stages.append(tuple(sorted(cpus)))
    return tuple(stages)


def _binds(
    _: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[Any, ...]:
    """Read ``x: float32(1,128)``: the type of an input."""
    if not values:
        return ()
    from surgery.diagnostics import SurgeryError
    from surgery.source import Source
    from surgery.syntax import ast, load_text

    found: list[Any] = []
    for text in values:
        try:
            read = load_text(Source(f"bind {text}", "<--bind>"), {}, form="text").statements
        except SurgeryError:
            read = ()
        if len(read) != 1 or not isinstance(read[0], ast.BindInput):
            raise click.BadParameter(f"{text!r} is not NAME: TYPE, like 'x: float32(1,128)'")
        found.extend(read)
    return tuple(found)


def _uncached(_: click.Context, __: click.Parameter, value: bool) -> None:
    """Keep no conversion, and take none, for the rest of this process and those it starts."""
    if value:
        os.environ["SURGERY_CACHE"] = "off"


_no_cache = click.option(
    "--no-cache", is_flag=True, expose_value=False, callback=_uncached,
    help="Convert another framework's model anew, and keep nothing of it.",
)  # fmt: skip
_bind = click.option(
    "--bind", "binds", metavar="'X: TYPE'", multiple=True, callback=_binds,
    help="The type of an input that a model leaves open: 'x: float32(1,3,224,224)'.",
)  # fmt: skip


def _of_model(command: F) -> F:
    """Add ``--model``, ``--params``, ``--set`` and ``--no-cache``."""
    for decorate in (
        _no_cache,
        click.option(
            "--set", "variables", metavar="NAME=VALUE", multiple=True, callback=_variables,
            help="Give ${NAME} in the spec a value. May be repeated.",
        ),
        click.option(
            "--params", type=_FILE, metavar="FILE",
            help="The model's weights: TVM's format or safetensors.",
        ),
        click.option(
            "--model", type=_FILE, metavar="FILE",
            help="The model, instead of the one that the spec names.",
        ),
    ):  # fmt: skip
        command = decorate(command)
    return command


_spec = click.argument("spec", callback=_not_blank)
_allow_code = click.option(
    "--allow-code", is_flag=True, help="Run the Python code of the spec's `via te` backends."
)
_recipe = click.argument("recipe", type=_PATH)
_FORMATS = click.Choice(["table", "text", "json", "svg", "html"])


@_command(name="apply")
@_spec
@click.option(
    "-o", "--output", type=_PATH, metavar="OUT",
    help="The output folder. [default: the spec's stem + .out]",
)  # fmt: skip
@_of_model
@click.option("--build/--no-build", default=None, help="Compile the stages, or don't.")
@click.option("--verify/--no-verify", default=None, help="Compare with the original, or don't.")
@click.option("--force", is_flag=True, help="Replace a folder that surgery did not write.")
@_allow_code
def apply_command(session: Session, **arguments: Any) -> Outcome:
    """Run a spec and write the output folder.

    Load, plan, run the passes, save; build and verify where the spec or the options say so.

    SPEC is a file (*.surgery, *.yaml) or the text of a spec itself.
    """
    from surgery.cli.work import apply

    return apply(session, **arguments)


@_command(name="plan")
@_spec
@_of_model
@click.option("--explain", is_flag=True, help="Show every resolved value and rejected site.")
@_allow_code
def plan_command(session: Session, **arguments: Any) -> Outcome:
    """Show what apply would do; write nothing."""
    from surgery.cli.work import plan

    return plan(session, **arguments)


@_command(name="check")
@click.argument(
    "specs", nargs=-1, required=True, metavar="SPEC...", callback=_not_blank
)  # fmt: skip
@_of_model
def check_command(session: Session, **arguments: Any) -> Outcome:
    """Check specs: syntax and, with a model, selectors."""
    from surgery.cli.texts import check

    return check(session, **arguments)


@_command(name="fmt")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--check", "check_only", is_flag=True, help="Change nothing; fail if it would.")
@click.option(
    "--to", "form", type=click.Choice(["text", "yaml"]),
    help="Write the other form beside the file, which stays.",
)  # fmt: skip
def fmt_command(session: Session, **arguments: Any) -> Outcome:
    """Rewrite specs in canonical form, in place.

    '-' reads standard input and writes standard output.
    """
    from surgery.cli.texts import fmt

    return fmt(session, **arguments)


@_command(name="show")
@click.argument("source", metavar="MODEL|SPEC", callback=_not_blank)
@click.argument("selector", required=False)
@_of_model
@_bind
@click.option("--format", "form", type=_FORMATS, default="table", show_default=True)
@click.option(
    "--names", type=click.Choice(["tree"]),
    help="The hierarchy of source names, with the number of ops of each.",
)  # fmt: skip
@click.option(
    "--depth", type=click.IntRange(1), metavar="N", help="Levels of --names tree. [default: all]",
)  # fmt: skip
@click.option(
    "-o", "--output", type=_PATH, metavar="FILE",
    help="Write there instead of stdout.",
)  # fmt: skip
def show_command(session: Session, **arguments: Any) -> Outcome:
    """List the numbered values of a model, or draw it.

    For a spec: its model after bind and prepare; svg and html draw the plan on it. A SELECTOR
    lists only what it picks.
    """
    from surgery.cli.show import show

    return show(session, **arguments)


@_command(name="stub")
@_spec
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="DIR",
    help="The folder to write to. [default: where the spec names its backend's files]",
)  # fmt: skip
@_of_model
@click.option("--backend", metavar="NAME", help="Only this backend's kernels.")
@click.option(
    "--lang", "language", type=click.Choice(["c", "te"]),
    help="C, or lowerings in Python. [default: te for a backend `via te`, else c]",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace sources that are there, filled in or not.")
@click.option("--append", is_flag=True, help="Add the kernels that a source lacks at its end.")
def stub_command(session: Session, **arguments: Any) -> Outcome:
    """Write skeletons of the kernels that a spec needs.

    For C a documented header, made again by each run, and a source to fill in; for TE a Python
    file. A source that is there already is kept, and so is a header that no stub made: what it
    lacks is listed, and added to a source with --append.
    """
    from surgery.cli.stub import stub

    return stub(session, **arguments)


@_command(name="doctor")
@click.argument("module")
@click.option(
    "--codegen", "codegens", metavar="NAME", multiple=True,
    help="A backend that has a codegen where the module is built. May be repeated.",
)  # fmt: skip
def doctor_command(session: Session, **arguments: Any) -> Outcome:
    """Look over a module that TVM's passes have partitioned.

    Lists what will not build or run as it is, each with its place, reason and remedy; exit state 1
    when there is any. MODULE is TVM JSON or Relay text, also a pasted listing without its metadata
    section; '-' reads a listing from standard input.
    """
    from surgery.cli.doctor import doctor

    return doctor(session, **arguments)


@_command(name="build")
@_recipe
@_allow_code
@click.option(
    "--emit",
    type=click.Choice(["pipeline-executor"]),
    help="Also write the configuration of TVM's own pipeline executor.",
)
def build_command(session: Session, **arguments: Any) -> Outcome:
    """Compile the stages of an output folder again."""
    from surgery.cli.work import build

    return build(session, **arguments)


@_command(name="run")
@_recipe
@click.option(
    "--inputs",
    type=_PATH,
    metavar="X.npz|FOLDER",
    help="Named arrays: one item, or many with one axis more; or a folder of files of one item.",
)
@click.option("--seed", type=int, help="Make random inputs from this seed instead.")
@click.option(
    "-o",
    "--output",
    type=_PATH,
    metavar="Y.npz|FOLDER",
    help="Save the outputs: in one file, or for many items a file each in a folder.",
)
@click.option(
    "--repeat", type=click.IntRange(min=1), default=1, show_default=True, help="Run so often."
)
@click.option(
    "--on",
    type=click.Choice(["threads", "processes", "ray"]),
    help="Run the stages side by side there. [default for many: as the spec says, or threads]",
)
@click.option(
    "--depth", type=click.IntRange(min=1), help="Items in flight for each stage. [default: 2]"
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    help="Try an item again so often where its stage fails or loses its worker.",
)
@click.option(
    "--threads",
    metavar="N[,N...]",
    callback=_counts,
    help="TVM's threads for each stage, or one number for all. [default: CPUs shared out]",
)
@click.option(
    "--affinity",
    metavar="CPUS/CPUS...",
    callback=_cpus,
    help="CPUs of each stage: 0,1/2-3 gives the first 0 and 1, the second 2 and 3.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
    help="End the run, or try again, where a stage takes longer for an item.",
)  # fmt: skip
@click.option(
    "--address",
    metavar="HOST:PORT|auto",
    help="The Ray cluster for --on ray. [default: as RAY_ADDRESS says, or one is started]",
)
def run_command(session: Session, **arguments: Any) -> Outcome:
    """Run the built stages of an output folder.

    Many items go through the stages as a pipeline: while a stage is at one item, the stage before
    it is at the next. So does one, repeatedly, with any of --on, --depth, --retries, --threads,
    --affinity, --timeout and --address.
    """
    from surgery.cli.work import run

    return run(session, **arguments)


def _tolerances(
    _: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, tuple[float | None, float | None]]:
    from surgery.api.comparing import parse_tolerance

    try:
        return dict(parse_tolerance(text) for text in values)
    except ValueError as failure:
        message = f"{failure.args[0]!r} is not NAME=RTOL,ATOL"
        raise click.BadParameter(message, param=parameter) from None


def _of_two(command: F) -> F:
    """Add what says how to load and build two models."""
    for decorate in (
        click.option("--target-b", metavar="TARGET", help="Build B for this. [default: llvm]"),
        click.option("--target-a", metavar="TARGET", help="Build A for this. [default: llvm]"),
        click.option("--opt-b", type=click.IntRange(0, 4), help="Build B at this level."),
        click.option("--opt-a", type=click.IntRange(0, 4), help="Build A at this level."),
        click.option("--params-b", type=_FILE, metavar="FILE", help="Weights of B."),
        click.option("--params-a", type=_FILE, metavar="FILE", help="Weights of A."),
        _no_cache,
        _bind,
    ):
        command = decorate(command)
    return command


_data = click.option(
    "--data", type=_PATH, metavar="LOADER.py",
    help="Python code whose function inputs() yields dicts of arrays; needs --allow-code.",
)  # fmt: skip


@_command(name="verify")
@click.argument("recipe", metavar="A|RECIPE", callback=_not_blank)
@click.argument("other", metavar="[B]", required=False)
@click.option("--inputs", type=_PATH, metavar="X.npz|FOLDER", help="Named arrays, of A.")
@click.option("--seed", type=int, help="Make random inputs from this seed instead.")
@_data
@click.option("--model", type=_FILE, metavar="FILE", help="The original model of a recipe alone.")
@click.option("--params", type=_FILE, metavar="FILE", help="That one's weights.")
@_of_two
@click.option("--rtol", type=float, callback=_tolerance, help="Relative tolerance.")
@click.option("--atol", type=float, callback=_tolerance, help="Absolute tolerance.")
@click.option(
    "--tolerance",
    "tolerances",
    metavar="NAME=RTOL,ATOL",
    multiple=True,
    callback=_tolerances,
    help="Tolerances of one output. May be repeated.",
)
@click.option(
    "--framework", is_flag=True,
    help="Run A in the framework that it is of; so it is with no B and one build.",
)  # fmt: skip
@_allow_code
def verify_command(session: Session, **arguments: Any) -> Outcome:
    """Compare the outputs of two models, or of an output folder and its original.

    A recipe alone: its built stages against the original, which is looked for where the recipe
    says, unless --model names it. Otherwise A and B are models, output folders or specs, A being
    what is expected; a model alone is compared with itself built as --opt-b or --target-b say,
    and another framework's model with what its own framework makes of it.
    Exit state 3 when an output differs.
    """
    from surgery.cli.verify import verify

    return verify(session, **arguments)


@_command(name="tap")
@click.argument("source", metavar="MODEL|SPEC", callback=_not_blank)
@click.argument("selectors", nargs=-1, metavar="SELECTOR...", callback=_not_blank)
@click.option("--inputs", type=_PATH, metavar="X.npz", help="Named arrays.")
@click.option("--seed", type=int, help="Make random inputs from this seed instead.")
@click.option(
    "-o", "--output", type=_PATH, metavar="VALUES.npz",
    help="Save the values, and VALUES.npz.json, which says what each is.",
)  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Read everything that the model computes.")
@click.option(
    "--html", type=_PATH, metavar="FILE", help="Write a page with a histogram of each value."
)
@click.option(
    "--memory", metavar="SIZE", callback=_size,
    help="What the values of one run may take; more of them take several builds.",
)  # fmt: skip
@click.option("--opt", "opt_level", type=click.IntRange(0, 4), help="Build at this level.")
@click.option("--target", metavar="TARGET", help="Build for this. [default: llvm]")
@click.option(
    "--debug-executor", is_flag=True,
    help="Read what the kernels of the model as it is compute; what is inside one is left out.",
)  # fmt: skip
@_of_model
@_bind
def tap_command(session: Session, **arguments: Any) -> Outcome:
    """Read the values of any intermediates.

    Each SELECTOR is one of the spec language: %42, a source name, a glob over source names,
    'op nn.dense'. Values are those of a build at --opt (3, or as the spec says) in which they are
    outputs, so a value that TVM fuses into the next op is materialised.
    """
    from surgery.cli.tap import tap

    return tap(session, **arguments)


@_command(name="bisect")
@click.argument("a", callback=_not_blank)
@click.argument("b", required=False)
@click.option(
    "--inputs", type=_PATH, metavar="X.npz|FOLDER",
    help="Named arrays; of many items the one whose outputs differ most counts.",
)  # fmt: skip
@_data
@click.option("--seed", type=int, help="Make random inputs from this seed. [default: 0]")
@_of_two
@click.option("--rtol", type=float, callback=_tolerance, help="Relative tolerance.")
@click.option("--atol", type=float, callback=_tolerance, help="Absolute tolerance.")
@click.option(
    "--memory",
    metavar="SIZE",
    callback=_size,
    help="What the values that are held at a time may take. [default: 2G]",
)
@click.option(
    "--all",
    "complete",
    is_flag=True,
    help="Compare every value, also where the outputs agree.",
)
@click.option(
    "--reproducer",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the op that differs there, with its inputs and what it should give.",
)
@click.option("--force", is_flag=True, help="Write the reproducer into a folder with other files.")
@_allow_code
def bisect_command(session: Session, **arguments: Any) -> Outcome:
    """Find the first value at which two models, or two builds of one, differ.

    A and B are models, output folders or specs; A is what is expected. An output folder or spec
    alone is compared with its original, a model alone with itself built as --opt-b or --target-b
    say. Exit state 3 when a value differs.
    """
    from surgery.cli.bisect import bisect

    return bisect(session, **arguments)


@_command(name="import")
@click.argument("model", type=_FILE, callback=_not_blank)
@click.option(
    "-o", "--output", type=_PATH, metavar="MODEL.json", required=True, help="The file to write.",
)  # fmt: skip
@click.option(
    "--params", type=_PATH, metavar="FILE",
    help="Write the weights there: TVM's format, or .safetensors. [default: in the model]",
)  # fmt: skip
@click.option("--weights", type=_FILE, metavar="FILE", help="Weights to read, of a TVM model.")
@_bind
@_no_cache
@click.option(
    "--allow-code", is_flag=True, help="Run code that the model's file brings: a Keras Lambda."
)
def import_command(session: Session, **arguments: Any) -> Outcome:
    """Write a model of any kind as TVM JSON and weights.

    MODEL is ONNX, a frozen TensorFlow graph or SavedModel, Keras, PyTorch, TFLite, Relay text or
    TVM JSON. Each framework is an extra: pip install 'surgery[onnx]'.
    """
    from surgery.cli.importing import import_model

    return import_model(session, **arguments)


@_command(name="reduce")
@click.argument("source", metavar="MODEL|SPEC", callback=_not_blank)
@click.option(
    "--check", metavar="CMD",
    help="The command, for the shell: {model}, {params}, {inputs} and, of a spec, {spec} are paths."
    " [default for a spec: surgery apply {spec}]",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="OUT", required=True,
    help="The folder to write.",
)  # fmt: skip
@click.option("--params", type=_FILE, metavar="FILE", help="The model's weights.")
@click.option(
    "--set", "variables", metavar="NAME=VALUE", multiple=True, callback=_variables,
    help="A variable of the spec. May be repeated.",
)  # fmt: skip
@click.option("--inputs", type=_PATH, metavar="X.npz", help="Named arrays of the whole model.")
@click.option("--seed", type=int, help="Make random inputs from this seed. [default: 0]")
@click.option(
    "--match", "pattern", metavar="REGEX",
    help="It fails when its output holds this, whatever its exit state.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
    help="What one run may take; if the whole model takes longer, that is the failure.",
)  # fmt: skip
@click.option("--max-runs", type=click.IntRange(1), metavar="N", help="Stop after N runs.")
@click.option(
    "--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
    help="Stop after this time.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a folder that surgery did not write.")
@_bind
@_no_cache
def reduce_command(session: Session, **arguments: Any) -> Outcome:
    """Shrink a model to the smallest that still fails a command.

    The command fails when it ends in the same state, with the same first Sxxx in its output, as on
    the whole model; --match looks for something else. What is left: OUT/module.json, its weights,
    inputs.npz where the command takes {inputs}, the spec with the smaller model.
    """
    from surgery.cli.reduce import reduce

    return reduce(session, **arguments)


@_command(name="explain")
@click.argument("code", required=False)
def explain_command(session: Session, **arguments: Any) -> Outcome:
    """Explain a diagnostic's code; without one, list all codes."""
    from surgery.cli.reference import explain

    return explain(session, **arguments)


@_command(name="schema")
@click.argument("what", type=click.Choice(["spec", "recipe"]), default="spec")
def schema_command(session: Session, **arguments: Any) -> Outcome:
    """Print the JSON schema of YAML specs or recipes."""
    from surgery.cli.reference import schema

    return schema(session, **arguments)

"""What reports say about a plan, as data: shared by the terminal and HTML so that both agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from surgery.graph import Graph, Ref, Resolved, ValueType
from surgery.planning import kernel_signature
from surgery.planning.model import Plan, Region, Rejected, Stage
from surgery.planning.reasons import by_reason, name_globs, without_values
from surgery.report.text import embedded, human_bytes, name_list, nbytes, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One output of the operated model against the original, ready to show.

    Attributes:
        name: The output.
        passed: Whether it is within tolerance.
        cells: Measurements by title (``max abs``, ``mismatches``), in the order to show.
        note: A remark, or ``''``.
    """

    name: str
    passed: bool
    cells: Mapping[str, str]
    note: str = ""


def value_line(graph: Graph, ref: Ref) -> tuple[str, str]:
    """Return a value as one line, and the name it had in its source framework (or ``''``)."""
    kind = graph.kinds[ref.node]
    name = graph.names[ref.node] or ""
    if not ref.path:
        return graph.describe(ref.node), "" if kind in ("input", "param", "local", "let") else name
    whole = graph.describe(ref.node).split(" = ", 1)[1].rsplit(": ", 1)[0]
    suffix = "".join(f".{i}" for i in ref.path)
    return f"{graph.label(ref)} = {whole}{suffix}: {graph.type_of(ref)}", name


def resolved_line(plan: Plan, resolved: Resolved) -> tuple[str, str]:
    """Return what a selector picked as one line, and its source name (or ``''``)."""
    return value_line(plan.module.functions[resolved.function], resolved.ref)


def size_of(type_: ValueType) -> str:
    """Return a type's size for people; ``?`` when it isn't static."""
    return human_bytes(nbytes(type_))


def stage_list(stages: tuple[int, ...]) -> str:
    """Return ``1`` or ``1, 3``."""
    return ", ".join(map(str, stages))


def crossing_rows(plan: Plan, uses: int | None) -> list[tuple[str, ...]]:
    """Return a row a crossing value: name, value, type, size, from, to, used by.

    Args:
        uses: How many users to name at most; ``None`` for all.
    """
    graph = plan.module.main
    return [
        (
            c.name,
            graph.label(c.ref),
            str(c.type),
            size_of(c.type),
            f"{c.source} -> {stage_list(c.targets)}",
            name_list([graph.label(u) for u in c.uses], uses),
        )
        for c in plan.crossings
    ]


def stage_rows(plan: Plan, names: int | None) -> list[tuple[str, ...]]:
    """Return a row a stage: name, ops, recomputed ops, weights, their size, inputs, outputs,
    target, executor.

    Args:
        names: How many inputs and outputs to name at most; ``None`` for all.
    """
    return [
        (
            stage.name,
            str(stage.op_count),
            str(len(stage.recomputed)),
            str(len(stage.params)),
            human_bytes(stage.param_bytes),
            name_list([i.name for i in stage.inputs], names),
            name_list([o.name for o in stage.outputs], names, room=200),
            f"{stage.target} opt {stage.opt_level}"
            + ("" if stage.threads is None else f" threads {stage.threads}"),
            executor(stage),
        )
        for stage in plan.stages
    ]


def executor(stage: Stage) -> str:
    """Return the executor and, when it isn't what was asked for, why."""
    return stage.executor + (f" ({stage.executor_reason})" if stage.executor_reason else "")


def output_rows(plan: Plan) -> list[tuple[str, ...]]:
    """Return a row a public output: its place, name, value, type, size, stage, what is new."""
    graph = plan.module.main
    # The stage that names the value as public output; a value that two names share has one place.
    made = {(o.name, o.ref): s.index for s in plan.stages for o in s.outputs if o.public}
    by_ref = {o.ref: s.index for s in plan.stages for o in s.outputs if o.public}
    seen: dict[int, str] = {}
    rows: list[tuple[str, ...]] = []
    for place, out in enumerate(plan.outputs):
        twin = seen.setdefault(out.index, out.name)
        state = "added" if out.added else "kept"
        if twin != out.name:
            state += f", same value as {twin}"
        stage = made.get((out.name, out.ref), by_ref.get(out.ref))
        rows.append(
            (
                str(place),
                out.name,
                graph.label(out.ref),
                str(out.type),
                size_of(out.type),
                "" if stage is None else str(stage),
                state,
            )
        )
    return rows


def region_counts(plan: Plan) -> list[tuple[str, ...]]:
    """Return a row a kind of region: how many, pattern, backend, stages, embedded constants."""
    kinds: dict[tuple[str, str], list[Region]] = {}
    for region in plan.regions:
        kinds.setdefault((region_shape(region), region.backend), []).append(region)
    return [
        (
            str(len(regions)),
            pattern,
            backend,
            stage_list(tuple(sorted({r.stage for r in regions}))),
            str(sum(c.embedded for r in regions for c in r.constants)),
        )
        for (pattern, backend), regions in kinds.items()
    ]


#: How sites that overlap are chosen from, for the reader of a plan in which some do.
OVERLAP_RULE = (
    "of sites that overlap one is taken: what `prefer` says, else the one with more ops, else the "
    "earlier in the model, else the earlier statement"
)


def overlap_rule(plan: Plan) -> str:
    """Return the rule for overlapping sites if the plan had to apply it, else ''."""
    return OVERLAP_RULE if any(r.reason.startswith("it overlaps") for r in plan.rejected) else ""


def region_shape(region: Region) -> str:
    """Return TVM's name of a region's shape; of a merged one, how often it holds which."""
    if len(region.composites) < 2:
        return region.pattern
    counts = Counter(c.pattern for c in region.composites)
    parts = [f"{n} x {p}" if n > 1 else p for p, n in counts.items()]
    return f"{plural(len(region.composites), 'kernel call')}: {name_list(parts, 4)}"


def region_place(plan: Plan, region: Region) -> str:
    """Return where a region ends: its last op's value, with its source name if it has one."""
    graph = plan.module.functions[region.function]
    last = max((i for i in region.nodes if graph.kinds[i] == "call"), default=region.nodes[-1])
    name = graph.names[last]
    return graph.label(last) + (f"  [{name}]" if name else "")


def alike_regions(plan: Plan) -> list[list[Region]]:
    """Group regions of a stage that differ only in where they are, each group at its first one.

    Regions of one group call the same kernels, and what is said of one holds of all.
    """
    groups: dict[tuple[object, ...], list[Region]] = {}
    for region in plan.regions:
        key = (
            region.stage,
            region.function,
            region.backend,
            tuple(c.kernel for c in region.composites) or region.pattern,
            tuple(str(a.type) for a in region.arguments),
            tuple(map(str, region.output_types)),
            tuple(map(without_values, region_remarks(plan, region, names=False))),
        )
        groups.setdefault(key, []).append(region)
    return list(groups.values())


def region_kernels(plan: Plan, region: Region) -> list[str]:
    """Return the kernel calls of a region in the order they run, each as one line.

    A call says what it passes: arguments by name, with the value where that isn't called so,
    constants by name, results of earlier calls by value.
    """
    graph = plan.module.functions[region.function]
    lines = []
    for composite in region.composites:
        passed = []
        for operand in composite.operands:
            match operand.source:
                case ("argument", at):
                    argument = region.arguments[at]
                    label = graph.label(argument.ref)
                    known = label.removeprefix("%") == argument.name
                    passed.append(argument.name if known else f"{argument.name}={label}")
                case ("constant", at):
                    value = graph.scalar(region.constants[at].node)
                    passed.append(region.constants[at].name + (f"={value}" if value else ""))
                case ("composite", at, output):
                    passed.append(graph.label(region.composites[at].outputs[output]))
        results = ", ".join(graph.label(r) for r in composite.outputs)
        lines.append(
            f"{results} = {kernel_signature(composite)}"
            + (f" with {', '.join(passed)}" if passed else "")
        )
    return lines


def region_ops(plan: Plan, region: Region) -> list[str]:
    """Return the region's values, each as one line."""
    graph = plan.module.functions[region.function]
    return [graph.describe(i) for i in region.nodes if graph.kinds[i] == "call"]


def region_remarks(plan: Plan, region: Region, *, names: bool = True) -> list[str]:
    """Return what else is worth saying of a region: constants, captures, notes.

    Args:
        names: Whether to say how constants are called.
    """
    graph = plan.module.functions[region.function]
    remarks = [text] if (text := embedded(graph, region, names=names)) else []
    if region.function != "main":
        # One region changes every call.
        calls = plan.module.call_counts.get(f"@{region.function}", 0)
        remarks.append(f"@{region.function} is called {plural(calls, 'time')}")
    own: set[str] = set()
    if not region.composites:
        for name, nodes in region.captures.items():
            remarks.append(f"{name} = {', '.join(graph.label(n) for n in nodes)}")
    for composite in region.composites:
        # Of several kernel calls each remark says whose it is: it ends at that value.
        whose = f"{graph.label(composite.outputs[0])}: " if len(region.composites) > 1 else ""
        for name, nodes in composite.captures.items():
            remarks.append(f"{whose}{name} = {', '.join(graph.label(n) for n in nodes)}")
        remarks += [f"{whose}{note}" for note in composite.notes]
        own.update(composite.notes)
    remarks += [note for note in region.notes if note not in own]
    return remarks


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """Sites of one statement that weren't taken for one reason.

    Attributes:
        reason: The reason, with the values of the first site.
        place: The first site: its last op as a line, with its source name.
        matched: What of the first site fits.
        others: The other sites' last ops.
        names: Their source names and the first one's, numbers that differ as ``*``; empty when
            ``place`` says it.
    """

    reason: str
    place: str
    matched: str
    others: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def count(self) -> int:
        return 1 + len(self.others)


def sites_line(plan: Plan, index: int) -> str:
    """Return what an offload statement takes: ``2 of 3 sites, in 1 region``; else ''."""
    if not plan.statements[index].offload:
        return ""
    count = plan.count_sites(index)
    every = count.taken + count.rejected + count.kept_out
    text = f"{count.taken} of {plural(every, 'site')}"
    return text + (f", in {plural(count.regions, 'region')}" if count.regions else "")


def rejected_groups(plan: Plan, excluded: bool) -> list[tuple[str, list[NotTaken]]]:
    """Return sites that weren't taken: a heading for each statement, and the sites by reason.

    Args:
        excluded: Whole sites that another site or a statement keeps out; otherwise near-misses.
    """
    by_statement: dict[int, list[Rejected]] = {}
    for site in plan.rejected:
        if site.excluded == excluded:
            by_statement.setdefault(site.statement, []).append(site)
    found = []
    for index, sites in sorted(by_statement.items()):
        text = plan.statements[index].text if index < len(plan.statements) else ""
        if sites[0].distant:
            said = f"nothing comes near; the closest, in {plural(len(sites), 'place')}"
        else:
            said = f"{plural(len(sites), 'site')} {'kept out' if excluded else 'rejected'}"
        found.append((f"{text}: {said}", [_not_taken(plan, group) for group in by_reason(sites)]))
    return found


def _not_taken(plan: Plan, sites: Sequence[Rejected]) -> NotTaken:
    first, *others = sites
    graphs = plan.module.functions
    line, name = value_line(graphs[first.function], Ref(first.node))
    names = [graphs[s.function].names[s.node] or "" for s in sites]
    return NotTaken(
        reason=first.reason,
        place=f"{line}  [{name}]" if name else line,
        matched=", ".join(graphs[first.function].label(n) for n in first.matched),
        others=tuple(graphs[s.function].label(s.node) for s in others),
        names=tuple(name_globs(n for n in names if n)) if others else (),
    )


def option(value: object) -> str:
    """Return an option's value as a spec would write it."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            return f"({', '.join(option(v) for v in value)})"
        case None:
            return "none"
        case _:
            return str(value)


def build_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return the build options and backends as title and text."""
    build = plan.build
    rows = [
        ("target", build.target),
        ("opt level", str(build.opt_level)),
        ("executor", build.executor),
        ("format", build.format),
    ]
    rows += [(f"config {key}", option(value)) for key, value in build.config]
    if build.disable:
        rows.append(("disabled passes", ", ".join(build.disable)))
    for backend in plan.backends:
        text = f"via {backend.kind}"
        text += f" {backend.source}" if backend.source else ""
        text += f", library {backend.library}" if backend.library else ""
        text += "".join(f", {k}={option(v)}" for k, v in backend.options)
        if backend.implicit:
            text += " (no backend statement: built as a TVM function of its own)"
        rows.append((f"backend {backend.name}", text))
    if plan.prepare:
        names = [n + (f"({', '.join(map(option, a))})" if a else "") for n, a in plan.prepare]
        rows.append(("prepare", ", ".join(names)))
    if plan.bind_params:
        rows.append(("bound weights", f"{len(plan.bind_params)}"))
    rows += [(f"bind {name}", str(type_)) for name, type_ in plan.bind_inputs.items()]
    return rows

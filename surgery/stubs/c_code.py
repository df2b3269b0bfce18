"""The C header and the skeleton of its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from surgery.graph import AttrValue
from surgery.stubs.kernels import Kernel, Parameter, Step
from surgery.stubs.names import c_literal, c_type, comment, identifier, unique_identifier

#: What a header says that may be made again: any other is its author's.
GENERATED = "Made by `surgery stub`"
#: Calls of a kernel that its comment lists; of more, the rest is counted.
_SITES_SHOWN = 12


def header(backend: str, model: str, kernels: Sequence[Kernel], name: str) -> str:
    """Return the header: one documented prototype a kernel, its numbers as macros.

    Args:
        model: The model's file name, for the comment.
        name: The header's own file name.
    """
    guard = f"{identifier(name).upper()}_"
    macros: set[str] = set()  # of the whole file: symbols may differ in case only
    body = [line for kernel in kernels for line in ("", *_declaration(kernel, macros))]
    needs_math = any("INFINITY" in line or "NAN" in line for line in body)
    lines = [
        f"/* {comment(name)}: kernels of backend {comment(backend)} for {comment(model)}.",
        " *",
        f" * {GENERATED}, and made again by each run of it: don't edit.",
        " *",
        " * Every kernel takes pointers to dense row-major data: the runtime operands, then the",
        " * constants (those inside a region too), then the outputs, which it writes. A scalar is",
        " * a pointer to one element. It returns 0; anything else is an error of its name at run",
        " * time.",
        " * Buffers are the caller's and don't overlap. A parameter that says `inplace` may be",
        " * overwritten: nobody reads it afterwards.",
        " * bool is one byte; float16 and bfloat16 are passed as their 16 bits.",
        " */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *(["#include <math.h>"] if needs_math else []),
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        *body,
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        f"#endif /* {guard} */",
    ]
    return "\n".join(lines) + "\n"


def skeleton(backend: str, kernels: Sequence[Kernel], header_name: str, name: str) -> str:
    """Return a source that compiles, whose kernels report that they aren't filled in."""
    lines = [
        f"/* {comment(name)}: kernels of backend {comment(backend)}, begun by `surgery stub`.",
        " *",
        " * Fill in the bodies; the header says what each computes. `surgery stub` leaves this",
        " * file alone once it is there: --append adds the kernels that it lacks, --force replaces",
        " * it.",
        " */",
        f'#include "{header_name}"',
    ]
    for kernel in kernels:
        lines += ["", *definition(kernel)]
    return "\n".join(lines) + "\n"


def definition(kernel: Kernel) -> list[str]:
    """Return the lines of a kernel that reports that it isn't filled in."""
    return [
        f"/* {_formula(kernel)} */",
        *_prototype(kernel, ""),
        "{",
        *(f"    (void){p.name};" for p in kernel.parameters),
        "    return 1; /* not filled in */",
        "}",
    ]


def _formula(kernel: Kernel) -> str:
    return comment(f"{'>'.join(step.op for step in kernel.steps)} to {kernel.composite}")


def _declaration(kernel: Kernel, macros: set[str]) -> Iterator[str]:
    yield f"/* {kernel.symbol}: {_formula(kernel)}"
    yield " *"
    for step in kernel.steps:
        yield f" *   {_step(step)}"
    for output, result in zip(kernel.outputs, kernel.results, strict=True):
        yield f" *   {output.name} = {comment(result)}"
    yield " *"
    calls = len(kernel.sites)
    yield f" * Called {'once' if calls == 1 else f'{calls} times'}:"
    for site in kernel.sites[:_SITES_SHOWN]:
        named = f"  {site.source_name}" if site.source_name else ""
        values = f" ({', '.join(site.constants)})" if site.constants else ""
        yield f" *   {comment(f'{site.region}, stage {site.stage}: {site.value}{named}{values}')}"
    if calls > _SITES_SHOWN:
        yield f" *   and {calls - _SITES_SHOWN} more"
    yield " */"
    yield from _macros(kernel, macros)
    yield from _prototype(kernel, ";")


def _step(step: Step) -> str:
    attrs = ", ".join(f"{k}={v}" for k, v in step.attrs.items() if v is not None and v != "")
    braces = f" {{{attrs}}}" if attrs else ""
    return comment(f"{step.result} = {step.op}({step.operands}){braces}: {step.type}")


def _macros(kernel: Kernel, used: set[str]) -> Iterator[str]:
    """Yield the kernel's numbers: shapes by parameter, attributes by op."""
    stem = kernel.symbol.upper()

    def define(name: str, value: str) -> str:
        return f"#define {unique_identifier(f'{stem}_{identifier(name).upper()}', used)} {value}"

    for parameter in kernel.parameters:
        size = 1
        for axis, extent in enumerate(parameter.type.shape):
            size *= int(extent)
            yield define(f"{parameter.name}_dim{axis}", str(extent))
        yield define(f"{parameter.name}_size", c_literal(size))
    counts: dict[str, int] = {}
    for step in kernel.steps:
        short = step.op.rsplit(".", 1)[-1]
        counts[short] = counts.get(short, 0) + 1
        prefix = short if counts[short] == 1 else f"{short}{counts[short]}"
        for name, literal in _flat(prefix, step.attrs):
            yield define(name, literal)


def _flat(prefix: str, attrs: Mapping[str, AttrValue]) -> Iterator[tuple[str, str]]:
    """Yield each attribute as a name and a C literal; of a tuple, one entry an element."""
    stack: list[tuple[str, AttrValue]] = [(f"{prefix}_{k}", v) for k, v in attrs.items()]
    stack.reverse()
    while stack:
        name, value = stack.pop()
        if isinstance(value, tuple):
            stack += [(f"{name}_{i}", v) for i, v in reversed(list(enumerate(value)))]
        elif literal := c_literal(value):
            yield name, literal


def _prototype(kernel: Kernel, end: str) -> Iterator[str]:
    yield f"int32_t {kernel.symbol}("
    last = len(kernel.parameters) - 1
    for index, parameter in enumerate(kernel.parameters):
        const = "" if parameter.role == "output" or parameter.inplace else "const "
        text = f"    {const}{c_type(parameter.type)} *{parameter.name}"
        yield f"{text}{')' + end if index == last else ','} /* {_note(parameter)} */"


def _note(parameter: Parameter) -> str:
    value = f" {parameter.value}" if parameter.value else ""
    inplace = ", inplace" if parameter.inplace else ""
    return comment(f"{parameter.type}, {parameter.role}{value}{inplace}")

"""The skeleton of a ``lowerings.py``: one Python function a composite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surgery.stubs.kernels import Kernel
from surgery.stubs.names import python_name


def lowerings(backend: str, model: str, kernels: Sequence[Kernel]) -> str:
    """Return a module whose functions say what to return, and raise until they are filled in."""
    lines = [
        f'"""Lowerings of backend {_doc(backend)} for {_doc(model)}, begun by `surgery stub`.',
        "",
        "One function a composite. ``call`` is the composite's Relay call: ``call.op.body`` holds",
        "its ops with their attributes. ``inputs`` is one ``te.Tensor`` an operand: runtime",
        "values, then constants. Return a ``te.Tensor``, or a list of them: one an output.",
        "`surgery stub` leaves this file alone once it is there (--append adds functions that it",
        "lacks, --force replaces it).",
        '"""',
        "",
        "from tvm import te, topi  # noqa: F401",
    ]
    for lines_of in functions(kernels).values():
        lines += ["", "", *lines_of]
    return "\n".join(lines) + "\n"


def functions(kernels: Sequence[Kernel]) -> dict[str, list[str]]:
    """Return the lines of each function of a backend's lowerings, by its name."""
    groups: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        groups.setdefault(python_name(kernel.short), []).append(kernel)
    return {name: _function(name, group) for name, group in groups.items()}


def _function(name: str, group: Sequence[Kernel]) -> list[str]:
    lines = [f"def {name}(call, inputs):", *_docstring(group)]
    names = ", ".join(p.name for p in group[0].inputs)
    if names:
        comma = "," if len(group[0].inputs) == 1 else ""
        lines.append(f"    {names}{comma} = inputs")
    # The user's own part: a lowering that isn't filled in must fail, not compute something.
    lines.append(f'    raise NotImplementedError("{name}: return its te.Tensor")')
    return lines


def _docstring(group: Sequence[Kernel]) -> Iterator[str]:
    many = "once" if len(group) == 1 else f"for {len(group)} sets of types or attributes"
    yield f'    """Compute ``{_doc(group[0].composite)}``; lowered {many}.'
    for kernel in group:
        yield ""
        yield f"    {kernel.symbol}, {_calls(len(kernel.sites))}:"
        for index, p in enumerate(kernel.inputs):
            value = f" {p.value}" if p.value else ""
            yield _doc(f"        inputs[{index}] {p.name}: {p.type}, {p.role}{value}")
        for step in kernel.steps:
            attrs = ", ".join(f"{k}={v}" for k, v in step.attrs.items() if v not in (None, ""))
            braces = f" {{{attrs}}}" if attrs else ""
            yield _doc(f"        {step.result} = {step.op}({step.operands}){braces}: {step.type}")
        yield _doc(f"        returns {', '.join(kernel.results)}")
    yield '    """'


def _calls(count: int) -> str:
    return "called once" if count == 1 else f"called {count} times"


def _doc(text: str) -> str:
    """Return text that can stand in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''").replace("\n", " ").rstrip('"')

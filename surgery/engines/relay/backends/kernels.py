"""C kernels: what their calls pass, and programs by which a compiler says whether they take it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from surgery.engines.relay.backends.region import RegionCode, Tensor

#: C types of elements; ``void`` where C has several for one.
C_TYPES: Mapping[str, str] = {
    "float32": "float", "float64": "double", "bool": "void", "float16": "void", "bfloat16": "void",
    **{f"{u}int{b}": f"{u}int{b}_t" for u in ("", "u") for b in (8, 16, 32, 64)},
}  # fmt: skip
#: Element types that no kernel can mean where C has several for one: their size is another. Bytes
#: may be any element's.
_LARGER = ("int32_t", "uint32_t", "int64_t", "uint64_t", "long long", "float", "double")
_WRONG: Mapping[str, tuple[str, ...]] = {
    "bool": ("int16_t", "uint16_t", *_LARGER), "float16": _LARGER, "bfloat16": _LARGER,
}  # fmt: skip
_BYTES = {"bool": 1, "float16": 2, "bfloat16": 2}
_CXX_SOURCES = (".cc", ".cpp", ".cxx", ".c++", ".C")
_CXX_HEADERS = (".hh", ".hpp", ".hxx")
#: Stands for a pointer to elements of a size, whatever C++ type they have.
_ANY_POINTER = """\
#include <type_traits>
template <unsigned N> struct surgery_pointer { operator void *() const; template <class T, \
class = typename std::enable_if<sizeof(T) == N>::type> operator T *() const; };"""


def is_header(path: str) -> bool:
    """Return whether a file only declares its kernels."""
    return PurePath(path).suffix in (".h", *_CXX_HEADERS)


def is_cxx(path: str) -> bool:
    """Return whether a file is C++ by its name."""
    return PurePath(path).suffix in (*_CXX_SOURCES, *_CXX_HEADERS)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A C function that regions call."""

    symbol: str
    operands: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]

    @property
    def types(self) -> tuple[Tensor, ...]:
        """What is passed: operands, then outputs."""
        return (*self.operands, *self.outputs)

    @property
    def prototype(self) -> str:
        """The function as C declares it."""
        return f"int32_t {self.symbol}({', '.join(self.pointers())})"

    def pointers(self) -> list[str]:
        """Return the C types of its parameters."""
        return [
            f"{'const ' if i < len(self.operands) else ''}{C_TYPES.get(t.dtype, 'void')} *"
            for i, t in enumerate(self.types)
        ]


def kernels_of(regions: Sequence[RegionCode]) -> list[Kernel]:
    """Return the kernels that regions call, each once, by symbol."""
    found = {s.kernel: Kernel(s.kernel, s.operand_types, s.output_types)
             for r in regions for s in r.steps}  # fmt: skip
    return [found[k] for k in sorted(found)]


@dataclass(frozen=True, slots=True)
class _Probe:
    """A call whose argument has a type that a kernel should refuse.

    Attributes:
        element: The argument's element type; '' for one that only ``void *`` takes.
    """

    kernel: int
    argument: int
    element: str


class Calls:
    """A program that calls each kernel with what regions pass.

    Args:
        kernels: The kernels.
        source: The file that declares or defines them.

    Attributes:
        text: The program.
        cxx: Whether it is C++.
    """

    def __init__(self, kernels: Sequence[Kernel], source: str) -> None:
        self.cxx = is_cxx(source)
        self._kernels = kernels
        head = ["#include <stdint.h>", f'#include "{source}"']
        head += _ANY_POINTER.splitlines() if self.cxx else ["struct surgery_never;"]
        self._first = len(head) + 1
        self._probes = [] if self.cxx else list(_probes(kernels))
        types = [[_cxx_pointer(t) for t in k.types] if self.cxx else k.pointers() for k in kernels]
        lines = [_call(i, k, types[i]) for i, k in enumerate(kernels)]
        for number, probe in enumerate(self._probes, len(kernels)):
            given = list(types[probe.kernel])
            given[probe.argument] = f"{probe.element or 'struct surgery_never'} *"
            lines.append(_call(number, kernels[probe.kernel], given))
        self.text = "\n".join([*head, *lines]) + "\n"

    def at(self, line: int) -> int | None:
        """Return what a line of the program calls: a kernel's index, or -1 for a probe."""
        at = line - self._first
        if not 0 <= at < len(self._kernels) + len(self._probes):
            return None
        return at if at < len(self._kernels) else -1

    def misread(self, refused: Collection[int]) -> dict[int, str]:
        """Return kernels that take pointers to elements of another size, and what is wrong.

        Args:
            refused: The lines of the program that the compiler refuses.
        """
        taken = [
            p for n, p in enumerate(self._probes, self._first + len(self._kernels))
            if n not in refused
        ]  # fmt: skip
        untyped = {(p.kernel, p.argument) for p in taken if not p.element}
        found: dict[int, str] = {}
        for probe in taken:
            if (probe.kernel, probe.argument) not in untyped:
                type_ = self._kernels[probe.kernel].types[probe.argument]
                found.setdefault(
                    probe.kernel,
                    f"argument {probe.argument + 1} is a pointer to {probe.element}; "
                    f"{type_.dtype} has {_BYTES[type_.dtype] * 8} bits",
                )
        return found


def _probes(kernels: Sequence[Kernel]) -> Iterator[_Probe]:
    for number, kernel in enumerate(kernels):
        for argument, type_ in enumerate(kernel.types):
            for element in ("", *_WRONG[type_.dtype]) if type_.dtype in _WRONG else ():
                yield _Probe(number, argument, element)


def _cxx_pointer(type_: Tensor) -> str:
    size = _BYTES.get(type_.dtype)
    # Not const: a kernel may take an operand that it is allowed to overwrite.
    return f"{C_TYPES[type_.dtype]} *" if size is None else f"surgery_pointer<{size}> "


def _call(number: int, kernel: Kernel, types: Sequence[str]) -> str:
    given = ", ".join(f"{t}a{i}" for i, t in enumerate(types))
    passed = ", ".join(f"a{i}" for i in range(len(types)))
    return f"int32_t surgery_call_{number}({given}) {{ return {kernel.symbol}({passed}); }}"

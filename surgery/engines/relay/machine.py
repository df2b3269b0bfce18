"""What a target's code runs on, whether this machine does, and what compiles and links for it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache

from surgery.diagnostics import error
from surgery.engines.relay.target import parsed_target
from surgery.engines.relay.tvm_import import tvm as load_tvm

tvm = load_tvm()

#: Features of a processor that code can't run without, among the names LLVM has for them.
_INSTRUCTIONS = re.compile(
    r"(avx|sse|ssse|fma|bmi|f16c|amx|aes|sha|vaes|vpclmul|popcnt|adx|gfni|xop|tbm|movbe|lzcnt|"
    r"neon|sve|sme|dotprod|fullfp16|bf16|i8mm|lse|crypto)"
)
#: Operating systems that triples name, as far as their libraries differ.
_SYSTEMS = ("linux", "darwin", "macos", "windows", "freebsd", "wasi", "android")
_ARCHITECTURES = {"arm64": "aarch64", "amd64": "x86_64", "x86-64": "x86_64"}


def unrunnable(text: str) -> str:
    """Return why this machine can't run the code for a target, or ''.

    Raises:
        SurgeryError: S410.
    """
    target = parsed_target(text)
    kind = str(target.kind.name)
    if kind not in ("llvm", "c"):
        return f"It is code for {kind}."
    elsewhere = foreign_triple(text)
    if elsewhere:
        return f"It is code for {elsewhere}; this machine is {here()}."
    if kind == "c":
        return ""
    features = tvm.get_global_func("target.llvm_get_cpu_features")
    system = str(tvm.get_global_func("target.llvm_get_system_cpu")())
    mine = set(map(str, features(tvm.target.Target(f"llvm -mcpu={system}"))))
    lacking = sorted(f for f in set(map(str, features(target))) - mine if _INSTRUCTIONS.match(f))
    return f"This processor has no {', '.join(lacking[:4])}." if lacking else ""


def here() -> str:
    """Return this machine's triple, as LLVM names it."""
    return str(tvm.get_global_func("target.llvm_get_system_triple")())


def foreign_triple(text: str) -> str:
    """Return the triple of a target whose object code this machine can't even load, or ''."""
    target = parsed_target(text)
    triple = str(target.attrs.get("mtriple", "") or "")
    if not triple or _machine(triple) == _machine(here()):
        return ""
    return triple


def _machine(triple: str) -> tuple[str, str]:
    """Return architecture and operating system of a triple."""
    parts = triple.lower().split("-")
    system = next((s for p in parts[1:] for s in _SYSTEMS if p.startswith(s)), "")
    if "android" in triple:
        system = "android"
    architecture = _ARCHITECTURES.get(parts[0], parts[0])
    return architecture, "darwin" if system == "macos" else system


def linker(text: str) -> tuple[str, ...]:
    """Return what links a shared library for a target; empty: TVM's own choice for this machine.

    Raises:
        SurgeryError: S424 there is none.
    """
    triple = foreign_triple(text)
    if not triple:
        return ()
    found = _cross_tool(triple, "CXX", ("g++", "gcc", "clang++", "clang"))
    if found:
        return found
    named = _names(triple)[0]
    raise error(
        "S424",
        f"nothing links a library for {triple} here",
        reason=f"There is no {named}-g++ on the PATH, and CXX names no compiler for it.",
        remedy="write `build format tar`: object code, which the other machine links; or install "
        "a cross compiler, or set CXX to one",
    )


def c_compiler(text: str) -> tuple[str, ...]:
    """Return what compiles C for a foreign target; empty: this machine's own compiler does.

    Raises:
        SurgeryError: S426 there is none.
    """
    triple = foreign_triple(text)
    if not triple:
        return ()
    found = _cross_tool(triple, "CC", ("gcc", "clang"))
    if found:
        return found
    named = _names(triple)[0]
    raise error(
        "S426",
        f"nothing compiles C for {triple} here",
        reason=f"A `via c` backend and the target c are compiled as C; there is no {named}-gcc on "
        "the PATH, and CC names no compiler for it.",
        remedy="install a cross compiler, set CC to one, or use `via te` or `via tvm`",
    )


def _cross_tool(triple: str, variable: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    candidates: list[tuple[str, ...]] = []
    named = os.environ.get(variable)
    if named:
        candidates.append(tuple(shlex.split(named)))
    candidates += [(f"{name}-{kind}",) for name in _names(triple) for kind in kinds]
    for candidate in candidates:
        if shutil.which(candidate[0]) and _machine(_makes_for(candidate)) == _machine(triple):
            return candidate
    return ()


@cache
def _makes_for(compiler: tuple[str, ...]) -> str:
    try:
        done = subprocess.run(
            [*compiler, "-dumpmachine"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _names(triple: str) -> list[str]:
    """Return how compilers for a triple may be called: as it is, and without its vendor."""
    return list(dict.fromkeys(_spellings(triple)))


def _spellings(triple: str) -> Iterator[str]:
    parts = triple.split("-")
    if len(parts) == 4:
        yield "-".join([parts[0], *parts[2:]])
    yield triple

"""The C and C++ compilers of this machine."""

from __future__ import annotations

import os
import shlex
import shutil

from surgery.diagnostics import error


def c_compiler() -> list[str]:
    """Return the command that compiles C: what CC says, or the first of the usual ones.

    Raises:
        SurgeryError: S414.
    """
    return _compiler("C", ("CC",), ("cc", "gcc", "clang"), "a `via c` backend is compiled with one")


def cxx_compiler() -> list[str]:
    """Return the command that links libraries: what CXX or CC says, or the first usual one.

    Raises:
        SurgeryError: S414.
    """
    usual = ("g++", "clang++", "c++", "gcc", "clang", "cc")
    return _compiler("C++", ("CXX", "CC"), usual, "TVM links each library with one")


def _compiler(
    language: str, variables: tuple[str, ...], usual: tuple[str, ...], why: str
) -> list[str]:
    for variable in variables:
        named = os.environ.get(variable, "")
        try:
            words = shlex.split(named)
        except ValueError:  # a quotation that doesn't end
            words = [named]
        if words and shutil.which(words[0]) is None:
            raise error(
                "S414",
                f"{variable} names the compiler {words[0]}, which is not there",
                reason=why,
                remedy=f"set {variable} to the path of a compiler, or unset it",
            )
        if words:
            return words
    for name in usual:
        if shutil.which(name):
            return [name]
    raise error(
        "S414",
        f"no {language} compiler was found",
        reason=why,
        remedy=f"install {usual[0]} or {usual[1]}, or set {' or '.join(variables)} to its path",
    )

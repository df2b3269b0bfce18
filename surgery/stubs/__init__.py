"""Skeletons of the kernels that a plan needs: a C header and source, or lowerings in Python."""

from surgery.stubs.files import StubFile, backends_of, default_language, stub_files, symbols_in
from surgery.stubs.kernels import Kernel, Language, Parameter, Site, kernels_of

__all__ = [
    "Kernel", "Language", "Parameter", "Site", "StubFile", "backends_of", "default_language",
    "kernels_of", "stub_files", "symbols_in",
]  # fmt: skip

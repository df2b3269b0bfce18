"""`--allow-code`, and how faults of backends look on a terminal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.ran import Surgery

DATA = Path(__file__).parent / "data"
SPEC = """model "net.relay"
backend bmlib { via KIND }
offload pattern add>softmax to bmlib
build opt 1
verify
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(DATA / "net.relay", tmp_path)
    (tmp_path / "net.surgery").write_text(SPEC.replace("KIND", 'te "low.py"'))
    (tmp_path / "low.py").write_text(
        "from tvm import topi\n\n\ndef add_softmax(call, inputs):\n"
        "    return topi.nn.softmax(topi.add(*inputs))\n"
    )
    return tmp_path


def test_lowerings_are_run_only_when_allowed(surgery: Surgery, folder: Path) -> None:
    planned = surgery("plan", "net.surgery")
    assert planned.status == 0
    assert "S241: backend bmlib runs Python code when a stage is built: low.py" in planned.out
    assert "--allow-code" in planned.out
    refused = surgery("apply", "net.surgery")
    assert refused.status == 1 and "error[S241]" in refused.err
    assert not (folder / "net.out").exists()
    assert surgery("apply", "net.surgery", "--allow-code").status == 0
    assert surgery("build", "net.out").status == 1
    assert surgery("build", "net.out", "--allow-code").status == 0
    assert surgery("verify", "net.out").status == 0


def test_a_compilers_message_in_the_users_file(surgery: Surgery, folder: Path) -> None:
    (folder / "net.surgery").write_text(SPEC.replace("KIND", 'c "lib.c"'))
    ran = surgery("apply", "net.surgery")
    assert ran.status == 5 and "error[S531]: lib.c does not exist" in ran.err
    assert '2 | backend bmlib { via c "lib.c" }' in ran.err
    (folder / "lib.c").write_text("int32_t f(void);\n")
    ran = surgery("apply", "net.surgery")
    assert ran.status == 4
    assert "error[S460]: lib.c doesn't compile\n  --> lib.c:1:1" in ran.err
    assert "why: unknown type name 'int32_t'" in ran.err

"""`surgery stub`: where the files go, what is kept, and that filling in is all it takes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.ran import Surgery

DATA = Path(__file__).parent / "data"
SPEC = """model "net.relay"
backend bmlib { via c "kernels/lib.c" }
offload pattern add>softmax to bmlib as biased
build target "llvm"
verify seed 0
"""
BODY = """{
    for (int row = 0; row < %(K)s_OUT0_DIM0; row++) {
        float sum = 0;
        for (int i = row * %(K)s_OUT0_DIM1; i < (row + 1) * %(K)s_OUT0_DIM1; i++)
            sum += out0[i] = expf(%(a)s[i] + %(b)s[i %% %(K)s_%(B)s_SIZE]);
        for (int i = row * %(K)s_OUT0_DIM1; i < (row + 1) * %(K)s_OUT0_DIM1; i++)
            out0[i] /= sum;
    }
    return 0;
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(DATA / "net.relay", tmp_path)
    (tmp_path / "net.surgery").write_text(SPEC)
    return tmp_path


def filled_in(text: str, parameters: list[str]) -> str:
    """Replace the one body of a skeleton by what the pattern computes."""
    head, _, _ = text.partition("{\n    (void)")
    first, second, _ = parameters
    body = BODY % {"K": "BMLIB_BIASED_K0", "a": first, "b": second, "B": second.upper()}
    return head.replace("#include", "#include <math.h>\n#include", 1) + body


def test_filling_in_the_skeleton_is_all_that_is_left(surgery: Surgery, folder: Path) -> None:
    made = surgery("stub", "net.surgery", "--json")
    assert made.status == 0, made.err
    source, header = folder / "kernels" / "lib.c", folder / "kernels" / "lib.h"
    assert [(f["path"], f["action"]) for f in made.json["files"]] == [
        ("kernels/lib.h", "written"), ("kernels/lib.c", "written"),
    ]  # fmt: skip
    (kernel,) = made.json["kernels"]
    assert (kernel["symbol"], kernel["composite"], kernel["calls"]) == (
        "bmlib_biased_k0", "bmlib.biased", 1,
    )  # fmt: skip
    names = [p["name"] for p in (*kernel["inputs"], *kernel["outputs"])]
    source.write_text(filled_in(source.read_text(), names))

    again = surgery("stub", "net.surgery")
    assert "kept kernels/lib.c" in again.out
    assert "it lacks" not in again.out
    assert "replaced kernels/lib.h" in again.out
    assert header.is_file()
    applied = surgery("apply", "net.surgery", "-o", "out")
    assert applied.status == 0, applied.err


def test_filling_in_a_lowering_is_all_that_is_left(surgery: Surgery, folder: Path) -> None:
    spec = SPEC.replace('c "kernels/lib.c"', 'te "lowerings.py"')
    (folder / "net.surgery").write_text(spec)
    assert surgery("stub", "net.surgery").status == 0
    file = folder / "lowerings.py"
    head, found, _ = file.read_text().partition("    raise NotImplementedError")
    assert found
    assert "lhs, rhs = inputs" in head
    file.write_text(head + "    return topi.nn.softmax(topi.add(lhs, rhs))\n")
    assert "it lacks" not in surgery("stub", "net.surgery").out
    applied = surgery("apply", "net.surgery", "-o", "out", "--allow-code")
    assert applied.status == 0, applied.err


def test_a_skeleton_as_it_stands_fails_when_it_runs(surgery: Surgery, folder: Path) -> None:
    assert surgery("stub", "net.surgery").status == 0
    ran = surgery("apply", "net.surgery", "-o", "out")
    assert ran.status != 0
    assert "bmlib_biased_k0" in ran.err
    assert "Traceback" not in ran.err


def test_what_a_kept_source_lacks_is_listed_and_force_replaces_it(
    surgery: Surgery, folder: Path
) -> None:
    source = folder / "kernels" / "lib.c"
    source.parent.mkdir()
    source.write_text("/* mine */\n")
    kept = surgery("stub", "net.surgery")
    assert "it lacks bmlib_biased_k0" in kept.out
    assert source.read_text() == "/* mine */\n"
    assert "replaced kernels/lib.c" in surgery("stub", "net.surgery", "--force").out
    assert "bmlib_biased_k0(" in source.read_text()


def test_append_adds_what_a_source_lacks_and_nothing_else(surgery: Surgery, folder: Path) -> None:
    assert surgery("stub", "net.surgery").status == 0
    source = folder / "kernels" / "lib.c"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n") + b"/* mine */")
    mine = source.read_bytes()
    again = surgery("stub", "net.surgery", "--append")
    assert again.status == 0 and "kept kernels/lib.c (--force replaces it)" in again.out
    assert source.read_bytes() == mine
    (folder / "net.surgery").write_text(SPEC + "offload pattern relu to bmlib as relu\n")
    kept = surgery("stub", "net.surgery")
    assert "kept kernels/lib.c (--append adds what it lacks)\n  it lacks bmlib_relu_k0" in kept.out
    ran = surgery("stub", "net.surgery", "--append")
    assert "appended kernels/lib.c\n  bmlib_relu_k0" in ran.out
    assert source.read_bytes().startswith(mine + b"\r\n")
    command = ["cc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
    subprocess.run(command, check=True)
    assert "it lacks" not in surgery("stub", "net.surgery").out
    assert surgery("stub", "net.surgery", "--append", "--force").status == 2


def test_append_adds_lowerings(surgery: Surgery, folder: Path) -> None:
    spec = SPEC.replace('c "kernels/lib.c"', 'te "lowerings.py"')
    (folder / "net.surgery").write_text(spec + "offload pattern relu to bmlib as softmax\n")
    file = folder / "lowerings.py"
    mine = "from tvm import topi\n\ndef biased(c, i):\n    return topi.nn.softmax(topi.add(*i))"
    file.write_text(mine)
    assert surgery("stub", "net.surgery", "--append").status == 0
    text = file.read_text()
    assert text.startswith(mine + "\n\n\ndef softmax(call, inputs):")
    file.write_text(text.partition("    raise")[0] + "    return topi.nn.relu(inputs[0])\n")
    assert surgery("apply", "net.surgery", "-o", "out", "--allow-code").status == 0


def test_a_header_of_somebody_else_is_kept(surgery: Surgery, folder: Path) -> None:
    spec = SPEC.replace('c "kernels/lib.c"', 'c "lib.h"; library "lib.so"')
    (folder / "net.surgery").write_text(spec)
    header = folder / "lib.h"
    header.write_text("int32_t bmlib_other_k0(void);\n")
    kept = surgery("stub", "net.surgery")
    assert "kept lib.h (--force replaces it)\n  it lacks bmlib_biased_k0" in kept.out
    assert header.read_text() == "int32_t bmlib_other_k0(void);\n"


def test_files_go_to_a_folder_and_the_language_can_be_chosen(
    surgery: Surgery, folder: Path
) -> None:
    assert surgery("stub", "net.surgery", "-o", "new", "--lang", "te").status == 0
    assert [p.name for p in (folder / "new").iterdir()] == ["lowerings.py"]
    assert "def biased(call, inputs):" in (folder / "new" / "lowerings.py").read_text()


def test_a_backend_without_files_is_told_how_to_use_them(surgery: Surgery, folder: Path) -> None:
    (folder / "net.surgery").write_text('model "net.relay"\noffload pattern add>softmax to lib\n')
    ran = surgery("stub", "net.surgery")
    assert 'backend lib { via c "lib.c" }' in ran.out
    assert (folder / "lib.c").is_file()


def test_a_folder_in_the_way_is_diagnosed(surgery: Surgery, folder: Path) -> None:
    (folder / "kernels" / "lib.c").mkdir(parents=True)
    ran = surgery("stub", "net.surgery")
    assert ran.status == 5
    assert "S561" in ran.err


def test_an_unknown_backend_is_diagnosed(surgery: Surgery, folder: Path) -> None:
    ran = surgery("stub", "net.surgery", "--backend", "bmlob")
    assert ran.status == 1
    assert "S259" in ran.err
    assert "bmlib" in ran.err

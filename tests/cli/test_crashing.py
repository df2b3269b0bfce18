"""Kernels that crash while they are compared: a diagnostic, and no folder left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

import surgery as package
from surgery.api import parse_spec
from surgery.diagnostics import SurgeryError
from tests.cli.ran import Surgery

NET = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4), float32]) {
  %0 = add(%x, %x);
  %1 = nn.relu(%0);
  add(%1, %x)
}
"""
SPEC = """\
backend harm { via c "harm.c" }
offload pattern relu to harm as relu
cut after %0
build
"""
KERNEL = """\
#include <stdint.h>
#include <stdlib.h>

int32_t harm_relu_k0(const float *data, float *output) {
    %s
    for (int i = 0; i < 4; i++) output[i] = data[i] > 0 ? data[i] : 0;
    return 0;
}
"""
GOOD = ""
CRASHES = {
    "SIGSEGV": "*(volatile float *volatile)NULL = data[0];",
    "SIGABRT": "abort();",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "net.relay").write_text(NET)
    (tmp_path / "net.surgery").write_text(f'model "net.relay"\n{SPEC}')
    return tmp_path


def kernel(place: Path, harm: str) -> None:
    (place / "harm.c").write_text(KERNEL % harm)


@pytest.mark.parametrize("by", CRASHES)
def test_apply_says_what_crashed_and_leaves_the_previous_folder(
    place: Path, by: str, surgery: Surgery
) -> None:
    kernel(place, GOOD)
    ran = surgery("apply", "net.surgery", "--verify")
    assert ran.status == 0, ran.err
    before = (place / "net.out" / "recipe.json").read_bytes()
    kernel(place, CRASHES[by])
    ran = surgery("apply", "net.surgery", "--verify")
    assert ran.status == 4, ran.err
    assert "error[S572]: stage 'stage1': its worker was lost" in ran.err
    assert (
        f"its process was killed by {by}: a kernel crashed, likely one of backend harm"
    ) in ran.err
    assert "--no-verify" in ran.err and "Traceback" not in ran.err
    assert (place / "net.out" / "recipe.json").read_bytes() == before
    assert sorted(p.name for p in place.iterdir()) == [
        "harm.c", "net.out", "net.relay", "net.surgery",
    ]  # fmt: skip


def test_verify_says_what_crashed(place: Path, surgery: Surgery) -> None:
    kernel(place, CRASHES["SIGSEGV"])
    assert surgery("apply", "net.surgery", "--no-verify").status == 0
    ran = surgery("verify", "net.out")
    assert ran.status == 4, ran.err
    assert "killed by SIGSEGV: a kernel crashed, likely one of backend harm" in ran.err
    # Where the values crash it, a run in processes says so too, and names the item.
    ran = surgery("run", "net.out", "--seed", "0", "--on", "processes")
    assert ran.status == 4, ran.err
    assert "item 0: stage 'stage1': its worker was lost" in ran.err


def test_a_library_that_crashes_when_it_is_loaded(place: Path) -> None:
    kernel(place, GOOD)
    with (place / "harm.c").open("a") as source:
        source.write("__attribute__((constructor)) static void early(void) { abort(); }\n")
    spec = parse_spec(SPEC)
    with pytest.raises(SurgeryError) as caught:
        package.apply(spec, place / "net.out", model=place / "net.relay", base=place, verify=True)
    (found,) = caught.value.diagnostics
    assert (found.code, caught.value.exit_status) == ("S573", 4)
    assert found.message == "the process of stage 'stage1' does not start"
    assert found.reason.startswith("its process was killed by SIGABRT: a kernel crashed")
    assert not (place / "net.out").exists()


def test_what_is_right_is_equal_from_processes_too(place: Path) -> None:
    kernel(place, GOOD)
    spec = parse_spec(SPEC)
    done = package.apply(
        spec, place / "net.out", model=place / "net.relay", base=place, verify=True
    )
    assert done.verification is not None
    assert done.verification.passed and done.verification.max_abs == 0
    assert package.verify(done.folder, seed=7).passed

"""Backends from a spec to a library: case 02 in every kind, files, permission, folders."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay

import surgery
from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.engines.shared_libraries import name_by_content
from tests.engines.relay.regions_by_hand import run_alone

MODEL = Path(__file__).parents[1] / "cases" / "data" / "02-te-target-wildcard-constants.relay"
KERNEL = "bmlib_conv_block_k0"
SPEC = """\
model "net.relay" params "net.params"
{bind}pattern conv_block = reshape>conv2d>add>batch_norm>relu
backend bmlib {{ {backend} }}
offload pattern conv_block to bmlib constants {constants}
build opt 1
"""
OPERANDS = "data bias weight gamma beta mean var"
C = f"""\
#include "bmlib.h"
#include <math.h>

int32_t {KERNEL}({", ".join(f"const float *{n}" for n in OPERANDS.split())}, float *output) {{
    for (int o = 0; o < 8; o++)
        for (int p = 0; p < 36; p++) {{
            float sum = bias[o];
            for (int c = 0; c < 8; c++) sum += weight[o * 8 + c] * data[c * 36 + p];
            sum = (sum - mean[o]) / sqrtf(var[o] + EPSILON) * gamma[o] + beta[o];
            output[o * 36 + p] = sum > 0 ? sum : 0;
        }}
    return 0;
}}
"""
H = f"""\
#include <stdint.h>
#define EPSILON 1e-5f
int32_t {KERNEL}({", ".join(f"const float *{n}" for n in OPERANDS.split())}, float *output);
"""
PY = """\
from tvm import topi

from norms import normalized


def conv_block(call, inputs):
    data, bias, weight, gamma, beta, mean, var = inputs
    conv = topi.nn.conv2d_nchw(data, weight, 1, 0, 1)
    summed = topi.add(topi.reshape(bias, (1, 8, 1, 1)), conv)
    return topi.nn.relu(normalized(summed, gamma, beta, mean, var))
"""
NORMS = """\
from tvm import tir, topi


def normalized(x, gamma, beta, mean, var):
    wide = lambda t: topi.reshape(t, (1, 8, 1, 1))
    scale = topi.divide(wide(gamma), topi.sqrt(topi.add(wide(var), tir.const(1e-5, "float32"))))
    return topi.add(topi.multiply(topi.subtract(x, wide(mean)), scale), wide(beta))
"""


def weights() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    shapes = {
        "weight": (8, 8, 1, 1),
        **dict.fromkeys(OPERANDS.split()[1:2] + OPERANDS.split()[3:], (8,)),
    }
    return {n: np.abs(rng.standard_normal(s)).astype("float32") for n, s in shapes.items()}


def expected(data: Any) -> Any:
    """Compute the network of case 02 with NumPy."""
    w = weights()
    wide = {n: v.reshape(1, 8, 1, 1) for n, v in w.items() if n != "weight"}
    conv = np.einsum("oc,nchw->nohw", w["weight"][:, :, 0, 0], data) + wide["bias"]
    scale = wide["gamma"] / np.sqrt(wide["var"] + 1e-5)
    return np.maximum((conv - wide["mean"]) * scale + wide["beta"], 0)


def packed(data: Any, *rest: Any) -> None:
    *given, output = rest
    for name, array in zip(OPERANDS.split()[1:], given, strict=True):
        np.testing.assert_array_equal(array.numpy(), weights()[name])
    output.copyfrom(expected(data.numpy()))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    shutil.copyfile(MODEL, folder / "net.relay")
    arrays = {n: tvm.nd.array(v) for n, v in weights().items()}
    (folder / "net.params").write_bytes(relay.save_param_dict(arrays))
    for name, text in (("bmlib.c", C), ("bmlib.h", H), ("lower.py", PY), ("norms.py", NORMS)):
        (folder / "src" / name).write_text(text)
    return folder


def spec(project: Path, backend: str, bind: str = "", constants: str = "embed") -> Any:
    path = project / "net.surgery"
    path.write_text(SPEC.format(backend=backend, bind=bind, constants=constants))
    return surgery.load_spec(path)


def apply(project: Path, given: Any, **options: Any) -> surgery.Applied:
    return surgery.apply(
        given, project / "net.out", spec_path=project / "net.surgery", verify=True, **options
    )


def faults(project: Path, given: Any, **options: Any) -> tuple[Diagnostic, ...]:
    with pytest.raises(SurgeryError) as caught:
        apply(project, given, **options)
    assert not (project / "net.out").exists()
    return caught.value.diagnostics


KINDS = {
    "c": 'via c "src/bmlib.c"',
    "te": 'via te "src/lower.py"',
    "packed": "via packed",
    "library": 'via c "src/bmlib.h"; library "src/libbmlib.so"',
}


@pytest.mark.parametrize(
    ("kind", "bind"),
    [*((k, "") for k in KINDS), ("c", "bind all params\n"), ("te", "bind all params\n")],
)
def test_case_02_in_every_kind(project: Path, kind: str, bind: str, tmp_path: Path) -> None:
    if kind == "library":
        command = "cc -shared -fPIC src/bmlib.c -o src/libbmlib.so -lm"
        subprocess.run(command.split(), cwd=project, check=True)
    if kind == "packed":
        tvm.register_func(KERNEL, packed, override=True)
    try:
        constants = "pass" if bind else "embed"
        done = apply(project, spec(project, KINDS[kind], bind, constants), allow_code=kind == "te")
        assert done.verification is not None and done.verification.passed
        data = np.random.default_rng(3).standard_normal((1, 8, 6, 6)).astype("float32")
        (found,) = surgery.run(project / "net.out", {"data": data}).outputs.values()
    finally:
        if kind == "packed":
            tvm._ffi.registry.remove_global_func(KERNEL)
    np.testing.assert_allclose(found, expected(data), rtol=1e-4, atol=1e-5)
    if kind != "packed":
        (project / "net.out" / "lib").rename(tmp_path / "alone")
        shutil.rmtree(project)
        (found,) = run_alone(tmp_path / "alone" / "stage0.so", {"data": data}, tmp_path)
        np.testing.assert_allclose(found, expected(data), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rpath", ["", "-Wl,-rpath,$ORIGIN"])
def test_a_library_brings_along_those_that_it_needs(
    project: Path, tmp_path: Path, rpath: str
) -> None:
    src = project / "src"
    (src / "deep.c").write_text("float deep(void) { return 1e-5f; }\n")
    (src / "core.c").write_text("float deep(void);\nfloat core(void) { return deep(); }\n")
    (src / "bmlib.c").write_text("float core(void);\n" + C.replace("EPSILON", "core()"))
    flags = ["-shared", "-fPIC", "-L.", "-Wl,--allow-shlib-undefined", *filter(None, [rpath])]
    for name, *needs in (("deep",), ("core", "-ldeep"), ("bmlib", "-lcore", "-lm")):
        named = ["-Wl,-soname,libdeep.so.7"] if name == "deep" else []
        command = ["cc", *flags, f"{name}.c", "-o", f"lib{name}.so", *named, *needs]
        subprocess.run(command, cwd=src, check=True)
        if name == "deep":
            (src / "libdeep.so.7").symlink_to("libdeep.so")
    apply(project, spec(project, KINDS["library"]))
    needed, kernels = {"libcore.so", "libdeep.so.7"}, name_by_content(src / "libbmlib.so")
    moved = tmp_path / "moved"
    (project / "net.out").rename(moved)
    shutil.rmtree(project)
    files = {p.name for p in (moved / "backends" / "bmlib").iterdir()}
    assert files == {*needed, "libbmlib.so", "bmlib.h"}
    assert {p.name for p in (moved / "lib").iterdir()} == {*needed, kernels, "stage0.so"}
    shutil.rmtree(moved / "lib")
    surgery.build(moved)
    (moved / "lib").rename(tmp_path / "alone")
    shutil.rmtree(moved)
    data = np.random.default_rng(3).standard_normal((1, 8, 6, 6)).astype("float32")
    (found,) = run_alone(tmp_path / "alone" / "stage0.so", {"data": data}, tmp_path)
    np.testing.assert_allclose(found, expected(data), rtol=1e-4, atol=1e-5)


def test_a_folder_is_built_again_without_its_spec(project: Path, tmp_path: Path) -> None:
    apply(project, spec(project, KINDS["te"]), allow_code=True)
    moved = tmp_path / "moved"
    (project / "net.out").rename(moved)
    shutil.rmtree(project)
    recipe = json.loads((moved / "recipe.json").read_text())
    (backend,) = recipe["backends"]
    assert [s["path"] for s in backend["sources"]] == [
        "backends/bmlib/lower.py",
        "backends/bmlib/norms.py",
    ]
    (moved / "lib" / "stage0.so").unlink()
    with pytest.raises(SurgeryError) as caught:
        surgery.build(moved)
    assert caught.value.diagnostics[0].code == "S241"
    surgery.build(moved, allow_code=True)
    data = np.ones((1, 8, 6, 6), "float32")
    (found,) = surgery.run(moved, {"data": data}).outputs.values()
    np.testing.assert_allclose(found, expected(data), rtol=1e-4, atol=1e-5)
    assert not list(moved.rglob("__pycache__"))


def test_a_rebuild_says_where_in_the_folder(project: Path) -> None:
    done = apply(project, spec(project, KINDS["c"]))
    copy = done.folder / "backends" / "bmlib" / "bmlib.c"
    copy.write_text("int x")
    with pytest.raises(SurgeryError) as caught:
        surgery.build(done.folder)
    (found,) = caught.value.diagnostics
    assert found.code == "S555" and "bmlib.c" in found.message
    copy.unlink()
    with pytest.raises(SurgeryError) as caught:
        surgery.build(done.folder)
    (found,) = caught.value.diagnostics
    assert found.code == "S556" and "backend 'bmlib'" in found.reason


def test_faults_are_placed_in_the_users_own_files(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    (project / "src" / "bmlib.c").write_text(C.replace("EPSILON", "EPS"))
    (found,) = faults(project, spec(project, KINDS["c"]))
    assert found.code == "S460" and found.span is not None
    assert (found.span.source.path, found.span.line) == ("project/src/bmlib.c", 9)
    (project / "src" / "lower.py").write_text(PY.replace("(1, 8, 1, 1)", "(8, 1)"))
    (found,) = faults(project, spec(project, KINDS["te"]), allow_code=True)
    assert found.code == "S466" and found.span is not None
    assert (found.span.source.path, found.span.line) == ("project/src/lower.py", 9)


def test_code_of_a_spec_is_not_run_unasked(project: Path) -> None:
    mark = project / "ran"
    (project / "src" / "lower.py").write_text(f"open({str(mark)!r}, 'w')\n" + PY)
    given = spec(project, KINDS["te"])
    (found,) = faults(project, given)
    assert found.code == "S241" and "--allow-code" in found.remedy
    for allowed, remedy in ((False, "--allow-code"), (True, "")):
        (note,) = [n for n in surgery.plan(given, allow_code=allowed).plan.notes
                   if n.code == "S241"]  # fmt: skip
        assert note.severity == "note" and "src/lower.py" in note.message
        assert remedy in note.remedy and bool(remedy) == bool(note.remedy)
    surgery.apply(given, project / "net.out", build=False)
    assert not mark.exists()
    assert apply(project, given, allow_code=True).written and mark.exists()


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("via te", "no file of lowerings"),
        ("via c", "no C file"),
        ('via c "src/bmlib.h"', 'library "libbmlib.so"'),
        ("via builtin", "no codegen"),
        ('via te "src/lower.py"; library "x.so"', "links no x.so"),
        ('via packed "x.py"', "reads no x.py"),
        ('via c "src/bmlib.c"; cflag="-O2"', "did you mean cflags"),
        ('via te "src/lower.py"; cflags="-O2"', "leave it out"),
        ("""via c "src/bmlib.c"; cflags="-DX='1'" ; ldflags="-L'lib" """, "No closing quotation"),
    ],
)
def test_incomplete_backends(project: Path, backend: str, said: str) -> None:
    given = spec(project, backend)
    (found,) = faults(project, given, allow_code=True)
    assert found.code == "S240" and said in f"{found.reason} {found.remedy}"
    assert found.span is not None and found.span.line == 3
    with pytest.raises(SurgeryError):
        surgery.plan(given)


def test_files_that_are_not_there(project: Path) -> None:
    given = spec(project, 'via c "bmlib.h"; library "libbmlib.so"')
    assert [d.message for d in faults(project, given)] == [
        "bmlib.h does not exist",
        "libbmlib.so does not exist",
    ]
    # A plan is what a stub is made from, which is before there is a file.
    warnings = [n for n in surgery.plan(given).plan.notes if n.code == "S531"]
    assert [w.severity for w in warnings] == ["warning", "warning"]
    assert len(surgery.check(project / "net.surgery")) == 2


def test_files_that_cannot_be_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "folder.c").mkdir()
    (found,) = faults(project, spec(project, 'via c "folder.c"'))
    assert (found.code, found.message) == ("S531", "folder.c is a folder")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    (found,) = faults(project, spec(project, 'via c "src/bmlib.c"'))
    assert (found.code, found.message) == ("S531", "src/bmlib.c may not be read")


def test_lowerings_are_python(project: Path) -> None:
    (found,) = faults(project, spec(project, 'via te "src/bmlib.c"'), allow_code=True)
    assert found.code == "S242" and found.remedy == "a file of lowerings is Python and ends in .py"


def test_a_codegen_this_tvm_does_not_have(project: Path) -> None:
    (found,) = faults(project, spec(project, "via builtin dnnl"))
    assert found.code == "S419" and "via tvm" in found.remedy


def test_a_folder_never_replaces_the_sources_it_is_made_from(project: Path) -> None:
    done = apply(project, spec(project, KINDS["c"]))
    inside = done.folder / "backends" / "bmlib" / "bmlib.c"
    given = surgery.load_spec(project / "net.surgery")
    text = (project / "net.surgery").read_text().replace("src/", "net.out/backends/bmlib/")
    (project / "net.surgery").write_text(text)
    given = surgery.load_spec(project / "net.surgery")
    with pytest.raises(SurgeryError) as caught:
        apply(project, given)
    assert caught.value.diagnostics[0].code == "S560" and inside.exists()


def test_lowerings_of_an_installed_package(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = spec(project, "via te case_two")
    (found,) = faults(project, given)
    assert found.code == "S242" and 'via te "case_two.py"' in found.remedy
    site = tmp_path / "site"
    (site / "case_two-1.0.dist-info").mkdir(parents=True)
    (site / "case_two-1.0.dist-info" / "METADATA").write_text("Name: case-two\nVersion: 1.0\n")
    (site / "case_two-1.0.dist-info" / "entry_points.txt").write_text(
        "[surgery.backends]\ncase_two = case_two_lowerings\n"
    )
    (site / "case_two_lowerings.py").write_text(PY)
    (site / "norms.py").write_text(NORMS)
    monkeypatch.syspath_prepend(site)
    done = apply(project, given)
    assert done.verification is not None and done.verification.passed
    assert not [n for n in done.notes if n.code == "S241"]
    (backend,) = json.loads((done.folder / "recipe.json").read_text())["backends"]
    assert backend["module"] == "case_two" and backend["sources"] == []
    surgery.build(done.folder)


def test_kernels_in_a_cut_model_for_the_vm(tmp_path: Path) -> None:
    x = relay.var("x", shape=(2, 4))
    w = relay.const(np.random.default_rng(0).random((4, 4), dtype="float32"))
    hidden = relay.nn.relu(relay.nn.dense(x, w))
    body = relay.nn.relu(relay.nn.dense(hidden, w))
    module = relay.transform.InferType()(tvm.IRModule.from_expr(relay.Function([x], body)))
    (tmp_path / "k.c").write_text(
        "#include <stdint.h>\n"
        "int32_t k_block_k0(const float *x, const float *w, float *o) {\n"
        "    for (int i = 0; i < 2; i++)\n        for (int j = 0; j < 4; j++) {\n"
        "            float s = 0;\n"
        "            for (int k = 0; k < 4; k++) s += x[i * 4 + k] * w[j * 4 + k];\n"
        "            o[i * 4 + j] = s > 0 ? s : 0;\n        }\n    return 0;\n}\n"
    )
    text = (
        'pattern block = dense>relu\nbackend k { via c "k.c" }\noffload pattern block to k\n'
        "cut after %1\nbuild executor vm\nverify\n"
    )
    path = tmp_path / "net.surgery"
    path.write_text(text)
    done = surgery.apply(surgery.load_spec(path), tmp_path / "out", model=module, spec_path=path)
    assert done.verification is not None and done.verification.passed
    assert [r.stage for r in done.plan.regions] == [0, 1]
    assert {c.kernel for r in done.plan.regions for c in r.composites} == {"k_block_k0"}

"""What is wrong with a backend is said when it is built, with the place in the user's file."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tvm
from tvm import relay
from tvm.contrib import graph_executor

from surgery.codes import CODES
from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.engines.base import BackendBuild
from tests.engines.relay.plans import array, const
from tests.engines.relay.regions_by_hand import (
    build,
    calling_module,
    composite,
    region,
    run,
    run_alone,
    write,
)

C = BackendBuild(kind="c", sources=("lib.c",), shown={"lib.c": "mine/lib.c", "lib.h": "mine/lib.h"})
TE = BackendBuild(kind="te", sources=("lib.py",), shown={"lib.py": "mine/lib.py"})
GOOD_C = """\
#include <stdint.h>
int32_t lib_go(const float *x, const float *c, float *o) {
    for (int i = 0; i < 3; i++) o[i] = x[i] + c[i];
    return 0;
}
"""
GOOD_PY = """\
from tvm import te, topi

def go(call, inputs):
    return topi.add(*inputs)
"""
BODY = "topi.add(*inputs)"


@pytest.fixture(scope="module")
def module() -> Any:
    x, inner, c = relay.var("x", shape=(3,)), relay.var("x", shape=(3,)), const(3)
    body = relay.Call(composite("go", [inner], relay.add(inner, c), [c]), [x])
    return calling_module(region([x], body))


def faults(
    folder: Path, module: Any, files: Mapping[str, str], backend: BackendBuild
) -> tuple[Diagnostic, ...]:
    """Return the findings of a build; nothing may be left of it."""
    write(folder, files)
    with pytest.raises(SurgeryError) as caught:
        build(folder, module, {"lib": backend})
    assert not list(folder.glob("lib/*"))
    for found in caught.value.diagnostics:
        assert found.code in CODES
        assert "\n" not in found.message + found.reason
        assert str(folder) not in f"{found.message} {found.reason} {found.remedy}"
    return caught.value.diagnostics


def place(found: Diagnostic) -> str:
    assert found.span is not None
    span = found.span
    return f"{span.source.path}:{span.line}: {span.source.text[span.start : span.end]}"


@pytest.mark.parametrize(
    ("old", "new", "code", "said", "where"),
    [
        ("int i = 0", "it i = 0", "S460", "it", "mine/lib.c:3: it i = 0; i < 3;"),
        ("o[i] = x", "o[j] = x", "S460", "'j' undeclared", "mine/lib.c:3: j] = x"),
        ("lib_go(", "lib_gone(", "S461", "", None),
        ("int32_t lib", "static int32_t lib", "S461", "static", None),
        ("const float *c, ", "", "S460", "", None),
        ("float *x, const float *c", "float *x", "S460", "", None),
        ("x[i] + c[i]", "lib_other(x[i]) + c[i]", "S463", "", None),
        ("float *o", "double *o", "S462", "argument 3", "mine/lib.c:2: lib_go"),
        ("int32_t lib_go(const", "int32_t lib_go(int n, const", "S462", "", "mine/lib.c:2: lib_go"),
        ("int32_t lib", "void lib", "S460", "", None),
        ("float *x", "int8_t *x", "S462", "argument 1", "mine/lib.c:2: lib_go"),
        ("#include <stdint.h>", '#include "lob.h"', "S460", "lob.h", 'mine/lib.c:1: "lob.h"'),
    ],
)  # fmt: skip
def test_c_sources(
    tmp_path: Path, module: Any, old: str, new: str, code: str, said: str, where: str | None
) -> None:
    assert old in GOOD_C
    text = GOOD_C.replace(old, new)
    if new.startswith("void"):
        text, code, where = text.replace("return 0;", ""), "S462", "mine/lib.c:2: lib_go"
    if "lib_other" in new:
        text = "float lib_other(float);\n" + text
    found = faults(tmp_path, module, {"lib.c": text}, C)[0]
    assert found.code == code
    assert said in found.reason
    assert "mine/lib.c" in found.message
    if where is not None:
        assert place(found).startswith(where)


def test_a_fault_in_an_included_file_is_placed_there(tmp_path: Path, module: Any) -> None:
    files = {"lib.c": '#include "lib.h"\n' + GOOD_C, "lib.h": "int a;\nint a b;\n"}
    (found,) = faults(tmp_path, module, files, C)
    assert found.code == "S460" and place(found) == "mine/lib.h:2: b;"


def test_every_missing_kernel_is_named(tmp_path: Path) -> None:
    x = relay.var("x", shape=(3,))
    value: Any = x
    for name in ("one", "two"):
        inner = relay.var("x", shape=(3,))
        value = relay.Call(composite(name, [inner], relay.exp(inner)), [value])
    found = faults(tmp_path, calling_module(region([x], value)), {"lib.c": "int lib_on();"}, C)
    assert [f.message for f in found] == [
        "mine/lib.c has no kernel lib_one",
        "mine/lib.c has no kernel lib_two",
    ]
    assert "did you mean lib_on?" in found[0].notes
    assert "`int32_t lib_one(const float *, float *)`" in found[0].remedy


def test_flags_reach_compiler_and_linker(tmp_path: Path, module: Any) -> None:
    text = GOOD_C.replace("c[i];", "c[i] * FACTOR;")
    backend = replace(C, options={"cflags": "-DFACTOR=2"})
    write(tmp_path, {"lib.c": text})
    build(tmp_path, module, {"lib": backend})
    x = array(3)
    np.testing.assert_allclose(run(tmp_path, {"x": x})[0], x + 2 * array(3, seed=7))
    (tmp_path / "lib" / "stage.so").unlink()
    backend = replace(backend, options={"cflags": "-DFACTOR=2", "ldflags": "-lnone_such"})
    (found,) = faults(tmp_path, module, {}, backend)
    assert found.code == "S463" and "none_such" in found.reason


def test_no_c_compiler(tmp_path: Path, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++")
    for named in ("no-such-compiler", "'"):
        monkeypatch.setenv("CC", named)
        (found,) = faults(tmp_path, module, {"lib.c": GOOD_C}, C)
        assert found.code == "S414" and f"CC names the compiler {named}," in found.message
    monkeypatch.setenv("CC", " ")
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: which(name) if name == "g++" else None)
    (found,) = faults(tmp_path, module, {"lib.c": GOOD_C}, C)
    assert found.message == "no C compiler was found" and "CC" in found.remedy


CXX = BackendBuild(kind="c", sources=("lib.cpp",), shown={"lib.cpp": "mine/lib.cpp"})
GOOD_CXX = """\
#include <cstdint>
#include <stdexcept>
#include <vector>
extern "C" int32_t lib_go(const float *x, const float *c, float *o) {
    try {
        std::vector<float> sum(x, x + 3);
        for (int i = 0; i < 3; i++) o[i] = sum.at(i) + c[i];
    } catch (const std::out_of_range &) { return 1; }
    return 0;
}
"""


def test_cxx_sources_bring_their_library(tmp_path: Path, module: Any) -> None:
    write(tmp_path, {"lib.cpp": GOOD_CXX})
    build(tmp_path, module, {"lib": CXX})
    np.testing.assert_allclose(run(tmp_path, {"x": array(3)})[0], array(3) + array(3, seed=7))


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ('extern "C" int32', "int32", "S461", 'is it extern "C"?'),
        ("float *o", "double *o", "S462", "double"),
        ("const float *x", "float *x, int n", "S462", "to 'int'"),
        ("const float *x", "float *x", "", ""),
        ("sum.at(i)", "sum.ut(i)", "S460", "ut"),
    ],
)  # fmt: skip
def test_cxx_sources(tmp_path: Path, module: Any, old: str, new: str, code: str, said: str) -> None:
    assert old in GOOD_CXX
    files = {"lib.cpp": GOOD_CXX.replace(old, new)}
    if not code:  # an operand may be overwritten where the spec says so
        write(tmp_path, files)
        build(tmp_path, module, {"lib": CXX})
        return
    found = faults(tmp_path, module, files, CXX)[0]
    assert found.code == code and said in found.reason


@pytest.mark.parametrize("suffix", ["c", "cpp"])
@pytest.mark.parametrize(
    ("dtype", "element", "fits"),
    [
        ("float16", "uint16_t", True), ("float16", "void", True), ("float16", "struct half", True),
        ("float16", "float", False), ("float16", "double", False), ("float16", "int32_t", False),
        ("bool", "uint8_t", True), ("bool", "char", True), ("bool", "bool", True),
        ("bool", "int", False), ("bool", "float", False), ("bool", "int16_t", False),
    ],
)  # fmt: skip
def test_elements_that_c_has_several_types_for(
    tmp_path: Path, suffix: str, dtype: str, element: str, fits: bool
) -> None:
    x = relay.var("x", shape=(3,), dtype=dtype)
    inner = relay.var("x", shape=(3,), dtype=dtype)
    module = calling_module(region([x], relay.Call(composite("go", [inner], inner), [x])))
    text = (
        '#include <stdbool.h>\n#include <stdint.h>\n#ifdef __cplusplus\nextern "C"\n#endif\n'
        f"{'struct half { uint16_t bits; };' if suffix == 'c' else ''}\n"
        f"int32_t lib_go(const {element} *x, {element} *o) {{ return x == o; }}\n"
    )
    if suffix == "cpp":
        text = text.replace("#ifdef", "struct half { uint16_t bits; };\n#ifdef")
    backend = replace(C, sources=(f"lib.{suffix}",))
    if fits:
        write(tmp_path, {f"lib.{suffix}": text})
        build(tmp_path, module, {"lib": backend})
        return
    (found,) = faults(tmp_path, module, {f"lib.{suffix}": text}, backend)
    assert found.code == "S462"
    if suffix == "c":
        assert "argument 1 is a pointer to" in found.reason and dtype in found.reason


HEADER = "#include <stdint.h>\nint32_t lib_go(const float *, const float *, float *);\n"


def _library(folder: Path, text: str = GOOD_C, *flags: str) -> None:
    write(folder, {"made.c": text})
    subprocess.run(
        ["cc", "-shared", "-fPIC", "made.c", "-o", "libmade.so", *flags], cwd=folder, check=True
    )
    (folder / "made.c").unlink()


PREBUILT = BackendBuild(
    kind="c",
    sources=("lib.h",),
    library="libmade.so",
    shown={"lib.h": "mine/lib.h", "libmade.so": "mine/libmade.so"},
)


@pytest.mark.parametrize("soname", ["", "libmade.so.1"])
def test_a_prebuilt_library_goes_beside(tmp_path: Path, module: Any, soname: str) -> None:
    made, folder = tmp_path / "made", tmp_path / "moved"
    made.mkdir()
    write(made, {"lib.h": HEADER})
    _library(made, GOOD_C, *([f"-Wl,-soname,{soname}"] if soname else []))
    build(made, module, {"lib": PREBUILT})
    (made / "lib").rename(folder)
    copies = [p.name for p in folder.iterdir() if p.name != "stage.so"]
    assert len(copies) == 1 and re.fullmatch(r"libmade-[0-9a-f]{12}\.so", copies[0])
    (made / "libmade.so").unlink()
    (found,) = run_alone(folder / "stage.so", {"x": array(3)}, tmp_path)
    np.testing.assert_allclose(found, array(3) + array(3, seed=7))


def test_a_source_calls_a_prebuilt_library(tmp_path: Path, module: Any) -> None:
    source = "float help(float);\n" + GOOD_C.replace("x[i] + c[i]", "help(x[i]) + c[i]")
    write(tmp_path, {"lib.c": source, "help.c": "float help(float x) { return 2 * x; }\n"})
    command = "cc -shared -fPIC help.c -o libhelp.so"
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    build(tmp_path, module, {"lib": replace(C, library="libhelp.so")})
    (tmp_path / "libhelp.so").unlink()
    (found,) = run_alone(tmp_path / "lib" / "stage.so", {"x": array(3)}, tmp_path)
    np.testing.assert_allclose(found, 2 * array(3) + array(3, seed=7))


def test_a_static_library_goes_inside(tmp_path: Path, module: Any) -> None:
    write(tmp_path, {"lib.h": HEADER, "made.c": GOOD_C})
    subprocess.run(
        "cc -c -fPIC made.c && ar rcs libmade.a made.o", shell=True, cwd=tmp_path, check=True
    )
    build(tmp_path, module, {"lib": replace(PREBUILT, library="libmade.a")})
    assert [p.name for p in (tmp_path / "lib").iterdir()] == ["stage.so"]
    np.testing.assert_allclose(run(tmp_path, {"x": array(3)})[0], array(3) + array(3, seed=7))


@pytest.mark.parametrize(
    ("header", "source", "code", "message"),
    [
        (HEADER, GOOD_C.replace("_go", "_no"), "S461", "mine/libmade.so has no kernel lib_go"),
        ("#include <stdint.h>\n", GOOD_C, "S461", "mine/lib.h declares no kernel lib_go"),
        (HEADER.replace("float *)", "int8_t *)"), GOOD_C, "S462", "mine/lib.h: lib_go doesn"),
        ("in x;\n", GOOD_C, "S460", "mine/lib.h doesn't compile"),
    ],
)  # fmt: skip
def test_prebuilt_libraries(
    tmp_path: Path, module: Any, header: str, source: str, code: str, message: str
) -> None:
    _library(tmp_path, source)
    found = faults(tmp_path, module, {"lib.h": header}, PREBUILT)[0]
    assert found.code == code and found.message.startswith(message)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (lambda d: b"no library", "file format not recognized"),
        (lambda d: b"", "mine/libmade.so is empty"),
        (lambda d: d[:100], "libmade.so: file too short"),
        (lambda d: d[:18] + b"\xb7" + d[19:], "libmade.so is built for another machine"),
    ],
)  # fmt: skip
def test_what_is_no_library(
    tmp_path: Path, module: Any, data: Callable[[bytes], bytes], said: str
) -> None:
    _library(tmp_path)
    library = tmp_path / "libmade.so"
    library.write_bytes(data(library.read_bytes()))
    (found,) = faults(tmp_path, module, {"lib.h": HEADER}, PREBUILT)
    assert found.code == "S463" and said in f"{found.message} {found.reason}"


@pytest.mark.parametrize("soname", ["", "libmade.so.1"])
def test_libraries_of_one_name_in_one_process(tmp_path: Path, module: Any, soname: str) -> None:
    """A loader takes one library of a name: what a folder brings must be what its stage calls."""
    folders = [tmp_path / "sum", tmp_path / "difference"]
    for folder, operator in zip(folders, "+-", strict=True):
        folder.mkdir()
        write(folder, {"lib.h": HEADER})
        named = [f"-Wl,-soname,{soname}"] if soname else []
        _library(folder, GOOD_C.replace("x[i] +", f"x[i] {operator}"), *named)
        build(folder, module, {"lib": PREBUILT})
    x, c = array(3), array(3, seed=7)
    loaded = [tvm.runtime.load_module(str(f / "lib" / "stage.so")) for f in folders]
    found = []
    for library in loaded:
        runner = graph_executor.GraphModule(library["default"](tvm.cpu()))
        runner.run(x=x)
        found.append(runner.get_output(0).numpy())
    np.testing.assert_allclose(found, [x + c, x - c])


def test_two_libraries_that_need_others_of_one_name(tmp_path: Path, module: Any) -> None:
    write(tmp_path, {"lib.h": HEADER, "help.c": "void help(void) {}\n"})
    command = "cc -shared -fPIC help.c -o libhelp.so"
    subprocess.run(command.split(), cwd=tmp_path, check=True)
    _library(tmp_path, GOOD_C, "-L.", "-Wl,--no-as-needed", "-lhelp")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libhelp.so").write_text("another")
    with pytest.raises(SurgeryError) as caught:
        build(tmp_path, module, {"lib": PREBUILT})
    assert caught.value.diagnostics[0].code == "S469"
    assert "stage.so" not in {p.name for p in (tmp_path / "lib").iterdir()}


@pytest.mark.parametrize(
    ("old", "new", "code", "said", "where"),
    [
        ("(call, inputs):", "(call, inputs:", "S464", "SyntaxError", "3: "),
        ("import te", "import tee", "S464", "tee", "1: from tvm import tee, topi"),
        ("def go", "def gone", "S465", "the file has gone", None),
        (BODY, "inputs[2]", "S466", "IndexError", "4: return inputs[2]"),
        (BODY, "exit(3)", "S466", "SystemExit: 3", "4: return exit(3)"),
        ("(call, inputs)", "(call)", "S466", "TypeError", "3: def go(call):"),
        (BODY, "topi.add(inputs[0], te.placeholder((5,)))", "S466", "", "4: "),
        (BODY, "None", "S467", "NoneType", "3: def go(call, inputs):"),
        (BODY, "inputs", "S467", "it returns 2 tensors, the composite has 1", "3: "),
        (BODY, "topi.expand_dims(inputs[0], 0)", "S467", "float32(1,3), not float32(3)", "3: "),
        (BODY, "topi.cast(inputs[0], 'int8')", "S467", "int8(3), not float32(3)", "3: "),
        (BODY, "topi.add(inputs[0], te.placeholder((3,)))", "S466", "", "3: "),
    ],
)  # fmt: skip
def test_lowerings(
    tmp_path: Path, module: Any, old: str, new: str, code: str, said: str, where: str | None
) -> None:
    assert old in GOOD_PY
    found = faults(tmp_path, module, {"lib.py": GOOD_PY.replace(old, new)}, TE)[0]
    assert found.code == code
    assert said in found.reason
    assert "mine/lib.py" in found.message or "lowerings of region" in found.message
    if where is not None:
        assert place(found).startswith(f"mine/lib.py:{where}")


def test_tvms_own_codegens(tmp_path: Path, module: Any) -> None:
    backend = BackendBuild(kind="builtin", builtin="dnnl")
    (found,) = faults(tmp_path, module, {}, backend)
    assert found.code == "S419" and "no codegen dnnl" in found.message

    def refuses(function: Any) -> Any:
        raise ValueError("no such composite")

    tvm.register_func("relay.ext.standin", refuses, override=True)
    try:
        (found,) = faults(tmp_path, module, {}, replace(backend, builtin="standin"))
    finally:
        tvm._ffi.registry.remove_global_func("relay.ext.standin")
    assert found.code == "S468" and found.reason == "no such composite"


def test_a_region_of_other_passes(tmp_path: Path) -> None:
    x, inner = relay.var("x", shape=(3,)), relay.var("x", shape=(3,))
    literal = relay.Function([inner], relay.exp(inner)).with_attr("Composite", "lib.go")
    foreign = calling_module(region([x], relay.Call(literal, [x])))
    (found,) = faults(tmp_path, foreign, {}, BackendBuild(kind="packed"))
    assert found.code == "S420" and "via tvm" in found.remedy
    build(tmp_path, foreign, {"lib": BackendBuild(kind="tvm")})
    np.testing.assert_allclose(run(tmp_path, {"x": array(3)})[0], np.exp(array(3)), rtol=1e-5)


def test_all_backends_are_looked_at(tmp_path: Path, module: Any) -> None:
    x, inner = relay.var("x", shape=(3,)), relay.var("x", shape=(3,))
    body = relay.Call(composite("go", [inner], relay.exp(inner), backend="py"), [x])
    both = calling_module(module["lib_0"], region([x], body, "py_0", "py"))
    write(tmp_path, {"lib.c": "x", "lib.py": "x"})
    with pytest.raises(SurgeryError) as caught:
        build(tmp_path, both, {"lib": C, "py": TE})
    assert [d.code for d in caught.value.diagnostics] == ["S460", "S464"]


def test_a_kernel_that_fails_says_which(tmp_path: Path, module: Any) -> None:
    write(tmp_path, {"lib.c": GOOD_C.replace("return 0", "return 7")})
    build(tmp_path, module, {"lib": C})
    with pytest.raises(SurgeryError) as caught:
        run(tmp_path, {"x": array(3)})
    (found,) = caught.value.diagnostics
    assert found.code == "S434"
    assert found.reason == "kernel lib_go of region lib_0 returned an error"
    assert found.remedy.startswith("look at what lib_go returns")


def test_a_packed_kernel_that_is_not_there_says_which(tmp_path: Path, module: Any) -> None:
    build(tmp_path, module, {"lib": BackendBuild(kind="packed")})
    with pytest.raises(SurgeryError) as caught:
        run(tmp_path, {"x": array(3)})
    (found,) = caught.value.diagnostics
    assert found.code == "S434"
    assert found.reason == "no packed function lib_go is registered in this process"
    assert 'register_func("lib_go"' in found.remedy

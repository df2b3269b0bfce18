"""Stubs: golden files, what compiles, what a kernel's text says."""

from __future__ import annotations

import ast
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from surgery.diagnostics import SurgeryError
from surgery.graph import Module
from surgery.planning import Plan
from surgery.stubs import backends_of, kernels_of, stub_files, symbols_in
from surgery.stubs.files import names_in
from surgery.stubs.names import c_literal, comment, identifier
from tests.graphs import GraphBuilder
from tests.planning.test_stages import plan_of

DATA = Path(__file__).parent / "data"
IMAGE = "float32(1,4,8,8)"
SPEC = """
pattern normal = bn(conv2d(data:*, weight:const), gamma:*, beta:*, mean:*, var:*)
offload pattern relu(normal) to lib as block
offload pattern multiply(*, const) to lib as scale
"""


def net() -> Module:
    """Two equal blocks of conv2d, batch_norm, relu, one of other strides; then a scale by 0.5."""
    b = GraphBuilder()
    value = b.input("x", IMAGE)
    extent = 8
    for block, stride in enumerate((1, 1, 2)):
        extent //= stride
        image = f"float32(1,4,{extent},{extent})"
        weight = b.param(f"w{block}", "float32(4,4,3,3)")
        channel = [b.param(f"{n}{block}", "float32(4)") for n in ("g", "b", "m", "v")]
        conv = b.call(
            "nn.conv2d", value, weight, type=image, strides=(stride, stride), groups=1,
            padding=(1, 1, 1, 1), kernel_layout="OIHW", out_layout="",
        )  # fmt: skip
        both = f"{image};float32(4);float32(4)"
        normal = b.call("nn.batch_norm", conv, *channel, type=both, axis=1, epsilon=1e-5)
        first = b.field(normal, 0)
        relu = b.call("nn.relu", first, type=image, name=f"net/block_{block}*/relu")
        value = b.call("tanh", relu, type=image)  # keeps the blocks apart
    half = b.constant("half", "float32()")
    b.attrs[half] = {"value": 0.5}
    return b.module(b.call("multiply", value, half, type="float32(1,4,4,4)"))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return replace(plan_of(net(), SPEC), model_path="models/net.json")


def files(plan: Plan, language: str) -> dict[str, str]:
    (backend,) = backends_of(plan)
    assert language in ("c", "te")
    return {f.path: f.text for f in stub_files(plan, backend, language)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "names"), [("c", ["lib.h", "lib.c"]), ("te", ["lowerings.py"])]
)
def test_the_files_are_these(plan: Plan, language: str, names: list[str]) -> None:
    made = files(plan, language)
    assert list(made) == names
    for name, text in made.items():
        assert text == (DATA / f"{name}.golden").read_text(encoding="utf-8"), name


def test_equal_blocks_share_a_kernel_and_other_strides_have_their_own(plan: Plan) -> None:
    made = kernels_of(plan, "lib")
    assert [(k.symbol, [s.value for s in k.sites]) for k in made] == [
        ("lib_block_k0", ["%3", "%8"]),
        ("lib_block_k1", ["%13"]),
        ("lib_scale_k0", ["result"]),
    ]
    assert [p.name for p in made[0].parameters] == [
        "data", "weight", "gamma", "beta", "mean", "var", "out0",
    ]  # fmt: skip
    assert [p.role for p in made[0].parameters] == ["runtime", *["constant"] * 5, "output"]
    assert [(s.result, s.op, s.operands) for s in made[0].steps] == [
        ("t0", "nn.conv2d", "data, weight"),
        ("t1", "nn.batch_norm", "t0, gamma, beta, mean, var"),
        ("t2", "nn.relu", "t1.0"),
    ]
    assert made[0].results == ("t2",)
    assert made[2].inputs[1].value == "0.5"


def test_a_skeleton_compiles_and_its_kernels_fail(plan: Plan, tmp_path: Path) -> None:
    import ctypes

    for name, text in files(plan, "c").items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    library = tmp_path / "lib.so"
    subprocess.run(
        [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC",
         str(tmp_path / "lib.c"), "-o", str(library)],
        check=True,
    )  # fmt: skip
    loaded = ctypes.CDLL(str(library))
    assert [loaded[s](*[None] * n) for s, n in (("lib_block_k0", 7), ("lib_scale_k0", 3))] == [1, 1]


def test_lowerings_are_one_function_a_composite_that_raises(plan: Plan) -> None:
    tree = ast.parse(files(plan, "te")["lowerings.py"])
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions] == ["block", "scale"]
    assert [ast.unparse(f.args) for f in functions] == ["call, inputs"] * 2
    assert all(isinstance(f.body[-1], ast.Raise) for f in functions)


@pytest.mark.parametrize(
    ("named", "written"),
    [
        ("k/lib.c", ["k/lib.h", "k/lib.c"]),
        ("lib.cpp", ["lib.h", "lib.cpp"]),
        ("k/lib.h", ["k/lib.h", "k/lib.c"]),
        ("lib.hpp", ["lib.hpp", "lib.cpp"]),
    ],
)
def test_files_are_where_the_spec_names_them(named: str, written: list[str]) -> None:
    made = plan_of(net(), f'{SPEC}backend lib {{ via c "{named}" }}')
    assert list(files(made, "c")) == written


@pytest.mark.parametrize(
    ("named", "written"), [('"my/low.py"', "my/low.py"), ("installed_lowerings", "lowerings.py")]
)
def test_lowerings_are_where_the_spec_names_a_file(named: str, written: str) -> None:
    made = plan_of(net(), f"{SPEC}backend lib {{ via te {named} }}")
    assert list(files(made, "te")) == [written]


def test_no_region_is_said() -> None:
    b = GraphBuilder()
    empty = b.module(b.call("nn.relu", b.input("x", IMAGE), type=IMAGE))
    with pytest.raises(SurgeryError) as caught:
        backends_of(plan_of(empty, "output result as y"))
    assert caught.value.diagnostics[0].code == "S259"


def test_another_backends_name_gets_a_hint(plan: Plan) -> None:
    with pytest.raises(SurgeryError) as caught:
        backends_of(plan, "lob")
    assert caught.value.diagnostics[0].code == "S259"
    assert "lib" in caught.value.diagnostics[0].remedy


def test_a_listing_without_types_has_no_prototypes() -> None:
    b = GraphBuilder()
    bare = b.module(b.call("nn.relu", b.input("x")))
    untyped = plan_of(bare, "offload pattern relu to lib")
    with pytest.raises(SurgeryError) as caught:
        files(untyped, "c")
    assert caught.value.diagnostics[0].code == "S258"


@pytest.mark.parametrize(
    ("name", "made"),
    [("a/b:0", "a_b_0"), ("3x", "_3x"), ("float", "float_"), ("é", "x"), ("o::Conv_1", "o_Conv_1")],
)  # fmt: skip
def test_any_name_becomes_an_identifier(name: str, made: str) -> None:
    assert identifier(name) == made


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (True, "1"), (7, "7"), (1 << 40, "1099511627776LL"), (1e-5, "1e-05"), (None, ""), ("", ""),
        (float("inf"), "INFINITY"), (float("nan"), "NAN"), ('a"\\?\n', '"a\\"\\\\\\?\\012"'),
    ],
)  # fmt: skip
def test_attributes_become_literals(value: object, literal: str) -> None:
    assert c_literal(value) == literal


def test_names_cant_end_a_comment() -> None:
    assert comment("net/*/add */ x\ny") == "net/ * /add * / x y"


def test_symbols_that_a_source_defines_are_found() -> None:
    source = "int32_t lib_a_k0 (const float *x)\n{ return 0; }\n/* lib_b_k0 is missing */"
    assert symbols_in(source, ["lib_a_k0", "lib_b_k0"]) == ("lib_a_k0",)
    source = (
        'int32_t lib_a_k0(const float *);\nCONV(lib_b_k0, 3)\nchar *c = "lib_c_k0"; // lib_d_k0'
    )
    symbols = [f"lib_{c}_k0" for c in "abcd"]
    assert symbols_in(source, symbols) == ("lib_b_k0",)
    assert symbols_in(f"{source}\nint32_t lib_a_k0(const float *x) {{", symbols)[0] == symbols[0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def go(call, inputs):\n    return topi.nn.softmax(inputs[0])", ("go",)),
        ("# def go(\nfrom mine import norm as go, softmax", ("go", "softmax")),
        ("go = partial(general, axis=1)", ("go",)),
        ("from mine import *", ("go", "softmax")),
        ("def go(:\n  softmax(x)", ("go",)),
        ("if True:\n    def helper(): pass\n    go = helper", ("go",)),
    ],
)  # fmt: skip
def test_functions_that_a_module_defines_are_found(text: str, found: tuple[str, ...]) -> None:
    assert names_in(text, ("go", "softmax")) == found


def test_an_operand_that_may_be_overwritten_is_not_const(tmp_path: Path) -> None:
    b = GraphBuilder()
    x = b.call("tanh", b.input("x", IMAGE), type=IMAGE)
    module = b.module(b.call("add", x, b.input("y", IMAGE), type=IMAGE))
    made = files(plan_of(module, "offload pattern add(a:*, b:*) to lib inplace(a)"), "c")
    for name in ("lib.h", "lib.c"):
        assert "\n    float *a, /* float32(1,4,8,8), runtime, inplace */" in made[name]
        assert "\n    const float *b," in made[name]


def test_tuples_several_outputs_and_all_element_types_compile(tmp_path: Path) -> None:
    b = GraphBuilder()
    x = b.input("a/x:0", "float16(2,4)")
    y = b.input("int", "float16(2,4)")
    joined = b.call("concatenate", b.tuple(x, y), type="float16(4,4)", axis=0)
    flags = b.call("less", joined, b.constant("c", "float16()"), type="bool(4,4)", limit=1e400)
    odd = 'odd */ "name"?\\'
    counted = b.call("cast", flags, type="int64(4,4)", dtype="int64", name=odd)
    less = b.call("tanh", flags, type="bool(4,4)")
    module = b.module(b.tuple(less, b.call("tanh", counted, type="int64(4,4)")))
    made = plan_of(module, "offload %0 or %1 or %2 or %3 to lib as odd")
    (kernel,) = kernels_of(made, "lib")
    assert [(p.name, str(p.type)) for p in kernel.parameters][-2:] == [
        ("out0", "bool(4,4)"), ("out1", "int64(4,4)"),
    ]  # fmt: skip
    assert kernel.steps[0].operands.startswith("(")
    for name, written in files(made, "c").items():
        (tmp_path / name).write_text(written, encoding="utf-8")
    header = (tmp_path / "lib.h").read_text()
    assert "const uint16_t *" in header
    assert "uint8_t *out0" in header
    assert "int64_t *out1" in header
    assert "INFINITY" in header
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler is not None
    subprocess.run(
        [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only",
         str(tmp_path / "lib.c")],
        check=True,
    )  # fmt: skip
    compile(files(made, "te")["lowerings.py"], "lowerings.py", "exec")

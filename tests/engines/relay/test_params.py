"""Weights files: read, compared with a model, written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tvm
from safetensors.numpy import save_file
from tvm import relay

from surgery.diagnostics import SurgeryError
from surgery.engines.relay.adopt import adopt
from surgery.engines.relay.loader import load
from surgery.engines.relay.params import (
    original_name,
    read_params,
    write_params,
    write_safetensors,
)

DTYPES = ["float32", "float16", "float64", "int64", "int32", "int8", "uint8", "bool"]


def arrays() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    return {f"w/{d}:0": (random.random((2, 3)) * 9).astype(d) for d in DTYPES}


def failure(path: Path) -> SurgeryError:
    with pytest.raises(SurgeryError) as caught:
        read_params(str(path))
    assert caught.value.exit_status == 5
    return caught.value


def dense(name: str = "w") -> tvm.IRModule:
    x, w = relay.var("x", shape=(1, 4)), relay.var(name, shape=(3, 4))
    return tvm.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))


@pytest.mark.parametrize("kind", ["tvm", "safetensors", "npz", "own tvm", "own safetensors"])
def test_every_format_gives_names_dtypes_and_values(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "w.bin"
    given = arrays()
    match kind:
        case "tvm":
            path.write_bytes(relay.save_param_dict(given))
        case "safetensors":
            save_file(given, path)
        case "npz":
            with path.open("wb") as file:
                np.savez(file, **given)
        case "own tvm":
            write_params(path, {n: tvm.nd.array(a) for n, a in given.items()})
        case _:
            write_safetensors(path, {n: tvm.nd.array(a) for n, a in given.items()})
    found = read_params(str(path))
    assert found.keys() == given.keys()
    for name, array in given.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name].numpy(), array)


def test_scalars_and_empty_arrays(tmp_path: Path) -> None:
    given = {"s": tvm.nd.array(np.float32(2.5)), "e": tvm.nd.array(np.zeros((0, 3), "float32"))}
    for write in (write_params, write_safetensors):
        path = tmp_path / write.__name__
        write(path, given)
        found = read_params(str(path))
        assert float(found["s"].numpy()) == 2.5
        assert found["e"].shape == (0, 3)


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "float16", "bfloat16", "int64", "int8", "uint16", "bool"]
)
@pytest.mark.parametrize("shape", [(3, 5), (), (0, 4), (2, 1, 1, 3)])
def test_params_are_written_as_tvm_writes_them(
    tmp_path: Path, dtype: str, shape: tuple[int, ...]
) -> None:
    given = {"wé/0": tvm.nd.empty(shape, dtype)}
    write_params(tmp_path / "own", given)
    tvm.runtime.save_param_dict_to_file(given, str(tmp_path / "tvm"))
    assert (tmp_path / "own").read_bytes() == (tmp_path / "tvm").read_bytes()


def test_many_params_are_written_in_the_order_given(tmp_path: Path) -> None:
    given = {f"w{i}": tvm.nd.array(np.full(2, i, "float32")) for i in (7, 3, 9, 1, 12, 5, 0)}
    write_params(tmp_path / "w", given)
    data = (tmp_path / "w").read_bytes()
    places = [data.index(f"w{i}".encode()) for i in (7, 3, 9, 1, 12, 5, 0)]
    assert places == sorted(places)
    assert {n: a.numpy().tolist() for n, a in read_params(str(tmp_path / "w")).items()} == {
        n: a.numpy().tolist() for n, a in given.items()
    }


def test_bfloat16_stays_bfloat16(tmp_path: Path) -> None:
    bits = np.array([[0x3F80, 0x4000], [0xC000, 0x3E80]], "uint16")
    given = tvm.nd.empty((2, 2), "bfloat16")
    given.copyfrom(bits)
    for write in (write_params, write_safetensors):
        path = tmp_path / write.__name__
        write(path, {"w": given})
        found = read_params(str(path))["w"]
        assert found.dtype == "bfloat16"
        np.testing.assert_array_equal(found.numpy().view("uint16"), bits)


@pytest.mark.parametrize("kind", ["tvm", "safetensors", "npz"])
@pytest.mark.parametrize("share", [0.001, 0.2, 0.9, 0.9999])
def test_truncated_files_say_so(tmp_path: Path, kind: str, share: float) -> None:
    path = tmp_path / "w.bin"
    given = {"w": np.random.default_rng(0).random((50, 50))}
    if kind == "tvm":
        path.write_bytes(relay.save_param_dict(given))
    elif kind == "safetensors":
        save_file(given, path)
    else:
        with path.open("wb") as file:
            np.savez(file, **given)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    (found,) = failure(path).diagnostics
    assert found.code == "S515"
    assert "can't be read to its end" in found.message
    assert "\n" not in found.reason


def test_other_files_are_no_params_files(tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    path.write_text("hello, world")
    assert failure(path).diagnostics[0].code == "S515"
    path.write_bytes(b"")
    assert failure(path).diagnostics[0].code == "S501"
    (found,) = failure(tmp_path / "w.bni").diagnostics
    assert found.code == "S500"
    assert "w.bin" in found.remedy
    with path.open("wb") as file:
        np.savez(file, w=np.array(["text"]))
    (found,) = failure(path).diagnostics
    assert found.code == "S515"
    assert "'w'" in found.message


def test_mismatches_show_both_types(tmp_path: Path) -> None:
    model = tmp_path / "m.json"
    model.write_text(tvm.ir.save_json(dense()))
    params = tmp_path / "p.bin"
    for wrong, what in ((np.ones((4, 3), "float32"), "shape"), (np.ones((3, 4)), "dtype")):
        write_params(params, {"w": tvm.nd.array(wrong)})
        with pytest.raises(SurgeryError) as caught:
            load(str(model), str(params))
        (found,) = caught.value.diagnostics
        assert found.code == "S510"
        assert "'w' is " in found.message
        assert "needs float32(3,4)" in found.message
        assert f"the {what} differs" in found.reason


def test_unknown_weights_are_left_out_with_the_nearest_name() -> None:
    model = adopt(dense("encoder/kernel"), {
        "encoder/kernle": np.ones((3, 4), "float32"), "encoder/kernel": np.ones((3, 4), "float32"),
    })  # fmt: skip
    assert list(model.params) == ["encoder/kernel"]
    (note,) = model.notes
    assert "'encoder/kernle'" in note
    assert "nearest: 'encoder/kernel'" in note


def test_many_unknown_weights_make_few_notes() -> None:
    extra = {f"u{i}": np.ones(1, "float32") for i in range(30)}
    model = adopt(dense(), {"w": np.ones((3, 4), "float32"), **extra})
    assert len(model.notes) == 6
    assert "25 more" in model.notes[-1]


def test_many_weights_that_do_not_fit_are_told_in_short() -> None:
    names = [f"w{i:02}" for i in range(20)]
    variables = [relay.var(n, shape=(2,)) for n in names]
    function = relay.Function(variables, relay.Tuple(variables))
    with pytest.raises(SurgeryError) as caught:
        adopt(tvm.IRModule.from_expr(function), {n: np.ones(2, "float64") for n in names})
    found = caught.value.diagnostics
    assert [d.code for d in found] == ["S510"] * 8
    assert found[-1].notes == ("12 more weights don't fit either",)


@pytest.mark.parametrize(
    ("given", "reason", "note"),
    [
        (["conv1/kernel", "conv1/bias"], "it holds 'conv1/kernel', 'conv1/bias'", ""),
        (
            ["module.kernel"],
            "the file's names begin with 'module.'",
            "'module.kernel': nearest is 'kernel'",
        ),
        (["kernel:0"], "the file's names end with ':0'", "'kernel:0': nearest is 'kernel'"),
    ],
)
def test_weights_of_another_model_are_refused(given: list[str], reason: str, note: str) -> None:
    with pytest.raises(SurgeryError) as caught:
        adopt(dense("kernel"), {name: np.ones((3, 4), "float32") for name in given})
    (found,) = caught.value.diagnostics
    assert found.code == "S512"
    assert f"none of its {len(given)} weights is a parameter of the model" in found.message
    assert found.reason.startswith(reason)
    if note:
        assert note in found.notes


def test_the_model_has_the_longer_names() -> None:
    with pytest.raises(SurgeryError) as caught:
        adopt(dense("bert/encoder/w"), {"encoder/w": np.ones((3, 4), "float32")})
    assert caught.value.diagnostics[0].reason.startswith("the model's names begin with 'bert/'")


def _norm() -> tvm.IRModule:
    x = relay.var("x", shape=(1, 3, 2, 2))
    weights = [relay.var(n, shape=(3,)) for n in ("gamma", "beta", "mean", "var")]
    return tvm.IRModule.from_expr(
        relay.Function([x, *weights], relay.nn.batch_norm(x, *weights)[0])
    )


def test_weights_that_are_missing_or_misspelt_are_a_warning() -> None:
    ones = np.ones(3, "float32")
    model = adopt(_norm(), {"gama": ones, "beta": ones, "mean": ones})
    misspelt, missing = model.warnings
    assert "no parameter 'gama' (nearest: 'gamma', of the same type)" in misspelt
    assert "it has no 'var', though" in missing and "(nn.batch_norm)" in missing
    assert not adopt(_norm(), dict.fromkeys(("gamma", "beta", "mean", "var"), ones)).warnings


def test_weights_for_every_input_are_a_warning(tmp_path: Path) -> None:
    values = {"x": np.ones((1, 4), "float32"), "w": np.ones((3, 4), "float32")}
    (warning,) = adopt(dense(), values).warnings
    assert "nothing is fed at run time" in warning
    params = tmp_path / "p.npz"
    np.savez(params)
    (tmp_path / "m.json").write_text(tvm.ir.save_json(dense()))
    (warning,) = load(str(tmp_path / "m.json"), str(params)).warnings
    assert "holds no weights" in warning


def test_a_weight_without_value_is_a_runtime_input() -> None:
    model = adopt(dense(), {})
    assert model.module.main.kinds[:2] == ["input", "input"]


def test_a_dynamic_dimension_takes_any_extent() -> None:
    x, w = relay.var("x", shape=(1, 4)), relay.var("w", shape=(relay.Any(), 4))
    ir = tvm.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))
    assert list(adopt(ir, {"w": np.ones((7, 4), "float32")}).params) == ["w"]


@pytest.mark.parametrize(
    ("printed", "known", "original"),
    [("v_x", {"_x"}, "_x"), ("v1x", {"1x"}, "1x"), ("v_x", {"v_x", "_x"}, "v_x"),
     ("v_x", set(), "v_x"), ("vx", {"x"}, "vx"), ("v\u00e9", {"\u00e9"}, "\u00e9"),
     ("v", {""}, "v")],
)  # fmt: skip
def test_names_that_the_printer_changed(printed: str, known: set[str], original: str) -> None:
    assert original_name(printed, dict.fromkeys(known)) == original


def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    for write in (write_params, write_safetensors):
        with pytest.raises(SurgeryError) as caught:
            write(tmp_path / "no" / "w.bin", {"w": tvm.nd.array(np.ones(2))})
        assert caught.value.diagnostics[0].code == "S514"
        assert "No such file" in caught.value.diagnostics[0].reason


def test_weights_are_never_held_twice(tmp_path: Path) -> None:
    """Reading and writing 128 MiB costs at most 1.3 times that much memory, for each format."""
    code = """
import resource, sys
import tvm
from surgery.engines.relay.params import read_params, write_params, write_safetensors
path, size = sys.argv[1], 16
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
import numpy, safetensors
weights = {f"w{i}": tvm.nd.empty((1024, 2048), "float32") for i in range(size)}
for array in weights.values():
    array.copyfrom(numpy.ones(array.shape, "float32"))
start = peak()
write_params(path + ".a", weights)
write_safetensors(path + ".b", weights)
wrote = peak() - start
del weights
found = read_params(path + ".a")
del found
found = read_params(path + ".b")
print(wrote, peak() - start)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "w")],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    wrote, grown = map(float, done.stdout.split())
    assert wrote < 16
    assert grown < 128 * 0.3

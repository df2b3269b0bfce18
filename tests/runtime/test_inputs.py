"""Inputs: checked by name, shape and type; or made up, the same every time."""

from __future__ import annotations

import hashlib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgery.diagnostics import Diagnostic, SurgeryError
from surgery.recipe import RecipeTensor
from surgery.runtime import check_inputs, load_npz, numpy_dtype, random_inputs, save_npz


def tensor(name: str, shape: tuple[int | str, ...], dtype: str = "float32") -> RecipeTensor:
    return RecipeTensor(name=name, shape=shape, dtype=dtype)


IDS = tensor("input_ids", (1, 4), "int64")
MASK = tensor("mask", (1, 1, 4))


def faults(wanted: list[RecipeTensor], given: dict[str, object]) -> list[Diagnostic]:
    with pytest.raises(SurgeryError) as failure:
        check_inputs(wanted, given)
    return list(failure.value.diagnostics)


def test_good_inputs_in_the_recipes_order() -> None:
    mask = np.ones((1, 1, 4), "float32")
    checked = check_inputs([IDS, MASK], {"mask": mask, "input_ids": np.zeros((1, 4), "int64")})
    assert list(checked) == ["input_ids", "mask"]
    assert checked["mask"] is mask, "not copied without need"


def test_every_fault_is_reported_at_once() -> None:
    found = faults(
        [IDS, MASK, tensor("extra", (2,))],
        {"input_idx": np.zeros(1), "mask": np.ones((1, 4, 1), "float64")},
    )
    assert sorted(d.code for d in found) == ["S582", "S582", "S583", "S584", "S585"]
    by_code = {d.code: d for d in found}
    assert by_code["S583"].remedy == "did you mean 'input_ids'?"
    assert 'astype("float32")' in by_code["S585"].remedy
    assert "shape (1,4,1), the model takes (1,1,4)" in by_code["S584"].message
    assert [d.message for d in found if d.code == "S582"] == [
        "input 'input_ids' is missing: int64(1,4)",
        "input 'extra' is missing: float32(2)",
    ]


@pytest.mark.parametrize(
    ("shape", "hint"),
    [((4,), "reshape(1,1,4)"), ((1, 1, 5), "bind"), ((1, 1, 1, 4), "reshape(1,1,4)"), ((), "bind")],
)
def test_wrong_shape(shape: tuple[int, ...], hint: str) -> None:
    (found,) = faults([MASK], {"mask": np.zeros(shape, "float32")})
    assert found.code == "S584" and hint in found.remedy


@pytest.mark.parametrize("dtype", ["float64", "int32", "float16", "bool", "uint64", "complex64"])
def test_types_are_exact(dtype: str) -> None:
    (found,) = faults([IDS], {"input_ids": np.zeros((1, 4), dtype)})
    assert found.code == "S585"
    assert f"has type {dtype}, the model takes int64" in found.message


def test_layout_and_byte_order_do_not_matter() -> None:
    want = tensor("x", (2, 3))
    values = np.arange(6, dtype="float32").reshape(3, 2)
    for value in (values.T, values.T.astype(">f4"), np.asfortranarray(values.T)):
        (got,) = check_inputs([want], {"x": value}).values()
        assert got.flags.c_contiguous and got.dtype == np.dtype("float32")
        assert got.dtype.isnative
        np.testing.assert_array_equal(got, values.T)


def test_scalars_stay_scalars_and_lists_are_arrays() -> None:
    (got,) = check_inputs([tensor("x", ())], {"x": np.float32(2)}).values()
    assert got.shape == () and got == 2
    (got,) = check_inputs([IDS], {"input_ids": [[1, 2, 3, 4]]}).values()
    assert got.dtype == np.int64
    (found,) = faults([IDS], {"input_ids": [[1], [2, 3]]})
    assert found.code == "S584"


def test_extents_that_are_not_static_take_any_size() -> None:
    want = tensor("x", ("?", 3))
    for rows in (0, 1, 7):
        (got,) = check_inputs([want], {"x": np.zeros((rows, 3), "float32")}).values()
        assert got.shape == (rows, 3)
    assert faults([want], {"x": np.zeros((2, 4), "float32")})[0].code == "S584"
    assert faults([want], {"x": np.zeros(3, "float32")})[0].code == "S584"


def test_bfloat16_through_a_file(tmp_path: Path) -> None:
    value = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    save_npz(tmp_path / "x.npz", {"x": value})
    (got,) = check_inputs([tensor("x", (2,), "bfloat16")], load_npz(tmp_path / "x.npz")).values()
    assert got.dtype == value.dtype
    np.testing.assert_array_equal(got, value)


def test_types_numpy_does_not_have() -> None:
    assert numpy_dtype("bfloat16") == np.dtype(ml_dtypes.bfloat16)
    assert numpy_dtype("float8_e5m2") == np.dtype(ml_dtypes.float8_e5m2)
    assert numpy_dtype("e4m3_float8") == np.dtype(ml_dtypes.float8_e4m3fn)
    for name in ("handle", "custom[posit]8", "finfo"):
        with pytest.raises(SurgeryError) as failure:
            numpy_dtype(name)
        assert failure.value.diagnostics[0].code == "S589"


# ---------------------------------------------------------------- made-up inputs


def test_random_inputs_by_type() -> None:
    wanted = [
        tensor("f", (200, 50)), tensor("h", (1000,), "float16"), tensor("d", (10,), "float64"),
        tensor("i", (1000,), "int32"), tensor("u", (1000,), "uint8"), tensor("b", (1000,), "bool"),
        tensor("s", (), "float32"), tensor("empty", (0, 3)), tensor("bf", (50,), "bfloat16"),
    ]  # fmt: skip
    made = random_inputs(wanted, seed=1)
    check_inputs(wanted, made)
    assert abs(float(made["f"].mean())) < 0.05 and abs(float(made["f"].std()) - 1) < 0.05
    for name in "iub":
        assert set(np.unique(made[name]).tolist()) == {0, 1}


def test_bounds_hold_and_are_reached() -> None:
    wanted = [tensor("ids", (5000,), "int64"), tensor("small", (500,), "int8"), tensor("f", (99,))]
    made = random_inputs(
        wanted, 0, {"ids": (0, 30522), "small": (0, 1000), "f": (0, 7), "other": (0, 1)}
    )
    assert made["ids"].min() >= 0 and 29_000 < made["ids"].max() < 30522
    assert 100 < made["small"].max() <= 127, "clamped to what the type holds"
    assert set(np.unique(made["f"]).tolist()) == set(range(7)), "whole numbers: they are indices"
    assert random_inputs([tensor("x", (3,), "int32")], 0, {"x": (5, 5)})["x"].tolist() == [5, 5, 5]


@given(st.permutations(["a", "b", "c"]), st.integers(-(2**70), 2**70))
def test_values_depend_on_seed_and_name_only(order: list[str], seed: int) -> None:
    wanted = {"a": tensor("a", (3,)), "b": tensor("b", (2, 2), "int32"), "c": tensor("c", (3,))}
    made = random_inputs([wanted[n] for n in order], seed)
    alone = random_inputs([wanted["c"]], seed)
    np.testing.assert_array_equal(made["c"], alone["c"])
    assert not np.array_equal(made["a"], made["c"])
    other = random_inputs([wanted["c"]], seed + 1)
    assert not np.array_equal(made["c"], other["c"])


def test_values_are_the_same_in_every_release() -> None:
    """The seed in a spec stands for certain numbers; a change of them must be deliberate."""
    made = random_inputs([tensor("x", (4,)), tensor("ids", (8,), "int32")], 0, {"ids": (0, 100)})
    digest = hashlib.sha256(made["x"].tobytes() + made["ids"].tobytes()).hexdigest()
    assert digest[:16] == "2cb17cb68a59e7c3"


def test_shapes_that_are_not_static_are_refused() -> None:
    with pytest.raises(SurgeryError) as failure:
        random_inputs([tensor("x", (1, "?"))])
    (only,) = failure.value.diagnostics
    assert only.code == "S589" and "bind x" in only.remedy

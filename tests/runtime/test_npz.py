"""Reading and writing named arrays."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from surgery.diagnostics import SurgeryError
from surgery.runtime import load_npz, save_npz


def code_and_reason(path: Path) -> tuple[str, str]:
    with pytest.raises(SurgeryError) as failure:
        load_npz(path)
    (only,) = failure.value.diagnostics
    return only.code, only.reason


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20),
        st.sampled_from(["float32", "int64", "bool", "float16", "uint8"]).flatmap(
            lambda d: arrays(d, array_shapes(min_dims=0, min_side=0, max_side=4))
        ),
        max_size=4,
    )
)
@settings(max_examples=60, deadline=None)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]) -> None:
    path = tmp_path_factory.mktemp("npz") / "x.npz"
    save_npz(path, values)  # type: ignore[arg-type]
    back = load_npz(path)
    assert list(back) == list(values)
    for name, value in values.items():
        assert isinstance(value, np.ndarray)
        assert back[name].dtype == value.dtype and back[name].shape == value.shape
        np.testing.assert_array_equal(back[name], value)


def test_names_that_numpy_savez_cannot_take(tmp_path: Path) -> None:
    values = {"file": np.ones(2), "allow_pickle": np.zeros(3), "bert/x:0": np.array(5)}
    save_npz(tmp_path / "x.npz", values)
    assert set(np.load(tmp_path / "x.npz").files) == set(values)


def test_same_arrays_same_bytes_and_whole_or_not(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    save_npz(path, {"a": np.arange(3)})
    first = path.read_bytes()
    save_npz(path, {"a": np.arange(3)})
    assert path.read_bytes() == first
    with pytest.raises(ValueError, match="allow_pickle"):
        save_npz(path, {"a": np.array([object()])})
    assert path.read_bytes() == first
    assert os.listdir(tmp_path) == ["x.npz"]


def test_reads_what_numpy_writes(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "x.npz", a=np.eye(3), b=np.asfortranarray(np.ones((2, 3))))
    assert load_npz(tmp_path / "x.npz")["b"].shape == (2, 3)


def test_missing_or_folder(tmp_path: Path) -> None:
    assert code_and_reason(tmp_path / "no.npz")[0] == "S580"
    assert code_and_reason(tmp_path)[0] == "S580"


def test_single_array_without_a_name(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(3))
    assert code_and_reason(tmp_path / "x.npy") == (
        "S581",
        "it is an .npy file; arrays are found by name",
    )


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, (f"touch {tmp_path / 'owned'}",)

    np.savez(tmp_path / "x.npz", a=np.array([Evil()], dtype=object))
    code, reason = code_and_reason(tmp_path / "x.npz")
    assert code == "S581" and "pickled" in reason
    (tmp_path / "raw.npz").write_bytes(b"\x80\x04pickle")
    assert code_and_reason(tmp_path / "raw.npz")[0] == "S581"
    assert not (tmp_path / "owned").exists()


def test_broken_at_every_length(tmp_path: Path) -> None:
    save_npz(tmp_path / "x.npz", {"a": np.arange(10.0), "b": np.ones((2, 2), "int8")})
    whole = (tmp_path / "x.npz").read_bytes()
    for end in range(0, len(whole), 7):
        (tmp_path / "cut.npz").write_bytes(whole[:end])
        assert code_and_reason(tmp_path / "cut.npz")[0] == "S581"


def test_damaged_bytes_and_foreign_members(tmp_path: Path) -> None:
    save_npz(tmp_path / "x.npz", {"a": np.zeros(1000, "uint8")})
    whole = bytearray((tmp_path / "x.npz").read_bytes())
    whole[600] ^= 0xFF
    (tmp_path / "bad.npz").write_bytes(whole)
    code, reason = code_and_reason(tmp_path / "bad.npz")
    assert code == "S581" and "'a'" in reason
    with zipfile.ZipFile(tmp_path / "zip.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert code_and_reason(tmp_path / "zip.npz") == ("S581", "'readme.txt' is not an array")


def test_bfloat16_keeps_its_bytes(tmp_path: Path) -> None:
    value = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    save_npz(tmp_path / "x.npz", {"a": value})
    assert load_npz(tmp_path / "x.npz")["a"].tobytes() == value.tobytes()


def test_empty_file_is_not_an_archive(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"")
    assert code_and_reason(tmp_path / "x.npz")[0] == "S581"
    save_npz(tmp_path / "none.npz", {})
    assert load_npz(tmp_path / "none.npz") == {}
    assert zipfile.is_zipfile(io.BytesIO((tmp_path / "none.npz").read_bytes()))

"""Where items come from and go to: batches, numbered arrays, folders; and what is none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surgery.recipe import RecipeTensor
from surgery.runtime import load_npz, save_npz
from surgery.runtime.pipeline.streams import FileSink, FolderSink, Stream, one_item, open_stream
from tests.runtime.pipeline.fakes import fault

INPUTS = (
    RecipeTensor(name="x", shape=(2, 3), dtype="float32"),
    RecipeTensor(name="ids", shape=("?",), dtype="int64"),
)


def x(*shape: int) -> Any:
    return np.arange(int(np.prod(shape)), dtype="float32").reshape(shape)


IDS = np.arange(4)


def stream_of(tmp_path: Path, **arrays: Any) -> Stream:
    save_npz(tmp_path / "in.npz", arrays)
    return open_stream(tmp_path / "in.npz", INPUTS)


def same(stream: Stream, expected: list[dict[str, Any]]) -> None:
    for _ in range(2):  # a stream can be read again
        found = list(stream.read())
        assert len(found) == stream.count == len(expected)
        for got, want in zip(found, expected, strict=True):
            assert got.keys() == want.keys()
            for name, value in want.items():
                np.testing.assert_array_equal(got[name], value)
                assert got[name].dtype == value.dtype


def test_one_item(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, x=x(2, 3), ids=IDS)
    assert stream.single is not None
    same(stream, [{"x": x(2, 3), "ids": IDS}])
    same(one_item({"x": x(2, 3)}), [{"x": x(2, 3)}])


def test_a_leading_axis_is_that_of_items(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, x=x(5, 2, 3), ids=np.tile(IDS, (5, 1)))
    assert stream.single is None
    same(stream, [{"x": x(5, 2, 3)[n], "ids": IDS} for n in range(5)])
    assert stream.name(4) == "000004.npz"


def test_what_has_no_such_axis_is_the_same_for_all(tmp_path: Path) -> None:
    same(
        stream_of(tmp_path, x=x(3, 2, 3), ids=IDS),
        [{"x": x(3, 2, 3)[n], "ids": IDS} for n in range(3)],
    )


def test_numbered_arrays(tmp_path: Path) -> None:
    arrays = {f"ids_{n}": np.arange(n) for n in (10, *range(10))}
    same(
        stream_of(tmp_path, x=x(11, 2, 3), **arrays),
        [{"x": x(11, 2, 3)[n], "ids": np.arange(n)} for n in range(11)],
    )


def test_an_input_whose_name_ends_in_a_number(tmp_path: Path) -> None:
    inputs = tuple(RecipeTensor(name=f"t_{n}", shape=(2,), dtype="float32") for n in range(2))
    save_npz(tmp_path / "in.npz", {"t_0": x(2), "t_1": x(2)})
    assert open_stream(tmp_path / "in.npz", inputs).single is not None
    save_npz(tmp_path / "in.npz", {f"t_{n}_{k}": x(2) + k for n in range(2) for k in range(3)})
    found = list(open_stream(tmp_path / "in.npz", inputs).read())
    assert [i["t_1"][0] for i in found] == [0, 1, 2]


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        ({"x": x(5, 2, 3), "ids": np.tile(IDS, (4, 1))}, "there are 5 of 'x', 4 of 'ids'"),
        ({"x": x(2, 2, 3), "ids_0": IDS}, "there are 2 of 'x', 1 of 'ids'"),
        ({"x_0": x(2, 3), "x_2": x(2, 3), "ids": IDS}, "x_1 is missing, x_2 is there"),
        ({"x": x(0, 2, 3), "ids": IDS}, "the leading axis of its arrays is empty"),
    ],
)
def test_no_stream(tmp_path: Path, arrays: dict[str, Any], reason: str) -> None:
    seen = fault(lambda: stream_of(tmp_path, **arrays))
    assert seen.code == "S579"
    assert seen.reason == reason


def test_other_faults_are_those_of_the_item(tmp_path: Path) -> None:
    """What isn't as the model takes it, nor with an axis more, is left to the check of inputs."""
    stream = stream_of(tmp_path, x=x(5, 2, 3), z=x(1), ids=IDS)
    assert {"x", "z", "ids"} == set(next(stream.read()))


def test_a_folder_has_an_item_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for n in (10, 9, 100):
        save_npz(folder / f"shot{n}.npz", {"x": x(2, 3) + n, "ids": IDS})
    (folder / "notes.txt").write_text("no item")
    stream = open_stream(folder, INPUTS)
    same(stream, [{"x": x(2, 3) + n, "ids": IDS} for n in (9, 10, 100)])
    assert [stream.name(n) for n in range(3)] == ["shot9.npz", "shot10.npz", "shot100.npz"]
    save_npz(folder / "shot10.npz", {"x": x(2, 3), "ids": x(4)})
    reading = stream.read()
    next(reading)
    seen = fault(lambda: next(reading))
    assert seen.code == "S585"
    assert seen.message.startswith("item 1 (shot10.npz): input 'ids' has type float32")
    (folder / "shot10.npz").write_bytes(b"PK and no more")
    reading = stream.read()
    next(reading)
    assert fault(lambda: next(reading)).code == "S581"


def test_a_folder_without_items(tmp_path: Path) -> None:
    assert fault(lambda: open_stream(tmp_path, INPUTS)).code == "S579"
    assert fault(lambda: open_stream(tmp_path / "none.npz", INPUTS)).code == "S580"


def test_outputs_in_one_file(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "out.npz")
    for n in range(3):
        sink.add({"y": x(2) + n, "any": x(n)})
    sink.finish()
    found = load_npz(tmp_path / "out.npz")
    assert sorted(found) == ["any_0", "any_1", "any_2", "y"]
    np.testing.assert_array_equal(found["y"], [[0, 1], [1, 2], [2, 3]])
    np.testing.assert_array_equal(found["any_2"], [0, 1])


def test_outputs_in_a_folder(tmp_path: Path) -> None:
    stream = Stream(count=2, read=lambda: iter(()), names=("a.npz", "b.npz"))
    sink = FolderSink(tmp_path / "new" / "out", stream)
    for n in range(2):
        sink.add({"y": x(2) + n})
        assert sink.written == n + 1
    sink.finish()
    np.testing.assert_array_equal(load_npz(tmp_path / "new" / "out" / "b.npz")["y"], [1, 2])
    seen = fault(lambda: FolderSink(tmp_path / "new" / "out", stream))
    assert seen.code == "S561"
    (tmp_path / "file").write_text("")
    assert fault(lambda: FolderSink(tmp_path / "file", stream)).code == "S563"

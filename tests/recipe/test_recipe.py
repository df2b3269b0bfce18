"""The recipe: from a plan, to a file, and back, with every way it can be wrong."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from surgery.diagnostics import SurgeryError
from surgery.planning.model import PipelinePlan
from surgery.recipe import (
    FileReference,
    FromInput,
    FromStage,
    Recipe,
    check_files,
    file_sha256,
    read_recipe,
    recipe_folder,
    recipe_from_json,
    recipe_json,
    with_library_hashes,
    write_recipe,
)
from tests.recipe.plans import HASH, save_stages, two_stage_plan, two_stage_recipe


def codes(failure: pytest.ExceptionInfo[SurgeryError]) -> list[str]:
    return [d.code for d in failure.value.diagnostics]


def test_recipe_of_a_plan(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    assert [i.name for i in recipe.inputs] == ["x"]
    # Two public outputs may be one output of one stage, in the order the plan has them.
    assert [(o.name, o.stage, o.output) for o in recipe.outputs] == [
        ("out0", 1, "out0"),
        ("hidden", 0, "hidden"),
        ("again", 0, "hidden"),
    ]
    first, second = recipe.stages
    assert first.inputs[0].origin == FromInput(input="x")
    # The consumer's own name of a crossing value may differ from its producer's.
    assert (second.inputs[0].name, second.inputs[0].origin) == (
        "mask",
        FromStage(stage=0, output="hidden"),
    )
    assert (first.library, second.library) == ("lib/stage0.so", "lib/stage1.so")
    assert second.config == {"relay.FuseOps.max_depth": 4, "a": (1, 2)}
    assert second.disabled_passes == ("FoldX",)
    (backend,) = recipe.backends
    (region,) = backend.regions
    assert (backend.name, backend.kind) == ("bmlib", "tvm")
    assert region.ops == ("nn.dense", "add")
    assert region.stage == 1
    assert [c.embedded for c in region.constants] == [True]
    # A kernel's parameter names are unique: its argument is called "output" already.
    assert [o.name for o in region.outputs] == ["output_"]


@pytest.mark.parametrize("depth", [None, 4])
def test_what_drives_the_stages(tmp_path: Path, depth: int | None) -> None:
    plan = replace(two_stage_plan(), pipeline=PipelinePlan(on="processes", depth=depth))
    here = FileReference.portable("model.json", HASH)
    recipe = Recipe.from_plan(
        plan, save_stages(tmp_path), tvm_version="0.19.0", spec=here, model=here
    )
    assert recipe_json(recipe)["pipeline"] == {"on": "processes", "depth": depth}
    write_recipe(recipe, tmp_path)
    assert read_recipe(tmp_path) == recipe
    data = recipe_json(recipe)
    data["pipeline"] = {"on": "clouds"}
    (tmp_path / "recipe.json").write_text(json.dumps(data))
    with pytest.raises(SurgeryError) as failure:
        read_recipe(tmp_path)
    assert codes(failure) == ["S552"]


def test_a_merged_region_lists_its_kernel_calls(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    (region,) = recipe_json(recipe)["backends"][0]["regions"]
    vector = {"shape": [1, 4], "dtype": "float32"}
    dense, add = region["composites"]
    assert dense == {
        "name": "bmlib.dense", "kernel": "bmlib_dense_k0", "pattern": "nn.dense_",
        "ops": ["nn.dense"],
        "inputs": [{"name": "data", **vector, "from": {"input": "output"}}],
        "constants": [
            {"name": "weight", "shape": [4, 4], "dtype": "float32", "from": {"constant": "w"}}
        ],
        "outputs": [{"name": "output", **vector}],
    }  # fmt: skip
    assert [i["from"] for i in add["inputs"]] == [
        {"composite": 0, "output": "output"}, {"input": "output"},
    ]  # fmt: skip
    assert recipe_from_json(recipe_json(recipe)) == recipe


def test_a_recipe_without_kernel_calls_is_read(tmp_path: Path) -> None:
    data = recipe_json(two_stage_recipe(tmp_path))
    del data["backends"][0]["regions"][0]["composites"]
    assert recipe_from_json(data).backends[0].regions[0].composites == ()


def test_json_keys_are_the_contract(tmp_path: Path) -> None:
    data = recipe_json(two_stage_recipe(tmp_path))
    assert list(data) == [
        "recipe", "engine", "tvm", "spec", "model", "params", "inputs", "outputs", "stages",
        "backends",
    ]  # fmt: skip
    assert data["recipe"] == 1
    assert data["spec"] == {"path": "specs/bert.surgery", "sha256": HASH}
    assert data["model"]["path"] == "bert.json", "no absolute path of this machine"
    assert data["inputs"] == [{"name": "x", "shape": [1, 4], "dtype": "float32"}]
    assert data["outputs"][1] == {
        "name": "hidden", "shape": [1, 4], "dtype": "float32", "stage": 0, "output": "hidden",
    }  # fmt: skip
    assert set(data["stages"][1]) == {
        "name", "module", "params", "sha256", "inputs", "outputs", "target", "opt_level",
        "executor", "config", "disabled_passes", "library", "threads",
    }  # fmt: skip
    assert data["stages"][0]["inputs"][0]["from"] == {"input": "x"}
    assert data["stages"][1]["inputs"][0]["from"] == {"stage": 0, "output": "hidden"}
    assert set(data["backends"][0]["regions"][0]) == {
        "symbol", "pattern", "ops", "stage", "inputs", "constants", "outputs", "composites",
    }  # fmt: skip


def test_file_is_deterministic_and_reads_back(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    path = write_recipe(recipe, tmp_path)
    first = path.read_bytes()
    assert first.endswith(b"}\n") and b"\r" not in first
    reordered = replace(
        recipe,
        stages=tuple(
            replace(
                s,
                sha256=dict(reversed(list(s.sha256.items()))),
                config=dict(reversed(list(s.config.items()))),
            )
            for s in recipe.stages
        ),
    )
    write_recipe(reordered, tmp_path)
    assert path.read_bytes() == first
    for given in (tmp_path, path):
        read = read_recipe(given)
        assert read == recipe
        assert read.notes == ()
    assert recipe_folder(path) == recipe_folder(tmp_path) == tmp_path


def test_names_outside_ascii_and_with_slashes(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    name = "bert/encoder/layer_._3/été:0"
    recipe = replace(recipe, outputs=(replace(recipe.outputs[0], name=name),))
    path = write_recipe(recipe, tmp_path)
    assert "été" in path.read_text(encoding="utf-8")
    assert read_recipe(tmp_path).outputs[0].name == name


def test_a_model_in_memory_has_no_hash(tmp_path: Path) -> None:
    recipe = replace(two_stage_recipe(tmp_path), model=FileReference.portable("<memory>", ""))
    write_recipe(recipe, tmp_path)
    assert read_recipe(tmp_path).model == FileReference(path="<memory>", sha256="")


def test_a_plan_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    plan = two_stage_plan()
    broken = replace(plan, stages=(replace(plan.stages[0], outputs=()), plan.stages[1]))
    saved: Any = [None, None]
    with pytest.raises(ValueError, match="1 were saved"):
        type(recipe).from_plan(
            plan, saved[:1], tvm_version="", spec=recipe.spec, model=recipe.model
        )
    from tests.recipe.plans import save_stages

    with pytest.raises(ValueError, match="no output for the stage input 'mask'"):
        type(recipe).from_plan(
            broken, save_stages(tmp_path / "again"), tvm_version="", spec=recipe.spec,
            model=recipe.model,
        )  # fmt: skip


def test_portable_reference() -> None:
    assert FileReference.portable("a/b.json", HASH).path == "a/b.json"
    assert FileReference.portable("/somewhere/else/a/b.json", HASH).path == "b.json"
    assert FileReference.portable("<command line>", HASH).path == "<command line>"


# ---------------------------------------------------------------- reading what is wrong


@pytest.fixture
def good(tmp_path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        write_recipe(two_stage_recipe(tmp_path), tmp_path).read_text()
    )
    return data


def edit(data: dict[str, Any], where: list[str | int], value: object) -> dict[str, Any]:
    data = copy.deepcopy(data)
    at: Any = data
    for key in where[:-1]:
        at = at[key]
    if value is ...:
        del at[where[-1]]
    else:
        at[where[-1]] = value
    return data


def read_data(folder: Path, data: object) -> Any:
    (folder / "recipe.json").write_text(json.dumps(data))
    return read_recipe(folder)


@pytest.mark.parametrize(
    ("where", "value", "place"),
    [
        (["stages"], [], "stages"),
        (["engine"], ..., "'engine' is a required property"),
        (["inputs", 0, "shape"], "1,4", "inputs[0].shape"),
        (["inputs", 0, "shape", 0], -1, "inputs[0].shape[0]"),
        (["inputs", 0, "shape", 0], 1.5, "inputs[0].shape[0]"),
        (["inputs", 0, "dtype"], "", "inputs[0].dtype"),
        (["inputs", 0, "name"], "", "inputs[0].name"),
        (["outputs", 0, "stage"], "0", "outputs[0].stage"),
        (["stages", 0, "module"], "../other/module.json", "stages[0].module"),
        (["stages", 0, "module"], "/etc/passwd", "stages[0].module"),
        (["stages", 0, "module"], "C:/module.json", "stages[0].module"),
        (["stages", 0, "library"], "lib/../../x.so", "stages[0].library"),
        (["stages", 0, "library"], "lib\\x.so", "stages[0].library"),
        (["stages", 1, "params"], 3, "stages[1].params"),
        (["stages", 0, "sha256", "stages/0/module.json"], "abc", "stages[0].sha256"),
        (["stages", 0, "executor"], "interpreter", "stages[0].executor"),
        (["stages", 0, "opt_level"], -1, "stages[0].opt_level"),
        (["stages", 0, "config"], {"x": {"y": 1}}, "stages[0].config.x"),
        (["stages", 0, "inputs", 0, "from"], {"stage": 0}, "stages[0].inputs[0].from"),
        (["stages", 0, "outputs", 0, "public"], 1, "stages[0].outputs[0].public"),
        (["backends", 0, "kind"], "magic", "backends[0].kind"),
        (["backends", 0, "regions", 0, "symbol"], ..., "backends[0].regions[0]"),
        (
            ["backends", 0, "regions", 0, "composites", 1, "inputs", 0, "from"],
            {"composite": 0},
            "composites[1].inputs[0].from",
        ),
        # What the schema cannot say:
        (["stages", 1, "inputs", 0, "from"], {"stage": 1, "output": "out0"}, "runs later"),
        (["stages", 1, "inputs", 0, "from"], {"stage": 0, "output": "nope"}, "'nope' of stage 0"),
        (["stages", 0, "inputs", 0, "from"], {"input": "y"}, "model input 'y'"),
        (["stages", 1, "inputs", 0, "shape"], [1, 5], "float32(1,5)"),
        (["outputs", 0, "stage"], 7, "stage 7"),
        (["outputs", 1, "name"], "out0", "outputs: 'out0' stands twice"),
        (["backends", 0, "regions", 0, "stage"], 2, "'bmlib_0' is in stage 2"),
    ],
)
def test_invalid(
    good: dict[str, Any], tmp_path: Path, where: list[str | int], value: object, place: str
) -> None:
    with pytest.raises(SurgeryError) as failure:
        read_data(tmp_path, edit(good, where, value))
    assert set(codes(failure)) == {"S552"}
    assert any(place in d.reason for d in failure.value.diagnostics), failure.value.diagnostics
    assert failure.value.exit_status == 5


def test_several_faults_are_reported_together(good: dict[str, Any], tmp_path: Path) -> None:
    data = edit(edit(good, ["engine"], 1), ["stages", 0, "target"], None)
    with pytest.raises(SurgeryError) as failure:
        read_data(tmp_path, data)
    assert [d.reason.split(":")[0] for d in failure.value.diagnostics] == [
        "engine",
        "stages[0].target",
    ]


@pytest.mark.parametrize("version", [2, 0, "1", True, None, 1.0])
def test_other_version(good: dict[str, Any], tmp_path: Path, version: object) -> None:
    with pytest.raises(SurgeryError) as failure:
        read_data(tmp_path, {**good, "recipe": version})
    assert codes(failure) == ["S553"]


def test_a_newer_version_is_refused_before_its_keys_are_judged(tmp_path: Path) -> None:
    with pytest.raises(SurgeryError) as failure:
        read_data(tmp_path, {"recipe": 2, "parts": []})
    assert codes(failure) == ["S553"]


def test_no_key_that_is_there_or_null_is_noted(good: dict[str, Any], tmp_path: Path) -> None:
    reference = {"path": "net.params", "sha256": "0" * 64}
    for params in (None, reference):
        assert read_data(tmp_path, edit(good, ["params"], params)).notes == ()
    recipe = read_data(tmp_path, edit(good, ["params"], {**reference, "sha512": ""}))
    (note,) = recipe.notes
    assert "'params.sha512' (near 'sha256')" in note.message


def test_unknown_keys_are_noted(good: dict[str, Any], tmp_path: Path) -> None:
    data = edit(good, ["licence"], "MIT")
    data = edit(data, ["stages", 1, "librarY"], "x")
    recipe = read_data(tmp_path, data)
    assert recipe == recipe_from_json(good)
    assert [(n.code, n.severity) for n in recipe.notes] == [("S554", "note")] * 2
    assert "'stages[1].librarY' (near 'library')" in recipe.notes[0].message
    assert "'licence'" in recipe.notes[1].message


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "truncated"),
        (b'{"recipe": 1, "engine": "re', "Unterminated string"),
        (b'{"recipe": 1,', "truncated"),
        (b'{"recipe": 1 "engine": 2}', "Expecting ',' delimiter"),
        (b"[1, 2]", "some other JSON"),
        (b'{"nodes": []}', "some other JSON"),
        (b'{"recipe": NaN}', "NaN"),
        (b"\x80\x02pickle", "byte 0 is not UTF-8"),
        (b"[" * 100_000, "recursion"),
    ],
)
def test_not_a_recipe(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "recipe.json").write_bytes(data)
    with pytest.raises(SurgeryError) as failure:
        read_recipe(tmp_path)
    assert codes(failure) == ["S551"]
    assert reason in failure.value.diagnostics[0].reason


def test_truncated_at_every_length(good: dict[str, Any], tmp_path: Path) -> None:
    text = json.dumps(good)
    for end in range(0, len(text), 97):
        (tmp_path / "recipe.json").write_text(text[:end])
        with pytest.raises(SurgeryError) as failure:
            read_recipe(tmp_path)
        assert codes(failure) == ["S551"]


def test_syntax_error_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text('{\n  "recipe": 1,\n  "engine" "relay"\n}\n')
    with pytest.raises(SurgeryError) as failure:
        read_recipe(tmp_path)
    span = failure.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (3, 12)


@pytest.mark.parametrize("name", ["", "nowhere", "nowhere/recipe.json"])
def test_no_recipe(tmp_path: Path, name: str) -> None:
    with pytest.raises(SurgeryError) as failure:
        read_recipe(tmp_path / name)
    assert codes(failure) == ["S550"]
    assert "surgery apply" in failure.value.diagnostics[0].remedy


# ---------------------------------------------------------------- integrity


def test_files_as_written_pass(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    check_files(recipe, tmp_path)
    check_files(recipe, tmp_path, to_run=True)


def test_changed_and_missing_files_are_all_named(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    (tmp_path / "stages/0/module.json").unlink()
    (tmp_path / "stages/1/params.bin").write_bytes(b"other weights")
    with pytest.raises(SurgeryError) as failure:
        check_files(recipe, tmp_path)
    assert codes(failure) == ["S556", "S555"]
    assert "params.bin was changed since" in failure.value.diagnostics[1].message
    # A run needs the libraries only, but changed weights mean another model.
    with pytest.raises(SurgeryError) as failure:
        check_files(recipe, tmp_path, to_run=True)
    assert codes(failure) == ["S555"]


def test_library_hashes(tmp_path: Path) -> None:
    recipe = two_stage_recipe(tmp_path)
    assert with_library_hashes(recipe, tmp_path) == recipe
    (tmp_path / "lib").mkdir()
    library = tmp_path / "lib/stage0.so"
    library.write_bytes(b"\x7fELF")
    built = with_library_hashes(recipe, tmp_path)
    assert built.stages[0].sha256["lib/stage0.so"] == file_sha256(library)
    assert "lib/stage1.so" not in built.stages[1].sha256
    check_files(built, tmp_path, to_run=True)
    library.write_bytes(b"\x7fELF, edited")
    check_files(built, tmp_path)  # a build makes it anew
    with pytest.raises(SurgeryError) as failure:
        check_files(built, tmp_path, to_run=True)
    assert codes(failure) == ["S555"]
    assert "surgery build" in failure.value.diagnostics[0].remedy
    library.unlink()
    assert with_library_hashes(built, tmp_path) == recipe

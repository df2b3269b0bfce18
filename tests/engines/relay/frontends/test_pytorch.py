"""PyTorch's files: values, names, and what is refused. `make test-models` installs PyTorch."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surgery
from surgery.api.comparing import compare_models
from surgery.diagnostics import SurgeryError
from surgery.engines.relay.frontends.base import Request
from surgery.engines.relay.frontends.pytorch import FRONTEND
from surgery.graph import TensorType
from tests.engines.relay.frontends import built
from tests.engines.relay.frontends.pytorch_operators import REFUSED, WRITTEN_OUT, cases

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.usefixtures("own_cache")
IMAGE = {"image": TensorType((1, 3, 8, 8), "float32")}


class Block(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 3, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(3)

    def forward(self, x: Any) -> Any:
        # A size that PyTorch knows: what comes of it is simplified away where a file is read.
        return torch.relu(self.norm(self.conv(x))).reshape(x.size(0), 3, 8, 8)


class Net(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(Block() for _ in range(3))
        self.head = torch.nn.Linear(192, 5)
        self.tied = torch.nn.Linear(192, 5)
        self.tied.weight = self.head.weight

    def forward(self, image: Any) -> Any:
        x = image
        for layer in self.layers:
            x = layer(x) + x
        # A tensor made in the program: torch.export leaves copies of it.
        flat = x.flatten(1) * torch.tensor(2.0)
        return self.head(flat), self.tied(flat)


def saved(net: Any, folder: Path, kind: str, *examples: Any) -> Path:
    torch.manual_seed(0)
    path = folder / f"net.{kind}"
    with torch.no_grad():
        if kind == "pt":
            torch.jit.trace(net.eval(), examples).save(str(path))
        else:
            torch.export.save(torch.export.export(net.eval(), examples), path)
    return path


@pytest.fixture(params=["pt", "pt2"])
def net(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    torch.manual_seed(0)
    return saved(Net(), tmp_path, request.param, torch.rand(1, 3, 8, 8))


def refused(path: Path, **types: TensorType) -> Any:
    with pytest.raises(surgery.SurgeryError) as caught:
        surgery.load_model(path, inputs=types)
    return caught.value.diagnostics[0]


def test_values(net: Path, tmp_path: Path) -> None:
    found = compare_models(net, opt_a=0, opt_b=0, types=IMAGE)
    assert found.a.framework and found.verification.passed
    assert [row.name for row in found.verification.rows] == ["out0", "out1"]
    spec = surgery.parse_spec(
        f'model "{net}"; bind image: float32(1,3,8,8); cut after layers.1; build opt 0; verify'
    )
    done = surgery.apply(spec, tmp_path / "out")
    assert done.written and len(done.recipe.stages) == 2
    # By the framework, and the file that the folder was made of.
    assert compare_models(net, tmp_path / "out", types=IMAGE, framework=True).verification.passed


def test_ops_go_by_the_paths_of_modules(net: Path) -> None:
    main = surgery.load_model(net, inputs=IMAGE).module.main
    named = {n for i, n in enumerate(main.names) if main.kinds[i] == "call"}
    assert {f"layers.{i}.{name}" for i in range(3) for name in ("conv.convolution", "relu")} <= {
        name.replace("conv2d", "convolution") for name in named if name
    }
    for layer in range(3):
        ops = [
            main.ops[i]
            for i, name in enumerate(main.names)
            if main.kinds[i] == "call" and (name or "").startswith(f"layers.{layer}.")
        ]
        assert {"nn.conv2d", "nn.batch_norm", "nn.relu"} <= set(ops)


def test_weights_go_by_the_state_dict_and_a_tied_one_is_one(net: Path) -> None:
    params = surgery.load_model(net, inputs=IMAGE).params
    assert {"layers.0.conv.weight", "layers.2.norm.running_mean", "head.bias"} <= params.keys()
    assert len({"head.weight", "tied.weight"} & params.keys()) == 1


def test_torchscript_says_no_types(net: Path) -> None:
    if net.suffix == ".pt2":
        assert surgery.load_model(net).module.main.kinds.count("input") == 1
        return
    found = refused(net)
    assert found.code == "S541" and "bind image" in found.remedy


def test_inputs_of_another_name(net: Path) -> None:
    found = refused(net, **IMAGE, other=TensorType((1,), "float32"))
    assert found.code == "S541" and "image" in found.reason


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_files_that_are_cut_off(net: Path, share: float) -> None:
    data = net.read_bytes()
    net.write_bytes(data[: int(len(data) * share)])
    assert refused(net, **IMAGE).code in ("S501", "S503")


def test_weights_alone_and_pickled_modules(tmp_path: Path) -> None:
    path = tmp_path / "net.pt"
    torch.save(Net().state_dict(), path)
    found = refused(path)
    assert found.code == "S542" and "torch.jit.trace" in found.remedy


class Unknown(torch.nn.Module):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return torch.linalg.det(x)


class Outer(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.inner = Unknown()

    def forward(self, x: Any) -> Any:
        return self.inner(x) + 1


@pytest.mark.parametrize("kind", ["pt", "pt2"])
def test_operators_that_tvm_has_none_for(tmp_path: Path, kind: str) -> None:
    path = saved(Outer(), tmp_path, kind, torch.eye(3))
    found = refused(path, x=TensorType((3, 3), "float32"))
    assert found.code == "S540" and "det" in found.message
    assert any("inner" in note for note in found.notes)


def test_an_archive_that_unpacks_to_far_more(tmp_path: Path) -> None:
    path = saved(Net(), tmp_path, "pt", torch.rand(1, 3, 8, 8))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        inner = archive.namelist()[0].split("/")[0]
        archive.writestr(f"{inner}/data/zeros", bytes(400 << 20))
    assert refused(path, **IMAGE).code == "S544"


def test_one_module_that_is_called_twice(tmp_path: Path) -> None:
    class Twice(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.fc(torch.relu(self.fc(x)))

    path = saved(Twice(), tmp_path, "pt", torch.rand(2, 4))
    types = {"x": TensorType((2, 4), "float32")}
    model = surgery.load_model(path, inputs=types)
    assert sum(n == "fc.linear" for n in model.module.main.names) >= 2
    arrays = {"x": np.ones((2, 4), "float32")}
    assert compare_models(path, opt_a=0, opt_b=0, types=types, inputs=arrays).verification.passed


class One(torch.nn.Module):  # type: ignore[misc]
    """A model of one operator."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        found = self.function(x)
        # torch.export saves no named tuple.
        return tuple(found) if isinstance(found, tuple) else found


@pytest.mark.parametrize("kind", ["pt", "pt2"])
@pytest.mark.parametrize("name", cases(torch))
def test_operator(name: str, kind: str, tmp_path: Path) -> None:
    x = torch.randn(2, 4, 6, 5, generator=torch.Generator().manual_seed(0))
    path = saved(One(cases(torch)[name]), tmp_path, kind, x)
    request = Request(path=path, inputs={"x": TensorType((2, 4, 6, 5), "float32")})
    if name in REFUSED or (kind == "pt" and name in WRITTEN_OUT):
        with pytest.raises(SurgeryError) as caught:
            FRONTEND.convert(request, built.quiet)
        assert caught.value.diagnostics[0].code == "S540"
    else:
        built.compared(FRONTEND, request, {"x": x.numpy()})

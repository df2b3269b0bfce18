"""Random models through passes that drop spans: a name given back is that of an equal value."""

from __future__ import annotations

import numpy as np
import tvm
from hypothesis import given, settings
from hypothesis import strategies as st
from tvm import relay

from surgery.engines.relay.adopt import adopt
from surgery.engines.relay.model import RelayModel
from surgery.engines.relay.naming import named_module
from surgery.engines.relay.prepare import prepare
from tests.properties.interpreter import outputs
from tests.properties.test_random_models import Model, models

PASSES = (
    ("SimplifyInference",), ("FastMath",), ("ToANormalForm", "ToGraphNormalForm"),
    ("CanonicalizeOps", "SimplifyInference"), ("EliminateCommonSubexpr", "SimplifyInference"),
)  # fmt: skip


def named_uniquely(model: Model) -> RelayModel:
    loaded = adopt(model.module, model.weights)
    main = loaded.module.main
    names = {i: f"net/op_{i}" for i, kind in enumerate(main.kinds) if kind == "call"}
    return adopt(named_module(loaded.ir, main, loaded.exprs["main"], names, "test"), model.weights)


def values(model: RelayModel, inputs: dict[str, np.ndarray]) -> list[tuple[str, str, np.ndarray]]:
    """Return name, op and value of each op of one result that has a name."""
    main, exprs = model.module.main, model.exprs["main"]
    picked = [
        i for i, kind in enumerate(main.kinds)
        if kind == "call" and main.names[i] and isinstance(exprs[i].checked_type, tvm.ir.TensorType)
    ]  # fmt: skip
    function = relay.Function(model.ir["main"].params, relay.Tuple([exprs[i] for i in picked]))
    known = inputs | {name: array.numpy() for name, array in model.params.items()}
    found = outputs(tvm.IRModule.from_expr(function), known)
    return [(main.names[i] or "", main.ops[i], v) for i, v in zip(picked, found, strict=True)]


@settings(max_examples=30, deadline=None)
@given(models(), st.sampled_from(PASSES))
def test_a_name_is_that_of_an_equal_value(model: Model, passes: tuple[str, ...]) -> None:
    before = named_uniquely(model)
    after = prepare(before, {}, [(name, ()) for name in passes])
    known = {name: (op, value) for name, op, value in values(before, model.inputs)}
    for name, op, value in values(after, model.inputs):
        if name in known and known[name][0] == op:
            np.testing.assert_allclose(value, known[name][1], rtol=1e-4, atol=1e-5)

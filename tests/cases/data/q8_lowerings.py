"""Lowerings of test_quantised.py, in TVM's quantised arithmetic."""

from tvm import te, tir, topi


def _requantized(total, scale, out_scale, zero, dtype):
    value = te.floor(total.astype("float64") * (scale / out_scale).astype("float64") + 0.5)
    value = value + zero.astype("float64")
    low, high = te.min_value(dtype), te.max_value(dtype)
    value = te.max(te.min(value, high.astype("float64")), low.astype("float64"))
    return value.astype(dtype)


def conv(call, inputs):
    x, w, x_zero, _, _, _, bias, scale, _, out_scale, out_zero = inputs
    out, depth, height, width = (int(n) for n in w.shape)
    moved = te.compute(x.shape, lambda *i: x(*i).astype("int32") - x_zero())
    sides = (0, 0, height // 2, width // 2)
    padded = topi.nn.pad(moved, sides, sides)
    c, v, u = (te.reduce_axis((0, n)) for n in (depth, height, width))
    sums = te.compute(
        (1, out, *x.shape[2:]),
        lambda n, o, i, j: te.sum(
            padded[n, c, i + v, j + u] * w[o, c, v, u].astype("int32"), axis=[c, v, u]
        ),
    )
    dtype = str(call.checked_type.dtype)
    return te.compute(
        sums.shape,
        lambda n, o, i, j: _requantized(
            sums[n, o, i, j] + bias[o], scale[o].astype("float64"), out_scale(), out_zero(), dtype
        ),
    )


def fc(call, inputs):
    x, w, x_zero, _, _, _, bias, scale, _, out_scale, out_zero = inputs
    k = te.reduce_axis((0, int(w.shape[1])))
    sums = te.compute(
        (1, w.shape[0]),
        lambda n, o: te.sum((x[n, k].astype("int32") - x_zero()) * w[o, k].astype("int32"), axis=k),
    )
    dtype = str(call.checked_type.dtype)
    return te.compute(
        sums.shape,
        lambda n, o: _requantized(
            sums[n, o] + bias[o], scale().astype("float64"), out_scale(), out_zero(), dtype
        ),
    )


def qadd(call, inputs):
    a, b, a_scale, a_zero, b_scale, b_zero, out_scale, out_zero = inputs

    def moved(x, scale, zero, *i):
        value = (x(*i).astype("int32") - zero()).astype("float64") * scale().astype("float64")
        return te.floor(value / out_scale().astype("float64") + 0.5).astype("int32") + out_zero()

    def total(*i):
        found = moved(a, a_scale, a_zero, *i) + moved(b, b_scale, b_zero, *i) - out_zero()
        return te.max(te.min(found, tir.const(255, "int32")), tir.const(0, "int32")).astype("uint8")

    return te.compute(a.shape, total)

"""Lowerings of `specs/te_bert.surgery`: a BERT's dense layers and its attention.

The matrix product is written loop by loop, as a compiler vectorises it (`topi.matmul` says the same
in a line, and leaves the loops to surgery); the rest is what TVM's operator library has.
"""

from tvm import te, tir, topi


def product(data, weight):
    """Multiply (rows, depth) by (depth, units).

    A strip of rows stays in the cache while the weight is read once for all of them.
    """
    (rows, depth), (_, units) = (tuple(int(d) for d in t.shape) for t in (data, weight))
    strip = max(s for s in (1, 2, 4, 8) if rows % s == 0)

    def loops(given, made):
        build = tir.ir_builder.create()
        a, w, out = (build.buffer_ptr(b) for b in (*given, *made))
        with build.for_range(0, rows // strip, name="i", kind="parallel") as i:
            with build.for_range(0, strip, name="r") as r, build.for_range(0, units, "j") as j:
                out[i * strip + r, j] = tir.const(0, data.dtype)
            with (
                build.for_range(0, depth, name="k") as k,
                build.for_range(0, strip, name="r", kind="unroll") as r,
                build.for_range(0, units, name="j") as j,
            ):
                row = i * strip + r
                out[row, j] = out[row, j] + a[row, k] * w[k, j]
        return build.get()

    return te.extern((rows, units), [data, weight], loops, dtype=data.dtype, name="product")


def shaped(call, flat):
    """Give a result the shape that its composite has."""
    return topi.reshape(flat, call.checked_type.shape)


def dense(call, inputs):
    """The model stores weights as (depth, units) and transposes them first: not done here."""
    data, weight, bias = inputs
    return shaped(call, topi.add(product(data, weight), bias))


def dense_gelu(call, inputs):
    data, half, weight, bias, one, sqrt2 = inputs
    x = topi.add(product(data, weight), bias)
    gate = topi.add(one, topi.erf(topi.divide(x, sqrt2)))
    return shaped(call, topi.multiply(topi.multiply(half, x), gate))


def attention(call, inputs):
    q, k, mask, v, root = inputs
    heads, rows, _ = q.shape
    columns = k.shape[1]
    scores = topi.reshape(topi.nn.batch_matmul(q, k), (1, heads, rows, columns))
    weights = topi.nn.softmax(topi.add(topi.divide(scores, root), mask), axis=-1)
    weights = topi.reshape(weights, (heads, rows, columns))
    return topi.nn.batch_matmul(weights, topi.transpose(v, (0, 2, 1)))

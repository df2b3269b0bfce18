/* bert.c: kernels of backend bmlib, begun by `surgery stub`.
 *
 * The bodies are filled in with bmlib's own functions; the header says what each computes.
 */
#include "bert.h"

#include "fill.h"

/* transpose>nn.dense>reshape>add to bmlib.dense */
int32_t bmlib_dense_k0(
    const float *data, /* float32(128,768), runtime */
    const float *weight, /* float32(768,768), constant */
    const float *bias, /* float32(768), constant */
    float *out0) /* float32(1,128,768), output */
{
    return DENSE_TRANSPOSED_BIAS(BMLIB_DENSE_K0, NO_ACTIVATION);
}

/* nn.batch_matmul>reshape>divide>add>nn.softmax>reshape>transpose>nn.batch_matmul to bmlib.attention */
int32_t bmlib_attention_k0(
    const float *q, /* float32(12,128,64), runtime */
    const float *k, /* float32(12,128,64), runtime */
    const float *mask, /* float32(1,1,1,128), runtime */
    const float *v, /* float32(12,128,64), runtime */
    const float *root, /* float32(), constant 8.0 */
    float *out0) /* float32(12,128,64), output */
{
    return ATTENTION(BMLIB_ATTENTION_K0);
}

/* transpose>nn.dense>reshape>add>multiply>divide>erf>add>multiply to bmlib.dense_gelu */
int32_t bmlib_dense_gelu_k0(
    const float *data, /* float32(128,768), runtime */
    const float *half, /* float32(), constant 0.5 */
    const float *weight, /* float32(768,3072), constant */
    const float *bias, /* float32(3072), constant */
    const float *one, /* float32(), constant 1.0 */
    const float *sqrt2, /* float32(), constant 1.4142135 */
    float *out0) /* float32(1,128,3072), output */
{
    return GELU_NUMBERS ? DENSE_TRANSPOSED_BIAS(BMLIB_DENSE_GELU_K0, GELU) : UNFIT;
}

/* transpose>nn.dense>reshape>add to bmlib.dense */
int32_t bmlib_dense_k1(
    const float *data, /* float32(128,3072), runtime */
    const float *weight, /* float32(3072,768), constant */
    const float *bias, /* float32(768), constant */
    float *out0) /* float32(1,128,768), output */
{
    return DENSE_TRANSPOSED_BIAS(BMLIB_DENSE_K1, NO_ACTIVATION);
}

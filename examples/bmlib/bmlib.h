/* bmlib: convolutions and dense layers with what usually follows them, float32, NCHW and OIHW.
 *
 * A convolution is im2col and a matrix product of a BLAS (a depthwise one is done directly); bias,
 * batch normalisation, residual and activation are applied while the result is still in the cache.
 * Functions return 0, or 1 when there is no memory for their workspace. They may be called from
 * several threads at once. An `out` overlaps no argument. Nothing is checked: dimensions and steps
 * are positive, `groups` divides `ci` and `co`, and a plane of a result has less than 2^31 elements.
 */
#ifndef BMLIB_CORE_H
#define BMLIB_CORE_H

#include <stdint.h>

typedef struct {
    int n, ci, h, w;          /* data: (n, ci, h, w) */
    int co, kh, kw;           /* weight: (co, ci / groups, kh, kw) */
    int oh, ow;               /* result: (n, co, oh, ow) */
    int stride_h, stride_w, pad_top, pad_left, dilation_h, dilation_w, groups;
} bm_conv;

typedef enum {
    BM_NONE,
    BM_RELU,         /* max(x, 0) */
    BM_CLIP,         /* min(max(x, low), high) */
    BM_HARD_SWISH,   /* x * min(max(x + shift, low), high) / scale */
    BM_HARD_SIGMOID, /* min(max(x * scale + shift, low), high) */
    BM_GELU          /* x * (1 + erf(x / sqrt(2))) / 2 */
} bm_kind;

typedef struct {
    bm_kind kind;
    float low, high, scale, shift;
} bm_activation;

/* out = act(scale[c] * x + shift[c] + residual); scale, shift and residual may be NULL. */
typedef struct {
    const float *scale, *shift, *residual;
    bm_activation act;
} bm_epilogue;

int32_t bm_conv2d(const bm_conv *conv, const float *data, const float *weight,
                  const bm_epilogue *after, float *out);

/* Convolution and batch normalisation of its channels (running mean and variance). */
int32_t bm_conv2d_bn(const bm_conv *conv, const float *data, const float *weight,
                     const float *gamma, const float *beta, const float *mean,
                     const float *variance, double epsilon, bm_activation act, float *out);

/* data: (rows, in), weight: (units, in) or, `transposed`, (in, units), bias: (units) or NULL;
 * out: (rows, units). */
int32_t bm_dense(int rows, int units, int in, int transposed, const float *data,
                 const float *weight, const float *bias, bm_activation act, float *out);

/* out = softmax(q k' / divisor + mask) v, head by head. q, out: (batch * heads, rows, width);
 * k, v: (batch * heads, columns, width); mask: (batch, columns). */
int32_t bm_attention(int batch, int heads, int rows, int columns, int width, const float *q,
                     const float *k, const float *v, const float *mask, float divisor, float *out);

/* What the matrix products are done with: "blas" or "loops". */
const char *bm_blas(void);

#endif

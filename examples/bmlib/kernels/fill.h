/* What the bodies of the kernels are made of: the numbers of a kernel's header, given to bmlib.
 *
 * K is a kernel's symbol in capitals, as `surgery stub` names its macros; data, weight, bias and so
 * on are the parameters of the kernel that the macro is used in. What bmlib can't compute (another
 * layout, a bias or a residual that is broadcast in another way) doesn't compile.
 */
#ifndef BMLIB_FILL_H
#define BMLIB_FILL_H

#include <math.h>
#include <stddef.h>

#include "../bmlib.h"

/* VALUE, where COND is known to the compiler and true. */
#define WHERE(COND, WHAT, VALUE)                                                                \
    ((void)sizeof(struct { _Static_assert(COND, WHAT); int x; }), (VALUE))

#define CONV_OF(K)                                                                              \
    WHERE(K##_DATA_DIM1 == K##_WEIGHT_DIM1 * K##_CONV2D_GROUPS &&                               \
              K##_OUT0_DIM1 == K##_WEIGHT_DIM0 &&                                               \
              K##_CONV2D_KERNEL_SIZE_0 == K##_WEIGHT_DIM2 &&                                    \
              K##_CONV2D_KERNEL_SIZE_1 == K##_WEIGHT_DIM3,                                      \
          "bmlib convolves NCHW with OIHW", (&(const bm_conv){                                  \
        .n = K##_DATA_DIM0, .ci = K##_DATA_DIM1, .h = K##_DATA_DIM2, .w = K##_DATA_DIM3,        \
        .co = K##_WEIGHT_DIM0, .kh = K##_WEIGHT_DIM2, .kw = K##_WEIGHT_DIM3,                    \
        .oh = K##_OUT0_DIM2, .ow = K##_OUT0_DIM3,                                               \
        .stride_h = K##_CONV2D_STRIDES_0, .stride_w = K##_CONV2D_STRIDES_1,                     \
        .pad_top = K##_CONV2D_PADDING_0, .pad_left = K##_CONV2D_PADDING_1,                      \
        .dilation_h = K##_CONV2D_DILATION_0, .dilation_w = K##_CONV2D_DILATION_1,               \
        .groups = K##_CONV2D_GROUPS}))

#define NO_ACTIVATION ((bm_activation){.kind = BM_NONE})
#define RELU ((bm_activation){.kind = BM_RELU})
#define GELU ((bm_activation){.kind = BM_GELU})
#define HARD_SWISH(K)                                                                           \
    ((bm_activation){.kind = BM_HARD_SWISH, .low = K##_CLIP_A_MIN, .high = K##_CLIP_A_MAX,      \
                     .shift = *three, .scale = *six})
#define HARD_SIGMOID(K)                                                                         \
    ((bm_activation){.kind = BM_HARD_SIGMOID, .low = K##_CLIP_A_MIN, .high = K##_CLIP_A_MAX,    \
                     .shift = *half, .scale = *fifth})
/* bmlib knows gelu's numbers: the model must have the same. */
#define GELU_NUMBERS (*half == 0.5f && *one == 1.0f && fabsf(*sqrt2 - 1.41421356f) < 1e-5f)
#define UNFIT 2

#define CONV_BN(K, ACT)                                                                         \
    WHERE(K##_BATCH_NORM_AXIS == 1 && K##_BATCH_NORM_CENTER && K##_BATCH_NORM_SCALE,            \
          "bmlib normalises channels, with gamma and beta",                                     \
          bm_conv2d_bn(CONV_OF(K), data, weight, gamma, beta, mean, variance,                   \
                       K##_BATCH_NORM_EPSILON, ACT, out0))
#define CONV_BIAS_AND(K, RESIDUAL, ACT)                                                         \
    WHERE(K##_BIAS_SIZE == K##_WEIGHT_DIM0, "the bias is one of channels",                      \
          bm_conv2d(CONV_OF(K), data, weight, &(const bm_epilogue){NULL, bias, RESIDUAL, ACT},  \
                    out0))
#define CONV_BIAS(K, ACT) CONV_BIAS_AND(K, NULL, ACT)
#define CONV_BIAS_ADD(K, ACT)                                                                   \
    WHERE(K##_RESIDUAL_SIZE == K##_OUT0_SIZE, "the residual is not broadcast",                  \
          CONV_BIAS_AND(K, residual, ACT))
#define DENSE_OF(K, UNITS, IN, TRANSPOSED, ACT)                                                 \
    WHERE(K##_BIAS_SIZE == (UNITS) && K##_DATA_SIZE / (IN) == K##_OUT0_SIZE / (UNITS),          \
          "the bias is one of units",                                                           \
          bm_dense(K##_OUT0_SIZE / (UNITS), UNITS, IN, TRANSPOSED, data, weight, bias, ACT, out0))
#define DENSE_BIAS(K, ACT) DENSE_OF(K, K##_WEIGHT_DIM0, K##_WEIGHT_DIM1, 0, ACT)
/* For a weight that the model stores as (in, units) and transposes first. */
#define DENSE_TRANSPOSED_BIAS(K, ACT) DENSE_OF(K, K##_WEIGHT_DIM1, K##_WEIGHT_DIM0, 1, ACT)
/* The mask is one of (batch, 1, 1, columns). */
#define ATTENTION(K)                                                                            \
    WHERE(K##_MASK_SIZE == K##_MASK_DIM0 * K##_K_DIM1 && K##_Q_DIM0 % K##_MASK_DIM0 == 0 &&     \
              K##_Q_DIM2 == K##_K_DIM2 && K##_Q_DIM2 == K##_V_DIM2 &&                           \
              !K##_BATCH_MATMUL_TRANSPOSE_A && K##_BATCH_MATMUL_TRANSPOSE_B,                    \
          "bmlib attends to rows of equal width, with a mask of columns",                       \
          bm_attention(K##_MASK_DIM0, K##_Q_DIM0 / K##_MASK_DIM0, K##_Q_DIM1, K##_K_DIM1,       \
                       K##_Q_DIM2, q, k, v, mask, *root, out0))

#endif

/* What the bodies of the kernels are made of: the numbers of a kernel's header, given to bmlib.
 *
 * K is a kernel's symbol in capitals, as `surgery stub` names its macros; data, weight, bias and so
 * on are the parameters of the kernel that the macro is used in.
 */
#ifndef BMLIB_FILL_H
#define BMLIB_FILL_H

#include <stddef.h>

#include "../bmlib.h"

#define CONV_OF(K)                                                                              \
    (&(const bm_conv){                                                                          \
        .n = K##_DATA_DIM0, .ci = K##_DATA_DIM1, .h = K##_DATA_DIM2, .w = K##_DATA_DIM3,        \
        .co = K##_WEIGHT_DIM0, .kh = K##_WEIGHT_DIM2, .kw = K##_WEIGHT_DIM3,                    \
        .oh = K##_OUT0_DIM2, .ow = K##_OUT0_DIM3,                                               \
        .stride_h = K##_CONV2D_STRIDES_0, .stride_w = K##_CONV2D_STRIDES_1,                     \
        .pad_top = K##_CONV2D_PADDING_0, .pad_left = K##_CONV2D_PADDING_1,                      \
        .dilation_h = K##_CONV2D_DILATION_0, .dilation_w = K##_CONV2D_DILATION_1,               \
        .groups = K##_CONV2D_GROUPS})

#define NO_ACTIVATION ((bm_activation){.kind = BM_NONE})
#define RELU ((bm_activation){.kind = BM_RELU})
#define GELU ((bm_activation){.kind = BM_GELU})
#define HARD_SWISH(K)                                                                           \
    ((bm_activation){.kind = BM_HARD_SWISH, .low = K##_CLIP_A_MIN, .high = K##_CLIP_A_MAX,      \
                     .shift = *three, .scale = *six})
#define HARD_SIGMOID(K)                                                                         \
    ((bm_activation){.kind = BM_HARD_SIGMOID, .low = K##_CLIP_A_MIN, .high = K##_CLIP_A_MAX,    \
                     .shift = *half, .scale = *fifth})

#define CONV_BN(K, ACT)                                                                         \
    bm_conv2d_bn(CONV_OF(K), data, weight, gamma, beta, mean, variance,                         \
                 K##_BATCH_NORM_EPSILON, ACT, out0)
#define CONV_BIAS(K, RESIDUAL, ACT)                                                             \
    bm_conv2d(CONV_OF(K), data, weight, &(const bm_epilogue){NULL, bias, RESIDUAL, ACT}, out0)
#define DENSE_BIAS(K, ACT)                                                                      \
    bm_dense(K##_OUT0_SIZE / K##_WEIGHT_DIM0, K##_WEIGHT_DIM0, K##_WEIGHT_DIM1, 0, data,        \
             weight, bias, ACT, out0)
/* For a weight that the model stores as (in, units) and transposes first. */
#define DENSE_TRANSPOSED_BIAS(K, ACT)                                                           \
    bm_dense(K##_OUT0_SIZE / K##_WEIGHT_DIM1, K##_WEIGHT_DIM1, K##_WEIGHT_DIM0, 1, data,        \
             weight, bias, ACT, out0)
#define ATTENTION(K)                                                                            \
    bm_attention(K##_Q_DIM0, K##_Q_DIM1, K##_K_DIM1, K##_Q_DIM2, q, k, v, mask, *root, out0)

#endif

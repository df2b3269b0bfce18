/* cls.h: kernels of backend bmlib for rapidocr_cls.json.
 *
 * Made by `surgery stub`, and made again by each run of it: don't edit.
 *
 * Every kernel takes pointers to dense row-major data: the runtime operands, then the
 * constants (those inside a region too), then the outputs, which it writes. A scalar is
 * a pointer to one element. It returns 0; anything else is an error of its name at run
 * time.
 * Buffers are the caller's and don't overlap. A parameter that says `inplace` may be
 * overwritten: nobody reads it afterwards.
 * bool is one byte; float16 and bfloat16 are passed as their 16 bits.
 */
#ifndef CLS_H_
#define CLS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bmlib_conv_bn_hard_swish_k0: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=8, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,24,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,8,24,96), float32(8), float32(8))
 *   t2 = add(t1.0, three): float32(1,8,24,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,8,24,96)
 *   t4 = multiply(t1.0, t3): float32(1,8,24,96)
 *   t5 = divide(t4, six): float32(1,8,24,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_0, stage 0: %6 Div@0
 */
#define BMLIB_CONV_BN_HARD_SWISH_K0_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_DATA_DIM1 3
#define BMLIB_CONV_BN_HARD_SWISH_K0_DATA_DIM2 48
#define BMLIB_CONV_BN_HARD_SWISH_K0_DATA_DIM3 192
#define BMLIB_CONV_BN_HARD_SWISH_K0_DATA_SIZE 27648
#define BMLIB_CONV_BN_HARD_SWISH_K0_WEIGHT_DIM0 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_WEIGHT_DIM1 3
#define BMLIB_CONV_BN_HARD_SWISH_K0_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K0_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_HARD_SWISH_K0_WEIGHT_SIZE 216
#define BMLIB_CONV_BN_HARD_SWISH_K0_GAMMA_DIM0 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_GAMMA_SIZE 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_BETA_DIM0 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_BETA_SIZE 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_MEAN_DIM0 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_MEAN_SIZE 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_VARIANCE_DIM0 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_VARIANCE_SIZE 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_OUT0_DIM1 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_OUT0_DIM2 24
#define BMLIB_CONV_BN_HARD_SWISH_K0_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K0_OUT0_SIZE 18432
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_STRIDES_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_CHANNELS 8
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K0_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K0_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K0_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K0_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k0(
    const float *data, /* float32(1,3,48,192), runtime */
    const float *weight, /* float32(8,3,3,3), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,8,24,96), output */

/* bmlib_conv_bn_relu_k0: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=8, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,24,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,8,24,96), float32(8), float32(8))
 *   t2 = nn.relu(t1.0): float32(1,8,24,96)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_0, stage 0: %10 Relu@0
 */
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM1 8
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM2 24
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM3 96
#define BMLIB_CONV_BN_RELU_K0_DATA_SIZE 18432
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM0 8
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM1 8
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_SIZE 64
#define BMLIB_CONV_BN_RELU_K0_GAMMA_DIM0 8
#define BMLIB_CONV_BN_RELU_K0_GAMMA_SIZE 8
#define BMLIB_CONV_BN_RELU_K0_BETA_DIM0 8
#define BMLIB_CONV_BN_RELU_K0_BETA_SIZE 8
#define BMLIB_CONV_BN_RELU_K0_MEAN_DIM0 8
#define BMLIB_CONV_BN_RELU_K0_MEAN_SIZE 8
#define BMLIB_CONV_BN_RELU_K0_VARIANCE_DIM0 8
#define BMLIB_CONV_BN_RELU_K0_VARIANCE_SIZE 8
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM1 8
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM2 24
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM3 96
#define BMLIB_CONV_BN_RELU_K0_OUT0_SIZE 18432
#define BMLIB_CONV_BN_RELU_K0_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_CHANNELS 8
#define BMLIB_CONV_BN_RELU_K0_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k0(
    const float *data, /* float32(1,8,24,96), runtime */
    const float *weight, /* float32(8,8,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0); /* float32(1,8,24,96), output */

/* bmlib_conv_bn_relu_k1: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=8, channels=8, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,12,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,8,12,96), float32(8), float32(8))
 *   t2 = nn.relu(t1.0): float32(1,8,12,96)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_0, stage 0: %14 Relu@1
 */
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM1 8
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM2 24
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM3 96
#define BMLIB_CONV_BN_RELU_K1_DATA_SIZE 18432
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM0 8
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_SIZE 72
#define BMLIB_CONV_BN_RELU_K1_GAMMA_DIM0 8
#define BMLIB_CONV_BN_RELU_K1_GAMMA_SIZE 8
#define BMLIB_CONV_BN_RELU_K1_BETA_DIM0 8
#define BMLIB_CONV_BN_RELU_K1_BETA_SIZE 8
#define BMLIB_CONV_BN_RELU_K1_MEAN_DIM0 8
#define BMLIB_CONV_BN_RELU_K1_MEAN_SIZE 8
#define BMLIB_CONV_BN_RELU_K1_VARIANCE_DIM0 8
#define BMLIB_CONV_BN_RELU_K1_VARIANCE_SIZE 8
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM1 8
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM2 12
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM3 96
#define BMLIB_CONV_BN_RELU_K1_OUT0_SIZE 9216
#define BMLIB_CONV_BN_RELU_K1_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_GROUPS 8
#define BMLIB_CONV_BN_RELU_K1_CONV2D_CHANNELS 8
#define BMLIB_CONV_BN_RELU_K1_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K1_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k1(
    const float *data, /* float32(1,8,24,96), runtime */
    const float *weight, /* float32(8,1,3,3), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0); /* float32(1,8,12,96), output */

/* bmlib_conv_bias_relu_k0: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=2, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,2,1,1)
 *   t1 = add(t0, bias): float32(1,2,1,1)
 *   t2 = nn.relu(t1): float32(1,2,1,1)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bias_relu_0, stage 0: %18 Relu@2
 */
#define BMLIB_CONV_BIAS_RELU_K0_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K0_DATA_DIM1 8
#define BMLIB_CONV_BIAS_RELU_K0_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K0_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K0_DATA_SIZE 8
#define BMLIB_CONV_BIAS_RELU_K0_WEIGHT_DIM0 2
#define BMLIB_CONV_BIAS_RELU_K0_WEIGHT_DIM1 8
#define BMLIB_CONV_BIAS_RELU_K0_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K0_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K0_WEIGHT_SIZE 16
#define BMLIB_CONV_BIAS_RELU_K0_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K0_BIAS_DIM1 2
#define BMLIB_CONV_BIAS_RELU_K0_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K0_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K0_BIAS_SIZE 2
#define BMLIB_CONV_BIAS_RELU_K0_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K0_OUT0_DIM1 2
#define BMLIB_CONV_BIAS_RELU_K0_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K0_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K0_OUT0_SIZE 2
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_CHANNELS 2
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K0_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k0(
    const float *data, /* float32(1,8,1,1), runtime */
    const float *weight, /* float32(2,8,1,1), constant */
    const float *bias, /* float32(1,2,1,1), constant */
    float *out0); /* float32(1,2,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k0: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=8, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,1,1)
 *   t1 = add(t0, bias): float32(1,8,1,1)
 *   t2 = multiply(t1, fifth): float32(1,8,1,1)
 *   t3 = add(t2, half): float32(1,8,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,8,1,1)
 *   out0 = t4
 *
 * Called once:
 *   bmlib_conv_bias_relu_0, stage 0: %23 HardSigmoid@0
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_DATA_DIM1 2
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_DATA_SIZE 2
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_WEIGHT_DIM0 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_WEIGHT_DIM1 2
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_WEIGHT_SIZE 16
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_BIAS_DIM1 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_BIAS_SIZE 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_OUT0_DIM1 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_OUT0_SIZE 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_CHANNELS 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K0_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k0(
    const float *data, /* float32(1,2,1,1), runtime */
    const float *weight, /* float32(8,2,1,1), constant */
    const float *bias, /* float32(1,8,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,8,1,1), output */

/* bmlib_conv_bn_k0: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=8, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,12,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,8,12,96), float32(8), float32(8))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %26.0 BatchNormalization@3
 */
#define BMLIB_CONV_BN_K0_DATA_DIM0 1
#define BMLIB_CONV_BN_K0_DATA_DIM1 8
#define BMLIB_CONV_BN_K0_DATA_DIM2 12
#define BMLIB_CONV_BN_K0_DATA_DIM3 96
#define BMLIB_CONV_BN_K0_DATA_SIZE 9216
#define BMLIB_CONV_BN_K0_WEIGHT_DIM0 8
#define BMLIB_CONV_BN_K0_WEIGHT_DIM1 8
#define BMLIB_CONV_BN_K0_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K0_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K0_WEIGHT_SIZE 64
#define BMLIB_CONV_BN_K0_GAMMA_DIM0 8
#define BMLIB_CONV_BN_K0_GAMMA_SIZE 8
#define BMLIB_CONV_BN_K0_BETA_DIM0 8
#define BMLIB_CONV_BN_K0_BETA_SIZE 8
#define BMLIB_CONV_BN_K0_MEAN_DIM0 8
#define BMLIB_CONV_BN_K0_MEAN_SIZE 8
#define BMLIB_CONV_BN_K0_VARIANCE_DIM0 8
#define BMLIB_CONV_BN_K0_VARIANCE_SIZE 8
#define BMLIB_CONV_BN_K0_OUT0_DIM0 1
#define BMLIB_CONV_BN_K0_OUT0_DIM1 8
#define BMLIB_CONV_BN_K0_OUT0_DIM2 12
#define BMLIB_CONV_BN_K0_OUT0_DIM3 96
#define BMLIB_CONV_BN_K0_OUT0_SIZE 9216
#define BMLIB_CONV_BN_K0_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K0_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K0_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K0_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K0_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K0_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K0_CONV2D_CHANNELS 8
#define BMLIB_CONV_BN_K0_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K0_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K0_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K0_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K0_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K0_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k0(
    const float *data, /* float32(1,8,12,96), runtime */
    const float *weight, /* float32(8,8,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0); /* float32(1,8,12,96), output */

/* bmlib_conv_bn_relu_k2: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=24, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,24,12,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,24,12,96), float32(24), float32(24))
 *   t2 = nn.relu(t1.0): float32(1,24,12,96)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %31 Relu@3
 */
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM1 8
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM2 12
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM3 96
#define BMLIB_CONV_BN_RELU_K2_DATA_SIZE 9216
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM0 24
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM1 8
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_SIZE 192
#define BMLIB_CONV_BN_RELU_K2_GAMMA_DIM0 24
#define BMLIB_CONV_BN_RELU_K2_GAMMA_SIZE 24
#define BMLIB_CONV_BN_RELU_K2_BETA_DIM0 24
#define BMLIB_CONV_BN_RELU_K2_BETA_SIZE 24
#define BMLIB_CONV_BN_RELU_K2_MEAN_DIM0 24
#define BMLIB_CONV_BN_RELU_K2_MEAN_SIZE 24
#define BMLIB_CONV_BN_RELU_K2_VARIANCE_DIM0 24
#define BMLIB_CONV_BN_RELU_K2_VARIANCE_SIZE 24
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM1 24
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM2 12
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM3 96
#define BMLIB_CONV_BN_RELU_K2_OUT0_SIZE 27648
#define BMLIB_CONV_BN_RELU_K2_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_CHANNELS 24
#define BMLIB_CONV_BN_RELU_K2_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k2(
    const float *data, /* float32(1,8,12,96), runtime */
    const float *weight, /* float32(24,8,1,1), constant */
    const float *gamma, /* float32(24), constant */
    const float *beta, /* float32(24), constant */
    const float *mean, /* float32(24), constant */
    const float *variance, /* float32(24), constant */
    float *out0); /* float32(1,24,12,96), output */

/* bmlib_conv_bn_relu_k3: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=24, channels=24, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,24,6,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,24,6,96), float32(24), float32(24))
 *   t2 = nn.relu(t1.0): float32(1,24,6,96)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %35 Relu@4
 */
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM1 24
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM2 12
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM3 96
#define BMLIB_CONV_BN_RELU_K3_DATA_SIZE 27648
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM0 24
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_SIZE 216
#define BMLIB_CONV_BN_RELU_K3_GAMMA_DIM0 24
#define BMLIB_CONV_BN_RELU_K3_GAMMA_SIZE 24
#define BMLIB_CONV_BN_RELU_K3_BETA_DIM0 24
#define BMLIB_CONV_BN_RELU_K3_BETA_SIZE 24
#define BMLIB_CONV_BN_RELU_K3_MEAN_DIM0 24
#define BMLIB_CONV_BN_RELU_K3_MEAN_SIZE 24
#define BMLIB_CONV_BN_RELU_K3_VARIANCE_DIM0 24
#define BMLIB_CONV_BN_RELU_K3_VARIANCE_SIZE 24
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM1 24
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM2 6
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM3 96
#define BMLIB_CONV_BN_RELU_K3_OUT0_SIZE 13824
#define BMLIB_CONV_BN_RELU_K3_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_GROUPS 24
#define BMLIB_CONV_BN_RELU_K3_CONV2D_CHANNELS 24
#define BMLIB_CONV_BN_RELU_K3_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K3_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k3(
    const float *data, /* float32(1,24,12,96), runtime */
    const float *weight, /* float32(24,1,3,3), constant */
    const float *gamma, /* float32(24), constant */
    const float *beta, /* float32(24), constant */
    const float *mean, /* float32(24), constant */
    const float *variance, /* float32(24), constant */
    float *out0); /* float32(1,24,6,96), output */

/* bmlib_conv_bn_k1: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=8, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,6,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,8,6,96), float32(8), float32(8))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %37.0 BatchNormalization@6
 */
#define BMLIB_CONV_BN_K1_DATA_DIM0 1
#define BMLIB_CONV_BN_K1_DATA_DIM1 24
#define BMLIB_CONV_BN_K1_DATA_DIM2 6
#define BMLIB_CONV_BN_K1_DATA_DIM3 96
#define BMLIB_CONV_BN_K1_DATA_SIZE 13824
#define BMLIB_CONV_BN_K1_WEIGHT_DIM0 8
#define BMLIB_CONV_BN_K1_WEIGHT_DIM1 24
#define BMLIB_CONV_BN_K1_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K1_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K1_WEIGHT_SIZE 192
#define BMLIB_CONV_BN_K1_GAMMA_DIM0 8
#define BMLIB_CONV_BN_K1_GAMMA_SIZE 8
#define BMLIB_CONV_BN_K1_BETA_DIM0 8
#define BMLIB_CONV_BN_K1_BETA_SIZE 8
#define BMLIB_CONV_BN_K1_MEAN_DIM0 8
#define BMLIB_CONV_BN_K1_MEAN_SIZE 8
#define BMLIB_CONV_BN_K1_VARIANCE_DIM0 8
#define BMLIB_CONV_BN_K1_VARIANCE_SIZE 8
#define BMLIB_CONV_BN_K1_OUT0_DIM0 1
#define BMLIB_CONV_BN_K1_OUT0_DIM1 8
#define BMLIB_CONV_BN_K1_OUT0_DIM2 6
#define BMLIB_CONV_BN_K1_OUT0_DIM3 96
#define BMLIB_CONV_BN_K1_OUT0_SIZE 4608
#define BMLIB_CONV_BN_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K1_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K1_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K1_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K1_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K1_CONV2D_CHANNELS 8
#define BMLIB_CONV_BN_K1_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K1_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K1_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K1_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K1_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K1_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k1(
    const float *data, /* float32(1,24,6,96), runtime */
    const float *weight, /* float32(8,24,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0); /* float32(1,8,6,96), output */

/* bmlib_conv_bn_relu_k4: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=32, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,6,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,32,6,96), float32(32), float32(32))
 *   t2 = nn.relu(t1.0): float32(1,32,6,96)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %42 Relu@5
 */
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM1 8
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM2 6
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM3 96
#define BMLIB_CONV_BN_RELU_K4_DATA_SIZE 4608
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM1 8
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_SIZE 256
#define BMLIB_CONV_BN_RELU_K4_GAMMA_DIM0 32
#define BMLIB_CONV_BN_RELU_K4_GAMMA_SIZE 32
#define BMLIB_CONV_BN_RELU_K4_BETA_DIM0 32
#define BMLIB_CONV_BN_RELU_K4_BETA_SIZE 32
#define BMLIB_CONV_BN_RELU_K4_MEAN_DIM0 32
#define BMLIB_CONV_BN_RELU_K4_MEAN_SIZE 32
#define BMLIB_CONV_BN_RELU_K4_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_RELU_K4_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM1 32
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM2 6
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM3 96
#define BMLIB_CONV_BN_RELU_K4_OUT0_SIZE 18432
#define BMLIB_CONV_BN_RELU_K4_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_RELU_K4_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K4_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k4(
    const float *data, /* float32(1,8,6,96), runtime */
    const float *weight, /* float32(32,8,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0); /* float32(1,32,6,96), output */

/* bmlib_conv_bn_relu_k5: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=32, channels=32, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,6,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,32,6,96), float32(32), float32(32))
 *   t2 = nn.relu(t1.0): float32(1,32,6,96)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %46 Relu@6
 */
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM1 32
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM2 6
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM3 96
#define BMLIB_CONV_BN_RELU_K5_DATA_SIZE 18432
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_SIZE 288
#define BMLIB_CONV_BN_RELU_K5_GAMMA_DIM0 32
#define BMLIB_CONV_BN_RELU_K5_GAMMA_SIZE 32
#define BMLIB_CONV_BN_RELU_K5_BETA_DIM0 32
#define BMLIB_CONV_BN_RELU_K5_BETA_SIZE 32
#define BMLIB_CONV_BN_RELU_K5_MEAN_DIM0 32
#define BMLIB_CONV_BN_RELU_K5_MEAN_SIZE 32
#define BMLIB_CONV_BN_RELU_K5_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_RELU_K5_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM1 32
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM2 6
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM3 96
#define BMLIB_CONV_BN_RELU_K5_OUT0_SIZE 18432
#define BMLIB_CONV_BN_RELU_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_GROUPS 32
#define BMLIB_CONV_BN_RELU_K5_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_RELU_K5_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K5_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K5_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k5(
    const float *data, /* float32(1,32,6,96), runtime */
    const float *weight, /* float32(32,1,3,3), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0); /* float32(1,32,6,96), output */

/* bmlib_conv_bn_k2: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=8, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,6,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,8,6,96), float32(8), float32(8))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_0, stage 0: %48.0 BatchNormalization@9
 */
#define BMLIB_CONV_BN_K2_DATA_DIM0 1
#define BMLIB_CONV_BN_K2_DATA_DIM1 32
#define BMLIB_CONV_BN_K2_DATA_DIM2 6
#define BMLIB_CONV_BN_K2_DATA_DIM3 96
#define BMLIB_CONV_BN_K2_DATA_SIZE 18432
#define BMLIB_CONV_BN_K2_WEIGHT_DIM0 8
#define BMLIB_CONV_BN_K2_WEIGHT_DIM1 32
#define BMLIB_CONV_BN_K2_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K2_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K2_WEIGHT_SIZE 256
#define BMLIB_CONV_BN_K2_GAMMA_DIM0 8
#define BMLIB_CONV_BN_K2_GAMMA_SIZE 8
#define BMLIB_CONV_BN_K2_BETA_DIM0 8
#define BMLIB_CONV_BN_K2_BETA_SIZE 8
#define BMLIB_CONV_BN_K2_MEAN_DIM0 8
#define BMLIB_CONV_BN_K2_MEAN_SIZE 8
#define BMLIB_CONV_BN_K2_VARIANCE_DIM0 8
#define BMLIB_CONV_BN_K2_VARIANCE_SIZE 8
#define BMLIB_CONV_BN_K2_OUT0_DIM0 1
#define BMLIB_CONV_BN_K2_OUT0_DIM1 8
#define BMLIB_CONV_BN_K2_OUT0_DIM2 6
#define BMLIB_CONV_BN_K2_OUT0_DIM3 96
#define BMLIB_CONV_BN_K2_OUT0_SIZE 4608
#define BMLIB_CONV_BN_K2_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K2_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K2_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K2_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K2_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K2_CONV2D_CHANNELS 8
#define BMLIB_CONV_BN_K2_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K2_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K2_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K2_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K2_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K2_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k2(
    const float *data, /* float32(1,32,6,96), runtime */
    const float *weight, /* float32(8,32,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0); /* float32(1,8,6,96), output */

/* bmlib_conv_bn_hard_swish_k1: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=32, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,6,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,32,6,96), float32(32), float32(32))
 *   t2 = add(t1.0, three): float32(1,32,6,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,32,6,96)
 *   t4 = multiply(t1.0, t3): float32(1,32,6,96)
 *   t5 = divide(t4, six): float32(1,32,6,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_1, stage 0: %57 Div@1
 */
#define BMLIB_CONV_BN_HARD_SWISH_K1_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_DATA_DIM1 8
#define BMLIB_CONV_BN_HARD_SWISH_K1_DATA_DIM2 6
#define BMLIB_CONV_BN_HARD_SWISH_K1_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K1_DATA_SIZE 4608
#define BMLIB_CONV_BN_HARD_SWISH_K1_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_WEIGHT_DIM1 8
#define BMLIB_CONV_BN_HARD_SWISH_K1_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_WEIGHT_SIZE 256
#define BMLIB_CONV_BN_HARD_SWISH_K1_GAMMA_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_GAMMA_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_BETA_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_BETA_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_MEAN_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_MEAN_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_OUT0_DIM1 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_OUT0_DIM2 6
#define BMLIB_CONV_BN_HARD_SWISH_K1_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K1_OUT0_SIZE 18432
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K1_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K1_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K1_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K1_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k1(
    const float *data, /* float32(1,8,6,96), runtime */
    const float *weight, /* float32(32,8,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,32,6,96), output */

/* bmlib_conv_bn_hard_swish_k2: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 1), padding=(2, 2, 2, 2), dilation=(1, 1), groups=32, channels=32, kernel_size=(5, 5), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,32,3,96), float32(32), float32(32))
 *   t2 = add(t1.0, three): float32(1,32,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,32,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,32,3,96)
 *   t5 = divide(t4, six): float32(1,32,3,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_1, stage 0: %64 Div@2
 */
#define BMLIB_CONV_BN_HARD_SWISH_K2_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_DATA_DIM1 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_DATA_DIM2 6
#define BMLIB_CONV_BN_HARD_SWISH_K2_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K2_DATA_SIZE 18432
#define BMLIB_CONV_BN_HARD_SWISH_K2_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_WEIGHT_DIM2 5
#define BMLIB_CONV_BN_HARD_SWISH_K2_WEIGHT_DIM3 5
#define BMLIB_CONV_BN_HARD_SWISH_K2_WEIGHT_SIZE 800
#define BMLIB_CONV_BN_HARD_SWISH_K2_GAMMA_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_GAMMA_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_BETA_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_BETA_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_MEAN_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_MEAN_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_OUT0_DIM1 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K2_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K2_OUT0_SIZE 9216
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_PADDING_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_PADDING_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_PADDING_2 2
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_PADDING_3 2
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_GROUPS 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_KERNEL_SIZE_0 5
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_KERNEL_SIZE_1 5
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K2_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K2_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K2_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K2_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k2(
    const float *data, /* float32(1,32,6,96), runtime */
    const float *weight, /* float32(32,1,5,5), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,32,3,96), output */

/* bmlib_conv_bias_relu_k1: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=8, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,8,1,1)
 *   t1 = add(t0, bias): float32(1,8,1,1)
 *   t2 = nn.relu(t1): float32(1,8,1,1)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bias_relu_1, stage 0: %68 Relu@7
 */
#define BMLIB_CONV_BIAS_RELU_K1_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K1_DATA_DIM1 32
#define BMLIB_CONV_BIAS_RELU_K1_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K1_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K1_DATA_SIZE 32
#define BMLIB_CONV_BIAS_RELU_K1_WEIGHT_DIM0 8
#define BMLIB_CONV_BIAS_RELU_K1_WEIGHT_DIM1 32
#define BMLIB_CONV_BIAS_RELU_K1_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K1_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K1_WEIGHT_SIZE 256
#define BMLIB_CONV_BIAS_RELU_K1_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K1_BIAS_DIM1 8
#define BMLIB_CONV_BIAS_RELU_K1_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K1_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K1_BIAS_SIZE 8
#define BMLIB_CONV_BIAS_RELU_K1_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K1_OUT0_DIM1 8
#define BMLIB_CONV_BIAS_RELU_K1_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K1_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K1_OUT0_SIZE 8
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_CHANNELS 8
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K1_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k1(
    const float *data, /* float32(1,32,1,1), runtime */
    const float *weight, /* float32(8,32,1,1), constant */
    const float *bias, /* float32(1,8,1,1), constant */
    float *out0); /* float32(1,8,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k1: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=32, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,1,1)
 *   t1 = add(t0, bias): float32(1,32,1,1)
 *   t2 = multiply(t1, fifth): float32(1,32,1,1)
 *   t3 = add(t2, half): float32(1,32,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,32,1,1)
 *   out0 = t4
 *
 * Called once:
 *   bmlib_conv_bias_relu_1, stage 0: %73 HardSigmoid@1
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_DATA_DIM1 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_DATA_SIZE 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_WEIGHT_DIM0 32
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_WEIGHT_DIM1 8
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_WEIGHT_SIZE 256
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_BIAS_DIM1 32
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_BIAS_SIZE 32
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_OUT0_DIM1 32
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_OUT0_SIZE 32
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_CHANNELS 32
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K1_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k1(
    const float *data, /* float32(1,8,1,1), runtime */
    const float *weight, /* float32(32,8,1,1), constant */
    const float *bias, /* float32(1,32,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,32,1,1), output */

/* bmlib_conv_bn_k3: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=16, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,16,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,16,3,96), float32(16), float32(16))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_1, stage 0: %76.0 BatchNormalization@12
 */
#define BMLIB_CONV_BN_K3_DATA_DIM0 1
#define BMLIB_CONV_BN_K3_DATA_DIM1 32
#define BMLIB_CONV_BN_K3_DATA_DIM2 3
#define BMLIB_CONV_BN_K3_DATA_DIM3 96
#define BMLIB_CONV_BN_K3_DATA_SIZE 9216
#define BMLIB_CONV_BN_K3_WEIGHT_DIM0 16
#define BMLIB_CONV_BN_K3_WEIGHT_DIM1 32
#define BMLIB_CONV_BN_K3_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K3_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K3_WEIGHT_SIZE 512
#define BMLIB_CONV_BN_K3_GAMMA_DIM0 16
#define BMLIB_CONV_BN_K3_GAMMA_SIZE 16
#define BMLIB_CONV_BN_K3_BETA_DIM0 16
#define BMLIB_CONV_BN_K3_BETA_SIZE 16
#define BMLIB_CONV_BN_K3_MEAN_DIM0 16
#define BMLIB_CONV_BN_K3_MEAN_SIZE 16
#define BMLIB_CONV_BN_K3_VARIANCE_DIM0 16
#define BMLIB_CONV_BN_K3_VARIANCE_SIZE 16
#define BMLIB_CONV_BN_K3_OUT0_DIM0 1
#define BMLIB_CONV_BN_K3_OUT0_DIM1 16
#define BMLIB_CONV_BN_K3_OUT0_DIM2 3
#define BMLIB_CONV_BN_K3_OUT0_DIM3 96
#define BMLIB_CONV_BN_K3_OUT0_SIZE 4608
#define BMLIB_CONV_BN_K3_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K3_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K3_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K3_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K3_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K3_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K3_CONV2D_CHANNELS 16
#define BMLIB_CONV_BN_K3_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K3_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K3_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K3_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K3_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K3_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k3(
    const float *data, /* float32(1,32,3,96), runtime */
    const float *weight, /* float32(16,32,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0); /* float32(1,16,3,96), output */

/* bmlib_conv_bn_hard_swish_k3: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=88, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,88,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,88,3,96), float32(88), float32(88))
 *   t2 = add(t1.0, three): float32(1,88,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,88,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,88,3,96)
 *   t5 = divide(t4, six): float32(1,88,3,96)
 *   out0 = t5
 *
 * Called 2 times:
 *   bmlib_conv_bn_1, stage 0: %84 Div@3
 *   bmlib_conv_bn_hard_swish_2, stage 0: %112 Div@5
 */
#define BMLIB_CONV_BN_HARD_SWISH_K3_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_DATA_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K3_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K3_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K3_DATA_SIZE 4608
#define BMLIB_CONV_BN_HARD_SWISH_K3_WEIGHT_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_WEIGHT_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K3_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_WEIGHT_SIZE 1408
#define BMLIB_CONV_BN_HARD_SWISH_K3_GAMMA_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_GAMMA_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_BETA_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_BETA_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_MEAN_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_MEAN_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_VARIANCE_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_VARIANCE_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_OUT0_DIM1 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K3_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K3_OUT0_SIZE 25344
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_CHANNELS 88
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K3_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K3_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K3_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K3_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k3(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(88,16,1,1), constant */
    const float *gamma, /* float32(88), constant */
    const float *beta, /* float32(88), constant */
    const float *mean, /* float32(88), constant */
    const float *variance, /* float32(88), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,88,3,96), output */

/* bmlib_conv_bn_hard_swish_k4: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(2, 2, 2, 2), dilation=(1, 1), groups=88, channels=88, kernel_size=(5, 5), data_layout=NCHW, kernel_layout=OIHW}: float32(1,88,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,88,3,96), float32(88), float32(88))
 *   t2 = add(t1.0, three): float32(1,88,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,88,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,88,3,96)
 *   t5 = divide(t4, six): float32(1,88,3,96)
 *   out0 = t5
 *
 * Called 2 times:
 *   bmlib_conv_bn_1, stage 0: %91 Div@4
 *   bmlib_conv_bn_hard_swish_2, stage 0: %119 Div@6
 */
#define BMLIB_CONV_BN_HARD_SWISH_K4_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_DATA_DIM1 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K4_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K4_DATA_SIZE 25344
#define BMLIB_CONV_BN_HARD_SWISH_K4_WEIGHT_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_WEIGHT_DIM2 5
#define BMLIB_CONV_BN_HARD_SWISH_K4_WEIGHT_DIM3 5
#define BMLIB_CONV_BN_HARD_SWISH_K4_WEIGHT_SIZE 2200
#define BMLIB_CONV_BN_HARD_SWISH_K4_GAMMA_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_GAMMA_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_BETA_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_BETA_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_MEAN_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_MEAN_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_VARIANCE_DIM0 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_VARIANCE_SIZE 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_OUT0_DIM1 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K4_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K4_OUT0_SIZE 25344
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_PADDING_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_PADDING_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_PADDING_2 2
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_PADDING_3 2
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_GROUPS 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_CHANNELS 88
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_KERNEL_SIZE_0 5
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_KERNEL_SIZE_1 5
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K4_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K4_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K4_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K4_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K4_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k4(
    const float *data, /* float32(1,88,3,96), runtime */
    const float *weight, /* float32(88,1,5,5), constant */
    const float *gamma, /* float32(88), constant */
    const float *beta, /* float32(88), constant */
    const float *mean, /* float32(88), constant */
    const float *variance, /* float32(88), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,88,3,96), output */

/* bmlib_conv_bias_relu_k2: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=22, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,22,1,1)
 *   t1 = add(t0, bias): float32(1,22,1,1)
 *   t2 = nn.relu(t1): float32(1,22,1,1)
 *   out0 = t2
 *
 * Called 2 times:
 *   bmlib_conv_bias_relu_2, stage 0: %95 Relu@8
 *   bmlib_conv_bias_relu_3, stage 0: %123 Relu@9
 */
#define BMLIB_CONV_BIAS_RELU_K2_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K2_DATA_DIM1 88
#define BMLIB_CONV_BIAS_RELU_K2_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K2_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K2_DATA_SIZE 88
#define BMLIB_CONV_BIAS_RELU_K2_WEIGHT_DIM0 22
#define BMLIB_CONV_BIAS_RELU_K2_WEIGHT_DIM1 88
#define BMLIB_CONV_BIAS_RELU_K2_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K2_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K2_WEIGHT_SIZE 1936
#define BMLIB_CONV_BIAS_RELU_K2_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K2_BIAS_DIM1 22
#define BMLIB_CONV_BIAS_RELU_K2_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K2_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K2_BIAS_SIZE 22
#define BMLIB_CONV_BIAS_RELU_K2_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K2_OUT0_DIM1 22
#define BMLIB_CONV_BIAS_RELU_K2_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K2_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K2_OUT0_SIZE 22
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_CHANNELS 22
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K2_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k2(
    const float *data, /* float32(1,88,1,1), runtime */
    const float *weight, /* float32(22,88,1,1), constant */
    const float *bias, /* float32(1,22,1,1), constant */
    float *out0); /* float32(1,22,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k2: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=88, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,88,1,1)
 *   t1 = add(t0, bias): float32(1,88,1,1)
 *   t2 = multiply(t1, fifth): float32(1,88,1,1)
 *   t3 = add(t2, half): float32(1,88,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,88,1,1)
 *   out0 = t4
 *
 * Called 2 times:
 *   bmlib_conv_bias_relu_2, stage 0: %100 HardSigmoid@2
 *   bmlib_conv_bias_relu_3, stage 0: %128 HardSigmoid@3
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_DATA_DIM1 22
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_DATA_SIZE 22
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_WEIGHT_DIM0 88
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_WEIGHT_DIM1 22
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_WEIGHT_SIZE 1936
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_BIAS_DIM1 88
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_BIAS_SIZE 88
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_OUT0_DIM1 88
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_OUT0_SIZE 88
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_CHANNELS 88
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K2_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k2(
    const float *data, /* float32(1,22,1,1), runtime */
    const float *weight, /* float32(88,22,1,1), constant */
    const float *bias, /* float32(1,88,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,88,1,1), output */

/* bmlib_conv_bn_k4: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=16, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,16,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,16,3,96), float32(16), float32(16))
 *   out0 = t1.0
 *
 * Called 2 times:
 *   bmlib_conv_bn_2, stage 0: %103.0 BatchNormalization@15
 *   bmlib_conv_bn_3, stage 0: %131.0 BatchNormalization@18
 */
#define BMLIB_CONV_BN_K4_DATA_DIM0 1
#define BMLIB_CONV_BN_K4_DATA_DIM1 88
#define BMLIB_CONV_BN_K4_DATA_DIM2 3
#define BMLIB_CONV_BN_K4_DATA_DIM3 96
#define BMLIB_CONV_BN_K4_DATA_SIZE 25344
#define BMLIB_CONV_BN_K4_WEIGHT_DIM0 16
#define BMLIB_CONV_BN_K4_WEIGHT_DIM1 88
#define BMLIB_CONV_BN_K4_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K4_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K4_WEIGHT_SIZE 1408
#define BMLIB_CONV_BN_K4_GAMMA_DIM0 16
#define BMLIB_CONV_BN_K4_GAMMA_SIZE 16
#define BMLIB_CONV_BN_K4_BETA_DIM0 16
#define BMLIB_CONV_BN_K4_BETA_SIZE 16
#define BMLIB_CONV_BN_K4_MEAN_DIM0 16
#define BMLIB_CONV_BN_K4_MEAN_SIZE 16
#define BMLIB_CONV_BN_K4_VARIANCE_DIM0 16
#define BMLIB_CONV_BN_K4_VARIANCE_SIZE 16
#define BMLIB_CONV_BN_K4_OUT0_DIM0 1
#define BMLIB_CONV_BN_K4_OUT0_DIM1 16
#define BMLIB_CONV_BN_K4_OUT0_DIM2 3
#define BMLIB_CONV_BN_K4_OUT0_DIM3 96
#define BMLIB_CONV_BN_K4_OUT0_SIZE 4608
#define BMLIB_CONV_BN_K4_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K4_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K4_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K4_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K4_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K4_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K4_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K4_CONV2D_CHANNELS 16
#define BMLIB_CONV_BN_K4_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K4_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K4_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K4_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K4_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K4_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K4_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k4(
    const float *data, /* float32(1,88,3,96), runtime */
    const float *weight, /* float32(16,88,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0); /* float32(1,16,3,96), output */

/* bmlib_conv_bn_hard_swish_k5: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=40, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,40,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,40,3,96), float32(40), float32(40))
 *   t2 = add(t1.0, three): float32(1,40,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,40,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,40,3,96)
 *   t5 = divide(t4, six): float32(1,40,3,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_3, stage 0: %140 Div@7
 */
#define BMLIB_CONV_BN_HARD_SWISH_K5_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_DATA_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K5_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K5_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K5_DATA_SIZE 4608
#define BMLIB_CONV_BN_HARD_SWISH_K5_WEIGHT_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_WEIGHT_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K5_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_WEIGHT_SIZE 640
#define BMLIB_CONV_BN_HARD_SWISH_K5_GAMMA_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_GAMMA_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_BETA_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_BETA_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_MEAN_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_MEAN_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_VARIANCE_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_VARIANCE_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_OUT0_DIM1 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K5_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K5_OUT0_SIZE 11520
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_CHANNELS 40
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K5_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K5_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K5_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K5_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K5_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k5(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(40,16,1,1), constant */
    const float *gamma, /* float32(40), constant */
    const float *beta, /* float32(40), constant */
    const float *mean, /* float32(40), constant */
    const float *variance, /* float32(40), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,40,3,96), output */

/* bmlib_conv_bn_hard_swish_k6: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(2, 2, 2, 2), dilation=(1, 1), groups=40, channels=40, kernel_size=(5, 5), data_layout=NCHW, kernel_layout=OIHW}: float32(1,40,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,40,3,96), float32(40), float32(40))
 *   t2 = add(t1.0, three): float32(1,40,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,40,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,40,3,96)
 *   t5 = divide(t4, six): float32(1,40,3,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_3, stage 0: %147 Div@8
 */
#define BMLIB_CONV_BN_HARD_SWISH_K6_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_DATA_DIM1 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K6_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K6_DATA_SIZE 11520
#define BMLIB_CONV_BN_HARD_SWISH_K6_WEIGHT_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_WEIGHT_DIM2 5
#define BMLIB_CONV_BN_HARD_SWISH_K6_WEIGHT_DIM3 5
#define BMLIB_CONV_BN_HARD_SWISH_K6_WEIGHT_SIZE 1000
#define BMLIB_CONV_BN_HARD_SWISH_K6_GAMMA_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_GAMMA_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_BETA_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_BETA_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_MEAN_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_MEAN_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_VARIANCE_DIM0 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_VARIANCE_SIZE 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_OUT0_DIM1 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K6_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K6_OUT0_SIZE 11520
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_PADDING_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_PADDING_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_PADDING_2 2
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_PADDING_3 2
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_GROUPS 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_CHANNELS 40
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_KERNEL_SIZE_0 5
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_KERNEL_SIZE_1 5
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K6_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K6_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K6_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K6_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K6_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k6(
    const float *data, /* float32(1,40,3,96), runtime */
    const float *weight, /* float32(40,1,5,5), constant */
    const float *gamma, /* float32(40), constant */
    const float *beta, /* float32(40), constant */
    const float *mean, /* float32(40), constant */
    const float *variance, /* float32(40), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,40,3,96), output */

/* bmlib_conv_bias_relu_k3: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=10, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,10,1,1)
 *   t1 = add(t0, bias): float32(1,10,1,1)
 *   t2 = nn.relu(t1): float32(1,10,1,1)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bias_relu_4, stage 0: %151 Relu@10
 */
#define BMLIB_CONV_BIAS_RELU_K3_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K3_DATA_DIM1 40
#define BMLIB_CONV_BIAS_RELU_K3_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K3_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K3_DATA_SIZE 40
#define BMLIB_CONV_BIAS_RELU_K3_WEIGHT_DIM0 10
#define BMLIB_CONV_BIAS_RELU_K3_WEIGHT_DIM1 40
#define BMLIB_CONV_BIAS_RELU_K3_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K3_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K3_WEIGHT_SIZE 400
#define BMLIB_CONV_BIAS_RELU_K3_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K3_BIAS_DIM1 10
#define BMLIB_CONV_BIAS_RELU_K3_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K3_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K3_BIAS_SIZE 10
#define BMLIB_CONV_BIAS_RELU_K3_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K3_OUT0_DIM1 10
#define BMLIB_CONV_BIAS_RELU_K3_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K3_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K3_OUT0_SIZE 10
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_CHANNELS 10
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K3_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k3(
    const float *data, /* float32(1,40,1,1), runtime */
    const float *weight, /* float32(10,40,1,1), constant */
    const float *bias, /* float32(1,10,1,1), constant */
    float *out0); /* float32(1,10,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k3: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=40, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,40,1,1)
 *   t1 = add(t0, bias): float32(1,40,1,1)
 *   t2 = multiply(t1, fifth): float32(1,40,1,1)
 *   t3 = add(t2, half): float32(1,40,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,40,1,1)
 *   out0 = t4
 *
 * Called once:
 *   bmlib_conv_bias_relu_4, stage 0: %156 HardSigmoid@4
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_DATA_DIM1 10
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_DATA_SIZE 10
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_WEIGHT_DIM0 40
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_WEIGHT_DIM1 10
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_WEIGHT_SIZE 400
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_BIAS_DIM1 40
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_BIAS_SIZE 40
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_OUT0_DIM1 40
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_OUT0_SIZE 40
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_CHANNELS 40
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K3_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k3(
    const float *data, /* float32(1,10,1,1), runtime */
    const float *weight, /* float32(40,10,1,1), constant */
    const float *bias, /* float32(1,40,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,40,1,1), output */

/* bmlib_conv_bn_k5: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=16, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,16,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,16,3,96), float32(16), float32(16))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_4, stage 0: %159.0 BatchNormalization@21
 */
#define BMLIB_CONV_BN_K5_DATA_DIM0 1
#define BMLIB_CONV_BN_K5_DATA_DIM1 40
#define BMLIB_CONV_BN_K5_DATA_DIM2 3
#define BMLIB_CONV_BN_K5_DATA_DIM3 96
#define BMLIB_CONV_BN_K5_DATA_SIZE 11520
#define BMLIB_CONV_BN_K5_WEIGHT_DIM0 16
#define BMLIB_CONV_BN_K5_WEIGHT_DIM1 40
#define BMLIB_CONV_BN_K5_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K5_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K5_WEIGHT_SIZE 640
#define BMLIB_CONV_BN_K5_GAMMA_DIM0 16
#define BMLIB_CONV_BN_K5_GAMMA_SIZE 16
#define BMLIB_CONV_BN_K5_BETA_DIM0 16
#define BMLIB_CONV_BN_K5_BETA_SIZE 16
#define BMLIB_CONV_BN_K5_MEAN_DIM0 16
#define BMLIB_CONV_BN_K5_MEAN_SIZE 16
#define BMLIB_CONV_BN_K5_VARIANCE_DIM0 16
#define BMLIB_CONV_BN_K5_VARIANCE_SIZE 16
#define BMLIB_CONV_BN_K5_OUT0_DIM0 1
#define BMLIB_CONV_BN_K5_OUT0_DIM1 16
#define BMLIB_CONV_BN_K5_OUT0_DIM2 3
#define BMLIB_CONV_BN_K5_OUT0_DIM3 96
#define BMLIB_CONV_BN_K5_OUT0_SIZE 4608
#define BMLIB_CONV_BN_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K5_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K5_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K5_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K5_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K5_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K5_CONV2D_CHANNELS 16
#define BMLIB_CONV_BN_K5_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K5_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K5_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K5_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K5_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K5_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K5_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k5(
    const float *data, /* float32(1,40,3,96), runtime */
    const float *weight, /* float32(16,40,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0); /* float32(1,16,3,96), output */

/* bmlib_conv_bn_hard_swish_k7: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=48, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,48,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,48,3,96), float32(48), float32(48))
 *   t2 = add(t1.0, three): float32(1,48,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,48,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,48,3,96)
 *   t5 = divide(t4, six): float32(1,48,3,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_4, stage 0: %168 Div@9
 */
#define BMLIB_CONV_BN_HARD_SWISH_K7_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_DATA_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K7_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K7_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K7_DATA_SIZE 4608
#define BMLIB_CONV_BN_HARD_SWISH_K7_WEIGHT_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_WEIGHT_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K7_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_WEIGHT_SIZE 768
#define BMLIB_CONV_BN_HARD_SWISH_K7_GAMMA_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_GAMMA_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_BETA_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_BETA_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_MEAN_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_MEAN_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_VARIANCE_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_VARIANCE_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_OUT0_DIM1 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K7_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K7_OUT0_SIZE 13824
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_CHANNELS 48
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K7_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K7_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K7_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K7_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K7_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k7(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(48,16,1,1), constant */
    const float *gamma, /* float32(48), constant */
    const float *beta, /* float32(48), constant */
    const float *mean, /* float32(48), constant */
    const float *variance, /* float32(48), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,48,3,96), output */

/* bmlib_conv_bn_hard_swish_k8: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(2, 2, 2, 2), dilation=(1, 1), groups=48, channels=48, kernel_size=(5, 5), data_layout=NCHW, kernel_layout=OIHW}: float32(1,48,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,48,3,96), float32(48), float32(48))
 *   t2 = add(t1.0, three): float32(1,48,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,48,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,48,3,96)
 *   t5 = divide(t4, six): float32(1,48,3,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_4, stage 0: %175 Div@10
 */
#define BMLIB_CONV_BN_HARD_SWISH_K8_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_DATA_DIM1 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K8_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K8_DATA_SIZE 13824
#define BMLIB_CONV_BN_HARD_SWISH_K8_WEIGHT_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_WEIGHT_DIM2 5
#define BMLIB_CONV_BN_HARD_SWISH_K8_WEIGHT_DIM3 5
#define BMLIB_CONV_BN_HARD_SWISH_K8_WEIGHT_SIZE 1200
#define BMLIB_CONV_BN_HARD_SWISH_K8_GAMMA_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_GAMMA_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_BETA_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_BETA_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_MEAN_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_MEAN_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_VARIANCE_DIM0 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_VARIANCE_SIZE 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_OUT0_DIM1 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K8_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K8_OUT0_SIZE 13824
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_PADDING_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_PADDING_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_PADDING_2 2
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_PADDING_3 2
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_GROUPS 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_CHANNELS 48
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_KERNEL_SIZE_0 5
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_KERNEL_SIZE_1 5
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K8_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K8_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K8_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K8_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K8_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k8(
    const float *data, /* float32(1,48,3,96), runtime */
    const float *weight, /* float32(48,1,5,5), constant */
    const float *gamma, /* float32(48), constant */
    const float *beta, /* float32(48), constant */
    const float *mean, /* float32(48), constant */
    const float *variance, /* float32(48), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,48,3,96), output */

/* bmlib_conv_bias_relu_k4: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=12, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,12,1,1)
 *   t1 = add(t0, bias): float32(1,12,1,1)
 *   t2 = nn.relu(t1): float32(1,12,1,1)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bias_relu_5, stage 0: %179 Relu@11
 */
#define BMLIB_CONV_BIAS_RELU_K4_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K4_DATA_DIM1 48
#define BMLIB_CONV_BIAS_RELU_K4_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K4_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K4_DATA_SIZE 48
#define BMLIB_CONV_BIAS_RELU_K4_WEIGHT_DIM0 12
#define BMLIB_CONV_BIAS_RELU_K4_WEIGHT_DIM1 48
#define BMLIB_CONV_BIAS_RELU_K4_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K4_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K4_WEIGHT_SIZE 576
#define BMLIB_CONV_BIAS_RELU_K4_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K4_BIAS_DIM1 12
#define BMLIB_CONV_BIAS_RELU_K4_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K4_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K4_BIAS_SIZE 12
#define BMLIB_CONV_BIAS_RELU_K4_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K4_OUT0_DIM1 12
#define BMLIB_CONV_BIAS_RELU_K4_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K4_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K4_OUT0_SIZE 12
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_CHANNELS 12
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K4_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k4(
    const float *data, /* float32(1,48,1,1), runtime */
    const float *weight, /* float32(12,48,1,1), constant */
    const float *bias, /* float32(1,12,1,1), constant */
    float *out0); /* float32(1,12,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k4: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=48, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,48,1,1)
 *   t1 = add(t0, bias): float32(1,48,1,1)
 *   t2 = multiply(t1, fifth): float32(1,48,1,1)
 *   t3 = add(t2, half): float32(1,48,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,48,1,1)
 *   out0 = t4
 *
 * Called once:
 *   bmlib_conv_bias_relu_5, stage 0: %184 HardSigmoid@5
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_DATA_DIM1 12
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_DATA_SIZE 12
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_WEIGHT_DIM0 48
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_WEIGHT_DIM1 12
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_WEIGHT_SIZE 576
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_BIAS_DIM1 48
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_BIAS_SIZE 48
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_OUT0_DIM1 48
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_OUT0_SIZE 48
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_CHANNELS 48
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K4_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k4(
    const float *data, /* float32(1,12,1,1), runtime */
    const float *weight, /* float32(48,12,1,1), constant */
    const float *bias, /* float32(1,48,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,48,1,1), output */

/* bmlib_conv_bn_k6: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=16, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,16,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,16,3,96), float32(16), float32(16))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_5, stage 0: %187.0 BatchNormalization@24
 */
#define BMLIB_CONV_BN_K6_DATA_DIM0 1
#define BMLIB_CONV_BN_K6_DATA_DIM1 48
#define BMLIB_CONV_BN_K6_DATA_DIM2 3
#define BMLIB_CONV_BN_K6_DATA_DIM3 96
#define BMLIB_CONV_BN_K6_DATA_SIZE 13824
#define BMLIB_CONV_BN_K6_WEIGHT_DIM0 16
#define BMLIB_CONV_BN_K6_WEIGHT_DIM1 48
#define BMLIB_CONV_BN_K6_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K6_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K6_WEIGHT_SIZE 768
#define BMLIB_CONV_BN_K6_GAMMA_DIM0 16
#define BMLIB_CONV_BN_K6_GAMMA_SIZE 16
#define BMLIB_CONV_BN_K6_BETA_DIM0 16
#define BMLIB_CONV_BN_K6_BETA_SIZE 16
#define BMLIB_CONV_BN_K6_MEAN_DIM0 16
#define BMLIB_CONV_BN_K6_MEAN_SIZE 16
#define BMLIB_CONV_BN_K6_VARIANCE_DIM0 16
#define BMLIB_CONV_BN_K6_VARIANCE_SIZE 16
#define BMLIB_CONV_BN_K6_OUT0_DIM0 1
#define BMLIB_CONV_BN_K6_OUT0_DIM1 16
#define BMLIB_CONV_BN_K6_OUT0_DIM2 3
#define BMLIB_CONV_BN_K6_OUT0_DIM3 96
#define BMLIB_CONV_BN_K6_OUT0_SIZE 4608
#define BMLIB_CONV_BN_K6_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K6_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K6_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K6_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K6_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K6_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K6_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K6_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K6_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K6_CONV2D_CHANNELS 16
#define BMLIB_CONV_BN_K6_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K6_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K6_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K6_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K6_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K6_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K6_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K6_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k6(
    const float *data, /* float32(1,48,3,96), runtime */
    const float *weight, /* float32(16,48,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0); /* float32(1,16,3,96), output */

/* bmlib_conv_bn_hard_swish_k9: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=104, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,104,3,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,104,3,96), float32(104), float32(104))
 *   t2 = add(t1.0, three): float32(1,104,3,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,104,3,96)
 *   t4 = multiply(t1.0, t3): float32(1,104,3,96)
 *   t5 = divide(t4, six): float32(1,104,3,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_5, stage 0: %196 Div@11
 */
#define BMLIB_CONV_BN_HARD_SWISH_K9_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_DATA_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K9_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K9_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K9_DATA_SIZE 4608
#define BMLIB_CONV_BN_HARD_SWISH_K9_WEIGHT_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_WEIGHT_DIM1 16
#define BMLIB_CONV_BN_HARD_SWISH_K9_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_WEIGHT_SIZE 1664
#define BMLIB_CONV_BN_HARD_SWISH_K9_GAMMA_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_GAMMA_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_BETA_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_BETA_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_MEAN_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_MEAN_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_VARIANCE_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_VARIANCE_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_OUT0_DIM1 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_OUT0_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K9_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K9_OUT0_SIZE 29952
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_CHANNELS 104
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K9_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K9_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K9_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K9_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K9_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k9(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(104,16,1,1), constant */
    const float *gamma, /* float32(104), constant */
    const float *beta, /* float32(104), constant */
    const float *mean, /* float32(104), constant */
    const float *variance, /* float32(104), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,104,3,96), output */

/* bmlib_conv_bn_hard_swish_k10: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 1), padding=(2, 2, 2, 2), dilation=(1, 1), groups=104, channels=104, kernel_size=(5, 5), data_layout=NCHW, kernel_layout=OIHW}: float32(1,104,2,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,104,2,96), float32(104), float32(104))
 *   t2 = add(t1.0, three): float32(1,104,2,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,104,2,96)
 *   t4 = multiply(t1.0, t3): float32(1,104,2,96)
 *   t5 = divide(t4, six): float32(1,104,2,96)
 *   out0 = t5
 *
 * Called once:
 *   bmlib_conv_bn_hard_swish_5, stage 0: %203 Div@12
 */
#define BMLIB_CONV_BN_HARD_SWISH_K10_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_DATA_DIM1 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_DATA_DIM2 3
#define BMLIB_CONV_BN_HARD_SWISH_K10_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K10_DATA_SIZE 29952
#define BMLIB_CONV_BN_HARD_SWISH_K10_WEIGHT_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_WEIGHT_DIM2 5
#define BMLIB_CONV_BN_HARD_SWISH_K10_WEIGHT_DIM3 5
#define BMLIB_CONV_BN_HARD_SWISH_K10_WEIGHT_SIZE 2600
#define BMLIB_CONV_BN_HARD_SWISH_K10_GAMMA_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_GAMMA_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_BETA_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_BETA_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_MEAN_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_MEAN_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_VARIANCE_DIM0 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_VARIANCE_SIZE 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_OUT0_DIM1 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_OUT0_DIM2 2
#define BMLIB_CONV_BN_HARD_SWISH_K10_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K10_OUT0_SIZE 19968
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_PADDING_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_PADDING_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_PADDING_2 2
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_PADDING_3 2
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_GROUPS 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_CHANNELS 104
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_KERNEL_SIZE_0 5
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_KERNEL_SIZE_1 5
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K10_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K10_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K10_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K10_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K10_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k10(
    const float *data, /* float32(1,104,3,96), runtime */
    const float *weight, /* float32(104,1,5,5), constant */
    const float *gamma, /* float32(104), constant */
    const float *beta, /* float32(104), constant */
    const float *mean, /* float32(104), constant */
    const float *variance, /* float32(104), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,104,2,96), output */

/* bmlib_conv_bias_relu_k5: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=26, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,26,1,1)
 *   t1 = add(t0, bias): float32(1,26,1,1)
 *   t2 = nn.relu(t1): float32(1,26,1,1)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bias_relu_6, stage 0: %207 Relu@12
 */
#define BMLIB_CONV_BIAS_RELU_K5_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K5_DATA_DIM1 104
#define BMLIB_CONV_BIAS_RELU_K5_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K5_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K5_DATA_SIZE 104
#define BMLIB_CONV_BIAS_RELU_K5_WEIGHT_DIM0 26
#define BMLIB_CONV_BIAS_RELU_K5_WEIGHT_DIM1 104
#define BMLIB_CONV_BIAS_RELU_K5_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K5_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K5_WEIGHT_SIZE 2704
#define BMLIB_CONV_BIAS_RELU_K5_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K5_BIAS_DIM1 26
#define BMLIB_CONV_BIAS_RELU_K5_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K5_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K5_BIAS_SIZE 26
#define BMLIB_CONV_BIAS_RELU_K5_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K5_OUT0_DIM1 26
#define BMLIB_CONV_BIAS_RELU_K5_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K5_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K5_OUT0_SIZE 26
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_CHANNELS 26
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K5_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k5(
    const float *data, /* float32(1,104,1,1), runtime */
    const float *weight, /* float32(26,104,1,1), constant */
    const float *bias, /* float32(1,26,1,1), constant */
    float *out0); /* float32(1,26,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k5: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=104, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,104,1,1)
 *   t1 = add(t0, bias): float32(1,104,1,1)
 *   t2 = multiply(t1, fifth): float32(1,104,1,1)
 *   t3 = add(t2, half): float32(1,104,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,104,1,1)
 *   out0 = t4
 *
 * Called once:
 *   bmlib_conv_bias_relu_6, stage 0: %212 HardSigmoid@6
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_DATA_DIM1 26
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_DATA_SIZE 26
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_WEIGHT_DIM0 104
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_WEIGHT_DIM1 26
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_WEIGHT_SIZE 2704
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_BIAS_DIM1 104
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_BIAS_SIZE 104
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_OUT0_DIM1 104
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_OUT0_SIZE 104
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_CHANNELS 104
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K5_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k5(
    const float *data, /* float32(1,26,1,1), runtime */
    const float *weight, /* float32(104,26,1,1), constant */
    const float *bias, /* float32(1,104,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,104,1,1), output */

/* bmlib_conv_bn_k7: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=32, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,2,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,32,2,96), float32(32), float32(32))
 *   out0 = t1.0
 *
 * Called once:
 *   bmlib_conv_bn_6, stage 0: %215.0 BatchNormalization@27
 */
#define BMLIB_CONV_BN_K7_DATA_DIM0 1
#define BMLIB_CONV_BN_K7_DATA_DIM1 104
#define BMLIB_CONV_BN_K7_DATA_DIM2 2
#define BMLIB_CONV_BN_K7_DATA_DIM3 96
#define BMLIB_CONV_BN_K7_DATA_SIZE 19968
#define BMLIB_CONV_BN_K7_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_K7_WEIGHT_DIM1 104
#define BMLIB_CONV_BN_K7_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K7_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K7_WEIGHT_SIZE 3328
#define BMLIB_CONV_BN_K7_GAMMA_DIM0 32
#define BMLIB_CONV_BN_K7_GAMMA_SIZE 32
#define BMLIB_CONV_BN_K7_BETA_DIM0 32
#define BMLIB_CONV_BN_K7_BETA_SIZE 32
#define BMLIB_CONV_BN_K7_MEAN_DIM0 32
#define BMLIB_CONV_BN_K7_MEAN_SIZE 32
#define BMLIB_CONV_BN_K7_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_K7_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_K7_OUT0_DIM0 1
#define BMLIB_CONV_BN_K7_OUT0_DIM1 32
#define BMLIB_CONV_BN_K7_OUT0_DIM2 2
#define BMLIB_CONV_BN_K7_OUT0_DIM3 96
#define BMLIB_CONV_BN_K7_OUT0_SIZE 6144
#define BMLIB_CONV_BN_K7_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K7_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K7_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K7_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K7_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K7_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K7_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K7_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K7_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K7_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_K7_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K7_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K7_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K7_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K7_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K7_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K7_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K7_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k7(
    const float *data, /* float32(1,104,2,96), runtime */
    const float *weight, /* float32(32,104,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0); /* float32(1,32,2,96), output */

/* bmlib_conv_bn_hard_swish_k11: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=200, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,200,2,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,200,2,96), float32(200), float32(200))
 *   t2 = add(t1.0, three): float32(1,200,2,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,200,2,96)
 *   t4 = multiply(t1.0, t3): float32(1,200,2,96)
 *   t5 = divide(t4, six): float32(1,200,2,96)
 *   out0 = t5
 *
 * Called 3 times:
 *   bmlib_conv_bn_6, stage 0: %223 Div@13
 *   bmlib_conv_bn_hard_swish_6, stage 0: %251 Div@15
 *   bmlib_conv_bn_hard_swish_7, stage 0: %279 Div@17
 */
#define BMLIB_CONV_BN_HARD_SWISH_K11_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_DATA_DIM1 32
#define BMLIB_CONV_BN_HARD_SWISH_K11_DATA_DIM2 2
#define BMLIB_CONV_BN_HARD_SWISH_K11_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K11_DATA_SIZE 6144
#define BMLIB_CONV_BN_HARD_SWISH_K11_WEIGHT_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_WEIGHT_DIM1 32
#define BMLIB_CONV_BN_HARD_SWISH_K11_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_WEIGHT_SIZE 6400
#define BMLIB_CONV_BN_HARD_SWISH_K11_GAMMA_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_GAMMA_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_BETA_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_BETA_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_MEAN_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_MEAN_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_VARIANCE_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_VARIANCE_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_OUT0_DIM1 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_OUT0_DIM2 2
#define BMLIB_CONV_BN_HARD_SWISH_K11_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K11_OUT0_SIZE 38400
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_CHANNELS 200
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K11_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K11_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K11_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K11_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K11_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k11(
    const float *data, /* float32(1,32,2,96), runtime */
    const float *weight, /* float32(200,32,1,1), constant */
    const float *gamma, /* float32(200), constant */
    const float *beta, /* float32(200), constant */
    const float *mean, /* float32(200), constant */
    const float *variance, /* float32(200), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,200,2,96), output */

/* bmlib_conv_bn_hard_swish_k12: nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(2, 2, 2, 2), dilation=(1, 1), groups=200, channels=200, kernel_size=(5, 5), data_layout=NCHW, kernel_layout=OIHW}: float32(1,200,2,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,200,2,96), float32(200), float32(200))
 *   t2 = add(t1.0, three): float32(1,200,2,96)
 *   t3 = clip(t2) {a_min=0.0, a_max=6.0}: float32(1,200,2,96)
 *   t4 = multiply(t1.0, t3): float32(1,200,2,96)
 *   t5 = divide(t4, six): float32(1,200,2,96)
 *   out0 = t5
 *
 * Called 2 times:
 *   bmlib_conv_bn_6, stage 0: %230 Div@14
 *   bmlib_conv_bn_hard_swish_6, stage 0: %258 Div@16
 */
#define BMLIB_CONV_BN_HARD_SWISH_K12_DATA_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_DATA_DIM1 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_DATA_DIM2 2
#define BMLIB_CONV_BN_HARD_SWISH_K12_DATA_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K12_DATA_SIZE 38400
#define BMLIB_CONV_BN_HARD_SWISH_K12_WEIGHT_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_WEIGHT_DIM2 5
#define BMLIB_CONV_BN_HARD_SWISH_K12_WEIGHT_DIM3 5
#define BMLIB_CONV_BN_HARD_SWISH_K12_WEIGHT_SIZE 5000
#define BMLIB_CONV_BN_HARD_SWISH_K12_GAMMA_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_GAMMA_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_BETA_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_BETA_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_MEAN_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_MEAN_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_VARIANCE_DIM0 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_VARIANCE_SIZE 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_THREE_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_SIX_SIZE 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_OUT0_DIM0 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_OUT0_DIM1 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_OUT0_DIM2 2
#define BMLIB_CONV_BN_HARD_SWISH_K12_OUT0_DIM3 96
#define BMLIB_CONV_BN_HARD_SWISH_K12_OUT0_SIZE 38400
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_PADDING_0 2
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_PADDING_1 2
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_PADDING_2 2
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_PADDING_3 2
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_GROUPS 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_CHANNELS 200
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_KERNEL_SIZE_0 5
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_KERNEL_SIZE_1 5
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_HARD_SWISH_K12_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_HARD_SWISH_K12_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_HARD_SWISH_K12_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_BATCH_NORM_SCALE 1
#define BMLIB_CONV_BN_HARD_SWISH_K12_CLIP_A_MIN 0.0
#define BMLIB_CONV_BN_HARD_SWISH_K12_CLIP_A_MAX 6.0
int32_t bmlib_conv_bn_hard_swish_k12(
    const float *data, /* float32(1,200,2,96), runtime */
    const float *weight, /* float32(200,1,5,5), constant */
    const float *gamma, /* float32(200), constant */
    const float *beta, /* float32(200), constant */
    const float *mean, /* float32(200), constant */
    const float *variance, /* float32(200), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0); /* float32(1,200,2,96), output */

/* bmlib_conv_bias_relu_k6: nn.conv2d>add>nn.relu to bmlib.conv_bias_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=50, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,50,1,1)
 *   t1 = add(t0, bias): float32(1,50,1,1)
 *   t2 = nn.relu(t1): float32(1,50,1,1)
 *   out0 = t2
 *
 * Called 2 times:
 *   bmlib_conv_bias_relu_7, stage 0: %234 Relu@13
 *   bmlib_conv_bias_relu_8, stage 0: %262 Relu@14
 */
#define BMLIB_CONV_BIAS_RELU_K6_DATA_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K6_DATA_DIM1 200
#define BMLIB_CONV_BIAS_RELU_K6_DATA_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K6_DATA_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K6_DATA_SIZE 200
#define BMLIB_CONV_BIAS_RELU_K6_WEIGHT_DIM0 50
#define BMLIB_CONV_BIAS_RELU_K6_WEIGHT_DIM1 200
#define BMLIB_CONV_BIAS_RELU_K6_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K6_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K6_WEIGHT_SIZE 10000
#define BMLIB_CONV_BIAS_RELU_K6_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K6_BIAS_DIM1 50
#define BMLIB_CONV_BIAS_RELU_K6_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K6_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K6_BIAS_SIZE 50
#define BMLIB_CONV_BIAS_RELU_K6_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_RELU_K6_OUT0_DIM1 50
#define BMLIB_CONV_BIAS_RELU_K6_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_RELU_K6_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_RELU_K6_OUT0_SIZE 50
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_CHANNELS 50
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_RELU_K6_CONV2D_KERNEL_LAYOUT "OIHW"
int32_t bmlib_conv_bias_relu_k6(
    const float *data, /* float32(1,200,1,1), runtime */
    const float *weight, /* float32(50,200,1,1), constant */
    const float *bias, /* float32(1,50,1,1), constant */
    float *out0); /* float32(1,50,1,1), output */

/* bmlib_conv_bias_hard_sigmoid_k6: nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=200, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,200,1,1)
 *   t1 = add(t0, bias): float32(1,200,1,1)
 *   t2 = multiply(t1, fifth): float32(1,200,1,1)
 *   t3 = add(t2, half): float32(1,200,1,1)
 *   t4 = clip(t3) {a_min=0.0, a_max=1.0}: float32(1,200,1,1)
 *   out0 = t4
 *
 * Called 2 times:
 *   bmlib_conv_bias_relu_7, stage 0: %239 HardSigmoid@7
 *   bmlib_conv_bias_relu_8, stage 0: %267 HardSigmoid@8
 */
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_DATA_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_DATA_DIM1 50
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_DATA_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_DATA_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_DATA_SIZE 50
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_WEIGHT_DIM0 200
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_WEIGHT_DIM1 50
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_WEIGHT_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_WEIGHT_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_WEIGHT_SIZE 10000
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_BIAS_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_BIAS_DIM1 200
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_BIAS_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_BIAS_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_BIAS_SIZE 200
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_FIFTH_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_HALF_SIZE 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_OUT0_DIM0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_OUT0_DIM1 200
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_OUT0_DIM2 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_OUT0_DIM3 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_OUT0_SIZE 200
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_PADDING_0 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_PADDING_1 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_PADDING_2 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_PADDING_3 0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_DILATION_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_DILATION_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_GROUPS 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_CHANNELS 200
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CLIP_A_MIN 0.0
#define BMLIB_CONV_BIAS_HARD_SIGMOID_K6_CLIP_A_MAX 1.0
int32_t bmlib_conv_bias_hard_sigmoid_k6(
    const float *data, /* float32(1,50,1,1), runtime */
    const float *weight, /* float32(200,50,1,1), constant */
    const float *bias, /* float32(1,200,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0); /* float32(1,200,1,1), output */

/* bmlib_conv_bn_k8: nn.conv2d>nn.batch_norm to bmlib.conv_bn
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=32, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,2,96)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=9.999999747378752e-06, center=True, scale=True}: (float32(1,32,2,96), float32(32), float32(32))
 *   out0 = t1.0
 *
 * Called 2 times:
 *   bmlib_conv_bn_7, stage 0: %242.0 BatchNormalization@30
 *   bmlib_conv_bn_8, stage 0: %270.0 BatchNormalization@33
 */
#define BMLIB_CONV_BN_K8_DATA_DIM0 1
#define BMLIB_CONV_BN_K8_DATA_DIM1 200
#define BMLIB_CONV_BN_K8_DATA_DIM2 2
#define BMLIB_CONV_BN_K8_DATA_DIM3 96
#define BMLIB_CONV_BN_K8_DATA_SIZE 38400
#define BMLIB_CONV_BN_K8_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_K8_WEIGHT_DIM1 200
#define BMLIB_CONV_BN_K8_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_K8_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_K8_WEIGHT_SIZE 6400
#define BMLIB_CONV_BN_K8_GAMMA_DIM0 32
#define BMLIB_CONV_BN_K8_GAMMA_SIZE 32
#define BMLIB_CONV_BN_K8_BETA_DIM0 32
#define BMLIB_CONV_BN_K8_BETA_SIZE 32
#define BMLIB_CONV_BN_K8_MEAN_DIM0 32
#define BMLIB_CONV_BN_K8_MEAN_SIZE 32
#define BMLIB_CONV_BN_K8_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_K8_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_K8_OUT0_DIM0 1
#define BMLIB_CONV_BN_K8_OUT0_DIM1 32
#define BMLIB_CONV_BN_K8_OUT0_DIM2 2
#define BMLIB_CONV_BN_K8_OUT0_DIM3 96
#define BMLIB_CONV_BN_K8_OUT0_SIZE 6144
#define BMLIB_CONV_BN_K8_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_K8_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_K8_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_K8_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_K8_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_K8_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_K8_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_K8_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_K8_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_K8_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_K8_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_K8_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_K8_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_K8_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_K8_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_K8_BATCH_NORM_EPSILON 9.999999747378752e-06
#define BMLIB_CONV_BN_K8_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_K8_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_k8(
    const float *data, /* float32(1,200,2,96), runtime */
    const float *weight, /* float32(32,200,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0); /* float32(1,32,2,96), output */

#ifdef __cplusplus
}
#endif

#endif /* CLS_H_ */

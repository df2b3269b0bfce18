/* mobilenet.h: kernels of backend bmlib for mobilenet.json.
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
#ifndef MOBILENET_H_
#define MOBILENET_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bmlib_conv_bn_relu_k0: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=32, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,112,112)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,32,112,112), float32(32), float32(32))
 *   t2 = nn.relu(t1.0): float32(1,32,112,112)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %3
 */
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM1 3
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM2 224
#define BMLIB_CONV_BN_RELU_K0_DATA_DIM3 224
#define BMLIB_CONV_BN_RELU_K0_DATA_SIZE 150528
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM1 3
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K0_WEIGHT_SIZE 864
#define BMLIB_CONV_BN_RELU_K0_GAMMA_DIM0 32
#define BMLIB_CONV_BN_RELU_K0_GAMMA_SIZE 32
#define BMLIB_CONV_BN_RELU_K0_BETA_DIM0 32
#define BMLIB_CONV_BN_RELU_K0_BETA_SIZE 32
#define BMLIB_CONV_BN_RELU_K0_MEAN_DIM0 32
#define BMLIB_CONV_BN_RELU_K0_MEAN_SIZE 32
#define BMLIB_CONV_BN_RELU_K0_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_RELU_K0_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM1 32
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM2 112
#define BMLIB_CONV_BN_RELU_K0_OUT0_DIM3 112
#define BMLIB_CONV_BN_RELU_K0_OUT0_SIZE 401408
#define BMLIB_CONV_BN_RELU_K0_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K0_CONV2D_STRIDES_1 2
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K0_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_RELU_K0_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K0_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K0_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k0(
    const float *data, /* float32(1,3,224,224), runtime */
    const float *weight, /* float32(32,3,3,3), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0); /* float32(1,32,112,112), output */

/* bmlib_conv_bn_relu_k1: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=32, channels=32, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,32,112,112)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,32,112,112), float32(32), float32(32))
 *   t2 = nn.relu(t1.0): float32(1,32,112,112)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %7
 */
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM1 32
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM2 112
#define BMLIB_CONV_BN_RELU_K1_DATA_DIM3 112
#define BMLIB_CONV_BN_RELU_K1_DATA_SIZE 401408
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM0 32
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K1_WEIGHT_SIZE 288
#define BMLIB_CONV_BN_RELU_K1_GAMMA_DIM0 32
#define BMLIB_CONV_BN_RELU_K1_GAMMA_SIZE 32
#define BMLIB_CONV_BN_RELU_K1_BETA_DIM0 32
#define BMLIB_CONV_BN_RELU_K1_BETA_SIZE 32
#define BMLIB_CONV_BN_RELU_K1_MEAN_DIM0 32
#define BMLIB_CONV_BN_RELU_K1_MEAN_SIZE 32
#define BMLIB_CONV_BN_RELU_K1_VARIANCE_DIM0 32
#define BMLIB_CONV_BN_RELU_K1_VARIANCE_SIZE 32
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM1 32
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM2 112
#define BMLIB_CONV_BN_RELU_K1_OUT0_DIM3 112
#define BMLIB_CONV_BN_RELU_K1_OUT0_SIZE 401408
#define BMLIB_CONV_BN_RELU_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K1_CONV2D_GROUPS 32
#define BMLIB_CONV_BN_RELU_K1_CONV2D_CHANNELS 32
#define BMLIB_CONV_BN_RELU_K1_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K1_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K1_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k1(
    const float *data, /* float32(1,32,112,112), runtime */
    const float *weight, /* float32(32,1,3,3), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0); /* float32(1,32,112,112), output */

/* bmlib_conv_bn_relu_k2: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=64, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,64,112,112)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,64,112,112), float32(64), float32(64))
 *   t2 = nn.relu(t1.0): float32(1,64,112,112)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %11
 */
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM1 32
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM2 112
#define BMLIB_CONV_BN_RELU_K2_DATA_DIM3 112
#define BMLIB_CONV_BN_RELU_K2_DATA_SIZE 401408
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM0 64
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM1 32
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K2_WEIGHT_SIZE 2048
#define BMLIB_CONV_BN_RELU_K2_GAMMA_DIM0 64
#define BMLIB_CONV_BN_RELU_K2_GAMMA_SIZE 64
#define BMLIB_CONV_BN_RELU_K2_BETA_DIM0 64
#define BMLIB_CONV_BN_RELU_K2_BETA_SIZE 64
#define BMLIB_CONV_BN_RELU_K2_MEAN_DIM0 64
#define BMLIB_CONV_BN_RELU_K2_MEAN_SIZE 64
#define BMLIB_CONV_BN_RELU_K2_VARIANCE_DIM0 64
#define BMLIB_CONV_BN_RELU_K2_VARIANCE_SIZE 64
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM1 64
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM2 112
#define BMLIB_CONV_BN_RELU_K2_OUT0_DIM3 112
#define BMLIB_CONV_BN_RELU_K2_OUT0_SIZE 802816
#define BMLIB_CONV_BN_RELU_K2_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_CHANNELS 64
#define BMLIB_CONV_BN_RELU_K2_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K2_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k2(
    const float *data, /* float32(1,32,112,112), runtime */
    const float *weight, /* float32(64,32,1,1), constant */
    const float *gamma, /* float32(64), constant */
    const float *beta, /* float32(64), constant */
    const float *mean, /* float32(64), constant */
    const float *variance, /* float32(64), constant */
    float *out0); /* float32(1,64,112,112), output */

/* bmlib_conv_bn_relu_k3: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=64, channels=64, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,64,56,56)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,64,56,56), float32(64), float32(64))
 *   t2 = nn.relu(t1.0): float32(1,64,56,56)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %15
 */
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM1 64
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM2 112
#define BMLIB_CONV_BN_RELU_K3_DATA_DIM3 112
#define BMLIB_CONV_BN_RELU_K3_DATA_SIZE 802816
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM0 64
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K3_WEIGHT_SIZE 576
#define BMLIB_CONV_BN_RELU_K3_GAMMA_DIM0 64
#define BMLIB_CONV_BN_RELU_K3_GAMMA_SIZE 64
#define BMLIB_CONV_BN_RELU_K3_BETA_DIM0 64
#define BMLIB_CONV_BN_RELU_K3_BETA_SIZE 64
#define BMLIB_CONV_BN_RELU_K3_MEAN_DIM0 64
#define BMLIB_CONV_BN_RELU_K3_MEAN_SIZE 64
#define BMLIB_CONV_BN_RELU_K3_VARIANCE_DIM0 64
#define BMLIB_CONV_BN_RELU_K3_VARIANCE_SIZE 64
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM1 64
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM2 56
#define BMLIB_CONV_BN_RELU_K3_OUT0_DIM3 56
#define BMLIB_CONV_BN_RELU_K3_OUT0_SIZE 200704
#define BMLIB_CONV_BN_RELU_K3_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K3_CONV2D_STRIDES_1 2
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K3_CONV2D_GROUPS 64
#define BMLIB_CONV_BN_RELU_K3_CONV2D_CHANNELS 64
#define BMLIB_CONV_BN_RELU_K3_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K3_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K3_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k3(
    const float *data, /* float32(1,64,112,112), runtime */
    const float *weight, /* float32(64,1,3,3), constant */
    const float *gamma, /* float32(64), constant */
    const float *beta, /* float32(64), constant */
    const float *mean, /* float32(64), constant */
    const float *variance, /* float32(64), constant */
    float *out0); /* float32(1,64,56,56), output */

/* bmlib_conv_bn_relu_k4: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=128, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,56,56)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,128,56,56), float32(128), float32(128))
 *   t2 = nn.relu(t1.0): float32(1,128,56,56)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %19
 */
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM1 64
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM2 56
#define BMLIB_CONV_BN_RELU_K4_DATA_DIM3 56
#define BMLIB_CONV_BN_RELU_K4_DATA_SIZE 200704
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM0 128
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM1 64
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K4_WEIGHT_SIZE 8192
#define BMLIB_CONV_BN_RELU_K4_GAMMA_DIM0 128
#define BMLIB_CONV_BN_RELU_K4_GAMMA_SIZE 128
#define BMLIB_CONV_BN_RELU_K4_BETA_DIM0 128
#define BMLIB_CONV_BN_RELU_K4_BETA_SIZE 128
#define BMLIB_CONV_BN_RELU_K4_MEAN_DIM0 128
#define BMLIB_CONV_BN_RELU_K4_MEAN_SIZE 128
#define BMLIB_CONV_BN_RELU_K4_VARIANCE_DIM0 128
#define BMLIB_CONV_BN_RELU_K4_VARIANCE_SIZE 128
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM1 128
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM2 56
#define BMLIB_CONV_BN_RELU_K4_OUT0_DIM3 56
#define BMLIB_CONV_BN_RELU_K4_OUT0_SIZE 401408
#define BMLIB_CONV_BN_RELU_K4_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_CHANNELS 128
#define BMLIB_CONV_BN_RELU_K4_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K4_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K4_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k4(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(128,64,1,1), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0); /* float32(1,128,56,56), output */

/* bmlib_conv_bn_relu_k5: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=128, channels=128, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,56,56)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,128,56,56), float32(128), float32(128))
 *   t2 = nn.relu(t1.0): float32(1,128,56,56)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %23
 */
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM1 128
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM2 56
#define BMLIB_CONV_BN_RELU_K5_DATA_DIM3 56
#define BMLIB_CONV_BN_RELU_K5_DATA_SIZE 401408
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM0 128
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K5_WEIGHT_SIZE 1152
#define BMLIB_CONV_BN_RELU_K5_GAMMA_DIM0 128
#define BMLIB_CONV_BN_RELU_K5_GAMMA_SIZE 128
#define BMLIB_CONV_BN_RELU_K5_BETA_DIM0 128
#define BMLIB_CONV_BN_RELU_K5_BETA_SIZE 128
#define BMLIB_CONV_BN_RELU_K5_MEAN_DIM0 128
#define BMLIB_CONV_BN_RELU_K5_MEAN_SIZE 128
#define BMLIB_CONV_BN_RELU_K5_VARIANCE_DIM0 128
#define BMLIB_CONV_BN_RELU_K5_VARIANCE_SIZE 128
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM1 128
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM2 56
#define BMLIB_CONV_BN_RELU_K5_OUT0_DIM3 56
#define BMLIB_CONV_BN_RELU_K5_OUT0_SIZE 401408
#define BMLIB_CONV_BN_RELU_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K5_CONV2D_GROUPS 128
#define BMLIB_CONV_BN_RELU_K5_CONV2D_CHANNELS 128
#define BMLIB_CONV_BN_RELU_K5_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K5_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K5_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K5_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k5(
    const float *data, /* float32(1,128,56,56), runtime */
    const float *weight, /* float32(128,1,3,3), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0); /* float32(1,128,56,56), output */

/* bmlib_conv_bn_relu_k6: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=128, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,56,56)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,128,56,56), float32(128), float32(128))
 *   t2 = nn.relu(t1.0): float32(1,128,56,56)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %27
 */
#define BMLIB_CONV_BN_RELU_K6_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K6_DATA_DIM1 128
#define BMLIB_CONV_BN_RELU_K6_DATA_DIM2 56
#define BMLIB_CONV_BN_RELU_K6_DATA_DIM3 56
#define BMLIB_CONV_BN_RELU_K6_DATA_SIZE 401408
#define BMLIB_CONV_BN_RELU_K6_WEIGHT_DIM0 128
#define BMLIB_CONV_BN_RELU_K6_WEIGHT_DIM1 128
#define BMLIB_CONV_BN_RELU_K6_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K6_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K6_WEIGHT_SIZE 16384
#define BMLIB_CONV_BN_RELU_K6_GAMMA_DIM0 128
#define BMLIB_CONV_BN_RELU_K6_GAMMA_SIZE 128
#define BMLIB_CONV_BN_RELU_K6_BETA_DIM0 128
#define BMLIB_CONV_BN_RELU_K6_BETA_SIZE 128
#define BMLIB_CONV_BN_RELU_K6_MEAN_DIM0 128
#define BMLIB_CONV_BN_RELU_K6_MEAN_SIZE 128
#define BMLIB_CONV_BN_RELU_K6_VARIANCE_DIM0 128
#define BMLIB_CONV_BN_RELU_K6_VARIANCE_SIZE 128
#define BMLIB_CONV_BN_RELU_K6_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K6_OUT0_DIM1 128
#define BMLIB_CONV_BN_RELU_K6_OUT0_DIM2 56
#define BMLIB_CONV_BN_RELU_K6_OUT0_DIM3 56
#define BMLIB_CONV_BN_RELU_K6_OUT0_SIZE 401408
#define BMLIB_CONV_BN_RELU_K6_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K6_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K6_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K6_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K6_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_CHANNELS 128
#define BMLIB_CONV_BN_RELU_K6_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K6_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K6_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K6_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K6_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K6_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K6_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k6(
    const float *data, /* float32(1,128,56,56), runtime */
    const float *weight, /* float32(128,128,1,1), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0); /* float32(1,128,56,56), output */

/* bmlib_conv_bn_relu_k7: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=128, channels=128, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,28,28)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,128,28,28), float32(128), float32(128))
 *   t2 = nn.relu(t1.0): float32(1,128,28,28)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %31
 */
#define BMLIB_CONV_BN_RELU_K7_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K7_DATA_DIM1 128
#define BMLIB_CONV_BN_RELU_K7_DATA_DIM2 56
#define BMLIB_CONV_BN_RELU_K7_DATA_DIM3 56
#define BMLIB_CONV_BN_RELU_K7_DATA_SIZE 401408
#define BMLIB_CONV_BN_RELU_K7_WEIGHT_DIM0 128
#define BMLIB_CONV_BN_RELU_K7_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K7_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K7_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K7_WEIGHT_SIZE 1152
#define BMLIB_CONV_BN_RELU_K7_GAMMA_DIM0 128
#define BMLIB_CONV_BN_RELU_K7_GAMMA_SIZE 128
#define BMLIB_CONV_BN_RELU_K7_BETA_DIM0 128
#define BMLIB_CONV_BN_RELU_K7_BETA_SIZE 128
#define BMLIB_CONV_BN_RELU_K7_MEAN_DIM0 128
#define BMLIB_CONV_BN_RELU_K7_MEAN_SIZE 128
#define BMLIB_CONV_BN_RELU_K7_VARIANCE_DIM0 128
#define BMLIB_CONV_BN_RELU_K7_VARIANCE_SIZE 128
#define BMLIB_CONV_BN_RELU_K7_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K7_OUT0_DIM1 128
#define BMLIB_CONV_BN_RELU_K7_OUT0_DIM2 28
#define BMLIB_CONV_BN_RELU_K7_OUT0_DIM3 28
#define BMLIB_CONV_BN_RELU_K7_OUT0_SIZE 100352
#define BMLIB_CONV_BN_RELU_K7_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K7_CONV2D_STRIDES_1 2
#define BMLIB_CONV_BN_RELU_K7_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K7_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K7_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K7_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K7_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K7_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K7_CONV2D_GROUPS 128
#define BMLIB_CONV_BN_RELU_K7_CONV2D_CHANNELS 128
#define BMLIB_CONV_BN_RELU_K7_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K7_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K7_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K7_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K7_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K7_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K7_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K7_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k7(
    const float *data, /* float32(1,128,56,56), runtime */
    const float *weight, /* float32(128,1,3,3), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0); /* float32(1,128,28,28), output */

/* bmlib_conv_bn_relu_k8: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=256, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,28,28)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,256,28,28), float32(256), float32(256))
 *   t2 = nn.relu(t1.0): float32(1,256,28,28)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %35
 */
#define BMLIB_CONV_BN_RELU_K8_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K8_DATA_DIM1 128
#define BMLIB_CONV_BN_RELU_K8_DATA_DIM2 28
#define BMLIB_CONV_BN_RELU_K8_DATA_DIM3 28
#define BMLIB_CONV_BN_RELU_K8_DATA_SIZE 100352
#define BMLIB_CONV_BN_RELU_K8_WEIGHT_DIM0 256
#define BMLIB_CONV_BN_RELU_K8_WEIGHT_DIM1 128
#define BMLIB_CONV_BN_RELU_K8_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K8_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K8_WEIGHT_SIZE 32768
#define BMLIB_CONV_BN_RELU_K8_GAMMA_DIM0 256
#define BMLIB_CONV_BN_RELU_K8_GAMMA_SIZE 256
#define BMLIB_CONV_BN_RELU_K8_BETA_DIM0 256
#define BMLIB_CONV_BN_RELU_K8_BETA_SIZE 256
#define BMLIB_CONV_BN_RELU_K8_MEAN_DIM0 256
#define BMLIB_CONV_BN_RELU_K8_MEAN_SIZE 256
#define BMLIB_CONV_BN_RELU_K8_VARIANCE_DIM0 256
#define BMLIB_CONV_BN_RELU_K8_VARIANCE_SIZE 256
#define BMLIB_CONV_BN_RELU_K8_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K8_OUT0_DIM1 256
#define BMLIB_CONV_BN_RELU_K8_OUT0_DIM2 28
#define BMLIB_CONV_BN_RELU_K8_OUT0_DIM3 28
#define BMLIB_CONV_BN_RELU_K8_OUT0_SIZE 200704
#define BMLIB_CONV_BN_RELU_K8_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K8_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K8_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K8_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K8_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_CHANNELS 256
#define BMLIB_CONV_BN_RELU_K8_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K8_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K8_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K8_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K8_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K8_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K8_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k8(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(256,128,1,1), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0); /* float32(1,256,28,28), output */

/* bmlib_conv_bn_relu_k9: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=256, channels=256, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,28,28)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,256,28,28), float32(256), float32(256))
 *   t2 = nn.relu(t1.0): float32(1,256,28,28)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %39
 */
#define BMLIB_CONV_BN_RELU_K9_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K9_DATA_DIM1 256
#define BMLIB_CONV_BN_RELU_K9_DATA_DIM2 28
#define BMLIB_CONV_BN_RELU_K9_DATA_DIM3 28
#define BMLIB_CONV_BN_RELU_K9_DATA_SIZE 200704
#define BMLIB_CONV_BN_RELU_K9_WEIGHT_DIM0 256
#define BMLIB_CONV_BN_RELU_K9_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K9_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K9_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K9_WEIGHT_SIZE 2304
#define BMLIB_CONV_BN_RELU_K9_GAMMA_DIM0 256
#define BMLIB_CONV_BN_RELU_K9_GAMMA_SIZE 256
#define BMLIB_CONV_BN_RELU_K9_BETA_DIM0 256
#define BMLIB_CONV_BN_RELU_K9_BETA_SIZE 256
#define BMLIB_CONV_BN_RELU_K9_MEAN_DIM0 256
#define BMLIB_CONV_BN_RELU_K9_MEAN_SIZE 256
#define BMLIB_CONV_BN_RELU_K9_VARIANCE_DIM0 256
#define BMLIB_CONV_BN_RELU_K9_VARIANCE_SIZE 256
#define BMLIB_CONV_BN_RELU_K9_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K9_OUT0_DIM1 256
#define BMLIB_CONV_BN_RELU_K9_OUT0_DIM2 28
#define BMLIB_CONV_BN_RELU_K9_OUT0_DIM3 28
#define BMLIB_CONV_BN_RELU_K9_OUT0_SIZE 200704
#define BMLIB_CONV_BN_RELU_K9_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K9_CONV2D_GROUPS 256
#define BMLIB_CONV_BN_RELU_K9_CONV2D_CHANNELS 256
#define BMLIB_CONV_BN_RELU_K9_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K9_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K9_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K9_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K9_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K9_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K9_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K9_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k9(
    const float *data, /* float32(1,256,28,28), runtime */
    const float *weight, /* float32(256,1,3,3), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0); /* float32(1,256,28,28), output */

/* bmlib_conv_bn_relu_k10: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=256, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,28,28)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,256,28,28), float32(256), float32(256))
 *   t2 = nn.relu(t1.0): float32(1,256,28,28)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %43
 */
#define BMLIB_CONV_BN_RELU_K10_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K10_DATA_DIM1 256
#define BMLIB_CONV_BN_RELU_K10_DATA_DIM2 28
#define BMLIB_CONV_BN_RELU_K10_DATA_DIM3 28
#define BMLIB_CONV_BN_RELU_K10_DATA_SIZE 200704
#define BMLIB_CONV_BN_RELU_K10_WEIGHT_DIM0 256
#define BMLIB_CONV_BN_RELU_K10_WEIGHT_DIM1 256
#define BMLIB_CONV_BN_RELU_K10_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K10_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K10_WEIGHT_SIZE 65536
#define BMLIB_CONV_BN_RELU_K10_GAMMA_DIM0 256
#define BMLIB_CONV_BN_RELU_K10_GAMMA_SIZE 256
#define BMLIB_CONV_BN_RELU_K10_BETA_DIM0 256
#define BMLIB_CONV_BN_RELU_K10_BETA_SIZE 256
#define BMLIB_CONV_BN_RELU_K10_MEAN_DIM0 256
#define BMLIB_CONV_BN_RELU_K10_MEAN_SIZE 256
#define BMLIB_CONV_BN_RELU_K10_VARIANCE_DIM0 256
#define BMLIB_CONV_BN_RELU_K10_VARIANCE_SIZE 256
#define BMLIB_CONV_BN_RELU_K10_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K10_OUT0_DIM1 256
#define BMLIB_CONV_BN_RELU_K10_OUT0_DIM2 28
#define BMLIB_CONV_BN_RELU_K10_OUT0_DIM3 28
#define BMLIB_CONV_BN_RELU_K10_OUT0_SIZE 200704
#define BMLIB_CONV_BN_RELU_K10_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K10_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K10_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K10_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K10_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_CHANNELS 256
#define BMLIB_CONV_BN_RELU_K10_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K10_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K10_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K10_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K10_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K10_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K10_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k10(
    const float *data, /* float32(1,256,28,28), runtime */
    const float *weight, /* float32(256,256,1,1), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0); /* float32(1,256,28,28), output */

/* bmlib_conv_bn_relu_k11: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=256, channels=256, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,14,14)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,256,14,14), float32(256), float32(256))
 *   t2 = nn.relu(t1.0): float32(1,256,14,14)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %47
 */
#define BMLIB_CONV_BN_RELU_K11_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K11_DATA_DIM1 256
#define BMLIB_CONV_BN_RELU_K11_DATA_DIM2 28
#define BMLIB_CONV_BN_RELU_K11_DATA_DIM3 28
#define BMLIB_CONV_BN_RELU_K11_DATA_SIZE 200704
#define BMLIB_CONV_BN_RELU_K11_WEIGHT_DIM0 256
#define BMLIB_CONV_BN_RELU_K11_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K11_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K11_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K11_WEIGHT_SIZE 2304
#define BMLIB_CONV_BN_RELU_K11_GAMMA_DIM0 256
#define BMLIB_CONV_BN_RELU_K11_GAMMA_SIZE 256
#define BMLIB_CONV_BN_RELU_K11_BETA_DIM0 256
#define BMLIB_CONV_BN_RELU_K11_BETA_SIZE 256
#define BMLIB_CONV_BN_RELU_K11_MEAN_DIM0 256
#define BMLIB_CONV_BN_RELU_K11_MEAN_SIZE 256
#define BMLIB_CONV_BN_RELU_K11_VARIANCE_DIM0 256
#define BMLIB_CONV_BN_RELU_K11_VARIANCE_SIZE 256
#define BMLIB_CONV_BN_RELU_K11_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K11_OUT0_DIM1 256
#define BMLIB_CONV_BN_RELU_K11_OUT0_DIM2 14
#define BMLIB_CONV_BN_RELU_K11_OUT0_DIM3 14
#define BMLIB_CONV_BN_RELU_K11_OUT0_SIZE 50176
#define BMLIB_CONV_BN_RELU_K11_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K11_CONV2D_STRIDES_1 2
#define BMLIB_CONV_BN_RELU_K11_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K11_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K11_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K11_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K11_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K11_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K11_CONV2D_GROUPS 256
#define BMLIB_CONV_BN_RELU_K11_CONV2D_CHANNELS 256
#define BMLIB_CONV_BN_RELU_K11_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K11_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K11_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K11_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K11_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K11_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K11_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K11_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k11(
    const float *data, /* float32(1,256,28,28), runtime */
    const float *weight, /* float32(256,1,3,3), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0); /* float32(1,256,14,14), output */

/* bmlib_conv_bn_relu_k12: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=512, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,14,14)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,512,14,14), float32(512), float32(512))
 *   t2 = nn.relu(t1.0): float32(1,512,14,14)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %51
 */
#define BMLIB_CONV_BN_RELU_K12_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K12_DATA_DIM1 256
#define BMLIB_CONV_BN_RELU_K12_DATA_DIM2 14
#define BMLIB_CONV_BN_RELU_K12_DATA_DIM3 14
#define BMLIB_CONV_BN_RELU_K12_DATA_SIZE 50176
#define BMLIB_CONV_BN_RELU_K12_WEIGHT_DIM0 512
#define BMLIB_CONV_BN_RELU_K12_WEIGHT_DIM1 256
#define BMLIB_CONV_BN_RELU_K12_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K12_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K12_WEIGHT_SIZE 131072
#define BMLIB_CONV_BN_RELU_K12_GAMMA_DIM0 512
#define BMLIB_CONV_BN_RELU_K12_GAMMA_SIZE 512
#define BMLIB_CONV_BN_RELU_K12_BETA_DIM0 512
#define BMLIB_CONV_BN_RELU_K12_BETA_SIZE 512
#define BMLIB_CONV_BN_RELU_K12_MEAN_DIM0 512
#define BMLIB_CONV_BN_RELU_K12_MEAN_SIZE 512
#define BMLIB_CONV_BN_RELU_K12_VARIANCE_DIM0 512
#define BMLIB_CONV_BN_RELU_K12_VARIANCE_SIZE 512
#define BMLIB_CONV_BN_RELU_K12_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K12_OUT0_DIM1 512
#define BMLIB_CONV_BN_RELU_K12_OUT0_DIM2 14
#define BMLIB_CONV_BN_RELU_K12_OUT0_DIM3 14
#define BMLIB_CONV_BN_RELU_K12_OUT0_SIZE 100352
#define BMLIB_CONV_BN_RELU_K12_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K12_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K12_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K12_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K12_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_CHANNELS 512
#define BMLIB_CONV_BN_RELU_K12_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K12_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K12_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K12_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K12_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K12_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K12_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k12(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(512,256,1,1), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0); /* float32(1,512,14,14), output */

/* bmlib_conv_bn_relu_k13: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=512, channels=512, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,14,14)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,512,14,14), float32(512), float32(512))
 *   t2 = nn.relu(t1.0): float32(1,512,14,14)
 *   out0 = t2
 *
 * Called 5 times:
 *   bmlib_conv_bn_relu_0, stage 0: %55
 *   bmlib_conv_bn_relu_0, stage 0: %63
 *   bmlib_conv_bn_relu_0, stage 0: %71
 *   bmlib_conv_bn_relu_0, stage 0: %79
 *   bmlib_conv_bn_relu_0, stage 0: %87
 */
#define BMLIB_CONV_BN_RELU_K13_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K13_DATA_DIM1 512
#define BMLIB_CONV_BN_RELU_K13_DATA_DIM2 14
#define BMLIB_CONV_BN_RELU_K13_DATA_DIM3 14
#define BMLIB_CONV_BN_RELU_K13_DATA_SIZE 100352
#define BMLIB_CONV_BN_RELU_K13_WEIGHT_DIM0 512
#define BMLIB_CONV_BN_RELU_K13_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K13_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K13_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K13_WEIGHT_SIZE 4608
#define BMLIB_CONV_BN_RELU_K13_GAMMA_DIM0 512
#define BMLIB_CONV_BN_RELU_K13_GAMMA_SIZE 512
#define BMLIB_CONV_BN_RELU_K13_BETA_DIM0 512
#define BMLIB_CONV_BN_RELU_K13_BETA_SIZE 512
#define BMLIB_CONV_BN_RELU_K13_MEAN_DIM0 512
#define BMLIB_CONV_BN_RELU_K13_MEAN_SIZE 512
#define BMLIB_CONV_BN_RELU_K13_VARIANCE_DIM0 512
#define BMLIB_CONV_BN_RELU_K13_VARIANCE_SIZE 512
#define BMLIB_CONV_BN_RELU_K13_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K13_OUT0_DIM1 512
#define BMLIB_CONV_BN_RELU_K13_OUT0_DIM2 14
#define BMLIB_CONV_BN_RELU_K13_OUT0_DIM3 14
#define BMLIB_CONV_BN_RELU_K13_OUT0_SIZE 100352
#define BMLIB_CONV_BN_RELU_K13_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K13_CONV2D_GROUPS 512
#define BMLIB_CONV_BN_RELU_K13_CONV2D_CHANNELS 512
#define BMLIB_CONV_BN_RELU_K13_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K13_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K13_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K13_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K13_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K13_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K13_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K13_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k13(
    const float *data, /* float32(1,512,14,14), runtime */
    const float *weight, /* float32(512,1,3,3), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0); /* float32(1,512,14,14), output */

/* bmlib_conv_bn_relu_k14: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=512, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,14,14)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,512,14,14), float32(512), float32(512))
 *   t2 = nn.relu(t1.0): float32(1,512,14,14)
 *   out0 = t2
 *
 * Called 5 times:
 *   bmlib_conv_bn_relu_0, stage 0: %59
 *   bmlib_conv_bn_relu_0, stage 0: %67
 *   bmlib_conv_bn_relu_0, stage 0: %75
 *   bmlib_conv_bn_relu_0, stage 0: %83
 *   bmlib_conv_bn_relu_0, stage 0: %91
 */
#define BMLIB_CONV_BN_RELU_K14_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K14_DATA_DIM1 512
#define BMLIB_CONV_BN_RELU_K14_DATA_DIM2 14
#define BMLIB_CONV_BN_RELU_K14_DATA_DIM3 14
#define BMLIB_CONV_BN_RELU_K14_DATA_SIZE 100352
#define BMLIB_CONV_BN_RELU_K14_WEIGHT_DIM0 512
#define BMLIB_CONV_BN_RELU_K14_WEIGHT_DIM1 512
#define BMLIB_CONV_BN_RELU_K14_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K14_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K14_WEIGHT_SIZE 262144
#define BMLIB_CONV_BN_RELU_K14_GAMMA_DIM0 512
#define BMLIB_CONV_BN_RELU_K14_GAMMA_SIZE 512
#define BMLIB_CONV_BN_RELU_K14_BETA_DIM0 512
#define BMLIB_CONV_BN_RELU_K14_BETA_SIZE 512
#define BMLIB_CONV_BN_RELU_K14_MEAN_DIM0 512
#define BMLIB_CONV_BN_RELU_K14_MEAN_SIZE 512
#define BMLIB_CONV_BN_RELU_K14_VARIANCE_DIM0 512
#define BMLIB_CONV_BN_RELU_K14_VARIANCE_SIZE 512
#define BMLIB_CONV_BN_RELU_K14_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K14_OUT0_DIM1 512
#define BMLIB_CONV_BN_RELU_K14_OUT0_DIM2 14
#define BMLIB_CONV_BN_RELU_K14_OUT0_DIM3 14
#define BMLIB_CONV_BN_RELU_K14_OUT0_SIZE 100352
#define BMLIB_CONV_BN_RELU_K14_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K14_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K14_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K14_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K14_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_CHANNELS 512
#define BMLIB_CONV_BN_RELU_K14_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K14_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K14_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K14_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K14_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K14_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K14_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k14(
    const float *data, /* float32(1,512,14,14), runtime */
    const float *weight, /* float32(512,512,1,1), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0); /* float32(1,512,14,14), output */

/* bmlib_conv_bn_relu_k15: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=512, channels=512, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,7,7)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,512,7,7), float32(512), float32(512))
 *   t2 = nn.relu(t1.0): float32(1,512,7,7)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %95
 */
#define BMLIB_CONV_BN_RELU_K15_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K15_DATA_DIM1 512
#define BMLIB_CONV_BN_RELU_K15_DATA_DIM2 14
#define BMLIB_CONV_BN_RELU_K15_DATA_DIM3 14
#define BMLIB_CONV_BN_RELU_K15_DATA_SIZE 100352
#define BMLIB_CONV_BN_RELU_K15_WEIGHT_DIM0 512
#define BMLIB_CONV_BN_RELU_K15_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K15_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K15_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K15_WEIGHT_SIZE 4608
#define BMLIB_CONV_BN_RELU_K15_GAMMA_DIM0 512
#define BMLIB_CONV_BN_RELU_K15_GAMMA_SIZE 512
#define BMLIB_CONV_BN_RELU_K15_BETA_DIM0 512
#define BMLIB_CONV_BN_RELU_K15_BETA_SIZE 512
#define BMLIB_CONV_BN_RELU_K15_MEAN_DIM0 512
#define BMLIB_CONV_BN_RELU_K15_MEAN_SIZE 512
#define BMLIB_CONV_BN_RELU_K15_VARIANCE_DIM0 512
#define BMLIB_CONV_BN_RELU_K15_VARIANCE_SIZE 512
#define BMLIB_CONV_BN_RELU_K15_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K15_OUT0_DIM1 512
#define BMLIB_CONV_BN_RELU_K15_OUT0_DIM2 7
#define BMLIB_CONV_BN_RELU_K15_OUT0_DIM3 7
#define BMLIB_CONV_BN_RELU_K15_OUT0_SIZE 25088
#define BMLIB_CONV_BN_RELU_K15_CONV2D_STRIDES_0 2
#define BMLIB_CONV_BN_RELU_K15_CONV2D_STRIDES_1 2
#define BMLIB_CONV_BN_RELU_K15_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K15_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K15_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K15_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K15_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K15_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K15_CONV2D_GROUPS 512
#define BMLIB_CONV_BN_RELU_K15_CONV2D_CHANNELS 512
#define BMLIB_CONV_BN_RELU_K15_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K15_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K15_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K15_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K15_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K15_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K15_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K15_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k15(
    const float *data, /* float32(1,512,14,14), runtime */
    const float *weight, /* float32(512,1,3,3), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0); /* float32(1,512,7,7), output */

/* bmlib_conv_bn_relu_k16: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=1024, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,1024,7,7)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,1024,7,7), float32(1024), float32(1024))
 *   t2 = nn.relu(t1.0): float32(1,1024,7,7)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %99
 */
#define BMLIB_CONV_BN_RELU_K16_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K16_DATA_DIM1 512
#define BMLIB_CONV_BN_RELU_K16_DATA_DIM2 7
#define BMLIB_CONV_BN_RELU_K16_DATA_DIM3 7
#define BMLIB_CONV_BN_RELU_K16_DATA_SIZE 25088
#define BMLIB_CONV_BN_RELU_K16_WEIGHT_DIM0 1024
#define BMLIB_CONV_BN_RELU_K16_WEIGHT_DIM1 512
#define BMLIB_CONV_BN_RELU_K16_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K16_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K16_WEIGHT_SIZE 524288
#define BMLIB_CONV_BN_RELU_K16_GAMMA_DIM0 1024
#define BMLIB_CONV_BN_RELU_K16_GAMMA_SIZE 1024
#define BMLIB_CONV_BN_RELU_K16_BETA_DIM0 1024
#define BMLIB_CONV_BN_RELU_K16_BETA_SIZE 1024
#define BMLIB_CONV_BN_RELU_K16_MEAN_DIM0 1024
#define BMLIB_CONV_BN_RELU_K16_MEAN_SIZE 1024
#define BMLIB_CONV_BN_RELU_K16_VARIANCE_DIM0 1024
#define BMLIB_CONV_BN_RELU_K16_VARIANCE_SIZE 1024
#define BMLIB_CONV_BN_RELU_K16_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K16_OUT0_DIM1 1024
#define BMLIB_CONV_BN_RELU_K16_OUT0_DIM2 7
#define BMLIB_CONV_BN_RELU_K16_OUT0_DIM3 7
#define BMLIB_CONV_BN_RELU_K16_OUT0_SIZE 50176
#define BMLIB_CONV_BN_RELU_K16_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K16_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K16_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K16_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K16_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_CHANNELS 1024
#define BMLIB_CONV_BN_RELU_K16_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K16_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K16_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K16_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K16_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K16_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K16_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k16(
    const float *data, /* float32(1,512,7,7), runtime */
    const float *weight, /* float32(1024,512,1,1), constant */
    const float *gamma, /* float32(1024), constant */
    const float *beta, /* float32(1024), constant */
    const float *mean, /* float32(1024), constant */
    const float *variance, /* float32(1024), constant */
    float *out0); /* float32(1,1024,7,7), output */

/* bmlib_conv_bn_relu_k17: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1024, channels=1024, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,1024,7,7)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,1024,7,7), float32(1024), float32(1024))
 *   t2 = nn.relu(t1.0): float32(1,1024,7,7)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %103
 */
#define BMLIB_CONV_BN_RELU_K17_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K17_DATA_DIM1 1024
#define BMLIB_CONV_BN_RELU_K17_DATA_DIM2 7
#define BMLIB_CONV_BN_RELU_K17_DATA_DIM3 7
#define BMLIB_CONV_BN_RELU_K17_DATA_SIZE 50176
#define BMLIB_CONV_BN_RELU_K17_WEIGHT_DIM0 1024
#define BMLIB_CONV_BN_RELU_K17_WEIGHT_DIM1 1
#define BMLIB_CONV_BN_RELU_K17_WEIGHT_DIM2 3
#define BMLIB_CONV_BN_RELU_K17_WEIGHT_DIM3 3
#define BMLIB_CONV_BN_RELU_K17_WEIGHT_SIZE 9216
#define BMLIB_CONV_BN_RELU_K17_GAMMA_DIM0 1024
#define BMLIB_CONV_BN_RELU_K17_GAMMA_SIZE 1024
#define BMLIB_CONV_BN_RELU_K17_BETA_DIM0 1024
#define BMLIB_CONV_BN_RELU_K17_BETA_SIZE 1024
#define BMLIB_CONV_BN_RELU_K17_MEAN_DIM0 1024
#define BMLIB_CONV_BN_RELU_K17_MEAN_SIZE 1024
#define BMLIB_CONV_BN_RELU_K17_VARIANCE_DIM0 1024
#define BMLIB_CONV_BN_RELU_K17_VARIANCE_SIZE 1024
#define BMLIB_CONV_BN_RELU_K17_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K17_OUT0_DIM1 1024
#define BMLIB_CONV_BN_RELU_K17_OUT0_DIM2 7
#define BMLIB_CONV_BN_RELU_K17_OUT0_DIM3 7
#define BMLIB_CONV_BN_RELU_K17_OUT0_SIZE 50176
#define BMLIB_CONV_BN_RELU_K17_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_PADDING_0 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_PADDING_1 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_PADDING_2 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_PADDING_3 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K17_CONV2D_GROUPS 1024
#define BMLIB_CONV_BN_RELU_K17_CONV2D_CHANNELS 1024
#define BMLIB_CONV_BN_RELU_K17_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_BN_RELU_K17_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_BN_RELU_K17_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K17_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K17_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K17_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K17_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K17_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k17(
    const float *data, /* float32(1,1024,7,7), runtime */
    const float *weight, /* float32(1024,1,3,3), constant */
    const float *gamma, /* float32(1024), constant */
    const float *beta, /* float32(1024), constant */
    const float *mean, /* float32(1024), constant */
    const float *variance, /* float32(1024), constant */
    float *out0); /* float32(1,1024,7,7), output */

/* bmlib_conv_bn_relu_k18: nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=1024, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,1024,7,7)
 *   t1 = nn.batch_norm(t0, gamma, beta, mean, variance) {axis=1, epsilon=1e-05, center=True, scale=True}: (float32(1,1024,7,7), float32(1024), float32(1024))
 *   t2 = nn.relu(t1.0): float32(1,1024,7,7)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_bn_relu_0, stage 0: %107
 */
#define BMLIB_CONV_BN_RELU_K18_DATA_DIM0 1
#define BMLIB_CONV_BN_RELU_K18_DATA_DIM1 1024
#define BMLIB_CONV_BN_RELU_K18_DATA_DIM2 7
#define BMLIB_CONV_BN_RELU_K18_DATA_DIM3 7
#define BMLIB_CONV_BN_RELU_K18_DATA_SIZE 50176
#define BMLIB_CONV_BN_RELU_K18_WEIGHT_DIM0 1024
#define BMLIB_CONV_BN_RELU_K18_WEIGHT_DIM1 1024
#define BMLIB_CONV_BN_RELU_K18_WEIGHT_DIM2 1
#define BMLIB_CONV_BN_RELU_K18_WEIGHT_DIM3 1
#define BMLIB_CONV_BN_RELU_K18_WEIGHT_SIZE 1048576
#define BMLIB_CONV_BN_RELU_K18_GAMMA_DIM0 1024
#define BMLIB_CONV_BN_RELU_K18_GAMMA_SIZE 1024
#define BMLIB_CONV_BN_RELU_K18_BETA_DIM0 1024
#define BMLIB_CONV_BN_RELU_K18_BETA_SIZE 1024
#define BMLIB_CONV_BN_RELU_K18_MEAN_DIM0 1024
#define BMLIB_CONV_BN_RELU_K18_MEAN_SIZE 1024
#define BMLIB_CONV_BN_RELU_K18_VARIANCE_DIM0 1024
#define BMLIB_CONV_BN_RELU_K18_VARIANCE_SIZE 1024
#define BMLIB_CONV_BN_RELU_K18_OUT0_DIM0 1
#define BMLIB_CONV_BN_RELU_K18_OUT0_DIM1 1024
#define BMLIB_CONV_BN_RELU_K18_OUT0_DIM2 7
#define BMLIB_CONV_BN_RELU_K18_OUT0_DIM3 7
#define BMLIB_CONV_BN_RELU_K18_OUT0_SIZE 50176
#define BMLIB_CONV_BN_RELU_K18_CONV2D_STRIDES_0 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_STRIDES_1 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_PADDING_0 0
#define BMLIB_CONV_BN_RELU_K18_CONV2D_PADDING_1 0
#define BMLIB_CONV_BN_RELU_K18_CONV2D_PADDING_2 0
#define BMLIB_CONV_BN_RELU_K18_CONV2D_PADDING_3 0
#define BMLIB_CONV_BN_RELU_K18_CONV2D_DILATION_0 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_DILATION_1 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_GROUPS 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_CHANNELS 1024
#define BMLIB_CONV_BN_RELU_K18_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_BN_RELU_K18_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_BN_RELU_K18_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_BN_RELU_K18_BATCH_NORM_AXIS 1
#define BMLIB_CONV_BN_RELU_K18_BATCH_NORM_EPSILON 1e-05
#define BMLIB_CONV_BN_RELU_K18_BATCH_NORM_CENTER 1
#define BMLIB_CONV_BN_RELU_K18_BATCH_NORM_SCALE 1
int32_t bmlib_conv_bn_relu_k18(
    const float *data, /* float32(1,1024,7,7), runtime */
    const float *weight, /* float32(1024,1024,1,1), constant */
    const float *gamma, /* float32(1024), constant */
    const float *beta, /* float32(1024), constant */
    const float *mean, /* float32(1024), constant */
    const float *variance, /* float32(1024), constant */
    float *out0); /* float32(1,1024,7,7), output */

#ifdef __cplusplus
}
#endif

#endif /* MOBILENET_H_ */

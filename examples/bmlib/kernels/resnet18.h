/* resnet18.h: kernels of backend bmlib for onnx_resnet18.json.
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
#ifndef RESNET18_H_
#define RESNET18_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bmlib_conv_relu_k0: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(3, 3, 3, 3), dilation=(1, 1), groups=1, channels=64, kernel_size=(7, 7), data_layout=NCHW, kernel_layout=OIHW}: float32(1,64,112,112)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,64,112,112)
 *   t2 = nn.relu(t1): float32(1,64,112,112)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_0, stage 0: %2 /m/resnet/embedder/embedder/activation/Relu
 */
#define BMLIB_CONV_RELU_K0_DATA_DIM0 1
#define BMLIB_CONV_RELU_K0_DATA_DIM1 3
#define BMLIB_CONV_RELU_K0_DATA_DIM2 224
#define BMLIB_CONV_RELU_K0_DATA_DIM3 224
#define BMLIB_CONV_RELU_K0_DATA_SIZE 150528
#define BMLIB_CONV_RELU_K0_WEIGHT_DIM0 64
#define BMLIB_CONV_RELU_K0_WEIGHT_DIM1 3
#define BMLIB_CONV_RELU_K0_WEIGHT_DIM2 7
#define BMLIB_CONV_RELU_K0_WEIGHT_DIM3 7
#define BMLIB_CONV_RELU_K0_WEIGHT_SIZE 9408
#define BMLIB_CONV_RELU_K0_BIAS_DIM0 64
#define BMLIB_CONV_RELU_K0_BIAS_SIZE 64
#define BMLIB_CONV_RELU_K0_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K0_OUT0_DIM1 64
#define BMLIB_CONV_RELU_K0_OUT0_DIM2 112
#define BMLIB_CONV_RELU_K0_OUT0_DIM3 112
#define BMLIB_CONV_RELU_K0_OUT0_SIZE 802816
#define BMLIB_CONV_RELU_K0_CONV2D_STRIDES_0 2
#define BMLIB_CONV_RELU_K0_CONV2D_STRIDES_1 2
#define BMLIB_CONV_RELU_K0_CONV2D_PADDING_0 3
#define BMLIB_CONV_RELU_K0_CONV2D_PADDING_1 3
#define BMLIB_CONV_RELU_K0_CONV2D_PADDING_2 3
#define BMLIB_CONV_RELU_K0_CONV2D_PADDING_3 3
#define BMLIB_CONV_RELU_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K0_CONV2D_CHANNELS 64
#define BMLIB_CONV_RELU_K0_CONV2D_KERNEL_SIZE_0 7
#define BMLIB_CONV_RELU_K0_CONV2D_KERNEL_SIZE_1 7
#define BMLIB_CONV_RELU_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K0_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k0(
    const float *data, /* float32(1,3,224,224), runtime */
    const float *weight, /* float32(64,3,7,7), constant */
    const float *bias, /* float32(64), constant */
    float *out0); /* float32(1,64,112,112), output */

/* bmlib_conv_relu_k1: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=64, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,64,56,56)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,64,56,56)
 *   t2 = nn.relu(t1): float32(1,64,56,56)
 *   out0 = t2
 *
 * Called 2 times:
 *   bmlib_conv_relu_1, stage 0: %6 /m/resnet/encoder/stages.0/layers.0/layer/layer.0/activation/Relu
 *   bmlib_conv_relu_1, stage 0: %13 /m/resnet/encoder/stages.0/layers.1/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K1_DATA_DIM0 1
#define BMLIB_CONV_RELU_K1_DATA_DIM1 64
#define BMLIB_CONV_RELU_K1_DATA_DIM2 56
#define BMLIB_CONV_RELU_K1_DATA_DIM3 56
#define BMLIB_CONV_RELU_K1_DATA_SIZE 200704
#define BMLIB_CONV_RELU_K1_WEIGHT_DIM0 64
#define BMLIB_CONV_RELU_K1_WEIGHT_DIM1 64
#define BMLIB_CONV_RELU_K1_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K1_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K1_WEIGHT_SIZE 36864
#define BMLIB_CONV_RELU_K1_BIAS_DIM0 64
#define BMLIB_CONV_RELU_K1_BIAS_SIZE 64
#define BMLIB_CONV_RELU_K1_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K1_OUT0_DIM1 64
#define BMLIB_CONV_RELU_K1_OUT0_DIM2 56
#define BMLIB_CONV_RELU_K1_OUT0_DIM3 56
#define BMLIB_CONV_RELU_K1_OUT0_SIZE 200704
#define BMLIB_CONV_RELU_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_RELU_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_RELU_K1_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K1_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K1_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K1_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K1_CONV2D_CHANNELS 64
#define BMLIB_CONV_RELU_K1_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K1_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K1_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k1(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(64,64,3,3), constant */
    const float *bias, /* float32(64), constant */
    float *out0); /* float32(1,64,56,56), output */

/* bmlib_conv_add_relu_k0: nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=64, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,64,56,56)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,64,56,56)
 *   t2 = add(t1, residual): float32(1,64,56,56)
 *   t3 = nn.relu(t2): float32(1,64,56,56)
 *   out0 = t3
 *
 * Called 2 times:
 *   bmlib_conv_relu_1, stage 0: %10 /m/resnet/encoder/stages.0/layers.0/activation/Relu
 *   bmlib_conv_relu_1, stage 0: %17 /m/resnet/encoder/stages.0/layers.1/activation/Relu
 */
#define BMLIB_CONV_ADD_RELU_K0_DATA_DIM0 1
#define BMLIB_CONV_ADD_RELU_K0_DATA_DIM1 64
#define BMLIB_CONV_ADD_RELU_K0_DATA_DIM2 56
#define BMLIB_CONV_ADD_RELU_K0_DATA_DIM3 56
#define BMLIB_CONV_ADD_RELU_K0_DATA_SIZE 200704
#define BMLIB_CONV_ADD_RELU_K0_RESIDUAL_DIM0 1
#define BMLIB_CONV_ADD_RELU_K0_RESIDUAL_DIM1 64
#define BMLIB_CONV_ADD_RELU_K0_RESIDUAL_DIM2 56
#define BMLIB_CONV_ADD_RELU_K0_RESIDUAL_DIM3 56
#define BMLIB_CONV_ADD_RELU_K0_RESIDUAL_SIZE 200704
#define BMLIB_CONV_ADD_RELU_K0_WEIGHT_DIM0 64
#define BMLIB_CONV_ADD_RELU_K0_WEIGHT_DIM1 64
#define BMLIB_CONV_ADD_RELU_K0_WEIGHT_DIM2 3
#define BMLIB_CONV_ADD_RELU_K0_WEIGHT_DIM3 3
#define BMLIB_CONV_ADD_RELU_K0_WEIGHT_SIZE 36864
#define BMLIB_CONV_ADD_RELU_K0_BIAS_DIM0 64
#define BMLIB_CONV_ADD_RELU_K0_BIAS_SIZE 64
#define BMLIB_CONV_ADD_RELU_K0_OUT0_DIM0 1
#define BMLIB_CONV_ADD_RELU_K0_OUT0_DIM1 64
#define BMLIB_CONV_ADD_RELU_K0_OUT0_DIM2 56
#define BMLIB_CONV_ADD_RELU_K0_OUT0_DIM3 56
#define BMLIB_CONV_ADD_RELU_K0_OUT0_SIZE 200704
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_STRIDES_0 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_STRIDES_1 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_PADDING_0 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_PADDING_1 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_PADDING_2 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_PADDING_3 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_CHANNELS 64
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_ADD_RELU_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_ADD_RELU_K0_BIAS_ADD_AXIS 1
int32_t bmlib_conv_add_relu_k0(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *residual, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(64,64,3,3), constant */
    const float *bias, /* float32(64), constant */
    float *out0); /* float32(1,64,56,56), output */

/* bmlib_conv_relu_k2: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=128, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,28,28)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,128,28,28)
 *   t2 = nn.relu(t1): float32(1,128,28,28)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %20 /m/resnet/encoder/stages.1/layers.0/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K2_DATA_DIM0 1
#define BMLIB_CONV_RELU_K2_DATA_DIM1 64
#define BMLIB_CONV_RELU_K2_DATA_DIM2 56
#define BMLIB_CONV_RELU_K2_DATA_DIM3 56
#define BMLIB_CONV_RELU_K2_DATA_SIZE 200704
#define BMLIB_CONV_RELU_K2_WEIGHT_DIM0 128
#define BMLIB_CONV_RELU_K2_WEIGHT_DIM1 64
#define BMLIB_CONV_RELU_K2_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K2_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K2_WEIGHT_SIZE 73728
#define BMLIB_CONV_RELU_K2_BIAS_DIM0 128
#define BMLIB_CONV_RELU_K2_BIAS_SIZE 128
#define BMLIB_CONV_RELU_K2_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K2_OUT0_DIM1 128
#define BMLIB_CONV_RELU_K2_OUT0_DIM2 28
#define BMLIB_CONV_RELU_K2_OUT0_DIM3 28
#define BMLIB_CONV_RELU_K2_OUT0_SIZE 100352
#define BMLIB_CONV_RELU_K2_CONV2D_STRIDES_0 2
#define BMLIB_CONV_RELU_K2_CONV2D_STRIDES_1 2
#define BMLIB_CONV_RELU_K2_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K2_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K2_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K2_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K2_CONV2D_CHANNELS 128
#define BMLIB_CONV_RELU_K2_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K2_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K2_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k2(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(128,64,3,3), constant */
    const float *bias, /* float32(128), constant */
    float *out0); /* float32(1,128,28,28), output */

/* bmlib_conv_k0: nn.conv2d>nn.bias_add to bmlib.conv
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=128, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,28,28)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,128,28,28)
 *   out0 = t1
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %24 /m/resnet/encoder/stages.1/layers.0/shortcut/convolution/Conv
 */
#define BMLIB_CONV_K0_DATA_DIM0 1
#define BMLIB_CONV_K0_DATA_DIM1 64
#define BMLIB_CONV_K0_DATA_DIM2 56
#define BMLIB_CONV_K0_DATA_DIM3 56
#define BMLIB_CONV_K0_DATA_SIZE 200704
#define BMLIB_CONV_K0_WEIGHT_DIM0 128
#define BMLIB_CONV_K0_WEIGHT_DIM1 64
#define BMLIB_CONV_K0_WEIGHT_DIM2 1
#define BMLIB_CONV_K0_WEIGHT_DIM3 1
#define BMLIB_CONV_K0_WEIGHT_SIZE 8192
#define BMLIB_CONV_K0_BIAS_DIM0 128
#define BMLIB_CONV_K0_BIAS_SIZE 128
#define BMLIB_CONV_K0_OUT0_DIM0 1
#define BMLIB_CONV_K0_OUT0_DIM1 128
#define BMLIB_CONV_K0_OUT0_DIM2 28
#define BMLIB_CONV_K0_OUT0_DIM3 28
#define BMLIB_CONV_K0_OUT0_SIZE 100352
#define BMLIB_CONV_K0_CONV2D_STRIDES_0 2
#define BMLIB_CONV_K0_CONV2D_STRIDES_1 2
#define BMLIB_CONV_K0_CONV2D_PADDING_0 0
#define BMLIB_CONV_K0_CONV2D_PADDING_1 0
#define BMLIB_CONV_K0_CONV2D_PADDING_2 0
#define BMLIB_CONV_K0_CONV2D_PADDING_3 0
#define BMLIB_CONV_K0_CONV2D_DILATION_0 1
#define BMLIB_CONV_K0_CONV2D_DILATION_1 1
#define BMLIB_CONV_K0_CONV2D_GROUPS 1
#define BMLIB_CONV_K0_CONV2D_CHANNELS 128
#define BMLIB_CONV_K0_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_K0_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_K0_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_K0_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_K0_BIAS_ADD_AXIS 1
int32_t bmlib_conv_k0(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(128,64,1,1), constant */
    const float *bias, /* float32(128), constant */
    float *out0); /* float32(1,128,28,28), output */

/* bmlib_conv_add_relu_k1: nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=128, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,28,28)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,128,28,28)
 *   t2 = add(t1, residual): float32(1,128,28,28)
 *   t3 = nn.relu(t2): float32(1,128,28,28)
 *   out0 = t3
 *
 * Called 2 times:
 *   bmlib_conv_relu_1, stage 0: %26 /m/resnet/encoder/stages.1/layers.0/activation/Relu
 *   bmlib_conv_relu_1, stage 0: %33 /m/resnet/encoder/stages.1/layers.1/activation/Relu
 */
#define BMLIB_CONV_ADD_RELU_K1_DATA_DIM0 1
#define BMLIB_CONV_ADD_RELU_K1_DATA_DIM1 128
#define BMLIB_CONV_ADD_RELU_K1_DATA_DIM2 28
#define BMLIB_CONV_ADD_RELU_K1_DATA_DIM3 28
#define BMLIB_CONV_ADD_RELU_K1_DATA_SIZE 100352
#define BMLIB_CONV_ADD_RELU_K1_RESIDUAL_DIM0 1
#define BMLIB_CONV_ADD_RELU_K1_RESIDUAL_DIM1 128
#define BMLIB_CONV_ADD_RELU_K1_RESIDUAL_DIM2 28
#define BMLIB_CONV_ADD_RELU_K1_RESIDUAL_DIM3 28
#define BMLIB_CONV_ADD_RELU_K1_RESIDUAL_SIZE 100352
#define BMLIB_CONV_ADD_RELU_K1_WEIGHT_DIM0 128
#define BMLIB_CONV_ADD_RELU_K1_WEIGHT_DIM1 128
#define BMLIB_CONV_ADD_RELU_K1_WEIGHT_DIM2 3
#define BMLIB_CONV_ADD_RELU_K1_WEIGHT_DIM3 3
#define BMLIB_CONV_ADD_RELU_K1_WEIGHT_SIZE 147456
#define BMLIB_CONV_ADD_RELU_K1_BIAS_DIM0 128
#define BMLIB_CONV_ADD_RELU_K1_BIAS_SIZE 128
#define BMLIB_CONV_ADD_RELU_K1_OUT0_DIM0 1
#define BMLIB_CONV_ADD_RELU_K1_OUT0_DIM1 128
#define BMLIB_CONV_ADD_RELU_K1_OUT0_DIM2 28
#define BMLIB_CONV_ADD_RELU_K1_OUT0_DIM3 28
#define BMLIB_CONV_ADD_RELU_K1_OUT0_SIZE 100352
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_STRIDES_0 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_STRIDES_1 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_PADDING_0 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_PADDING_1 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_PADDING_2 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_PADDING_3 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_CHANNELS 128
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_ADD_RELU_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_ADD_RELU_K1_BIAS_ADD_AXIS 1
int32_t bmlib_conv_add_relu_k1(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *residual, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(128,128,3,3), constant */
    const float *bias, /* float32(128), constant */
    float *out0); /* float32(1,128,28,28), output */

/* bmlib_conv_relu_k3: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=128, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,128,28,28)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,128,28,28)
 *   t2 = nn.relu(t1): float32(1,128,28,28)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %29 /m/resnet/encoder/stages.1/layers.1/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K3_DATA_DIM0 1
#define BMLIB_CONV_RELU_K3_DATA_DIM1 128
#define BMLIB_CONV_RELU_K3_DATA_DIM2 28
#define BMLIB_CONV_RELU_K3_DATA_DIM3 28
#define BMLIB_CONV_RELU_K3_DATA_SIZE 100352
#define BMLIB_CONV_RELU_K3_WEIGHT_DIM0 128
#define BMLIB_CONV_RELU_K3_WEIGHT_DIM1 128
#define BMLIB_CONV_RELU_K3_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K3_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K3_WEIGHT_SIZE 147456
#define BMLIB_CONV_RELU_K3_BIAS_DIM0 128
#define BMLIB_CONV_RELU_K3_BIAS_SIZE 128
#define BMLIB_CONV_RELU_K3_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K3_OUT0_DIM1 128
#define BMLIB_CONV_RELU_K3_OUT0_DIM2 28
#define BMLIB_CONV_RELU_K3_OUT0_DIM3 28
#define BMLIB_CONV_RELU_K3_OUT0_SIZE 100352
#define BMLIB_CONV_RELU_K3_CONV2D_STRIDES_0 1
#define BMLIB_CONV_RELU_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_RELU_K3_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K3_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K3_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K3_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K3_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K3_CONV2D_CHANNELS 128
#define BMLIB_CONV_RELU_K3_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K3_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K3_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k3(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(128,128,3,3), constant */
    const float *bias, /* float32(128), constant */
    float *out0); /* float32(1,128,28,28), output */

/* bmlib_conv_relu_k4: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=256, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,14,14)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,256,14,14)
 *   t2 = nn.relu(t1): float32(1,256,14,14)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %36 /m/resnet/encoder/stages.2/layers.0/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K4_DATA_DIM0 1
#define BMLIB_CONV_RELU_K4_DATA_DIM1 128
#define BMLIB_CONV_RELU_K4_DATA_DIM2 28
#define BMLIB_CONV_RELU_K4_DATA_DIM3 28
#define BMLIB_CONV_RELU_K4_DATA_SIZE 100352
#define BMLIB_CONV_RELU_K4_WEIGHT_DIM0 256
#define BMLIB_CONV_RELU_K4_WEIGHT_DIM1 128
#define BMLIB_CONV_RELU_K4_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K4_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K4_WEIGHT_SIZE 294912
#define BMLIB_CONV_RELU_K4_BIAS_DIM0 256
#define BMLIB_CONV_RELU_K4_BIAS_SIZE 256
#define BMLIB_CONV_RELU_K4_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K4_OUT0_DIM1 256
#define BMLIB_CONV_RELU_K4_OUT0_DIM2 14
#define BMLIB_CONV_RELU_K4_OUT0_DIM3 14
#define BMLIB_CONV_RELU_K4_OUT0_SIZE 50176
#define BMLIB_CONV_RELU_K4_CONV2D_STRIDES_0 2
#define BMLIB_CONV_RELU_K4_CONV2D_STRIDES_1 2
#define BMLIB_CONV_RELU_K4_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K4_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K4_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K4_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K4_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K4_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K4_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K4_CONV2D_CHANNELS 256
#define BMLIB_CONV_RELU_K4_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K4_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K4_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K4_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K4_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k4(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(256,128,3,3), constant */
    const float *bias, /* float32(256), constant */
    float *out0); /* float32(1,256,14,14), output */

/* bmlib_conv_k1: nn.conv2d>nn.bias_add to bmlib.conv
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=256, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,14,14)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,256,14,14)
 *   out0 = t1
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %40 /m/resnet/encoder/stages.2/layers.0/shortcut/convolution/Conv
 */
#define BMLIB_CONV_K1_DATA_DIM0 1
#define BMLIB_CONV_K1_DATA_DIM1 128
#define BMLIB_CONV_K1_DATA_DIM2 28
#define BMLIB_CONV_K1_DATA_DIM3 28
#define BMLIB_CONV_K1_DATA_SIZE 100352
#define BMLIB_CONV_K1_WEIGHT_DIM0 256
#define BMLIB_CONV_K1_WEIGHT_DIM1 128
#define BMLIB_CONV_K1_WEIGHT_DIM2 1
#define BMLIB_CONV_K1_WEIGHT_DIM3 1
#define BMLIB_CONV_K1_WEIGHT_SIZE 32768
#define BMLIB_CONV_K1_BIAS_DIM0 256
#define BMLIB_CONV_K1_BIAS_SIZE 256
#define BMLIB_CONV_K1_OUT0_DIM0 1
#define BMLIB_CONV_K1_OUT0_DIM1 256
#define BMLIB_CONV_K1_OUT0_DIM2 14
#define BMLIB_CONV_K1_OUT0_DIM3 14
#define BMLIB_CONV_K1_OUT0_SIZE 50176
#define BMLIB_CONV_K1_CONV2D_STRIDES_0 2
#define BMLIB_CONV_K1_CONV2D_STRIDES_1 2
#define BMLIB_CONV_K1_CONV2D_PADDING_0 0
#define BMLIB_CONV_K1_CONV2D_PADDING_1 0
#define BMLIB_CONV_K1_CONV2D_PADDING_2 0
#define BMLIB_CONV_K1_CONV2D_PADDING_3 0
#define BMLIB_CONV_K1_CONV2D_DILATION_0 1
#define BMLIB_CONV_K1_CONV2D_DILATION_1 1
#define BMLIB_CONV_K1_CONV2D_GROUPS 1
#define BMLIB_CONV_K1_CONV2D_CHANNELS 256
#define BMLIB_CONV_K1_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_K1_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_K1_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_K1_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_K1_BIAS_ADD_AXIS 1
int32_t bmlib_conv_k1(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(256,128,1,1), constant */
    const float *bias, /* float32(256), constant */
    float *out0); /* float32(1,256,14,14), output */

/* bmlib_conv_add_relu_k2: nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=256, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,14,14)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,256,14,14)
 *   t2 = add(t1, residual): float32(1,256,14,14)
 *   t3 = nn.relu(t2): float32(1,256,14,14)
 *   out0 = t3
 *
 * Called 2 times:
 *   bmlib_conv_relu_1, stage 0: %42 /m/resnet/encoder/stages.2/layers.0/activation/Relu
 *   bmlib_conv_relu_1, stage 0: %49 /m/resnet/encoder/stages.2/layers.1/activation/Relu
 */
#define BMLIB_CONV_ADD_RELU_K2_DATA_DIM0 1
#define BMLIB_CONV_ADD_RELU_K2_DATA_DIM1 256
#define BMLIB_CONV_ADD_RELU_K2_DATA_DIM2 14
#define BMLIB_CONV_ADD_RELU_K2_DATA_DIM3 14
#define BMLIB_CONV_ADD_RELU_K2_DATA_SIZE 50176
#define BMLIB_CONV_ADD_RELU_K2_RESIDUAL_DIM0 1
#define BMLIB_CONV_ADD_RELU_K2_RESIDUAL_DIM1 256
#define BMLIB_CONV_ADD_RELU_K2_RESIDUAL_DIM2 14
#define BMLIB_CONV_ADD_RELU_K2_RESIDUAL_DIM3 14
#define BMLIB_CONV_ADD_RELU_K2_RESIDUAL_SIZE 50176
#define BMLIB_CONV_ADD_RELU_K2_WEIGHT_DIM0 256
#define BMLIB_CONV_ADD_RELU_K2_WEIGHT_DIM1 256
#define BMLIB_CONV_ADD_RELU_K2_WEIGHT_DIM2 3
#define BMLIB_CONV_ADD_RELU_K2_WEIGHT_DIM3 3
#define BMLIB_CONV_ADD_RELU_K2_WEIGHT_SIZE 589824
#define BMLIB_CONV_ADD_RELU_K2_BIAS_DIM0 256
#define BMLIB_CONV_ADD_RELU_K2_BIAS_SIZE 256
#define BMLIB_CONV_ADD_RELU_K2_OUT0_DIM0 1
#define BMLIB_CONV_ADD_RELU_K2_OUT0_DIM1 256
#define BMLIB_CONV_ADD_RELU_K2_OUT0_DIM2 14
#define BMLIB_CONV_ADD_RELU_K2_OUT0_DIM3 14
#define BMLIB_CONV_ADD_RELU_K2_OUT0_SIZE 50176
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_STRIDES_0 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_STRIDES_1 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_PADDING_0 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_PADDING_1 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_PADDING_2 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_PADDING_3 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_CHANNELS 256
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_ADD_RELU_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_ADD_RELU_K2_BIAS_ADD_AXIS 1
int32_t bmlib_conv_add_relu_k2(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *residual, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(256,256,3,3), constant */
    const float *bias, /* float32(256), constant */
    float *out0); /* float32(1,256,14,14), output */

/* bmlib_conv_relu_k5: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=256, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,256,14,14)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,256,14,14)
 *   t2 = nn.relu(t1): float32(1,256,14,14)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %45 /m/resnet/encoder/stages.2/layers.1/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K5_DATA_DIM0 1
#define BMLIB_CONV_RELU_K5_DATA_DIM1 256
#define BMLIB_CONV_RELU_K5_DATA_DIM2 14
#define BMLIB_CONV_RELU_K5_DATA_DIM3 14
#define BMLIB_CONV_RELU_K5_DATA_SIZE 50176
#define BMLIB_CONV_RELU_K5_WEIGHT_DIM0 256
#define BMLIB_CONV_RELU_K5_WEIGHT_DIM1 256
#define BMLIB_CONV_RELU_K5_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K5_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K5_WEIGHT_SIZE 589824
#define BMLIB_CONV_RELU_K5_BIAS_DIM0 256
#define BMLIB_CONV_RELU_K5_BIAS_SIZE 256
#define BMLIB_CONV_RELU_K5_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K5_OUT0_DIM1 256
#define BMLIB_CONV_RELU_K5_OUT0_DIM2 14
#define BMLIB_CONV_RELU_K5_OUT0_DIM3 14
#define BMLIB_CONV_RELU_K5_OUT0_SIZE 50176
#define BMLIB_CONV_RELU_K5_CONV2D_STRIDES_0 1
#define BMLIB_CONV_RELU_K5_CONV2D_STRIDES_1 1
#define BMLIB_CONV_RELU_K5_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K5_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K5_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K5_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K5_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K5_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K5_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K5_CONV2D_CHANNELS 256
#define BMLIB_CONV_RELU_K5_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K5_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K5_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K5_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K5_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k5(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(256,256,3,3), constant */
    const float *bias, /* float32(256), constant */
    float *out0); /* float32(1,256,14,14), output */

/* bmlib_conv_relu_k6: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=512, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,7,7)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,512,7,7)
 *   t2 = nn.relu(t1): float32(1,512,7,7)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %52 /m/resnet/encoder/stages.3/layers.0/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K6_DATA_DIM0 1
#define BMLIB_CONV_RELU_K6_DATA_DIM1 256
#define BMLIB_CONV_RELU_K6_DATA_DIM2 14
#define BMLIB_CONV_RELU_K6_DATA_DIM3 14
#define BMLIB_CONV_RELU_K6_DATA_SIZE 50176
#define BMLIB_CONV_RELU_K6_WEIGHT_DIM0 512
#define BMLIB_CONV_RELU_K6_WEIGHT_DIM1 256
#define BMLIB_CONV_RELU_K6_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K6_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K6_WEIGHT_SIZE 1179648
#define BMLIB_CONV_RELU_K6_BIAS_DIM0 512
#define BMLIB_CONV_RELU_K6_BIAS_SIZE 512
#define BMLIB_CONV_RELU_K6_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K6_OUT0_DIM1 512
#define BMLIB_CONV_RELU_K6_OUT0_DIM2 7
#define BMLIB_CONV_RELU_K6_OUT0_DIM3 7
#define BMLIB_CONV_RELU_K6_OUT0_SIZE 25088
#define BMLIB_CONV_RELU_K6_CONV2D_STRIDES_0 2
#define BMLIB_CONV_RELU_K6_CONV2D_STRIDES_1 2
#define BMLIB_CONV_RELU_K6_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K6_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K6_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K6_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K6_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K6_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K6_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K6_CONV2D_CHANNELS 512
#define BMLIB_CONV_RELU_K6_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K6_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K6_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K6_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K6_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k6(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(512,256,3,3), constant */
    const float *bias, /* float32(512), constant */
    float *out0); /* float32(1,512,7,7), output */

/* bmlib_conv_k2: nn.conv2d>nn.bias_add to bmlib.conv
 *
 *   t0 = nn.conv2d(data, weight) {strides=(2, 2), padding=(0, 0, 0, 0), dilation=(1, 1), groups=1, channels=512, kernel_size=(1, 1), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,7,7)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,512,7,7)
 *   out0 = t1
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %56 /m/resnet/encoder/stages.3/layers.0/shortcut/convolution/Conv
 */
#define BMLIB_CONV_K2_DATA_DIM0 1
#define BMLIB_CONV_K2_DATA_DIM1 256
#define BMLIB_CONV_K2_DATA_DIM2 14
#define BMLIB_CONV_K2_DATA_DIM3 14
#define BMLIB_CONV_K2_DATA_SIZE 50176
#define BMLIB_CONV_K2_WEIGHT_DIM0 512
#define BMLIB_CONV_K2_WEIGHT_DIM1 256
#define BMLIB_CONV_K2_WEIGHT_DIM2 1
#define BMLIB_CONV_K2_WEIGHT_DIM3 1
#define BMLIB_CONV_K2_WEIGHT_SIZE 131072
#define BMLIB_CONV_K2_BIAS_DIM0 512
#define BMLIB_CONV_K2_BIAS_SIZE 512
#define BMLIB_CONV_K2_OUT0_DIM0 1
#define BMLIB_CONV_K2_OUT0_DIM1 512
#define BMLIB_CONV_K2_OUT0_DIM2 7
#define BMLIB_CONV_K2_OUT0_DIM3 7
#define BMLIB_CONV_K2_OUT0_SIZE 25088
#define BMLIB_CONV_K2_CONV2D_STRIDES_0 2
#define BMLIB_CONV_K2_CONV2D_STRIDES_1 2
#define BMLIB_CONV_K2_CONV2D_PADDING_0 0
#define BMLIB_CONV_K2_CONV2D_PADDING_1 0
#define BMLIB_CONV_K2_CONV2D_PADDING_2 0
#define BMLIB_CONV_K2_CONV2D_PADDING_3 0
#define BMLIB_CONV_K2_CONV2D_DILATION_0 1
#define BMLIB_CONV_K2_CONV2D_DILATION_1 1
#define BMLIB_CONV_K2_CONV2D_GROUPS 1
#define BMLIB_CONV_K2_CONV2D_CHANNELS 512
#define BMLIB_CONV_K2_CONV2D_KERNEL_SIZE_0 1
#define BMLIB_CONV_K2_CONV2D_KERNEL_SIZE_1 1
#define BMLIB_CONV_K2_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_K2_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_K2_BIAS_ADD_AXIS 1
int32_t bmlib_conv_k2(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(512,256,1,1), constant */
    const float *bias, /* float32(512), constant */
    float *out0); /* float32(1,512,7,7), output */

/* bmlib_conv_add_relu_k3: nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=512, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,7,7)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,512,7,7)
 *   t2 = add(t1, residual): float32(1,512,7,7)
 *   t3 = nn.relu(t2): float32(1,512,7,7)
 *   out0 = t3
 *
 * Called 2 times:
 *   bmlib_conv_relu_1, stage 0: %58 /m/resnet/encoder/stages.3/layers.0/activation/Relu
 *   bmlib_conv_relu_1, stage 0: %65 /m/resnet/encoder/stages.3/layers.1/activation/Relu
 */
#define BMLIB_CONV_ADD_RELU_K3_DATA_DIM0 1
#define BMLIB_CONV_ADD_RELU_K3_DATA_DIM1 512
#define BMLIB_CONV_ADD_RELU_K3_DATA_DIM2 7
#define BMLIB_CONV_ADD_RELU_K3_DATA_DIM3 7
#define BMLIB_CONV_ADD_RELU_K3_DATA_SIZE 25088
#define BMLIB_CONV_ADD_RELU_K3_RESIDUAL_DIM0 1
#define BMLIB_CONV_ADD_RELU_K3_RESIDUAL_DIM1 512
#define BMLIB_CONV_ADD_RELU_K3_RESIDUAL_DIM2 7
#define BMLIB_CONV_ADD_RELU_K3_RESIDUAL_DIM3 7
#define BMLIB_CONV_ADD_RELU_K3_RESIDUAL_SIZE 25088
#define BMLIB_CONV_ADD_RELU_K3_WEIGHT_DIM0 512
#define BMLIB_CONV_ADD_RELU_K3_WEIGHT_DIM1 512
#define BMLIB_CONV_ADD_RELU_K3_WEIGHT_DIM2 3
#define BMLIB_CONV_ADD_RELU_K3_WEIGHT_DIM3 3
#define BMLIB_CONV_ADD_RELU_K3_WEIGHT_SIZE 2359296
#define BMLIB_CONV_ADD_RELU_K3_BIAS_DIM0 512
#define BMLIB_CONV_ADD_RELU_K3_BIAS_SIZE 512
#define BMLIB_CONV_ADD_RELU_K3_OUT0_DIM0 1
#define BMLIB_CONV_ADD_RELU_K3_OUT0_DIM1 512
#define BMLIB_CONV_ADD_RELU_K3_OUT0_DIM2 7
#define BMLIB_CONV_ADD_RELU_K3_OUT0_DIM3 7
#define BMLIB_CONV_ADD_RELU_K3_OUT0_SIZE 25088
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_STRIDES_0 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_STRIDES_1 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_PADDING_0 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_PADDING_1 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_PADDING_2 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_PADDING_3 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_DILATION_0 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_DILATION_1 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_GROUPS 1
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_CHANNELS 512
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_ADD_RELU_K3_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_ADD_RELU_K3_BIAS_ADD_AXIS 1
int32_t bmlib_conv_add_relu_k3(
    const float *data, /* float32(1,512,7,7), runtime */
    const float *residual, /* float32(1,512,7,7), runtime */
    const float *weight, /* float32(512,512,3,3), constant */
    const float *bias, /* float32(512), constant */
    float *out0); /* float32(1,512,7,7), output */

/* bmlib_conv_relu_k7: nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu
 *
 *   t0 = nn.conv2d(data, weight) {strides=(1, 1), padding=(1, 1, 1, 1), dilation=(1, 1), groups=1, channels=512, kernel_size=(3, 3), data_layout=NCHW, kernel_layout=OIHW}: float32(1,512,7,7)
 *   t1 = nn.bias_add(t0, bias) {axis=1}: float32(1,512,7,7)
 *   t2 = nn.relu(t1): float32(1,512,7,7)
 *   out0 = t2
 *
 * Called once:
 *   bmlib_conv_relu_1, stage 0: %61 /m/resnet/encoder/stages.3/layers.1/layer/layer.0/activation/Relu
 */
#define BMLIB_CONV_RELU_K7_DATA_DIM0 1
#define BMLIB_CONV_RELU_K7_DATA_DIM1 512
#define BMLIB_CONV_RELU_K7_DATA_DIM2 7
#define BMLIB_CONV_RELU_K7_DATA_DIM3 7
#define BMLIB_CONV_RELU_K7_DATA_SIZE 25088
#define BMLIB_CONV_RELU_K7_WEIGHT_DIM0 512
#define BMLIB_CONV_RELU_K7_WEIGHT_DIM1 512
#define BMLIB_CONV_RELU_K7_WEIGHT_DIM2 3
#define BMLIB_CONV_RELU_K7_WEIGHT_DIM3 3
#define BMLIB_CONV_RELU_K7_WEIGHT_SIZE 2359296
#define BMLIB_CONV_RELU_K7_BIAS_DIM0 512
#define BMLIB_CONV_RELU_K7_BIAS_SIZE 512
#define BMLIB_CONV_RELU_K7_OUT0_DIM0 1
#define BMLIB_CONV_RELU_K7_OUT0_DIM1 512
#define BMLIB_CONV_RELU_K7_OUT0_DIM2 7
#define BMLIB_CONV_RELU_K7_OUT0_DIM3 7
#define BMLIB_CONV_RELU_K7_OUT0_SIZE 25088
#define BMLIB_CONV_RELU_K7_CONV2D_STRIDES_0 1
#define BMLIB_CONV_RELU_K7_CONV2D_STRIDES_1 1
#define BMLIB_CONV_RELU_K7_CONV2D_PADDING_0 1
#define BMLIB_CONV_RELU_K7_CONV2D_PADDING_1 1
#define BMLIB_CONV_RELU_K7_CONV2D_PADDING_2 1
#define BMLIB_CONV_RELU_K7_CONV2D_PADDING_3 1
#define BMLIB_CONV_RELU_K7_CONV2D_DILATION_0 1
#define BMLIB_CONV_RELU_K7_CONV2D_DILATION_1 1
#define BMLIB_CONV_RELU_K7_CONV2D_GROUPS 1
#define BMLIB_CONV_RELU_K7_CONV2D_CHANNELS 512
#define BMLIB_CONV_RELU_K7_CONV2D_KERNEL_SIZE_0 3
#define BMLIB_CONV_RELU_K7_CONV2D_KERNEL_SIZE_1 3
#define BMLIB_CONV_RELU_K7_CONV2D_DATA_LAYOUT "NCHW"
#define BMLIB_CONV_RELU_K7_CONV2D_KERNEL_LAYOUT "OIHW"
#define BMLIB_CONV_RELU_K7_BIAS_ADD_AXIS 1
int32_t bmlib_conv_relu_k7(
    const float *data, /* float32(1,512,7,7), runtime */
    const float *weight, /* float32(512,512,3,3), constant */
    const float *bias, /* float32(512), constant */
    float *out0); /* float32(1,512,7,7), output */

/* bmlib_dense_k0: nn.dense>add to bmlib.dense
 *
 *   t0 = nn.dense(data, weight) {units=2}: float32(1,2)
 *   t1 = add(t0, bias): float32(1,2)
 *   out0 = t1
 *
 * Called once:
 *   bmlib_dense_0, stage 0: result /m/classifier/classifier.1/Gemm
 */
#define BMLIB_DENSE_K0_DATA_DIM0 1
#define BMLIB_DENSE_K0_DATA_DIM1 512
#define BMLIB_DENSE_K0_DATA_SIZE 512
#define BMLIB_DENSE_K0_WEIGHT_DIM0 2
#define BMLIB_DENSE_K0_WEIGHT_DIM1 512
#define BMLIB_DENSE_K0_WEIGHT_SIZE 1024
#define BMLIB_DENSE_K0_BIAS_DIM0 2
#define BMLIB_DENSE_K0_BIAS_SIZE 2
#define BMLIB_DENSE_K0_OUT0_DIM0 1
#define BMLIB_DENSE_K0_OUT0_DIM1 2
#define BMLIB_DENSE_K0_OUT0_SIZE 2
#define BMLIB_DENSE_K0_DENSE_UNITS 2
int32_t bmlib_dense_k0(
    const float *data, /* float32(1,512), runtime */
    const float *weight, /* float32(2,512), constant */
    const float *bias, /* float32(2), constant */
    float *out0); /* float32(1,2), output */

#ifdef __cplusplus
}
#endif

#endif /* RESNET18_H_ */

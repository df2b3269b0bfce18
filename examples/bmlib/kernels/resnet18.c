/* resnet18.c: kernels of backend bmlib, begun by `surgery stub`.
 *
 * The bodies are filled in with bmlib's own functions; the header says what each computes.
 */
#include "resnet18.h"

#include "fill.h"

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k0(
    const float *data, /* float32(1,3,224,224), runtime */
    const float *weight, /* float32(64,3,7,7), constant */
    const float *bias, /* float32(64), constant */
    float *out0) /* float32(1,64,112,112), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K0, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k1(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(64,64,3,3), constant */
    const float *bias, /* float32(64), constant */
    float *out0) /* float32(1,64,56,56), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K1, RELU);
}

/* nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu */
int32_t bmlib_conv_add_relu_k0(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *residual, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(64,64,3,3), constant */
    const float *bias, /* float32(64), constant */
    float *out0) /* float32(1,64,56,56), output */
{
    return CONV_BIAS_ADD(BMLIB_CONV_ADD_RELU_K0, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k2(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(128,64,3,3), constant */
    const float *bias, /* float32(128), constant */
    float *out0) /* float32(1,128,28,28), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K2, RELU);
}

/* nn.conv2d>nn.bias_add to bmlib.conv */
int32_t bmlib_conv_k0(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(128,64,1,1), constant */
    const float *bias, /* float32(128), constant */
    float *out0) /* float32(1,128,28,28), output */
{
    return CONV_BIAS(BMLIB_CONV_K0, NO_ACTIVATION);
}

/* nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu */
int32_t bmlib_conv_add_relu_k1(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *residual, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(128,128,3,3), constant */
    const float *bias, /* float32(128), constant */
    float *out0) /* float32(1,128,28,28), output */
{
    return CONV_BIAS_ADD(BMLIB_CONV_ADD_RELU_K1, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k3(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(128,128,3,3), constant */
    const float *bias, /* float32(128), constant */
    float *out0) /* float32(1,128,28,28), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K3, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k4(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(256,128,3,3), constant */
    const float *bias, /* float32(256), constant */
    float *out0) /* float32(1,256,14,14), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K4, RELU);
}

/* nn.conv2d>nn.bias_add to bmlib.conv */
int32_t bmlib_conv_k1(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(256,128,1,1), constant */
    const float *bias, /* float32(256), constant */
    float *out0) /* float32(1,256,14,14), output */
{
    return CONV_BIAS(BMLIB_CONV_K1, NO_ACTIVATION);
}

/* nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu */
int32_t bmlib_conv_add_relu_k2(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *residual, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(256,256,3,3), constant */
    const float *bias, /* float32(256), constant */
    float *out0) /* float32(1,256,14,14), output */
{
    return CONV_BIAS_ADD(BMLIB_CONV_ADD_RELU_K2, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k5(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(256,256,3,3), constant */
    const float *bias, /* float32(256), constant */
    float *out0) /* float32(1,256,14,14), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K5, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k6(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(512,256,3,3), constant */
    const float *bias, /* float32(512), constant */
    float *out0) /* float32(1,512,7,7), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K6, RELU);
}

/* nn.conv2d>nn.bias_add to bmlib.conv */
int32_t bmlib_conv_k2(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(512,256,1,1), constant */
    const float *bias, /* float32(512), constant */
    float *out0) /* float32(1,512,7,7), output */
{
    return CONV_BIAS(BMLIB_CONV_K2, NO_ACTIVATION);
}

/* nn.conv2d>nn.bias_add>add>nn.relu to bmlib.conv_add_relu */
int32_t bmlib_conv_add_relu_k3(
    const float *data, /* float32(1,512,7,7), runtime */
    const float *residual, /* float32(1,512,7,7), runtime */
    const float *weight, /* float32(512,512,3,3), constant */
    const float *bias, /* float32(512), constant */
    float *out0) /* float32(1,512,7,7), output */
{
    return CONV_BIAS_ADD(BMLIB_CONV_ADD_RELU_K3, RELU);
}

/* nn.conv2d>nn.bias_add>nn.relu to bmlib.conv_relu */
int32_t bmlib_conv_relu_k7(
    const float *data, /* float32(1,512,7,7), runtime */
    const float *weight, /* float32(512,512,3,3), constant */
    const float *bias, /* float32(512), constant */
    float *out0) /* float32(1,512,7,7), output */
{
    return CONV_BIAS(BMLIB_CONV_RELU_K7, RELU);
}

/* nn.dense>add to bmlib.dense */
int32_t bmlib_dense_k0(
    const float *data, /* float32(1,512), runtime */
    const float *weight, /* float32(2,512), constant */
    const float *bias, /* float32(2), constant */
    float *out0) /* float32(1,2), output */
{
    return DENSE_BIAS(BMLIB_DENSE_K0, NO_ACTIVATION);
}

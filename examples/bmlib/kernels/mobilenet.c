/* mobilenet.c: kernels of backend bmlib, begun by `surgery stub`.
 *
 * The bodies are filled in with bmlib's own functions; the header says what each computes.
 */
#include "mobilenet.h"

#include "fill.h"

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k0(
    const float *data, /* float32(1,3,224,224), runtime */
    const float *weight, /* float32(32,3,3,3), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0) /* float32(1,32,112,112), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K0, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k1(
    const float *data, /* float32(1,32,112,112), runtime */
    const float *weight, /* float32(32,1,3,3), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0) /* float32(1,32,112,112), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K1, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k2(
    const float *data, /* float32(1,32,112,112), runtime */
    const float *weight, /* float32(64,32,1,1), constant */
    const float *gamma, /* float32(64), constant */
    const float *beta, /* float32(64), constant */
    const float *mean, /* float32(64), constant */
    const float *variance, /* float32(64), constant */
    float *out0) /* float32(1,64,112,112), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K2, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k3(
    const float *data, /* float32(1,64,112,112), runtime */
    const float *weight, /* float32(64,1,3,3), constant */
    const float *gamma, /* float32(64), constant */
    const float *beta, /* float32(64), constant */
    const float *mean, /* float32(64), constant */
    const float *variance, /* float32(64), constant */
    float *out0) /* float32(1,64,56,56), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K3, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k4(
    const float *data, /* float32(1,64,56,56), runtime */
    const float *weight, /* float32(128,64,1,1), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0) /* float32(1,128,56,56), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K4, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k5(
    const float *data, /* float32(1,128,56,56), runtime */
    const float *weight, /* float32(128,1,3,3), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0) /* float32(1,128,56,56), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K5, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k6(
    const float *data, /* float32(1,128,56,56), runtime */
    const float *weight, /* float32(128,128,1,1), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0) /* float32(1,128,56,56), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K6, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k7(
    const float *data, /* float32(1,128,56,56), runtime */
    const float *weight, /* float32(128,1,3,3), constant */
    const float *gamma, /* float32(128), constant */
    const float *beta, /* float32(128), constant */
    const float *mean, /* float32(128), constant */
    const float *variance, /* float32(128), constant */
    float *out0) /* float32(1,128,28,28), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K7, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k8(
    const float *data, /* float32(1,128,28,28), runtime */
    const float *weight, /* float32(256,128,1,1), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0) /* float32(1,256,28,28), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K8, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k9(
    const float *data, /* float32(1,256,28,28), runtime */
    const float *weight, /* float32(256,1,3,3), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0) /* float32(1,256,28,28), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K9, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k10(
    const float *data, /* float32(1,256,28,28), runtime */
    const float *weight, /* float32(256,256,1,1), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0) /* float32(1,256,28,28), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K10, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k11(
    const float *data, /* float32(1,256,28,28), runtime */
    const float *weight, /* float32(256,1,3,3), constant */
    const float *gamma, /* float32(256), constant */
    const float *beta, /* float32(256), constant */
    const float *mean, /* float32(256), constant */
    const float *variance, /* float32(256), constant */
    float *out0) /* float32(1,256,14,14), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K11, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k12(
    const float *data, /* float32(1,256,14,14), runtime */
    const float *weight, /* float32(512,256,1,1), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0) /* float32(1,512,14,14), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K12, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k13(
    const float *data, /* float32(1,512,14,14), runtime */
    const float *weight, /* float32(512,1,3,3), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0) /* float32(1,512,14,14), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K13, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k14(
    const float *data, /* float32(1,512,14,14), runtime */
    const float *weight, /* float32(512,512,1,1), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0) /* float32(1,512,14,14), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K14, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k15(
    const float *data, /* float32(1,512,14,14), runtime */
    const float *weight, /* float32(512,1,3,3), constant */
    const float *gamma, /* float32(512), constant */
    const float *beta, /* float32(512), constant */
    const float *mean, /* float32(512), constant */
    const float *variance, /* float32(512), constant */
    float *out0) /* float32(1,512,7,7), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K15, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k16(
    const float *data, /* float32(1,512,7,7), runtime */
    const float *weight, /* float32(1024,512,1,1), constant */
    const float *gamma, /* float32(1024), constant */
    const float *beta, /* float32(1024), constant */
    const float *mean, /* float32(1024), constant */
    const float *variance, /* float32(1024), constant */
    float *out0) /* float32(1,1024,7,7), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K16, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k17(
    const float *data, /* float32(1,1024,7,7), runtime */
    const float *weight, /* float32(1024,1,3,3), constant */
    const float *gamma, /* float32(1024), constant */
    const float *beta, /* float32(1024), constant */
    const float *mean, /* float32(1024), constant */
    const float *variance, /* float32(1024), constant */
    float *out0) /* float32(1,1024,7,7), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K17, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k18(
    const float *data, /* float32(1,1024,7,7), runtime */
    const float *weight, /* float32(1024,1024,1,1), constant */
    const float *gamma, /* float32(1024), constant */
    const float *beta, /* float32(1024), constant */
    const float *mean, /* float32(1024), constant */
    const float *variance, /* float32(1024), constant */
    float *out0) /* float32(1,1024,7,7), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K18, RELU);
}

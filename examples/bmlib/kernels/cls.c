/* cls.c: kernels of backend bmlib, begun by `surgery stub`.
 *
 * The bodies are filled in with bmlib's own functions; the header says what each computes.
 */
#include "cls.h"

#include "fill.h"

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k0(
    const float *data, /* float32(1,3,48,192), runtime */
    const float *weight, /* float32(8,3,3,3), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,8,24,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K0, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K0));
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k0(
    const float *data, /* float32(1,8,24,96), runtime */
    const float *weight, /* float32(8,8,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0) /* float32(1,8,24,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K0, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k1(
    const float *data, /* float32(1,8,24,96), runtime */
    const float *weight, /* float32(8,1,3,3), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0) /* float32(1,8,12,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K1, RELU);
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k0(
    const float *data, /* float32(1,8,1,1), runtime */
    const float *weight, /* float32(2,8,1,1), constant */
    const float *bias, /* float32(1,2,1,1), constant */
    float *out0) /* float32(1,2,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K0, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k0(
    const float *data, /* float32(1,2,1,1), runtime */
    const float *weight, /* float32(8,2,1,1), constant */
    const float *bias, /* float32(1,8,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,8,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K0, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K0));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k0(
    const float *data, /* float32(1,8,12,96), runtime */
    const float *weight, /* float32(8,8,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0) /* float32(1,8,12,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K0, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k2(
    const float *data, /* float32(1,8,12,96), runtime */
    const float *weight, /* float32(24,8,1,1), constant */
    const float *gamma, /* float32(24), constant */
    const float *beta, /* float32(24), constant */
    const float *mean, /* float32(24), constant */
    const float *variance, /* float32(24), constant */
    float *out0) /* float32(1,24,12,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K2, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k3(
    const float *data, /* float32(1,24,12,96), runtime */
    const float *weight, /* float32(24,1,3,3), constant */
    const float *gamma, /* float32(24), constant */
    const float *beta, /* float32(24), constant */
    const float *mean, /* float32(24), constant */
    const float *variance, /* float32(24), constant */
    float *out0) /* float32(1,24,6,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K3, RELU);
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k1(
    const float *data, /* float32(1,24,6,96), runtime */
    const float *weight, /* float32(8,24,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0) /* float32(1,8,6,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K1, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k4(
    const float *data, /* float32(1,8,6,96), runtime */
    const float *weight, /* float32(32,8,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0) /* float32(1,32,6,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K4, RELU);
}

/* nn.conv2d>nn.batch_norm>nn.relu to bmlib.conv_bn_relu */
int32_t bmlib_conv_bn_relu_k5(
    const float *data, /* float32(1,32,6,96), runtime */
    const float *weight, /* float32(32,1,3,3), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0) /* float32(1,32,6,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_RELU_K5, RELU);
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k2(
    const float *data, /* float32(1,32,6,96), runtime */
    const float *weight, /* float32(8,32,1,1), constant */
    const float *gamma, /* float32(8), constant */
    const float *beta, /* float32(8), constant */
    const float *mean, /* float32(8), constant */
    const float *variance, /* float32(8), constant */
    float *out0) /* float32(1,8,6,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K2, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k1(
    const float *data, /* float32(1,8,6,96), runtime */
    const float *weight, /* float32(32,8,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,32,6,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K1, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K1));
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k2(
    const float *data, /* float32(1,32,6,96), runtime */
    const float *weight, /* float32(32,1,5,5), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,32,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K2, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K2));
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k1(
    const float *data, /* float32(1,32,1,1), runtime */
    const float *weight, /* float32(8,32,1,1), constant */
    const float *bias, /* float32(1,8,1,1), constant */
    float *out0) /* float32(1,8,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K1, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k1(
    const float *data, /* float32(1,8,1,1), runtime */
    const float *weight, /* float32(32,8,1,1), constant */
    const float *bias, /* float32(1,32,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,32,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K1, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K1));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k3(
    const float *data, /* float32(1,32,3,96), runtime */
    const float *weight, /* float32(16,32,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0) /* float32(1,16,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K3, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k3(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(88,16,1,1), constant */
    const float *gamma, /* float32(88), constant */
    const float *beta, /* float32(88), constant */
    const float *mean, /* float32(88), constant */
    const float *variance, /* float32(88), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,88,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K3, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K3));
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k4(
    const float *data, /* float32(1,88,3,96), runtime */
    const float *weight, /* float32(88,1,5,5), constant */
    const float *gamma, /* float32(88), constant */
    const float *beta, /* float32(88), constant */
    const float *mean, /* float32(88), constant */
    const float *variance, /* float32(88), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,88,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K4, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K4));
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k2(
    const float *data, /* float32(1,88,1,1), runtime */
    const float *weight, /* float32(22,88,1,1), constant */
    const float *bias, /* float32(1,22,1,1), constant */
    float *out0) /* float32(1,22,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K2, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k2(
    const float *data, /* float32(1,22,1,1), runtime */
    const float *weight, /* float32(88,22,1,1), constant */
    const float *bias, /* float32(1,88,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,88,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K2, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K2));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k4(
    const float *data, /* float32(1,88,3,96), runtime */
    const float *weight, /* float32(16,88,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0) /* float32(1,16,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K4, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k5(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(40,16,1,1), constant */
    const float *gamma, /* float32(40), constant */
    const float *beta, /* float32(40), constant */
    const float *mean, /* float32(40), constant */
    const float *variance, /* float32(40), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,40,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K5, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K5));
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k6(
    const float *data, /* float32(1,40,3,96), runtime */
    const float *weight, /* float32(40,1,5,5), constant */
    const float *gamma, /* float32(40), constant */
    const float *beta, /* float32(40), constant */
    const float *mean, /* float32(40), constant */
    const float *variance, /* float32(40), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,40,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K6, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K6));
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k3(
    const float *data, /* float32(1,40,1,1), runtime */
    const float *weight, /* float32(10,40,1,1), constant */
    const float *bias, /* float32(1,10,1,1), constant */
    float *out0) /* float32(1,10,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K3, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k3(
    const float *data, /* float32(1,10,1,1), runtime */
    const float *weight, /* float32(40,10,1,1), constant */
    const float *bias, /* float32(1,40,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,40,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K3, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K3));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k5(
    const float *data, /* float32(1,40,3,96), runtime */
    const float *weight, /* float32(16,40,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0) /* float32(1,16,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K5, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k7(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(48,16,1,1), constant */
    const float *gamma, /* float32(48), constant */
    const float *beta, /* float32(48), constant */
    const float *mean, /* float32(48), constant */
    const float *variance, /* float32(48), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,48,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K7, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K7));
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k8(
    const float *data, /* float32(1,48,3,96), runtime */
    const float *weight, /* float32(48,1,5,5), constant */
    const float *gamma, /* float32(48), constant */
    const float *beta, /* float32(48), constant */
    const float *mean, /* float32(48), constant */
    const float *variance, /* float32(48), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,48,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K8, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K8));
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k4(
    const float *data, /* float32(1,48,1,1), runtime */
    const float *weight, /* float32(12,48,1,1), constant */
    const float *bias, /* float32(1,12,1,1), constant */
    float *out0) /* float32(1,12,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K4, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k4(
    const float *data, /* float32(1,12,1,1), runtime */
    const float *weight, /* float32(48,12,1,1), constant */
    const float *bias, /* float32(1,48,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,48,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K4, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K4));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k6(
    const float *data, /* float32(1,48,3,96), runtime */
    const float *weight, /* float32(16,48,1,1), constant */
    const float *gamma, /* float32(16), constant */
    const float *beta, /* float32(16), constant */
    const float *mean, /* float32(16), constant */
    const float *variance, /* float32(16), constant */
    float *out0) /* float32(1,16,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K6, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k9(
    const float *data, /* float32(1,16,3,96), runtime */
    const float *weight, /* float32(104,16,1,1), constant */
    const float *gamma, /* float32(104), constant */
    const float *beta, /* float32(104), constant */
    const float *mean, /* float32(104), constant */
    const float *variance, /* float32(104), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,104,3,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K9, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K9));
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k10(
    const float *data, /* float32(1,104,3,96), runtime */
    const float *weight, /* float32(104,1,5,5), constant */
    const float *gamma, /* float32(104), constant */
    const float *beta, /* float32(104), constant */
    const float *mean, /* float32(104), constant */
    const float *variance, /* float32(104), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,104,2,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K10, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K10));
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k5(
    const float *data, /* float32(1,104,1,1), runtime */
    const float *weight, /* float32(26,104,1,1), constant */
    const float *bias, /* float32(1,26,1,1), constant */
    float *out0) /* float32(1,26,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K5, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k5(
    const float *data, /* float32(1,26,1,1), runtime */
    const float *weight, /* float32(104,26,1,1), constant */
    const float *bias, /* float32(1,104,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,104,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K5, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K5));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k7(
    const float *data, /* float32(1,104,2,96), runtime */
    const float *weight, /* float32(32,104,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0) /* float32(1,32,2,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K7, NO_ACTIVATION);
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k11(
    const float *data, /* float32(1,32,2,96), runtime */
    const float *weight, /* float32(200,32,1,1), constant */
    const float *gamma, /* float32(200), constant */
    const float *beta, /* float32(200), constant */
    const float *mean, /* float32(200), constant */
    const float *variance, /* float32(200), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,200,2,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K11, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K11));
}

/* nn.conv2d>nn.batch_norm>add>clip>multiply>divide to bmlib.conv_bn_hard_swish */
int32_t bmlib_conv_bn_hard_swish_k12(
    const float *data, /* float32(1,200,2,96), runtime */
    const float *weight, /* float32(200,1,5,5), constant */
    const float *gamma, /* float32(200), constant */
    const float *beta, /* float32(200), constant */
    const float *mean, /* float32(200), constant */
    const float *variance, /* float32(200), constant */
    const float *three, /* float32(), constant 3.0 */
    const float *six, /* float32(), constant 6.0 */
    float *out0) /* float32(1,200,2,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_HARD_SWISH_K12, HARD_SWISH(BMLIB_CONV_BN_HARD_SWISH_K12));
}

/* nn.conv2d>add>nn.relu to bmlib.conv_bias_relu */
int32_t bmlib_conv_bias_relu_k6(
    const float *data, /* float32(1,200,1,1), runtime */
    const float *weight, /* float32(50,200,1,1), constant */
    const float *bias, /* float32(1,50,1,1), constant */
    float *out0) /* float32(1,50,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_RELU_K6, RELU);
}

/* nn.conv2d>add>multiply>add>clip to bmlib.conv_bias_hard_sigmoid */
int32_t bmlib_conv_bias_hard_sigmoid_k6(
    const float *data, /* float32(1,50,1,1), runtime */
    const float *weight, /* float32(200,50,1,1), constant */
    const float *bias, /* float32(1,200,1,1), constant */
    const float *fifth, /* float32(), constant 0.2 */
    const float *half, /* float32(), constant 0.5 */
    float *out0) /* float32(1,200,1,1), output */
{
    return CONV_BIAS(BMLIB_CONV_BIAS_HARD_SIGMOID_K6, HARD_SIGMOID(BMLIB_CONV_BIAS_HARD_SIGMOID_K6));
}

/* nn.conv2d>nn.batch_norm to bmlib.conv_bn */
int32_t bmlib_conv_bn_k8(
    const float *data, /* float32(1,200,2,96), runtime */
    const float *weight, /* float32(32,200,1,1), constant */
    const float *gamma, /* float32(32), constant */
    const float *beta, /* float32(32), constant */
    const float *mean, /* float32(32), constant */
    const float *variance, /* float32(32), constant */
    float *out0) /* float32(1,32,2,96), output */
{
    return CONV_BN(BMLIB_CONV_BN_K8, NO_ACTIVATION);
}

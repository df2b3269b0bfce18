/* Kernels of test_quantised.py: TVM's quantised arithmetic, requantised in double precision. */
#include <math.h>
#include <stdint.h>

#include "q8.h"

/* TVM rounds halves up, then adds the zero point and saturates to the type. */
static int32_t requantized(int32_t sum, double scale, int32_t zero, int32_t low, int32_t high)
{
    double value = floor(sum * scale + 0.5) + zero;
    return value < low ? low : value > high ? high : (int32_t)value;
}

static int32_t conv(int in, int out, int kernel, const uint8_t *data, const int8_t *weight,
                    int32_t data_zero, const int32_t *bias, const float *scale, float out_scale,
                    int32_t out_zero, uint8_t *result)
{
    const int side = 8, pad = kernel / 2;
    for (int o = 0; o < out; o++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                int32_t sum = bias[o];
                for (int i = 0; i < in; i++)
                    for (int v = 0; v < kernel; v++)
                        for (int u = 0; u < kernel; u++) {
                            int yy = y + v - pad, xx = x + u - pad;
                            if (yy < 0 || yy >= side || xx < 0 || xx >= side)
                                continue; /* padding is the zero point: a zero */
                            sum += (data[(i * side + yy) * side + xx] - data_zero)
                                   * weight[((o * in + i) * kernel + v) * kernel + u];
                        }
                result[(o * side + y) * side + x] = (uint8_t)requantized(
                    sum, (double)scale[o] / out_scale, out_zero, 0, 255);
            }
    return 0;
}

int32_t q8_conv_k0(const uint8_t *data, const int8_t *weight, const int32_t *data_zero,
                   const int32_t *kernel_zero, const float *data_scale, const float *kernel_scale,
                   const int32_t *bias, const float *scale, const int32_t *zero,
                   const float *out_scale, const int32_t *out_zero, uint8_t *result)
{
    (void)data_scale, (void)kernel_scale;
    return *kernel_zero || *zero ? 1 : conv(3, 8, 3, data, weight, *data_zero, bias, scale,
                                            *out_scale, *out_zero, result);
}

int32_t q8_conv_k1(const uint8_t *data, const int8_t *weight, const int32_t *data_zero,
                   const int32_t *kernel_zero, const float *data_scale, const float *kernel_scale,
                   const int32_t *bias, const float *scale, const int32_t *zero,
                   const float *out_scale, const int32_t *out_zero, uint8_t *result)
{
    (void)data_scale, (void)kernel_scale;
    return *kernel_zero || *zero ? 1 : conv(8, 8, 1, data, weight, *data_zero, bias, scale,
                                            *out_scale, *out_zero, result);
}

/* Each side is brought to the output's scale first, then the sum loses one zero point. */
int32_t q8_qadd_k0(const uint8_t *lhs, const uint8_t *rhs, const float *lhs_scale,
                   const int32_t *lhs_zero, const float *rhs_scale, const int32_t *rhs_zero,
                   const float *out_scale, const int32_t *out_zero, uint8_t *result)
{
    for (int i = 0; i < Q8_QADD_K0_OUT0_SIZE; i++) {
        int32_t a = requantized(lhs[i] - *lhs_zero, (double)*lhs_scale / *out_scale, *out_zero,
                                INT32_MIN, INT32_MAX);
        int32_t b = requantized(rhs[i] - *rhs_zero, (double)*rhs_scale / *out_scale, *out_zero,
                                INT32_MIN, INT32_MAX);
        int32_t sum = a + b - *out_zero;
        result[i] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
    return 0;
}

int32_t q8_fc_k0(const uint8_t *data, const int8_t *weight, const int32_t *data_zero,
                 const int32_t *kernel_zero, const float *data_scale, const float *kernel_scale,
                 const int32_t *bias, const float *scale, const int32_t *zero,
                 const float *out_scale, const int32_t *out_zero, int8_t *result)
{
    const int features = 512;
    (void)data_scale, (void)kernel_scale;
    if (*kernel_zero || *zero)
        return 1;
    for (int o = 0; o < Q8_FC_K0_OUT0_SIZE; o++) {
        int32_t sum = bias[o];
        for (int i = 0; i < features; i++)
            sum += (data[i] - *data_zero) * weight[o * features + i];
        result[o] = (int8_t)requantized(sum, (double)*scale / *out_scale, *out_zero, -128, 127);
    }
    return 0;
}

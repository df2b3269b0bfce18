#include "bmlib.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef BM_SGEMM
/* As in cblas.h, which not every machine with a BLAS has. */
void BM_SGEMM(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
              const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
#endif

const char *bm_blas(void)
{
#ifdef BM_SGEMM
    return "blas";
#else
    return "loops";
#endif
}

/* Memory for one call at a time, kept for later calls: as many blocks as calls ever ran at once.
 * Not thread-local: a block must neither be lost with its thread nor outlive this library. */
typedef struct block {
    struct block *next;
    size_t size; /* floats */
    _Alignas(64) float memory[];
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block *idle;

/* Returns NULL when there is no memory. */
static block *take(size_t floats)
{
    pthread_mutex_lock(&lock);
    block *found = idle;
    if (found)
        idle = found->next;
    pthread_mutex_unlock(&lock);
    if (found && found->size >= floats)
        return found;
    free(found);
    /* In whole lines of 64 bytes, as aligned_alloc wants it. */
    if (floats > (SIZE_MAX - sizeof(block) - 64) / sizeof(float))
        return NULL;
    const size_t bytes = sizeof(block) + (floats * sizeof(float) + 63) / 64 * 64;
    block *made = aligned_alloc(64, bytes);
    if (made)
        made->size = floats;
    return made;
}

static void give_back(block *used)
{
    pthread_mutex_lock(&lock);
    used->next = idle;
    idle = used;
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void release(void)
{
    while (idle) {
        block *next = idle->next;
        free(idle);
        idle = next;
    }
}

/* c (m, n) = a (m, k) b (k, n); with `transposed`, b is (n, k). All row-major and dense. */
static void sgemm(int m, int n, int k, const float *a, const float *b, int transposed, float *c)
{
    if (m == 0 || n == 0)
        return; /* a BLAS may refuse leading dimensions of 0 */
    if (k == 0) {
        memset(c, 0, (size_t)m * n * sizeof *c);
        return;
    }
#ifdef BM_SGEMM
    BM_SGEMM(ROW_MAJOR, NO_TRANS, transposed ? TRANS : NO_TRANS, m, n, k, 1.0f, a, k, b,
             transposed ? k : n, 0.0f, c, n);
#else
    for (int i = 0; i < m; i++) {
        const float *row = a + (size_t)i * k;
        float *out = c + (size_t)i * n;
        if (transposed) {
            for (int j = 0; j < n; j++) {
                const float *column = b + (size_t)j * k;
                float sum = 0.0f;
                for (int l = 0; l < k; l++)
                    sum += row[l] * column[l];
                out[j] = sum;
            }
            continue;
        }
        memset(out, 0, (size_t)n * sizeof *out);
        for (int l = 0; l < k; l++) {
            const float *line = b + (size_t)l * n;
            const float factor = row[l];
            for (int j = 0; j < n; j++)
                out[j] += factor * line[j];
        }
    }
#endif
}

/* Comparisons rather than fminf and fmaxf: those keep loops from being vectorised. */
static inline float clipped(float x, bm_activation act)
{
    x = x > act.low ? x : act.low;
    return x < act.high ? x : act.high;
}

static void activate(bm_activation act, float *x, size_t count)
{
    switch (act.kind) {
    case BM_NONE:
        break;
    case BM_RELU:
        for (size_t i = 0; i < count; i++)
            x[i] = x[i] > 0.0f ? x[i] : 0.0f;
        break;
    case BM_CLIP:
        for (size_t i = 0; i < count; i++)
            x[i] = clipped(x[i], act);
        break;
    case BM_HARD_SWISH:
        for (size_t i = 0; i < count; i++)
            x[i] = x[i] * clipped(x[i] + act.shift, act) / act.scale;
        break;
    case BM_HARD_SIGMOID:
        for (size_t i = 0; i < count; i++)
            x[i] = clipped(x[i] * act.scale + act.shift, act);
        break;
    case BM_GELU:
        for (size_t i = 0; i < count; i++)
            x[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f));
        break;
    }
}

static void finish(const bm_epilogue *after, int channels, size_t plane, size_t at, float *out)
{
    for (int c = 0; c < channels; c++) {
        float *x = out + (size_t)c * plane;
        const float scale = after->scale ? after->scale[c] : 1.0f;
        const float shift = after->shift ? after->shift[c] : 0.0f;
        if (after->residual) {
            const float *other = after->residual + at + (size_t)c * plane;
            for (size_t i = 0; i < plane; i++)
                x[i] = x[i] * scale + shift + other[i];
        } else if (after->scale || after->shift) {
            for (size_t i = 0; i < plane; i++)
                x[i] = x[i] * scale + shift;
        }
        activate(after->act, x, plane);
    }
}

/* First and one past the last output position whose input `o * stride + offset` is in [0, size). */
static void inside(int offset, int stride, int size, int count, int *first, int *end)
{
    int low = offset < 0 ? (-offset + stride - 1) / stride : 0;
    int high = offset < size ? (size - 1 - offset) / stride + 1 : 0;
    if (high > count)
        high = count;
    *first = low < high ? low : high;
    *end = high;
}

/* One channel of a depthwise convolution: a shifted row at a time. */
static void depthwise(const bm_conv *p, const float *data, const float *weight, float *out)
{
    memset(out, 0, (size_t)p->oh * p->ow * sizeof *out);
    for (int ky = 0; ky < p->kh; ky++) {
        int top, bottom;
        const int dy = ky * p->dilation_h - p->pad_top;
        inside(dy, p->stride_h, p->h, p->oh, &top, &bottom);
        for (int kx = 0; kx < p->kw; kx++) {
            int left, right;
            const int dx = kx * p->dilation_w - p->pad_left;
            const float factor = weight[ky * p->kw + kx];
            inside(dx, p->stride_w, p->w, p->ow, &left, &right);
            for (int y = top; y < bottom; y++) {
                if (left == right)
                    continue;
                const int row = y * p->stride_h + dy, column = left * p->stride_w + dx;
                const float *from = data + (size_t)row * p->w + column;
                float *to = out + (size_t)y * p->ow + left;
                const int count = right - left;
                if (p->stride_w == 1)
                    for (int x = 0; x < count; x++)
                        to[x] += factor * from[x];
                else
                    for (int x = 0; x < count; x++)
                        to[x] += factor * from[(size_t)x * p->stride_w];
            }
        }
    }
}

/* Rows (channel, ky, kx) of the inputs that meet that weight, a column an output position. */
static void im2col(const bm_conv *p, int channels, const float *data, float *columns)
{
    for (int c = 0; c < channels; c++)
        for (int ky = 0; ky < p->kh; ky++)
            for (int kx = 0; kx < p->kw; kx++) {
                int left, right;
                const int dx = kx * p->dilation_w - p->pad_left;
                inside(dx, p->stride_w, p->w, p->ow, &left, &right);
                for (int y = 0; y < p->oh; y++, columns += p->ow) {
                    const int row = y * p->stride_h + ky * p->dilation_h - p->pad_top;
                    if (row < 0 || row >= p->h || left == right) {
                        memset(columns, 0, (size_t)p->ow * sizeof *columns);
                        continue;
                    }
                    const float *from = data + ((size_t)c * p->h + row) * p->w;
                    from += left * p->stride_w + dx;
                    for (int x = 0; x < left; x++)
                        columns[x] = 0.0f;
                    if (p->stride_w == 1)
                        memcpy(columns + left, from, (size_t)(right - left) * sizeof *columns);
                    else
                        for (int x = left; x < right; x++)
                            columns[x] = from[(size_t)(x - left) * p->stride_w];
                    for (int x = right; x < p->ow; x++)
                        columns[x] = 0.0f;
                }
            }
}

int32_t bm_conv2d(const bm_conv *p, const float *data, const float *weight,
                  const bm_epilogue *after, float *out)
{
    const int ci = p->ci / p->groups, co = p->co / p->groups, depth = ci * p->kh * p->kw;
    const size_t area = (size_t)p->h * p->w, plane = (size_t)p->oh * p->ow;
    const int pointwise = p->kh == 1 && p->kw == 1 && p->stride_h == 1 && p->stride_w == 1 &&
                          p->pad_top == 0 && p->pad_left == 0 && p->oh == p->h && p->ow == p->w;
    const int direct = ci == 1 && co == 1;
    block *columns = NULL;
    if (!direct && !pointwise && !(columns = take((size_t)depth * plane)))
        return 1;
    for (int n = 0; n < p->n; n++) {
        for (int g = 0; g < p->groups; g++) {
            const float *from = data + ((size_t)n * p->ci + (size_t)g * ci) * area;
            const float *by = weight + (size_t)g * co * depth;
            float *to = out + ((size_t)n * p->co + (size_t)g * co) * plane;
            if (direct) {
                depthwise(p, from, by, to);
                continue;
            }
            if (columns)
                im2col(p, ci, from, columns->memory);
            sgemm(co, (int)plane, depth, by, columns ? columns->memory : from, 0, to);
        }
        const size_t at = (size_t)n * p->co * plane;
        finish(after, p->co, plane, at, out + at);
    }
    if (columns)
        give_back(columns);
    return 0;
}

int32_t bm_conv2d_bn(const bm_conv *p, const float *data, const float *weight,
                     const float *gamma, const float *beta, const float *mean,
                     const float *variance, double epsilon, bm_activation act, float *out)
{
    float *scale = malloc((2 * (size_t)p->co + 1) * sizeof *scale);
    if (!scale)
        return 1;
    float *shift = scale + p->co;
    for (int c = 0; c < p->co; c++) {
        scale[c] = gamma[c] / sqrtf(variance[c] + (float)epsilon);
        shift[c] = beta[c] - mean[c] * scale[c];
    }
    const bm_epilogue after = {scale, shift, NULL, act};
    const int32_t status = bm_conv2d(p, data, weight, &after, out);
    free(scale);
    return status;
}

int32_t bm_dense(int rows, int units, int in, int transposed, const float *data,
                 const float *weight, const float *bias, bm_activation act, float *out)
{
    sgemm(rows, units, in, data, weight, !transposed, out);
    for (int i = 0; i < rows; i++) {
        float *x = out + (size_t)i * units;
        if (bias)
            for (int j = 0; j < units; j++)
                x[j] += bias[j];
        activate(act, x, (size_t)units);
    }
    return 0;
}

int32_t bm_attention(int batch, int heads, int rows, int columns, int width, const float *q,
                     const float *k, const float *v, const float *mask, float divisor, float *out)
{
    block *memory = take((size_t)rows * columns);
    if (!memory)
        return 1;
    float *scores = memory->memory;
    for (int head = 0; head < batch * heads; head++) {
        const size_t at = (size_t)head * rows * width, from = (size_t)head * columns * width;
        const float *masked = mask + (size_t)(head / heads) * columns;
        sgemm(rows, columns, width, q + at, k + from, 1, scores);
        for (int i = 0; i < rows; i++) {
            float *x = scores + (size_t)i * columns;
            float highest = -INFINITY, sum = 0.0f;
            for (int j = 0; j < columns; j++) {
                x[j] = x[j] / divisor + masked[j];
                highest = x[j] > highest ? x[j] : highest;
            }
            for (int j = 0; j < columns; j++) {
                x[j] = expf(x[j] - highest);
                sum += x[j];
            }
            for (int j = 0; j < columns; j++)
                x[j] /= sum;
        }
        sgemm(rows, width, columns, scores, v + from, 0, out + at);
    }
    give_back(memory);
    return 0;
}

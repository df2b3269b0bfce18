/* bert.h: kernels of backend bmlib for tf_bert_12l.json.
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
#ifndef BERT_H_
#define BERT_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* bmlib_dense_k0: transpose>nn.dense>reshape>add to bmlib.dense
 *
 *   t0 = transpose(weight) {axes=(1, 0)}: float32(768,768)
 *   t1 = nn.dense(data, t0) {units=768}: float32(128,768)
 *   t2 = reshape(t1) {newshape=(1, 128, 768), allowzero=False}: float32(1,128,768)
 *   t3 = add(t2, bias): float32(1,128,768)
 *   out0 = t3
 *
 * Called 48 times:
 *   bmlib_dense_0, stage 0: %22 tf_bert_for_sequence_classification/bert/encoder/layer_._0/attention/self/query/BiasAdd
 *   bmlib_dense_1, stage 0: %29 tf_bert_for_sequence_classification/bert/encoder/layer_._0/attention/self/key/BiasAdd
 *   bmlib_dense_2, stage 0: %48 tf_bert_for_sequence_classification/bert/encoder/layer_._0/attention/self/value/BiasAdd
 *   bmlib_dense_3, stage 0: %62 tf_bert_for_sequence_classification/bert/encoder/layer_._0/attention/output/dense/BiasAdd
 *   bmlib_dense_5, stage 0: %106 tf_bert_for_sequence_classification/bert/encoder/layer_._1/attention/self/query/BiasAdd
 *   bmlib_dense_6, stage 0: %113 tf_bert_for_sequence_classification/bert/encoder/layer_._1/attention/self/key/BiasAdd
 *   bmlib_dense_7, stage 0: %127 tf_bert_for_sequence_classification/bert/encoder/layer_._1/attention/self/value/BiasAdd
 *   bmlib_dense_8, stage 0: %141 tf_bert_for_sequence_classification/bert/encoder/layer_._1/attention/output/dense/BiasAdd
 *   bmlib_dense_10, stage 0: %185 tf_bert_for_sequence_classification/bert/encoder/layer_._2/attention/self/query/BiasAdd
 *   bmlib_dense_11, stage 0: %192 tf_bert_for_sequence_classification/bert/encoder/layer_._2/attention/self/key/BiasAdd
 *   bmlib_dense_12, stage 0: %206 tf_bert_for_sequence_classification/bert/encoder/layer_._2/attention/self/value/BiasAdd
 *   bmlib_dense_13, stage 0: %220 tf_bert_for_sequence_classification/bert/encoder/layer_._2/attention/output/dense/BiasAdd
 *   and 36 more
 */
#define BMLIB_DENSE_K0_DATA_DIM0 128
#define BMLIB_DENSE_K0_DATA_DIM1 768
#define BMLIB_DENSE_K0_DATA_SIZE 98304
#define BMLIB_DENSE_K0_WEIGHT_DIM0 768
#define BMLIB_DENSE_K0_WEIGHT_DIM1 768
#define BMLIB_DENSE_K0_WEIGHT_SIZE 589824
#define BMLIB_DENSE_K0_BIAS_DIM0 768
#define BMLIB_DENSE_K0_BIAS_SIZE 768
#define BMLIB_DENSE_K0_OUT0_DIM0 1
#define BMLIB_DENSE_K0_OUT0_DIM1 128
#define BMLIB_DENSE_K0_OUT0_DIM2 768
#define BMLIB_DENSE_K0_OUT0_SIZE 98304
#define BMLIB_DENSE_K0_TRANSPOSE_AXES_0 1
#define BMLIB_DENSE_K0_TRANSPOSE_AXES_1 0
#define BMLIB_DENSE_K0_DENSE_UNITS 768
#define BMLIB_DENSE_K0_RESHAPE_NEWSHAPE_0 1
#define BMLIB_DENSE_K0_RESHAPE_NEWSHAPE_1 128
#define BMLIB_DENSE_K0_RESHAPE_NEWSHAPE_2 768
#define BMLIB_DENSE_K0_RESHAPE_ALLOWZERO 0
int32_t bmlib_dense_k0(
    const float *data, /* float32(128,768), runtime */
    const float *weight, /* float32(768,768), constant */
    const float *bias, /* float32(768), constant */
    float *out0); /* float32(1,128,768), output */

/* bmlib_attention_k0: nn.batch_matmul>reshape>divide>add>nn.softmax>reshape>transpose>nn.batch_matmul to bmlib.attention
 *
 *   t0 = nn.batch_matmul(q, k) {transpose_a=False, transpose_b=True}: float32(12,128,128)
 *   t1 = reshape(t0) {newshape=(1, 12, 128, 128), allowzero=False}: float32(1,12,128,128)
 *   t2 = divide(t1, root): float32(1,12,128,128)
 *   t3 = add(t2, mask): float32(1,12,128,128)
 *   t4 = nn.softmax(t3) {axis=-1}: float32(1,12,128,128)
 *   t5 = reshape(t4) {newshape=(12, 128, 128), allowzero=False}: float32(12,128,128)
 *   t6 = transpose(v) {axes=(0, 2, 1)}: float32(12,64,128)
 *   t7 = nn.batch_matmul(t5, t6) {transpose_a=False, transpose_b=True}: float32(12,128,64)
 *   out0 = t7
 *
 * Called 12 times:
 *   bmlib_attention_0, stage 0: %54 tf_bert_for_sequence_classification/bert/encoder/layer_._0/attention/self/MatMul_1
 *   bmlib_attention_1, stage 0: %133 tf_bert_for_sequence_classification/bert/encoder/layer_._1/attention/self/MatMul_1
 *   bmlib_attention_2, stage 0: %212 tf_bert_for_sequence_classification/bert/encoder/layer_._2/attention/self/MatMul_1
 *   bmlib_attention_3, stage 0: %291 tf_bert_for_sequence_classification/bert/encoder/layer_._3/attention/self/MatMul_1
 *   bmlib_attention_4, stage 0: %370 tf_bert_for_sequence_classification/bert/encoder/layer_._4/attention/self/MatMul_1
 *   bmlib_attention_5, stage 0: %449 tf_bert_for_sequence_classification/bert/encoder/layer_._5/attention/self/MatMul_1
 *   bmlib_attention_6, stage 0: %528 tf_bert_for_sequence_classification/bert/encoder/layer_._6/attention/self/MatMul_1
 *   bmlib_attention_7, stage 0: %607 tf_bert_for_sequence_classification/bert/encoder/layer_._7/attention/self/MatMul_1
 *   bmlib_attention_8, stage 0: %686 tf_bert_for_sequence_classification/bert/encoder/layer_._8/attention/self/MatMul_1
 *   bmlib_attention_9, stage 0: %765 tf_bert_for_sequence_classification/bert/encoder/layer_._9/attention/self/MatMul_1
 *   bmlib_attention_10, stage 0: %844 tf_bert_for_sequence_classification/bert/encoder/layer_._10/attention/self/MatMul_1
 *   bmlib_attention_11, stage 0: %923 tf_bert_for_sequence_classification/bert/encoder/layer_._11/attention/self/MatMul_1
 */
#define BMLIB_ATTENTION_K0_Q_DIM0 12
#define BMLIB_ATTENTION_K0_Q_DIM1 128
#define BMLIB_ATTENTION_K0_Q_DIM2 64
#define BMLIB_ATTENTION_K0_Q_SIZE 98304
#define BMLIB_ATTENTION_K0_K_DIM0 12
#define BMLIB_ATTENTION_K0_K_DIM1 128
#define BMLIB_ATTENTION_K0_K_DIM2 64
#define BMLIB_ATTENTION_K0_K_SIZE 98304
#define BMLIB_ATTENTION_K0_MASK_DIM0 1
#define BMLIB_ATTENTION_K0_MASK_DIM1 1
#define BMLIB_ATTENTION_K0_MASK_DIM2 1
#define BMLIB_ATTENTION_K0_MASK_DIM3 128
#define BMLIB_ATTENTION_K0_MASK_SIZE 128
#define BMLIB_ATTENTION_K0_V_DIM0 12
#define BMLIB_ATTENTION_K0_V_DIM1 128
#define BMLIB_ATTENTION_K0_V_DIM2 64
#define BMLIB_ATTENTION_K0_V_SIZE 98304
#define BMLIB_ATTENTION_K0_ROOT_SIZE 1
#define BMLIB_ATTENTION_K0_OUT0_DIM0 12
#define BMLIB_ATTENTION_K0_OUT0_DIM1 128
#define BMLIB_ATTENTION_K0_OUT0_DIM2 64
#define BMLIB_ATTENTION_K0_OUT0_SIZE 98304
#define BMLIB_ATTENTION_K0_BATCH_MATMUL_TRANSPOSE_A 0
#define BMLIB_ATTENTION_K0_BATCH_MATMUL_TRANSPOSE_B 1
#define BMLIB_ATTENTION_K0_RESHAPE_NEWSHAPE_0 1
#define BMLIB_ATTENTION_K0_RESHAPE_NEWSHAPE_1 12
#define BMLIB_ATTENTION_K0_RESHAPE_NEWSHAPE_2 128
#define BMLIB_ATTENTION_K0_RESHAPE_NEWSHAPE_3 128
#define BMLIB_ATTENTION_K0_RESHAPE_ALLOWZERO 0
#define BMLIB_ATTENTION_K0_SOFTMAX_AXIS -1
#define BMLIB_ATTENTION_K0_RESHAPE2_NEWSHAPE_0 12
#define BMLIB_ATTENTION_K0_RESHAPE2_NEWSHAPE_1 128
#define BMLIB_ATTENTION_K0_RESHAPE2_NEWSHAPE_2 128
#define BMLIB_ATTENTION_K0_RESHAPE2_ALLOWZERO 0
#define BMLIB_ATTENTION_K0_TRANSPOSE_AXES_0 0
#define BMLIB_ATTENTION_K0_TRANSPOSE_AXES_1 2
#define BMLIB_ATTENTION_K0_TRANSPOSE_AXES_2 1
#define BMLIB_ATTENTION_K0_BATCH_MATMUL2_TRANSPOSE_A 0
#define BMLIB_ATTENTION_K0_BATCH_MATMUL2_TRANSPOSE_B 1
int32_t bmlib_attention_k0(
    const float *q, /* float32(12,128,64), runtime */
    const float *k, /* float32(12,128,64), runtime */
    const float *mask, /* float32(1,1,1,128), runtime */
    const float *v, /* float32(12,128,64), runtime */
    const float *root, /* float32(), constant 8.0 */
    float *out0); /* float32(12,128,64), output */

/* bmlib_dense_gelu_k0: transpose>nn.dense>reshape>add>multiply>divide>erf>add>multiply to bmlib.dense_gelu
 *
 *   t0 = transpose(weight) {axes=(1, 0)}: float32(3072,768)
 *   t1 = nn.dense(data, t0) {units=3072}: float32(128,3072)
 *   t2 = reshape(t1) {newshape=(1, 128, 3072), allowzero=False}: float32(1,128,3072)
 *   t3 = add(t2, bias): float32(1,128,3072)
 *   t4 = multiply(half, t3): float32(1,128,3072)
 *   t5 = divide(t3, sqrt2): float32(1,128,3072)
 *   t6 = erf(t5): float32(1,128,3072)
 *   t7 = add(one, t6): float32(1,128,3072)
 *   t8 = multiply(t4, t7): float32(1,128,3072)
 *   out0 = t8
 *
 * Called 12 times:
 *   bmlib_dense_gelu_0, stage 0: %84 tf_bert_for_sequence_classification/bert/encoder/layer_._0/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_1, stage 0: %163 tf_bert_for_sequence_classification/bert/encoder/layer_._1/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_2, stage 0: %242 tf_bert_for_sequence_classification/bert/encoder/layer_._2/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_3, stage 0: %321 tf_bert_for_sequence_classification/bert/encoder/layer_._3/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_4, stage 0: %400 tf_bert_for_sequence_classification/bert/encoder/layer_._4/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_5, stage 0: %479 tf_bert_for_sequence_classification/bert/encoder/layer_._5/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_6, stage 0: %558 tf_bert_for_sequence_classification/bert/encoder/layer_._6/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_7, stage 0: %637 tf_bert_for_sequence_classification/bert/encoder/layer_._7/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_8, stage 0: %716 tf_bert_for_sequence_classification/bert/encoder/layer_._8/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_9, stage 0: %795 tf_bert_for_sequence_classification/bert/encoder/layer_._9/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_10, stage 0: %874 tf_bert_for_sequence_classification/bert/encoder/layer_._10/intermediate/Gelu/mul_1
 *   bmlib_dense_gelu_11, stage 0: %953 tf_bert_for_sequence_classification/bert/encoder/layer_._11/intermediate/Gelu/mul_1
 */
#define BMLIB_DENSE_GELU_K0_DATA_DIM0 128
#define BMLIB_DENSE_GELU_K0_DATA_DIM1 768
#define BMLIB_DENSE_GELU_K0_DATA_SIZE 98304
#define BMLIB_DENSE_GELU_K0_HALF_SIZE 1
#define BMLIB_DENSE_GELU_K0_WEIGHT_DIM0 768
#define BMLIB_DENSE_GELU_K0_WEIGHT_DIM1 3072
#define BMLIB_DENSE_GELU_K0_WEIGHT_SIZE 2359296
#define BMLIB_DENSE_GELU_K0_BIAS_DIM0 3072
#define BMLIB_DENSE_GELU_K0_BIAS_SIZE 3072
#define BMLIB_DENSE_GELU_K0_ONE_SIZE 1
#define BMLIB_DENSE_GELU_K0_SQRT2_SIZE 1
#define BMLIB_DENSE_GELU_K0_OUT0_DIM0 1
#define BMLIB_DENSE_GELU_K0_OUT0_DIM1 128
#define BMLIB_DENSE_GELU_K0_OUT0_DIM2 3072
#define BMLIB_DENSE_GELU_K0_OUT0_SIZE 393216
#define BMLIB_DENSE_GELU_K0_TRANSPOSE_AXES_0 1
#define BMLIB_DENSE_GELU_K0_TRANSPOSE_AXES_1 0
#define BMLIB_DENSE_GELU_K0_DENSE_UNITS 3072
#define BMLIB_DENSE_GELU_K0_RESHAPE_NEWSHAPE_0 1
#define BMLIB_DENSE_GELU_K0_RESHAPE_NEWSHAPE_1 128
#define BMLIB_DENSE_GELU_K0_RESHAPE_NEWSHAPE_2 3072
#define BMLIB_DENSE_GELU_K0_RESHAPE_ALLOWZERO 0
int32_t bmlib_dense_gelu_k0(
    const float *data, /* float32(128,768), runtime */
    const float *half, /* float32(), constant 0.5 */
    const float *weight, /* float32(768,3072), constant */
    const float *bias, /* float32(3072), constant */
    const float *one, /* float32(), constant 1.0 */
    const float *sqrt2, /* float32(), constant 1.4142135 */
    float *out0); /* float32(1,128,3072), output */

/* bmlib_dense_k1: transpose>nn.dense>reshape>add to bmlib.dense
 *
 *   t0 = transpose(weight) {axes=(1, 0)}: float32(768,3072)
 *   t1 = nn.dense(data, t0) {units=768}: float32(128,768)
 *   t2 = reshape(t1) {newshape=(1, 128, 768), allowzero=False}: float32(1,128,768)
 *   t3 = add(t2, bias): float32(1,128,768)
 *   out0 = t3
 *
 * Called 12 times:
 *   bmlib_dense_4, stage 0: %89 tf_bert_for_sequence_classification/bert/encoder/layer_._0/output/dense/BiasAdd
 *   bmlib_dense_9, stage 0: %168 tf_bert_for_sequence_classification/bert/encoder/layer_._1/output/dense/BiasAdd
 *   bmlib_dense_14, stage 0: %247 tf_bert_for_sequence_classification/bert/encoder/layer_._2/output/dense/BiasAdd
 *   bmlib_dense_19, stage 0: %326 tf_bert_for_sequence_classification/bert/encoder/layer_._3/output/dense/BiasAdd
 *   bmlib_dense_24, stage 0: %405 tf_bert_for_sequence_classification/bert/encoder/layer_._4/output/dense/BiasAdd
 *   bmlib_dense_29, stage 0: %484 tf_bert_for_sequence_classification/bert/encoder/layer_._5/output/dense/BiasAdd
 *   bmlib_dense_34, stage 0: %563 tf_bert_for_sequence_classification/bert/encoder/layer_._6/output/dense/BiasAdd
 *   bmlib_dense_39, stage 0: %642 tf_bert_for_sequence_classification/bert/encoder/layer_._7/output/dense/BiasAdd
 *   bmlib_dense_44, stage 0: %721 tf_bert_for_sequence_classification/bert/encoder/layer_._8/output/dense/BiasAdd
 *   bmlib_dense_49, stage 0: %800 tf_bert_for_sequence_classification/bert/encoder/layer_._9/output/dense/BiasAdd
 *   bmlib_dense_54, stage 0: %879 tf_bert_for_sequence_classification/bert/encoder/layer_._10/output/dense/BiasAdd
 *   bmlib_dense_59, stage 0: %958 tf_bert_for_sequence_classification/bert/encoder/layer_._11/output/dense/BiasAdd
 */
#define BMLIB_DENSE_K1_DATA_DIM0 128
#define BMLIB_DENSE_K1_DATA_DIM1 3072
#define BMLIB_DENSE_K1_DATA_SIZE 393216
#define BMLIB_DENSE_K1_WEIGHT_DIM0 3072
#define BMLIB_DENSE_K1_WEIGHT_DIM1 768
#define BMLIB_DENSE_K1_WEIGHT_SIZE 2359296
#define BMLIB_DENSE_K1_BIAS_DIM0 768
#define BMLIB_DENSE_K1_BIAS_SIZE 768
#define BMLIB_DENSE_K1_OUT0_DIM0 1
#define BMLIB_DENSE_K1_OUT0_DIM1 128
#define BMLIB_DENSE_K1_OUT0_DIM2 768
#define BMLIB_DENSE_K1_OUT0_SIZE 98304
#define BMLIB_DENSE_K1_TRANSPOSE_AXES_0 1
#define BMLIB_DENSE_K1_TRANSPOSE_AXES_1 0
#define BMLIB_DENSE_K1_DENSE_UNITS 768
#define BMLIB_DENSE_K1_RESHAPE_NEWSHAPE_0 1
#define BMLIB_DENSE_K1_RESHAPE_NEWSHAPE_1 128
#define BMLIB_DENSE_K1_RESHAPE_NEWSHAPE_2 768
#define BMLIB_DENSE_K1_RESHAPE_ALLOWZERO 0
int32_t bmlib_dense_k1(
    const float *data, /* float32(128,3072), runtime */
    const float *weight, /* float32(3072,768), constant */
    const float *bias, /* float32(768), constant */
    float *out0); /* float32(1,128,768), output */

#ifdef __cplusplus
}
#endif

#endif /* BERT_H_ */

#include "example_graph.h"

/* kernels */

/* mul: y[2][3] = x[2][3] * w[2][3] */
static void example_mul(float *S2S_RESTRICT y, const float *S2S_RESTRICT x, const float *S2S_RESTRICT w)
{
    for (int32_t i = 0; i < 6; ++i) {
        y[i] = x[i] * w[i];
    }
}

/* add_relu: y[2][3] = max(x[2][3] + b[3], 0) */
static void example_add_relu(float *S2S_RESTRICT y, const float *S2S_RESTRICT x, const float *S2S_RESTRICT b)
{
    for (int32_t i = 0; i < 6; ++i) {
        const float sum = x[i] + b[i % 3];

        y[i] = sum > 0.0f ? sum : 0.0f;
    }
}

/* sum: y = sum(x[2][3]); partial[2] holds the sums of the rows */
static void example_sum(float *S2S_RESTRICT y, const float *S2S_RESTRICT x, float *S2S_RESTRICT partial)
{
    for (int32_t i = 0; i < 2; ++i) {
        partial[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];
    }
    *y = partial[0] + partial[1];
}

/* weights */

static const float example_w[6] = {1.0f, 2.0f, 3.0f, -1.0f, -2.0f, -3.0f};
static const float example_b[3] = {0.5f, 0.25f, -0.5f};

/* calls: kernels with arguments from a list */

static void example_call_mul(void *const *args)
{
    example_mul(args[0], args[1], args[2]);
}

static void example_call_add_relu(void *const *args)
{
    example_add_relu(args[0], args[1], args[2]);
}

static void example_call_sum(void *const *args)
{
    example_sum(args[0], args[1], args[2]);
}

/* tables */

static const int64_t example_shape_2x3[] = {2, 3};
static const int64_t example_shape_3[] = {3};
static const int64_t example_shape_2[] = {2};

static const s2s_graph_tensor example_tensors[] = {
    /* name    shape              constant   position place                 ndim dtype */
    {"x",     example_shape_2x3, NULL,      0u,      S2S_PLACE_INPUT,      2,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 0 */
    {"w",     example_shape_2x3, example_w, 1u,      S2S_PLACE_INPUT,      2,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 1 */
    {"b",     example_shape_3,   example_b, 0u,      S2S_PLACE_CONSTANT,   1,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 2 */
    {NULL,    example_shape_2x3, NULL,      16u,     S2S_PLACE_ARENA,      2,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 3 */
    {"y",     example_shape_2x3, NULL,      0u,      S2S_PLACE_OUTPUT,     2,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 4 */
    {"total", NULL,              NULL,      1u,      S2S_PLACE_OUTPUT,     0,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 5 */
    {NULL,    example_shape_2,   NULL,      0u,      S2S_PLACE_ARENA,      1,   {S2S_DTYPE_FLOAT, 32, 1}}, /* 6 */
};

static const uint32_t example_args[] = {
    3, 0, 1, /* mul */
    4, 3, 2, /* add_relu */
    5, 4, 6, /* sum */
};

static const s2s_graph_node example_nodes[] = {
    {example_call_mul,      0u, 3u, "mul1"},
    {example_call_add_relu, 3u, 3u, "add1, relu1"},
    {example_call_sum,      6u, 3u, "sum1"},
};

static const s2s_graph_port example_inputs[] = {
    {0u, 48u},            /* x */
    {1u, S2S_NO_STAGING}, /* w, parameter */
};

static const s2s_graph_port example_outputs[] = {
    {4u, 80u},  /* y */
    {5u, 104u}, /* total */
};

const s2s_graph example_graph = {
    .name = "example",
    .nodes = example_nodes,
    .args = example_args,
    .tensors = example_tensors,
    .inputs = example_inputs,
    .outputs = example_outputs,
    .num_nodes = 3u,
    .num_args = 9u,
    .num_tensors = 7u,
    .num_inputs = 2u,
    .num_outputs = 2u,
    .max_args = 3u,
    .arena_size = EXAMPLE_ARENA_SIZE,
    .staged_size = EXAMPLE_GRAPH_STAGED_SIZE,
    .arena_align = EXAMPLE_ARENA_ALIGN,
};

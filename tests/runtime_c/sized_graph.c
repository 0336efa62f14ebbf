#include "sized_graph.h"

/* keep: y[found][2], and the number of rows */
static void sized_keep(float *S2S_RESTRICT y, int32_t *S2S_RESTRICT count, const float *S2S_RESTRICT x, int32_t n)
{
    count[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (x[2 * i] > 0.0f) {
            y[2 * count[0]] = x[2 * i];
            y[2 * count[0] + 1] = x[2 * i + 1];
            ++count[0];
        }
    }
}

/* pairs: z[i] = x[2 i][0] + x[2 i + 1][0], x[n][0] = 0 */
static void sized_pairs(float *S2S_RESTRICT z, const float *S2S_RESTRICT x, int32_t n, int32_t pairs)
{
    for (int32_t i = 0; i < pairs; ++i) {
        z[i] = x[4 * i] + (2 * i + 1 < n ? x[4 * i + 2] : 0.0f);
    }
}

static void sized_call_keep(void *const *args)
{
    sized_keep(args[0], args[1], args[2], ((const int32_t *)args[3])[0]);
}

static void sized_read_found(void *const *args)
{
    ((int32_t *)args[0])[0] = ((const int32_t *)args[1])[0];
}

static void sized_call_pairs(void *const *args)
{
    sized_pairs(args[0], args[1], ((const int32_t *)args[2])[0], ((const int32_t *)args[3])[0]);
}

static void sized_derive_sizes(int32_t *sizes)
{
    sizes[SIZED_PAIRS] = (sizes[SIZED_N] + 1) / 2;
}

static const int64_t sized_shape_4x2[] = {4, 2};
static const int64_t sized_shape_2[] = {2};
static const int64_t sized_shape_1[] = {1};

static const s2s_graph_tensor sized_tensors[] = {
    {"x",  sized_shape_4x2, NULL, 0u, S2S_PLACE_INPUT,  2, {S2S_DTYPE_FLOAT, 32, 1}}, /* 0 */
    {"y",  sized_shape_4x2, NULL, 0u, S2S_PLACE_OUTPUT, 2, {S2S_DTYPE_FLOAT, 32, 1}}, /* 1 */
    {"z",  sized_shape_2,   NULL, 1u, S2S_PLACE_OUTPUT, 1, {S2S_DTYPE_FLOAT, 32, 1}}, /* 2 */
    {NULL, sized_shape_1,   NULL, 0u, S2S_PLACE_ARENA,  1, {S2S_DTYPE_INT, 32, 1}},   /* 3 */
    {NULL, NULL,            NULL, 0u, S2S_PLACE_SIZE,   0, {S2S_DTYPE_INT, 32, 1}},   /* 4: n */
    {NULL, NULL,            NULL, 1u, S2S_PLACE_SIZE,   0, {S2S_DTYPE_INT, 32, 1}},   /* 5: found */
    {NULL, NULL,            NULL, 2u, S2S_PLACE_SIZE,   0, {S2S_DTYPE_INT, 32, 1}},   /* 6: pairs */
};

static const uint32_t sized_args[] = {
    1, 3, 0, 4, /* keep */
    5, 3,       /* read found */
    2, 0, 4, 6, /* pairs */
};

static const s2s_graph_node sized_nodes[] = {
    {sized_call_keep,  0u, 4u, "keep"},
    {sized_read_found, 4u, 2u, "keep"},
    {sized_call_pairs, 6u, 4u, "pairs"},
};

static const s2s_graph_port sized_inputs[] = {{0u, 8u}};
static const s2s_graph_port sized_outputs[] = {{1u, 40u}, {2u, 72u}};

static const s2s_graph_size sized_sizes[] = {
    {"n", 1, 4, 1, S2S_SIZE_GIVEN},
    {"found", 0, 4, 1, S2S_SIZE_COMPUTED},
    {"(n + 1) floordiv 2", 1, 2, 1, S2S_SIZE_DERIVED},
};

static const int32_t sized_extents_x[] = {SIZED_N, S2S_CONSTANT_SIZE};
static const int32_t sized_extents_y[] = {SIZED_FOUND, S2S_CONSTANT_SIZE};
static const int32_t sized_extents_z[] = {SIZED_PAIRS};
static const int32_t *const sized_input_extents[] = {sized_extents_x};
static const int32_t *const sized_output_extents[] = {sized_extents_y, sized_extents_z};

const s2s_graph sized_graph = {
    .name = "sized",
    .nodes = sized_nodes,
    .args = sized_args,
    .tensors = sized_tensors,
    .inputs = sized_inputs,
    .outputs = sized_outputs,
    .num_nodes = 3u,
    .num_args = 10u,
    .num_tensors = 7u,
    .num_inputs = 1u,
    .num_outputs = 2u,
    .max_args = 4u,
    .arena_size = SIZED_ARENA_SIZE,
    .staged_size = SIZED_GRAPH_STAGED_SIZE,
    .arena_align = SIZED_ARENA_ALIGN,
    .sizes = sized_sizes,
    .num_sizes = SIZED_GRAPH_SIZES,
    .derive_sizes = sized_derive_sizes,
    .input_extents = sized_input_extents,
    .output_extents = sized_output_extents,
};

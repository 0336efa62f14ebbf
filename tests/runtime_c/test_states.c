#include "check.h"
#include "s2s_executor.h"

#include <string.h>

#define SIZE 32u
#define STATE 24u

/* kept: sums[at] += x, count += 1, y = sums[at] * count; sums begin with 1, 2, 3, 4, count with 0 */
static void add_at(void *const *args)
{
    float *const y = args[0], *const sums = args[1];
    int64_t *const count = args[2];
    const float *const x = args[3];
    const int64_t at = ((const int64_t *)args[4])[0];

    sums[at] += x[0];
    count[0] += 1;
    y[0] = sums[at] * (float)count[0];
}

static const int64_t shape_4[] = {4};
static const int64_t shape_1[] = {1};
static const float first[] = {1.0f, 2.0f, 3.0f, 4.0f};

static const s2s_graph_tensor tensors[] = {
    {"x",  shape_1, NULL, 0u,  S2S_PLACE_INPUT,  1, {S2S_DTYPE_FLOAT, 32, 1}}, /* 0 */
    {"at", shape_1, NULL, 1u,  S2S_PLACE_INPUT,  1, {S2S_DTYPE_INT, 64, 1}},   /* 1 */
    {"y",  shape_1, NULL, 0u,  S2S_PLACE_OUTPUT, 1, {S2S_DTYPE_FLOAT, 32, 1}}, /* 2 */
    {NULL, shape_4, NULL, 0u,  S2S_PLACE_ARENA,  1, {S2S_DTYPE_FLOAT, 32, 1}}, /* 3 */
    {NULL, shape_1, NULL, 16u, S2S_PLACE_ARENA,  1, {S2S_DTYPE_INT, 64, 1}},   /* 4 */
};
static const uint32_t args[] = {2, 3, 4, 0, 1};
static const s2s_graph_node nodes[] = {{add_at, 0u, 5u, "add"}};
static const s2s_graph_port inputs[] = {{0u, S2S_NO_STAGING}, {1u, S2S_NO_STAGING}};
static const s2s_graph_port outputs[] = {{2u, S2S_NO_STAGING}};
static const s2s_graph_state states[] = {{0u, 16u, first}, {16u, 8u, NULL}};
static const s2s_graph_index indices[] = {{1u, 0, 3}};

static const s2s_graph graph = {
    .name = "kept",
    .nodes = nodes,
    .args = args,
    .tensors = tensors,
    .inputs = inputs,
    .outputs = outputs,
    .num_nodes = 1u,
    .num_args = 5u,
    .num_tensors = 5u,
    .num_inputs = 2u,
    .num_outputs = 1u,
    .max_args = 5u,
    .arena_size = SIZE,
    .staged_size = SIZE,
    .arena_align = 8u,
    .states = states,
    .num_states = 2u,
    .state_size = STATE,
    .indices = indices,
    .num_indices = 1u,
};

/* A stream: an executor with its memory. */
typedef struct fixture {
    double arena[SIZE / sizeof(double)];
    float x;
    int64_t at;
    float y;
    void *slots[8];
    s2s_executor executor;
} fixture;

static void set_up(fixture *f)
{
    s2s_tensor view;

    memset(f->arena, 0xff, sizeof f->arena);
    CHECK_STATUS(S2S_OK, s2s_executor_init(&f->executor, &graph, f->arena, sizeof f->arena, f->slots, 8u));
    CHECK_STATUS(S2S_OK, s2s_executor_input_info(&f->executor, 0u, &view, NULL));
    view.data = &f->x;
    CHECK_STATUS(S2S_OK, s2s_executor_set_input_zero_copy(&f->executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_input_info(&f->executor, 1u, &view, NULL));
    view.data = &f->at;
    CHECK_STATUS(S2S_OK, s2s_executor_set_input_zero_copy(&f->executor, 1u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_output_info(&f->executor, 0u, &view, NULL));
    view.data = &f->y;
    CHECK_STATUS(S2S_OK, s2s_executor_set_output_zero_copy(&f->executor, 0u, &view));
}

static float result_of(fixture *f, float x, int64_t at)
{
    f->x = x;
    f->at = at;
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f->executor));
    return f->y;
}

static void a_run_goes_on_from_the_one_before(void)
{
    fixture f;

    set_up(&f);
    CHECK(result_of(&f, 1.0f, 2) == 4.0f);
    CHECK(result_of(&f, 1.0f, 2) == 10.0f);
    CHECK_STATUS(S2S_OK, s2s_executor_reset_state(&f.executor));
    CHECK(result_of(&f, 1.0f, 2) == 4.0f);
}

static void streams_are_independent_and_take_snapshots(void)
{
    unsigned char snapshot[STATE];
    fixture f, other;

    set_up(&f);
    set_up(&other);
    CHECK(result_of(&f, 5.0f, 0) == 6.0f);
    CHECK(result_of(&other, 1.0f, 0) == 2.0f);
    memcpy(snapshot, f.arena, graph.state_size);
    CHECK(result_of(&f, 1.0f, 0) == 14.0f);
    memcpy(other.arena, snapshot, graph.state_size);
    CHECK(result_of(&other, 1.0f, 0) == 14.0f);
}

static void an_index_out_of_range_changes_nothing(void)
{
    fixture f;

    set_up(&f);
    f.x = 1.0f;
    f.at = 4;
    CHECK_STATUS(S2S_ERR_RANGE, s2s_executor_run(&f.executor));
    f.at = -1;
    CHECK_STATUS(S2S_ERR_RANGE, s2s_executor_step(&f.executor));
    CHECK(result_of(&f, 1.0f, 2) == 4.0f);
}

/* The second run counts to 2, which is above what a run may compute. */
static void what_a_run_computes_is_checked_at_its_end(void)
{
    static const s2s_graph_index checks[] = {{4u, 0, 1}};
    s2s_graph changed = graph;
    fixture f;

    changed.checks = checks;
    changed.num_checks = 1u;
    CHECK_STATUS(S2S_OK, s2s_graph_check(&changed));
    set_up(&f);
    f.executor.graph = &changed;
    CHECK(result_of(&f, 1.0f, 2) == 4.0f);
    CHECK_STATUS(S2S_ERR_RANGE, s2s_executor_run(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_reset_state(&f.executor));
    CHECK(result_of(&f, 1.0f, 2) == 4.0f);
    changed.checks = NULL;
    CHECK_STATUS(S2S_ERR_GRAPH, s2s_graph_check(&changed));
}

/* An index of another type, whose bytes are those of f->at. */
static s2s_status run_with_index(fixture *f, uint8_t code, uint8_t bits)
{
    s2s_graph_tensor rows[5];
    s2s_graph_index bounds[1];
    s2s_graph changed = graph;

    memcpy(rows, tensors, sizeof rows);
    memcpy(bounds, indices, sizeof bounds);
    rows[1].dtype.code = code;
    rows[1].dtype.bits = bits;
    bounds[0].least = -1;
    changed.tensors = rows;
    changed.indices = bounds;
    CHECK_STATUS(S2S_OK, s2s_graph_check(&changed));
    f->executor.graph = &changed;
    return s2s_executor_run(&f->executor);
}

static void indices_of_all_types_are_read(void)
{
    static const uint8_t widths[] = {8u, 16u, 32u, 64u};
    fixture f;

    set_up(&f);
    for (size_t i = 0; i < sizeof widths; ++i) {
        memset(&f.at, 0xff, sizeof f.at);
        CHECK_STATUS(S2S_ERR_RANGE, run_with_index(&f, S2S_DTYPE_UINT, widths[i]));
        memset(&f.at, 0x80, sizeof f.at);
        CHECK_STATUS(S2S_ERR_RANGE, run_with_index(&f, S2S_DTYPE_INT, widths[i]));
        f.at = 0;
        CHECK_STATUS(S2S_OK, run_with_index(&f, S2S_DTYPE_UINT, widths[i]));
        CHECK_STATUS(S2S_OK, run_with_index(&f, S2S_DTYPE_INT, widths[i]));
    }
}

/* Of four indices in two rows, those of columns that this run has are read. */
static void indices_beyond_the_sizes_of_a_run_are_not_read(void)
{
    static const int64_t shape_2x2[] = {2, 2};
    static const int32_t columns[] = {S2S_CONSTANT_SIZE, 0};
    static const int32_t *const input_extents[] = {NULL, columns};
    static const int32_t *const output_extents[] = {NULL};
    static const s2s_graph_size sizes[] = {{"n", 1, 2, 1, S2S_SIZE_GIVEN}};
    int64_t at[] = {0, 9, 1, 9};
    int32_t known[] = {1};
    s2s_graph_tensor rows[5];
    s2s_graph changed = graph;
    fixture f;

    memcpy(rows, tensors, sizeof rows);
    rows[1].shape = shape_2x2;
    rows[1].ndim = 2;
    changed.tensors = rows;
    changed.sizes = sizes;
    changed.num_sizes = 1u;
    changed.input_extents = input_extents;
    changed.output_extents = output_extents;
    CHECK_STATUS(S2S_OK, s2s_graph_check(&changed));
    set_up(&f);
    f.executor.graph = &changed;
    f.executor.sizes = known;
    f.executor.inputs[1] = at;
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    at[2] = 4;
    CHECK_STATUS(S2S_ERR_RANGE, s2s_executor_run(&f.executor));
    at[2] = 1;
    known[0] = 2;
    CHECK_STATUS(S2S_ERR_RANGE, s2s_executor_run(&f.executor));
}

static void state_is_reset_between_runs(void)
{
    s2s_graph_node twice[2];
    s2s_graph changed = graph;
    fixture f;

    twice[0] = nodes[0];
    twice[1] = nodes[0];
    changed.nodes = twice;
    changed.num_nodes = 2u;
    set_up(&f);
    f.executor.graph = &changed;
    f.at = 0;
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_reset_state(NULL));
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_reset_state(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_reset(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_reset_state(&f.executor));
}

/* The graph with one change must be refused. */
#define CHECK_REFUSED(change)                                                                                          \
    do {                                                                                                               \
        s2s_graph spoilt = graph;                                                                                      \
        s2s_graph_tensor rows[5];                                                                                      \
        s2s_graph_state kept[2];                                                                                       \
        s2s_graph_index bounds[1];                                                                                     \
        memcpy(rows, tensors, sizeof rows);                                                                            \
        memcpy(kept, states, sizeof kept);                                                                             \
        memcpy(bounds, indices, sizeof bounds);                                                                        \
        spoilt.tensors = rows;                                                                                         \
        spoilt.states = kept;                                                                                          \
        spoilt.indices = bounds;                                                                                       \
        change;                                                                                                        \
        CHECK_STATUS(S2S_ERR_GRAPH, s2s_graph_check(&spoilt));                                                         \
    } while (0)

static void tables_of_state_are_checked(void)
{
    CHECK_STATUS(S2S_OK, s2s_graph_check(&graph));
    CHECK_REFUSED(spoilt.states = NULL);
    CHECK_REFUSED(spoilt.indices = NULL);
    CHECK_REFUSED(spoilt.state_size = SIZE + 1u);
    CHECK_REFUSED(kept[1].size = 9u);
    CHECK_REFUSED(kept[0].offset = 25u);
    CHECK_REFUSED(bounds[0].tensor = 2u);
    CHECK_REFUSED(bounds[0].tensor = 5u);
    CHECK_REFUSED(bounds[0].most = -1);
    CHECK_REFUSED(rows[1].dtype.bits = 4u);
    CHECK_REFUSED(rows[1].dtype.code = S2S_DTYPE_FLOAT);
}

void test_states(void)
{
    a_run_goes_on_from_the_one_before();
    streams_are_independent_and_take_snapshots();
    an_index_out_of_range_changes_nothing();
    what_a_run_computes_is_checked_at_its_end();
    indices_of_all_types_are_read();
    indices_beyond_the_sizes_of_a_run_are_not_read();
    state_is_reset_between_runs();
    tables_of_state_are_checked();
}

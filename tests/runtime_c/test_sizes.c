#include "check.h"
#include "s2s_executor.h"
#include "sized_graph.h"

#include <string.h>

/* An executor of a network with sizes that vary, bound to memory. */
typedef struct fixture {
    double arena[SIZED_ARENA_SIZE / sizeof(double)];
    float x[8];
    float y[8];
    float z[2];
    void *slots[SIZED_GRAPH_SLOTS];
    int32_t sizes[SIZED_GRAPH_SIZES];
    s2s_executor executor;
} fixture;

static const float rows[8] = {1.0f, 2.0f, -3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f};

static void set_up(fixture *f)
{
    s2s_tensor view;

    CHECK_STATUS(S2S_OK, s2s_executor_init(&f->executor, &sized_graph, f->arena, sizeof f->arena, f->slots,
                                           SIZED_GRAPH_SLOTS));
    memcpy(f->x, rows, sizeof rows);
    memset(f->y, 0, sizeof f->y);
    CHECK_STATUS(S2S_OK, s2s_executor_input_info(&f->executor, 0u, &view, NULL));
    view.data = f->x;
    CHECK_STATUS(S2S_OK, s2s_executor_set_input_zero_copy(&f->executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_output_info(&f->executor, 0u, &view, NULL));
    view.data = f->y;
    CHECK_STATUS(S2S_OK, s2s_executor_set_output_zero_copy(&f->executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_output_info(&f->executor, 1u, &view, NULL));
    view.data = f->z;
    CHECK_STATUS(S2S_OK, s2s_executor_set_output_zero_copy(&f->executor, 1u, &view));
}

static void bind_sizes(fixture *f, int32_t n)
{
    f->sizes[SIZED_N] = n;
    f->sizes[SIZED_FOUND] = 99;
    f->sizes[SIZED_PAIRS] = 99;
    CHECK_STATUS(S2S_OK, s2s_executor_set_sizes(&f->executor, f->sizes, SIZED_GRAPH_SIZES));
}

static void sizes_are_given_computed_and_derived(void)
{
    fixture f;

    set_up(&f);
    bind_sizes(&f, 3);
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    CHECK(f.sizes[SIZED_N] == 3 && f.sizes[SIZED_FOUND] == 2 && f.sizes[SIZED_PAIRS] == 2);
    CHECK(f.y[0] == 1.0f && f.y[1] == 2.0f && f.y[2] == 5.0f && f.y[3] == 6.0f);
    CHECK(f.z[0] == -2.0f && f.z[1] == 5.0f);
    f.sizes[SIZED_N] = 1;
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    CHECK(f.sizes[SIZED_FOUND] == 1 && f.sizes[SIZED_PAIRS] == 1);
}

static void sizes_outside_of_their_bounds_end_the_run(void)
{
    fixture f;

    set_up(&f);
    bind_sizes(&f, 0);
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_executor_run(&f.executor));
    f.sizes[SIZED_N] = 5;
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_executor_step(&f.executor));
    f.sizes[SIZED_N] = 4;
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
}

static void sizes_between_steps_end_the_run(void)
{
    s2s_graph_size sizes[SIZED_GRAPH_SIZES];
    s2s_graph graph = sized_graph;
    fixture f;

    set_up(&f);
    bind_sizes(&f, 2);
    memcpy(sizes, sized_graph.sizes, sizeof sizes);
    sizes[SIZED_N].step = 3;
    graph.sizes = sizes;
    f.executor.graph = &graph;
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_executor_run(&f.executor));
    f.sizes[SIZED_N] = 4;
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
}

static void computed_sizes_are_checked(void)
{
    s2s_graph_size sizes[SIZED_GRAPH_SIZES];
    s2s_graph graph = sized_graph;
    fixture f;

    set_up(&f);
    bind_sizes(&f, 4);
    memcpy(sizes, sized_graph.sizes, sizeof sizes);
    sizes[SIZED_FOUND].most = 2;
    graph.sizes = sizes;
    f.executor.graph = &graph;
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
}

static void shapes_follow_the_sizes(void)
{
    fixture f;
    int64_t shape[2] = {0, 0};

    set_up(&f);
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_input_shape(&f.executor, 0u, shape));
    bind_sizes(&f, 3);
    CHECK_STATUS(S2S_OK, s2s_executor_input_shape(&f.executor, 0u, shape));
    CHECK(shape[0] == 3 && shape[1] == 2);
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_output_shape(&f.executor, 0u, shape));
    CHECK(shape[0] == 2 && shape[1] == 2);
    CHECK_STATUS(S2S_OK, s2s_executor_output_shape(&f.executor, 1u, shape));
    CHECK(shape[0] == 2);
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_output_shape(&f.executor, 2u, shape));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_input_shape(&f.executor, 1u, shape));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_output_shape(&f.executor, 0u, NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_output_shape(NULL, 0u, shape));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_input_shape(NULL, 0u, shape));
}

static void sizes_are_bound_between_runs(void)
{
    fixture f;

    set_up(&f);
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_run(&f.executor));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_sizes(NULL, f.sizes, SIZED_GRAPH_SIZES));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_sizes(&f.executor, NULL, SIZED_GRAPH_SIZES));
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_executor_set_sizes(&f.executor, f.sizes, 1u));
    bind_sizes(&f, 2);
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_set_sizes(&f.executor, f.sizes, SIZED_GRAPH_SIZES));
}

/* The graph with one change must be refused. */
#define CHECK_REFUSED(change)                                                                                          \
    do {                                                                                                               \
        s2s_graph graph = sized_graph;                                                                                 \
        s2s_graph_tensor tensors[7];                                                                                   \
        s2s_graph_size sizes[SIZED_GRAPH_SIZES];                                                                       \
        memcpy(tensors, sized_graph.tensors, sizeof tensors);                                                          \
        memcpy(sizes, sized_graph.sizes, sizeof sizes);                                                                \
        graph.tensors = tensors;                                                                                       \
        graph.sizes = sizes;                                                                                           \
        change;                                                                                                        \
        CHECK_STATUS(S2S_ERR_GRAPH, s2s_graph_check(&graph));                                                          \
    } while (0)

static void tables_of_sizes_are_checked(void)
{
    static const int32_t unknown[] = {3, S2S_CONSTANT_SIZE}, negative[] = {-2, S2S_CONSTANT_SIZE};
    static const int32_t *const unknown_extents[] = {unknown}, *const negative_extents[] = {negative};
    static const int32_t *const constant[] = {NULL, NULL};
    s2s_graph fixed = sized_graph;

    CHECK_STATUS(S2S_OK, s2s_graph_check(&sized_graph));
    fixed.output_extents = constant;
    CHECK_STATUS(S2S_OK, s2s_graph_check(&fixed));
    CHECK_REFUSED(graph.sizes = NULL);
    CHECK_REFUSED(graph.derive_sizes = NULL);
    CHECK_REFUSED(graph.input_extents = unknown_extents);
    CHECK_REFUSED(graph.input_extents = negative_extents);
    CHECK_REFUSED(sizes[0].name = NULL);
    CHECK_REFUSED(sizes[0].least = -1);
    CHECK_REFUSED(sizes[0].least = 5);
    CHECK_REFUSED(sizes[0].most = 3);
    CHECK_REFUSED(sizes[0].step = 0);
    CHECK_REFUSED(tensors[6].position = 3u);
    CHECK_REFUSED(tensors[6].dtype.bits = 64);
    CHECK_REFUSED((tensors[6].ndim = 1, tensors[6].shape = tensors[3].shape));
}

void test_sizes(void)
{
    CHECK(s2s_graph_num_slots(&sized_graph) <= SIZED_GRAPH_SLOTS);
    sizes_are_given_computed_and_derived();
    sizes_outside_of_their_bounds_end_the_run();
    sizes_between_steps_end_the_run();
    computed_sizes_are_checked();
    shapes_follow_the_sizes();
    sizes_are_bound_between_runs();
    tables_of_sizes_are_checked();
}

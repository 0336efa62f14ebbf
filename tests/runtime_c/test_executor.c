#include "check.h"
#include "example_graph.h"
#include "s2s_arena.h"
#include "s2s_executor.h"

#include <string.h>

#define NUM_NODES 3

/* An executor of the example with everything it needs. */
typedef struct fixture {
    union {
        double alignment[2];
        unsigned char bytes[EXAMPLE_GRAPH_STAGED_SIZE + 16u];
    } memory;
    unsigned char *arena;
    void *slots[EXAMPLE_GRAPH_SLOTS];
    s2s_executor executor;
} fixture;

static const float x_values[6] = {1.0f, 1.0f, 1.0f, 1.0f, -1.0f, -2.0f};
static const float y_values[6] = {1.5f, 2.25f, 2.5f, 0.0f, 2.25f, 5.5f};
static const float total_value = 14.0f;

static void set_up(fixture *f, size_t arena_size)
{
    f->arena = f->memory.bytes;
    while (!s2s_is_aligned(f->arena, EXAMPLE_ARENA_ALIGN)) {
        ++f->arena;
    }
    memset(f->memory.bytes, 0xa5, sizeof f->memory.bytes);
    CHECK_STATUS(S2S_OK, s2s_executor_init(&f->executor, &example_graph, f->arena, arena_size, f->slots,
                                           EXAMPLE_GRAPH_SLOTS));
}

static s2s_tensor input_view(const s2s_executor *executor, uint32_t index, const void *data)
{
    s2s_tensor view;

    CHECK_STATUS(S2S_OK, s2s_executor_input_info(executor, index, &view, NULL));
    view.data = (void *)(uintptr_t)data;
    return view;
}

static s2s_tensor output_view(const s2s_executor *executor, uint32_t index, void *data)
{
    s2s_tensor view;

    CHECK_STATUS(S2S_OK, s2s_executor_output_info(executor, index, &view, NULL));
    view.data = data;
    return view;
}

static void set_x(fixture *f, const float *values)
{
    const s2s_tensor x = input_view(&f->executor, 0u, values);

    CHECK_STATUS(S2S_OK, s2s_executor_set_input(&f->executor, 0u, &x));
}

static void check_outputs(const fixture *f, const float *expected_y, float expected_total)
{
    float y[6];
    float total;
    const s2s_tensor y_view = output_view(&f->executor, 0u, y);
    const s2s_tensor total_view = output_view(&f->executor, 1u, &total);

    CHECK_STATUS(S2S_OK, s2s_executor_get_output(&f->executor, 0u, &y_view));
    CHECK_STATUS(S2S_OK, s2s_executor_get_output(&f->executor, 1u, &total_view));
    CHECK(memcmp(y, expected_y, sizeof y) == 0);
    CHECK(memcmp(&total, &expected_total, sizeof total) == 0);
}

static void init_checks_each_argument(void)
{
    fixture f;
    s2s_executor e;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_init(NULL, &example_graph, f.arena, EXAMPLE_ARENA_SIZE, f.slots, 7u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_init(&e, NULL, f.arena, EXAMPLE_ARENA_SIZE, f.slots, 7u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_init(&e, &example_graph, NULL, EXAMPLE_ARENA_SIZE, f.slots, 7u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_init(&e, &example_graph, f.arena, EXAMPLE_ARENA_SIZE, NULL, 7u));
    CHECK_STATUS(S2S_ERR_ALIGN, s2s_executor_init(&e, &example_graph, f.arena + 8, EXAMPLE_ARENA_SIZE, f.slots, 7u));
    CHECK_STATUS(S2S_ERR_ARENA_SIZE,
                 s2s_executor_init(&e, &example_graph, f.arena, EXAMPLE_ARENA_SIZE - 1u, f.slots, 7u));
    CHECK_STATUS(S2S_ERR_SLOTS, s2s_executor_init(&e, &example_graph, f.arena, EXAMPLE_ARENA_SIZE, f.slots, 6u));
}

static void a_network_runs_on_copies(void)
{
    fixture f;
    float values[6];

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    memcpy(values, x_values, sizeof values);
    set_x(&f, values);
    memset(values, 0, sizeof values);
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    check_outputs(&f, y_values, total_value);
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    check_outputs(&f, y_values, total_value);
}

static void a_network_runs_on_memory_of_the_caller(void)
{
    fixture f;
    float y[6];
    float total;
    s2s_tensor view;

    set_up(&f, EXAMPLE_ARENA_SIZE);
    view = input_view(&f.executor, 0u, x_values);
    CHECK_STATUS(S2S_ERR_STAGING, s2s_executor_set_input(&f.executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_set_input_zero_copy(&f.executor, 0u, &view));
    view = output_view(&f.executor, 0u, y);
    CHECK_STATUS(S2S_OK, s2s_executor_set_output_zero_copy(&f.executor, 0u, &view));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_run(&f.executor));
    view = output_view(&f.executor, 1u, &total);
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_get_output(&f.executor, 1u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_set_output_zero_copy(&f.executor, 1u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    CHECK(memcmp(y, y_values, sizeof y) == 0);
    CHECK(memcmp(&total, &total_value, sizeof total) == 0);
    CHECK(f.arena[EXAMPLE_ARENA_SIZE] == 0xa5u);
}

static void an_input_without_value_stops_the_run(void)
{
    fixture f;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_run(&f.executor));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_step(&f.executor));
}

static void a_parameter_has_a_value_that_can_be_replaced(void)
{
    static const float zeros[6] = {0.0f};
    static const float bias_only[6] = {0.5f, 0.25f, 0.0f, 0.5f, 0.25f, 0.0f};
    fixture f;
    s2s_tensor view;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    set_x(&f, x_values);
    CHECK_STATUS(S2S_OK, s2s_executor_input_info(&f.executor, 1u, &view, NULL));
    CHECK(view.data != NULL);
    view.data = (void *)(uintptr_t)zeros;
    CHECK_STATUS(S2S_ERR_STAGING, s2s_executor_set_input(&f.executor, 1u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_set_input_zero_copy(&f.executor, 1u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    check_outputs(&f, bias_only, 1.5f);
}

static void steps_end_with_done(void)
{
    fixture f;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    set_x(&f, x_values);
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_DONE, s2s_executor_step(&f.executor));
    check_outputs(&f, y_values, total_value);
}

static void between_steps_nothing_is_bound_or_read(void)
{
    fixture f;
    float y[6];
    s2s_tensor x_view;
    s2s_tensor y_view;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    set_x(&f, x_values);
    x_view = input_view(&f.executor, 0u, x_values);
    y_view = output_view(&f.executor, 0u, y);
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_set_input(&f.executor, 0u, &x_view));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_set_input_zero_copy(&f.executor, 0u, &x_view));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_set_output_zero_copy(&f.executor, 0u, &y_view));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_get_output(&f.executor, 0u, &y_view));
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    check_outputs(&f, y_values, total_value);
}

static void a_run_can_be_given_up(void)
{
    static const float zeros[6] = {0.0f};
    static const float bias_only[6] = {0.5f, 0.25f, 0.0f, 0.5f, 0.25f, 0.0f};
    fixture f;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    set_x(&f, x_values);
    CHECK_STATUS(S2S_OK, s2s_executor_step(&f.executor));
    CHECK_STATUS(S2S_OK, s2s_executor_reset(&f.executor));
    set_x(&f, zeros);
    CHECK_STATUS(S2S_OK, s2s_executor_run(&f.executor));
    check_outputs(&f, bias_only, 1.5f);
}

static void two_executors_interleave(void)
{
    static const float ones[6] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
    static const float y_of_ones[6] = {1.5f, 2.25f, 2.5f, 0.0f, 0.0f, 0.0f};
    fixture f;
    fixture g;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    set_up(&g, EXAMPLE_GRAPH_STAGED_SIZE);
    set_x(&f, x_values);
    set_x(&g, ones);
    for (int i = 0; i < NUM_NODES; ++i) {
        const s2s_status expected = i == NUM_NODES - 1 ? S2S_DONE : S2S_OK;

        CHECK_STATUS(expected, s2s_executor_step(&f.executor));
        CHECK_STATUS(expected, s2s_executor_step(&g.executor));
    }
    check_outputs(&f, y_values, total_value);
    check_outputs(&g, y_of_ones, 6.25f);
}

static void values_of_another_kind_are_refused(void)
{
    static const int64_t other_shape[] = {3, 2};
    static const int64_t transposed[] = {1, 2};
    fixture f;
    s2s_tensor good;
    s2s_tensor bad;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    good = input_view(&f.executor, 0u, x_values);
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_input(&f.executor, 0u, NULL));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_set_input(&f.executor, 2u, &good));
    bad = input_view(&f.executor, 0u, NULL);
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_input(&f.executor, 0u, &bad));
    bad = good;
    bad.device.type = 2;
    CHECK_STATUS(S2S_ERR_DEVICE, s2s_executor_set_input(&f.executor, 0u, &bad));
    bad = good;
    bad.dtype.code = S2S_DTYPE_INT;
    CHECK_STATUS(S2S_ERR_DTYPE, s2s_executor_set_input(&f.executor, 0u, &bad));
    bad = good;
    bad.ndim = 1;
    CHECK_STATUS(S2S_ERR_RANK, s2s_executor_set_input(&f.executor, 0u, &bad));
    bad = good;
    bad.shape = other_shape;
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_executor_set_input(&f.executor, 0u, &bad));
    bad = good;
    bad.strides = transposed;
    CHECK_STATUS(S2S_ERR_STRIDES, s2s_executor_set_input(&f.executor, 0u, &bad));
    bad = good;
    bad.byte_offset = 2u;
    CHECK_STATUS(S2S_ERR_ALIGN, s2s_executor_set_input_zero_copy(&f.executor, 0u, &bad));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_set_output_zero_copy(&f.executor, 2u, &good));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_get_output(&f.executor, 2u, &good));
    CHECK_STATUS(S2S_ERR_RANK, s2s_executor_get_output(&f.executor, 1u, &good));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_run(&f.executor));
}

static void a_null_executor_is_refused(void)
{
    s2s_tensor view;
    uint32_t index;

    memset(&view, 0, sizeof view);
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_input(NULL, 0u, &view));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_input_zero_copy(NULL, 0u, &view));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_output_zero_copy(NULL, 0u, &view));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_get_output(NULL, 0u, &view));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_run(NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_step(NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_reset(NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_get_input_index(NULL, "x", &index));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_get_output_index(NULL, "y", &index));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_input_info(NULL, 0u, &view, NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_output_info(NULL, 0u, &view, NULL));
    CHECK(s2s_executor_num_inputs(NULL) == 0u);
    CHECK(s2s_executor_num_outputs(NULL) == 0u);
}

static void inputs_and_outputs_are_described(void)
{
    fixture f;
    s2s_tensor info;
    const char *name;
    uint32_t index;

    set_up(&f, EXAMPLE_GRAPH_STAGED_SIZE);
    CHECK(s2s_executor_num_inputs(&f.executor) == 2u);
    CHECK(s2s_executor_num_outputs(&f.executor) == 2u);
    CHECK_STATUS(S2S_OK, s2s_executor_input_info(&f.executor, 0u, &info, &name));
    CHECK(strcmp(name, "x") == 0 && info.data == NULL && info.ndim == 2 && info.shape[1] == 3);
    CHECK_STATUS(S2S_OK, s2s_executor_output_info(&f.executor, 1u, &info, &name));
    CHECK(strcmp(name, "total") == 0 && info.data == f.arena + 104 && info.ndim == 0);
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_input_info(&f.executor, 2u, &info, NULL));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_output_info(&f.executor, 2u, &info, NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_input_info(&f.executor, 0u, NULL, NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_output_info(&f.executor, 0u, NULL, NULL));
    CHECK_STATUS(S2S_OK, s2s_executor_get_input_index(&f.executor, "w", &index));
    CHECK(index == 1u);
    CHECK_STATUS(S2S_OK, s2s_executor_get_output_index(&f.executor, "total", &index));
    CHECK(index == 1u);
    CHECK_STATUS(S2S_ERR_NAME, s2s_executor_get_input_index(&f.executor, "y", &index));
    CHECK_STATUS(S2S_ERR_NAME, s2s_executor_get_output_index(&f.executor, "x", &index));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_get_input_index(&f.executor, NULL, &index));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_get_input_index(&f.executor, "x", NULL));
}

/* Inputs and outputs without elements, no nodes, no arena. */
static void an_empty_network_runs(void)
{
    static const int64_t shape[] = {0, 4};
    static const s2s_graph_tensor tensors[] = {
        {"x", shape, NULL, 0u, S2S_PLACE_INPUT, 2, {S2S_DTYPE_FLOAT, 32, 1}},
        {"y", shape, NULL, 0u, S2S_PLACE_OUTPUT, 2, {S2S_DTYPE_FLOAT, 32, 1}},
    };
    static const s2s_graph_port inputs[] = {{0u, 0u}};
    static const s2s_graph_port outputs[] = {{1u, 0u}};
    static const s2s_graph graph = {
        .tensors = tensors, .inputs = inputs, .outputs = outputs, .num_tensors = 2u, .num_inputs = 1u,
        .num_outputs = 1u, .arena_align = 4u,
    };
    void *slots[2];
    float arena[1];
    s2s_executor executor;
    s2s_tensor view;

    CHECK_STATUS(S2S_OK, s2s_graph_check(&graph));
    CHECK_STATUS(S2S_OK, s2s_executor_init(&executor, &graph, NULL, 0u, slots, 2u));
    view = input_view(&executor, 0u, NULL);
    CHECK_STATUS(S2S_ERR_STAGING, s2s_executor_set_input(&executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_set_input_zero_copy(&executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_set_output_zero_copy(&executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_run(&executor));
    CHECK_STATUS(S2S_OK, s2s_executor_get_output(&executor, 0u, &view));
    CHECK_STATUS(S2S_OK, s2s_executor_init(&executor, &graph, arena, sizeof arena, slots, 2u));
    CHECK_STATUS(S2S_OK, s2s_executor_set_input(&executor, 0u, &view));
    CHECK_STATUS(S2S_DONE, s2s_executor_step(&executor));
}

static s2s_status reported;

static s2s_status report(void)
{
    return reported;
}

static void fail_once(void *const *args)
{
    (void)args;
    reported = S2S_ERR_FUNCTION;
}

static void never(void *const *args)
{
    (void)args;
    CHECK(false);
}

static void a_kernel_that_fails_ends_the_run(void)
{
    static const s2s_graph_node nodes[] = {{fail_once, 0u, 0u, NULL}, {never, 0u, 0u, NULL}};
    static const s2s_graph graph = {.nodes = nodes, .num_nodes = 2u, .arena_align = 1u, .status = report};
    void *slots[1];
    s2s_executor executor;

    CHECK_STATUS(S2S_OK, s2s_executor_init(&executor, &graph, NULL, 0u, slots, 1u));
    CHECK_STATUS(S2S_ERR_FUNCTION, s2s_executor_run(&executor));
    CHECK_STATUS(S2S_ERR_FUNCTION, s2s_executor_step(&executor)); /* from the first node again */
}

static void store(void *const *args)
{
    *(float *)args[0] = 1.5f;
}

/* One tensor in the arena of the second of two further devices. */
static void further_devices_have_arenas_of_their_own(void)
{
    static const size_t arenas[] = {4u, 8u};
    static const s2s_graph_tensor tensors[] = {
        {NULL, NULL, NULL, 4u, S2S_PLACE_DEVICE + 1, 0, {S2S_DTYPE_FLOAT, 32, 1}},
    };
    static const uint32_t args[] = {0u};
    static const s2s_graph_node nodes[] = {{store, 0u, 1u, NULL}, {store, 0u, 1u, NULL}};
    static const s2s_graph graph = {
        .nodes = nodes, .args = args, .tensors = tensors, .num_nodes = 2u, .num_args = 1u, .num_tensors = 1u,
        .max_args = 1u, .arena_align = 4u, .device_arenas = arenas, .num_devices = 2u,
    };
    void *slots[3];
    float first[1], second[2] = {0.0f, 0.0f};
    s2s_executor executor;

    CHECK_STATUS(S2S_OK, s2s_graph_check(&graph));
    CHECK_STATUS(S2S_ERR_SLOTS, s2s_executor_init(&executor, &graph, NULL, 0u, slots, 2u));
    CHECK_STATUS(S2S_OK, s2s_executor_init(&executor, &graph, NULL, 0u, slots, 3u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_device_arena(NULL, 0u, first, sizeof first));
    CHECK_STATUS(S2S_ERR_NULL, s2s_executor_set_device_arena(&executor, 0u, NULL, sizeof first));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_executor_set_device_arena(&executor, 2u, first, sizeof first));
    CHECK_STATUS(S2S_ERR_ARENA_SIZE, s2s_executor_set_device_arena(&executor, 1u, first, sizeof first));
    CHECK_STATUS(S2S_OK, s2s_executor_set_device_arena(&executor, 0u, first, sizeof first));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_executor_run(&executor));
    CHECK_STATUS(S2S_OK, s2s_executor_set_device_arena(&executor, 1u, second, sizeof second));
    CHECK_STATUS(S2S_OK, s2s_executor_step(&executor));
    CHECK_STATUS(S2S_ERR_STATE, s2s_executor_set_device_arena(&executor, 0u, first, sizeof first));
    CHECK_STATUS(S2S_DONE, s2s_executor_step(&executor));
    CHECK(second[0] == 0.0f && second[1] == 1.5f);
}

void test_executor(void)
{
    further_devices_have_arenas_of_their_own();
    a_kernel_that_fails_ends_the_run();
    init_checks_each_argument();
    a_network_runs_on_copies();
    a_network_runs_on_memory_of_the_caller();
    an_input_without_value_stops_the_run();
    a_parameter_has_a_value_that_can_be_replaced();
    steps_end_with_done();
    between_steps_nothing_is_bound_or_read();
    a_run_can_be_given_up();
    two_executors_interleave();
    values_of_another_kind_are_refused();
    a_null_executor_is_refused();
    inputs_and_outputs_are_described();
    an_empty_network_runs();
}

#include "check.h"
#include "example_graph.h"

#include <string.h>

/* A copy of the example whose tables can be spoilt. */
typedef struct tables {
    s2s_graph graph;
    s2s_graph_node nodes[3];
    uint32_t args[9];
    s2s_graph_tensor tensors[7];
    s2s_graph_port inputs[2];
    s2s_graph_port outputs[2];
} tables;

static tables copy_of_example(void)
{
    tables t;

    t.graph = example_graph;
    memcpy(t.nodes, example_graph.nodes, sizeof t.nodes);
    memcpy(t.args, example_graph.args, sizeof t.args);
    memcpy(t.tensors, example_graph.tensors, sizeof t.tensors);
    memcpy(t.inputs, example_graph.inputs, sizeof t.inputs);
    memcpy(t.outputs, example_graph.outputs, sizeof t.outputs);
    return t;
}

static s2s_status check(tables *t)
{
    t->graph.nodes = t->nodes;
    t->graph.args = t->args;
    t->graph.tensors = t->tensors;
    t->graph.inputs = t->inputs;
    t->graph.outputs = t->outputs;
    return s2s_graph_check(&t->graph);
}

/* The copy of the example with one change must be refused. */
#define CHECK_REFUSED(change)                                                                                          \
    do {                                                                                                               \
        tables t = copy_of_example();                                                                                  \
        change;                                                                                                        \
        CHECK_STATUS(S2S_ERR_GRAPH, check(&t));                                                                        \
    } while (0)

static void sizes_must_agree(void)
{
    CHECK_REFUSED(t.graph.arena_align = 0u);
    CHECK_REFUSED(t.graph.arena_align = 12u);
    CHECK_REFUSED(t.graph.staged_size = t.graph.arena_size - 1u);
}

static void tensors_must_lie_somewhere(void)
{
    static const int64_t negative[] = {2, -3};

    CHECK_REFUSED(t.tensors[3].ndim = -1);
    CHECK_REFUSED(t.tensors[3].shape = NULL);
    CHECK_REFUSED(t.tensors[3].shape = negative);
    CHECK_REFUSED(t.tensors[3].dtype.bits = 0);
    CHECK_REFUSED(t.tensors[3].position = 18u);
    CHECK_REFUSED(t.tensors[3].position = 28u);
    CHECK_REFUSED(t.tensors[3].position = (size_t)-4);
    CHECK_REFUSED(t.tensors[3].place = S2S_PLACE_SIZE);
    CHECK_REFUSED(t.tensors[2].constant = NULL);
    CHECK_REFUSED(t.tensors[0].position = 2u);
    CHECK_REFUSED(t.tensors[5].position = 2u);
}

static void nodes_must_stay_in_the_lists(void)
{
    CHECK_REFUSED(t.nodes[1].kernel = NULL);
    CHECK_REFUSED(t.nodes[1].first_arg = 10u);
    CHECK_REFUSED(t.nodes[1].first_arg = 7u);
    CHECK_REFUSED(t.graph.max_args = 2u);
    CHECK_REFUSED(t.args[4] = 7u);
}

static void ports_must_name_their_tensors(void)
{
    CHECK_REFUSED(t.inputs[0].tensor = 7u);
    CHECK_REFUSED(t.inputs[0].tensor = 4u);
    CHECK_REFUSED(t.inputs[0].tensor = 1u);
    CHECK_REFUSED(t.tensors[0].name = NULL);
    CHECK_REFUSED(t.inputs[0].staging = 44u);
    CHECK_REFUSED(t.outputs[1].staging = 110u);
    CHECK_REFUSED(t.outputs[1].staging = 112u);
}

static void arenas_of_devices_must_hold_their_tensors(void)
{
    static const size_t arenas[] = {4u};

    CHECK_REFUSED(t.graph.num_devices = 1u);
    CHECK_REFUSED(t.tensors[3].place = S2S_PLACE_DEVICE);
    CHECK_REFUSED((t.graph.num_devices = 1u, t.graph.device_arenas = arenas, t.tensors[3].place = S2S_PLACE_DEVICE));
    CHECK_REFUSED((t.graph.num_devices = 1u, t.graph.device_arenas = arenas,
                   t.tensors[3].place = (s2s_place)(S2S_PLACE_DEVICE + 1)));
}

void test_graph_check(void)
{
    tables t = copy_of_example();

    CHECK_STATUS(S2S_OK, check(&t));
    CHECK_STATUS(S2S_ERR_NULL, s2s_graph_check(NULL));
    CHECK(s2s_graph_num_slots(&example_graph) == EXAMPLE_GRAPH_SLOTS);
    sizes_must_agree();
    tensors_must_lie_somewhere();
    nodes_must_stay_in_the_lists();
    ports_must_name_their_tensors();
    arenas_of_devices_must_hold_their_tensors();
}

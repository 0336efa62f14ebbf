/* SPDX-License-Identifier: Apache-2.0 */
/* Loading graph JSON; the contract is in s2s_program.h, the format in s2s/executor/graph_json.py. */
#include "s2s_json.h"
#include "s2s_program.h"

#include <string.h>

/* Where tensors begin: the widest vector. */
#define TENSOR_ALIGNMENT 64u

/* More elements in one tensor are a mistake in the file. */
#define MAX_ELEMENTS ((uint64_t)1 << 48)

#define MAX_COUNT 0x3FFFFFFFu

/* The parts of the file, found first, as they depend on each other. */
enum { NODES = 0, ARG_NODES, HEADS, ATTRS, ROWS, MEMBERS };

/* The attributes of entries. */
enum { DTYPE = 0, STORAGE, SHAPE, DEVICE, LISTS };

typedef struct loader {
    s2s_json json;
    s2s_program *program;
    const s2s_registry *registry;
    unsigned char *memory;
    size_t size;
    size_t used;
    s2s_status status; /* of what is no error of the file */
    size_t members[MEMBERS];
} loader;

/* Notes an error that is not one of the file. */
static bool stop(loader *load, s2s_status status, const char *what)
{
    if (load->json.what == NULL) {
        load->status = status;
    }
    return s2s_json_fail(&load->json, what);
}

static bool fail(loader *load, const char *what)
{
    return s2s_json_fail(&load->json, what);
}

/* Takes memory for so many items, zeroed; null if there is too little left. */
static void *take(loader *load, size_t count, size_t size, size_t alignment)
{
    const size_t gap = (alignment - ((uintptr_t)load->memory + load->used) % alignment) % alignment;
    const size_t left = load->size - load->used;
    unsigned char *start;

    if (gap > left || count > (left - gap) / size) {
        (void)stop(load, S2S_ERR_ARENA_SIZE, "there is too little memory");
        return NULL;
    }
    start = load->memory + load->used + gap;
    load->used += gap + count * size;
    (void)memset(start, 0, count * size);
    return start;
}

/* Takes a string into memory; null after an error. */
static const char *take_string(loader *load)
{
    char *const out = (char *)load->memory + load->used;
    const size_t at = load->json.at;
    size_t length = 0u;

    if (!s2s_json_string(&load->json, NULL, 0u, &length)) {
        return NULL;
    }
    if (length + 1u > load->size - load->used) {
        (void)stop(load, S2S_ERR_ARENA_SIZE, "there is too little memory");
        return NULL;
    }
    load->json.at = at;
    (void)s2s_json_string(&load->json, out, length + 1u, NULL);
    load->used += length + 1u;
    return out;
}

/* Takes a short string that only matters if it fits. */
static bool take_word(loader *load, char *out, size_t capacity)
{
    const size_t at = load->json.at;
    size_t length = 0u;

    if (!s2s_json_string(&load->json, NULL, 0u, &length)) {
        return false;
    }
    if (length + 1u > capacity) {
        out[0] = '\0';
        return true;
    }
    load->json.at = at;
    return s2s_json_string(&load->json, out, capacity, NULL);
}

static bool take_count(loader *load, uint32_t most, uint32_t *value)
{
    uint64_t number = 0u;
    const bool good = s2s_json_natural(&load->json, most, &number);

    *value = (uint32_t)number;
    return good;
}

/* Takes a number in a string. */
static bool take_quoted_count(loader *load, uint32_t *value)
{
    char digits[12];
    s2s_json inner = {NULL, 0u, 0u, NULL};
    uint64_t number = 0u;

    if (!take_word(load, digits, sizeof digits)) {
        return false;
    }
    inner.text = digits;
    inner.size = strlen(digits);
    if (!s2s_json_natural(&inner, MAX_COUNT, &number) || inner.at != inner.size) {
        return fail(load, "a number in quotes is wanted here");
    }
    *value = (uint32_t)number;
    return true;
}

/* Takes the key of a member, whose name only matters if it fits. */
static bool take_key(loader *load, char *out, size_t capacity)
{
    return take_word(load, out, capacity) && s2s_json_take(&load->json, ':');
}

/* Counts the items of the array that stands next. */
static bool count_items(loader *load, uint32_t *count)
{
    size_t items = 0u;

    if (!s2s_json_count(&load->json, &items) || items > MAX_COUNT) {
        return fail(load, "an array is wanted here");
    }
    *count = (uint32_t)items;
    return true;
}

/* The number of a word among others, or `count`. */
static size_t find_word(const char *word, const char *const *words, size_t count)
{
    size_t found = 0u;

    while (found < count && strcmp(word, words[found]) != 0) {
        ++found;
    }
    return found;
}

/* Notes where the members of the file begin. */
static bool find_members(loader *load)
{
    static const char *const names[MEMBERS] = {"nodes", "arg_nodes", "heads", "attrs", "node_row_ptr"};
    s2s_json *const json = &load->json;
    bool first = true;
    char key[16];

    if (!s2s_json_take(json, '{')) {
        return false;
    }
    while (s2s_json_more(json, '}', &first) && take_key(load, key, sizeof key)) {
        const size_t member = find_word(key, names, MEMBERS);
        if (member < MEMBERS) {
            if (load->members[member] != 0u) {
                return fail(load, "this member stands twice");
            }
            load->members[member] = json->at;
        }
        if (!s2s_json_skip(json)) {
            return false;
        }
    }
    for (size_t member = 0u; member < MEMBERS; ++member) {
        if (load->members[member] == 0u) {
            return fail(load, "a member is missing");
        }
    }
    return json->what == NULL;
}

/* Takes [node, index] or [node, index, version] of a node before `end`; the number of the entry. */
static bool take_entry(loader *load, uint32_t end, uint32_t *entry)
{
    uint32_t numbers[3] = {0u, 0u, 0u};
    uint32_t count = 0u;
    bool first = true;
    const s2s_program_node *node;

    if (!s2s_json_take(&load->json, '[')) {
        return false;
    }
    while (s2s_json_more(&load->json, ']', &first)) {
        if (count == 3u || !take_count(load, MAX_COUNT, &numbers[count])) {
            return fail(load, "an entry has at most three numbers");
        }
        ++count;
    }
    if (load->json.what != NULL || count < 2u || numbers[0] >= end) {
        return fail(load, "an entry of a node before this place is wanted here");
    }
    node = &load->program->nodes[numbers[0]];
    if (numbers[1] >= node->num_outputs) {
        return fail(load, "the node has no such result");
    }
    *entry = node->first_entry + numbers[1];
    return true;
}

/* Takes an array of entries of nodes before `end` into memory. */
static uint32_t *take_entries(loader *load, uint32_t end, uint32_t *count)
{
    uint32_t *entries;
    bool first = true;
    uint32_t i = 0u;

    if (!count_items(load, count)) {
        return NULL;
    }
    entries = take(load, *count, sizeof *entries, sizeof *entries);
    if (entries == NULL || !s2s_json_take(&load->json, '[')) {
        return NULL;
    }
    while (s2s_json_more(&load->json, ']', &first)) {
        if (!take_entry(load, end, &entries[i])) {
            return NULL;
        }
        ++i;
    }
    return entries;
}

/* What is read of a node. */
typedef struct described {
    bool is_source;
    bool has_attributes;
    const char *function;
    const uint32_t *inputs;
    uint32_t num_inputs; /* as its attributes say */
} described;

/* Takes the attributes of a node. */
static bool take_attributes(loader *load, s2s_program_node *node, described *found)
{
    static const char *const names[3] = {"func_name", "num_inputs", "num_outputs"};
    unsigned seen = 0u;
    bool first = true;
    char key[16];

    if (!s2s_json_take(&load->json, '{')) {
        return false;
    }
    while (s2s_json_more(&load->json, '}', &first) && take_key(load, key, sizeof key)) {
        const size_t name = find_word(key, names, 3u);
        if (name < 3u && (seen >> name & 1u) != 0u) {
            return fail(load, "this attribute stands twice");
        }
        seen |= 1u << name;
        if (name == 0u) {
            found->function = take_string(load);
        } else if (name < 3u) {
            (void)take_quoted_count(load, name == 1u ? &found->num_inputs : &node->num_outputs);
        } else {
            (void)s2s_json_skip(&load->json);
        }
    }
    found->has_attributes = (seen & 7u) == 7u;
    return load->json.what == NULL;
}

/* Takes the members of node `number`. */
static bool take_members(loader *load, uint32_t number, described *found)
{
    static const char *const names[4] = {"op", "name", "inputs", "attrs"};
    s2s_program_node *const node = &load->program->nodes[number];
    unsigned seen = 0u;
    bool first = true;
    char word[16];

    if (!s2s_json_take(&load->json, '{')) {
        return false;
    }
    while (s2s_json_more(&load->json, '}', &first) && take_key(load, word, sizeof word)) {
        const size_t name = find_word(word, names, 4u);
        if (name < 4u && (seen >> name & 1u) != 0u) {
            return fail(load, "this member stands twice");
        }
        seen |= 1u << name;
        if (name == 0u) {
            if (take_word(load, word, sizeof word) && strcmp(word, "null") != 0 && strcmp(word, "tvm_op") != 0) {
                return fail(load, "nodes are of kind null or tvm_op");
            }
            found->is_source = strcmp(word, "null") == 0;
        } else if (name == 1u) {
            node->name = take_string(load);
        } else if (name == 2u) {
            found->inputs = take_entries(load, number, &node->num_inputs);
        } else if (name == 3u) {
            (void)take_attributes(load, node, found);
        } else {
            (void)s2s_json_skip(&load->json);
        }
    }
    if ((seen & 7u) != 7u) {
        return fail(load, "a node has op, name and inputs");
    }
    return load->json.what == NULL;
}

/* What a call does, by the name of its function. */
static bool resolve(loader *load, s2s_program_node *node, const char *name)
{
    static const char *const moves[4] = {"__nop", "__copy", "s2s.concat", "s2s.split"};
    const size_t move = find_word(name, moves, 4u);

    node->kind = move == 0u ? S2S_NODE_NOTHING : move < 4u ? S2S_NODE_MOVE : S2S_NODE_CALL;
    if (move < 2u && (node->num_inputs != 1u || node->num_outputs != 1u)) {
        return fail(load, "this function has one input and one output");
    }
    if ((move == 2u && node->num_outputs != 1u) || (move == 3u && node->num_inputs != 1u)) {
        return fail(load, "a concatenation has one output, a split one input");
    }
    if (move == 4u) {
        node->function = s2s_registry_find(load->registry, name);
        if (node->function == NULL) {
            return stop(load, S2S_ERR_NAME, "the registry has no function of this name");
        }
    }
    return true;
}

/* Takes one node. */
static bool take_node(loader *load, uint32_t number)
{
    s2s_program *const program = load->program;
    s2s_program_node *const node = &program->nodes[number];
    described found = {false, false, NULL, NULL, 0u};

    node->first_entry = program->num_entries;
    if (!take_members(load, number, &found)) {
        return false;
    }
    if (found.is_source) {
        if (node->num_inputs != 0u || found.has_attributes) {
            return fail(load, "a null node has neither inputs nor attributes of a call");
        }
        node->num_outputs = 1u;
        ++program->num_inputs;
    } else if (!found.has_attributes || found.num_inputs != node->num_inputs) {
        return fail(load, "a call states its function and how many inputs and outputs it has");
    } else if (!resolve(load, node, found.function)) {
        return false;
    }
    if (node->num_outputs > MAX_COUNT - program->num_entries) {
        return fail(load, "there are too many results");
    }
    program->num_entries += node->num_outputs;
    node->args = take(load, (size_t)node->num_inputs + node->num_outputs, sizeof(s2s_value), sizeof(s2s_value));
    node->type_codes = take(load, (size_t)node->num_inputs + node->num_outputs, sizeof(int), sizeof(int));
    if (node->args == NULL || node->type_codes == NULL) {
        return false;
    }
    for (uint32_t i = 0u; i < node->num_inputs; ++i) {
        node->args[i].v_int64 = found.inputs[i]; /* the tensors have no place yet */
    }
    return true;
}

/* Goes to a member of the file. */
static s2s_json *at_member(loader *load, size_t member)
{
    load->json.at = load->members[member];
    return &load->json;
}

static bool take_nodes(loader *load)
{
    s2s_program *const program = load->program;
    s2s_json *const json = at_member(load, NODES);
    bool first = true;
    uint32_t number = 0u;

    if (!count_items(load, &program->num_nodes)) {
        return false;
    }
    program->nodes = take(load, program->num_nodes, sizeof *program->nodes, sizeof(void *));
    if (program->nodes == NULL || !s2s_json_take(json, '[')) {
        return false;
    }
    while (s2s_json_more(json, ']', &first)) {
        if (!take_node(load, number)) {
            return false;
        }
        ++number;
    }
    return json->what == NULL;
}

/* The sources, which the file lists too; node_row_ptr, which follows from the nodes; the outputs. */
static bool take_numbers(loader *load)
{
    s2s_program *const program = load->program;
    s2s_json *json = at_member(load, ARG_NODES);
    uint32_t count = 0u, number = 0u;
    bool first = true;

    program->inputs = take(load, program->num_inputs, sizeof(uint32_t), sizeof(uint32_t));
    if (program->inputs == NULL || !s2s_json_take(json, '[')) {
        return false;
    }
    while (s2s_json_more(json, ']', &first)) {
        if (count == program->num_inputs || !take_count(load, MAX_COUNT, &number) || number >= program->num_nodes ||
            program->nodes[number].kind != S2S_NODE_SOURCE ||
            (count > 0u && program->inputs[count - 1u] >= number)) {
            return fail(load, "arg_nodes lists the null nodes in order");
        }
        program->inputs[count] = number;
        ++count;
    }
    if (json->what != NULL || count != program->num_inputs) {
        return fail(load, "arg_nodes lists all null nodes");
    }
    json = at_member(load, ROWS);
    first = true;
    count = 0u;
    if (!s2s_json_take(json, '[')) {
        return false;
    }
    while (s2s_json_more(json, ']', &first)) {
        const uint32_t wanted = count < program->num_nodes ? program->nodes[count].first_entry : program->num_entries;

        if (count > program->num_nodes || !take_count(load, MAX_COUNT, &number) || number != wanted) {
            return fail(load, "node_row_ptr does not agree with the results of the nodes");
        }
        ++count;
    }
    if (json->what != NULL || count != program->num_nodes + 1u) {
        return fail(load, "node_row_ptr does not agree with the results of the nodes");
    }
    (void)at_member(load, HEADS);
    program->outputs = take_entries(load, program->num_nodes, &program->num_outputs);
    return load->json.what == NULL;
}

static bool take_dtype(loader *load, s2s_dtype *dtype)
{
    static const char *const names[13] = {"bool",   "int8",   "int16",   "int32",   "int64",   "uint8",  "uint16",
                                          "uint32", "uint64", "float16", "float32", "float64", "bfloat16"};
    static const s2s_dtype types[13] = {{S2S_DTYPE_BOOL, 8, 1},  {S2S_DTYPE_INT, 8, 1},    {S2S_DTYPE_INT, 16, 1},
                                        {S2S_DTYPE_INT, 32, 1},  {S2S_DTYPE_INT, 64, 1},   {S2S_DTYPE_UINT, 8, 1},
                                        {S2S_DTYPE_UINT, 16, 1}, {S2S_DTYPE_UINT, 32, 1},  {S2S_DTYPE_UINT, 64, 1},
                                        {S2S_DTYPE_FLOAT, 16, 1}, {S2S_DTYPE_FLOAT, 32, 1}, {S2S_DTYPE_FLOAT, 64, 1},
                                        {S2S_DTYPE_BFLOAT, 16, 1}};
    char word[16];
    size_t found;

    if (!take_word(load, word, sizeof word)) {
        return false;
    }
    found = find_word(word, names, 13u);
    if (found == 13u) {
        return fail(load, "this element type is not known");
    }
    *dtype = types[found];
    return true;
}

static bool take_shape(loader *load, s2s_tensor *tensor)
{
    uint32_t rank = 0u, dim = 0u;
    uint64_t elements = 1u;
    int64_t *shape;
    bool first = true;

    if (!count_items(load, &rank) || rank > S2S_PROGRAM_RANK) {
        return fail(load, "a shape of few dimensions is wanted here");
    }
    shape = take(load, rank, sizeof *shape, sizeof *shape);
    if (shape == NULL || !s2s_json_take(&load->json, '[')) {
        return false;
    }
    while (s2s_json_more(&load->json, ']', &first)) {
        uint64_t size = 0u;

        if (!s2s_json_natural(&load->json, MAX_ELEMENTS, &size)) {
            return false;
        }
        if (size > 1u && elements > MAX_ELEMENTS / size) {
            return fail(load, "the tensor has too many elements");
        }
        elements *= size > 1u ? size : 1u;
        shape[dim] = (int64_t)size;
        ++dim;
    }
    tensor->ndim = (int32_t)rank;
    tensor->shape = shape;
    return load->json.what == NULL;
}

/* Takes an attribute of one entry. */
static bool take_value(loader *load, size_t list, uint32_t entry)
{
    s2s_tensor *const tensor = &load->program->tensors[entry];
    uint32_t number = 0u;

    switch (list) {
    case DTYPE: return take_dtype(load, &tensor->dtype);
    case SHAPE: return take_shape(load, tensor);
    case STORAGE:
        return take_count(load, load->program->num_entries - 1u, &load->program->storage[entry]);
    case DEVICE:
    default:
        if (!take_count(load, MAX_COUNT, &number) || number != S2S_DEVICE_CPU) {
            return fail(load, "tensors live in the memory of the processor, device 1");
        }
        return true;
    }
}

/* Takes ["list_str", [...]], with an item for each entry. */
static bool take_list(loader *load, size_t list)
{
    static const char *const kinds[LISTS] = {"list_str", "list_int", "list_shape", "list_int"};
    s2s_json *const json = &load->json;
    char kind[16];
    bool first = true;
    uint32_t entry = 0u;

    if (!s2s_json_take(json, '[') || !take_word(load, kind, sizeof kind) || !s2s_json_take(json, ',') ||
        !s2s_json_take(json, '[')) {
        return false;
    }
    if (strcmp(kind, kinds[list]) != 0) {
        return fail(load, "the attribute is of another kind");
    }
    while (s2s_json_more(json, ']', &first)) {
        if (entry == load->program->num_entries) {
            return fail(load, "there are more items than entries");
        }
        if (!take_value(load, list, entry)) {
            return false;
        }
        ++entry;
    }
    if (entry != load->program->num_entries) {
        return fail(load, "there are fewer items than entries");
    }
    return s2s_json_take(json, ']');
}

static bool take_lists(loader *load)
{
    static const char *const names[LISTS] = {"dltype", "storage_id", "shape", "device_index"};
    s2s_program *const program = load->program;
    s2s_json *const json = at_member(load, ATTRS);
    unsigned seen = 0u;
    bool first = true;
    char key[16];

    program->tensors = take(load, program->num_entries, sizeof *program->tensors, sizeof(void *));
    program->storage = take(load, program->num_entries, sizeof(uint32_t), sizeof(uint32_t));
    if (program->tensors == NULL || program->storage == NULL || !s2s_json_take(json, '{')) {
        return false;
    }
    while (s2s_json_more(json, '}', &first) && take_key(load, key, sizeof key)) {
        const size_t list = find_word(key, names, LISTS);
        if (list < LISTS && (seen >> list & 1u) != 0u) {
            return fail(load, "this attribute stands twice");
        }
        seen |= 1u << list;
        if (list < LISTS ? !take_list(load, list) : !s2s_json_skip(json)) {
            return false;
        }
    }
    if ((seen & 7u) != 7u) {
        return fail(load, "entries have dltype, storage_id and shape");
    }
    return json->what == NULL;
}

/* Gives every storage memory for its largest entry, and every entry its storage. Inputs have no value yet. */
static bool place_tensors(loader *load)
{
    s2s_program *const program = load->program;
    size_t *const sizes = take(load, program->num_entries, sizeof *sizes, sizeof *sizes);

    program->memories = take(load, program->num_entries, sizeof(void *), sizeof(void *));
    if (sizes == NULL || program->memories == NULL) {
        return false;
    }
    for (uint32_t i = 0u; i < program->num_entries; ++i) {
        uint64_t bytes = s2s_dtype_size(program->tensors[i].dtype);
        size_t *const largest = &sizes[program->storage[i]];

        for (int32_t dim = 0; dim < program->tensors[i].ndim; ++dim) {
            bytes *= (uint64_t)program->tensors[i].shape[dim];
        }
        if (bytes >= load->size) {
            return stop(load, S2S_ERR_ARENA_SIZE, "there is too little memory");
        }
        *largest = (size_t)bytes > *largest ? (size_t)bytes : *largest;
    }
    for (uint32_t i = 0u; i < program->num_entries; ++i) {
        const uint32_t storage = program->storage[i];

        if (program->memories[storage] == NULL) {
            program->memories[storage] = take(load, sizes[storage] + 1u, 1u, TENSOR_ALIGNMENT);
            if (program->memories[storage] == NULL) {
                return false;
            }
        }
        program->tensors[i].device.type = S2S_DEVICE_CPU;
        program->tensors[i].data = program->memories[storage];
    }
    for (uint32_t i = 0u; i < program->num_inputs; ++i) {
        program->tensors[program->nodes[program->inputs[i]].first_entry].data = NULL;
    }
    return true;
}

/* Bytes of the outputs or inputs of a node. */
static size_t bytes_of(const s2s_value *args, uint32_t count)
{
    size_t bytes = 0u;

    for (uint32_t i = 0u; i < count; ++i) {
        bytes += s2s_tensor_size(args[i].v_handle);
    }
    return bytes;
}

/* Points the arguments of all nodes at their tensors, and checks those that only move bytes. */
static bool bind_arguments(loader *load)
{
    s2s_program *const program = load->program;

    for (uint32_t n = 0u; n < program->num_nodes; ++n) {
        s2s_program_node *const node = &program->nodes[n];
        const uint32_t count = node->num_inputs + node->num_outputs;

        for (uint32_t i = 0u; i < count; ++i) {
            const size_t entry = i < node->num_inputs ? (size_t)node->args[i].v_int64
                                                      : (size_t)node->first_entry + i - node->num_inputs;

            node->args[i].v_handle = &program->tensors[entry];
            node->type_codes[i] = S2S_ARG_TENSOR;
        }
        if ((node->kind == S2S_NODE_NOTHING || node->kind == S2S_NODE_MOVE) &&
            bytes_of(node->args, node->num_inputs) != bytes_of(&node->args[node->num_inputs], node->num_outputs)) {
            return fail(load, "a node that only moves bytes has as many on both sides");
        }
    }
    return true;
}

S2S_MERGED
s2s_status s2s_program_load(s2s_program *program, const char *json, size_t json_size, const s2s_registry *registry,
                            void *memory, size_t memory_size, s2s_file_error *error)
{
    loader load;

    if (program == NULL || json == NULL || registry == NULL || memory == NULL || error == NULL) {
        return S2S_ERR_NULL;
    }
    (void)memset(program, 0, sizeof *program);
    (void)memset(&load, 0, sizeof load);
    load.json.text = json;
    load.json.size = json_size;
    load.program = program;
    load.registry = registry;
    load.memory = memory;
    load.size = memory_size;
    load.status = S2S_ERR_GRAPH;
    if (find_members(&load) && take_nodes(&load) && take_numbers(&load) && take_lists(&load) &&
        place_tensors(&load) && bind_arguments(&load)) {
        load.status = S2S_OK;
    }
    error->what = load.json.what;
    error->at = load.json.at;
    if (load.status != S2S_OK) {
        (void)memset(program, 0, sizeof *program);
    }
    return load.status;
}

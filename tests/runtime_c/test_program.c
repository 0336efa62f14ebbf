/* Graph JSON and params: what loads and runs, and that every lie is found. */
#include "check.h"

#include "s2s_json.h"
#include "s2s_kernels.h"
#include "s2s_params.h"
#include "s2s_program.h"

#include <stdlib.h>
#include <string.h>

static const char json[] =
    "{\"nodes\": [\n"
    "{\"op\": \"null\", \"name\": \"x\", \"inputs\": [], \"more\": [true, {\"a\": -1.5e3}]},\n"
    "{\"op\": \"null\", \"name\": \"p\\u00e9\", \"inputs\": []},\n"
    "{\"op\": \"tvm_op\", \"name\": \"add\", \"attrs\": {\"func_name\": \"add\", \"flatten_data\": \"0\","
    " \"num_inputs\": \"2\", \"num_outputs\": \"2\"}, \"inputs\": [[0, 0, 0], [1, 0, 0]]},\n"
    "{\"op\": \"tvm_op\", \"name\": \"flat\", \"attrs\": {\"func_name\": \"__nop\", \"num_inputs\": \"1\","
    " \"num_outputs\": \"1\"}, \"inputs\": [[2, 0]]},\n"
    "{\"op\": \"tvm_op\", \"name\": \"both\", \"attrs\": {\"func_name\": \"s2s.concat\", \"num_inputs\": \"2\","
    " \"num_outputs\": \"1\"}, \"inputs\": [[3, 0, 0], [0, 0, 0]]},\n"
    "{\"op\": \"tvm_op\", \"name\": \"parts\", \"attrs\": {\"func_name\": \"s2s.split\", \"num_inputs\": \"1\","
    " \"num_outputs\": \"2\"}, \"inputs\": [[4, 0, 0]]}],\n"
    "\"arg_nodes\": [0, 1], \"heads\": [[5, 1, 0], [3, 0, 0]],\n"
    "\"attrs\": {\"dltype\": [\"list_str\", [\"float32\", \"float32\", \"float32\", \"float32\", \"float32\","
    " \"float32\", \"float32\", \"float32\"]],\n"
    "\"device_index\": [\"list_int\", [1, 1, 1, 1, 1, 1, 1, 1]],\n"
    "\"storage_id\": [\"list_int\", [0, 1, 2, 3, 2, 4, 5, 6]], \"other\": 1,\n"
    "\"shape\": [\"list_shape\", [[2, 1], [2, 1], [2, 1], [3], [2], [4], [1], [3]]]},\n"
    "\"node_row_ptr\": [0, 1, 2, 4, 5, 6, 8]}\n";

/* y = a + b; the scratch is written too. */
static void add(void *const *args)
{
    float *const y = args[0], *const scratch = args[3];
    const float *const a = args[1], *const b = args[2];

    scratch[2] = 1.0f;
    for (int i = 0; i < 2; ++i) {
        y[i] = a[i] + b[i];
    }
}

static const s2s_kernel_argument arguments[4] = {
    {2, {S2S_DTYPE_FLOAT, 32, 1}}, {2, {S2S_DTYPE_FLOAT, 32, 1}}, {2, {S2S_DTYPE_FLOAT, 32, 1}},
    {3, {S2S_DTYPE_FLOAT, 32, 1}}};
static const s2s_kernel_row kernels[1] = {{"add", add, arguments, 1, 2, 1}};

static void nothing(void *const *args)
{
    (void)args;
}

static const s2s_kernel_argument no_elements[1] = {{0, {S2S_DTYPE_FLOAT, 32, 1}}};
static const s2s_kernel_row empty_kernel = {"nothing", nothing, no_elements, 1, 0, 0};

static s2s_named_function rows[4];
static s2s_registry registry;
static double memory[512], more_memory[512];
static s2s_file_error error;

static s2s_tensor vector(float *values, const int64_t *shape, int32_t ndim)
{
    s2s_tensor tensor;

    (void)memset(&tensor, 0, sizeof tensor);
    tensor.data = values;
    tensor.device.type = S2S_DEVICE_CPU;
    tensor.ndim = ndim;
    tensor.dtype.code = S2S_DTYPE_FLOAT;
    tensor.dtype.bits = 32;
    tensor.dtype.lanes = 1;
    tensor.shape = shape;
    return tensor;
}

static s2s_status load_text(s2s_program *program, const char *text, size_t size)
{
    return s2s_program_load(program, text, size, &registry, memory, sizeof memory, &error);
}

static const int64_t column[2] = {2, 1}, three[1] = {3}, two[1] = {2};

static void test_run(void)
{
    s2s_program program;
    float x[2] = {1.0f, 2.0f}, p[2] = {10.0f, 20.0f}, out[3] = {0.0f, 0.0f, 0.0f};
    float sums[2] = {0.0f, 0.0f};
    s2s_tensor given = vector(x, column, 2), weight = vector(p, column, 2), result = vector(out, three, 1);
    s2s_tensor flat = vector(sums, two, 1);
    uint32_t index = 7u;

    CHECK_STATUS(S2S_OK, load_text(&program, json, sizeof json - 1u));
    CHECK(error.what == NULL && program.num_inputs == 2u && program.num_outputs == 2u);
    CHECK_STATUS(S2S_OK, s2s_program_input_index(&program, "p\xC3\xA9", &index));
    CHECK(index == 1u);
    CHECK_STATUS(S2S_ERR_NAME, s2s_program_input_index(&program, "none", &index));
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_input_index(&program, NULL, &index));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_program_run(&program));
    CHECK_STATUS(S2S_OK, s2s_program_set_input_zero_copy(&program, 0u, &given));
    CHECK_STATUS(S2S_OK, s2s_program_set_input(&program, 1u, &weight));
    p[0] = 0.0f;
    CHECK_STATUS(S2S_OK, s2s_program_run(&program));
    CHECK_STATUS(S2S_OK, s2s_program_get_output(&program, 0u, &result));
    CHECK(out[0] == 22.0f && out[1] == 1.0f && out[2] == 2.0f);
    CHECK(((const float *)s2s_program_output(&program, 1u)->data)[0] == 11.0f);
    x[1] = 5.0f;
    flat.byte_offset = 1u;
    CHECK_STATUS(S2S_ERR_ALIGN, s2s_program_set_output_zero_copy(&program, 1u, &flat));
    flat.byte_offset = 0u;
    CHECK_STATUS(S2S_OK, s2s_program_set_output_zero_copy(&program, 1u, &flat));
    CHECK_STATUS(S2S_ERR_RANK, s2s_program_set_output_zero_copy(&program, 0u, &given));
    CHECK_STATUS(S2S_OK, s2s_program_run(&program));
    CHECK(sums[0] == 11.0f && sums[1] == 25.0f);
    CHECK(((const float *)s2s_program_output(&program, 0u)->data)[2] == 5.0f);
    CHECK(s2s_program_output(&program, 2u) == NULL && s2s_program_input(NULL, 0u) == NULL);
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_run(NULL));
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_run_node(NULL, 0u));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_program_run_node(&program, 6u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_load(&program, NULL, 0u, &registry, memory, 8u, &error));
}

static void test_values(void)
{
    static const int64_t strides[2] = {2, 1}, row[2] = {1, 2};
    s2s_program program;
    float x[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    s2s_tensor given = vector(x, column, 2), result = vector(x, three, 1);

    CHECK_STATUS(S2S_OK, load_text(&program, json, sizeof json - 1u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_set_input(&program, 0u, NULL));
    CHECK_STATUS(S2S_ERR_INDEX, s2s_program_set_input(&program, 2u, &given));
    CHECK_STATUS(S2S_ERR_RANK, s2s_program_set_input(&program, 0u, &result));
    given.shape = row;
    CHECK_STATUS(S2S_ERR_SHAPE, s2s_program_set_input(&program, 0u, &given));
    given.shape = column;
    given.strides = strides;
    CHECK_STATUS(S2S_ERR_STRIDES, s2s_program_set_input_zero_copy(&program, 0u, &given));
    given.strides = NULL;
    given.dtype.bits = 64;
    CHECK_STATUS(S2S_ERR_DTYPE, s2s_program_set_input(&program, 0u, &given));
    given.dtype.bits = 32;
    given.device.type = 2;
    CHECK_STATUS(S2S_ERR_DEVICE, s2s_program_set_input(&program, 0u, &given));
    given.device.type = S2S_DEVICE_CPU;
    given.byte_offset = 1u;
    CHECK_STATUS(S2S_ERR_ALIGN, s2s_program_set_input_zero_copy(&program, 0u, &given));
    CHECK_STATUS(S2S_OK, s2s_program_set_input(&program, 0u, &given));
    given.data = NULL;
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_set_input(&program, 0u, &given));
    given.data = x;
    CHECK_STATUS(S2S_ERR_RANK, s2s_program_get_output(&program, 0u, &given));
}

/* The text with the first `old` replaced. */
static size_t replace(char *out, const char *old, const char *new_text)
{
    const char *const at = strstr(json, old);
    const size_t before = (size_t)(at - json);

    (void)memcpy(out, json, before);
    (void)strcpy(out + before, new_text);
    (void)strcat(out, at + strlen(old));
    return strlen(out);
}

typedef struct lie {
    const char *old;
    const char *new_text;
    s2s_status status;
} lie;

static const lie lies[] = {
    {"{\"nodes\"", "[\"nodes\"", S2S_ERR_GRAPH},
    {"\"nodes\": [", "\"nodes\": 7, \"x\": [", S2S_ERR_GRAPH},
    {"\"heads\"", "\"nodes\"", S2S_ERR_GRAPH},
    {"\"heads\"", "\"tails\"", S2S_ERR_GRAPH},
    {"\"heads\":", "\"heads\"", S2S_ERR_GRAPH},
    {"\"heads\": [", "\"heads\": ]", S2S_ERR_GRAPH},
    {"\"heads\": [[5, 1, 0]", "\"heads\": [[6, 0, 0]", S2S_ERR_GRAPH},
    {"\"heads\": [[5, 1, 0]", "\"heads\": [[5, 2, 0]", S2S_ERR_GRAPH},
    {"\"heads\": [[5, 1, 0]", "\"heads\": [[5]", S2S_ERR_GRAPH},
    {"\"heads\": [[5, 1, 0]", "\"heads\": [[5, 1, 0, 0]", S2S_ERR_GRAPH},
    {"\"heads\": [[5, 1, 0]", "\"heads\": [5", S2S_ERR_GRAPH},
    {"\"heads\": [[", "\"heads\": 5, \"y\": [[", S2S_ERR_GRAPH},
    {"\"op\": \"null\"", "\"op\": \"while\"", S2S_ERR_GRAPH},
    {"\"op\": \"null\"", "\"op\": \"a word that is too long\"", S2S_ERR_GRAPH},
    {"\"op\": \"null\"", "\"op\": 7", S2S_ERR_GRAPH},
    {"{\"op\": \"null\"", "7, {\"op\": \"null\"", S2S_ERR_GRAPH},
    {"\"op\": \"null\",", "", S2S_ERR_GRAPH},
    {"\"op\": \"null\",", "\"op\",", S2S_ERR_GRAPH},
    {"\"op\": \"null\",", "\"op\": \"null\", \"op\": \"null\",", S2S_ERR_GRAPH},
    {"\"name\": \"x\"", "\"name\": 7", S2S_ERR_GRAPH},
    {"\"inputs\": []", "\"inputs\": [[0, 0]]", S2S_ERR_GRAPH},
    {"\"inputs\": []", "\"inputs\": {}", S2S_ERR_GRAPH},
    {"\"inputs\": []", "\"inputs\": [], \"attrs\": {\"func_name\": \"a\", \"num_inputs\": \"0\","
                       " \"num_outputs\": \"1\"}", S2S_ERR_GRAPH},
    {"\"func_name\": \"add\"", "\"func_name\": \"sub\"", S2S_ERR_NAME},
    {"\"func_name\": \"add\"", "\"func_name\": 1", S2S_ERR_GRAPH},
    {"\"func_name\": \"add\"", "\"func_name\" 1", S2S_ERR_GRAPH},
    {"\"func_name\": \"add\",", "", S2S_ERR_GRAPH},
    {"\"func_name\": \"add\",", "\"func_name\": \"add\", \"func_name\": \"add\",", S2S_ERR_GRAPH},
    {"{\"func_name\": \"add\",", "[", S2S_ERR_GRAPH},
    {"{\"func_name\": \"add\",", "7, \"z\": {\"func_name\": \"add\",", S2S_ERR_GRAPH},
    {"\"num_inputs\": \"2\"", "\"num_inputs\": \"3\"", S2S_ERR_GRAPH},
    {"\"num_inputs\": \"2\"", "\"num_inputs\": \"-1\"", S2S_ERR_GRAPH},
    {"\"num_inputs\": \"2\"", "\"num_inputs\": 2", S2S_ERR_GRAPH},
    {"\"num_outputs\": \"2\"", "\"num_outputs\": \"99999999999\"", S2S_ERR_GRAPH},
    {"\"num_outputs\": \"2\"", "\"num_outputs\": \"1073741823\"", S2S_ERR_GRAPH},
    {"\"num_outputs\": \"2\"", "\"num_outputs\": \"1073741\"", S2S_ERR_ARENA_SIZE},
    {"\"num_outputs\": \"2\"", "\"num_outputs\": \"1\"", S2S_ERR_GRAPH},
    {"\"__nop\", \"num_inputs\": \"1\", \"num_outputs\": \"1\"",
     "\"__copy\", \"num_inputs\": \"1\", \"num_outputs\": \"2\"", S2S_ERR_GRAPH},
    {"\"s2s.concat\"", "\"s2s.split\"", S2S_ERR_GRAPH},
    {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0]", S2S_ERR_GRAPH},
    {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 2]", S2S_ERR_GRAPH},
    {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [1, 0]", S2S_ERR_GRAPH},
    {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 1, 1]", S2S_ERR_GRAPH},
    {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 1.5]", S2S_ERR_GRAPH},
    {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": 0", S2S_ERR_GRAPH},
    {"\"node_row_ptr\": [0,", "\"node_row_ptr\": [1,", S2S_ERR_GRAPH},
    {"\"node_row_ptr\": [0, 1, 2, 4, 5, 6, 8]", "\"node_row_ptr\": [0, 1, 2, 4, 5, 6]", S2S_ERR_GRAPH},
    {"\"node_row_ptr\": [0, 1, 2, 4, 5, 6, 8]", "\"node_row_ptr\": [0, 1, 2, 4, 5, 6, 8, 8]", S2S_ERR_GRAPH},
    {"\"node_row_ptr\": [0, 1, 2, 4, 5, 6, 8]", "\"node_row_ptr\": 8", S2S_ERR_GRAPH},
    {"\"attrs\": {\"dltype\"", "\"attrs\": [{\"dltype\"", S2S_ERR_GRAPH},
    {"\"attrs\": {\"dltype\": [", "\"attrs\": {\"dltype\": [[], ", S2S_ERR_GRAPH},
    {"\"attrs\": {\"dltype\": [\"list_str\"", "\"attrs\": {\"dltype\": [\"list_int\"", S2S_ERR_GRAPH},
    {"[\"float32\",", "[\"complex64\",", S2S_ERR_GRAPH},
    {"[\"float32\",", "[32,", S2S_ERR_GRAPH},
    {"[\"float32\",", "[", S2S_ERR_GRAPH},
    {"[\"float32\",", "[\"float32\", \"float32\",", S2S_ERR_GRAPH},
    {"[1, 1, 1, 1, 1, 1, 1, 1]", "[1, 1, 1, 1, 1, 1, 1, 2]", S2S_ERR_GRAPH},
    {"\"storage_id\"", "\"dltype\"", S2S_ERR_GRAPH},
    {"\"storage_id\"", "\"storage\"", S2S_ERR_GRAPH},
    {"\"storage_id\":", "\"storage_id\"", S2S_ERR_GRAPH},
    {"[0, 1, 2, 3, 2, 4, 5, 6]]", "[0, 1, 2, 3, 2, 4, 5, 8]]", S2S_ERR_GRAPH},
    {"\"other\": 1", "\"other\": @", S2S_ERR_GRAPH},
    {"[[2, 1], [2, 1]", "[[2, 2], [2, 1]", S2S_ERR_GRAPH},
    {"[[2, 1], [2, 1]", "[[2, -1], [2, 1]", S2S_ERR_GRAPH},
    {"[[2, 1], [2, 1]", "[2, [2, 1]", S2S_ERR_GRAPH},
    {"[[2, 1], [2, 1]", "[[281474976710656, 2], [2, 1]", S2S_ERR_GRAPH},
    {"[[2, 1], [2, 1]", "[[281474976710656, 1], [2, 1]", S2S_ERR_ARENA_SIZE},
    {"[[2, 1], [2, 1]", "[[2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,"
                        " 1, 1, 1, 1], [2, 1]", S2S_ERR_GRAPH},
};

static void test_lies(void)
{
    static char text[4000];
    s2s_program program;

    for (size_t i = 0u; i < sizeof lies / sizeof lies[0]; ++i) {
        const size_t size = replace(text, lies[i].old, lies[i].new_text);
        const s2s_status status = load_text(&program, text, size);

        if (status != lies[i].status || error.what == NULL) {
            ++check_failures;
            printf("lie %d: %s: got %d, %s\n", (int)i, lies[i].new_text, (int)status, error.what);
        }
    }
}

/* Every beginning of the file is refused, and every amount of memory is enough or refused. */
static void test_cut(void)
{
    s2s_program program;
    s2s_status status = S2S_ERR_ARENA_SIZE;

    for (size_t size = 0u; size + 2u < sizeof json; ++size) {
        char *const text = malloc(size + 1u);

        (void)memcpy(text, json, size);
        CHECK_STATUS(S2S_ERR_GRAPH, load_text(&program, text, size));
        free(text);
    }
    for (size_t size = 0u; status != S2S_OK && size < sizeof memory; ++size) {
        void *const small = malloc(size + 1u);

        status = s2s_program_load(&program, json, sizeof json - 1u, &registry, small, size, &error);
        CHECK(status == S2S_OK || status == S2S_ERR_ARENA_SIZE);
        free(small);
    }
    CHECK_STATUS(S2S_OK, status);
}

static void test_kernels(void)
{
    static const int64_t strides[1] = {2}, none[1] = {0};
    /* Their products are 2, the number of elements that the kernel takes: as a product of negative numbers, and modulo
     * 2^64. */
    static const int64_t negative[2] = {-1, -2}, wrapping[2] = {3, INT64_C(0x5555555555555556)};
    float x[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    s2s_tensor tensors[4];
    s2s_value args[4], ret;
    int codes[4], ret_code;
    const s2s_function function = {s2s_call_kernel, (void *)(uintptr_t)&kernels[0], NULL};
    const s2s_function empty = {s2s_call_kernel, (void *)(uintptr_t)&empty_kernel, NULL};

    for (int i = 0; i < 4; ++i) {
        tensors[i] = vector(x, column, 2);
        args[i].v_handle = &tensors[i];
        codes[i] = S2S_ARG_TENSOR;
    }
    tensors[3] = vector(x, three, 1);
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == 0);
    CHECK(s2s_function_call(&function, args, codes, 3, &ret, &ret_code) == -1);
    codes[1] = S2S_ARG_HANDLE;
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    codes[1] = S2S_ARG_TENSOR;
    tensors[1].dtype.bits = 16;
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    tensors[1] = vector(x, three, 1);
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    tensors[1] = vector(x, &column[0], 1);
    tensors[1].strides = strides;
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    tensors[1] = vector(NULL, column, 2);
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    CHECK(strcmp(s2s_get_last_error(), "kernel: an argument has no memory, or its elements are not aligned") == 0);
    tensors[1] = vector(x, negative, 2);
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    tensors[1] = vector(x, wrapping, 2);
    CHECK(s2s_function_call(&function, args, codes, 4, &ret, &ret_code) == -1);
    CHECK(strcmp(s2s_get_last_error(), "kernel: an argument has a shape of no tensor") == 0);
    tensors[0] = vector(NULL, none, 1);
    CHECK(s2s_function_call(&empty, args, codes, 1, &ret, &ret_code) == 0);
    CHECK_STATUS(S2S_ERR_NULL, s2s_registry_add_kernels(&registry, NULL, 1u));
    CHECK_STATUS(S2S_ERR_NAME, s2s_registry_add_kernels(&registry, kernels, 1u));
}

static int failing(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
{
    (void)args, (void)type_codes, (void)num_args, (void)ret, (void)ret_code, (void)resource;
    return 1;
}

static void test_failing_function(void)
{
    static char text[4000];
    const s2s_function function = {failing, NULL, NULL};
    const size_t size = replace(text, "\"func_name\": \"add\"", "\"func_name\": \"fail\"");
    float x[2] = {1.0f, 2.0f};
    const s2s_tensor given = vector(x, column, 2);
    s2s_program program;

    CHECK_STATUS(S2S_OK, s2s_registry_add(&registry, "fail", function, true));
    CHECK_STATUS(S2S_OK, load_text(&program, text, size));
    CHECK_STATUS(S2S_OK, s2s_program_set_input(&program, 0u, &given));
    CHECK_STATUS(S2S_OK, s2s_program_set_input(&program, 1u, &given));
    CHECK_STATUS(S2S_ERR_STATE, s2s_program_run(&program));
}

/* The output "first" is the input itself: it has no memory until the input has. */
static void test_output_of_input(void)
{
    static char text[4000];
    const size_t size = replace(text, "\"heads\": [[5, 1, 0]", "\"heads\": [[0, 0, 0]");
    float x[2] = {1.0f, 2.0f};
    const s2s_tensor given = vector(x, column, 2);
    s2s_program program;

    CHECK_STATUS(S2S_OK, load_text(&program, text, size));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_program_get_output(&program, 0u, &given));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_program_run_node(&program, 4u));
    CHECK_STATUS(S2S_ERR_STATE, s2s_program_set_output_zero_copy(&program, 0u, &given));
}

/* Params: "pé" = [10, 20] of shape [2, 1], and "unknown", one bool. */
static const unsigned char params[] = {
    0xB7, 0x9C, 0x04, 0x05, 0x4F, 0x8D, 0xE5, 0xF7, 0, 0, 0, 0, 0, 0, 0, 0,     /* magic, reserved */
    2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 'p', 0xC3, 0xA9,            /* names */
    7, 0, 0, 0, 0, 0, 0, 0, 'u', 'n', 'k', 'n', 'o', 'w', 'n',                  /* */
    2, 0, 0, 0, 0, 0, 0, 0,                                                     /* arrays */
    0x3F, 0xA1, 0xB4, 0x96, 0xF0, 0x40, 0x5E, 0xDD, 0, 0, 0, 0, 0, 0, 0, 0,     /* magic, reserved */
    1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 32, 1, 0,                            /* device, rank, type */
    2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0,     /* shape, size */
    0, 0, 0x20, 0x41, 0, 0, 0xA0, 0x41,                                         /* 10, 20 */
    0x3F, 0xA1, 0xB4, 0x96, 0xF0, 0x40, 0x5E, 0xDD, 0, 0, 0, 0, 0, 0, 0, 0,     /* magic, reserved */
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,  /* a bool as TVM writes it */
};
#define ARRAYS 58 /* where the first array begins */

static void test_params(void)
{
    s2s_program program, other;
    float x[2] = {1.0f, 2.0f};
    const s2s_tensor given = vector(x, column, 2);

    CHECK_STATUS(S2S_OK, load_text(&program, json, sizeof json - 1u));
    CHECK_STATUS(S2S_OK, s2s_program_load_params(&program, params, sizeof params, &error));
    CHECK(error.what == NULL && ((const float *)s2s_program_input(&program, 1u)->data)[1] == 20.0f);
    CHECK_STATUS(S2S_OK, s2s_program_load(&other, json, sizeof json - 1u, &registry, more_memory, sizeof more_memory,
                                          &error));
    CHECK_STATUS(S2S_ERR_UNBOUND, s2s_program_share_params(&program, &other, params, sizeof params, &error));
    CHECK_STATUS(S2S_OK, s2s_program_share_params(&other, &program, params, sizeof params, &error));
    CHECK(s2s_program_input(&other, 1u)->data == s2s_program_input(&program, 1u)->data);
    CHECK_STATUS(S2S_OK, s2s_program_set_input(&other, 0u, &given));
    CHECK_STATUS(S2S_OK, s2s_program_run(&other));
    CHECK(((const float *)s2s_program_output(&other, 0u)->data)[0] == 22.0f);
    other.num_inputs = 0u;
    CHECK_STATUS(S2S_OK, s2s_program_share_params(&program, &other, params, sizeof params, &error));
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_share_params(&other, NULL, params, sizeof params, &error));
    CHECK_STATUS(S2S_ERR_NULL, s2s_program_load_params(&other, NULL, 0u, &error));
}

static void test_damaged_params(void)
{
    static const struct {
        size_t at;
        unsigned char byte;
        s2s_status status;
    } damages[] = {
        {0, 0, S2S_ERR_GRAPH},           {16, 3, S2S_ERR_GRAPH},           {30, 1, S2S_ERR_GRAPH},
        {31, 0x7F, S2S_ERR_GRAPH},       {50, 3, S2S_ERR_GRAPH},           {ARRAYS, 0, S2S_ERR_GRAPH},
        {ARRAYS + 16, 2, S2S_ERR_GRAPH}, {ARRAYS + 24, 33, S2S_ERR_GRAPH}, {ARRAYS + 28, 0, S2S_ERR_DTYPE},
        {ARRAYS + 39, 255, S2S_ERR_GRAPH}, {ARRAYS + 38, 255, S2S_ERR_GRAPH}, {ARRAYS + 48, 9, S2S_ERR_GRAPH},
    };
    static unsigned char blob[sizeof params + 1u];
    s2s_program program;

    CHECK_STATUS(S2S_OK, load_text(&program, json, sizeof json - 1u));
    for (size_t i = 0u; i < sizeof damages / sizeof damages[0]; ++i) {
        (void)memcpy(blob, params, sizeof params);
        blob[damages[i].at] = damages[i].byte;
        CHECK_STATUS(damages[i].status, s2s_program_load_params(&program, blob, sizeof params, &error));
    }
    (void)memcpy(blob, params, sizeof params);
    CHECK_STATUS(S2S_ERR_GRAPH, s2s_program_load_params(&program, blob, sizeof params + 1u, &error));
    for (size_t size = 0u; size < sizeof params; ++size) {
        unsigned char *const cut = malloc(size + 1u);

        (void)memcpy(cut, params, size);
        CHECK_STATUS(S2S_ERR_GRAPH, s2s_program_load_params(&program, cut, size, &error));
        free(cut);
    }
}

/* Reads a string; its bytes, or null. */
static const char *text_of(const char *text, size_t capacity)
{
    static char out[32];
    s2s_json reader = {NULL, 0u, 0u, NULL};
    size_t length = 0u;

    reader.text = text;
    reader.size = strlen(text);
    return s2s_json_string(&reader, out, capacity, &length) && strlen(out) == length ? out : NULL;
}

static bool skips(const char *text)
{
    s2s_json reader = {NULL, 0u, 0u, NULL};

    reader.text = text;
    reader.size = strlen(text);
    return s2s_json_skip(&reader) && reader.at == reader.size;
}

static void test_json(void)
{
    static char deep[S2S_JSON_DEPTH + 2];

    CHECK(strcmp(text_of("\"a\\n\\\"\\u0041\"", 32u), "a\n\"A") == 0);
    CHECK(strcmp(text_of("\"\\u20AC\\ud83d\\ude00\\u00e9\"", 32u), "\xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9") == 0);
    CHECK(text_of("\"\\u0000\"", 32u) == NULL && text_of("\"\\ude00\"", 32u) == NULL);
    CHECK(text_of("\"\\ud83d\"", 32u) == NULL && text_of("\"\\ud83d\\u0041\"", 32u) == NULL);
    CHECK(text_of("\"\\ud83d\\u00", 32u) == NULL && text_of("\"\\u12", 32u) == NULL);
    CHECK(text_of("\"\\u12g4\"", 32u) == NULL && text_of("\"\\x\"", 32u) == NULL && text_of("\"\\", 32u) == NULL);
    CHECK(text_of("\"\n\"", 32u) == NULL && text_of("\"abc", 32u) == NULL && text_of("7", 32u) == NULL);
    CHECK(text_of("\"abc\"", 3u) == NULL && text_of("\"abc\"", 4u) != NULL && text_of("\"\"", 0u) == NULL);
    CHECK(skips("[1, -2.5e+3, true, null, {\"a\": [], \"b\": {}}, \"x\"]"));
    CHECK(!skips("[1 2]") && !skips("[1,]") && !skips("{\"a\"}") && !skips("{1: 2}") && !skips("[") && !skips(""));
    CHECK(!skips("[1}") && !skips("[\"a]") && !skips("{\"a\": }"));
    (void)memset(deep, '[', sizeof deep - 1u);
    CHECK(!skips(deep));
}

void test_program(void)
{
    CHECK_STATUS(S2S_OK, s2s_registry_init(&registry, rows, 4u));
    CHECK_STATUS(S2S_OK, s2s_registry_add_kernels(&registry, kernels, 1u));
    test_json();
    test_run();
    test_values();
    test_lies();
    test_cut();
    test_kernels();
    test_failing_function();
    test_output_of_input();
    test_params();
    test_damaged_params();
}

/* What is fuzzed: the first byte of an input chooses between graph JSON, which is loaded and run if it is good, and
 * params for a program that was loaded before. The entry point is libFuzzer's. */
#include "s2s_kernels.h"
#include "s2s_program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Large enough for what small files describe, small enough that it runs out too. */
#define MEMORY 4096u

static const char base[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"null\", \"name\": \"w\", \"inputs\": []},"
    "{\"op\": \"tvm_op\", \"name\": \"y\", \"attrs\": {\"func_name\": \"add\", \"num_inputs\": \"2\", \"num_outputs\": \"1\"},"
    "\"inputs\": [[0, 0], [1, 0]]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0]], \"node_row_ptr\": [0, 1, 2, 3],"
    "\"attrs\": {\"dltype\": [\"list_str\", [\"float32\", \"float32\", \"float32\"]],"
    "\"storage_id\": [\"list_int\", [0, 1, 2]], \"shape\": [\"list_shape\", [[2], [2], [2]]]}}";

static void add(void *const *args)
{
    for (int i = 0; i < 2; ++i) {
        ((float *)args[0])[i] = ((const float *)args[1])[i] + ((const float *)args[2])[i];
    }
}

static const s2s_kernel_argument arguments[3] = {
    {2, {S2S_DTYPE_FLOAT, 32, 1}}, {2, {S2S_DTYPE_FLOAT, 32, 1}}, {2, {S2S_DTYPE_FLOAT, 32, 1}}};
static const s2s_kernel_row kernels[1] = {{"add", add, arguments, 1, 2, 0}};
static s2s_named_function rows[1];
static s2s_registry registry;
static s2s_program loaded;
static s2s_file_error error;

static void run(s2s_program *program)
{
    static double zeros[MEMORY / sizeof(double)];
    uint32_t index;

    for (uint32_t i = 0u; i < program->num_inputs; ++i) {
        s2s_tensor value = *s2s_program_input(program, i);

        value.data = zeros;
        if (i % 2u == 0u) {
            (void)s2s_program_set_input(program, i, &value);
        } else {
            (void)s2s_program_set_input_zero_copy(program, i, &value);
        }
    }
    (void)s2s_program_run(program);
    for (uint32_t i = 0u; i < program->num_outputs; ++i) {
        double *const out = malloc(MEMORY);
        s2s_tensor value = *s2s_program_output(program, i);

        value.data = out;
        (void)s2s_program_get_output(program, i, &value);
        free(out);
    }
    (void)s2s_program_input_index(program, "x", &index);
}

static void prepare(void)
{
    (void)s2s_registry_init(&registry, rows, 1u);
    (void)s2s_registry_add_kernels(&registry, kernels, 1u);
    if (s2s_program_load(&loaded, base, sizeof base - 1u, &registry, malloc(MEMORY), MEMORY, &error) != S2S_OK) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static unsigned char *memory = NULL;
    s2s_program program;

    if (memory == NULL) {
        prepare();
        memory = malloc(MEMORY);
    }
    if (size == 0u) {
        return 0;
    }
    if (data[0] == (unsigned char)'p') {
        (void)s2s_program_load_params(&loaded, data + 1, size - 1u, &error);
        (void)s2s_program_share_params(&loaded, &loaded, data + 1, size - 1u, &error);
    } else if (s2s_program_load(&program, (const char *)data + 1, size - 1u, &registry, memory, MEMORY, &error) ==
               S2S_OK) {
        run(&program);
    }
    return 0;
}

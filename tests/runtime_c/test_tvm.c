/* The graph executor under TVM's names. */
#include "check.h"

#include "s2s_kernels.h"
#include "s2s_tvm.h"

#include <stdlib.h>

static int allocated = 0;

tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr)
{
    *out_ptr = dev.type == S2S_DEVICE_CPU ? malloc(num_bytes) : NULL;
    allocated += *out_ptr != NULL;
    return *out_ptr == NULL;
}

tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev)
{
    (void)dev;
    free(ptr);
    --allocated;
    return 0;
}

static void twice(void *const *args)
{
    for (int i = 0; i < 2000; ++i) {
        ((float *)args[0])[i] = 2.0f * ((const float *)args[1])[i];
    }
}

static const s2s_kernel_argument arguments[2] = {{2000, {S2S_DTYPE_FLOAT, 32, 1}}, {2000, {S2S_DTYPE_FLOAT, 32, 1}}};
static const s2s_kernel_row kernels[1] = {{"twice", twice, arguments, 1, 1, 0}};
static const char json[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"tvm_op\", \"name\": \"y\","
    "\"attrs\": {\"func_name\": \"twice\", \"num_inputs\": \"1\", \"num_outputs\": \"1\"}, \"inputs\": [[0, 0, 0]]}],"
    "\"arg_nodes\": [0], \"heads\": [[1, 0, 0]], \"node_row_ptr\": [0, 1, 2], \"attrs\": {"
    "\"dltype\": [\"list_str\", [\"float32\", \"float32\"]], \"storage_id\": [\"list_int\", [0, 1]],"
    "\"shape\": [\"list_shape\", [[2000], [2000]]]}}";

static int seven(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
{
    (void)args, (void)type_codes, (void)num_args, (void)resource;
    ret->v_int64 = 7;
    *ret_code = S2S_ARG_INT;
    return 0;
}

static int holders = 0;

static void count_holders(s2s_function *function, int by)
{
    (void)function;
    holders += by;
}

static void test_functions_of_the_process(void)
{
    s2s_named_function rows[1];
    s2s_registry registry;
    s2s_function function = {seven, NULL, count_holders};
    TVMFunctionHandle found = &function;
    TVMValue result;
    int code = 0;

    CHECK(TVMFuncGetGlobal("seven", &found) == 0 && found == NULL);
    CHECK(TVMFuncRegisterGlobal("seven", &function, 0) == -1);
    CHECK_STATUS(S2S_OK, s2s_registry_init(&registry, rows, 1u));
    s2s_set_global_registry(&registry);
    CHECK(s2s_global_registry() == &registry);
    CHECK(TVMFuncRegisterGlobal("seven", NULL, 0) == -1);
    CHECK(TVMFuncRegisterGlobal("seven", &function, 0) == 0 && TVMFuncRegisterGlobal("seven", &function, 0) == -1);
    CHECK(TVMFuncGetGlobal(NULL, &found) == -1 && TVMFuncGetGlobal("seven", NULL) == -1);
    CHECK(TVMFuncGetGlobal("seven", &found) == 0 && holders == 1);
    CHECK(TVMFuncCall(found, NULL, NULL, 0, &result, &code) == 0 && result.v_int64 == 7 && code == S2S_ARG_INT);
    CHECK(TVMFuncFree(found) == 0 && holders == 0);
    CHECK(TVMBackendGetFuncFromEnv(NULL, "eight", &found) == -1 && found == NULL);
    CHECK(TVMBackendGetFuncFromEnv(NULL, "seven", &found) == 0 && found == &rows[0].function);
    s2s_set_global_registry(NULL);
}

void test_tvm(void)
{
    static float x[2000], y[2000];
    static const int64_t shape[1] = {2000};
    const DLDevice cpu = {S2S_DEVICE_CPU, 0}, other = {2, 0};
    s2s_named_function rows[1];
    s2s_registry registry;
    TVMGraphExecutor *executor = NULL;
    DLTensor in = {x, {S2S_DEVICE_CPU, 0}, 1, {S2S_DTYPE_FLOAT, 32, 1}, shape, NULL, 0u};
    DLTensor out = {y, {S2S_DEVICE_CPU, 0}, 1, {S2S_DTYPE_FLOAT, 32, 1}, shape, NULL, 0u};

    test_functions_of_the_process();
    CHECK_STATUS(S2S_OK, s2s_registry_init(&registry, rows, 1u));
    CHECK(TVMGraphExecutor_Create(json, &registry, &cpu, &executor) == -1 && executor == NULL);
    CHECK(strcmp(TVMGetLastError(), "the registry has no function of this name") == 0 && allocated == 0);
    CHECK_STATUS(S2S_OK, s2s_registry_add_kernels(&registry, kernels, 1u));
    CHECK(TVMGraphExecutor_Create(json, NULL, &cpu, &executor) == -1);
    CHECK(TVMGraphExecutor_Create(json, &registry, &other, &executor) == -1);
    CHECK(TVMGraphExecutor_Create("{", &registry, &cpu, &executor) == -1 && allocated == 0);
    CHECK(TVMGraphExecutor_Create(json, &registry, &cpu, &executor) == 0 && allocated == 1);
    CHECK(TVMGraphExecutor_GetNumInputs(executor) == 1 && TVMGraphExecutor_GetNumOutputs(executor) == 1);
    CHECK(TVMGraphExecutor_GetInputIndex(executor, "x") == 0 && TVMGraphExecutor_GetInputIndex(executor, "z") == -1);
    CHECK(TVMGraphExecutor_Run(executor) == -1);
    CHECK(TVMGraphExecutor_SetInput(executor, "z", &in) == -1);
    CHECK(TVMGraphExecutor_SetInput(executor, "x", &in) == 0);
    x[1999] = 3.0f;
    CHECK(TVMGraphExecutor_Run(executor) == 0);
    CHECK(TVMGraphExecutor_GetOutput(executor, 0, &out) == 0 && y[1999] == 6.0f);
    CHECK(TVMGraphExecutor_GetOutput(executor, -1, &out) == -1);
    CHECK(TVMGraphExecutor_LoadParams(executor, "none", 4u) == -1);
    TVMAPISetLastError("mine");
    CHECK(strcmp(TVMGetLastError(), "mine") == 0);
    CHECK(TVMGraphExecutor_Release(&executor) == 0 && executor == NULL && allocated == 0);
    CHECK(TVMGraphExecutor_Release(&executor) == 0);
}

/* Registries of packed functions, their calls and errors. */
#include "check.h"

#include "s2s_packed.h"

#include <string.h>

static int holders = 0;

static int add(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
{
    int64_t sum = *(const int64_t *)resource;

    for (int i = 0; i < num_args; ++i) {
        if (type_codes[i] != S2S_ARG_INT) {
            s2s_set_last_error("add: integers only");
            return -1;
        }
        sum += args[i].v_int64;
    }
    ret->v_int64 = sum;
    *ret_code = S2S_ARG_INT;
    return 0;
}

static void count_holders(s2s_function *function, int by)
{
    (void)function;
    holders += by;
}

static s2s_function *find_other(void *self, const char *name)
{
    return strcmp(name, "elsewhere") == 0 ? self : NULL;
}

static void test_names(void)
{
    static int64_t start = 5;
    const s2s_function five = {add, &start, count_holders}, none = {NULL, NULL, NULL};
    s2s_function other = {add, &start, NULL};
    s2s_named_function rows[2];
    s2s_registry registry;

    CHECK_STATUS(S2S_ERR_NULL, s2s_registry_init(NULL, rows, 2u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_registry_init(&registry, NULL, 1u));
    CHECK_STATUS(S2S_OK, s2s_registry_init(&registry, rows, 2u));
    CHECK_STATUS(S2S_ERR_NULL, s2s_registry_add(&registry, "none", none, false));
    CHECK_STATUS(S2S_ERR_NULL, s2s_registry_add(&registry, NULL, five, false));
    CHECK_STATUS(S2S_OK, s2s_registry_add(&registry, "first", five, false));
    CHECK_STATUS(S2S_ERR_NAME, s2s_registry_add(&registry, "first", five, false));
    CHECK(holders == 0);
    CHECK_STATUS(S2S_OK, s2s_registry_add(&registry, "first", five, true));
    CHECK(holders == -1);
    CHECK_STATUS(S2S_OK, s2s_registry_add(&registry, "second", other, false));
    CHECK_STATUS(S2S_ERR_SLOTS, s2s_registry_add(&registry, "third", five, false));
    CHECK(s2s_registry_find(&registry, "second") == &rows[1].function);
    CHECK(s2s_registry_find(&registry, "third") == NULL);
    CHECK(s2s_registry_find(&registry, NULL) == NULL);
    registry.other = find_other;
    registry.self = &other;
    CHECK(s2s_registry_find(&registry, "elsewhere") == &other);
    CHECK_STATUS(S2S_ERR_NAME, s2s_registry_remove(&registry, "third"));
    CHECK_STATUS(S2S_ERR_NULL, s2s_registry_remove(&registry, NULL));
    CHECK_STATUS(S2S_OK, s2s_registry_remove(&registry, "first"));
    CHECK(holders == -2);
    CHECK(s2s_registry_find(&registry, "first") == NULL && s2s_registry_find(&registry, "second") != NULL);
}

static void test_calls(void)
{
    static int64_t start = 5;
    s2s_function five = {add, &start, count_holders};
    s2s_value args[2], ret;
    int codes[2] = {S2S_ARG_INT, S2S_ARG_INT}, ret_code = S2S_ARG_TEXT;

    args[0].v_int64 = 1;
    args[1].v_int64 = 2;
    CHECK(s2s_function_call(&five, args, codes, 2, &ret, &ret_code) == 0);
    CHECK(ret_code == S2S_ARG_INT && ret.v_int64 == 8);
    codes[1] = S2S_ARG_FLOAT;
    CHECK(s2s_function_call(&five, args, codes, 2, &ret, &ret_code) == -1);
    CHECK(ret_code == S2S_ARG_NULL && strcmp(s2s_get_last_error(), "add: integers only") == 0);
    CHECK(s2s_function_call(NULL, args, codes, 2, &ret, &ret_code) == -1);
    holders = 0;
    s2s_function_hold(&five);
    s2s_function_hold(NULL);
    CHECK(holders == 1);
    s2s_function_release(&five);
    s2s_function_release(NULL);
    CHECK(holders == 0);
}

static void delete_managed(s2s_managed *self)
{
    *(int *)self->context += 1;
}

static void test_returned_values_are_released(void)
{
    static int64_t start = 0;
    int deleted = 0;
    s2s_function function = {add, &start, count_holders};
    s2s_managed managed = {.context = &deleted, .deleter = delete_managed};
    s2s_value value;

    holders = 0;
    value.v_handle = &function;
    s2s_value_release(&value, S2S_ARG_FUNCTION);
    s2s_value_release(&value, S2S_ARG_HANDLE);
    CHECK(holders == -1);
    value.v_handle = &managed;
    s2s_value_release(&value, S2S_ARG_MANAGED);
    s2s_value_release(&value, S2S_ARG_TENSOR);
    CHECK(deleted == 1);
    value.v_handle = NULL;
    s2s_value_release(&value, S2S_ARG_FUNCTION);
    s2s_value_release(&value, S2S_ARG_MANAGED);
}

/* Writes the doubled elements of its input; fails for negative ones, and returns a value for those above 100. */
static int twice(s2s_value *args, int *type_codes, int num_args, s2s_value *ret, int *ret_code, void *resource)
{
    const float x = *(const float *)((const s2s_tensor *)args[0].v_handle)->data;

    (void)resource;
    CHECK(num_args == 2 && type_codes[0] == S2S_ARG_TENSOR && type_codes[1] == S2S_ARG_TENSOR);
    *(float *)((const s2s_tensor *)args[1].v_handle)->data = 2.0f * x;
    if (x < 0.0f) {
        s2s_set_last_error("twice: negative");
        return -1;
    }
    if (x > 100.0f) {
        ret->v_int64 = 1;
        *ret_code = S2S_ARG_INT;
    }
    return 0;
}

/* What a kernel makes of x by a packed function. */
static float called(const char *name, s2s_packed_call linked, float x)
{
    float y = 7.0f;
    s2s_value args[2];
    int codes[2];
    s2s_tensor tensors[] = {
        {&x, {S2S_DEVICE_CPU, 0}, 0, {S2S_DTYPE_FLOAT, 32u, 1u}, NULL, NULL, 0u},
        {&y, {S2S_DEVICE_CPU, 0}, 0, {S2S_DTYPE_FLOAT, 32u, 1u}, NULL, NULL, 0u},
    };

    s2s_kernel_call(name, linked, tensors, 1, 2, 2, args, codes);
    return y;
}

static void test_calls_of_kernels(void)
{
    s2s_registry *const before = s2s_global_registry();
    s2s_named_function rows[1];
    s2s_registry registry;

    CHECK(called("twice", twice, 3.0f) == 6.0f);
    CHECK_STATUS(S2S_OK, s2s_kernel_status());
    s2s_set_global_registry(NULL);
    CHECK(called("twice", NULL, 3.0f) == 0.0f);
    CHECK_STATUS(S2S_ERR_FUNCTION, s2s_kernel_status());
    CHECK(strncmp(s2s_get_last_error(), "packed function twice is in no registry: ", 41) == 0);
    s2s_registry_init(&registry, rows, 1);
    s2s_registry_add(&registry, "twice", (s2s_function){twice, NULL, NULL}, false);
    s2s_set_global_registry(&registry);
    CHECK(called("twice", NULL, 4.0f) == 8.0f);
    CHECK(called("twice", NULL, -4.0f) == 0.0f);
    CHECK(called("twice", NULL, 4.0f) == 0.0f); /* left out after a failure */
    CHECK_STATUS(S2S_ERR_FUNCTION, s2s_kernel_status());
    CHECK(strcmp(s2s_get_last_error(), "twice: negative") == 0);
    CHECK(called("twice", NULL, 4.0f) == 8.0f);
    CHECK_STATUS(S2S_OK, s2s_kernel_status());
    CHECK(called("twice", NULL, 101.0f) == 0.0f);
    CHECK_STATUS(S2S_ERR_FUNCTION, s2s_kernel_status());
    CHECK(strstr(s2s_get_last_error(), "twice returned a value") != NULL);
    s2s_set_global_registry(before);
}

static void test_errors(void)
{
    static char text[5000];

    s2s_set_last_error(NULL);
    CHECK(strcmp(s2s_get_last_error(), "") == 0);
    memset(text, 'x', sizeof text - 1u);
    s2s_set_last_error(text);
    CHECK(strlen(s2s_get_last_error()) < sizeof text && s2s_get_last_error()[0] == 'x');
}

void test_packed(void)
{
    test_names();
    test_calls();
    test_returned_values_are_released();
    test_calls_of_kernels();
    test_errors();
}

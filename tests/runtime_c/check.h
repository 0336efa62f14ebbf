/* check.h: the few assertions that the tests of the runtime need. A failure is printed and counted; the test goes on. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

/* Defined in main.c. */
extern int check_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            ++check_failures;                                                                                          \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                             \
        }                                                                                                              \
    } while (0)

#define CHECK_STATUS(expected, call)                                                                                   \
    do {                                                                                                               \
        const s2s_status got_ = (call);                                                                                \
        if (got_ != (expected)) {                                                                                      \
            ++check_failures;                                                                                          \
            printf("%s:%d: %s: expected %s, got %d (%s)\n", __FILE__, __LINE__, #call, #expected, (int)got_,           \
                   s2s_status_phrase(got_));                                                                           \
        }                                                                                                              \
    } while (0)

/* One group of tests for each file. */
void test_status(void);
void test_tensor(void);
void test_executor(void);
void test_graph_check(void);
void test_sizes(void);
void test_states(void);
void test_math(void);
void test_integer(void);
void test_half(void);
void test_half_machine(void);
void test_quantize(void);
void test_select(void);
void test_row_order(void);
void test_fft(void);
void test_fixed_dft(void);
void test_selection(void);
void test_regions(void);
void test_determinant(void);
void test_window(void);
void test_pairs(void);
void test_round(void);
void test_dsp(void);
void test_simd(void);
void test_simd_bytes(void);
void test_simd_half(void);
void test_strips(void);
void test_cast_runs(void);
void test_cache_read(void);
void test_windows(void);
void test_pool(void);
void test_pack(void);
void test_packed(void);
void test_program(void);
void test_sampler(void);
void test_serial(void);
void test_tokenizer(void);
void test_tvm(void);
void test_library(void);

#endif

/* Runs all tests of the runtime; the exit code is 0 if none failed. */
#include "check.h"

int check_failures = 0;

int main(void)
{
    test_status();
    test_tensor();
    test_executor();
    test_graph_check();
    test_sizes();
    test_states();
    test_math();
    test_integer();
    test_half();
    test_half_machine();
    test_quantize();
    test_select();
    test_row_order();
    test_fft();
    test_fixed_dft();
    test_selection();
    test_regions();
    test_determinant();
    test_window();
    test_pairs();
    test_round();
    test_dsp();
    test_simd();
    test_simd_bytes();
    test_simd_half();
    test_strips();
    test_cast_runs();
    test_cache_read();
    test_windows();
    test_pool();
    test_pack();
    test_packed();
    test_program();
    test_sampler();
    test_serial();
    test_tokenizer();
    test_tvm();
    test_library();
    printf("%d failed\n", check_failures);
    return check_failures == 0 ? 0 : 1;
}

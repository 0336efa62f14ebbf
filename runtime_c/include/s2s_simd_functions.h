/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_simd_functions.h: functions of <math.h> on the vectors of s2s_simd.h.
 *
 * Functions, with V = s2s_f32x16 and so on, and their largest error, in units of the last place, over all floats
 * (tests/runtime_c/ulp/ulp.c measures it); more functions: s2s_simd_trigonometry.h:
 *
 *   V_exp 1.20   V_log 0.85   V_tanh 2.80   V_erf 1.48   V_sin 2.50   V_cos 2.50
 *   V_exp_plus_one 1.50 (1 + e^a)
 *   V_exp_nonpositive 1.20 (e^a for a <= 0; 0 instead of subnormal numbers), where the result is a normal number
 *   V_round_quotient(a, b)              a / b, rounded to even; for the same b again and again
 *
 * Results may be subnormal, infinite or NaN where those of <math.h> are; errno and the exception flags stay alone.
 *
 * Method: the argument is reduced to a short interval around 0, where a polynomial does the rest. Coefficients are
 * minimax fits of the relative error, rounded to float. All functions are pure. */
#ifndef S2S_SIMD_FUNCTIONS_H
#define S2S_SIMD_FUNCTIONS_H

#include "s2s_config.h"
#include "s2s_simd.h"

#include <math.h>
#include <stdint.h>

#define S2S_LANES 4
#include "s2s_simd_functions_lanes.h"
#undef S2S_LANES

#define S2S_LANES 8
#include "s2s_simd_functions_lanes.h"
#undef S2S_LANES

#define S2S_LANES 16
#include "s2s_simd_functions_lanes.h"
#undef S2S_LANES

#endif

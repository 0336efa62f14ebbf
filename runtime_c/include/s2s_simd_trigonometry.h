/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_simd_trigonometry.h: the tangent, inverse trigonometric and hyperbolic functions of <math.h> on the vectors of
 * s2s_simd.h.
 *
 * Functions, with V = s2s_f32x16 and so on, and their largest error, in units of the last place, over all floats
 * (tests/runtime_c/ulp/ulp.c measures it):
 *
 *   V_tan 3.50   V_asin 1.60   V_acos 1.30   V_atan 1.70
 *   V_sinh 1.80   V_cosh 1.80   V_asinh 2.50   V_acosh 2.00   V_atanh 2.00
 *
 * Zeros keep their sign, and infinities and NaN give what they give in <math.h>, as arguments out of range do.
 *
 * Method: short intervals around 0 have a polynomial, others are moved there, or are left to V_exp and V_log.
 * Coefficients are minimax fits of the relative error, rounded to float. All functions are pure. */
#ifndef S2S_SIMD_TRIGONOMETRY_H
#define S2S_SIMD_TRIGONOMETRY_H

#include "s2s_config.h"
#include "s2s_simd.h"
#include "s2s_simd_functions.h"

#include <math.h>

#define S2S_LANES 4
#include "s2s_simd_trigonometry_lanes.h"
#undef S2S_LANES

#define S2S_LANES 8
#include "s2s_simd_trigonometry_lanes.h"
#undef S2S_LANES

#define S2S_LANES 16
#include "s2s_simd_trigonometry_lanes.h"
#undef S2S_LANES

#endif

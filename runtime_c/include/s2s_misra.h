/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_misra.h: settings of the runtime for trees of the profile misra, which include it first.
 * Define one of these macros yourself to take the default back, as a deviation of your project. */
#ifndef S2S_MISRA_H
#define S2S_MISRA_H

/* Rule 8.14: no restrict. Compilers then reload what a store might have changed. */
#ifndef S2S_RESTRICT
#define S2S_RESTRICT
#endif

/* Rule 10.1: no right shift of a signed number. */
#ifndef S2S_PORTABLE_SHIFTS
#define S2S_PORTABLE_SHIFTS 1
#endif

/* Rules 20.7 and 20.10: no pragma from a macro. */
#ifndef S2S_UNROLL
#define S2S_UNROLL(times)
#endif

#endif

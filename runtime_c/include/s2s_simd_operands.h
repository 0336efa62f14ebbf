/* SPDX-License-Identifier: Apache-2.0 */
/* As many vectors as lanes, as the parameters a0, a1, ... of a function and as its arguments. Those who include it take
 * both definitions back. */

#if S2S_LANES == 16
#define S2S_VECTORS(V)                                                                                                 \
    V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7, V a8, V a9, V a10, V a11, V a12, V a13, V a14, V a15
#define S2S_ALL_VECTORS a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15
#elif S2S_LANES == 8
#define S2S_VECTORS(V) V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7
#define S2S_ALL_VECTORS a0, a1, a2, a3, a4, a5, a6, a7
#else
#define S2S_VECTORS(V) V a0, V a1, V a2, V a3
#define S2S_ALL_VECTORS a0, a1, a2, a3
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_config.h: the settings of the s2s runtime, which a project may change.
 *
 * Every macro here can be given on the command line (-DS2S_INLINE=...) or by a file of your own that is included first:
 * -DS2S_USER_CONFIG='"my_s2s_config.h"'. Nothing else in the runtime reads the environment. */
#ifndef S2S_CONFIG_H
#define S2S_CONFIG_H

/* The version of these headers, 10000 * major + 100 * minor + patch of the first release that has them: networks check
 * it. */
#define S2S_RUNTIME_VERSION 100

#ifdef S2S_USER_CONFIG
#include S2S_USER_CONFIG
#endif

/* What the run function of a network that is cut into steps does between two of them, such as to kick a watchdog. */
#ifndef S2S_BETWEEN_STEPS
#define S2S_BETWEEN_STEPS() ((void)0)
#endif

/* Functions defined in headers. */
#ifndef S2S_INLINE
#define S2S_INLINE static inline
#endif

/* Functions of the runtime that are defined in a .c file: where several trees bring that file, the linker takes one of
 * them. Compilers without weak symbols want the files of one tree only. */
#ifndef S2S_MERGED
#if defined(__GNUC__) && !defined(_WIN32)
#define S2S_MERGED __attribute__((weak))
#else
#define S2S_MERGED
#endif
#endif

/* Vector functions: inlined even where the optimiser would not, so that no vector is ever passed through a call. In
 * plain C99 they pass structures of arrays, which may be; there, forcing it makes gcc compile for minutes. */
#ifndef S2S_ALWAYS_INLINE
#if !defined(S2S_SIMD_PORTABLE) && (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9))
#define S2S_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define S2S_ALWAYS_INLINE static inline
#endif
#endif

/* Functions defined in headers that are long enough to be called. */
#ifndef S2S_OUTLINE
#if defined(__GNUC__)
#define S2S_OUTLINE static __attribute__((noinline, unused))
#else
#define S2S_OUTLINE static inline
#endif
#endif

/* The same, in one copy: gcc would make one for each constant argument, and unroll its loops. */
#ifndef S2S_OUTLINE_ONCE
#if defined(__GNUC__) && !defined(__clang__)
#define S2S_OUTLINE_ONCE static __attribute__((noinline, noclone, unused))
#else
#define S2S_OUTLINE_ONCE S2S_OUTLINE
#endif
#endif

/* C99 restrict, for headers that C++ includes. */
#ifndef S2S_RESTRICT
#if defined(__GNUC__)
#define S2S_RESTRICT __restrict__
#elif defined(__cplusplus)
#define S2S_RESTRICT
#else
#define S2S_RESTRICT restrict
#endif
#endif

/* Before a loop whose iterations read nothing that others write: gcc loses `restrict` where it inlines. */
#ifndef S2S_APART
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 5
#define S2S_APART _Pragma("GCC ivdep")
#else
#define S2S_APART
#endif
#endif

/* Alignment of a variable in bytes, a power of two. Compilers without such an attribute get none: give an arena that
 * the linker script aligns; the run function reports S2S_ERR_ALIGN otherwise. */
#ifndef S2S_ALIGNED
#if defined(__GNUC__)
#define S2S_ALIGNED(bytes) __attribute__((aligned(bytes)))
#elif defined(_MSC_VER)
#define S2S_ALIGNED(bytes) __declspec(align(bytes))
#else
#define S2S_ALIGNED(bytes)
#endif
#endif

/* Before a for statement: how often its body should stand in the code. Compilers without such a hint lose speed. */
#ifndef S2S_UNROLL
#define S2S_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define S2S_UNROLL(times) S2S_PRAGMA(clang loop unroll_count(times))
#elif defined(__GNUC__) && __GNUC__ >= 8
#define S2S_UNROLL(times) S2S_PRAGMA(GCC unroll times)
#else
#define S2S_UNROLL(times)
#endif
#endif

/* A hint that memory at p will be read soon: from the second cache on, or from the first one. Nothing where a compiler
 * knows no such hint. */
#ifndef S2S_PREFETCH
#if defined(__GNUC__)
#define S2S_PREFETCH(p) __builtin_prefetch((p), 0, 2)
#define S2S_PREFETCH_NEAR(p) __builtin_prefetch((p), 0, 3)
#else
#define S2S_PREFETCH(p) ((void)(p))
#define S2S_PREFETCH_NEAR(p) ((void)(p))
#endif
#endif

/* S2S_PORTABLE_SHIFTS: define it where a right shift of a negative number does not copy the sign (C leaves it to the
 * compiler), or where a coding standard forbids to rely on it; costs a few instructions each.
 * S2S_SIMD_PORTABLE: define it to get the plain C99 form of s2s_simd.h on every compiler.
 * S2S_DSP_PORTABLE: define it to get the plain C99 form of s2s_dsp.h on every compiler.
 * S2S_HALF_PORTABLE: define it to get the conversions of s2s_half.h in integer arithmetic on every compiler.
 * S2S_NO_PHRASES: define it to leave the text of s2s_status_phrase out of the program. */

#endif

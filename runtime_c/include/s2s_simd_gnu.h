/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types and arithmetic by GNU vector extensions (GCC, clang); included by s2s_simd_lanes.h for each width. */

/* The mask of all lanes for builtins of AVX-512, and the type of masks, in which compilers differ. */
#ifndef S2S_ALL_LANES
#ifdef __clang__
#define S2S_ALL_LANES 0xFFFF
#define S2S_SOME_LANES uint16_t
#else
#define S2S_ALL_LANES (-1)
#define S2S_SOME_LANES int16_t
#endif
#endif

typedef float S2S_F32V __attribute__((vector_size(S2S_LANES * 4)));
typedef int32_t S2S_I32V __attribute__((vector_size(S2S_LANES * 4)));
typedef uint32_t S2S_SIMD_JOIN(s2s_u32x, S2S_LANES, ) __attribute__((vector_size(S2S_LANES * 4)));

#define S2S_LANE(a, i) (a)[i]
#define S2S_U32V S2S_SIMD_JOIN(s2s_u32x, S2S_LANES, )

/* Initialisers: x for every lane; the lanes of a from number i on for a vector of half the lanes. */
#if S2S_LANES == 16
#define S2S_REPEAT(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
#define S2S_FROM_LANE(a, i) a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5], a[i + 6], a[i + 7]
#elif S2S_LANES == 8
#define S2S_REPEAT(x) x, x, x, x, x, x, x, x
#define S2S_FROM_LANE(a, i) a[i], a[i + 1], a[i + 2], a[i + 3]
#else
#define S2S_REPEAT(x) x, x, x, x
#endif

/* AVX-512, and AVX of shorter vectors, reads and writes some lanes in one instruction. */
#if S2S_LANES == 16 && defined(__AVX512F__)
#define S2S_HAS_PARTS
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_part)(const float *p, int32_t n)
{
    const S2S_F32V zero = {S2S_REPEAT(0.0f)};

    return __builtin_ia32_loadups512_mask(p, zero, (uint16_t)((1u << n) - 1u));
}

S2S_ALWAYS_INLINE void S2S_F32(store_part)(float *p, int32_t n, S2S_F32V a)
{
    __builtin_ia32_storeups512_mask(p, a, (uint16_t)((1u << n) - 1u));
}
#elif S2S_LANES <= 8 && defined(__AVX__)
#define S2S_HAS_PARTS
#if S2S_LANES == 8
#define S2S_FIRST(n) ((S2S_I32V){0, 1, 2, 3, 4, 5, 6, 7} < (n))
#define S2S_PART(name) __builtin_ia32_mask##name##ps256
#else
#define S2S_FIRST(n) ((S2S_I32V){0, 1, 2, 3} < (n))
#define S2S_PART(name) __builtin_ia32_mask##name##ps
#endif
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_part)(const float *p, int32_t n)
{
    return S2S_PART(load)((const S2S_F32V *)(const void *)p, S2S_FIRST(n));
}

S2S_ALWAYS_INLINE void S2S_F32(store_part)(float *p, int32_t n, S2S_F32V a)
{
    S2S_PART(store)((S2S_F32V *)(void *)p, S2S_FIRST(n), a);
}
#undef S2S_FIRST
#undef S2S_PART
#endif

#define S2S_V S2S_F32V
#define S2S_ELEMENT float
#define S2S_FN S2S_F32
#include "s2s_simd_memory.h"
#undef S2S_HAS_PARTS

#define S2S_V S2S_I32V
#define S2S_ELEMENT int32_t
#define S2S_FN S2S_I32
#include "s2s_simd_memory.h"

/* The function decides how fast this is: compilers turn sqrtf into one instruction where -fno-math-errno lets them. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(map)(float (*f)(float), S2S_F32V a)
{
    S2S_EACH_LANE(i) { S2S_LANE(a, i) = f(S2S_LANE(a, i)); }
    return a;
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(sqrt)(S2S_F32V a)
{
    S2S_EACH_LANE(i) { S2S_LANE(a, i) = sqrtf(S2S_LANE(a, i)); }
    return a;
}

/* Half the lanes of a, the lower or the upper ones. */
#ifdef S2S_HALF
S2S_ALWAYS_INLINE S2S_F32H S2S_F32(low)(S2S_F32V a)
{
    const S2S_F32H half = {S2S_FROM_LANE(a, 0)};

    return half;
}

S2S_ALWAYS_INLINE S2S_F32H S2S_F32(high)(S2S_F32V a)
{
    const S2S_F32H half = {S2S_FROM_LANE(a, S2S_HALF)};

    return half;
}

S2S_ALWAYS_INLINE S2S_I32H S2S_I32(low)(S2S_I32V a)
{
    const S2S_I32H half = {S2S_FROM_LANE(a, 0)};

    return half;
}

S2S_ALWAYS_INLINE S2S_I32H S2S_I32(high)(S2S_I32V a)
{
    const S2S_I32H half = {S2S_FROM_LANE(a, S2S_HALF)};

    return half;
}
#endif

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(splat)(float x)
{
    const S2S_F32V r = {S2S_REPEAT(x)};

    return r;
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(splat)(int32_t x)
{
    const S2S_I32V r = {S2S_REPEAT(x)};

    return r;
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(zero)(void) { return S2S_F32(splat)(0.0f); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(zero)(void) { return S2S_I32(splat)(0); }

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(select)(S2S_I32V m, S2S_F32V a, S2S_F32V b)
{
    return (S2S_F32V)((m & (S2S_I32V)a) | (~m & (S2S_I32V)b));
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(add)(S2S_F32V a, S2S_F32V b) { return a + b; }
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(sub)(S2S_F32V a, S2S_F32V b) { return a - b; }
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(mul)(S2S_F32V a, S2S_F32V b) { return a * b; }
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(div)(S2S_F32V a, S2S_F32V b) { return a / b; }
#if defined(S2S_SIMD_MVE) && S2S_LANES == 4
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(fma)(S2S_F32V a, S2S_F32V b, S2S_F32V c)
{
    return (S2S_F32V)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
#else
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(fma)(S2S_F32V a, S2S_F32V b, S2S_F32V c) { return a * b + c; }
#endif
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(neg)(S2S_F32V a) { return -a; }
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(abs)(S2S_F32V a) { return (S2S_F32V)((S2S_I32V)a & INT32_MAX); }

/* NaN wherever either is, and either of two zeros. The instructions of x86 give their second operand wherever one is NaN;
 * no expression of the vector extension becomes one of them. A constant a is no NaN, so that this is all. Else NaN of b
 * is put in: what is loaded is b, what is accumulated is a, and waits for one instruction only. */
#if S2S_LANES == 4 && defined(__SSE__)
#define S2S_LESSER(a, b) __builtin_ia32_minps(a, b)
#define S2S_GREATER(a, b) __builtin_ia32_maxps(a, b)
#elif S2S_LANES == 8 && defined(__AVX__)
#define S2S_LESSER(a, b) __builtin_ia32_minps256(a, b)
#define S2S_GREATER(a, b) __builtin_ia32_maxps256(a, b)
#elif S2S_LANES == 16 && defined(__AVX512F__)
#ifdef __clang__
#define S2S_LESSER(a, b) __builtin_ia32_minps512(a, b, 4)
#define S2S_GREATER(a, b) __builtin_ia32_maxps512(a, b, 4)
#else
#define S2S_LESSER(a, b) __builtin_ia32_minps512_mask(a, b, a, -1, 4)
#define S2S_GREATER(a, b) __builtin_ia32_maxps512_mask(a, b, a, -1, 4)
#define S2S_NUMBERS(b) ((int16_t)__builtin_ia32_cmpps512_mask(b, b, 7, 0xFFFF, 4))
#define S2S_LESSER_NUMBER(a, b) __builtin_ia32_minps512_mask(b, a, b, S2S_NUMBERS(b), 4)
#define S2S_GREATER_NUMBER(a, b) __builtin_ia32_maxps512_mask(b, a, b, S2S_NUMBERS(b), 4)
#endif
#else
#define S2S_LESSER(a, b) S2S_F32(select)((a) < (b), a, b)
#define S2S_GREATER(a, b) S2S_F32(select)((a) > (b), a, b)
#endif
#ifndef S2S_LESSER_NUMBER
#define S2S_LESSER_NUMBER(a, b) ((S2S_F32V)((S2S_I32V)S2S_LESSER(b, a) | (S2S_I32V)((b) != (b))))
#define S2S_GREATER_NUMBER(a, b) ((S2S_F32V)((S2S_I32V)S2S_GREATER(b, a) | (S2S_I32V)((b) != (b))))
#endif
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(min)(S2S_F32V a, S2S_F32V b)
{
    if (__builtin_constant_p(S2S_LANE((S2S_I32V)a, 0))) {
        return S2S_F32(select)(a != a, a, S2S_LESSER(a, b));
    }
    return S2S_LESSER_NUMBER(a, b);
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(max)(S2S_F32V a, S2S_F32V b)
{
    if (__builtin_constant_p(S2S_LANE((S2S_I32V)a, 0))) {
        return S2S_F32(select)(a != a, a, S2S_GREATER(a, b));
    }
    return S2S_GREATER_NUMBER(a, b);
}

#undef S2S_LESSER
#undef S2S_GREATER
#undef S2S_NUMBERS
#undef S2S_LESSER_NUMBER
#undef S2S_GREATER_NUMBER

S2S_ALWAYS_INLINE S2S_I32V S2S_F32(equal)(S2S_F32V a, S2S_F32V b) { return a == b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_F32(not_equal)(S2S_F32V a, S2S_F32V b) { return a != b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_F32(less)(S2S_F32V a, S2S_F32V b) { return a < b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_F32(less_equal)(S2S_F32V a, S2S_F32V b) { return a <= b; }

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(select)(S2S_I32V m, S2S_I32V a, S2S_I32V b) { return (m & a) | (~m & b); }

#if defined(S2S_SIMD_MVE) && S2S_LANES == 4
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(from_i32)(S2S_I32V a) { return (S2S_F32V)vcvtq_f32_s32((int32x4_t)a); }
#else
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(from_i32)(S2S_I32V a) { return __builtin_convertvector(a, S2S_F32V); }
#endif

/* The instructions of x86 give INT32_MIN for what is out of range: its bits are turned round above, and cleared for NaN.
 * Elsewhere 0 is converted where the conversion would be undefined, then the limit is put there. */
#if S2S_LANES == 4 && defined(__SSE2__)
#define S2S_TRUNCATED(a) __builtin_ia32_cvttps2dq(a)
#elif S2S_LANES == 8 && defined(__AVX__)
#define S2S_TRUNCATED(a) __builtin_ia32_cvttps2dq256(a)
#elif S2S_LANES == 16 && defined(__AVX512F__)
#define S2S_TRUNCATED(a) __builtin_ia32_cvttps2dq512_mask(a, S2S_I32(zero)(), S2S_ALL_LANES, 4)
#endif
S2S_ALWAYS_INLINE S2S_I32V S2S_F32(to_i32)(S2S_F32V a)
{
    const S2S_I32V too_high = a >= S2S_F32(splat)(2147483648.0f);
#ifdef S2S_TRUNCATED
    return ((S2S_I32V)S2S_TRUNCATED(a) ^ too_high) & (a == a);
#else
    const S2S_I32V too_low = a < S2S_F32(splat)(-2147483648.0f);
    const S2S_I32V bad = too_low | too_high | (a != a);
    const S2S_F32V inside = S2S_F32(select)(bad, S2S_F32(zero)(), a);

    return __builtin_convertvector(inside, S2S_I32V) | (too_low & INT32_MIN) | (too_high & INT32_MAX);
#endif
}
#undef S2S_TRUNCATED

#if defined(S2S_SIMD_MVE) && S2S_LANES == 4
/* GCC adds in the order of calls; it would reorder sums of operators, and then spill the products. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add)(S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)vaddq_s32((int32x4_t)a, (int32x4_t)b);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(sub)(S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)vsubq_s32((int32x4_t)a, (int32x4_t)b);
}
#else
/* Unsigned, as they wrap by definition. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add)(S2S_I32V a, S2S_I32V b) { return (S2S_I32V)((S2S_U32V)a + (S2S_U32V)b); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(sub)(S2S_I32V a, S2S_I32V b) { return (S2S_I32V)((S2S_U32V)a - (S2S_U32V)b); }
#endif
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(mul)(S2S_I32V a, S2S_I32V b) { return (S2S_I32V)((S2S_U32V)a * (S2S_U32V)b); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(neg)(S2S_I32V a) { return (S2S_I32V)(-(S2S_U32V)a); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(abs)(S2S_I32V a) { return S2S_I32(select)(a < 0, S2S_I32(neg)(a), a); }

/* clang makes one instruction of the expression, gcc does not. */
#if S2S_LANES == 4 && defined(__SSE4_1__) && !defined(__clang__)
#define S2S_LESSER(a, b) __builtin_ia32_pminsd128(a, b)
#define S2S_GREATER(a, b) __builtin_ia32_pmaxsd128(a, b)
#elif S2S_LANES == 8 && defined(__AVX2__) && !defined(__clang__)
#define S2S_LESSER(a, b) __builtin_ia32_pminsd256(a, b)
#define S2S_GREATER(a, b) __builtin_ia32_pmaxsd256(a, b)
#else
#define S2S_LESSER(a, b) S2S_I32(select)((a) < (b), a, b)
#define S2S_GREATER(a, b) S2S_I32(select)((a) > (b), a, b)
#endif
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(min)(S2S_I32V a, S2S_I32V b) { return S2S_LESSER(a, b); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(max)(S2S_I32V a, S2S_I32V b) { return S2S_GREATER(a, b); }
#undef S2S_LESSER
#undef S2S_GREATER

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(bit_and)(S2S_I32V a, S2S_I32V b) { return a & b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(bit_or)(S2S_I32V a, S2S_I32V b) { return a | b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(bit_xor)(S2S_I32V a, S2S_I32V b) { return a ^ b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(bit_not)(S2S_I32V a) { return ~a; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(shift_left)(S2S_I32V a, int count) { return (S2S_I32V)((S2S_U32V)a << count); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(shift_right)(S2S_I32V a, int count) { return a >> count; }

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(equal)(S2S_I32V a, S2S_I32V b) { return a == b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(not_equal)(S2S_I32V a, S2S_I32V b) { return a != b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(less)(S2S_I32V a, S2S_I32V b) { return a < b; }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(less_equal)(S2S_I32V a, S2S_I32V b) { return a <= b; }

#undef S2S_LANE
#undef S2S_U32V
#undef S2S_REPEAT
#undef S2S_FROM_LANE

/* SPDX-License-Identifier: Apache-2.0 */
/* The interleaved stores of vectors S2S_V of S2S_ELEMENT, functions S2S_FN(name); included by s2s_simd_transpose.h for
 * each element type. S2S_FN_HALF(name) are functions of half as many lanes. With S2S_HAS_MASKS, one instruction stores
 * some of the lanes. */

#if defined(S2S_SIMD_GNU) && S2S_LANES <= S2S_SIMD_NATIVE_LANES

/* The first lanes to p; a number of them that is known where the function is called takes a few stores. */
S2S_ALWAYS_INLINE void S2S_FN(put)(S2S_ELEMENT *p, int32_t count, S2S_V a)
{
    if (count >= S2S_LANES) {
        S2S_FN(store)(p, a);
        return;
    }
#if defined(S2S_HALF) && !defined(S2S_HAS_MASKS)
    if (count >= S2S_HALF) {
        S2S_FN_HALF(store)(p, S2S_FN(low)(a));
        S2S_FN_HALF(put)(p + S2S_HALF, count - S2S_HALF, S2S_FN(high)(a));
    } else {
        S2S_FN_HALF(put)(p, count, S2S_FN(low)(a));
    }
#else
    S2S_FN(store_part)(p, count, a);
#endif
}

/* Blocks of d lanes change places: of a pair of vectors d apart, the odd blocks of a with the even ones of b. */
#if S2S_LANES == 16
#define S2S_EACH_AT(at, d)                                                                                             \
    at(0, d), at(1, d), at(2, d), at(3, d), at(4, d), at(5, d), at(6, d), at(7, d), at(8, d), at(9, d), at(10, d),     \
        at(11, d), at(12, d), at(13, d), at(14, d), at(15, d)
#elif S2S_LANES == 8
#define S2S_EACH_AT(at, d) at(0, d), at(1, d), at(2, d), at(3, d), at(4, d), at(5, d), at(6, d), at(7, d)
#else
#define S2S_EACH_AT(at, d) at(0, d), at(1, d), at(2, d), at(3, d)
#endif
#define S2S_OF_FIRST(i, d) ((i) + ((i) & (d)) / (d) * (S2S_LANES - (d)))
#define S2S_OF_SECOND(i, d) (S2S_OF_FIRST(i, d) + (d))

#ifdef __clang__
#define S2S_PICKED(at, d) return __builtin_shufflevector(a, b, S2S_EACH_AT(at, d))
#else
#define S2S_PICKED(at, d)                                                                                              \
    const S2S_I32V lanes = {S2S_EACH_AT(at, d)};                                                                       \
                                                                                                                       \
    return __builtin_shuffle(a, b, lanes)
#endif

#define S2S_EXCHANGE(d)                                                                                                \
    S2S_ALWAYS_INLINE S2S_V S2S_FN(first_##d)(S2S_V a, S2S_V b) { S2S_PICKED(S2S_OF_FIRST, d); }             \
    S2S_ALWAYS_INLINE S2S_V S2S_FN(second_##d)(S2S_V a, S2S_V b) { S2S_PICKED(S2S_OF_SECOND, d); }

S2S_EXCHANGE(1)
S2S_EXCHANGE(2)
#if S2S_LANES >= 8
S2S_EXCHANGE(4)
#endif
#if S2S_LANES >= 16
S2S_EXCHANGE(8)
#endif

#define S2S_TURN(i, k, d)                                                                                              \
    do {                                                                                                               \
        const S2S_V first = S2S_FN(first_##d)(a##i, a##k);                                                         \
                                                                                                                       \
        a##k = S2S_FN(second_##d)(a##i, a##k);                                                                        \
        a##i = first;                                                                                                  \
    } while (0)
#define S2S_TURN_4(a, b, c, e, f, g, h, i, d)                                                                          \
    do {                                                                                                               \
        S2S_TURN(a, b, d);                                                                                             \
        S2S_TURN(c, e, d);                                                                                             \
        S2S_TURN(f, g, d);                                                                                             \
        S2S_TURN(h, i, d);                                                                                             \
    } while (0)
#define S2S_PUT(i)                                                                                                     \
    do {                                                                                                               \
        if (i < lanes) { S2S_FN(put)(p + i * stride, count, a##i); }                                                  \
    } while (0)
#define S2S_PUT_4(i, k, l, m)                                                                                          \
    do {                                                                                                               \
        S2S_PUT(i);                                                                                                    \
        S2S_PUT(k);                                                                                                    \
        S2S_PUT(l);                                                                                                    \
        S2S_PUT(m);                                                                                                    \
    } while (0)

S2S_ALWAYS_INLINE void S2S_FN(store_interleaved)(S2S_ELEMENT *p, ptrdiff_t stride, int32_t lanes, int32_t count,
                                            S2S_VECTORS(S2S_V))
{
#if S2S_LANES == 16
    S2S_TURN_4(0, 8, 1, 9, 2, 10, 3, 11, 8);
    S2S_TURN_4(4, 12, 5, 13, 6, 14, 7, 15, 8);
    S2S_TURN_4(0, 4, 1, 5, 2, 6, 3, 7, 4);
    S2S_TURN_4(8, 12, 9, 13, 10, 14, 11, 15, 4);
    S2S_TURN_4(0, 2, 1, 3, 4, 6, 5, 7, 2);
    S2S_TURN_4(8, 10, 9, 11, 12, 14, 13, 15, 2);
    S2S_TURN_4(0, 1, 2, 3, 4, 5, 6, 7, 1);
    S2S_TURN_4(8, 9, 10, 11, 12, 13, 14, 15, 1);
#elif S2S_LANES == 8
    S2S_TURN_4(0, 4, 1, 5, 2, 6, 3, 7, 4);
    S2S_TURN_4(0, 2, 1, 3, 4, 6, 5, 7, 2);
    S2S_TURN_4(0, 1, 2, 3, 4, 5, 6, 7, 1);
#else
    S2S_TURN(0, 2, 2);
    S2S_TURN(1, 3, 2);
    S2S_TURN(0, 1, 1);
    S2S_TURN(2, 3, 1);
#endif
    S2S_PUT_4(0, 1, 2, 3);
#if S2S_LANES >= 8
    S2S_PUT_4(4, 5, 6, 7);
#endif
#if S2S_LANES >= 16
    S2S_PUT_4(8, 9, 10, 11);
    S2S_PUT_4(12, 13, 14, 15);
#endif
}

/* Lanes of the first and of the second half of a and b, in turn. */
#define S2S_OF_LOW(i, half) ((i) / 2 + ((i) & 1) * S2S_LANES)
#define S2S_OF_HIGH(i, half) (S2S_OF_LOW(i, half) + (half))

S2S_ALWAYS_INLINE S2S_V S2S_FN(woven_low)(S2S_V a, S2S_V b) { S2S_PICKED(S2S_OF_LOW, S2S_LANES / 2); }
S2S_ALWAYS_INLINE S2S_V S2S_FN(woven_high)(S2S_V a, S2S_V b) { S2S_PICKED(S2S_OF_HIGH, S2S_LANES / 2); }

S2S_ALWAYS_INLINE void S2S_FN(store_by_2)(S2S_ELEMENT *p, S2S_V a, S2S_V b)
{
    S2S_FN(store)(p, S2S_FN(woven_low)(a, b));
    S2S_FN(store)(p + S2S_LANES, S2S_FN(woven_high)(a, b));
}

#undef S2S_OF_LOW
#undef S2S_OF_HIGH
#undef S2S_EACH_AT
#undef S2S_OF_FIRST
#undef S2S_OF_SECOND
#undef S2S_PICKED
#undef S2S_EXCHANGE
#undef S2S_TURN
#undef S2S_TURN_4
#undef S2S_PUT
#undef S2S_PUT_4

#else

S2S_ALWAYS_INLINE void S2S_FN(store_interleaved)(S2S_ELEMENT *p, ptrdiff_t stride, int32_t lanes, int32_t count,
                                            S2S_VECTORS(S2S_V))
{
    const S2S_V all[S2S_LANES] = {S2S_ALL_VECTORS};

    for (int32_t k = 0; k < count; ++k) {
        S2S_FN(store_strided_part)(p + k, stride, lanes, all[k]);
    }
}

S2S_ALWAYS_INLINE void S2S_FN(store_by_2)(S2S_ELEMENT *p, S2S_V a, S2S_V b)
{
    S2S_FN(store_strided)(p, 2, a);
    S2S_FN(store_strided)(p + 1, 2, b);
}

#endif

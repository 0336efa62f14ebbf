/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and lane access by S2S_LANE(a, i); included by s2s_simd_gnu.h and s2s_simd_portable.h for each element
 * type: vectors S2S_V of S2S_ELEMENT, functions S2S_FN(name). With S2S_HAS_PARTS, loads and stores of some lanes come
 * from elsewhere. */

S2S_ALWAYS_INLINE S2S_V S2S_FN(load)(const S2S_ELEMENT *p)
{
    S2S_V r;

    (void)memcpy((void *)&r, (const void *)p, sizeof r);
    return r;
}

S2S_ALWAYS_INLINE void S2S_FN(store)(S2S_ELEMENT *p, S2S_V a)
{
    (void)memcpy((void *)p, (const void *)&a, sizeof a);
}

#ifndef S2S_HAS_PARTS
S2S_ALWAYS_INLINE S2S_V S2S_FN(load_part)(const S2S_ELEMENT *p, int32_t n)
{
    S2S_ELEMENT part[S2S_LANES];

    S2S_EACH_LANE(i) { part[i] = i < n ? p[i] : 0; }
    return S2S_FN(load)(part);
}

S2S_ALWAYS_INLINE void S2S_FN(store_part)(S2S_ELEMENT *p, int32_t n, S2S_V a)
{
    S2S_EACH_LANE(i)
    {
        if (i < n) { p[i] = S2S_LANE(a, i); }
    }
}
#endif

#if defined(S2S_SIMD_GNU) && !defined(__clang__) && S2S_LANES <= S2S_SIMD_NATIVE_LANES
#define S2S_EVEN(i) ((i) < S2S_LANES / 2 ? 2 * (i) : (i) < n ? S2S_LANES + 2 * (i) - second : 0)
#define S2S_KEPT(i) ((i) < n ? -1 : 0)

/* n lanes at distance 2, where n is known to the compiler and more than half of the lanes: a choice from two vectors, of
 * which the second ends with the last lane. */
S2S_ALWAYS_INLINE S2S_V S2S_FN(load_even)(const S2S_ELEMENT *p, int32_t n)
{
    typedef int32_t bits __attribute__((vector_size(4 * S2S_LANES)));
    const int32_t second = 2 * n - 1 - S2S_LANES;
#if S2S_LANES == 16
    const bits lanes = {S2S_EVEN(0), S2S_EVEN(1), S2S_EVEN(2),  S2S_EVEN(3),  S2S_EVEN(4),  S2S_EVEN(5),
                        S2S_EVEN(6), S2S_EVEN(7), S2S_EVEN(8),  S2S_EVEN(9),  S2S_EVEN(10), S2S_EVEN(11),
                        S2S_EVEN(12), S2S_EVEN(13), S2S_EVEN(14), S2S_EVEN(15)};
    const bits kept = {S2S_KEPT(0), S2S_KEPT(1), S2S_KEPT(2),  S2S_KEPT(3),  S2S_KEPT(4),  S2S_KEPT(5),
                       S2S_KEPT(6), S2S_KEPT(7), S2S_KEPT(8),  S2S_KEPT(9),  S2S_KEPT(10), S2S_KEPT(11),
                       S2S_KEPT(12), S2S_KEPT(13), S2S_KEPT(14), S2S_KEPT(15)};
#elif S2S_LANES == 8
    const bits lanes = {S2S_EVEN(0), S2S_EVEN(1), S2S_EVEN(2), S2S_EVEN(3),
                        S2S_EVEN(4), S2S_EVEN(5), S2S_EVEN(6), S2S_EVEN(7)};
    const bits kept = {S2S_KEPT(0), S2S_KEPT(1), S2S_KEPT(2), S2S_KEPT(3),
                       S2S_KEPT(4), S2S_KEPT(5), S2S_KEPT(6), S2S_KEPT(7)};
#else
    const bits lanes = {S2S_EVEN(0), S2S_EVEN(1), S2S_EVEN(2), S2S_EVEN(3)};
    const bits kept = {S2S_KEPT(0), S2S_KEPT(1), S2S_KEPT(2), S2S_KEPT(3)};
#endif
    const S2S_V r = __builtin_shuffle(S2S_FN(load)(p), S2S_FN(load)(p + second), lanes);
    const bits first = (bits)r & kept;

    return n < S2S_LANES ? (S2S_V)first : r;
}

#define S2S_LOADS_EVEN(stride, n)                                                                                      \
    (__builtin_constant_p(stride) && __builtin_constant_p(n) && (stride) == 2 && 2 * (n) > S2S_LANES)

/* The same for at most half of the lanes: one load of a part, whose rest is 0. */
#ifdef S2S_HAS_PARTS
#define S2S_FIRST(i) ((i) < n ? 2 * (i) : 2 * n - 1)
S2S_ALWAYS_INLINE S2S_V S2S_FN(load_few_even)(const S2S_ELEMENT *p, int32_t n)
{
    typedef int32_t bits __attribute__((vector_size(4 * S2S_LANES)));
#if S2S_LANES == 16
    const bits lanes = {S2S_FIRST(0), S2S_FIRST(1), S2S_FIRST(2),  S2S_FIRST(3),  S2S_FIRST(4),  S2S_FIRST(5),
                        S2S_FIRST(6), S2S_FIRST(7), S2S_FIRST(8),  S2S_FIRST(9),  S2S_FIRST(10), S2S_FIRST(11),
                        S2S_FIRST(12), S2S_FIRST(13), S2S_FIRST(14), S2S_FIRST(15)};
#elif S2S_LANES == 8
    const bits lanes = {S2S_FIRST(0), S2S_FIRST(1), S2S_FIRST(2), S2S_FIRST(3),
                        S2S_FIRST(4), S2S_FIRST(5), S2S_FIRST(6), S2S_FIRST(7)};
#else
    const bits lanes = {S2S_FIRST(0), S2S_FIRST(1), S2S_FIRST(2), S2S_FIRST(3)};
#endif

    return __builtin_shuffle(S2S_FN(load_part)(p, 2 * n - 1), lanes);
}

#define S2S_LOADS_FEW_EVEN(stride, n)                                                                                  \
    (__builtin_constant_p(stride) && __builtin_constant_p(n) && (stride) == 2 && (n) > 0 && 2 * (n) <= S2S_LANES)
#undef S2S_FIRST
#endif
#undef S2S_EVEN
#undef S2S_KEPT
#endif

S2S_ALWAYS_INLINE S2S_V S2S_FN(load_strided)(const S2S_ELEMENT *p, ptrdiff_t stride)
{
    S2S_ELEMENT part[S2S_LANES];

#ifdef S2S_LOADS_EVEN
    if (S2S_LOADS_EVEN(stride, S2S_LANES)) { return S2S_FN(load_even)(p, S2S_LANES); }
#endif
    S2S_EACH_LANE(i) { part[i] = p[i * stride]; }
    return S2S_FN(load)(part);
}

S2S_ALWAYS_INLINE void S2S_FN(store_strided)(S2S_ELEMENT *p, ptrdiff_t stride, S2S_V a)
{
    S2S_EACH_LANE(i) { p[i * stride] = S2S_LANE(a, i); }
}

S2S_ALWAYS_INLINE S2S_V S2S_FN(load_strided_part)(const S2S_ELEMENT *p, ptrdiff_t stride, int32_t n)
{
    S2S_ELEMENT part[S2S_LANES];

#ifdef S2S_LOADS_EVEN
    if (S2S_LOADS_EVEN(stride, n)) { return S2S_FN(load_even)(p, n); }
#endif
#ifdef S2S_LOADS_FEW_EVEN
    if (S2S_LOADS_FEW_EVEN(stride, n)) { return S2S_FN(load_few_even)(p, n); }
#endif
    S2S_EACH_LANE(i) { part[i] = i < n ? p[i * stride] : 0; }
    return S2S_FN(load)(part);
}

S2S_ALWAYS_INLINE void S2S_FN(store_strided_part)(S2S_ELEMENT *p, ptrdiff_t stride, int32_t n, S2S_V a)
{
    S2S_EACH_LANE(i)
    {
        if (i < n) { p[i * stride] = S2S_LANE(a, i); }
    }
}

S2S_ALWAYS_INLINE S2S_ELEMENT S2S_FN(lane)(S2S_V a, int i)
{
    return S2S_LANE(a, i);
}

#undef S2S_LOADS_EVEN
#undef S2S_LOADS_FEW_EVEN
#undef S2S_V
#undef S2S_ELEMENT
#undef S2S_FN

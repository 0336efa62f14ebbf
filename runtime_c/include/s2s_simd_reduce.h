/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, products and extremes over the lanes, by halves down to four lanes; included by s2s_simd_lanes.h. */

#ifdef S2S_HALF
S2S_ALWAYS_INLINE float S2S_F32(reduce_add)(S2S_F32V a)
{
    return S2S_F32H_(reduce_add)(S2S_F32H_(add)(S2S_F32(low)(a), S2S_F32(high)(a)));
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_mul)(S2S_F32V a)
{
    return S2S_F32H_(reduce_mul)(S2S_F32H_(mul)(S2S_F32(low)(a), S2S_F32(high)(a)));
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_min)(S2S_F32V a)
{
    return S2S_F32H_(reduce_min)(S2S_F32H_(min)(S2S_F32(low)(a), S2S_F32(high)(a)));
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_max)(S2S_F32V a)
{
    return S2S_F32H_(reduce_max)(S2S_F32H_(max)(S2S_F32(low)(a), S2S_F32(high)(a)));
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_add)(S2S_I32V a)
{
    return S2S_I32H_(reduce_add)(S2S_I32H_(add)(S2S_I32(low)(a), S2S_I32(high)(a)));
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_mul)(S2S_I32V a)
{
    return S2S_I32H_(reduce_mul)(S2S_I32H_(mul)(S2S_I32(low)(a), S2S_I32(high)(a)));
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_min)(S2S_I32V a)
{
    return S2S_I32H_(reduce_min)(S2S_I32H_(min)(S2S_I32(low)(a), S2S_I32(high)(a)));
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_max)(S2S_I32V a)
{
    return S2S_I32H_(reduce_max)(S2S_I32H_(max)(S2S_I32(low)(a), S2S_I32(high)(a)));
}
#else
#ifdef S2S_SIMD_GNU
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(upper_half)(S2S_F32V a)
{
#ifdef __clang__
    return __builtin_shufflevector(a, a, 2, 3, 2, 3);
#else
    const S2S_I32V lanes = {2, 3, 2, 3};

    return __builtin_shuffle(a, lanes);
#endif
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(second_lane)(S2S_F32V a)
{
#ifdef __clang__
    return __builtin_shufflevector(a, a, 1, 1, 1, 1);
#else
    const S2S_I32V lanes = {1, 1, 1, 1};

    return __builtin_shuffle(a, lanes);
#endif
}
#endif

/* Sums in vectors on x86, where GCC takes lanes apart by way of integer registers. */
S2S_ALWAYS_INLINE float S2S_F32(reduce_add)(S2S_F32V a)
{
#if defined(S2S_SIMD_GNU) && defined(__SSE__)
    const S2S_F32V half = S2S_F32(add)(a, S2S_F32(upper_half)(a));

    return S2S_F32(lane)(S2S_F32(add)(half, S2S_F32(second_lane)(half)), 0);
#else
    const float even = S2S_F32(lane)(a, 0) + S2S_F32(lane)(a, 2);
    const float odd = S2S_F32(lane)(a, 1) + S2S_F32(lane)(a, 3);

    return even + odd;
#endif
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_mul)(S2S_F32V a)
{
    const float even = S2S_F32(lane)(a, 0) * S2S_F32(lane)(a, 2);
    const float odd = S2S_F32(lane)(a, 1) * S2S_F32(lane)(a, 3);

    return even * odd;
}

/* Extremes in vectors: scalar ones are branches. */
#ifdef S2S_SIMD_GNU
S2S_ALWAYS_INLINE float S2S_F32(reduce_min)(S2S_F32V a)
{
    const S2S_F32V half = S2S_F32(min)(a, S2S_F32(upper_half)(a));

    return S2S_F32(lane)(S2S_F32(min)(half, S2S_F32(second_lane)(half)), 0);
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_max)(S2S_F32V a)
{
    const S2S_F32V half = S2S_F32(max)(a, S2S_F32(upper_half)(a));

    return S2S_F32(lane)(S2S_F32(max)(half, S2S_F32(second_lane)(half)), 0);
}
#else
S2S_ALWAYS_INLINE float S2S_F32(reduce_min)(S2S_F32V a)
{
    const float even = s2s_f32_min(S2S_F32(lane)(a, 0), S2S_F32(lane)(a, 2));
    const float odd = s2s_f32_min(S2S_F32(lane)(a, 1), S2S_F32(lane)(a, 3));

    return s2s_f32_min(even, odd);
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_max)(S2S_F32V a)
{
    const float even = s2s_f32_max(S2S_F32(lane)(a, 0), S2S_F32(lane)(a, 2));
    const float odd = s2s_f32_max(S2S_F32(lane)(a, 1), S2S_F32(lane)(a, 3));

    return s2s_f32_max(even, odd);
}
#endif

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_add)(S2S_I32V a)
{
    const int32_t even = s2s_i32_add(S2S_I32(lane)(a, 0), S2S_I32(lane)(a, 2));
    const int32_t odd = s2s_i32_add(S2S_I32(lane)(a, 1), S2S_I32(lane)(a, 3));

    return s2s_i32_add(even, odd);
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_mul)(S2S_I32V a)
{
    const int32_t even = s2s_i32_mul(S2S_I32(lane)(a, 0), S2S_I32(lane)(a, 2));
    const int32_t odd = s2s_i32_mul(S2S_I32(lane)(a, 1), S2S_I32(lane)(a, 3));

    return s2s_i32_mul(even, odd);
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_min)(S2S_I32V a)
{
    const int32_t even = s2s_i32_min(S2S_I32(lane)(a, 0), S2S_I32(lane)(a, 2));
    const int32_t odd = s2s_i32_min(S2S_I32(lane)(a, 1), S2S_I32(lane)(a, 3));

    return s2s_i32_min(even, odd);
}

S2S_ALWAYS_INLINE int32_t S2S_I32(reduce_max)(S2S_I32V a)
{
    const int32_t even = s2s_i32_max(S2S_I32(lane)(a, 0), S2S_I32(lane)(a, 2));
    const int32_t odd = s2s_i32_max(S2S_I32(lane)(a, 1), S2S_I32(lane)(a, 3));

    return s2s_i32_max(even, odd);
}
#endif

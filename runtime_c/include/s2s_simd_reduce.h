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
S2S_ALWAYS_INLINE float S2S_F32(reduce_add)(S2S_F32V a)
{
    const float even = S2S_F32(lane)(a, 0) + S2S_F32(lane)(a, 2);
    const float odd = S2S_F32(lane)(a, 1) + S2S_F32(lane)(a, 3);

    return even + odd;
}

S2S_ALWAYS_INLINE float S2S_F32(reduce_mul)(S2S_F32V a)
{
    const float even = S2S_F32(lane)(a, 0) * S2S_F32(lane)(a, 2);
    const float odd = S2S_F32(lane)(a, 1) * S2S_F32(lane)(a, 3);

    return even * odd;
}

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

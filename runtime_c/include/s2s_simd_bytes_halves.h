/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in a vector wider than the registers of the target, as two vectors of half the lanes; included by
 * s2s_simd_bytes_lanes.h. */

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8)(const int8_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_i8)(p), S2S_I32H_(load_i8)(p + S2S_HALF));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_u8)(const int8_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_u8)(p), S2S_I32H_(load_u8)(p + S2S_HALF));
}

S2S_ALWAYS_INLINE void S2S_I32(store_i16)(int16_t *p, S2S_I32V a)
{
    S2S_I32H_(store_i16)(p, a.low);
    S2S_I32H_(store_i16)(p + S2S_HALF, a.high);
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8)(int8_t *p, S2S_I32V a)
{
    S2S_I32H_(store_i8)(p, a.low);
    S2S_I32H_(store_i8)(p + S2S_HALF, a.high);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_groups)(const int8_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_groups)(p), S2S_I32H_(load_groups)(p + 4 * S2S_HALF));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_group_nibbles)(const int8_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_group_nibbles)(p), S2S_I32H_(load_group_nibbles)(p + 2 * S2S_HALF));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pair_nibbles)(const int8_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_pair_nibbles)(p), S2S_I32H_(load_pair_nibbles)(p + S2S_HALF));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pairs)(const int16_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_pairs)(p), S2S_I32H_(load_pairs)(p + 2 * S2S_HALF));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pairs_i8)(const int8_t *p)
{
    return S2S_I32(join)(S2S_I32H_(load_pairs_i8)(p), S2S_I32H_(load_pairs_i8)(p + 2 * S2S_HALF));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_pairs)(S2S_I32V a, S2S_I32V b)
{
    return S2S_I32(join)(S2S_I32H_(add_pairs)(a.low, b.low), S2S_I32H_(add_pairs)(a.high, b.high));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(saturate_i8)(S2S_I32V a)
{
    return S2S_I32(join)(S2S_I32H_(saturate_i8)(a.low), S2S_I32H_(saturate_i8)(a.high));
}

#define S2S_OF_THREE(name)                                                                                             \
    S2S_ALWAYS_INLINE S2S_I32V S2S_I32(name)(S2S_I32V a, S2S_I32V b, S2S_I32V c)                                       \
    {                                                                                                                  \
        return S2S_I32(join)(S2S_I32H_(name)(a.low, b.low, c.low), S2S_I32H_(name)(a.high, b.high, c.high));           \
    }

S2S_OF_THREE(add_dot_i8)
S2S_OF_THREE(add_dot_u8)
S2S_OF_THREE(add_dot_i16)
S2S_OF_THREE(rescale_double)
S2S_OF_THREE(rescale_negative)
S2S_OF_THREE(rescale_upward)

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_high)(S2S_I32V x, S2S_I32V multiplier)
{
    return S2S_I32(join)(S2S_I32H_(rescale_high)(x.low, multiplier.low), S2S_I32H_(rescale_high)(x.high, multiplier.high));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_F32(to_i32_inside)(S2S_F32V a)
{
    return S2S_I32(join)(S2S_F32H_(to_i32_inside)(a.low), S2S_F32H_(to_i32_inside)(a.high));
}

#undef S2S_OF_THREE

/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in vectors of one register as operations on vectors and loops over lanes, for any compiler; included by
 * s2s_simd_bytes_lanes.h. What a machine does better is defined before. */

#define S2S_OF_LANES(expression)                                                                                       \
    int32_t lanes[S2S_LANES];                                                                                          \
                                                                                                                       \
    S2S_EACH_LANE(i) { lanes[i] = (expression); }                                                                      \
    return S2S_I32(load)(lanes)

#ifndef S2S_BYTES_MEMORY
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_u8)(const int8_t *p)
{
    S2S_OF_LANES((uint8_t)p[i]);
}

#if S2S_LANES > 4
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8)(const int8_t *p)
{
    S2S_OF_LANES(p[i]);
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8)(int8_t *p, S2S_I32V a)
{
    S2S_EACH_LANE(i) { p[i] = (int8_t)(uint8_t)((uint32_t)S2S_I32(lane)(a, i) & 255u); }
}
#endif
#endif

#ifndef S2S_BYTES_STORE_I16
S2S_ALWAYS_INLINE void S2S_I32(store_i16)(int16_t *p, S2S_I32V a)
{
    S2S_EACH_LANE(i) { p[i] = (int16_t)(uint16_t)((uint32_t)S2S_I32(lane)(a, i) & 65535u); }
}
#endif

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_groups)(const int8_t *p)
{
#ifdef S2S_BYTES_IN_ORDER
    S2S_I32V groups;

    memcpy(&groups, p, sizeof groups);
    return groups;
#else
    S2S_OF_LANES(s2s_group((uint8_t)p[4 * i], (uint8_t)p[4 * i + 1], (uint8_t)p[4 * i + 2], (uint8_t)p[4 * i + 3]));
#endif
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_group_nibbles)(const int8_t *p)
{
    S2S_OF_LANES(s2s_group_of_nibbles((uint8_t)p[2 * i], (uint8_t)p[2 * i + 1]));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pair_nibbles)(const int8_t *p)
{
    S2S_OF_LANES(s2s_pair_of_nibbles((uint8_t)p[i]));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pairs)(const int16_t *p)
{
#ifdef S2S_BYTES_IN_ORDER
    S2S_I32V pairs;

    memcpy(&pairs, p, sizeof pairs);
    return pairs;
#else
    S2S_OF_LANES(s2s_pair(p[2 * i], p[2 * i + 1]));
#endif
}

#ifndef S2S_BYTES_DOT_PAIRS
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pairs_i8)(const int8_t *p)
{
    S2S_OF_LANES(s2s_pair(p[2 * i], p[2 * i + 1]));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_pairs)(S2S_I32V a, S2S_I32V b)
{
    const S2S_I32V low = S2S_I32(bit_and)(S2S_I32(add)(a, b), S2S_I32(splat)(0xffff));
    const S2S_I32V high_a = S2S_I32(bit_and)(a, S2S_I32(splat)(-0x10000));

    return S2S_I32(add)(low, S2S_I32(add)(high_a, S2S_I32(bit_and)(b, S2S_I32(splat)(-0x10000))));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i16)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    const S2S_I32V low_a = S2S_I32(shift_right)(S2S_I32(shift_left)(a, 16), 16);
    const S2S_I32V low_b = S2S_I32(shift_right)(S2S_I32(shift_left)(b, 16), 16);
    const S2S_I32V low = S2S_I32(mul)(low_a, low_b);
    const S2S_I32V high = S2S_I32(mul)(S2S_I32(shift_right)(a, 16), S2S_I32(shift_right)(b, 16));

    return S2S_I32(add)(S2S_I32(add)(acc, low), high);
}
#endif

#ifndef S2S_BYTES_DOT
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    for (int k = 0; k < 4; ++k) {
        const S2S_I32V a_byte = S2S_I32(shift_right)(S2S_I32(shift_left)(a, 24 - 8 * k), 24);
        const S2S_I32V b_byte = S2S_I32(shift_right)(S2S_I32(shift_left)(b, 24 - 8 * k), 24);

        acc = S2S_I32(add)(acc, S2S_I32(mul)(a_byte, b_byte));
    }
    return acc;
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_u8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    for (int k = 0; k < 4; ++k) {
        const S2S_I32V a_byte = S2S_I32(bit_and)(S2S_I32(shift_right)(a, 8 * k), S2S_I32(splat)(255));
        const S2S_I32V b_byte = S2S_I32(shift_right)(S2S_I32(shift_left)(b, 24 - 8 * k), 24);

        acc = S2S_I32(add)(acc, S2S_I32(mul)(a_byte, b_byte));
    }
    return acc;
}
#endif

S2S_ALWAYS_INLINE S2S_I32V S2S_F32(to_i32_inside)(S2S_F32V a)
{
#ifdef S2S_SIMD_GNU
    return __builtin_convertvector(a, S2S_I32V);
#else
    return S2S_F32(to_i32)(a);
#endif
}

/* Four lanes have the functions of s2s_lanes.h. */
#if S2S_LANES > 4
#ifdef S2S_BYTES_HIGH
#define S2S_U32V S2S_SIMD_JOIN(s2s_u32x, S2S_LANES, )

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_high)(S2S_I32V x, S2S_I32V multiplier)
{
    return S2S_I32(high_product)(x, multiplier);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_negative)(S2S_I32V x, S2S_I32V multiplier, S2S_I32V shift)
{
    const S2S_I32V high = S2S_I32(high_product)(x, multiplier);
    const S2S_I32V halves = S2S_I32(add)(high, high >> 31) >> (-1 - shift);

    return S2S_I32(add)(halves, S2S_I32(splat)(1)) >> 1;
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_upward)(S2S_I32V x, S2S_I32V multiplier, S2S_I32V shift)
{
    const S2S_I32V halves = S2S_I32(high_product)(x, multiplier) >> (-1 - shift);

    return S2S_I32(add)(halves, S2S_I32(splat)(1)) >> 1;
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_double)(S2S_I32V x, S2S_I32V multiplier, S2S_I32V shift)
{
    const S2S_I32V zero = S2S_I32(zero)(), one = S2S_I32(splat)(1);
    const S2S_I32V left = S2S_I32(max)(zero, shift), right = S2S_I32(max)(zero, S2S_I32(sub)(zero, shift));
    const S2S_I32V shifted = (S2S_I32V)((S2S_U32V)x << (S2S_U32V)left);
    const S2S_I32V high = S2S_I32(high_product)(shifted, multiplier);
    const S2S_I32V mask = S2S_I32(sub)((S2S_I32V)((S2S_U32V)one << (S2S_U32V)right), one);
    const S2S_I32V half = S2S_I32(sub)(mask >> 1, high >> 31);

    return S2S_I32(sub)(high >> right, S2S_I32(less)(half, high & mask));
}

#undef S2S_U32V
#else
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_high)(S2S_I32V x, S2S_I32V multiplier)
{
    S2S_OF_LANES(s2s_rescale_high(S2S_I32(lane)(x, i), S2S_I32(lane)(multiplier, i)));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_double)(S2S_I32V x, S2S_I32V multiplier, S2S_I32V shift)
{
    S2S_OF_LANES(s2s_rescale_double(S2S_I32(lane)(x, i), S2S_I32(lane)(multiplier, i), (int8_t)S2S_I32(lane)(shift, i)));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_negative)(S2S_I32V x, S2S_I32V multiplier, S2S_I32V shift)
{
    return S2S_I32(rescale_double)(x, multiplier, shift);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(rescale_upward)(S2S_I32V x, S2S_I32V multiplier, S2S_I32V shift)
{
    /* Lanes behind the last channel have a shift of 0, and any result. */
    const S2S_I32V negative = S2S_I32(min)(S2S_I32(splat)(-1), shift);

    S2S_OF_LANES(
        s2s_rescale_upward(S2S_I32(lane)(x, i), S2S_I32(lane)(multiplier, i), (int8_t)S2S_I32(lane)(negative, i), 0));
}
#endif

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(saturate_i8)(S2S_I32V a)
{
    return S2S_I32(min)(S2S_I32(splat)(127), S2S_I32(max)(S2S_I32(splat)(-128), a));
}
#endif

#undef S2S_OF_LANES

/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in vectors of S2S_LANES lanes; included by s2s_simd_bytes.h, which describes the functions, once for each
 * width. S2S_HALF is half the lanes where vectors of that width exist. */

#define S2S_F32V S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, )
#define S2S_I32V S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, )
#define S2S_F32(name) S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, _##name)
#define S2S_I32(name) S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, _##name)
#define S2S_EACH_LANE(i) for (int i = 0; i < S2S_LANES; ++i)
#ifdef S2S_HALF
#define S2S_I32H_(name) S2S_SIMD_JOIN(s2s_i32x, S2S_HALF, _##name)
#define S2S_F32H_(name) S2S_SIMD_JOIN(s2s_f32x, S2S_HALF, _##name)
#endif

#if S2S_LANES > S2S_SIMD_NATIVE_LANES
#include "s2s_simd_bytes_halves.h"
#else
#if defined(S2S_SIMD_GNU) && defined(__x86_64__) && defined(__SSE4_1__)
#include "s2s_simd_bytes_x86.h"
#elif defined(S2S_SIMD_GNU) && defined(__aarch64__) && !defined(__ARM_BIG_ENDIAN)
#include "s2s_simd_bytes_neon.h"
#elif defined(S2S_SIMD_GNU) && defined(__wasm_simd128__)
#include "s2s_simd_bytes_wasm.h"
#endif
#include "s2s_simd_bytes_loops.h"
#endif

/* The same four products with the factors the other way round. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i8_by_u8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    return S2S_I32(add_dot_u8)(acc, b, a);
}

#if S2S_LANES > 4
S2S_ALWAYS_INLINE void S2S_I32(store_saturated_i8)(int8_t *p, S2S_I32V a)
{
    S2S_I32(store_i8)(p, S2S_I32(saturate_i8)(a));
}
#endif

/* Some of the lanes, or lanes that are no neighbours. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8_strided_part)(const int8_t *p, ptrdiff_t stride, int32_t n)
{
    int32_t lanes[S2S_LANES];

    S2S_EACH_LANE(i) { lanes[i] = i < n ? p[i * stride] : 0; }
    return S2S_I32(load)(lanes);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8_part)(const int8_t *p, int32_t n)
{
    return S2S_I32(load_i8_strided_part)(p, 1, n);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8_strided)(const int8_t *p, ptrdiff_t stride)
{
    return S2S_I32(load_i8_strided_part)(p, stride, S2S_LANES);
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8_strided_part)(int8_t *p, ptrdiff_t stride, int32_t n, S2S_I32V a)
{
    int8_t bytes[S2S_LANES];

    S2S_I32(store_i8)(bytes, a);
    S2S_EACH_LANE(i)
    {
        if (i < n) { p[i * stride] = bytes[i]; }
    }
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8_part)(int8_t *p, int32_t n, S2S_I32V a)
{
    S2S_I32(store_i8_strided_part)(p, 1, n, a);
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8_strided)(int8_t *p, ptrdiff_t stride, S2S_I32V a)
{
    S2S_I32(store_i8_strided_part)(p, stride, S2S_LANES, a);
}

/* Words of four entries are loaded, and shifted so that the entry comes first. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(look_up_i8)(const int8_t *table, S2S_I32V index)
{
#ifdef S2S_BYTES_WORDS
    const S2S_I32V three = S2S_I32(splat)(3);
    const S2S_I32V words = S2S_I32(words)(table, S2S_I32(shift_right)(index, 2));
    const S2S_I32V place = S2S_I32(sub)(three, S2S_I32(bit_and)(index, three));

    return S2S_I32(shift_right)(S2S_I32(shift_left_by)(words, S2S_I32(shift_left)(place, 3)), 24);
#else
    int32_t lanes[S2S_LANES];

    S2S_I32(store)(lanes, index);
    S2S_EACH_LANE(i) { lanes[i] = table[lanes[i]]; }
    return S2S_I32(load)(lanes);
#endif
}

/* Interleaved stores of the low bytes of lanes. A group is written whole where the next one follows. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(low_bytes)(S2S_I32V a, int place)
{
    return S2S_I32(shift_left)(S2S_I32(bit_and)(a, S2S_I32(splat)(255)), 8 * place);
}

S2S_ALWAYS_INLINE void S2S_I32(store_groups)(int8_t *p, int32_t count, S2S_I32V groups)
{
    int32_t lanes[S2S_LANES];

    S2S_I32(store)(lanes, groups);
    S2S_EACH_LANE(i)
    {
#ifdef S2S_BYTES_IN_ORDER
        if (i < S2S_LANES - 1 || count == 4) {
            memcpy(p + i * count, &lanes[i], 4);
            continue;
        }
#endif
        for (int32_t k = 0; k < count; ++k) {
            p[i * count + k] = (int8_t)(uint8_t)(((uint32_t)lanes[i] >> (8 * k)) & 255u);
        }
    }
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8_by_2)(int8_t *p, S2S_I32V a, S2S_I32V b)
{
    const S2S_I32V groups = S2S_I32(bit_or)(S2S_I32(low_bytes)(a, 0), S2S_I32(low_bytes)(b, 1));

    S2S_I32(store_groups)(p, 2, groups);
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8_by_3)(int8_t *p, S2S_I32V a, S2S_I32V b, S2S_I32V c)
{
    const S2S_I32V groups = S2S_I32(bit_or)(S2S_I32(low_bytes)(a, 0), S2S_I32(low_bytes)(b, 1));

    S2S_I32(store_groups)(p, 3, S2S_I32(bit_or)(groups, S2S_I32(low_bytes)(c, 2)));
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8_by_4)(int8_t *p, S2S_I32V a, S2S_I32V b, S2S_I32V c, S2S_I32V d)
{
    const S2S_I32V low = S2S_I32(bit_or)(S2S_I32(low_bytes)(a, 0), S2S_I32(low_bytes)(b, 1));
    const S2S_I32V high = S2S_I32(bit_or)(S2S_I32(low_bytes)(c, 2), S2S_I32(low_bytes)(d, 3));

    S2S_I32(store_groups)(p, 4, S2S_I32(bit_or)(low, high));
}

/* The first bytes of each of the first lanes, count of them, to places at a distance. */
S2S_ALWAYS_INLINE void S2S_I32(store_groups_strided)(int8_t *p, ptrdiff_t stride, int32_t n, int32_t count,
                                                     S2S_I32V groups)
{
    int32_t lanes[S2S_LANES];

    S2S_I32(store)(lanes, groups);
    S2S_EACH_LANE(i)
    {
        if (i < n) {
#ifdef S2S_BYTES_IN_ORDER
            memcpy(p + i * stride, &lanes[i], (size_t)count);
#else
            for (int32_t k = 0; k < count; ++k) {
                p[i * stride + k] = (int8_t)(uint8_t)(((uint32_t)lanes[i] >> (8 * k)) & 255u);
            }
#endif
        }
    }
}

#include "s2s_simd_operands.h"

S2S_ALWAYS_INLINE void S2S_I32(store_i8_interleaved)(int8_t *p, ptrdiff_t stride, int32_t lanes, int32_t count,
                                                     S2S_VECTORS(S2S_I32V))
{
    const S2S_I32V all[S2S_LANES] = {S2S_ALL_VECTORS};

    for (int32_t k = 0; k < count; k += 4) {
        const int32_t bytes = count - k < 4 ? count - k : 4;
        S2S_I32V groups = S2S_I32(low_bytes)(all[k], 0);

        for (int32_t j = 1; j < bytes; ++j) {
            groups = S2S_I32(bit_or)(groups, S2S_I32(low_bytes)(all[k + j], j));
        }
        S2S_I32(store_groups_strided)(p + k, stride, lanes, bytes, groups);
    }
}

#undef S2S_VECTORS
#undef S2S_ALL_VECTORS

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_group)(const int8_t *p)
{
#ifdef S2S_BYTES_IN_ORDER
    int32_t group;

    memcpy(&group, p, sizeof group);
    return S2S_I32(splat)(group);
#else
    return S2S_I32(splat)(s2s_group((uint8_t)p[0], (uint8_t)p[1], (uint8_t)p[2], (uint8_t)p[3]));
#endif
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pair)(const int16_t *p)
{
#ifdef S2S_BYTES_IN_ORDER
    int32_t pair;

    memcpy(&pair, p, sizeof pair);
    return S2S_I32(splat)(pair);
#else
    return S2S_I32(splat)(s2s_pair(p[0], p[1]));
#endif
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_columns)(const int8_t *p, ptrdiff_t stride, int32_t count)
{
    S2S_I32V groups = S2S_I32(load_u8)(p);

    if (count > 1) {
        groups = S2S_I32(bit_or)(groups, S2S_I32(shift_left)(S2S_I32(load_u8)(p + stride), 8));
    }
    if (count > 2) {
        groups = S2S_I32(bit_or)(groups, S2S_I32(shift_left)(S2S_I32(load_u8)(p + 2 * stride), 16));
    }
    if (count > 3) {
        groups = S2S_I32(bit_or)(groups, S2S_I32(shift_left)(S2S_I32(load_u8)(p + 3 * stride), 24));
    }
    return groups;
}

#ifdef S2S_HALF
#undef S2S_I32H_
#undef S2S_F32H_
#endif
#undef S2S_F32V
#undef S2S_I32V
#undef S2S_F32
#undef S2S_I32
#undef S2S_EACH_LANE
#undef S2S_BYTES_MEMORY
#undef S2S_BYTES_STORE_I16
#undef S2S_BYTES_DOT
#undef S2S_BYTES_DOT_PAIRS
#undef S2S_BYTES_HIGH
#undef S2S_BYTES_WORDS

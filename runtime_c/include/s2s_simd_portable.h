/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types and arithmetic as arrays and loops, for any C99 compiler; included by s2s_simd_lanes.h for each
 * width. */

typedef struct S2S_F32V { float lane[S2S_LANES]; } S2S_F32V;
typedef struct S2S_I32V { int32_t lane[S2S_LANES]; } S2S_I32V;

#define S2S_LANE(a, i) (a).lane[i]

#define S2S_V S2S_F32V
#define S2S_ELEMENT float
#define S2S_FN S2S_F32
#include "s2s_simd_memory.h"

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

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(splat)(float x)
{
    S2S_F32V r;

    S2S_EACH_LANE(i) { r.lane[i] = x; }
    return r;
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(splat)(int32_t x)
{
    S2S_I32V r;

    S2S_EACH_LANE(i) { r.lane[i] = x; }
    return r;
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(zero)(void) { return S2S_F32(splat)(0.0f); }
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(zero)(void) { return S2S_I32(splat)(0); }

#ifdef S2S_HALF
S2S_ALWAYS_INLINE S2S_F32H S2S_F32(low)(S2S_F32V a) { return S2S_F32H_(load)(a.lane); }
S2S_ALWAYS_INLINE S2S_F32H S2S_F32(high)(S2S_F32V a) { return S2S_F32H_(load)(a.lane + S2S_HALF); }
S2S_ALWAYS_INLINE S2S_I32H S2S_I32(low)(S2S_I32V a) { return S2S_I32H_(load)(a.lane); }
S2S_ALWAYS_INLINE S2S_I32H S2S_I32(high)(S2S_I32V a) { return S2S_I32H_(load)(a.lane + S2S_HALF); }
#endif

#define S2S_UNARY(result, name, type, expression)                                                                      \
    S2S_ALWAYS_INLINE result name(type a)                                                                              \
    {                                                                                                                  \
        result r;                                                                                                      \
        S2S_EACH_LANE(i) { r.lane[i] = expression; }                                                                   \
        return r;                                                                                                      \
    }

#define S2S_BINARY(result, name, type, expression)                                                                     \
    S2S_ALWAYS_INLINE result name(type a, type b)                                                                      \
    {                                                                                                                  \
        result r;                                                                                                      \
        S2S_EACH_LANE(i) { r.lane[i] = expression; }                                                                   \
        return r;                                                                                                      \
    }

#define S2S_SHIFT(name, expression)                                                                                    \
    S2S_ALWAYS_INLINE S2S_I32V name(S2S_I32V a, int count)                                                             \
    {                                                                                                                  \
        S2S_EACH_LANE(i) { a.lane[i] = expression; }                                                                   \
        return a;                                                                                                      \
    }

#define S2S_SELECT(type, name)                                                                                         \
    S2S_ALWAYS_INLINE type name(S2S_I32V m, type a, type b)                                                            \
    {                                                                                                                  \
        S2S_EACH_LANE(i) { a.lane[i] = m.lane[i] != 0 ? a.lane[i] : b.lane[i]; }                                       \
        return a;                                                                                                      \
    }

S2S_SELECT(S2S_F32V, S2S_F32(select))
S2S_SELECT(S2S_I32V, S2S_I32(select))

S2S_BINARY(S2S_F32V, S2S_F32(add), S2S_F32V, a.lane[i] + b.lane[i])
S2S_BINARY(S2S_F32V, S2S_F32(sub), S2S_F32V, a.lane[i] - b.lane[i])
S2S_BINARY(S2S_F32V, S2S_F32(mul), S2S_F32V, a.lane[i] * b.lane[i])
S2S_BINARY(S2S_F32V, S2S_F32(div), S2S_F32V, a.lane[i] / b.lane[i])
S2S_BINARY(S2S_F32V, S2S_F32(min), S2S_F32V, s2s_f32_min(a.lane[i], b.lane[i]))
S2S_BINARY(S2S_F32V, S2S_F32(max), S2S_F32V, s2s_f32_max(a.lane[i], b.lane[i]))
S2S_UNARY(S2S_F32V, S2S_F32(neg), S2S_F32V, -a.lane[i])
S2S_UNARY(S2S_F32V, S2S_F32(abs), S2S_F32V, fabsf(a.lane[i]))

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(fma)(S2S_F32V a, S2S_F32V b, S2S_F32V c)
{
    S2S_EACH_LANE(i) { c.lane[i] = a.lane[i] * b.lane[i] + c.lane[i]; }
    return c;
}

S2S_UNARY(S2S_F32V, S2S_F32(from_i32), S2S_I32V, (float)a.lane[i])
S2S_UNARY(S2S_I32V, S2S_F32(to_i32), S2S_F32V, s2s_f32_to_i32(a.lane[i]))

S2S_BINARY(S2S_I32V, S2S_F32(equal), S2S_F32V, -(a.lane[i] == b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_F32(not_equal), S2S_F32V, -(a.lane[i] != b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_F32(less), S2S_F32V, -(a.lane[i] < b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_F32(less_equal), S2S_F32V, -(a.lane[i] <= b.lane[i]))

S2S_BINARY(S2S_I32V, S2S_I32(add), S2S_I32V, s2s_i32_add(a.lane[i], b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(sub), S2S_I32V, s2s_i32_sub(a.lane[i], b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(mul), S2S_I32V, s2s_i32_mul(a.lane[i], b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(min), S2S_I32V, s2s_i32_min(a.lane[i], b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(max), S2S_I32V, s2s_i32_max(a.lane[i], b.lane[i]))
S2S_UNARY(S2S_I32V, S2S_I32(neg), S2S_I32V, s2s_i32_sub(0, a.lane[i]))
S2S_UNARY(S2S_I32V, S2S_I32(abs), S2S_I32V, s2s_i32_abs(a.lane[i]))

S2S_BINARY(S2S_I32V, S2S_I32(bit_and), S2S_I32V, a.lane[i] & b.lane[i])
S2S_BINARY(S2S_I32V, S2S_I32(bit_or), S2S_I32V, a.lane[i] | b.lane[i])
S2S_BINARY(S2S_I32V, S2S_I32(bit_xor), S2S_I32V, a.lane[i] ^ b.lane[i])
S2S_UNARY(S2S_I32V, S2S_I32(bit_not), S2S_I32V, ~a.lane[i])
S2S_SHIFT(S2S_I32(shift_left), s2s_i32_shift_left(a.lane[i], count))
S2S_SHIFT(S2S_I32(shift_right), s2s_i32_shift_right(a.lane[i], count))

S2S_BINARY(S2S_I32V, S2S_I32(equal), S2S_I32V, -(a.lane[i] == b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(not_equal), S2S_I32V, -(a.lane[i] != b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(less), S2S_I32V, -(a.lane[i] < b.lane[i]))
S2S_BINARY(S2S_I32V, S2S_I32(less_equal), S2S_I32V, -(a.lane[i] <= b.lane[i]))

#undef S2S_LANE
#undef S2S_UNARY
#undef S2S_BINARY
#undef S2S_SHIFT
#undef S2S_SELECT

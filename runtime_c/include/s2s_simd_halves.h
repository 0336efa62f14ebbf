/* SPDX-License-Identifier: Apache-2.0 */
/* A vector wider than the registers of the target, as two vectors of half the lanes; included by s2s_simd_lanes.h. */

typedef struct S2S_F32V {
    S2S_F32H low, high;
} S2S_F32V;

typedef struct S2S_I32V {
    S2S_I32H low, high;
} S2S_I32V;

/* X is F32 or I32: S2S_XV the vector, S2S_X(name) its functions, S2S_XH_(name) the functions of its halves. */
#define S2S_JOIN(X)                                                                                                    \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(join)(S2S_##X##H low, S2S_##X##H high)                                        \
    {                                                                                                                  \
        S2S_##X##V r;                                                                                                  \
        r.low = low;                                                                                                   \
        r.high = high;                                                                                                 \
        return r;                                                                                                      \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE S2S_##X##H S2S_##X(low)(S2S_##X##V a) { return a.low; }                                          \
    S2S_ALWAYS_INLINE S2S_##X##H S2S_##X(high)(S2S_##X##V a) { return a.high; }

/* result(name)(vectors of X), half by half. */
#define S2S_UNARY(R, X, name)                                                                                          \
    S2S_ALWAYS_INLINE S2S_##R##V S2S_##X(name)(S2S_##X##V a)                                                           \
    {                                                                                                                  \
        return S2S_##R(join)(S2S_##X##H_(name)(a.low), S2S_##X##H_(name)(a.high));                                     \
    }

#define S2S_BINARY(R, X, name)                                                                                         \
    S2S_ALWAYS_INLINE S2S_##R##V S2S_##X(name)(S2S_##X##V a, S2S_##X##V b)                                             \
    {                                                                                                                  \
        return S2S_##R(join)(S2S_##X##H_(name)(a.low, b.low), S2S_##X##H_(name)(a.high, b.high));                      \
    }

#define S2S_SHIFT(name)                                                                                                \
    S2S_ALWAYS_INLINE S2S_I32V S2S_I32(name)(S2S_I32V a, int count)                                                    \
    {                                                                                                                  \
        return S2S_I32(join)(S2S_I32H_(name)(a.low, count), S2S_I32H_(name)(a.high, count));                           \
    }

#define S2S_SELECT(X)                                                                                                  \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(select)(S2S_I32V m, S2S_##X##V a, S2S_##X##V b)                               \
    {                                                                                                                  \
        return S2S_##X(join)(S2S_##X##H_(select)(m.low, a.low, b.low), S2S_##X##H_(select)(m.high, a.high, b.high));   \
    }

/* Loads, stores and lane access; parts of a vector reach the upper half only when they fill the lower one. */
#define S2S_MEMORY(X, element)                                                                                         \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(splat)(element x)                                                             \
    {                                                                                                                  \
        return S2S_##X(join)(S2S_##X##H_(splat)(x), S2S_##X##H_(splat)(x));                                            \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(zero)(void) { return S2S_##X(splat)(0); }                                     \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(load)(const element *p)                                                       \
    {                                                                                                                  \
        return S2S_##X(join)(S2S_##X##H_(load)(p), S2S_##X##H_(load)(p + S2S_HALF));                                   \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE void S2S_##X(store)(element *p, S2S_##X##V a)                                                    \
    {                                                                                                                  \
        S2S_##X##H_(store)(p, a.low);                                                                                  \
        S2S_##X##H_(store)(p + S2S_HALF, a.high);                                                                      \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(load_part)(const element *p, int32_t n)                                       \
    {                                                                                                                  \
        return n < S2S_HALF                                                                                            \
                   ? S2S_##X(join)(S2S_##X##H_(load_part)(p, n), S2S_##X##H_(zero)())                                  \
                   : S2S_##X(join)(S2S_##X##H_(load)(p), S2S_##X##H_(load_part)(p + S2S_HALF, n - S2S_HALF));          \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE void S2S_##X(store_part)(element *p, int32_t n, S2S_##X##V a)                                    \
    {                                                                                                                  \
        if (n < S2S_HALF) {                                                                                            \
            S2S_##X##H_(store_part)(p, n, a.low);                                                                      \
        } else {                                                                                                       \
            S2S_##X##H_(store)(p, a.low);                                                                              \
            S2S_##X##H_(store_part)(p + S2S_HALF, n - S2S_HALF, a.high);                                               \
        }                                                                                                              \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(load_strided)(const element *p, ptrdiff_t stride)                             \
    {                                                                                                                  \
        return S2S_##X(join)(S2S_##X##H_(load_strided)(p, stride),                                                     \
                             S2S_##X##H_(load_strided)(p + S2S_HALF * stride, stride));                                \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE void S2S_##X(store_strided)(element *p, ptrdiff_t stride, S2S_##X##V a)                          \
    {                                                                                                                  \
        S2S_##X##H_(store_strided)(p, stride, a.low);                                                                  \
        S2S_##X##H_(store_strided)(p + S2S_HALF * stride, stride, a.high);                                             \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE S2S_##X##V S2S_##X(load_strided_part)(const element *p, ptrdiff_t stride, int32_t n)             \
    {                                                                                                                  \
        return n < S2S_HALF ? S2S_##X(join)(S2S_##X##H_(load_strided_part)(p, stride, n), S2S_##X##H_(zero)())         \
                            : S2S_##X(join)(S2S_##X##H_(load_strided)(p, stride),                                      \
                                            S2S_##X##H_(load_strided_part)(p + S2S_HALF * stride, stride,              \
                                                                           n - S2S_HALF));                             \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE void S2S_##X(store_strided_part)(element *p, ptrdiff_t stride, int32_t n, S2S_##X##V a)          \
    {                                                                                                                  \
        if (n < S2S_HALF) {                                                                                            \
            S2S_##X##H_(store_strided_part)(p, stride, n, a.low);                                                      \
        } else {                                                                                                       \
            S2S_##X##H_(store_strided)(p, stride, a.low);                                                              \
            S2S_##X##H_(store_strided_part)(p + S2S_HALF * stride, stride, n - S2S_HALF, a.high);                      \
        }                                                                                                              \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE element S2S_##X(lane)(S2S_##X##V a, int i)                                                       \
    {                                                                                                                  \
        return i < S2S_HALF ? S2S_##X##H_(lane)(a.low, i) : S2S_##X##H_(lane)(a.high, i - S2S_HALF);                   \
    }

S2S_JOIN(F32)
S2S_JOIN(I32)
S2S_MEMORY(F32, float)
S2S_MEMORY(I32, int32_t)
S2S_SELECT(F32)
S2S_SELECT(I32)

S2S_BINARY(F32, F32, add)
S2S_BINARY(F32, F32, sub)
S2S_BINARY(F32, F32, mul)
S2S_BINARY(F32, F32, div)
S2S_BINARY(F32, F32, min)
S2S_BINARY(F32, F32, max)
S2S_UNARY(F32, F32, neg)
S2S_UNARY(F32, F32, abs)
S2S_UNARY(F32, F32, sqrt)
S2S_UNARY(I32, F32, to_i32)
S2S_BINARY(I32, F32, equal)
S2S_BINARY(I32, F32, not_equal)
S2S_BINARY(I32, F32, less)
S2S_BINARY(I32, F32, less_equal)

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(fma)(S2S_F32V a, S2S_F32V b, S2S_F32V c)
{
    return S2S_F32(join)(S2S_F32H_(fma)(a.low, b.low, c.low), S2S_F32H_(fma)(a.high, b.high, c.high));
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(map)(float (*f)(float), S2S_F32V a)
{
    return S2S_F32(join)(S2S_F32H_(map)(f, a.low), S2S_F32H_(map)(f, a.high));
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(from_i32)(S2S_I32V a)
{
    return S2S_F32(join)(S2S_F32H_(from_i32)(a.low), S2S_F32H_(from_i32)(a.high));
}

S2S_BINARY(I32, I32, add)
S2S_BINARY(I32, I32, sub)
S2S_BINARY(I32, I32, mul)
S2S_BINARY(I32, I32, min)
S2S_BINARY(I32, I32, max)
S2S_UNARY(I32, I32, neg)
S2S_UNARY(I32, I32, abs)
S2S_BINARY(I32, I32, bit_and)
S2S_BINARY(I32, I32, bit_or)
S2S_BINARY(I32, I32, bit_xor)
S2S_UNARY(I32, I32, bit_not)
S2S_SHIFT(shift_left)
S2S_SHIFT(shift_right)
S2S_BINARY(I32, I32, equal)
S2S_BINARY(I32, I32, not_equal)
S2S_BINARY(I32, I32, less)
S2S_BINARY(I32, I32, less_equal)

#undef S2S_JOIN
#undef S2S_UNARY
#undef S2S_BINARY
#undef S2S_SHIFT
#undef S2S_SELECT
#undef S2S_MEMORY

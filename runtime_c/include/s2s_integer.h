/* SPDX-License-Identifier: Apache-2.0 */
/* The integer functions of s2s_math.h for one type; included there and by s2s_scalar.h once for each. */

#define S2S_MATH_JOIN_(left, right) left##right
#define S2S_MATH_JOIN(left, right) S2S_MATH_JOIN_(left, right)
#define S2S_FN(name) S2S_MATH_JOIN(s2s_, S2S_MATH_JOIN(S2S_INT_NAME, _##name))
#define S2S_F32_FN S2S_MATH_JOIN(s2s_f32_to_, S2S_INT_NAME)
#define S2S_F64_FN S2S_MATH_JOIN(s2s_f64_to_, S2S_INT_NAME)
#if S2S_INT_SIGNED
#define S2S_INT_OF_I64(value) (value)
#else
#define S2S_INT_OF_I64(value) (S2S_INT)((value) > 0 ? (value) : 0)
#endif

S2S_INLINE S2S_INT S2S_FN(add)(S2S_INT a, S2S_INT b)
{
    const S2S_WORD sum = (S2S_WORD)a + (S2S_WORD)b;

    return (S2S_INT)sum;
}

S2S_INLINE S2S_INT S2S_FN(sub)(S2S_INT a, S2S_INT b)
{
    const S2S_WORD difference = (S2S_WORD)a - (S2S_WORD)b;

    return (S2S_INT)difference;
}

S2S_INLINE S2S_INT S2S_FN(mul)(S2S_INT a, S2S_INT b)
{
    const S2S_WORD product = (S2S_WORD)a * (S2S_WORD)b;

    return (S2S_INT)product;
}

S2S_INLINE S2S_INT S2S_FN(neg)(S2S_INT a)
{
    const S2S_WORD negative = (S2S_WORD)0 - (S2S_WORD)a;

    return (S2S_INT)negative;
}

S2S_INLINE S2S_INT S2S_FN(min)(S2S_INT a, S2S_INT b)
{
    return a < b ? a : b;
}

S2S_INLINE S2S_INT S2S_FN(max)(S2S_INT a, S2S_INT b)
{
    return a > b ? a : b;
}

#if S2S_INT_SIGNED
S2S_INLINE S2S_INT S2S_FN(abs)(S2S_INT a)
{
    return a < 0 ? S2S_FN(neg)(a) : a;
}

S2S_INLINE S2S_INT S2S_FN(sign)(S2S_INT a)
{
    return (S2S_INT)(a > 0 ? 1 : (a < 0 ? -1 : 0));
}

/* Compilers make vectors of doubles for x86, which divides no vectors of integers. A quotient of 32 bits that is no integer
 * is too far from the next one to be rounded to it: by 1 / |a| of itself at least. */
S2S_INLINE S2S_INT S2S_FN(div)(S2S_INT a, S2S_INT b)
{
#if S2S_INT_BITS == 32 && defined(__SSE2__)
    const double quotient = (double)a / (double)(b + (b == 0));
    const double wrapped = quotient < S2S_INT_ABOVE ? quotient : S2S_INT_LOWEST;

    return b == 0 ? 0 : (S2S_INT)wrapped;
#else
    if (b == 0) { return 0; }
    if (b == -1) { return S2S_FN(neg)(a); }
    return (S2S_INT)(a / b);
#endif
}

S2S_INLINE S2S_INT S2S_FN(rem)(S2S_INT a, S2S_INT b)
{
    if ((b == 0) || (b == -1)) { return 0; }
    return (S2S_INT)(a % b);
}

S2S_INLINE S2S_INT S2S_FN(mod)(S2S_INT a, S2S_INT b)
{
    const S2S_INT r = S2S_FN(rem)(a, b);

    return ((r < 0) && (b > 0)) || ((r > 0) && (b < 0)) ? (S2S_INT)(r + b) : r;
}

S2S_INLINE S2S_INT S2S_FN(shift_right)(S2S_INT a, S2S_INT count)
{
    if ((count < 0) || (count >= S2S_INT_BITS)) { return (S2S_INT)(a < 0 ? -1 : 0); }
#ifdef S2S_PORTABLE_SHIFTS
    const S2S_WORD bits = (S2S_WORD)a;
    const S2S_WORD shifted = a < 0 ? ~(~bits >> (S2S_WORD)count) : bits >> (S2S_WORD)count;

    return (S2S_INT)shifted;
#else
    return (S2S_INT)(a >> count);
#endif
}

S2S_INLINE S2S_INT S2S_FN(shift_left)(S2S_INT a, S2S_INT count)
{
    if ((count < 0) || (count >= S2S_INT_BITS)) { return 0; }
    const S2S_WORD shifted = (S2S_WORD)a << (S2S_WORD)count;

    return (S2S_INT)shifted;
}
#else
S2S_INLINE S2S_INT S2S_FN(abs)(S2S_INT a)
{
    return a;
}

S2S_INLINE S2S_INT S2S_FN(sign)(S2S_INT a)
{
    return a != 0u ? (S2S_INT)1 : (S2S_INT)0;
}

S2S_INLINE S2S_INT S2S_FN(div)(S2S_INT a, S2S_INT b)
{
    if (b == 0u) { return 0; }
    return (S2S_INT)(a / b);
}

S2S_INLINE S2S_INT S2S_FN(rem)(S2S_INT a, S2S_INT b)
{
    if (b == 0u) { return 0; }
    return (S2S_INT)(a % b);
}

S2S_INLINE S2S_INT S2S_FN(mod)(S2S_INT a, S2S_INT b)
{
    return S2S_FN(rem)(a, b);
}

/* Zero bits above the highest set one. */
S2S_INLINE S2S_INT S2S_FN(leading_zeros)(S2S_INT a)
{
#if defined(__GNUC__) && __SIZEOF_INT__ == 4 && S2S_INT_BITS == 32u
    return a == 0u ? (S2S_INT)S2S_INT_BITS : (S2S_INT)__builtin_clz(a);
#else
    S2S_INT count = (S2S_INT)S2S_INT_BITS;

    for (S2S_INT rest = a; rest != 0u; rest = (S2S_INT)(rest >> 1)) { count--; }
    return count;
#endif
}

S2S_INLINE S2S_INT S2S_FN(shift_right)(S2S_INT a, S2S_INT count)
{
    if (count >= S2S_INT_BITS) { return 0; }
    return (S2S_INT)(a >> count);
}

S2S_INLINE S2S_INT S2S_FN(shift_left)(S2S_INT a, S2S_INT count)
{
    if (count >= S2S_INT_BITS) { return 0; }
    const S2S_WORD shifted = (S2S_WORD)a << (S2S_WORD)count;

    return (S2S_INT)shifted;
}
#endif

S2S_INLINE S2S_INT S2S_FN(pow)(S2S_INT a, S2S_INT b)
{
    S2S_INT power = 1;
    S2S_INT square = a;

#if S2S_INT_SIGNED
    if (b < 0) {
        if (a == -1) { return ((S2S_WORD)b & 1u) != 0u ? a : power; }
        return (S2S_INT)(a == 1 ? 1 : 0);
    }
#endif
    for (S2S_WORD left = (S2S_WORD)b; left != 0u; left >>= 1u) {
        if ((left & 1u) != 0u) { power = S2S_FN(mul)(power, square); }
        square = S2S_FN(mul)(square, square);
    }
    return power;
}

/* A float towards zero, limited to the range of the type; NaN gives 0. Where float has no S2S_INT_MAX, it has the first
 * number above the range, a power of two. */
S2S_INLINE S2S_INT S2S_F32_FN(float a)
{
#if S2S_INT_BITS <= 16 && S2S_INT_SIGNED
    return (S2S_INT)(int32_t)s2s_f32_limit(a, (float)S2S_INT_LOWEST, (float)S2S_INT_MAX);
#elif S2S_INT_BITS <= 16
    return (S2S_INT)(int32_t)s2s_f32_limit_above_0(a, (float)S2S_INT_MAX);
#elif S2S_INT_BITS == 32 && !S2S_INT_SIGNED
    const float limited = s2s_f32_limit_above_0(a, (float)S2S_INT_ABOVE);

    return limited < (float)S2S_INT_ABOVE ? (S2S_INT)limited : (S2S_INT)S2S_INT_MAX;
#else
#if S2S_INT_BITS == 64
    /* One comparison: no vectors have this conversion. */
    if (fabsf(a) < 9223372036854775808.0f) { return S2S_INT_OF_I64((int64_t)a); }
#endif
    if (!(a > (float)S2S_INT_LOWEST)) { return a != a ? (S2S_INT)0 : (S2S_INT)S2S_INT_MIN; }
    return a < (float)S2S_INT_ABOVE ? (S2S_INT)a : (S2S_INT)S2S_INT_MAX;
#endif
}

S2S_INLINE S2S_INT S2S_F64_FN(double a)
{
#if S2S_INT_BITS <= 32 && S2S_INT_SIGNED
    return (S2S_INT)(int32_t)s2s_f64_limit(a, S2S_INT_LOWEST, (double)S2S_INT_MAX);
#elif S2S_INT_BITS <= 32
    return (S2S_INT)s2s_f64_limit_above_0(a, (double)S2S_INT_MAX);
#else
    if (fabs(a) < 9223372036854775808.0) { return S2S_INT_OF_I64((int64_t)a); }
    if (!(a > S2S_INT_LOWEST)) { return a != a ? (S2S_INT)0 : (S2S_INT)S2S_INT_MIN; }
    return a < S2S_INT_ABOVE ? (S2S_INT)a : (S2S_INT)S2S_INT_MAX;
#endif
}

#undef S2S_FN
#undef S2S_F32_FN
#undef S2S_F64_FN
#undef S2S_INT_OF_I64
#undef S2S_INT_NAME
#undef S2S_INT
#undef S2S_WORD
#undef S2S_INT_BITS
#undef S2S_INT_MIN
#undef S2S_INT_MAX
#undef S2S_INT_LOWEST
#undef S2S_INT_ABOVE
#undef S2S_MATH_JOIN
#undef S2S_MATH_JOIN_

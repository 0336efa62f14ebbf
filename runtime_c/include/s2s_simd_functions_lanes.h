/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of s2s_simd_functions.h for vectors of S2S_LANES lanes; included there once for each width. */

#define S2S_F32V S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, )
#define S2S_I32V S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, )
#define S2S_F32(name) S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, _##name)
#define S2S_I32(name) S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, _##name)

/* a * x + c with constant c: one step of Horner's rule. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(horner)(S2S_F32V a, S2S_F32V x, float c)
{
    return S2S_F32(fma)(a, x, S2S_F32(splat)(c));
}

/* The magnitude of a with the sign of b. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(with_sign)(S2S_F32V a, S2S_F32V b)
{
    const S2S_I32V sign = S2S_I32(bit_and)(S2S_F32(bits)(b), S2S_I32(splat)(INT32_MIN));

    return S2S_F32(from_bits)(S2S_I32(bit_or)(S2S_F32(bits)(a), sign));
}

/* 2^n for an integer n, -127 <= n <= 128, where the low bits of shifted hold n + 127: the bits of a float. 2^-127 is given
 * as 0, 2^128 as infinity. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(power_of_two)(S2S_F32V shifted)
{
    return S2S_F32(from_bits)(S2S_I32(shift_left)(S2S_F32(bits)(shifted), 23));
}

#if defined(S2S_SIMD_GNU) && S2S_LANES == 16 && defined(__AVX512F__)
#define S2S_SCALES
#endif

/* q * 2^n for an integer n, -252 <= n <= 254, where the low bits of shifted hold n + 254: in two factors, so that results
 * below the normal numbers are rounded once. It is 0 for n of -253 and -254. AVX-512 does it in one instruction. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(scaled)(S2S_F32V q, S2S_F32V n, S2S_F32V shifted)
{
#ifdef S2S_SCALES
    (void)shifted;
    return __builtin_ia32_scalefps512_mask(q, n, q, S2S_ALL_LANES, 4);
#else
    const S2S_I32V bits = S2S_F32(bits)(shifted);
    const S2S_I32V first = S2S_I32(shift_left)(S2S_I32(shift_right)(bits, 1), 23);
    const S2S_I32V second = S2S_I32(sub)(S2S_I32(shift_left)(bits, 23), first);

    (void)n;
    return S2S_F32(mul)(S2S_F32(mul)(q, S2S_F32(from_bits)(first)), S2S_F32(from_bits)(second));
#endif
}

/* a / log 2, rounded to an integer, plus shifter, which is an integer above 1.5 * 2^23: the low bits of the sum hold the
 * integer and what shifter has more than that. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(shifted_log2)(S2S_F32V a, float shifter)
{
    return S2S_F32(fma)(a, S2S_F32(splat)(1.44269504f), S2S_F32(splat)(shifter));
}

/* r of a = n log 2 + r with |r| <= log(2) / 2. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp_rest)(S2S_F32V a, S2S_F32V n)
{
    return S2S_F32(fma)(n, S2S_F32(splat)(2.12194440e-4f), S2S_F32(fma)(n, S2S_F32(splat)(-0.693359375f), a));
}

/* q of e^r = 1 + r + r^2 q. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp_series)(S2S_F32V r)
{
    S2S_F32V q = S2S_F32(splat)(0.00138146128f);

    q = S2S_F32(horner)(q, r, 0.00836871006f);
    q = S2S_F32(horner)(q, r, 0.041668389f);
    q = S2S_F32(horner)(q, r, 0.166665211f);
    return S2S_F32(horner)(q, r, 0.49999994f);
}

/* e^r for such r. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp_of_rest)(S2S_F32V r)
{
    return S2S_F32(horner)(S2S_F32(horner)(S2S_F32(exp_series)(r), r, 1.0f), r, 1.0f);
}

/* e^a for |a| < 87, and NaN. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp_normal)(S2S_F32V a)
{
    const S2S_F32V shifted = S2S_F32(shifted_log2)(a, 12583039.0f);
    const S2S_F32V n = S2S_F32(sub)(shifted, S2S_F32(splat)(12583039.0f));

    return S2S_F32(mul)(S2S_F32(power_of_two)(shifted), S2S_F32(exp_of_rest)(S2S_F32(exp_rest)(a, n)));
}

/* e^a. Below log 2^-150 the result is 0. Products that are too small take machines a hundred times as long, and masks put
 * such arguments into every softmax: from log 2^-253 down the first factor of scaled is 0, and AVX-512 skips the lanes. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp)(S2S_F32V a)
{
    const S2S_F32V below = S2S_F32(min)(S2S_F32(splat)(89.0f), a);
#ifdef S2S_SCALES
    const S2S_F32V x = below;
#else
    const S2S_F32V x = S2S_F32(max)(S2S_F32(splat)(-176.059387f), below);
#endif
    const S2S_F32V shifted = S2S_F32(shifted_log2)(x, 12583166.0f);
    const S2S_F32V n = S2S_F32(sub)(shifted, S2S_F32(splat)(12583166.0f));
    const S2S_F32V q = S2S_F32(exp_of_rest)(S2S_F32(exp_rest)(x, n));

#ifdef S2S_SCALES
    const S2S_F32V least = S2S_F32(splat)(-103.972084f);
    const S2S_SOME_LANES kept = (S2S_SOME_LANES)__builtin_ia32_cmpps512_mask(a, least, 5, 0xFFFF, 4);

    return __builtin_ia32_scalefps512_mask(q, n, S2S_F32(zero)(), kept, 4);
#else
    return S2S_F32(scaled)(q, n, shifted);
#endif
}

/* e^a for a <= 0, and NaN. Results below 2^-126.5 are 0, so that one factor does: n = -127 makes it 0. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp_nonpositive)(S2S_F32V a)
{
#ifdef S2S_SCALES
    return S2S_F32(exp)(a);
#else
    return S2S_F32(exp_normal)(S2S_F32(max)(S2S_F32(splat)(-88.0f), a));
#endif
}

/* 1 + e^a, which needs no e^a below the normal numbers: then one factor 2^(n - 1) of 2 e^r will do. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(exp_plus_one)(S2S_F32V a)
{
    const S2S_F32V one = S2S_F32(splat)(1.0f);
#ifdef S2S_SCALES
    return S2S_F32(add)(S2S_F32(exp)(a), one);
#else
    const S2S_F32V x = S2S_F32(max)(S2S_F32(splat)(-87.0f), S2S_F32(min)(S2S_F32(splat)(89.0f), a));
    const S2S_F32V shifted = S2S_F32(shifted_log2)(x, 12583038.0f);
    const S2S_F32V n = S2S_F32(sub)(shifted, S2S_F32(splat)(12583038.0f));
    const S2S_F32V r = S2S_F32(exp_rest)(x, n);
    const S2S_F32V twice = S2S_F32(horner)(S2S_F32(horner)(S2S_F32(exp_series)(r), r, 1.0f), S2S_F32(add)(r, r), 2.0f);

    return S2S_F32(fma)(S2S_F32(power_of_two)(shifted), twice, one);
#endif
}

/* log a: a = 2^n m with sqrt(1/2) <= m < sqrt(2), log m = f - f^2 / 2 + f^3 p(f) with f = m - 1. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(log)(S2S_F32V a)
{
    const S2S_F32V zero = S2S_F32(zero)();
    const S2S_I32V subnormal = S2S_F32(less)(a, S2S_F32(splat)(1.17549435e-38f));
    const S2S_F32V x = S2S_F32(select)(subnormal, S2S_F32(mul)(a, S2S_F32(splat)(8388608.0f)), a);
    const S2S_F32V lower = S2S_F32(select)(subnormal, S2S_F32(splat)(-23.0f), zero);
    const S2S_I32V bits = S2S_F32(bits)(x);
    const S2S_I32V power = S2S_I32(shift_right)(S2S_I32(sub)(bits, S2S_I32(splat)(0x3F3504F3)), 23);
    const S2S_F32V n = S2S_F32(add)(S2S_F32(from_i32)(power), lower);
    const S2S_F32V m = S2S_F32(from_bits)(S2S_I32(sub)(bits, S2S_I32(shift_left)(power, 23)));
    const S2S_F32V f = S2S_F32(sub)(m, S2S_F32(splat)(1.0f));
    const S2S_F32V square = S2S_F32(mul)(f, f);
    const S2S_I32V is_zero = S2S_F32(equal)(a, zero);
    const S2S_I32V is_finite = S2S_F32(less)(a, S2S_F32(splat)(INFINITY));
    const S2S_F32V outside = S2S_F32(select)(S2S_F32(less)(a, zero), S2S_F32(splat)(NAN), a);
    S2S_F32V p = S2S_F32(splat)(0.067466408f);

    p = S2S_F32(horner)(p, f, -0.116756521f);
    p = S2S_F32(horner)(p, f, 0.11888162f);
    p = S2S_F32(horner)(p, f, -0.124055892f);
    p = S2S_F32(horner)(p, f, 0.142195523f);
    p = S2S_F32(horner)(p, f, -0.166679963f);
    p = S2S_F32(horner)(p, f, 0.200021192f);
    p = S2S_F32(horner)(p, f, -0.250000089f);
    p = S2S_F32(horner)(p, f, 0.333333135f);
    p = S2S_F32(mul)(p, S2S_F32(mul)(f, square));
    p = S2S_F32(fma)(n, S2S_F32(splat)(-2.12194440e-4f), p);
    p = S2S_F32(fma)(square, S2S_F32(splat)(-0.5f), p);
    p = S2S_F32(add)(f, p);
    p = S2S_F32(fma)(n, S2S_F32(splat)(0.693359375f), p);
    p = S2S_F32(select)(S2S_I32(bit_and)(is_finite, S2S_F32(less)(zero, a)), p, outside);
    return S2S_F32(select)(is_zero, S2S_F32(splat)(-INFINITY), p);
}

/* tanh a with |a| = n log(2) / 2 + r: with p = 2^-n and t = tanh r it is u / v with u = (1 - p) + (1 + p) t and
 * v = (1 + p) + (1 - p) t, and the sign of a; it is 1 from 10 on. As v is u + 2 p (1 - t), what rounding does to u hardly
 * changes the quotient where p is small. The estimate of AVX-512 and a step of Newton's method give other bits than a
 * division. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(tanh)(S2S_F32V a)
{
    const S2S_F32V x = S2S_F32(min)(S2S_F32(splat)(10.0f), S2S_F32(abs)(a));
    const S2S_F32V shifted = S2S_F32(fma)(x, S2S_F32(splat)(-2.88539008f), S2S_F32(splat)(12583040.0f));
    const S2S_F32V n = S2S_F32(sub)(shifted, S2S_F32(splat)(12583040.0f));
    const S2S_F32V twice_p = S2S_F32(power_of_two)(shifted);
    const S2S_F32V r = S2S_F32(fma)(n, S2S_F32(splat)(0.34657359f), x);
    const S2S_F32V square = S2S_F32(mul)(r, r);
    const S2S_F32V first = S2S_F32(horner)(S2S_F32(splat)(-0.0527260512f), square, 0.133311802f);
    const S2S_F32V q = S2S_F32(horner)(first, square, -0.333333224f);
    const S2S_F32V t = S2S_F32(fma)(q, S2S_F32(mul)(r, square), r);
    const S2S_F32V less = S2S_F32(horner)(twice_p, S2S_F32(splat)(-0.5f), 1.0f);
    const S2S_F32V more = S2S_F32(sub)(S2S_F32(splat)(2.0f), less);
    const S2S_F32V u = S2S_F32(fma)(more, t, less);
    const S2S_F32V v = S2S_F32(fma)(twice_p, S2S_F32(sub)(S2S_F32(splat)(1.0f), t), u);

    return S2S_F32(with_sign)(S2S_F32(div)(u, v), a);
}

/* erf a: a + a p(a^2) up to 1, else 1 - e^-r(|a|) with the sign of a, where r is -log(1 - erf). */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(erf)(S2S_F32V a)
{
    const S2S_F32V size = S2S_F32(min)(S2S_F32(splat)(4.0f), S2S_F32(abs)(a));
    const S2S_F32V square = S2S_F32(mul)(a, a);
    S2S_F32V r = S2S_F32(splat)(-0.000186379184f);
    S2S_F32V p = S2S_F32(splat)(7.85386146e-05f);
    S2S_F32V large;

    r = S2S_F32(horner)(r, size, 0.0029476583f);
    r = S2S_F32(horner)(r, size, -0.0218380634f);
    r = S2S_F32(horner)(r, size, 0.103106752f);
    r = S2S_F32(horner)(r, size, 0.638144851f);
    r = S2S_F32(horner)(r, size, 1.12708914f);
    r = S2S_F32(horner)(r, size, 0.000341523089f);
    large = S2S_F32(sub)(S2S_F32(splat)(1.0f), S2S_F32(exp_normal)(S2S_F32(neg)(r)));
    p = S2S_F32(horner)(p, square, -0.000801019371f);
    p = S2S_F32(horner)(p, square, 0.00518832775f);
    p = S2S_F32(horner)(p, square, -0.0268538129f);
    p = S2S_F32(horner)(p, square, 0.112835854f);
    p = S2S_F32(horner)(p, square, -0.37612626f);
    p = S2S_F32(horner)(p, square, 0.128379166f);
    p = S2S_F32(fma)(p, a, a);
    return S2S_F32(select)(S2S_F32(less)(size, S2S_F32(splat)(1.0f)), p, S2S_F32(with_sign)(large, a));
}

/* rint (a / b), both rounded, where b is the same for many a: then AVX-512 multiplies by 1 / b, unless the quotient is near
 * the middle of two integers, or no small number. Three roundings, one of which may be of a subnormal 1 / b, take a product
 * at most 2^-21 of itself away from the quotient. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(round_quotient)(S2S_F32V a, S2S_F32V b)
{
#ifdef S2S_SCALES
    const S2S_F32V quotient = S2S_F32(mul)(a, S2S_F32(div)(S2S_F32(splat)(1.0f), b));
    const S2S_F32V rounded = S2S_F32(map)(rintf, quotient);
    const S2S_F32V distance = S2S_F32(abs)(S2S_F32(sub)(quotient, rounded));
    const S2S_F32V most = S2S_F32(fma)(S2S_F32(abs)(quotient), S2S_F32(splat)(4.76837158e-7f), distance);
    const uint16_t sure = (uint16_t)__builtin_ia32_cmpps512_mask(most, S2S_F32(splat)(0.5f), 1, 0xFFFF, 4);

    if (__builtin_expect(sure == 0xFFFFu, 1)) { return rounded; }
#endif
    return S2S_F32(map)(rintf, S2S_F32(div)(a, b));
}

/* 2 a / pi, rounded to an integer: adding 1.5 * 2^23 leaves it in the low bits. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(shifted_quarters)(S2S_F32V a)
{
    return S2S_F32(fma)(a, S2S_F32(splat)(0.636619772f), S2S_F32(splat)(12582912.0f));
}

/* r of a = n pi / 2 + r with |r| <= pi / 4. Products of n and the parts of pi / 2 are exact, as all parts but the last
 * have 11 bits. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(quarter_rest)(S2S_F32V a, S2S_F32V n)
{
    S2S_F32V r = S2S_F32(fma)(n, S2S_F32(splat)(-1.5703125f), a);

    r = S2S_F32(fma)(n, S2S_F32(splat)(-4.83751297e-4f), r);
    r = S2S_F32(fma)(n, S2S_F32(splat)(-7.54953362e-8f), r);
    r = S2S_F32(fma)(n, S2S_F32(splat)(-2.56328292e-12f), r);
    return S2S_F32(fma)(n, S2S_F32(splat)(-6.12323426e-17f), r);
}

/* sin (a + turns pi / 2): a = n pi / 2 + r; the quarter n + turns says whether the sine or the cosine of r it is, and its
 * sign. What is too large for that, or no number, is left to <math.h>. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(sine_of)(S2S_F32V a, int32_t turns)
{
    const S2S_I32V one = S2S_I32(splat)(1);
    const S2S_F32V shifted = S2S_F32(shifted_quarters)(a);
    const S2S_I32V quarter = S2S_I32(add)(S2S_F32(bits)(shifted), S2S_I32(splat)(turns));
    const S2S_I32V odd = S2S_I32(sub)(S2S_I32(zero)(), S2S_I32(bit_and)(quarter, one));
    const S2S_I32V sign = S2S_I32(shift_left)(S2S_I32(bit_and)(quarter, S2S_I32(splat)(2)), 30);
    const S2S_F32V r = S2S_F32(quarter_rest)(a, S2S_F32(sub)(shifted, S2S_F32(splat)(12582912.0f)));
    const S2S_F32V square = S2S_F32(mul)(r, r);
    S2S_F32V p = S2S_F32(splat)(-1.95152959e-4f);
    S2S_F32V q = S2S_F32(splat)(2.44331571e-5f);

    p = S2S_F32(horner)(p, square, 8.33216087e-3f);
    p = S2S_F32(horner)(p, square, -0.166666546f);
    p = S2S_F32(fma)(S2S_F32(mul)(r, square), p, r);
    q = S2S_F32(horner)(q, square, -1.38873163e-3f);
    q = S2S_F32(horner)(q, square, 0.0416666456f);
    q = S2S_F32(horner)(q, square, -0.5f);
    q = S2S_F32(horner)(q, square, 1.0f);
    p = S2S_F32(select)(odd, q, p);
    return S2S_F32(from_bits)(S2S_I32(bit_xor)(S2S_F32(bits)(p), sign));
}

/* Whether all lanes are numbers of a size that sine_of reduces. */
S2S_ALWAYS_INLINE int S2S_F32(are_turns)(S2S_F32V a)
{
    return S2S_F32(reduce_max)(S2S_F32(abs)(a)) < 8192.0f;
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(sin)(S2S_F32V a)
{
    return S2S_F32(are_turns)(a) ? S2S_F32(sine_of)(a, 0) : S2S_F32(map)(sinf, a);
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(cos)(S2S_F32V a)
{
    return S2S_F32(are_turns)(a) ? S2S_F32(sine_of)(a, 1) : S2S_F32(map)(cosf, a);
}

#undef S2S_SCALES

#undef S2S_F32V
#undef S2S_I32V
#undef S2S_F32
#undef S2S_I32

/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of s2s_simd_trigonometry.h for vectors of S2S_LANES lanes; included there once for each width. */

#define S2S_F32V S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, )
#define S2S_I32V S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, )
#define S2S_F32(name) S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, _##name)
#define S2S_I32(name) S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, _##name)

/* a + a s p, the last step of an odd function, where s is a^2. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(odd_series)(S2S_F32V a, S2S_F32V s, S2S_F32V p)
{
    return S2S_F32(fma)(S2S_F32(mul)(a, s), p, a);
}

/* tan of r of a = n pi / 2 + r with |r| <= pi / 4, or -1 / tan r where n is odd. What V_sin leaves to <math.h>, this does
 * too. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(tangent_of)(S2S_F32V a)
{
    const S2S_F32V shifted = S2S_F32(shifted_quarters)(a);
    const S2S_F32V r = S2S_F32(quarter_rest)(a, S2S_F32(sub)(shifted, S2S_F32(splat)(12582912.0f)));
    const S2S_I32V last_bit = S2S_I32(bit_and)(S2S_F32(bits)(shifted), S2S_I32(splat)(1));
    const S2S_I32V odd = S2S_I32(sub)(S2S_I32(zero)(), last_bit);
    const S2S_F32V square = S2S_F32(mul)(r, r);
    S2S_F32V p = S2S_F32(splat)(0.00437620888f);

    p = S2S_F32(horner)(p, square, 9.15677956e-05f);
    p = S2S_F32(horner)(p, square, 0.0108322818f);
    p = S2S_F32(horner)(p, square, 0.0212845579f);
    p = S2S_F32(horner)(p, square, 0.0540591739f);
    p = S2S_F32(horner)(p, square, 0.133326739f);
    p = S2S_F32(horner)(p, square, 0.333333492f);
    p = S2S_F32(odd_series)(r, square, p);
    return S2S_F32(div)(S2S_F32(select)(odd, S2S_F32(splat)(-1.0f), p),
                        S2S_F32(select)(odd, p, S2S_F32(splat)(1.0f)));
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(tan)(S2S_F32V a)
{
    return S2S_F32(are_turns)(a) ? S2S_F32(tangent_of)(a) : S2S_F32(map)(tanf, a);
}

/* atan a: of 1 / |a| above 1, where atan |a| = pi / 2 - atan (1 / |a|). */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(atan)(S2S_F32V a)
{
    const S2S_F32V size = S2S_F32(abs)(a);
    const S2S_F32V one = S2S_F32(splat)(1.0f);
    const S2S_I32V above = S2S_F32(less)(one, size);
    const S2S_F32V z = S2S_F32(div)(S2S_F32(select)(above, S2S_F32(splat)(-1.0f), size),
                                    S2S_F32(select)(above, size, one));
    const S2S_F32V square = S2S_F32(mul)(z, z);
    const S2S_F32V quarter = S2S_F32(select)(above, S2S_F32(splat)(1.57079637f), S2S_F32(zero)());
    const S2S_F32V lower = S2S_F32(select)(above, S2S_F32(splat)(-4.37113883e-8f), S2S_F32(zero)());
    S2S_F32V p = S2S_F32(splat)(-0.00178282452f);

    p = S2S_F32(horner)(p, square, 0.0108686909f);
    p = S2S_F32(horner)(p, square, -0.0310969874f);
    p = S2S_F32(horner)(p, square, 0.0578813888f);
    p = S2S_F32(horner)(p, square, -0.0839930624f);
    p = S2S_F32(horner)(p, square, 0.109508805f);
    p = S2S_F32(horner)(p, square, -0.142640159f);
    p = S2S_F32(horner)(p, square, 0.199985296f);
    p = S2S_F32(horner)(p, square, -0.333332986f);
    p = S2S_F32(odd_series)(z, square, p);
    return S2S_F32(with_sign)(S2S_F32(add)(quarter, S2S_F32(add)(p, lower)), a);
}

/* asin of z = |a| up to 9 / 16, and of z = sqrt ((1 - |a|) / 2) above: asin |a| = pi / 2 - 2 asin z there. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(arcsine_part)(S2S_F32V size, S2S_I32V above)
{
    const S2S_F32V half = S2S_F32(splat)(0.5f);
    const S2S_F32V rest = S2S_F32(mul)(S2S_F32(sub)(S2S_F32(splat)(1.0f), size), half);
    const S2S_F32V z = S2S_F32(select)(above, S2S_F32(sqrt)(rest), size);
    const S2S_F32V square = S2S_F32(select)(above, rest, S2S_F32(mul)(size, size));
    S2S_F32V p = S2S_F32(splat)(0.0474888235f);

    p = S2S_F32(horner)(p, square, 0.00673838286f);
    p = S2S_F32(horner)(p, square, 0.0340120457f);
    p = S2S_F32(horner)(p, square, 0.0442320295f);
    p = S2S_F32(horner)(p, square, 0.0750209838f);
    p = S2S_F32(horner)(p, square, 0.166666314f);
    return S2S_F32(odd_series)(z, square, p);
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(asin)(S2S_F32V a)
{
    const S2S_F32V size = S2S_F32(abs)(a);
    const S2S_I32V above = S2S_F32(less)(S2S_F32(splat)(0.5625f), size);
    const S2S_F32V part = S2S_F32(arcsine_part)(size, above);
    const S2S_F32V twice = S2S_F32(add)(S2S_F32(add)(part, part), S2S_F32(splat)(4.37113883e-8f));
    const S2S_F32V large = S2S_F32(sub)(S2S_F32(splat)(1.57079637f), twice);

    return S2S_F32(with_sign)(S2S_F32(select)(above, large, part), a);
}

/* acos a = pi / 2 - asin a, and 2 asin z or pi - 2 asin z for a above 9 / 16 or below -9 / 16. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(acos)(S2S_F32V a)
{
    const S2S_F32V zero = S2S_F32(zero)();
    const S2S_F32V size = S2S_F32(abs)(a);
    const S2S_I32V above = S2S_F32(less)(S2S_F32(splat)(0.5625f), size);
    const S2S_I32V below = S2S_F32(less)(a, zero);
    const S2S_F32V part = S2S_F32(arcsine_part)(size, above);
    const S2S_F32V turned = S2S_F32(select)(below, S2S_F32(splat)(3.14159274f), zero);
    const S2S_F32V turned_lower = S2S_F32(select)(below, S2S_F32(splat)(8.74227766e-8f), zero);
    const S2S_F32V base = S2S_F32(select)(above, turned, S2S_F32(splat)(1.57079637f));
    const S2S_F32V lower = S2S_F32(select)(above, turned_lower, S2S_F32(splat)(4.37113883e-8f));
    const S2S_F32V taken = S2S_F32(select)(above, S2S_F32(neg)(S2S_F32(add)(part, part)), part);
    const S2S_F32V signed_part = S2S_F32(select)(below, S2S_F32(neg)(taken), taken);

    return S2S_F32(sub)(base, S2S_F32(add)(signed_part, lower));
}

/* e^a / 2, infinite from 90 on, for a >= 0. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(half_exp)(S2S_F32V a)
{
    const S2S_F32V x = S2S_F32(min)(S2S_F32(splat)(90.0f), a);
    const S2S_F32V shifted = S2S_F32(shifted_log2)(x, 12583166.0f);
    const S2S_F32V n = S2S_F32(sub)(shifted, S2S_F32(splat)(12583166.0f));
    const S2S_F32V one = S2S_F32(splat)(1.0f);
    const S2S_F32V q = S2S_F32(exp_of_rest)(S2S_F32(exp_rest)(x, n));

    return S2S_F32(scaled)(q, S2S_F32(sub)(n, one), S2S_F32(sub)(shifted, one));
}

/* sinh |a| = h - 1 / (4 h) with h = e^|a| / 2, from 1 on. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(sinh)(S2S_F32V a)
{
    const S2S_F32V size = S2S_F32(abs)(a);
    const S2S_F32V h = S2S_F32(half_exp)(size);
    const S2S_F32V large = S2S_F32(sub)(h, S2S_F32(div)(S2S_F32(splat)(0.25f), h));
    const S2S_F32V square = S2S_F32(mul)(size, size);
    S2S_F32V p = S2S_F32(splat)(2.78221319e-06f);

    p = S2S_F32(horner)(p, square, 0.000198428956f);
    p = S2S_F32(horner)(p, square, 0.00833331048f);
    p = S2S_F32(horner)(p, square, 0.166666672f);
    p = S2S_F32(odd_series)(size, square, p);
    p = S2S_F32(select)(S2S_F32(less)(size, S2S_F32(splat)(1.0f)), p, large);
    return S2S_F32(with_sign)(p, a);
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(cosh)(S2S_F32V a)
{
    const S2S_F32V h = S2S_F32(half_exp)(S2S_F32(abs)(a));

    return S2S_F32(add)(h, S2S_F32(div)(S2S_F32(splat)(0.25f), h));
}

/* log (a + sqrt square) for a >= 1 and square near a^2; from 4096 on that is log 2 a. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(log_of_sum)(S2S_F32V a, S2S_F32V square)
{
    const S2S_I32V far = S2S_F32(less)(S2S_F32(splat)(4096.0f), a);
    const S2S_F32V sum = S2S_F32(add)(a, S2S_F32(sqrt)(square));
    const S2S_F32V more = S2S_F32(select)(far, S2S_F32(splat)(0.693147182f), S2S_F32(zero)());

    return S2S_F32(add)(S2S_F32(log)(S2S_F32(select)(far, a, sum)), more);
}

/* asinh |a| = log (|a| + sqrt (a^2 + 1)), from 1 on. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(asinh)(S2S_F32V a)
{
    const S2S_F32V one = S2S_F32(splat)(1.0f);
    const S2S_F32V size = S2S_F32(abs)(a);
    const S2S_F32V square = S2S_F32(mul)(size, size);
    const S2S_F32V large = S2S_F32(log_of_sum)(size, S2S_F32(fma)(size, size, one));
    S2S_F32V p = S2S_F32(splat)(-0.000386072934f);

    p = S2S_F32(horner)(p, square, 0.00239016069f);
    p = S2S_F32(horner)(p, square, -0.00700793602f);
    p = S2S_F32(horner)(p, square, 0.0135745723f);
    p = S2S_F32(horner)(p, square, -0.0209883191f);
    p = S2S_F32(horner)(p, square, 0.0300599243f);
    p = S2S_F32(horner)(p, square, -0.0445991904f);
    p = S2S_F32(horner)(p, square, 0.0749970451f);
    p = S2S_F32(horner)(p, square, -0.166666597f);
    p = S2S_F32(odd_series)(size, square, p);
    return S2S_F32(with_sign)(S2S_F32(select)(S2S_F32(less)(size, one), p, large), a);
}

/* acosh a = sqrt (2 u) (1 + u p(u)) with u = a - 1, and log (a + sqrt (a^2 - 1)) from 2 on. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(acosh)(S2S_F32V a)
{
    const S2S_F32V one = S2S_F32(splat)(1.0f);
    const S2S_F32V u = S2S_F32(sub)(a, one);
    const S2S_F32V root = S2S_F32(sqrt)(S2S_F32(add)(u, u));
    const S2S_F32V large = S2S_F32(log_of_sum)(a, S2S_F32(mul)(u, S2S_F32(add)(a, one)));
    S2S_F32V p = S2S_F32(splat)(-2.67938558e-05f);

    p = S2S_F32(horner)(p, u, 0.000175156485f);
    p = S2S_F32(horner)(p, u, -0.000631269009f);
    p = S2S_F32(horner)(p, u, 0.00187066325f);
    p = S2S_F32(horner)(p, u, -0.00557387155f);
    p = S2S_F32(horner)(p, u, 0.0187492799f);
    p = S2S_F32(horner)(p, u, -0.083333306f);
    p = S2S_F32(odd_series)(root, u, p);
    return S2S_F32(select)(S2S_F32(less)(u, one), p, large);
}

/* atanh |a| = log ((1 + |a|) / (1 - |a|)) / 2, from 1 / 2 on. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(atanh)(S2S_F32V a)
{
    const S2S_F32V one = S2S_F32(splat)(1.0f);
    const S2S_F32V half = S2S_F32(splat)(0.5f);
    const S2S_F32V size = S2S_F32(abs)(a);
    const S2S_F32V square = S2S_F32(mul)(size, size);
    const S2S_F32V quotient = S2S_F32(div)(S2S_F32(add)(one, size), S2S_F32(sub)(one, size));
    const S2S_F32V large = S2S_F32(mul)(half, S2S_F32(log)(quotient));
    S2S_F32V p = S2S_F32(splat)(0.185140967f);

    p = S2S_F32(horner)(p, square, 0.0169589669f);
    p = S2S_F32(horner)(p, square, 0.10524489f);
    p = S2S_F32(horner)(p, square, 0.109293997f);
    p = S2S_F32(horner)(p, square, 0.142978147f);
    p = S2S_F32(horner)(p, square, 0.199996218f);
    p = S2S_F32(horner)(p, square, 0.333333373f);
    p = S2S_F32(odd_series)(size, square, p);
    return S2S_F32(with_sign)(S2S_F32(select)(S2S_F32(less)(size, half), p, large), a);
}

#undef S2S_F32V
#undef S2S_I32V
#undef S2S_F32
#undef S2S_I32

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_fixed_dft_rows.h: the functions of s2s_fixed_dft.h for one element type; included there for each.
 *
 * S2S_FIXED(name) is the name of a function or type. S2S_FIXED_ELEMENT is the type of the numbers, with S2S_FIXED_BITS
 * fractional bits, S2S_FIXED_WIDE and S2S_FIXED_UNSIGNED those of their products and sums. */

typedef struct {
    S2S_FIXED_WIDE r;
    S2S_FIXED_WIDE i;
} S2S_FIXED(fixed);

/* x / 2 ** count, towards minus infinity. */
S2S_INLINE S2S_FIXED_WIDE S2S_FIXED(fixed_shifted)(S2S_FIXED_WIDE x, int32_t count)
{
#ifdef S2S_PORTABLE_SHIFTS
    const S2S_FIXED_UNSIGNED bits = (S2S_FIXED_UNSIGNED)x;

    return (S2S_FIXED_WIDE)(x < 0 ? ~(~bits >> count) : bits >> count);
#else
    return x >> count;
#endif
}

/* x as it is stored: it wraps around. */
S2S_INLINE S2S_FIXED_WIDE S2S_FIXED(fixed_wrapped)(S2S_FIXED_WIDE x)
{
    return (S2S_FIXED_ELEMENT)x;
}

/* A product with twice the fractional bits, to nearest, ties up. */
S2S_INLINE S2S_FIXED_WIDE S2S_FIXED(fixed_rounded)(S2S_FIXED_WIDE x)
{
    return S2S_FIXED(fixed_wrapped)(
        S2S_FIXED(fixed_shifted)(x + ((S2S_FIXED_WIDE)1 << (S2S_FIXED_BITS - 1)), S2S_FIXED_BITS));
}

/* Half of a sum of two numbers, which wraps around at 32 bits. */
S2S_INLINE S2S_FIXED_WIDE S2S_FIXED(fixed_half)(S2S_FIXED_WIDE x)
{
    return S2S_FIXED(fixed_shifted)((int32_t)x, 1);
}

S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_number)(S2S_FIXED_WIDE r, S2S_FIXED_WIDE i)
{
    S2S_FIXED(fixed) found;

    found.r = S2S_FIXED(fixed_wrapped)(r);
    found.i = S2S_FIXED(fixed_wrapped)(i);
    return found;
}

S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_load)(const S2S_FIXED_ELEMENT *x, int32_t k)
{
    return S2S_FIXED(fixed_number)(x[2 * k], x[2 * k + 1]);
}

S2S_INLINE void S2S_FIXED(fixed_store)(S2S_FIXED_ELEMENT *y, int32_t k, S2S_FIXED_WIDE r, S2S_FIXED_WIDE i)
{
    y[2 * k] = (S2S_FIXED_ELEMENT)r;
    y[2 * k + 1] = (S2S_FIXED_ELEMENT)i;
}

S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_sum)(S2S_FIXED(fixed) a, S2S_FIXED(fixed) b)
{
    return S2S_FIXED(fixed_number)(a.r + b.r, a.i + b.i);
}

S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_difference)(S2S_FIXED(fixed) a, S2S_FIXED(fixed) b)
{
    return S2S_FIXED(fixed_number)(a.r - b.r, a.i - b.i);
}

S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_product)(S2S_FIXED(fixed) a, S2S_FIXED(fixed) b)
{
    return S2S_FIXED(fixed_number)(S2S_FIXED(fixed_rounded)(a.r * b.r - a.i * b.i),
                                   S2S_FIXED(fixed_rounded)(a.r * b.i + a.i * b.r));
}

/* a times the real number `by`. */
S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed) a, S2S_FIXED_WIDE by)
{
    return S2S_FIXED(fixed_number)(S2S_FIXED(fixed_rounded)(a.r * by), S2S_FIXED(fixed_rounded)(a.i * by));
}

/* What x is multiplied by to divide it by a radix. */
S2S_INLINE S2S_FIXED_WIDE S2S_FIXED(fixed_share)(int32_t radix)
{
    return (S2S_FIXED_WIDE)((((S2S_FIXED_UNSIGNED)1 << S2S_FIXED_BITS) - 1u) / (S2S_FIXED_UNSIGNED)radix);
}

/* Number k of x, divided by a radix, times number `root` of the roots. */
S2S_INLINE S2S_FIXED(fixed) S2S_FIXED(fixed_turned)(const S2S_FIXED_ELEMENT *x, int32_t k, S2S_FIXED_WIDE share,
                                                    const S2S_FIXED_ELEMENT *roots, int32_t root)
{
    return S2S_FIXED(fixed_product)(S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(x, k), share),
                                    S2S_FIXED(fixed_load)(roots, root));
}

S2S_INLINE void S2S_FIXED(fixed_radix_2)(S2S_FIXED_ELEMENT *S2S_RESTRICT y, const S2S_FIXED_ELEMENT *S2S_RESTRICT roots,
                                         int32_t m, int32_t unit)
{
    const S2S_FIXED_WIDE share = S2S_FIXED(fixed_share)(2);

    for (int32_t k = 0; k < m; ++k) {
        const S2S_FIXED(fixed) a = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(y, k), share);
        const S2S_FIXED(fixed) b = S2S_FIXED(fixed_turned)(y, k + m, share, roots, k * unit);

        S2S_FIXED(fixed_store)(y, k, a.r + b.r, a.i + b.i);
        S2S_FIXED(fixed_store)(y, k + m, a.r - b.r, a.i - b.i);
    }
}

S2S_INLINE void S2S_FIXED(fixed_radix_3)(S2S_FIXED_ELEMENT *S2S_RESTRICT y, const S2S_FIXED_ELEMENT *S2S_RESTRICT roots,
                                         int32_t m, int32_t unit)
{
    const S2S_FIXED_WIDE share = S2S_FIXED(fixed_share)(3);
    const S2S_FIXED_WIDE sine = S2S_FIXED(fixed_load)(roots, m * unit).i;

    for (int32_t k = 0; k < m; ++k) {
        const S2S_FIXED(fixed) a = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(y, k), share);
        const S2S_FIXED(fixed) b = S2S_FIXED(fixed_turned)(y, k + m, share, roots, k * unit);
        const S2S_FIXED(fixed) c = S2S_FIXED(fixed_turned)(y, k + 2 * m, share, roots, 2 * k * unit);
        const S2S_FIXED(fixed) sum = S2S_FIXED(fixed_sum)(b, c);
        const S2S_FIXED(fixed) rotated = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_difference)(b, c), sine);
        const S2S_FIXED_WIDE r = a.r - S2S_FIXED(fixed_half)(sum.r);
        const S2S_FIXED_WIDE i = a.i - S2S_FIXED(fixed_half)(sum.i);

        S2S_FIXED(fixed_store)(y, k, a.r + sum.r, a.i + sum.i);
        S2S_FIXED(fixed_store)(y, k + m, r - rotated.i, i + rotated.r);
        S2S_FIXED(fixed_store)(y, k + 2 * m, r + rotated.i, i - rotated.r);
    }
}

S2S_INLINE void S2S_FIXED(fixed_radix_4)(S2S_FIXED_ELEMENT *S2S_RESTRICT y, const S2S_FIXED_ELEMENT *S2S_RESTRICT roots,
                                         int32_t m, int32_t unit, int32_t inverse)
{
    const S2S_FIXED_WIDE share = S2S_FIXED(fixed_share)(4);
    const int32_t forth = inverse != 0 ? 3 * m : m;
    const int32_t back = inverse != 0 ? m : 3 * m;

    for (int32_t k = 0; k < m; ++k) {
        const S2S_FIXED(fixed) a = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(y, k), share);
        const S2S_FIXED(fixed) b = S2S_FIXED(fixed_turned)(y, k + m, share, roots, k * unit);
        const S2S_FIXED(fixed) c = S2S_FIXED(fixed_turned)(y, k + 2 * m, share, roots, 2 * k * unit);
        const S2S_FIXED(fixed) d = S2S_FIXED(fixed_turned)(y, k + 3 * m, share, roots, 3 * k * unit);
        const S2S_FIXED(fixed) ac = S2S_FIXED(fixed_sum)(a, c);
        const S2S_FIXED(fixed) bd = S2S_FIXED(fixed_sum)(b, d);
        const S2S_FIXED(fixed) amc = S2S_FIXED(fixed_difference)(a, c);
        const S2S_FIXED(fixed) bmd = S2S_FIXED(fixed_difference)(b, d);

        S2S_FIXED(fixed_store)(y, k, ac.r + bd.r, ac.i + bd.i);
        S2S_FIXED(fixed_store)(y, k + forth, amc.r + bmd.i, amc.i - bmd.r);
        S2S_FIXED(fixed_store)(y, k + 2 * m, ac.r - bd.r, ac.i - bd.i);
        S2S_FIXED(fixed_store)(y, k + back, amc.r - bmd.i, amc.i + bmd.r);
    }
}

S2S_INLINE void S2S_FIXED(fixed_radix_5)(S2S_FIXED_ELEMENT *S2S_RESTRICT y, const S2S_FIXED_ELEMENT *S2S_RESTRICT roots,
                                         int32_t m, int32_t unit)
{
    const S2S_FIXED_WIDE share = S2S_FIXED(fixed_share)(5);
    const S2S_FIXED(fixed) u = S2S_FIXED(fixed_load)(roots, m * unit);
    const S2S_FIXED(fixed) v = S2S_FIXED(fixed_load)(roots, 2 * m * unit);

    for (int32_t k = 0; k < m; ++k) {
        const S2S_FIXED(fixed) a = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(y, k), share);
        const S2S_FIXED(fixed) b = S2S_FIXED(fixed_turned)(y, k + m, share, roots, k * unit);
        const S2S_FIXED(fixed) c = S2S_FIXED(fixed_turned)(y, k + 2 * m, share, roots, 2 * k * unit);
        const S2S_FIXED(fixed) d = S2S_FIXED(fixed_turned)(y, k + 3 * m, share, roots, 3 * k * unit);
        const S2S_FIXED(fixed) e = S2S_FIXED(fixed_turned)(y, k + 4 * m, share, roots, 4 * k * unit);
        const S2S_FIXED(fixed) be = S2S_FIXED(fixed_sum)(b, e);
        const S2S_FIXED(fixed) cd = S2S_FIXED(fixed_sum)(c, d);
        const S2S_FIXED(fixed) bme = S2S_FIXED(fixed_difference)(b, e);
        const S2S_FIXED(fixed) cmd = S2S_FIXED(fixed_difference)(c, d);
        const S2S_FIXED(fixed) be_u = S2S_FIXED(fixed_scaled)(be, u.r);
        const S2S_FIXED(fixed) be_v = S2S_FIXED(fixed_scaled)(be, v.r);
        const S2S_FIXED(fixed) cd_u = S2S_FIXED(fixed_scaled)(cd, u.r);
        const S2S_FIXED(fixed) cd_v = S2S_FIXED(fixed_scaled)(cd, v.r);
        const S2S_FIXED(fixed) bme_u = S2S_FIXED(fixed_scaled)(bme, u.i);
        const S2S_FIXED(fixed) bme_v = S2S_FIXED(fixed_scaled)(bme, v.i);
        const S2S_FIXED(fixed) cmd_u = S2S_FIXED(fixed_scaled)(cmd, u.i);
        const S2S_FIXED(fixed) cmd_v = S2S_FIXED(fixed_scaled)(cmd, v.i);
        const S2S_FIXED_WIDE one_r = a.r + be_u.r + cd_v.r;
        const S2S_FIXED_WIDE one_i = a.i + be_u.i + cd_v.i;
        const S2S_FIXED_WIDE two_r = a.r + be_v.r + cd_u.r;
        const S2S_FIXED_WIDE two_i = a.i + be_v.i + cd_u.i;

        S2S_FIXED(fixed_store)(y, k, a.r + be.r + cd.r, a.i + be.i + cd.i);
        S2S_FIXED(fixed_store)(y, k + m, one_r - bme_u.i - cmd_v.i, one_i + bme_u.r + cmd_v.r);
        S2S_FIXED(fixed_store)(y, k + 2 * m, two_r - bme_v.i + cmd_u.i, two_i + bme_v.r - cmd_u.r);
        S2S_FIXED(fixed_store)(y, k + 3 * m, two_r + bme_v.i - cmd_u.i, two_i - bme_v.r + cmd_u.r);
        S2S_FIXED(fixed_store)(y, k + 4 * m, one_r + bme_u.i + cmd_v.i, one_i - bme_u.r - cmd_v.r);
    }
}

/* Transforms `size` complex numbers, which lie in the order of the steps, in place. */
S2S_INLINE void S2S_FIXED(fixed_transform)(S2S_FIXED_ELEMENT *y, const S2S_FIXED_ELEMENT *roots,
                                           const s2s_fixed_dft_steps *steps, int32_t size, int32_t inverse)
{
    for (int32_t s = steps->count - 1; s >= 0; --s) {
        const int32_t radix = steps->radix[s];
        const int32_t unit = steps->stride[s];
        const int32_t m = size / (unit * radix);

        for (int32_t block = 0; block < unit; ++block) {
            S2S_FIXED_ELEMENT *const part = &y[2 * block * m * radix];

            switch (radix) {
            case 2:
                S2S_FIXED(fixed_radix_2)(part, roots, m, unit);
                break;
            case 3:
                S2S_FIXED(fixed_radix_3)(part, roots, m, unit);
                break;
            case 4:
                S2S_FIXED(fixed_radix_4)(part, roots, m, unit, inverse);
                break;
            default:
                S2S_FIXED(fixed_radix_5)(part, roots, m, unit);
                break;
            }
        }
    }
}

/* Half of number k of x, and half of the conjugate of its counterpart: their sum and, rotated, their difference. */
S2S_INLINE void S2S_FIXED(fixed_split)(S2S_FIXED(fixed) *even, S2S_FIXED(fixed) *odd, const S2S_FIXED_ELEMENT *x,
                                       int32_t k, int32_t half, const S2S_FIXED_ELEMENT *turns)
{
    const S2S_FIXED_WIDE share = S2S_FIXED(fixed_share)(2);
    const S2S_FIXED(fixed) a = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(x, k), share);
    const S2S_FIXED(fixed) counterpart = S2S_FIXED(fixed_load)(x, half - k);
    const S2S_FIXED(fixed) b =
        S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_number)(counterpart.r, -counterpart.i), share);

    *even = S2S_FIXED(fixed_sum)(a, b);
    *odd = S2S_FIXED(fixed_product)(S2S_FIXED(fixed_difference)(a, b), S2S_FIXED(fixed_load)(turns, k - 1));
}

S2S_INLINE void S2S_FIXED(fixed_dft)(S2S_FIXED_ELEMENT *S2S_RESTRICT y, const S2S_FIXED_ELEMENT *S2S_RESTRICT x,
                                     const S2S_FIXED_ELEMENT *S2S_RESTRICT roots,
                                     const S2S_FIXED_ELEMENT *S2S_RESTRICT turns, int32_t rows, int32_t size)
{
    const int32_t half = size / 2;
    s2s_fixed_dft_steps steps;

    s2s_fixed_dft_plan(&steps, half);
    for (int32_t row = 0; row < rows; ++row) {
        const S2S_FIXED_ELEMENT *const from = &x[size * row];
        S2S_FIXED_ELEMENT *const to = &y[(size + 2) * row];
        S2S_FIXED(fixed) ends;
        int32_t number = 0;

        for (int32_t k = 0; k < half; ++k) {
            S2S_FIXED(fixed_store)(to, k, from[2 * number], from[2 * number + 1]);
            number = s2s_fixed_dft_next(&steps, number);
        }
        S2S_FIXED(fixed_transform)(to, roots, &steps, half, 0);
        ends = S2S_FIXED(fixed_scaled)(S2S_FIXED(fixed_load)(to, 0), S2S_FIXED(fixed_share)(2));
        S2S_FIXED(fixed_store)(to, 0, ends.r + ends.i, 0);
        S2S_FIXED(fixed_store)(to, half, ends.r - ends.i, 0);
        for (int32_t k = 1; k <= half / 2; ++k) {
            S2S_FIXED(fixed) even;
            S2S_FIXED(fixed) odd;

            S2S_FIXED(fixed_split)(&even, &odd, to, k, half, turns);
            S2S_FIXED(fixed_store)(to, k, S2S_FIXED(fixed_half)(even.r + odd.r), S2S_FIXED(fixed_half)(even.i + odd.i));
            S2S_FIXED(fixed_store)(to, half - k, S2S_FIXED(fixed_half)(even.r - odd.r),
                                   S2S_FIXED(fixed_half)(odd.i - even.i));
        }
    }
}

S2S_INLINE void S2S_FIXED(fixed_idft)(S2S_FIXED_ELEMENT *S2S_RESTRICT y, const S2S_FIXED_ELEMENT *S2S_RESTRICT x,
                                      const S2S_FIXED_ELEMENT *S2S_RESTRICT roots,
                                      const S2S_FIXED_ELEMENT *S2S_RESTRICT turns, int32_t rows, int32_t size)
{
    const int32_t half = size / 2;
    s2s_fixed_dft_steps steps;

    s2s_fixed_dft_plan(&steps, half);
    for (int32_t row = 0; row < rows; ++row) {
        const S2S_FIXED_ELEMENT *const from = &x[(size + 2) * row];
        S2S_FIXED_ELEMENT *const to = &y[size * row];
        int32_t number = 0;

        for (int32_t k = 0; k < half; ++k) {
            const int32_t low = number <= (half - 1) / 2 ? number : half - number;
            S2S_FIXED(fixed) even;
            S2S_FIXED(fixed) odd;

            if (number == 0) {
                odd = S2S_FIXED(fixed_number)((S2S_FIXED_WIDE)from[0] + from[2 * half],
                                              (S2S_FIXED_WIDE)from[0] - from[2 * half]);
                odd = S2S_FIXED(fixed_scaled)(odd, S2S_FIXED(fixed_share)(2));
                S2S_FIXED(fixed_store)(to, k, odd.r, odd.i);
            } else {
                S2S_FIXED(fixed_split)(&even, &odd, from, low, half, turns);
                if (low == number) {
                    S2S_FIXED(fixed_store)(to, k, even.r + odd.r, even.i + odd.i);
                } else {
                    S2S_FIXED(fixed_store)(to, k, even.r - odd.r, odd.i - even.i);
                }
            }
            number = s2s_fixed_dft_next(&steps, number);
        }
        S2S_FIXED(fixed_transform)(to, roots, &steps, half, 1);
    }
}

#undef S2S_FIXED
#undef S2S_FIXED_ELEMENT
#undef S2S_FIXED_WIDE
#undef S2S_FIXED_UNSIGNED
#undef S2S_FIXED_BITS

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_fft_rows.h: the functions of s2s_fft.h for one element type; s2s_fft.h includes this file for each.
 *
 * S2S_FFT(name) is the name of a function, S2S_FFT_ELEMENT the type of the elements.
 *
 * One step of radix r turns transforms of n = r * m numbers, `stride` of them interleaved, into r times as many of m:
 *
 *   y[q + stride * (r * p + k)] = root(p * k of n) * sum over t of x[q + stride * (p + t * m)] * root(t * k of r)
 *
 * for p < m, k < r, q < stride. Real and imaginary parts lie in arrays of their own. The root of a number k of n is
 * number k * unit of the table. */

S2S_INLINE void S2S_FFT(fft_radix_2)(S2S_FFT_ELEMENT *S2S_RESTRICT yr, S2S_FFT_ELEMENT *S2S_RESTRICT yi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT xr, const S2S_FFT_ELEMENT *S2S_RESTRICT xi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT roots, int32_t n, int32_t stride, int32_t unit)
{
    const int32_t m = n / 2;

    for (int32_t p = 0; p < m; ++p) {
        const S2S_FFT_ELEMENT *const w = &roots[2 * p * unit];
        const S2S_FFT_ELEMENT wr = w[0];
        const S2S_FFT_ELEMENT wi = w[1];
        const int32_t a = stride * p;
        const int32_t b = stride * (p + m);
        const int32_t to = stride * 2 * p;

        S2S_APART
        for (int32_t q = 0; q < stride; ++q) {
            const S2S_FFT_ELEMENT dr = xr[a + q] - xr[b + q];
            const S2S_FFT_ELEMENT di = xi[a + q] - xi[b + q];

            yr[to + q] = xr[a + q] + xr[b + q];
            yi[to + q] = xi[a + q] + xi[b + q];
            yr[to + stride + q] = dr * wr - di * wi;
            yi[to + stride + q] = dr * wi + di * wr;
        }
    }
}

S2S_INLINE void S2S_FFT(fft_radix_3)(S2S_FFT_ELEMENT *S2S_RESTRICT yr, S2S_FFT_ELEMENT *S2S_RESTRICT yi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT xr, const S2S_FFT_ELEMENT *S2S_RESTRICT xi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT roots, int32_t n, int32_t stride, int32_t unit)
{
    const int32_t m = n / 3;
    const S2S_FFT_ELEMENT sine = roots[2 * m * unit + 1];

    for (int32_t p = 0; p < m; ++p) {
        const S2S_FFT_ELEMENT *const w1 = &roots[2 * p * unit];
        const S2S_FFT_ELEMENT *const w2 = &roots[4 * p * unit];
        const S2S_FFT_ELEMENT w1r = w1[0];
        const S2S_FFT_ELEMENT w1i = w1[1];
        const S2S_FFT_ELEMENT w2r = w2[0];
        const S2S_FFT_ELEMENT w2i = w2[1];
        const int32_t a = stride * p;
        const int32_t b = stride * (p + m);
        const int32_t c = stride * (p + 2 * m);
        const int32_t to = stride * 3 * p;

        S2S_APART
        for (int32_t q = 0; q < stride; ++q) {
            const S2S_FFT_ELEMENT sr = xr[b + q] + xr[c + q];
            const S2S_FFT_ELEMENT si = xi[b + q] + xi[c + q];
            const S2S_FFT_ELEMENT tr = sine * (xr[b + q] - xr[c + q]);
            const S2S_FFT_ELEMENT ti = sine * (xi[b + q] - xi[c + q]);
            const S2S_FFT_ELEMENT hr = xr[a + q] - (S2S_FFT_ELEMENT)0.5 * sr;
            const S2S_FFT_ELEMENT hi = xi[a + q] - (S2S_FFT_ELEMENT)0.5 * si;
            const S2S_FFT_ELEMENT ur = hr - ti;
            const S2S_FFT_ELEMENT ui = hi + tr;
            const S2S_FFT_ELEMENT vr = hr + ti;
            const S2S_FFT_ELEMENT vi = hi - tr;

            yr[to + q] = xr[a + q] + sr;
            yi[to + q] = xi[a + q] + si;
            yr[to + stride + q] = ur * w1r - ui * w1i;
            yi[to + stride + q] = ur * w1i + ui * w1r;
            yr[to + 2 * stride + q] = vr * w2r - vi * w2i;
            yi[to + 2 * stride + q] = vr * w2i + vi * w2r;
        }
    }
}

S2S_INLINE void S2S_FFT(fft_radix_4)(S2S_FFT_ELEMENT *S2S_RESTRICT yr, S2S_FFT_ELEMENT *S2S_RESTRICT yi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT xr, const S2S_FFT_ELEMENT *S2S_RESTRICT xi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT roots, int32_t n, int32_t stride, int32_t unit)
{
    const int32_t m = n / 4;

    for (int32_t p = 0; p < m; ++p) {
        const S2S_FFT_ELEMENT w1r = roots[2 * p * unit];
        const S2S_FFT_ELEMENT w1i = roots[2 * p * unit + 1];
        const S2S_FFT_ELEMENT w2r = roots[4 * p * unit];
        const S2S_FFT_ELEMENT w2i = roots[4 * p * unit + 1];
        const S2S_FFT_ELEMENT w3r = roots[6 * p * unit];
        const S2S_FFT_ELEMENT w3i = roots[6 * p * unit + 1];
        const int32_t a = stride * p;
        const int32_t b = stride * (p + m);
        const int32_t c = stride * (p + 2 * m);
        const int32_t d = stride * (p + 3 * m);
        const int32_t to = stride * 4 * p;

        S2S_APART
        for (int32_t q = 0; q < stride; ++q) {
            const S2S_FFT_ELEMENT acr = xr[a + q] + xr[c + q];
            const S2S_FFT_ELEMENT aci = xi[a + q] + xi[c + q];
            const S2S_FFT_ELEMENT bdr = xr[b + q] + xr[d + q];
            const S2S_FFT_ELEMENT bdi = xi[b + q] + xi[d + q];
            const S2S_FFT_ELEMENT amcr = xr[a + q] - xr[c + q];
            const S2S_FFT_ELEMENT amci = xi[a + q] - xi[c + q];
            const S2S_FFT_ELEMENT bmdr = xr[b + q] - xr[d + q];
            const S2S_FFT_ELEMENT bmdi = xi[b + q] - xi[d + q];
            const S2S_FFT_ELEMENT y1r = amcr + bmdi;
            const S2S_FFT_ELEMENT y1i = amci - bmdr;
            const S2S_FFT_ELEMENT y2r = acr - bdr;
            const S2S_FFT_ELEMENT y2i = aci - bdi;
            const S2S_FFT_ELEMENT y3r = amcr - bmdi;
            const S2S_FFT_ELEMENT y3i = amci + bmdr;

            yr[to + q] = acr + bdr;
            yi[to + q] = aci + bdi;
            yr[to + stride + q] = y1r * w1r - y1i * w1i;
            yi[to + stride + q] = y1r * w1i + y1i * w1r;
            yr[to + 2 * stride + q] = y2r * w2r - y2i * w2i;
            yi[to + 2 * stride + q] = y2r * w2i + y2i * w2r;
            yr[to + 3 * stride + q] = y3r * w3r - y3i * w3i;
            yi[to + 3 * stride + q] = y3r * w3i + y3i * w3r;
        }
    }
}

S2S_INLINE void S2S_FFT(fft_radix_5)(S2S_FFT_ELEMENT *S2S_RESTRICT yr, S2S_FFT_ELEMENT *S2S_RESTRICT yi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT xr, const S2S_FFT_ELEMENT *S2S_RESTRICT xi,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT roots, int32_t n, int32_t stride, int32_t unit)
{
    const int32_t m = n / 5;
    const S2S_FFT_ELEMENT u1r = roots[2 * m * unit];
    const S2S_FFT_ELEMENT u1i = roots[2 * m * unit + 1];
    const S2S_FFT_ELEMENT u2r = roots[4 * m * unit];
    const S2S_FFT_ELEMENT u2i = roots[4 * m * unit + 1];

    for (int32_t p = 0; p < m; ++p) {
        const S2S_FFT_ELEMENT w1r = roots[2 * p * unit];
        const S2S_FFT_ELEMENT w1i = roots[2 * p * unit + 1];
        const S2S_FFT_ELEMENT w2r = roots[4 * p * unit];
        const S2S_FFT_ELEMENT w2i = roots[4 * p * unit + 1];
        const S2S_FFT_ELEMENT w3r = roots[6 * p * unit];
        const S2S_FFT_ELEMENT w3i = roots[6 * p * unit + 1];
        const S2S_FFT_ELEMENT w4r = roots[8 * p * unit];
        const S2S_FFT_ELEMENT w4i = roots[8 * p * unit + 1];
        const int32_t a = stride * p;
        const int32_t b = stride * (p + m);
        const int32_t c = stride * (p + 2 * m);
        const int32_t d = stride * (p + 3 * m);
        const int32_t e = stride * (p + 4 * m);
        const int32_t to = stride * 5 * p;

        S2S_APART
        for (int32_t q = 0; q < stride; ++q) {
            const S2S_FFT_ELEMENT ber = xr[b + q] + xr[e + q];
            const S2S_FFT_ELEMENT cdr = xr[c + q] + xr[d + q];
            const S2S_FFT_ELEMENT bmer = xr[b + q] - xr[e + q];
            const S2S_FFT_ELEMENT cmdr = xr[c + q] - xr[d + q];
            const S2S_FFT_ELEMENT even1r = xr[a + q] + u1r * ber + u2r * cdr;
            const S2S_FFT_ELEMENT even2r = xr[a + q] + u2r * ber + u1r * cdr;
            const S2S_FFT_ELEMENT odd1r = u1i * bmer + u2i * cmdr;
            const S2S_FFT_ELEMENT odd2r = u2i * bmer - u1i * cmdr;
            const S2S_FFT_ELEMENT bei = xi[b + q] + xi[e + q];
            const S2S_FFT_ELEMENT cdi = xi[c + q] + xi[d + q];
            const S2S_FFT_ELEMENT bmei = xi[b + q] - xi[e + q];
            const S2S_FFT_ELEMENT cmdi = xi[c + q] - xi[d + q];
            const S2S_FFT_ELEMENT even1i = xi[a + q] + u1r * bei + u2r * cdi;
            const S2S_FFT_ELEMENT even2i = xi[a + q] + u2r * bei + u1r * cdi;
            const S2S_FFT_ELEMENT odd1i = u1i * bmei + u2i * cmdi;
            const S2S_FFT_ELEMENT odd2i = u2i * bmei - u1i * cmdi;
            const S2S_FFT_ELEMENT y1r = even1r - odd1i;
            const S2S_FFT_ELEMENT y1i = even1i + odd1r;
            const S2S_FFT_ELEMENT y2r = even2r - odd2i;
            const S2S_FFT_ELEMENT y2i = even2i + odd2r;
            const S2S_FFT_ELEMENT y3r = even2r + odd2i;
            const S2S_FFT_ELEMENT y3i = even2i - odd2r;
            const S2S_FFT_ELEMENT y4r = even1r + odd1i;
            const S2S_FFT_ELEMENT y4i = even1i - odd1r;

            yr[to + q] = xr[a + q] + ber + cdr;
            yi[to + q] = xi[a + q] + bei + cdi;
            yr[to + stride + q] = y1r * w1r - y1i * w1i;
            yi[to + stride + q] = y1r * w1i + y1i * w1r;
            yr[to + 2 * stride + q] = y2r * w2r - y2i * w2i;
            yi[to + 2 * stride + q] = y2r * w2i + y2i * w2r;
            yr[to + 3 * stride + q] = y3r * w3r - y3i * w3i;
            yi[to + 3 * stride + q] = y3r * w3i + y3i * w3r;
            yr[to + 4 * stride + q] = y4r * w4r - y4i * w4i;
            yi[to + 4 * stride + q] = y4r * w4i + y4i * w4r;
        }
    }
}

/* The step for any radix. */
S2S_INLINE void S2S_FFT(fft_radix)(S2S_FFT_ELEMENT *S2S_RESTRICT yr, S2S_FFT_ELEMENT *S2S_RESTRICT yi,
                                   const S2S_FFT_ELEMENT *S2S_RESTRICT xr, const S2S_FFT_ELEMENT *S2S_RESTRICT xi,
                                   const S2S_FFT_ELEMENT *S2S_RESTRICT roots, int32_t n, int32_t stride, int32_t unit,
                                   int32_t radix)
{
    const int32_t m = n / radix;

    for (int32_t p = 0; p < m; ++p) {
        for (int32_t k = 0; k < radix; ++k) {
            const S2S_FFT_ELEMENT wr = roots[2 * p * k * unit];
            const S2S_FFT_ELEMENT wi = roots[2 * p * k * unit + 1];
            const int32_t to = stride * (radix * p + k);

            S2S_APART
            for (int32_t q = 0; q < stride; ++q) {
                yr[to + q] = xr[stride * p + q];
                yi[to + q] = xi[stride * p + q];
            }
            for (int32_t t = 1; t < radix; ++t) {
                const int32_t from = stride * (p + t * m);
                const S2S_FFT_ELEMENT ur = roots[2 * (t * k % radix) * m * unit];
                const S2S_FFT_ELEMENT ui = roots[2 * (t * k % radix) * m * unit + 1];

                S2S_APART
                for (int32_t q = 0; q < stride; ++q) {
                    yr[to + q] += xr[from + q] * ur - xi[from + q] * ui;
                    yi[to + q] += xr[from + q] * ui + xi[from + q] * ur;
                }
            }
            S2S_APART
            for (int32_t q = 0; q < stride; ++q) {
                const S2S_FFT_ELEMENT r = yr[to + q];
                const S2S_FFT_ELEMENT i = yi[to + q];

                yr[to + q] = r * wr - i * wi;
                yi[to + q] = r * wi + i * wr;
            }
        }
    }
}

S2S_INLINE int32_t S2S_FFT(fft_factor)(int32_t n)
{
    int32_t factor = n % 4 == 0 ? 4 : 2;

    while (n % factor != 0) {
        ++factor;
    }
    return factor;
}

/* Transforms `lanes` rows of n numbers in `planes`: real parts, imaginary parts, and as much room. Returns where the real
 * parts of the results are; the imaginary ones follow. */
S2S_INLINE S2S_FFT_ELEMENT *S2S_FFT(fft_planes)(S2S_FFT_ELEMENT *planes, const S2S_FFT_ELEMENT *S2S_RESTRICT roots,
                                                int32_t size, int32_t lanes, int32_t unit)
{
    const int32_t plane = size * lanes;
    S2S_FFT_ELEMENT *x = planes;
    S2S_FFT_ELEMENT *y = &planes[2 * plane];
    int32_t stride = lanes;
    int32_t n = size;

    while (n > 1) {
        const int32_t radix = S2S_FFT(fft_factor)(n);
        S2S_FFT_ELEMENT *const next = x;

        switch (radix) {
        case 2:
            S2S_FFT(fft_radix_2)(y, &y[plane], x, &x[plane], roots, n, stride, unit);
            break;
        case 3:
            S2S_FFT(fft_radix_3)(y, &y[plane], x, &x[plane], roots, n, stride, unit);
            break;
        case 4:
            S2S_FFT(fft_radix_4)(y, &y[plane], x, &x[plane], roots, n, stride, unit);
            break;
        case 5:
            S2S_FFT(fft_radix_5)(y, &y[plane], x, &x[plane], roots, n, stride, unit);
            break;
        default:
            S2S_FFT(fft_radix)(y, &y[plane], x, &x[plane], roots, n, stride, unit, radix);
            break;
        }
        x = y;
        y = next;
        n /= radix;
        stride *= radix;
        unit *= radix;
    }
    return x;
}

/* Transforms rows of an even number of real numbers: the even ones are real parts and the odd ones imaginary parts of
 * half as many complex numbers, whose transform z gives that of the row:
 *
 *   y[k] = (z[k] + conj z[h - k]) / 2 + root k * (z[k] - conj z[h - k]) / 2i,  h = size / 2 */
S2S_INLINE void S2S_FFT(fft_real)(S2S_FFT_ELEMENT *S2S_RESTRICT y, S2S_FFT_ELEMENT *S2S_RESTRICT scratch,
                                  const S2S_FFT_ELEMENT *S2S_RESTRICT x, const S2S_FFT_ELEMENT *S2S_RESTRICT roots,
                                  int32_t size, int32_t bins, S2S_FFT_ELEMENT sign, int32_t lanes)
{
    const int32_t half = size / 2;
    const int32_t plane = half * lanes;
    const S2S_FFT_ELEMENT one_half = (S2S_FFT_ELEMENT)0.5;
    S2S_FFT_ELEMENT *const S2S_RESTRICT found = &scratch[4 * plane];
    const S2S_FFT_ELEMENT *z;

    for (int32_t lane = 0; lane < lanes; ++lane) {
        for (int32_t i = 0; i < half; ++i) {
            scratch[i * lanes + lane] = x[size * lane + 2 * i];
            scratch[plane + i * lanes + lane] = x[size * lane + 2 * i + 1];
        }
    }
    z = S2S_FFT(fft_planes)(scratch, roots, half, lanes, 2);
    for (int32_t k = 0; k < bins; ++k) {
        const int32_t place = k < half ? k : k - half;
        const S2S_FFT_ELEMENT *const a = &z[place * lanes];
        const S2S_FFT_ELEMENT *const b = &z[(place == 0 ? 0 : half - place) * lanes];
        const S2S_FFT_ELEMENT wr = roots[2 * k];
        const S2S_FFT_ELEMENT wi = roots[2 * k + 1];

        for (int32_t lane = 0; lane < lanes; ++lane) {
            const S2S_FFT_ELEMENT odd_r = a[plane + lane] + b[plane + lane];
            const S2S_FFT_ELEMENT odd_i = b[lane] - a[lane];

            found[k * lanes + lane] = one_half * (a[lane] + b[lane] + (odd_r * wr - odd_i * wi));
            found[(bins + k) * lanes + lane] =
                sign * one_half * (a[plane + lane] - b[plane + lane] + (odd_r * wi + odd_i * wr));
        }
    }
    for (int32_t lane = 0; lane < lanes; ++lane) {
        S2S_FFT_ELEMENT *const row = &y[2 * bins * lane];

        for (int32_t k = 0; k < bins; ++k) {
            row[2 * k] = found[k * lanes + lane];
            row[2 * k + 1] = found[(bins + k) * lanes + lane];
        }
    }
}

/* Transforms rows of complex numbers, or of an odd number of real ones. With real and imaginary parts exchanged before
 * and after, the transform is the inverse one. */
S2S_INLINE void S2S_FFT(fft_complex)(S2S_FFT_ELEMENT *S2S_RESTRICT y, S2S_FFT_ELEMENT *S2S_RESTRICT scratch,
                                     const S2S_FFT_ELEMENT *S2S_RESTRICT x, const S2S_FFT_ELEMENT *S2S_RESTRICT roots,
                                     int32_t size, int32_t parts, int32_t bins, int32_t inverse, int32_t lanes)
{
    const int32_t plane = size * lanes;
    S2S_FFT_ELEMENT *const real = &scratch[inverse != 0 ? plane : 0];
    S2S_FFT_ELEMENT *const imaginary = &scratch[inverse != 0 ? 0 : plane];
    const S2S_FFT_ELEMENT *z;

    for (int32_t lane = 0; lane < lanes; ++lane) {
        for (int32_t i = 0; i < size; ++i) {
            const S2S_FFT_ELEMENT *const from = &x[(size * lane + i) * parts];

            real[i * lanes + lane] = from[0];
            imaginary[i * lanes + lane] = parts == 2 ? from[1] : (S2S_FFT_ELEMENT)0;
        }
    }
    z = S2S_FFT(fft_planes)(scratch, roots, size, lanes, 1);
    for (int32_t lane = 0; lane < lanes; ++lane) {
        for (int32_t k = 0; k < bins; ++k) {
            S2S_FFT_ELEMENT *const to = &y[2 * (bins * lane + k)];

            to[0] = z[(inverse != 0 ? plane : 0) + k * lanes + lane];
            to[1] = z[(inverse != 0 ? 0 : plane) + k * lanes + lane];
        }
    }
}

S2S_INLINE void S2S_FFT(fft)(S2S_FFT_ELEMENT *S2S_RESTRICT y, S2S_FFT_ELEMENT *S2S_RESTRICT scratch,
                             const S2S_FFT_ELEMENT *S2S_RESTRICT x, const S2S_FFT_ELEMENT *S2S_RESTRICT roots,
                             int32_t rows, int32_t size, int32_t parts, int32_t bins, int32_t inverse, int32_t lanes)
{
    for (int32_t row = 0; row < rows; row += lanes) {
        const int32_t some = rows - row < lanes ? rows - row : lanes;

        if (parts == 1 && size % 2 == 0) {
            S2S_FFT(fft_real)(&y[2 * bins * row], scratch, &x[size * row], roots, size, bins,
                              (S2S_FFT_ELEMENT)(inverse != 0 ? -1 : 1), some);
        } else {
            S2S_FFT(fft_complex)(&y[2 * bins * row], scratch, &x[size * parts * row], roots, size, parts, bins, inverse,
                                 some);
        }
    }
}

#undef S2S_FFT
#undef S2S_FFT_ELEMENT

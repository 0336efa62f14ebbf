/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_determinant_rows.h: the functions of s2s_determinant.h for one element type; s2s_determinant.h includes this file
 * for each.
 *
 * S2S_DETERMINANT(name) is the name of a function, S2S_DETERMINANT_ELEMENT the type of the elements, and
 * S2S_DETERMINANT_ABS takes the absolute value of one. */

/* The row below which column `step` has its pivot: the one with the largest number, or with NaN. */
S2S_INLINE int32_t S2S_DETERMINANT(pivot)(const S2S_DETERMINANT_ELEMENT *a, int32_t size, int32_t step)
{
    S2S_DETERMINANT_ELEMENT largest = S2S_DETERMINANT_ABS(a[step * size + step]);
    int32_t found = step;

    for (int32_t row = step + 1; row < size; ++row) {
        const S2S_DETERMINANT_ELEMENT each = S2S_DETERMINANT_ABS(a[row * size + step]);

        if (each > largest || each != each) {
            largest = each;
            found = row;
        }
    }
    return found;
}

/* The determinant of one matrix, which is overwritten. */
S2S_INLINE S2S_DETERMINANT_ELEMENT S2S_DETERMINANT(eliminated)(S2S_DETERMINANT_ELEMENT *a, int32_t size)
{
    S2S_DETERMINANT_ELEMENT product = 1;

    for (int32_t step = 0; step < size; ++step) {
        const int32_t pivot = S2S_DETERMINANT(pivot)(a, size, step);
        S2S_DETERMINANT_ELEMENT *const top = a + step * size;
        S2S_DETERMINANT_ELEMENT *const best = a + pivot * size;

        if (best[step] == 0) {
            return 0;
        }
        for (int32_t column = step; column < size && pivot != step; ++column) {
            const S2S_DETERMINANT_ELEMENT moved = top[column];

            top[column] = best[column];
            best[column] = moved;
        }
        product *= pivot == step ? top[step] : -top[step];
        for (int32_t row = step + 1; row < size; ++row) {
            S2S_DETERMINANT_ELEMENT *const below = a + row * size;
            const S2S_DETERMINANT_ELEMENT factor = below[step] / top[step];

            S2S_APART
            for (int32_t column = step + 1; column < size; ++column) {
                below[column] -= factor * top[column];
            }
        }
    }
    return product;
}

S2S_INLINE void S2S_DETERMINANT(determinant)(
    S2S_DETERMINANT_ELEMENT *S2S_RESTRICT y, S2S_DETERMINANT_ELEMENT *S2S_RESTRICT scratch,
    const S2S_DETERMINANT_ELEMENT *S2S_RESTRICT x, int32_t count, int32_t size)
{
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t at = 0; at < size * size; ++at) {
            scratch[at] = x[i * size * size + at];
        }
        y[i] = S2S_DETERMINANT(eliminated)(scratch, size);
    }
}

#undef S2S_DETERMINANT
#undef S2S_DETERMINANT_ELEMENT
#undef S2S_DETERMINANT_ABS

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_row_order_rows.h: the functions of s2s_row_order.h for one element type; s2s_row_order.h includes this file for
 * each, with the macros of s2s_select_rows.h. */

/* Returns whether row a stands behind row b. */
S2S_INLINE int S2S_ORDER(row_is_behind)(const S2S_ORDER_ELEMENT *a, const S2S_ORDER_ELEMENT *b, int32_t size)
{
    int32_t n = 0;

    while (n < size - 1 && S2S_ORDER(key)(a[n]) == S2S_ORDER(key)(b[n])) {
        ++n;
    }
    return S2S_ORDER(key)(a[n]) > S2S_ORDER(key)(b[n]) ? 1 : 0;
}

/* Merges the ordered places from `start` to `middle` and from there to `end`. */
S2S_INLINE void S2S_ORDER(row_merge)(int32_t *S2S_RESTRICT places, int32_t *S2S_RESTRICT scratch,
                                     const S2S_ORDER_ELEMENT *x, int32_t size, int32_t start, int32_t middle,
                                     int32_t end)
{
    int32_t left = start;
    int32_t right = middle;

    for (int32_t n = start; n < end; ++n) {
        int takes_right = left == middle ? 1 : 0;

        if (takes_right == 0 && right < end) {
            takes_right = S2S_ORDER(row_is_behind)(&x[places[left] * size], &x[places[right] * size], size);
        }
        scratch[n] = takes_right != 0 ? places[right++] : places[left++];
    }
    for (int32_t n = start; n < end; ++n) {
        places[n] = scratch[n];
    }
}

S2S_INLINE void S2S_ORDER(row_order)(int32_t *places, int32_t *scratch, const S2S_ORDER_ELEMENT *x, int32_t rows,
                                     int32_t size)
{
    for (int32_t n = 0; n < rows; ++n) {
        places[n] = n;
    }
    for (int32_t run = 1; run < rows; run = run > rows / 2 ? rows : 2 * run) {
        for (int32_t start = 0; run < rows - start;) {
            const int32_t middle = start + run;
            const int32_t end = run < rows - middle ? middle + run : rows;

            S2S_ORDER(row_merge)(places, scratch, x, size, start, middle, end);
            start = end;
        }
    }
}

#undef S2S_ORDER
#undef S2S_ORDER_ELEMENT
#undef S2S_ORDER_KEY

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_select_rows.h: the functions of s2s_select.h for one element type; s2s_select.h includes this file for each.
 *
 * S2S_ORDER(name) is the name of a function, S2S_ORDER_ELEMENT the type of the elements, S2S_ORDER_KEY that of their
 * keys. */

/* Returns a key that at least `count` of the keys reach, and few others: the count-th highest of the maxima of
 * S2S_SELECT_LANES interleaved parts, or 0 where there are too few keys. maxima has room for one of each part. */
S2S_INLINE S2S_ORDER_KEY S2S_ORDER(select_bound)(S2S_ORDER_KEY *S2S_RESTRICT maxima,
                                                 const S2S_ORDER_KEY *S2S_RESTRICT keys, int32_t size, int32_t count)
{
    const int32_t lanes = count <= S2S_SELECT_BLOCK / 2 ? S2S_SELECT_BLOCK : 4 * S2S_SELECT_BLOCK;
    S2S_ORDER_KEY bound = (S2S_ORDER_KEY)-1;

    if (2 * count > lanes || 2 * lanes > size) {
        return 0u;
    }
    for (int32_t lane = 0; lane < lanes; ++lane) {
        maxima[lane] = keys[lane];
    }
    for (int32_t start = lanes; start + S2S_SELECT_BLOCK <= size; start += S2S_SELECT_BLOCK) {
        S2S_ORDER_KEY *const part = &maxima[start % lanes];

        for (int32_t n = 0; n < S2S_SELECT_BLOCK; ++n) {
            part[n] = keys[start + n] > part[n] ? keys[start + n] : part[n];
        }
    }
    for (int32_t lane = 0; lane < lanes; ++lane) {
        uint32_t higher = 0u;

        for (int32_t n = 0; n < lanes; ++n) {
            higher += (uint32_t)(maxima[n] > maxima[lane]);
        }
        bound = higher < (uint32_t)count && maxima[lane] < bound ? maxima[lane] : bound;
    }
    return bound;
}

/* Moves the keys that reach `bound`, and their places, to the front; returns their number. */
S2S_INLINE int32_t S2S_ORDER(select_reaching)(S2S_ORDER_KEY *S2S_RESTRICT to, S2S_ORDER_KEY *S2S_RESTRICT places,
                                              const S2S_ORDER_KEY *S2S_RESTRICT keys, int32_t size,
                                              S2S_ORDER_KEY bound)
{
    int32_t found = 0;

    for (int32_t start = 0; start < size; start += S2S_SELECT_BLOCK) {
        const int32_t end = size - start < S2S_SELECT_BLOCK ? size : start + S2S_SELECT_BLOCK;
        uint32_t reached = end - start < S2S_SELECT_BLOCK ? 1u : 0u;

        if (reached == 0u) {
            for (int32_t n = 0; n < S2S_SELECT_BLOCK; ++n) {
                reached |= (uint32_t)(keys[start + n] >= bound);
            }
        }
        for (int32_t n = reached != 0u ? start : end; n < end; ++n) {
            to[found] = keys[n];
            places[found] = (S2S_ORDER_KEY)n;
            found += (int32_t)(keys[n] >= bound);
        }
    }
    return found;
}

/* Puts a few keys and their places into falling order, keeping that of equal keys. */
S2S_INLINE void S2S_ORDER(select_few)(S2S_ORDER_KEY *S2S_RESTRICT keys, S2S_ORDER_KEY *S2S_RESTRICT places,
                                      int32_t size)
{
    for (int32_t i = 1; i < size; ++i) {
        const S2S_ORDER_KEY key = keys[i];
        const S2S_ORDER_KEY place = places[i];
        int32_t n = i;

        for (; n > 0 && keys[n - 1] < key; --n) {
            keys[n] = keys[n - 1];
            places[n] = places[n - 1];
        }
        keys[n] = key;
        places[n] = place;
    }
}

/* Moves keys and their places to the falling order of one digit, keeping that of equal digits. starts has room for a number for
 * each digit. Returns whether it did: not if all keys have the same digit. */
S2S_INLINE int S2S_ORDER(select_digit)(S2S_ORDER_KEY *S2S_RESTRICT to, S2S_ORDER_KEY *S2S_RESTRICT to_places,
                                       const S2S_ORDER_KEY *S2S_RESTRICT from,
                                       const S2S_ORDER_KEY *S2S_RESTRICT from_places,
                                       S2S_ORDER_KEY *S2S_RESTRICT starts, int32_t size, int32_t shift)
{
    S2S_ORDER_KEY start = 0u;

    for (int32_t digit = 0; digit < 256; ++digit) {
        starts[digit] = 0u;
    }
    for (int32_t n = 0; n < size; ++n) {
        starts[(from[n] >> shift) & 0xffu]++;
    }
    if (starts[(from[0] >> shift) & 0xffu] == (S2S_ORDER_KEY)size) {
        return 0;
    }
    for (int32_t digit = 255; digit >= 0; --digit) {
        const S2S_ORDER_KEY length = starts[digit];

        starts[digit] = start;
        start += length;
    }
    for (int32_t n = 0; n < size; ++n) {
        const S2S_ORDER_KEY at = starts[(from[n] >> shift) & 0xffu]++;

        to[at] = from[n];
        to_places[at] = from_places[n];
    }
    return 1;
}

/* The first elements in falling order of their keys, of which `turn` inverts some bits. */
S2S_INLINE void S2S_ORDER(select)(int32_t *places, S2S_ORDER_KEY *scratch, const S2S_ORDER_ELEMENT *x, int32_t rows,
                                  int32_t size, int32_t count, S2S_ORDER_KEY turn)
{
    S2S_ORDER_KEY *const starts = scratch + 4 * size;

    for (int32_t row = 0; row < rows; ++row) {
        S2S_ORDER_KEY *from = scratch;
        S2S_ORDER_KEY *to = scratch + 2 * size;
        int32_t found;

        for (int32_t n = 0; n < size; ++n) {
            to[n] = (S2S_ORDER_KEY)(S2S_ORDER(key)(x[row * size + n]) ^ turn);
        }
        found = S2S_ORDER(select_reaching)(from, from + size, to, size,
                                           S2S_ORDER(select_bound)(starts, to, size, count));
        if (found <= S2S_SELECT_FEW) {
            S2S_ORDER(select_few)(from, from + size, found);
        } else {
            for (int32_t shift = 0; shift < 8 * (int32_t)sizeof(S2S_ORDER_KEY); shift += 8) {
                if (S2S_ORDER(select_digit)(to, to + size, from, from + size, starts, found, shift) != 0) {
                    S2S_ORDER_KEY *const sorted = to;

                    to = from;
                    from = sorted;
                }
            }
        }
        for (int32_t n = 0; n < count; ++n) {
            places[row * count + n] = (int32_t)from[size + n];
        }
    }
}

S2S_INLINE void S2S_ORDER(largest)(int32_t *places, S2S_ORDER_KEY *scratch, const S2S_ORDER_ELEMENT *x, int32_t rows,
                                   int32_t size, int32_t count)
{
    S2S_ORDER(select)(places, scratch, x, rows, size, count, 0u);
}

S2S_INLINE void S2S_ORDER(smallest)(int32_t *places, S2S_ORDER_KEY *scratch, const S2S_ORDER_ELEMENT *x, int32_t rows,
                                    int32_t size, int32_t count)
{
    S2S_ORDER(select)(places, scratch, x, rows, size, count, (S2S_ORDER_KEY)-1);
}

#undef S2S_ORDER
#undef S2S_ORDER_ELEMENT
#undef S2S_ORDER_KEY

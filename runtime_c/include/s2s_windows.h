/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_windows.h: sums of products of rows of bytes in registers.
 *
 * Arm's M-profile vector extension takes a row in two instructions; any other C99 compiler, or -DS2S_LANES_PORTABLE,
 * gets loops with the same names and the same results.
 *
 * Types     s2s_row8, s2s_row16: 8 or 16 bytes, which fill a register; s2s_rows8, s2s_rows16: four of them.
 * Functions, with N the number of bytes:
 *
 *   s2s_rowN_load(p), s2s_rowsN_load(p)   the bytes at p
 *   s2s_rowN_load_at(p, at)               s2s_rowN_load(p + at), where at is a constant from 0 to 127
 *   s2s_rowN_dot(acc, x, w)               acc + the sum of x[k] * w[k] for k < N, wrapping around
 *   s2s_i32x4_dot_rowsN(acc, x, w)        the same in each lane, with the row of w of that number */
#ifndef S2S_WINDOWS_H
#define S2S_WINDOWS_H

#include "s2s_config.h"
#include "s2s_simd.h"

#include <stdint.h>
#include <string.h>

#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__) && !defined(S2S_SIMD_PORTABLE) && !defined(S2S_LANES_PORTABLE)
#include <arm_mve.h>

typedef int16x8_t s2s_row8;
typedef int8x16_t s2s_row16;

/* The distance is part of the instruction, as in s2s_lanes_mve.h. */
#define S2S_ROW_AT(type, load, p, at)                                                                                  \
    __extension__({                                                                                                    \
        const int8_t(*const s2s_row_)[143] = (const int8_t(*)[143])(const void *)(p);                                  \
        type s2s_loaded_;                                                                                              \
        __asm__(load " %q0, [%1, %2]" : "=w"(s2s_loaded_) : "l"(s2s_row_), "i"(at), "m"(*s2s_row_));                   \
        s2s_loaded_;                                                                                                   \
    })
#define s2s_row8_load_at(p, at) S2S_ROW_AT(s2s_row8, "vldrb.s16", p, at)
#define s2s_row16_load_at(p, at) S2S_ROW_AT(s2s_row16, "vldrb.u8", p, at)

S2S_ALWAYS_INLINE s2s_row8 s2s_row8_load(const int8_t *p) { return vldrbq_s16(p); }
S2S_ALWAYS_INLINE s2s_row16 s2s_row16_load(const int8_t *p) { return vldrbq_s8(p); }
S2S_ALWAYS_INLINE int32_t s2s_row8_dot(int32_t acc, s2s_row8 x, s2s_row8 w) { return vmladavaq_s16(acc, x, w); }
S2S_ALWAYS_INLINE int32_t s2s_row16_dot(int32_t acc, s2s_row16 x, s2s_row16 w) { return vmladavaq_s8(acc, x, w); }

#define S2S_ROWS(n, multiply)                                                                                          \
    typedef struct s2s_rows##n { s2s_row##n a, b, c, d; } s2s_rows##n;                                                 \
                                                                                                                       \
    S2S_ALWAYS_INLINE s2s_rows##n s2s_rows##n##_load(const int8_t *p)                                                  \
    {                                                                                                                  \
        s2s_rows##n rows;                                                                                              \
                                                                                                                       \
        rows.a = s2s_row##n##_load(p);                                                                                 \
        rows.b = s2s_row##n##_load_at(p, n);                                                                           \
        rows.c = s2s_row##n##_load_at(p, 2 * (n));                                                                     \
        rows.d = s2s_row##n##_load_at(p, 3 * (n));                                                                     \
        return rows;                                                                                                   \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_dot_rows##n(s2s_i32x4 acc, s2s_row##n x, s2s_rows##n w)                      \
    {                                                                                                                  \
        int32_t a, b, c, d;                                                                                            \
        s2s_i32x4 sums;                                                                                                \
                                                                                                                       \
        __asm__(multiply " %[a], %q[x], %q[wa]\n\t" multiply " %[b], %q[x], %q[wb]\n\t"                                \
                multiply " %[c], %q[x], %q[wc]\n\t" multiply " %[d], %q[x], %q[wd]\n\t"                                \
                "vmov %q[sums][2], %q[sums][0], %[a], %[c]\n\tvmov %q[sums][3], %q[sums][1], %[b], %[d]"               \
                : [a] "=&Te"(a), [b] "=&Te"(b), [c] "=&Te"(c), [d] "=&Te"(d), [sums] "=w"(sums)                        \
                : [x] "w"(x), [wa] "w"(w.a), [wb] "w"(w.b), [wc] "w"(w.c), [wd] "w"(w.d));                             \
        return s2s_i32x4_add(sums, acc);                                                                               \
    }

S2S_ROWS(8, "vmladav.s16")
S2S_ROWS(16, "vmladav.s8")
#undef S2S_ROWS
#else
#define S2S_ROW(n)                                                                                                     \
    typedef struct s2s_row##n { int8_t bytes[n]; } s2s_row##n;                                                         \
                                                                                                                       \
    S2S_ALWAYS_INLINE s2s_row##n s2s_row##n##_load(const int8_t *p)                                                    \
    {                                                                                                                  \
        s2s_row##n row;                                                                                                \
                                                                                                                       \
        memcpy(row.bytes, p, sizeof row.bytes);                                                                        \
        return row;                                                                                                    \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE int32_t s2s_row##n##_dot(int32_t acc, s2s_row##n x, s2s_row##n w)                                \
    {                                                                                                                  \
        uint32_t sum = (uint32_t)acc;                                                                                  \
                                                                                                                       \
        for (int32_t k = 0; k < (n); k++) {                                                                            \
            sum += (uint32_t)((int32_t)x.bytes[k] * w.bytes[k]);                                                       \
        }                                                                                                              \
        return (int32_t)sum;                                                                                           \
    }                                                                                                                  \
    typedef struct s2s_rows##n { s2s_row##n row[4]; } s2s_rows##n;                                                     \
                                                                                                                       \
    S2S_ALWAYS_INLINE s2s_rows##n s2s_rows##n##_load(const int8_t *p)                                                  \
    {                                                                                                                  \
        s2s_rows##n rows;                                                                                              \
                                                                                                                       \
        for (int32_t i = 0; i < 4; i++) {                                                                              \
            rows.row[i] = s2s_row##n##_load(&p[i * (n)]);                                                              \
        }                                                                                                              \
        return rows;                                                                                                   \
    }                                                                                                                  \
    S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_dot_rows##n(s2s_i32x4 acc, s2s_row##n x, s2s_rows##n w)                      \
    {                                                                                                                  \
        int32_t lanes[4];                                                                                              \
                                                                                                                       \
        for (int32_t i = 0; i < 4; i++) {                                                                              \
            lanes[i] = s2s_row##n##_dot(s2s_i32x4_lane(acc, i), x, w.row[i]);                                          \
        }                                                                                                              \
        return s2s_i32x4_load(lanes);                                                                                  \
    }

S2S_ROW(8)
S2S_ROW(16)

#define s2s_row8_load_at(p, at) s2s_row8_load((p) + (at))
#define s2s_row16_load_at(p, at) s2s_row16_load((p) + (at))
#undef S2S_ROW
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_lanes_mve.h: s2s_lanes.h in instructions of Arm's M-profile vector extension; included by it. */
#ifndef S2S_LANES_MVE_H
#define S2S_LANES_MVE_H

#include "s2s_config.h"
#include "s2s_simd.h"

#if defined(__ARM_FEATURE_MVE) && defined(__GNUC__)
#include <arm_mve.h>
#include <stdint.h>

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_load_i8(const int8_t *p)
{
    return (s2s_i32x4)vldrbq_s32(p);
}

typedef struct {
    int8_t bytes[131];
} s2s_row_of_bytes;

/* The distance is part of the instruction, which takes one of the first eight registers. GCC would compute the address
 * of each of several vectors. */
#define s2s_i32x4_load_i8_at(p, at)                                                                                    \
    __extension__({                                                                                                    \
        const s2s_row_of_bytes *const s2s_row_ = (const s2s_row_of_bytes *)(const void *)(p);                          \
        int32x4_t s2s_loaded_;                                                                                         \
        __asm__("vldrb.s32 %q0, [%1, %2]" : "=w"(s2s_loaded_) : "l"(s2s_row_), "i"(at), "m"(*s2s_row_));               \
        (s2s_i32x4) s2s_loaded_;                                                                                       \
    })

S2S_ALWAYS_INLINE void s2s_i32x4_store_i8(int8_t *p, s2s_i32x4 a)
{
    vstrbq_s32(p, (int32x4_t)a);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_saturate_i8(s2s_i32x4 a)
{
    return (s2s_i32x4)vminq_s32(vmaxq_s32((int32x4_t)a, vdupq_n_s32(-128)), vdupq_n_s32(127));
}

/* The lowest byte of each lane, narrowed twice, without limits in registers. */
S2S_ALWAYS_INLINE void s2s_i32x4_store_saturated_i8(int8_t *p, s2s_i32x4 a)
{
    __asm__("vqmovnb.s32 %q[a], %q[a]\n\tvqmovnb.s16 %q[a], %q[a]" : [a] "+w"(a));
    vstrbq_s32(p, (int32x4_t)a);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_high(s2s_i32x4 x, s2s_i32x4 multiplier)
{
    return (s2s_i32x4)vqrdmulhq_s32((int32x4_t)x, (int32x4_t)multiplier);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_negative(s2s_i32x4 x, s2s_i32x4 multiplier, s2s_i32x4 shift)
{
    const int32x4_t high = vqrdmulhq_s32((int32x4_t)x, (int32x4_t)multiplier);

    return (s2s_i32x4)vrshlq_s32(vaddq_s32(high, vshrq_n_s32(high, 31)), (int32x4_t)shift);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_negative_by(s2s_i32x4 x, int32_t multiplier, int32_t shift)
{
    const int32x4_t high = vqrdmulhq_n_s32((int32x4_t)x, multiplier);

    return (s2s_i32x4)vrshlq_n_s32(vaddq_s32(high, vshrq_n_s32(high, 31)), shift);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_upward(s2s_i32x4 x, s2s_i32x4 multiplier, s2s_i32x4 shift)
{
    return (s2s_i32x4)vrshlq_s32(vqrdmulhq_s32((int32x4_t)x, (int32x4_t)multiplier), (int32x4_t)shift);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_upward_by(s2s_i32x4 x, int32_t multiplier, int32_t shift)
{
    return (s2s_i32x4)vrshlq_n_s32(vqrdmulhq_n_s32((int32x4_t)x, multiplier), shift);
}

S2S_ALWAYS_INLINE s2s_i32x4 s2s_i32x4_rescale_double(s2s_i32x4 x, s2s_i32x4 multiplier, s2s_i32x4 shift)
{
    const int32x4_t zero = vdupq_n_s32(0);
    const int32x4_t left = vmaxq_s32((int32x4_t)shift, zero);
    const int32x4_t right = vminq_s32((int32x4_t)shift, zero);
    const int32x4_t high = vqrdmulhq_s32(vshlq_s32((int32x4_t)x, left), (int32x4_t)multiplier);

    return (s2s_i32x4)vrshlq_s32(vqaddq_s32(high, vshrq_n_s32(vandq_s32(high, right), 31)), right);
}

/* A row of up to so many vectors is written out. The loop over a longer one repeats its body where that divides the
 * steps, so that there are fewer branches. */
#ifdef __OPTIMIZE_SIZE__
#define S2S_WRITTEN_OUT 0
#define S2S_BODIES(steps, n) 1
#else
#define S2S_WRITTEN_OUT 18
#define S2S_BODIES(steps, n)                                                                                           \
    ((steps) % (8 * (n)) == 0   ? 8                                                                                    \
     : (steps) % (6 * (n)) == 0 ? 6                                                                                    \
     : (steps) % (4 * (n)) == 0 ? 4                                                                                    \
     : (steps) % (3 * (n)) == 0 ? 3                                                                                    \
     : (steps) % (2 * (n)) == 0 ? 2                                                                                    \
                                : 1)
#endif

/* A body takes a vector of the row and one of each row of constants; sums live in even registers. */
#define S2S_DOT_BODY(load_x, load_w, multiply)                                                                         \
    load_x "\n\t" load_w "\n\t" multiply " %[a], q0, q1\n\t"                                                           \
    load_w "\n\t" multiply " %[b], q0, q1\n\t"                                                                         \
    load_w "\n\t" multiply " %[c], q0, q1\n\t"                                                                         \
    load_w "\n\t" multiply " %[d], q0, q1\n\t"
#define S2S_DOT_STEP(element, n, load_x, load_w, multiply, sum)                                                        \
    __asm__(S2S_DOT_BODY(load_x, load_w, multiply)                                                                     \
            : [a] sum(a), [b] sum(b), [c] sum(c), [d] sum(d), [x] "+l"(x), [w] "+l"(w)                                 \
            : "m"(*(const element(*)[n])x)                                                                             \
            : "q0", "q1")
#define S2S_DOT_LOOP(element, each, bodies)                                                                            \
    __asm__("dls lr, %[passes]\n"                                                                                      \
            "1:\n\t" bodies "le lr, 1b\n\t"                                                                            \
            "vmov %q[sums][2], %q[sums][0], %[a], %[c]\n\t"                                                            \
            "vmov %q[sums][3], %q[sums][1], %[b], %[d]"                                                                \
            : [a] "+&Te"(a), [b] "+&Te"(b), [c] "+&Te"(c), [d] "+&Te"(d), [x] "+&l"(x), [w] "+&l"(w),                  \
              [sums] "=&w"(sums)                                                                                       \
            : [passes] "r"(steps / (each)), "m"(*(const element(*)[steps])x)                                           \
            : "lr", "q0", "q1", "cc")
#define S2S_DOT_SUMS(sums)                                                                                             \
    __asm__("vmov %q0[2], %q0[0], %1, %3\n\tvmov %q0[3], %q0[1], %2, %4" : "=&w"(sums) : "r"(a), "r"(b), "r"(c), "r"(d))
#define S2S_DOT(name, element, n, load_x, load_w, type)                                                                \
    S2S_ALWAYS_INLINE s2s_i32x4 name##_looped(const element *x, const int8_t *w, int32_t steps)                        \
    {                                                                                                                  \
        int32_t a, b, c, d;                                                                                            \
        int32x4_t sums;                                                                                                \
                                                                                                                       \
        if (__builtin_constant_p(steps) && steps <= S2S_WRITTEN_OUT * (n)) {                                           \
            S2S_DOT_STEP(element, n, load_x, load_w, "vmladav" type, "=&Te");                                          \
            S2S_UNROLL(18)                                                                                             \
            for (int32_t k = (n); k < steps; k += (n)) {                                                               \
                S2S_DOT_STEP(element, n, load_x, load_w, "vmladava" type, "+Te");                                      \
            }                                                                                                          \
            S2S_DOT_SUMS(sums);                                                                                        \
            return (s2s_i32x4)sums;                                                                                    \
        }                                                                                                              \
        a = b = c = d = 0;                                                                                             \
        switch (S2S_BODIES(steps, n)) {                                                                                \
        case 8:                                                                                                        \
            S2S_DOT_LOOP(element, 8 * (n), S2S_DOT_BODY(load_x, load_w, "vmladava" type)                               \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)   \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)   \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)   \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type));                                               \
            break;                                                                                                     \
        case 6:                                                                                                        \
            S2S_DOT_LOOP(element, 6 * (n), S2S_DOT_BODY(load_x, load_w, "vmladava" type)                               \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)   \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)   \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type));                                               \
            break;                                                                                                     \
        case 4:                                                                                                        \
            S2S_DOT_LOOP(element, 4 * (n), S2S_DOT_BODY(load_x, load_w, "vmladava" type)                               \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)   \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type));                                               \
            break;                                                                                                     \
        case 3:                                                                                                        \
            S2S_DOT_LOOP(element, 3 * (n), S2S_DOT_BODY(load_x, load_w, "vmladava" type)                               \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type) S2S_DOT_BODY(load_x, load_w, "vmladava" type)); \
            break;                                                                                                     \
        case 2:                                                                                                        \
            S2S_DOT_LOOP(element, 2 * (n), S2S_DOT_BODY(load_x, load_w, "vmladava" type)                               \
                         S2S_DOT_BODY(load_x, load_w, "vmladava" type));                                               \
            break;                                                                                                     \
        default:                                                                                                       \
            S2S_DOT_LOOP(element, n, S2S_DOT_BODY(load_x, load_w, "vmladava" type));                                   \
            break;                                                                                                     \
        }                                                                                                              \
        return (s2s_i32x4)sums;                                                                                        \
    }

S2S_DOT(s2s_i32x4_dot_i8_by_16, int8_t, 16, "vldrb.u8 q0, [%[x]], #16", "vldrb.u8 q1, [%[w]], #16", ".s8")
S2S_DOT(s2s_i32x4_dot_i8_by_8, int8_t, 8, "vldrb.s16 q0, [%[x]], #8", "vldrb.s16 q1, [%[w]], #8", ".s16")
S2S_DOT(s2s_i32x4_dot_i16_by_8, int16_t, 8, "vldrh.u16 q0, [%[x]], #16", "vldrb.s16 q1, [%[w]], #8", ".s16")

/* A short row stays in registers while one group of constants after the other comes by: then all of it is written out,
 * and the first products need no sum to be added to. */
#define S2S_ROW_REGISTERS 5
#define S2S_SHORT_STEP(k, n, load_x, load_w, multiply, sum)                                                            \
    __asm__(load_w "\n\t" multiply " %[a], %q[row], q0\n\t"                                                            \
            load_w "\n\t" multiply " %[b], %q[row], q0\n\t"                                                            \
            load_w "\n\t" multiply " %[c], %q[row], q0\n\t"                                                            \
            load_w "\n\t" multiply " %[d], %q[row], q0"                                                                \
            : [a] sum(a), [b] sum(b), [c] sum(c), [d] sum(d), [w] "+l"(w)                                              \
            : [row] "w"(load_x(&x[k])), "m"(*(const int8_t(*)[4 * (n)])w)                                              \
            : "q0")
#define S2S_SHORT(name, element, n, load_x, load_w, type)                                                              \
    S2S_ALWAYS_INLINE s2s_i32x4 name(const element *x, const int8_t *w, int32_t steps)                                 \
    {                                                                                                                  \
        if (__builtin_constant_p(steps) && steps <= S2S_ROW_REGISTERS * (n)) {                                         \
            int32_t a, b, c, d;                                                                                        \
            int32x4_t sums;                                                                                            \
                                                                                                                       \
            S2S_SHORT_STEP(0, n, load_x, load_w, "vmladav" type, "=&Te");                                              \
            S2S_UNROLL(4)                                                                                              \
            for (int32_t k = (n); k < steps; k += (n)) {                                                               \
                S2S_SHORT_STEP(k, n, load_x, load_w, "vmladava" type, "+Te");                                          \
            }                                                                                                          \
            S2S_DOT_SUMS(sums);                                                                                        \
            return (s2s_i32x4)sums;                                                                                    \
        }                                                                                                              \
        return name##_looped(x, w, steps);                                                                             \
    }

S2S_SHORT(s2s_i32x4_dot_i8_by_16, int8_t, 16, vldrbq_s8, "vldrb.u8 q0, [%[w]], #16", ".s8")
S2S_SHORT(s2s_i32x4_dot_i8_by_8, int8_t, 8, vldrbq_s16, "vldrb.s16 q0, [%[w]], #8", ".s16")
S2S_SHORT(s2s_i32x4_dot_i16_by_8, int16_t, 8, vldrhq_s16, "vldrb.s16 q0, [%[w]], #8", ".s16")

#undef S2S_SHORT
#undef S2S_SHORT_STEP
#undef S2S_DOT
#undef S2S_DOT_LOOP
#undef S2S_DOT_STEP
#undef S2S_DOT_SUMS
#undef S2S_WRITTEN_OUT
#undef S2S_DOT_BODY
#undef S2S_BODIES
#endif

#endif

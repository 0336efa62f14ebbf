#include "check.h"
#include "s2s_cast_runs.h"

#include <math.h>
#include <string.h>

#define RUN 16
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

/* Numbers around the limits of each type, and around those up to which vectors convert. */
static const double NUMBERS[] = {
    0.0,          -0.0,         0.5,           -0.5,           1.0,           -1.0,         126.99,
    127.5,        128.0,        -128.5,        -129.0,         254.9,         255.5,        256.0,
    32767.5,      32768.0,      -32768.5,      -32769.0,       65535.5,       65536.0,      2147483646.5,
    2147483647.5, 2147483648.0, -2147483648.5, -2147483649.0,  4294967294.5,  4294967295.5, 4294967296.0,
    0x1p51,       -0x1p51,      0x1p51 - 0.5,  -0x1p51 + 0.25, 0x1p52 - 0.5,  0x1p52,       -0x1p52,
    0x1p53,       0x1p62,       -0x1p62,       0x1p63,         -0x1p63,       0x1p63 - 1025, 0x1p64,
    0x1p64 - 2049, 1e300,       -1e300,        1e-310,         (double)INFINITY, -(double)INFINITY, (double)NAN,
};

/* What surrounds the number in its run: numbers that every type has, and numbers that none has. */
static const double OTHERS[] = {3.25, -2.75, 1e30, (double)NAN};

#define CHECK_RUNS(source, number, target, integer, scalar)                                                            \
    static void runs_of_##source##_to_##target(void)                                                                   \
    {                                                                                                                  \
        int different = 0;                                                                                             \
                                                                                                                       \
        for (int k = 0; k < COUNT(NUMBERS) * COUNT(OTHERS) * RUN; ++k) {                                               \
            number x[RUN];                                                                                             \
            integer y[RUN + 1];                                                                                        \
                                                                                                                       \
            for (int i = 0; i < RUN; ++i) {                                                                            \
                x[i] = (number)s2s_as_##source(OTHERS[k / RUN % COUNT(OTHERS)] + (double)(i % 3));                     \
            }                                                                                                          \
            x[k % RUN] = (number)s2s_as_##source(NUMBERS[k / RUN / COUNT(OTHERS)]);                                    \
            memset(y, 0x5a, sizeof y);                                                                                 \
            s2s_##source##_to_##target##_x16(y, x);                                                                    \
            for (int i = 0; i < RUN; ++i) { different += y[i] == scalar(x[i]) ? 0 : 1; }                               \
            different += memcmp(&y[RUN], "\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", sizeof y[RUN]) == 0 ? 0 : 1;              \
        }                                                                                                              \
        CHECK(different == 0);                                                                                         \
    }

#define s2s_as_f64(a) (a)
#define s2s_as_f32(a) (a)
#define s2s_as_f16(a) s2s_f32_to_f16((float)(a))

CHECK_RUNS(f64, double, i8, int8_t, s2s_f64_to_i8)
CHECK_RUNS(f64, double, u8, uint8_t, s2s_f64_to_u8)
CHECK_RUNS(f64, double, i16, int16_t, s2s_f64_to_i16)
CHECK_RUNS(f64, double, u16, uint16_t, s2s_f64_to_u16)
CHECK_RUNS(f64, double, i32, int32_t, s2s_f64_to_i32)
CHECK_RUNS(f64, double, u32, uint32_t, s2s_f64_to_u32)
CHECK_RUNS(f64, double, i64, int64_t, s2s_f64_to_i64)
CHECK_RUNS(f64, double, u64, uint64_t, s2s_f64_to_u64)
CHECK_RUNS(f32, float, i64, int64_t, s2s_f32_to_i64)
CHECK_RUNS(f32, float, u64, uint64_t, s2s_f32_to_u64)
#define I16_OF_F16(a) s2s_f32_to_i16(s2s_f16_to_f32(a))
#define U16_OF_F16(a) s2s_f32_to_u16(s2s_f16_to_f32(a))
#define U32_OF_F16(a) s2s_f32_to_u32(s2s_f16_to_f32(a))
CHECK_RUNS(f16, s2s_f16, i16, int16_t, I16_OF_F16)
CHECK_RUNS(f16, s2s_f16, u16, uint16_t, U16_OF_F16)
CHECK_RUNS(f16, s2s_f16, u32, uint32_t, U32_OF_F16)

static void every_half_is_cast_alike(void)
{
    int different = 0;

    for (uint32_t first = 0u; first <= 0xffffu; first += RUN) {
        s2s_f16 x[RUN];
        int16_t i16[RUN];
        uint16_t u16[RUN];
        uint32_t u32[RUN];

        for (uint32_t i = 0u; i < RUN; ++i) { x[i] = (s2s_f16)(first + i); }
        s2s_f16_to_i16_x16(i16, x);
        s2s_f16_to_u16_x16(u16, x);
        s2s_f16_to_u32_x16(u32, x);
        for (int i = 0; i < RUN; ++i) {
            const int alike = i16[i] == I16_OF_F16(x[i]) && u16[i] == U16_OF_F16(x[i]) && u32[i] == U32_OF_F16(x[i]);

            different += alike ? 0 : 1;
        }
    }
    CHECK(different == 0);
}

void test_cast_runs(void)
{
    runs_of_f64_to_i8();
    runs_of_f64_to_u8();
    runs_of_f64_to_i16();
    runs_of_f64_to_u16();
    runs_of_f64_to_i32();
    runs_of_f64_to_u32();
    runs_of_f64_to_i64();
    runs_of_f64_to_u64();
    runs_of_f32_to_i64();
    runs_of_f32_to_u64();
    runs_of_f16_to_i16();
    runs_of_f16_to_u16();
    runs_of_f16_to_u32();
    every_half_is_cast_alike();
}

/* machine.c: what one core of this machine can do at best, as JSON on standard output.
 *
 *     machine [BYTES ...]
 *
 * float_gflops: multiply-adds of float32, two operations each, on as many vectors as hide their latency.
 * clock_ghz: additions of integers that depend on each other, one a cycle on processors of today.
 * fma_latency: cycles of a multiply-add that waits for the one before.
 * int8_gops: operations in products of bytes that are summed in 32 bits, by the best instruction the compiler may use.
 * read_gbs: for each working set of BYTES, reading all of it again and again.
 *
 * Time is that of the process, so that others on the machine count less; the best of several rounds is taken. Compile
 * with the flags of the code that is to be judged, and with VECTOR_BYTES, the width that this code prefers. */
#define _POSIX_C_SOURCE 200112L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#endif

#define ROUNDS 15
#define LONG_ENOUGH 2e-3
#define CHAINS 12 /* at least latency times ports, and few enough for 16 registers */

typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef double (*work)(long times);

static volatile float float_sink;
static volatile int int_sink;
static volatile float float_source = 0.5f;
static volatile int int_source = 0x01020301;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Billions a second of what `work` says it has done. */
static double best(work volatile work_of)
{
    long times = 1;
    double most = 0.0;

    for (int round = 0; round < ROUNDS;) {
        const double start = now();
        const double done = work_of(times);
        const double taken = now() - start;

        if (taken < LONG_ENOUGH) {
            times *= 2;
            continue;
        }
        most = done / taken > most ? done / taken : most;
        ++round;
    }
    return most * 1e-9;
}

static double multiply_add(long times)
{
    floats acc[CHAINS], a, b;
    float total = 0.0f;

    for (unsigned lane = 0; lane < sizeof(floats) / sizeof(float); ++lane) {
        a[lane] = float_source;
        b[lane] = float_source;
    }
    for (int i = 0; i < CHAINS; ++i) {
        acc[i] = b;
    }
    for (long n = 0; n < times * 64; ++n) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; ++i) {
            acc[i] = acc[i] * a + b;
        }
    }
    for (int i = 0; i < CHAINS; ++i) {
        total += acc[i][0];
    }
    float_sink = total;
    return (double)times * 64.0 * CHAINS * (sizeof(floats) / sizeof(float)) * 2.0;
}

/* Two cycles for each round of the loop: the exclusive or keeps the compiler from making one addition of many. */
static double cycles(long times)
{
    const unsigned step = (unsigned)int_source;
    unsigned sum = step;

    for (long n = 0; n < times * 64; ++n) {
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
            sum = (sum + step) ^ step;
        }
    }
    int_sink = (int)sum;
    return (double)times * 64.0 * 16.0 * 2.0;
}

static double waiting_multiply_adds(long times)
{
    floats acc, a;

    for (unsigned lane = 0; lane < sizeof(floats) / sizeof(float); ++lane) {
        a[lane] = float_source;
        acc[lane] = float_source;
    }
    for (long n = 0; n < times * 64; ++n) {
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i) {
            acc = acc * a + a;
        }
    }
    float_sink = acc[0];
    return (double)times * 64.0 * 16.0;
}

#if defined(__AVX512VNNI__) && VECTOR_BYTES >= 64
typedef __m512i bytes;
#define DOT(acc, a) _mm512_dpbusd_epi32(acc, a, a)
#define SET(value) _mm512_set1_epi32(value)
#elif defined(__AVX512VNNI__) && defined(__AVX512VL__)
typedef __m256i bytes;
#define DOT(acc, a) _mm256_dpbusd_epi32(acc, a, a)
#define SET(value) _mm256_set1_epi32(value)
#elif defined(__AVXVNNI__)
typedef __m256i bytes;
#define DOT(acc, a) _mm256_dpbusd_avx_epi32(acc, a, a)
#define SET(value) _mm256_set1_epi32(value)
#elif defined(__AVX512BW__) && VECTOR_BYTES >= 64
typedef __m512i bytes;
#define DOT(acc, a) \
    _mm512_add_epi32(acc, _mm512_madd_epi16(_mm512_maddubs_epi16(acc, a), a))
#define SET(value) _mm512_set1_epi32(value)
#elif defined(__AVX2__)
typedef __m256i bytes;
#define DOT(acc, a) _mm256_add_epi32(acc, _mm256_madd_epi16(_mm256_maddubs_epi16(acc, a), a))
#define SET(value) _mm256_set1_epi32(value)
#elif defined(__ARM_FEATURE_DOTPROD)
typedef int32x4_t bytes;
#define DOT(acc, a) vdotq_s32(acc, vreinterpretq_s8_s32(a), vreinterpretq_s8_s32(a))
#define SET(value) vdupq_n_s32(value)
#endif

#ifdef DOT
/* Each lane of 32 bits takes four products. */
#define PRODUCTS sizeof(bytes)
#else
/* No such instruction: products of 32 bits, one a lane. */
typedef uint32_t bytes __attribute__((vector_size(VECTOR_BYTES)));
#define PRODUCTS (sizeof(bytes) / 4)
#define DOT(acc, a) ((acc) * (a) + (a))
static bytes SET(int value)
{
    bytes all;

    for (unsigned lane = 0; lane < sizeof all / 4; ++lane) {
        all[lane] = (uint32_t)value;
    }
    return all;
}
#endif

static double dot_products(long times)
{
    bytes acc[CHAINS], a = SET(int_source);
    int total = 0;

    for (int i = 0; i < CHAINS; ++i) {
        acc[i] = SET(i);
    }
    for (long n = 0; n < times * 64; ++n) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; ++i) {
            acc[i] = DOT(acc[i], a);
        }
    }
    for (int i = 0; i < CHAINS; ++i) {
        int first;

        memcpy(&first, &acc[i], sizeof first);
        total ^= first;
    }
    int_sink = total;
    return (double)times * 64.0 * CHAINS * PRODUCTS * 2.0;
}

static const floats *memory;
static size_t vectors;

static double read_all(long times)
{
    for (long n = 0; n < times; ++n) {
        const floats *const p = *(const floats *const volatile *)&memory;
        floats acc[8];
        float total = 0.0f;

        memset(acc, 0, sizeof acc);
        for (size_t i = 0; i + 8 <= vectors; i += 8) {
#pragma GCC unroll 8
            for (size_t j = 0; j < 8; ++j) {
                acc[j] += p[i + j];
            }
        }
        for (int j = 0; j < 8; ++j) {
            total += acc[j][0];
        }
        float_sink = total;
    }
    return (double)times * (double)(vectors / 8 * 8 * sizeof(floats));
}

static double bandwidth(size_t size)
{
    void *p = NULL;
    double found;

    if (posix_memalign(&p, 4096, size) != 0) {
        return 0.0;
    }
    memset(p, 0, size);
    memory = p;
    vectors = size / sizeof(floats);
    found = best(read_all);
    free(p);
    return found;
}

int main(int count, char **sizes)
{
    const double clock = best(cycles);

    printf("{\"clock_ghz\": %.3f, \"fma_latency\": %.2f, ", clock, clock / best(waiting_multiply_adds));
    printf("\"float_gflops\": %.3f, \"int8_gops\": %.3f, \"read_gbs\": [", best(multiply_add), best(dot_products));
    for (int i = 1; i < count; ++i) {
        printf("%s%.3f", i > 1 ? ", " : "", bandwidth((size_t)strtoull(sizes[i], NULL, 10)));
    }
    printf("]}\n");
    return 0;
}

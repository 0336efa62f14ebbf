/* fork_join.c: what it costs to divide a kernel between two threads, as JSON on standard output.
 *
 * fork_join_ns: nanoseconds of one round of a pool of two threads beyond the half of the work that each does: waking,
 * joining, and moving what the other thread wrote in the round before between the caches of two cores.
 *
 * Linked with pool.c of the runtime. Time is that of the wall, as two threads run; the best of many rounds is taken. */
#define _POSIX_C_SOURCE 200112L
#include "s2s_pool.h"

#include <stdio.h>
#include <time.h>

#define ROUNDS 20000
#define WARM 200
#define SHARED 4096 /* numbers of 32 bits: 16 KB, the activations of a small layer */

static int32_t shared[SHARED];

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Iteration i reads what the other half wrote in the round before, and writes its own. */
static void exchange(const void *arguments, int32_t first, int32_t last, int32_t thread)
{
    const int32_t half = *(const int32_t *)arguments;

    (void)thread;
    for (int32_t i = first; i < last; ++i) {
        shared[(i + half) % SHARED] += 1;
    }
}

static double best_round(s2s_pool *pool)
{
    double best = 1e18;
    int32_t half = 0;

    for (int32_t round = 0; round < ROUNDS; ++round) {
        const double start = now_ns();
        double taken;

        s2s_pool_run(pool, exchange, &half, SHARED, 2);
        taken = now_ns() - start;
        if (round >= WARM && taken < best) {
            best = taken;
        }
        half = SHARED / 2 - half;
    }
    return best;
}

int main(void)
{
    static s2s_pool pool;
    double alone, together;

    alone = best_round(NULL);
    if (s2s_pool_start(&pool, 2) != S2S_OK) {
        return 1;
    }
    together = best_round(&pool);
    if (s2s_pool_stop(&pool) != S2S_OK) {
        return 1;
    }
    printf("{\"fork_join_ns\": %.1f}\n", together > alone / 2 ? together - alone / 2 : 0.0);
    return 0;
}

#include "check.h"
#include "s2s_pool.h"

#include <string.h>

#if defined(S2S_POOL_POSIX)
#include <sys/resource.h>
#endif

#define MOST 4
#define LONGEST 100

/* How often each iteration ran, and by which part; what part number i adds up is its own. */
typedef struct seen {
    int32_t times[LONGEST];
    int32_t part[LONGEST];
    int64_t sums[MOST];
} seen;

typedef struct job {
    seen *found;
} job;

static void note(const void *arguments, int32_t first, int32_t last, int32_t thread)
{
    seen *const found = ((const job *)arguments)->found;

    for (int32_t i = first; i < last; i++) {
        found->times[i]++;
        found->part[i] = thread;
        found->sums[thread] += i;
    }
}

static s2s_pool pool;
static seen found;
static const job noting = {&found};

static void check_iterations(int32_t iterations, int32_t parts)
{
    int64_t sum = 0;

    for (int32_t i = 0; i < iterations; i++) {
        CHECK(found.times[i] == 1);
        CHECK(found.part[i] < parts);
        CHECK(i == 0 || found.part[i] >= found.part[i - 1]);
    }
    for (int32_t i = iterations; i < LONGEST; i++) {
        CHECK(found.times[i] == 0);
    }
    for (int32_t part = 0; part < MOST; part++) {
        sum += found.sums[part];
    }
    CHECK(sum == (int64_t)iterations * (iterations - 1) / 2);
}

static void every_iteration_runs_once(void)
{
    for (int32_t threads = 1; threads <= MOST; threads++) {
        CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, threads));
        for (int32_t iterations = 1; iterations <= LONGEST; iterations++) {
            memset(&found, 0, sizeof found);
            s2s_pool_run(&pool, note, &noting, iterations, MOST);
            check_iterations(iterations, threads);
        }
        CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
    }
}

static void parts_are_equal(void)
{
    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 3));
    memset(&found, 0, sizeof found);
    s2s_pool_run(&pool, note, &noting, 10, MOST);
    CHECK(found.part[2] == 0);
    CHECK(found.part[3] == 1);
    CHECK(found.part[5] == 1);
    CHECK(found.part[6] == 2);
    memset(&found, 0, sizeof found);
    s2s_pool_run(&pool, note, &noting, 10, 2);
    CHECK(found.part[4] == 0);
    CHECK(found.part[5] == 1);
    CHECK(found.part[9] == 1);
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
}

static void without_a_pool_the_caller_does_everything(void)
{
    memset(&found, 0, sizeof found);
    s2s_pool_run(NULL, note, &noting, 7, MOST);
    check_iterations(7, 1);
    memset(&found, 0, sizeof found);
    s2s_pool_run(&pool, note, &noting, 7, MOST);
    check_iterations(7, 1);
}

static void spend_time(const void *arguments, int32_t first, int32_t last, int32_t thread)
{
    volatile int64_t spent = 0;

    for (int32_t i = 0; thread == *(const int32_t *)arguments && i < 3000000; i++) {
        spent = spent + first + last;
    }
}

/* Threads that wait longer than they spin: workers for work, and the caller for a worker. */
static void threads_that_block_are_woken(void)
{
    static const int32_t caller = 0, worker = 1;

    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 2));
    for (int32_t round = 0; round < 5; round++) {
        s2s_pool_run(&pool, spend_time, &worker, 2, 2);
        s2s_pool_run(&pool, spend_time, &caller, 2, 2);
        memset(&found, 0, sizeof found);
        s2s_pool_run(&pool, note, &noting, LONGEST, 2);
        check_iterations(LONGEST, 2);
    }
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
}

static void two_pools_run_side_by_side(void)
{
    static s2s_pool other;

    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 2));
    CHECK_STATUS(S2S_OK, s2s_pool_start(&other, 3));
    memset(&found, 0, sizeof found);
    s2s_pool_run(&pool, note, &noting, 50, MOST);
    check_iterations(50, 2);
    memset(&found, 0, sizeof found);
    s2s_pool_run(&other, note, &noting, 50, MOST);
    check_iterations(50, 3);
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&other));
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
}

static void wrong_calls_are_refused(void)
{
    CHECK_STATUS(S2S_ERR_NULL, s2s_pool_start(NULL, 1));
    CHECK_STATUS(S2S_ERR_NULL, s2s_pool_stop(NULL));
    CHECK_STATUS(S2S_ERR_THREADS, s2s_pool_start(&pool, 0));
    CHECK_STATUS(S2S_ERR_THREADS, s2s_pool_start(&pool, S2S_POOL_THREADS + 1));
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
    CHECK(s2s_pool_size() == sizeof(s2s_pool));
}

/* Without memory for their stacks no thread can be had; an emulator (EMULATED) does not hold to limits of memory. */
static void a_system_without_threads_is_reported(void)
{
#if defined(S2S_POOL_POSIX) && !defined(S2S_POOL_OPENMP) && !defined(__SANITIZE_ADDRESS__) \
    && !defined(__SANITIZE_THREAD__) && !defined(EMULATED)
    struct rlimit before, none;

    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    none = before;
    none.rlim_cur = 1u << 20;
    CHECK(setrlimit(RLIMIT_AS, &none) == 0);
    CHECK_STATUS(S2S_ERR_THREADS, s2s_pool_start(&pool, S2S_POOL_THREADS));
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 2));
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
#endif
}

void test_pool(void)
{
    every_iteration_runs_once();
    parts_are_equal();
    without_a_pool_the_caller_does_everything();
    threads_that_block_are_woken();
    two_pools_run_side_by_side();
    wrong_calls_are_refused();
    a_system_without_threads_is_reported();
}

#include "check.h"
#include "s2s_pool.h"

#include <string.h>

#if defined(S2S_POOL_POSIX)
#include <sys/resource.h>
#endif

/* Sanitizers allocate memory for each thread; gcc defines macros for them, clang has features. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

#define MAX_THREADS 4
#define LONGEST 100

#if defined(S2S_POOL_POSIX) && !defined(S2S_POOL_OPENMP)
#define AT_THE_SAME_TIME
#endif

/* How often each iteration ran, and on which thread; what thread number i adds up is its own. */
typedef struct seen {
    int32_t times[LONGEST];
    int32_t thread[LONGEST];
    int64_t sums[MAX_THREADS];
} seen;

typedef struct job {
    seen *found;
} job;

static void note(const void *arguments, int32_t first, int32_t last, int32_t thread)
{
    seen *const found = ((const job *)arguments)->found;

    for (int32_t i = first; i < last; i++) {
        found->times[i]++;
        found->thread[i] = thread;
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
        CHECK(found.thread[i] < parts);
    }
    for (int32_t i = iterations; i < LONGEST; i++) {
        CHECK(found.times[i] == 0);
    }
    for (int32_t part = 0; part < MAX_THREADS; part++) {
        sum += found.sums[part];
    }
    CHECK(sum == (int64_t)iterations * (iterations - 1) / 2);
}

static void every_iteration_runs_once(void)
{
    for (int32_t threads = 1; threads <= MAX_THREADS; threads++) {
        CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, threads));
        for (int32_t iterations = 1; iterations <= LONGEST; iterations++) {
            memset(&found, 0, sizeof found);
            s2s_pool_run(&pool, note, &noting, iterations, MAX_THREADS);
            check_iterations(iterations, threads);
        }
        CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
    }
}

static void without_a_pool_the_caller_does_everything(void)
{
    memset(&found, 0, sizeof found);
    s2s_pool_run(NULL, note, &noting, 7, MAX_THREADS);
    check_iterations(7, 1);
    memset(&found, 0, sizeof found);
    s2s_pool_run(&pool, note, &noting, 7, MAX_THREADS);
    check_iterations(7, 1);
}

#ifdef AT_THE_SAME_TIME

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)

static int32_t begun, ended;

/* Both iterations wait for each other, so that two threads have one each; the thread asked for takes long. */
static void meet(const void *arguments, int32_t first, int32_t last, int32_t thread)
{
    volatile int64_t spent = 0;

    (void)__atomic_add_fetch(&begun, last - first, __ATOMIC_ACQ_REL);
    while (LOAD(begun) < 2) {
    }
    for (int32_t i = 0; thread == *(const int32_t *)arguments && i < 3000000; i++) {
        spent = spent + i;
    }
}

/* Threads that wait longer than they spin: workers for work, and the caller for a worker. */
static void threads_that_block_are_woken(void)
{
    static const int32_t caller = 0, worker = 1;

    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 2));
    for (int32_t round = 0; round < 5; round++) {
        begun = 0;
        s2s_pool_run(&pool, meet, &worker, 2, 2);
        begun = 0;
        s2s_pool_run(&pool, meet, &caller, 2, 2);
        memset(&found, 0, sizeof found);
        s2s_pool_run(&pool, note, &noting, LONGEST, 2);
        check_iterations(LONGEST, 2);
    }
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
}

/* The caller does not end its first piece before everything else is done. */
static void dawdle(const void *arguments, int32_t first, int32_t last, int32_t thread)
{
    const int32_t others = first == 0 ? LONGEST - last : 0;

    while (LOAD(ended) < others) {
    }
    note(arguments, first, last, thread);
    (void)__atomic_add_fetch(&ended, last - first, __ATOMIC_ACQ_REL);
}

static void a_thread_that_is_done_takes_over(void)
{
    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 2));
    memset(&found, 0, sizeof found);
    ended = 0;
    s2s_pool_run(&pool, dawdle, &noting, LONGEST, 2);
    check_iterations(LONGEST, 2);
    CHECK(found.thread[0] != found.thread[LONGEST / 2 - 1]);
    CHECK_STATUS(S2S_OK, s2s_pool_stop(&pool));
}

#endif

static void two_pools_run_side_by_side(void)
{
    static s2s_pool other;

    CHECK_STATUS(S2S_OK, s2s_pool_start(&pool, 2));
    CHECK_STATUS(S2S_OK, s2s_pool_start(&other, 3));
    memset(&found, 0, sizeof found);
    s2s_pool_run(&pool, note, &noting, 50, MAX_THREADS);
    check_iterations(50, 2);
    memset(&found, 0, sizeof found);
    s2s_pool_run(&other, note, &noting, 50, MAX_THREADS);
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
#if defined(AT_THE_SAME_TIME) && !defined(SANITIZED) && !defined(EMULATED)
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
    without_a_pool_the_caller_does_everything();
#ifdef AT_THE_SAME_TIME
    threads_that_block_are_woken();
    a_thread_that_is_done_takes_over();
#endif
    two_pools_run_side_by_side();
    wrong_calls_are_refused();
    a_system_without_threads_is_reported();
}

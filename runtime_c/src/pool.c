/* Threads that share the work of kernels; the contract is in s2s_pool.h. */
#include "s2s_pool.h"

/* How often a waiting thread looks for news before it blocks: about the time between two kernels, for most processors
 * some ten microseconds. */
#ifndef S2S_POOL_SPINS
#define S2S_POOL_SPINS 2000
#endif

/* Part number `part` of `parts` equal ones. */
static void run_part(const s2s_pool *pool, int32_t part)
{
    const int64_t iterations = pool->iterations;
    const int32_t first = (int32_t)(iterations * part / pool->parts);
    const int32_t last = (int32_t)(iterations * (part + 1) / pool->parts);

    if (first < last) {
        pool->task(pool->arguments, first, last, part);
    }
}

size_t s2s_pool_size(void)
{
    return sizeof(s2s_pool);
}

#if defined(S2S_POOL_POSIX) && !defined(S2S_POOL_OPENMP)

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define SUBTRACT_ONE(place) __atomic_sub_fetch(&(place), 1u, __ATOMIC_ACQ_REL)

#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

/* Waits until there is work that is not that of round `seen`; returns the number of its round. */
static uint32_t next_round(s2s_pool *pool, uint32_t seen)
{
    uint32_t round = LOAD(pool->round);

    for (int32_t spin = 0; round == seen && spin < S2S_POOL_SPINS; spin++) {
        RELAX();
        round = LOAD(pool->round);
    }
    if (round == seen) {
        (void)pthread_mutex_lock(&pool->mutex);
        while (LOAD(pool->round) == seen) {
            (void)pthread_cond_wait(&pool->wake, &pool->mutex);
        }
        round = LOAD(pool->round);
        (void)pthread_mutex_unlock(&pool->mutex);
    }
    return round;
}

/* Notes that this thread has done its part; the last one wakes a caller that blocks. */
static void finish(s2s_pool *pool)
{
    if (SUBTRACT_ONE(pool->working) == 0u) {
        (void)pthread_mutex_lock(&pool->mutex);
        if (pool->waiting) {
            (void)pthread_cond_signal(&pool->done);
        }
        (void)pthread_mutex_unlock(&pool->mutex);
    }
}

static void *work(void *argument)
{
    s2s_pool *const pool = argument;
    uint32_t seen = 0u;
    int32_t part;

    (void)pthread_mutex_lock(&pool->mutex);
    part = ++pool->started;
    (void)pthread_mutex_unlock(&pool->mutex);
    for (;;) {
        seen = next_round(pool, seen);
        if (pool->stopping) {
            return NULL;
        }
        if (part < pool->parts) {
            run_part(pool, part);
        }
        finish(pool);
    }
}

/* Lets all threads see what was written before. */
static void hand_over(s2s_pool *pool)
{
    (void)pthread_mutex_lock(&pool->mutex);
    STORE(pool->working, (uint32_t)(pool->threads - 1));
    STORE(pool->round, pool->round + 1u);
    (void)pthread_cond_broadcast(&pool->wake);
    (void)pthread_mutex_unlock(&pool->mutex);
}

/* Waits until all threads have done their parts. */
static void wait_for_all(s2s_pool *pool)
{
    for (int32_t spin = 0; LOAD(pool->working) != 0u && spin < S2S_POOL_SPINS; spin++) {
        RELAX();
    }
    if (LOAD(pool->working) == 0u) {
        return;
    }
    (void)pthread_mutex_lock(&pool->mutex);
    pool->waiting = true;
    while (LOAD(pool->working) != 0u) {
        (void)pthread_cond_wait(&pool->done, &pool->mutex);
    }
    pool->waiting = false;
    (void)pthread_mutex_unlock(&pool->mutex);
}

static s2s_status start_threads(s2s_pool *pool, int32_t threads)
{
    bool going;

    pool->round = 0u;
    pool->started = 0;
    pool->stopping = false;
    pool->waiting = false;
    going = pthread_mutex_init(&pool->mutex, NULL) == 0 && pthread_cond_init(&pool->wake, NULL) == 0
            && pthread_cond_init(&pool->done, NULL) == 0;
    pool->threads = going ? 1 : 0;
    while (going && pool->threads < threads) {
        going = pthread_create(&pool->workers[pool->threads], NULL, work, pool) == 0;
        pool->threads += going ? 1 : 0;
    }
    if (!going) {
        (void)s2s_pool_stop(pool);
    }
    return going ? S2S_OK : S2S_ERR_THREADS;
}

static void stop_threads(s2s_pool *pool)
{
    pool->stopping = true;
    hand_over(pool);
    for (int32_t worker = 1; worker < pool->threads; worker++) {
        (void)pthread_join(pool->workers[worker], NULL);
    }
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_cond_destroy(&pool->wake);
    (void)pthread_mutex_destroy(&pool->mutex);
}

static void run_parts(s2s_pool *pool)
{
    hand_over(pool);
    run_part(pool, 0);
    wait_for_all(pool);
}

#else

static s2s_status start_threads(s2s_pool *pool, int32_t threads)
{
    pool->threads = threads;
    return S2S_OK;
}

static void stop_threads(s2s_pool *pool)
{
    (void)pool;
}

static void run_parts(s2s_pool *pool)
{
#if defined(S2S_POOL_OPENMP) && defined(_OPENMP) && !defined(S2S_NO_THREADS)
#pragma omp parallel for num_threads(pool->parts) schedule(static, 1)
#endif
    for (int32_t part = 0; part < pool->parts; part++) {
        run_part(pool, part);
    }
}

#endif

s2s_status s2s_pool_start(s2s_pool *pool, int32_t threads)
{
    if (pool == NULL) {
        return S2S_ERR_NULL;
    }
    pool->threads = 0;
    if (threads < 1 || threads > S2S_POOL_THREADS) {
        return S2S_ERR_THREADS;
    }
    return start_threads(pool, threads);
}

s2s_status s2s_pool_stop(s2s_pool *pool)
{
    if (pool == NULL) {
        return S2S_ERR_NULL;
    }
    if (pool->threads > 0) {
        stop_threads(pool);
        pool->threads = 0;
    }
    return S2S_OK;
}

void s2s_pool_run(s2s_pool *pool, s2s_pool_task task, const void *arguments, int32_t iterations, int32_t most)
{
    const int32_t threads = pool == NULL ? 1 : pool->threads < most ? pool->threads : most;
    const int32_t parts = threads < iterations ? threads : iterations;

    if (pool == NULL || parts < 2) {
        task(arguments, 0, iterations, 0);
        return;
    }
    pool->task = task;
    pool->arguments = arguments;
    pool->iterations = iterations;
    pool->parts = parts;
    run_parts(pool);
}

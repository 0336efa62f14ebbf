/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share the work of kernels; the contract is in s2s_pool.h. */
#include "s2s_pool.h"

/* How often a waiting thread looks for news before it blocks: about the time between two kernels, for most processors
 * some ten microseconds. */
#ifndef S2S_POOL_SPINS
#define S2S_POOL_SPINS 2000
#endif

/* The pieces of each thread's part: what one has left when the others are done, they take off it piece by piece. */
#ifndef S2S_POOL_PIECES
#define S2S_POOL_PIECES 16
#endif

/* Piece number `piece` of equal ones. */
static void run_piece(const s2s_pool *pool, int32_t piece, int32_t thread)
{
    const int64_t iterations = pool->iterations;
    const int32_t first = (int32_t)(iterations * piece / pool->pieces);
    const int32_t last = (int32_t)(iterations * (piece + 1) / pool->pieces);

    pool->task(pool->arguments, first, last, thread);
}

S2S_MERGED
size_t s2s_pool_size(void)
{
    return sizeof(s2s_pool);
}

#if defined(S2S_POOL_POSIX) && !defined(S2S_POOL_OPENMP)

#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_SEQ_CST)
#define STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_SEQ_CST)
#define ADD(place, value) __atomic_fetch_add(&(place), (value), __ATOMIC_SEQ_CST)
#define SUBTRACT(place, value) __atomic_fetch_sub(&(place), (value), __ATOMIC_SEQ_CST)
#define TAKE_ONE(place) __atomic_fetch_add(&(place), 1, __ATOMIC_RELAXED)
#define EXCHANGE(place, expected, value) \
    __atomic_compare_exchange_n(&(place), &(expected), (value), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

/* The gate counts the threads that have come in, and above them how often it was opened or closed: a thread comes in
 * by adding one to an open gate, and the task changes only while no thread is inside. So the caller waits for
 * threads that do have work of this round, never for one that is still asleep. */
#define ONE_INSIDE 1u
#define NEXT_STATE 0x100u
#define IS_OPEN(gate) (((gate) & NEXT_STATE) != 0u)
#define INSIDE(gate) ((int32_t)((gate) & (NEXT_STATE - 1u)))
#define STATE(gate) ((gate) / NEXT_STATE)

#if S2S_POOL_THREADS >= 0x100
#error "s2s_pool: the gate counts at most 255 threads"
#endif

/* Blocks until the gate is opened again. */
static void sleep_before(s2s_pool *pool, uint32_t state)
{
    (void)pthread_mutex_lock(&pool->mutex);
    (void)ADD(pool->sleepers, 1);
    while (STATE(LOAD(pool->gate.value)) == state) {
        (void)pthread_cond_wait(&pool->wake, &pool->mutex);
    }
    (void)SUBTRACT(pool->sleepers, 1);
    (void)pthread_mutex_unlock(&pool->mutex);
}

/* Waits until the gate is open in a state other than `seen` and comes in; returns the state. */
static uint32_t come_in(s2s_pool *pool, uint32_t seen)
{
    int32_t spins = 0;

    for (;;) {
        uint32_t gate = LOAD(pool->gate.value);

        if (IS_OPEN(gate) && STATE(gate) != seen) {
            if (EXCHANGE(pool->gate.value, gate, gate + ONE_INSIDE)) {
                return STATE(gate);
            }
        } else if (spins < S2S_POOL_SPINS) {
            spins++;
            RELAX();
        } else {
            sleep_before(pool, STATE(gate));
            spins = 0;
        }
    }
}

/* Notes that this thread has no more work in this round, and wakes a caller that blocks. */
static void go_out(s2s_pool *pool)
{
    (void)ADD(pool->gone.value, 1);
    if (LOAD(pool->waiting)) {
        (void)pthread_mutex_lock(&pool->mutex);
        (void)pthread_cond_signal(&pool->done);
        (void)pthread_mutex_unlock(&pool->mutex);
    }
}

/* The first piece of part number `part`. */
static int32_t first_piece(const s2s_pool *pool, int32_t part)
{
    return (int32_t)((int64_t)pool->pieces * part / pool->parts);
}

/* Runs the thread's own part, then what is left of those of others. */
static void run_pieces(s2s_pool *pool, int32_t thread)
{
    for (int32_t turn = 0; turn < pool->parts; turn++) {
        const int32_t part = (thread + turn) % pool->parts;
        const int32_t end = first_piece(pool, part + 1);

        for (int32_t piece = TAKE_ONE(pool->next[part].value); piece < end;
             piece = TAKE_ONE(pool->next[part].value)) {
            run_piece(pool, piece, thread);
        }
    }
}

static void *work(void *argument)
{
    s2s_pool *const pool = argument;
    uint32_t seen = 0u;
    int32_t thread;

    (void)pthread_mutex_lock(&pool->mutex);
    thread = ++pool->started;
    (void)pthread_mutex_unlock(&pool->mutex);
    for (;;) {
        seen = come_in(pool, seen);
        if (pool->stopping) {
            return NULL;
        }
        if (thread < pool->parts) {
            run_pieces(pool, thread);
        }
        go_out(pool);
    }
}

/* Lets threads in, which see what was written before. */
static void open_gate(s2s_pool *pool)
{
    STORE(pool->gone.value, 0);
    STORE(pool->gate.value, (STATE(LOAD(pool->gate.value)) + 1u) * NEXT_STATE);
    if (LOAD(pool->sleepers) > 0) {
        (void)pthread_mutex_lock(&pool->mutex);
        (void)pthread_cond_broadcast(&pool->wake);
        (void)pthread_mutex_unlock(&pool->mutex);
    }
}

/* Waits until the threads that came in have gone. */
static void close_gate(s2s_pool *pool)
{
    const int32_t inside = INSIDE(ADD(pool->gate.value, NEXT_STATE));

    for (int32_t spin = 0; LOAD(pool->gone.value) < inside && spin < S2S_POOL_SPINS; spin++) {
        RELAX();
    }
    if (LOAD(pool->gone.value) == inside) {
        return;
    }
    (void)pthread_mutex_lock(&pool->mutex);
    STORE(pool->waiting, true);
    while (LOAD(pool->gone.value) < inside) {
        (void)pthread_cond_wait(&pool->done, &pool->mutex);
    }
    STORE(pool->waiting, false);
    (void)pthread_mutex_unlock(&pool->mutex);
}

static s2s_status start_threads(s2s_pool *pool, int32_t threads)
{
    bool going;

    pool->gate.value = 0u;
    pool->started = 0;
    pool->sleepers = 0;
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
    open_gate(pool);
    for (int32_t worker = 1; worker < pool->threads; worker++) {
        (void)pthread_join(pool->workers[worker], NULL);
    }
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_cond_destroy(&pool->wake);
    (void)pthread_mutex_destroy(&pool->mutex);
}

static void run_parts(s2s_pool *pool)
{
    for (int32_t part = 0; part < pool->parts; part++) {
        pool->next[part].value = first_piece(pool, part);
    }
    open_gate(pool);
    run_pieces(pool, 0);
    close_gate(pool);
}

#else

#if defined(S2S_POOL_OPENMP) && defined(_OPENMP) && !defined(S2S_NO_THREADS)
#include <omp.h>
#define THIS_THREAD() omp_get_thread_num()
#else
#define THIS_THREAD() 0
#endif

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
#pragma omp parallel for num_threads(pool->parts) schedule(dynamic, 1)
#endif
    for (int32_t piece = 0; piece < pool->pieces; piece++) {
        run_piece(pool, piece, THIS_THREAD());
    }
}

#endif

S2S_MERGED
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

S2S_MERGED
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

S2S_MERGED
void s2s_pool_run(s2s_pool *pool, s2s_pool_task task, const void *arguments, int32_t iterations, int32_t most)
{
    const int32_t threads = pool == NULL ? 1 : pool->threads < most ? pool->threads : most;
    const int32_t parts = threads < iterations ? threads : iterations;
    const int32_t pieces = parts * S2S_POOL_PIECES;

    if (pool == NULL || parts < 2) {
        task(arguments, 0, iterations, 0);
        return;
    }
    pool->task = task;
    pool->arguments = arguments;
    pool->iterations = iterations;
    pool->parts = parts;
    pool->pieces = pieces < iterations ? pieces : iterations;
    run_parts(pool);
}

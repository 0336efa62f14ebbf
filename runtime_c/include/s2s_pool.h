/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_pool.h: threads that share the work of one kernel after the other.
 *
 *     static s2s_pool pool;
 *
 *     s2s_pool_start(&pool, 2);                       once: the caller's thread and one more
 *     net_run(arena, &pool, input, output);           as often as you like
 *     s2s_pool_stop(&pool);                           before the program ends
 *
 * The pool is an object of the caller, of any storage that outlives it, and is not moved while it runs. It serves one
 * run at a time; two runs at the same time want two pools. The iterations of a kernel are divided among the threads in
 * equal parts, the same in every run; a thread that is done takes over what others have not begun (S2S_POOL_PIECES).
 * No sum is ever divided: the results are equal bit for bit, whatever the number of threads. Threads that wait for the
 * next kernel spin a short while (S2S_POOL_SPINS), then they block; nobody waits for one that comes too late.
 *
 * pool.c uses POSIX threads where there are any, by a compiler that knows the atomic functions of GNU C; OpenMP if it is
 * compiled with S2S_POOL_OPENMP and the compiler's flag for it. Without either, and with S2S_NO_THREADS, the parts run
 * one after the other. Define S2S_NO_THREADS and S2S_POOL_THREADS alike for all files that include this one. */
#ifndef S2S_POOL_H
#define S2S_POOL_H

#include "s2s.h"

#if !defined(S2S_NO_THREADS) && defined(__GNUC__) && (defined(__unix__) || defined(__APPLE__))
#define S2S_POOL_POSIX
#include <pthread.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of threads of a pool, including the caller's. */
#ifndef S2S_POOL_THREADS
#define S2S_POOL_THREADS 16
#endif

/* Part of a kernel: the iterations from first to last, the second not included. thread is a number below that of the
 * threads, which no other part has at the same time: what it may write beside its own results is numbered so. */
typedef void (*s2s_pool_task)(const void *arguments, int32_t first, int32_t last, int32_t thread);

#ifdef S2S_POOL_POSIX
/* Numbers that several threads change: each has a cache line of its own. */
typedef struct s2s_pool_gate {
    uint32_t value;
    uint8_t apart[60];
} s2s_pool_gate;

typedef struct s2s_pool_count {
    int32_t value;
    uint8_t apart[60];
} s2s_pool_count;
#endif

/* Only the functions below look inside. */
typedef struct s2s_pool {
    int32_t threads;       /* with the caller's one; 0 where the pool does not run */
    s2s_pool_task task;    /* what is being divided, among how many, and into how many pieces */
    const void *arguments;
    int32_t iterations;
    int32_t parts;
    int32_t pieces;
#ifdef S2S_POOL_POSIX
    int32_t started;       /* threads that have taken a number */
    int32_t sleepers;      /* threads that are blocked until there is work */
    bool stopping;
    bool waiting;          /* the caller is blocked until the others are done */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_cond_t done;
    pthread_t workers[S2S_POOL_THREADS];
    s2s_pool_gate gate;    /* who has come in for work, and whether there is any */
    s2s_pool_count gone;   /* threads that came in and have gone again */
    s2s_pool_count next[S2S_POOL_THREADS]; /* the next piece of each part */
#endif
} s2s_pool;

/* Starts threads - 1 threads beside the caller's own. S2S_ERR_NULL without a pool, S2S_ERR_THREADS for a number below 1
 * or above S2S_POOL_THREADS, or if the system has no more threads to give: then none runs. */
s2s_status s2s_pool_start(s2s_pool *pool, int32_t threads);

/* Ends the threads and waits for that. A pool that does not run, all zero or stopped, is left as it is. */
s2s_status s2s_pool_stop(s2s_pool *pool);

/* Runs iterations from 0 up, divided among the threads, most of them at most; returns when all are done. Without a pool,
 * or with one that does not run, the caller's thread does everything as part 0. */
void s2s_pool_run(s2s_pool *pool, s2s_pool_task task, const void *arguments, int32_t iterations, int32_t most);

/* sizeof(s2s_pool), for callers that are no C. */
size_t s2s_pool_size(void);

#ifdef __cplusplus
}
#endif
#endif

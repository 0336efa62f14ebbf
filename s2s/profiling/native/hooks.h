/* hooks.h: the clock on both sides of a kernel call, for `s2s profile`.
 *
 * The file that includes this one defines S2S_PROFILE_CALLS, the number of calls of kernels in the network. */
#ifndef S2S_PROFILE_HOOKS_H
#define S2S_PROFILE_HOOKS_H

#include <stdint.h>
#include <time.h>

extern uint64_t s2s_profile_time[S2S_PROFILE_CALLS];
extern uint64_t s2s_profile_count[S2S_PROFILE_CALLS];
uint64_t s2s_profile_idle(void);

/* Nanoseconds spent in each call, in the order of the text, and how often it was carried out. */
uint64_t s2s_profile_time[S2S_PROFILE_CALLS];
uint64_t s2s_profile_count[S2S_PROFILE_CALLS];
static uint64_t s2s_profile_entered;

static inline uint64_t s2s_profile_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline void s2s_profile_enter(void)
{
    s2s_profile_entered = s2s_profile_now();
}

static inline void s2s_profile_leave(uint32_t call)
{
    s2s_profile_time[call] += s2s_profile_now() - s2s_profile_entered;
    s2s_profile_count[call]++;
}

/* Nanoseconds that the clock itself takes. */
uint64_t s2s_profile_idle(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 1000; ++i) {
        uint64_t taken;

        s2s_profile_enter();
        taken = s2s_profile_now() - s2s_profile_entered;
        least = taken < least ? taken : least;
    }
    return least;
}

#endif

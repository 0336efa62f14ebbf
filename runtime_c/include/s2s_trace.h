/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_trace.h: the time of each kernel on the board, in builds of a network with NETWORK_TRACE=1.
 *
 * In such a build each call of a kernel stands between two hooks, which the firmware defines: to read a clock, to
 * toggle a pin, to write to a trace port. They get the kernel's name, and the line of the call in NETWORK.c, by which
 * `calls` of the tree's metadata.json tells the nodes of the model. Other builds hold nothing of all this. With a table
 * of the time of each call, and the cycle counter of the core:
 *
 *     static s2s_trace_row rows[32];
 *     static s2s_trace trace = {rows, 32, 168000000, 0, 0, 0};
 *
 *     void s2s_trace_enter(const char *kernel, uint32_t line)
 *     {
 *         (void)kernel, (void)line;
 *         trace.entered = s2s_trace_clock();
 *     }
 *
 *     void s2s_trace_leave(const char *kernel, uint32_t line)
 *     {
 *         s2s_trace_add(&trace, kernel, line, s2s_trace_clock() - trace.entered);
 *     }
 */
#ifndef S2S_TRACE_H
#define S2S_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hooks. */
void s2s_trace_enter(const char *kernel, uint32_t line);
void s2s_trace_leave(const char *kernel, uint32_t line);

/* A call of a kernel between the hooks. */
#define S2S_TRACED(kernel, call)                                                                                       \
    (s2s_trace_enter(kernel, (uint32_t)__LINE__), call, s2s_trace_leave(kernel, (uint32_t)__LINE__))

/* All runs of one call since the table was cleared. */
typedef struct s2s_trace_row {
    const char *kernel;
    uint64_t ticks;
    uint32_t line;  /* of the call in the C */
    uint32_t count; /* how often it ran */
} s2s_trace_row;

typedef struct s2s_trace {
    s2s_trace_row *rows;
    uint32_t room;             /* rows that there are */
    uint32_t ticks_per_second; /* 0 where nobody knows */
    uint32_t used;             /* rows that hold a call, in the order of their first runs */
    uint32_t lost;             /* runs of calls that found no row */
    uint32_t entered;          /* what the clock showed before the kernel that runs */
} s2s_trace;

/* Empties a table. */
static inline void s2s_trace_clear(s2s_trace *trace)
{
    trace->used = 0u;
    trace->lost = 0u;
}

/* Adds a run of the call at a line, which took so many ticks. */
static inline void s2s_trace_add(s2s_trace *trace, const char *kernel, uint32_t line, uint32_t ticks)
{
    uint32_t at = 0u;

    while (at < trace->used && trace->rows[at].line != line) {
        at += 1u;
    }
    if (at == trace->room) {
        trace->lost += 1u;
        return;
    }
    if (at == trace->used) {
        trace->used += 1u;
        trace->rows[at].kernel = kernel;
        trace->rows[at].ticks = 0u;
        trace->rows[at].line = line;
        trace->rows[at].count = 0u;
    }
    trace->rows[at].ticks += ticks;
    trace->rows[at].count += 1u;
}

/* The cycle counter of the core, where it has one that a program may read: Cortex-M3 and later (DWT_CYCCNT), RISC-V in
 * machine mode (mcycle). S2S_TRACE_HAS_CLOCK says so; other cores take a timer of the board. It wraps after 2^32 cycles,
 * which a call of a kernel must not reach. s2s_trace_start sets it going, once. */
#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)

#define S2S_TRACE_HAS_CLOCK 1

static inline volatile uint32_t *s2s_trace_register(uint32_t address)
{
    return (volatile uint32_t *)address; /* of the Arm debug components, the same on all of these cores */
}

static inline void s2s_trace_start(void)
{
    *s2s_trace_register(0xE000EDFCu) |= 1u << 24; /* DEMCR.TRCENA */
    *s2s_trace_register(0xE0001004u) = 0u;        /* DWT_CYCCNT */
    *s2s_trace_register(0xE0001000u) |= 1u;       /* DWT_CTRL.CYCCNTENA */
}

static inline uint32_t s2s_trace_clock(void)
{
    return *s2s_trace_register(0xE0001004u);
}

#elif defined(__riscv) && !defined(ESP_PLATFORM) /* Espressif's cores have a counter of their own */

#define S2S_TRACE_HAS_CLOCK 1

static inline void s2s_trace_start(void)
{
}

static inline uint32_t s2s_trace_clock(void)
{
    unsigned long cycles;

    __asm__ volatile("csrr %0, mcycle" : "=r"(cycles));
    return (uint32_t)cycles;
}

#endif

#ifdef __cplusplus
}
#endif
#endif

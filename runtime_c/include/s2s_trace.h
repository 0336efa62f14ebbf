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

/* The cycle counter of the core, where it has one that a program may read: Cortex-M3 and later (DWT_CYCCNT), Cortex-M55 and
 * M85 (the PMU's PMU_CCNTR), bare-metal Cortex-A and R (the PMU's PMCCNTR), RISC-V in machine mode (mcycle).
 * S2S_TRACE_HAS_CLOCK says so; other cores take a timer of the board. It wraps after 2^32 cycles, which a call of a kernel
 * must not reach. s2s_trace_start sets it going, once. */
#if !defined(S2S_TRACE_REGISTER)
#define S2S_TRACE_REGISTER(address) ((volatile uint32_t *)(address))
#endif

#if defined(__ARM_ARCH_8_1M_MAIN__)

#define S2S_TRACE_HAS_CLOCK 1

static inline void s2s_trace_start(void)
{
    *S2S_TRACE_REGISTER(0xE000EDFCu) |= 1u << 24; /* DEMCR.TRCENA */
    *S2S_TRACE_REGISTER(0xE0003C00u) = 1u << 31;  /* PMU_CNTENSET.C */
    *S2S_TRACE_REGISTER(0xE0003E04u) |= 5u;       /* PMU_CTRL: E, and C sets the counter to 0 */
}

static inline uint32_t s2s_trace_clock(void)
{
    return *S2S_TRACE_REGISTER(0xE000307Cu); /* PMU_CCNTR */
}

#elif defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__)

#define S2S_TRACE_HAS_CLOCK 1

static inline void s2s_trace_start(void)
{
    *S2S_TRACE_REGISTER(0xE000EDFCu) |= 1u << 24; /* DEMCR.TRCENA */
    *S2S_TRACE_REGISTER(0xE0001004u) = 0u;        /* DWT_CYCCNT */
    *S2S_TRACE_REGISTER(0xE0001000u) |= 1u;       /* DWT_CTRL.CYCCNTENA */
}

static inline uint32_t s2s_trace_clock(void)
{
    return *S2S_TRACE_REGISTER(0xE0001004u);
}

#elif defined(__aarch64__) && !defined(__linux__) && !defined(__APPLE__) && !defined(_WIN32)

#define S2S_TRACE_HAS_CLOCK 1

static inline void s2s_trace_start(void)
{
    __asm__ volatile("msr pmcntenset_el0, %0" : : "r"((uint64_t)1u << 31));
    __asm__ volatile("msr pmcr_el0, %0\n\tisb" : : "r"((uint64_t)0x45u));
}

static inline uint32_t s2s_trace_clock(void)
{
    uint64_t cycles;

    __asm__ volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(cycles) : : "memory");
    return (uint32_t)cycles;
}

#elif (defined(__ARM_ARCH_7A__) || defined(__ARM_ARCH_7R__) || defined(__ARM_ARCH_8R__)) && !defined(__linux__)

#define S2S_TRACE_HAS_CLOCK 1

static inline void s2s_trace_start(void)
{
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 1" : : "r"(1u << 31));
    __asm__ volatile("mcr p15, 0, %0, c9, c12, 0\n\tisb" : : "r"(5u));
}

static inline uint32_t s2s_trace_clock(void)
{
    uint32_t cycles;

    __asm__ volatile("isb\n\tmrc p15, 0, %0, c9, c13, 0" : "=r"(cycles) : : "memory");
    return cycles;
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

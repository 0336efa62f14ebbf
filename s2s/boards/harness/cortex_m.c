/* Arm Cortex-M: vectors, reset, semihosting, and SysTick as a counter of instructions. */
#include "board.h"

extern uint32_t board_stack_top[];
extern uint32_t board_data_start[], board_data_end[], board_data_load[];
extern uint32_t board_bss_start[], board_bss_end[];

void board_reset(void);
void board_wrap(void);

#define CONTROL (*(volatile uint32_t *)0xE000E010u)
#define RELOAD (*(volatile uint32_t *)0xE000E014u)
#define CURRENT (*(volatile uint32_t *)0xE000E018u)
#define COPROCESSORS (*(volatile uint32_t *)0xE000ED88u)
#define WRAP 0x1000000u

static volatile uint32_t wraps;

int board_semihost(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;

    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

/* Six instructions, or five without those that load halves of an address; the host takes them off for every interrupt. */
__attribute__((naked)) void board_wrap(void)
{
#if __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FEATURE_CLZ)
    __asm__ volatile("ldr r0, 1f\n ldr r1, [r0]\n add r1, #1\n str r1, [r0]\n bx lr\n .align 2\n1: .word %c0\n" ::"i"(&wraps));
#else
    __asm__ volatile("movw r0, #:lower16:%c0\n movt r0, #:upper16:%c0\n"
                     "ldr r1, [r0]\n adds r1, #1\n str r1, [r0]\n bx lr\n" ::"i"(&wraps));
#endif
}

void board_start(void)
{
    CONTROL = 0;
    wraps = 0;
    RELOAD = WRAP - 1u;
    CURRENT = 0;
    CONTROL = 7; /* on, interrupt at every wrap, processor clock */
}

void board_stop(void)
{
    CONTROL = 0;
}

struct board_record board_now(void)
{
    struct board_record record = {0, 0, 0};
    uint32_t before, value;

    do {
        before = wraps;
        value = CURRENT;
    } while (before != wraps);
    record.interrupts = before;
    record.ticks = (uint64_t)before * WRAP + (value != 0u ? WRAP - value : 0u);
    return record;
}

static void leave(uint32_t status)
{
    const uint32_t block[2] = {0x20026u, status};

    for (;;) {
        (void)board_semihost(0x20, block); /* SYS_EXIT_EXTENDED */
    }
}

static void fault(void)
{
    leave(99);
}

void board_reset(void)
{
    const volatile uint32_t *from = board_data_load;

#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    COPROCESSORS |= 0xFu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
#endif
    for (volatile uint32_t *to = board_data_start; to < board_data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t *to = board_bss_start; to < board_bss_end; to++) {
        *to = 0;
    }
    leave((uint32_t)main());
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))board_stack_top, board_reset, fault, fault, fault, fault, fault, fault, 0, 0, 0, fault, fault, 0, fault, board_wrap,
};

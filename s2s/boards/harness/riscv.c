/* RISC-V: reset, semihosting, and the counter of retired instructions. */
#include "board.h"

void board_reset(void);
void board_main(void);

extern uint32_t board_data_start[], board_data_end[], board_data_load[];
extern uint32_t board_bss_start[], board_bss_end[];

static uint64_t started;

__attribute__((noinline)) int board_semihost(int operation, const void *argument)
{
    register int a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;

    /* The three instructions have to lie in one page. */
    __asm__ volatile(".balign 16\n .option push\n .option norvc\n"
                     "slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n .option pop\n"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
}

static uint64_t retired(void)
{
#if __riscv_xlen == 64
    uint64_t count;

    __asm__ volatile(".option push\n .option arch, +zicsr\n csrr %0, minstret\n .option pop\n" : "=r"(count));
    return count;
#else
    uint32_t high, low, again;

    do {
        __asm__ volatile(".option push\n .option arch, +zicsr\n"
                         "csrr %0, minstreth\n csrr %1, minstret\n csrr %2, minstreth\n .option pop\n"
                         : "=r"(high), "=r"(low), "=r"(again));
    } while (high != again);
    return (uint64_t)high << 32 | low;
#endif
}

void board_start(void)
{
    started = retired();
}

void board_stop(void)
{
}

struct board_record board_now(void)
{
    struct board_record record = {0, 0, 0};

    record.ticks = retired() - started;
    return record;
}

static void leave(uintptr_t status)
{
    const uintptr_t block[2] = {0x20026u, status};

    for (;;) {
        (void)board_semihost(0x20, block); /* SYS_EXIT_EXTENDED */
    }
}

__attribute__((aligned(4), used)) static void fault(void)
{
    leave(99);
}

__attribute__((used)) void board_main(void)
{
    const volatile uint32_t *from = board_data_load;

    __asm__ volatile(".option push\n .option arch, +zicsr\n csrw mtvec, %0\n .option pop\n" ::"r"(fault));
#ifdef __riscv_flen
    /* Floats and vectors are off after reset. */
    __asm__ volatile(".option push\n .option arch, +zicsr\n csrs mstatus, %0\n .option pop\n" ::"r"(0x2200));
#endif
    for (volatile uint32_t *to = board_data_start; to < board_data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t *to = board_bss_start; to < board_bss_end; to++) {
        *to = 0;
    }
    leave((uintptr_t)main());
}

__attribute__((naked, section(".vectors"), used)) void board_reset(void)
{
    __asm__ volatile(".option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n"
                     "la sp, board_stack_top\n la tp, board_tls\n j board_main\n");
}

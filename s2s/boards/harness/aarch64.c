/* 64-bit Arm: reset, semihosting, and the counter of cycles, of which the emulator counts one for each instruction. */
#include "board.h"

void board_main(void);

extern uint32_t board_data_start[], board_data_end[], board_data_load[];
extern uint32_t board_bss_start[], board_bss_end[], board_tls[];

#define SET(name, value) __asm__ volatile("msr " name ", %0" ::"r"((uint64_t)(value)))
#define GIGABYTE ((uint64_t)1 << 30)
#define NORMAL 0x701u /* a block that was used, that all cores share, with the first attributes */

static uint64_t pages[512] __attribute__((aligned(4096)));

__attribute__((noinline)) int board_semihost(int operation, const void *argument)
{
    register int w0 __asm__("w0") = operation;
    register const void *x1 __asm__("x1") = argument;

    __asm__ volatile("hlt #0xf000" : "+r"(w0) : "r"(x1) : "memory");
    return w0;
}

static uint64_t executed(void)
{
    uint64_t count;

    __asm__ volatile("isb\n mrs %0, pmccntr_el0" : "=r"(count));
    return count;
}

static uint64_t started;

void board_start(void)
{
    started = executed();
}

void board_stop(void)
{
}

struct board_record board_now(void)
{
    struct board_record record = {0, 0, 0};

    record.ticks = executed() - started;
    return record;
}

static void leave(uintptr_t status)
{
    const uintptr_t block[2] = {0x20026u, status};

    for (;;) {
        (void)board_semihost(0x18, block); /* SYS_EXIT */
    }
}

__attribute__((used)) void board_fault(void)
{
    leave(99);
}

/* Memory as programs expect it, where elements need not be aligned: RAM, at the same addresses. */
static void map_memory(void)
{
    pages[1] = GIGABYTE | NORMAL;
    SET("mair_el1", 0xff);
    SET("tcr_el1", 0x3500 | 25); /* 39 bits of address, in caches */
    SET("ttbr0_el1", (uintptr_t)pages);
    __asm__ volatile("isb\n mrs x9, sctlr_el1\n mov x10, #0x1005\n orr x9, x9, x10\n msr sctlr_el1, x9\n isb" ::: "x9",
                     "x10", "memory");
}

__attribute__((used)) void board_main(void)
{
    const volatile uint32_t *from = board_data_load;

    for (volatile uint32_t *to = board_data_start; to < board_data_end; to++) {
        *to = *from++;
    }
    for (volatile uint32_t *to = board_bss_start; to < board_bss_end; to++) {
        *to = 0;
    }
    SET("tpidr_el0", (uintptr_t)board_tls);
    map_memory();
    SET("pmcr_el0", 1);
    SET("pmccfiltr_el0", 0);
    SET("pmcntenset_el0", 0x80000000u);
    leave((uintptr_t)main());
}

/* Floats and vectors are off after reset, and vectors as long as the processor has them; all exceptions are faults. */
__asm__(".section .vectors, \"ax\"\n .global board_reset\n .type board_reset, %function\n board_reset:\n"
        "mov x9, #0x330000\n msr cpacr_el1, x9\n isb\n mov x9, #15\n msr s3_0_c1_c2_0, x9\n"
        "adr x9, 1f\n msr vbar_el1, x9\n isb\n"
        "adrp x9, board_stack_top\n add x9, x9, :lo12:board_stack_top\n mov sp, x9\n b board_main\n"
        ".balign 2048\n 1:\n .rept 16\n b board_fault\n .balign 128\n .endr\n .text\n");

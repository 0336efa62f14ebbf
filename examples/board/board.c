/* The least that a program needs on a Cortex-M4 that QEMU emulates: vectors, memory, a clock, text, the status of its end. */
#include "board.h"

#include <string.h>

#define SYSTICK_CONTROL (*(volatile uint32_t *)0xe000e010u)
#define SYSTICK_RELOAD (*(volatile uint32_t *)0xe000e014u)
#define SYSTICK_CURRENT (*(volatile uint32_t *)0xe000e018u)
#define COPROCESSORS (*(volatile uint32_t *)0xe000ed88u)

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20 };

extern uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;
extern int main(void);
void reset(void);

static volatile uint32_t milliseconds;

static void tick(void)
{
    ++milliseconds;
}

static void fault(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &stack_top,          (const void *)reset, (const void *)fault, (const void *)fault,
    (const void *)fault, (const void *)fault, (const void *)fault, [15] = (const void *)tick,
};

static void semihost(uint32_t number, const void *block)
{
    register uint32_t operation __asm__("r0") = number;
    register const void *argument __asm__("r1") = block;

    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
}

/* The reason "the application ends", and a status. */
static void leave(int status)
{
    const uint32_t block[] = {0x20026u, (uint32_t)status};

    for (;;) {
        semihost(SYS_EXIT_EXTENDED, block);
    }
}

static void fault(void)
{
    leave(99);
}

void board_print(const char *text)
{
    semihost(SYS_WRITE0, text);
}

void board_print_number(uint32_t number)
{
    char digits[11] = "";
    char *first = digits + sizeof digits - 1;

    do {
        *--first = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0u);
    board_print(first);
}

void board_start_clock(void)
{
    milliseconds = 0u;
    SYSTICK_RELOAD = BOARD_CYCLES_PER_MS - 1u;
    SYSTICK_CURRENT = 0u;
    SYSTICK_CONTROL = 7u; /* on, interrupt, processor clock */
}

uint32_t board_milliseconds(void)
{
    return milliseconds;
}

uint32_t board_cycles(void)
{
    uint32_t before, left;

    do {
        before = milliseconds;
        left = SYSTICK_CURRENT;
    } while (before != milliseconds);
    return before * BOARD_CYCLES_PER_MS + (BOARD_CYCLES_PER_MS - 1u - left);
}

void reset(void)
{
    COPROCESSORS |= 0xfu << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    memcpy(&data_start, &data_load, (size_t)((const char *)&data_end - (const char *)&data_start));
    memset(&bss_start, 0, (size_t)((const char *)&bss_end - (const char *)&bss_start));
    leave(main());
}

/* The least that a program needs on a Cortex-M4 that QEMU emulates: vectors, memory, the status of its end. */
#include <stdint.h>
#include <string.h>

extern uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;
extern int main(void);
void reset(void);

__attribute__((section(".vectors"), used)) static const void *const vectors[] = {&stack_top, (const void *)reset};

/* Semihosting: SYS_EXIT_EXTENDED with the reason "the application ends" and a status. */
static void leave(int status)
{
    const uint32_t block[] = {0x20026u, (uint32_t)status};
    register uint32_t operation __asm__("r0") = 0x20u;
    register const uint32_t *argument __asm__("r1") = block;

    __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(argument) : "memory");
}

void reset(void)
{
    *(volatile uint32_t *)0xe000ed88u |= 0xfu << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    memcpy(&data_start, &data_load, (size_t)((const char *)&data_end - (const char *)&data_start));
    memset(&bss_start, 0, (size_t)((const char *)&bss_end - (const char *)&bss_start));
    leave(main());
    for (;;) {
    }
}

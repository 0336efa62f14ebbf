/* The UART of Arm's CMSDK (Cortex-M System Design Kit, DDI 0479, section 4.3): data, state, control, baud divider. */
#include "uart.h"

#ifndef UART_BASE
#define UART_BASE 0x40004000u
#endif

#define DATA (*(volatile uint32_t *)(UART_BASE + 0x00u))
#define STATE (*(volatile uint32_t *)(UART_BASE + 0x04u))
#define CONTROL (*(volatile uint32_t *)(UART_BASE + 0x08u))
#define DIVIDER (*(volatile uint32_t *)(UART_BASE + 0x10u))
#define TRANSMIT_FULL 1u
#define RECEIVE_FULL 2u

void uart_start(void)
{
    DIVIDER = 217u; /* 115,200 baud at 25 MHz */
    CONTROL = 3u;
}

int uart_read(void *user)
{
    (void)user;
    while ((STATE & RECEIVE_FULL) == 0u) {
    }
    return (int)(DATA & 0xFFu);
}

void uart_write(void *user, const uint8_t *from, size_t size)
{
    (void)user;
    for (size_t i = 0; i < size; ++i) {
        while ((STATE & TRANSMIT_FULL) != 0u) {
        }
        DATA = from[i];
    }
}

/* The emulated board MPS2 under MLPerf Tiny: its UART, and a clock that counts instructions. */
#include "platform.h"

#include "board.h"
#include "uart.h"

void platform_start(void)
{
    uart_start();
    board_start();
}

char platform_read(void)
{
    return (char)uart_read(NULL);
}

void platform_write(const char *from, size_t size)
{
    uart_write(NULL, (const uint8_t *)from, size);
}

unsigned long platform_microseconds(void)
{
    return (unsigned long)board_now().ticks;
}

void platform_lap(void)
{
}

/* uart.h: the UART of Arm's CMSDK, whose address the build defines as UART_BASE. */
#ifndef UART_H
#define UART_H

#include <stddef.h>
#include <stdint.h>

/* Switches transmitter and receiver on. */
void uart_start(void);

/* The next byte, waiting for it. */
int uart_read(void *user);

void uart_write(void *user, const uint8_t *from, size_t size);

#endif

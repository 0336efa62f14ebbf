/* board.h: a Cortex-M4 that QEMU emulates (mps2-an386, 25 MHz): text for the console, and the time since a start. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

#define BOARD_CYCLES_PER_MS 25000u

/* Prints by semihosting, which stops the time of nobody: the emulator does it within one instruction. */
void board_print(const char *text);
void board_print_number(uint32_t number);

/* Starts SysTick, whose interrupt comes each millisecond. */
void board_start_clock(void);

/* Milliseconds since then. */
uint32_t board_milliseconds(void);

/* Processor cycles since then; wraps after 171 s. */
uint32_t board_cycles(void);

#endif

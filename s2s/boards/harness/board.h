/* board.h: what a program measures itself with on an emulated board.
 *
 * Under `qemu -icount` virtual time advances by a fixed step for every instruction, so a timer counts instructions
 * exactly. Numbers and results go to a file of the host by semihosting, as bytes: the host does the arithmetic and the
 * printing, and the program that is measured carries no printf. All code here is for single use by one main(). */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Deepest stack of the code that was run, timer ticks that it took, and interrupts of the counter among them. */
struct board_record {
    uint32_t stack;
    uint32_t interrupts;
    uint64_t ticks;
};

/* ---- what a program calls ---------------------------------------------- */

/* Opens `in.bin` and `out.bin` in the folder that the emulator was started in. */
void board_open(void);

/* The next bytes of in.bin. */
void board_read(void *to, uint32_t size);

/* Appends to out.bin. */
void board_write(const void *from, uint32_t size);

/* Runs code on a painted stack, and appends a record of how deep it went. */
void board_depth(void (*code)(void));

/* Runs code with the counter on, and appends a record. */
void board_count(void (*code)(void));

/* Around a piece of code: starts the counter; stops it and appends its number (as 32 bits) and a record. */
void board_enter(void);
void board_leave(uint32_t number);

/* ---- what a processor provides ------------------------------------------ */

extern uint32_t board_stack_limit[];

int board_semihost(int operation, const void *argument);
void board_start(void);
struct board_record board_now(void);
void board_stop(void);
void *board_stack_pointer(void);

int main(void);

#endif

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

/* Runs code on a painted stack, and appends a record of how deep it went. Both give what the code gave. */
int board_depth(int (*code)(void));

/* For the code itself: what lies above this, its own frame, is none of the stack that is asked for. */
static inline void board_here(void);

/* Runs code with the counter on, and appends a record. */
int board_count(int (*code)(void));

/* Around a piece of code: starts the counter; stops it and appends its number (as 32 bits) and a record. */
void board_enter(void);
void board_leave(uint32_t number);

/* ---- what a processor provides ------------------------------------------ */

extern uint32_t board_stack_limit[];

int board_semihost(int operation, const void *argument);
void board_start(void);
struct board_record board_now(void);
void board_stop(void);
extern volatile uint32_t *board_top;

int main(void);

static inline __attribute__((always_inline)) void board_here(void)
{
#ifdef __riscv
    __asm__ volatile("mv %0, sp" : "=r"(board_top));
#else
    __asm__ volatile("mov %0, sp" : "=r"(board_top));
#endif
}

#endif

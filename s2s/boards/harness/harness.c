/* The part of the harness that is the same on every processor. */
#include "board.h"

enum { OPEN = 0x01, WRITE = 0x05, READ = 0x06 };
enum { READ_BYTES = 1, WRITE_BYTES = 5 };
#define PAINT 0xA5C3F00Du

static int input, output;
volatile uint32_t *board_top;

static int open_file(const char *name, int mode)
{
    const uintptr_t block[3] = {(uintptr_t)name, (uintptr_t)mode, name[0] == 'i' ? 6u : 7u};

    return board_semihost(OPEN, block);
}

void board_open(void)
{
    input = open_file("in.bin", READ_BYTES);
    output = open_file("out.bin", WRITE_BYTES);
}

static void transfer(int operation, int file, uintptr_t address, uint32_t size)
{
    const uintptr_t block[3] = {(uintptr_t)file, address, size};

    (void)board_semihost(operation, block);
}

void board_read(void *to, uint32_t size)
{
    transfer(READ, input, (uintptr_t)to, size);
}

void board_write(const void *from, uint32_t size)
{
    transfer(WRITE, output, (uintptr_t)from, size);
}

__attribute__((noinline)) int board_depth(int (*code)(void))
{
    struct board_record record = {0, 0, 0};
    int result;
    volatile uint32_t *p;

    board_here();
    for (p = board_stack_limit; p < board_top; p++) {
        *p = PAINT;
    }
    result = code();
    for (p = board_stack_limit; p < board_top && *p == PAINT; p++) {
    }
    record.stack = (uint32_t)((uintptr_t)board_top - (uintptr_t)p);
    board_write(&record, sizeof record);
    return result;
}

__attribute__((noinline)) int board_count(int (*code)(void))
{
    struct board_record record;
    int result;

    board_start();
    result = code();
    record = board_now();
    board_stop();
    board_write(&record, sizeof record);
    return result;
}

void board_enter(void)
{
    board_start();
}

void board_leave(uint32_t number)
{
    const struct board_record record = board_now();

    board_stop();
    board_write(&number, sizeof number);
    board_write(&record, sizeof record);
}

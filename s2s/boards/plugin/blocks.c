/* A plugin for QEMU (version 1 of its interface) that counts the runs of blocks of Thumb code, window by window.
 *
 *     -plugin blocks.so,start=0x8000,stop=0x8040,skip=0x80f0-0x8100,out=blocks.txt
 *
 * A window opens when the code at `start` runs and closes when that at `stop` does; its blocks go to the file then: the
 * address of the first instruction, the address behind the last, how often the block ran, how often it was entered by a
 * branch and how often it was left by one, in hexadecimal; behind the last block a line with a dash. What runs at the
 * addresses of `skip` (the handler of an interrupt) counts as if it were not there. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t plugin_id;
typedef void (*translated)(plugin_id id, void *block);
typedef void (*executed)(unsigned processor, void *data);

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated callback);
extern void qemu_plugin_register_vcpu_tb_exec_cb(void *block, executed callback, int registers, void *data);
extern size_t qemu_plugin_tb_n_insns(const void *block);
extern uint64_t qemu_plugin_tb_vaddr(const void *block);
extern void *qemu_plugin_tb_get_insn(const void *block, size_t number);
extern uint64_t qemu_plugin_insn_vaddr(const void *insn);
extern const void *qemu_plugin_insn_data(const void *insn);

int qemu_plugin_version = 1;

struct block {
    uint64_t first, behind;
    unsigned long long runs, entered, left;
    struct block *next; /* of those that ran in this window */
};

static unsigned long long start, stop, skip_first, skip_behind;
static struct block *ran, *previous;
static bool is_open;
static FILE *file;

static void open_window(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    is_open = true;
    previous = NULL;
}

static void close_window(unsigned processor, void *data)
{
    (void)processor;
    (void)data;
    if (!is_open) {
        return;
    }
    is_open = false;
    for (struct block *b = ran; b != NULL; b = b->next) {
        fprintf(file, "%llx %llx %llx %llx %llx\n", (unsigned long long)b->first, (unsigned long long)b->behind, b->runs,
                b->entered, b->left);
        b->runs = b->entered = b->left = 0;
    }
    ran = NULL;
    fputs("-\n", file);
    fflush(file);
}

static void count_run(unsigned processor, void *data)
{
    struct block *const now = data;

    (void)processor;
    if (!is_open) {
        return;
    }
    if (now->runs++ == 0) {
        now->next = ran;
        ran = now;
    }
    if (previous == NULL || previous->behind != now->first) {
        now->entered++;
        if (previous != NULL) {
            previous->left++;
        }
    }
    previous = now;
}

/* The bytes of an instruction of Thumb. The emulator's own count is wrong for one in front of another that crosses pages:
 * it has looked ahead. */
static uint64_t size_of(const void *insn)
{
    const unsigned char *const bytes = qemu_plugin_insn_data(insn);

    return bytes[1] >= 0xe8u ? 4u : 2u;
}

static void watch_block(plugin_id id, void *block)
{
    const void *const last = qemu_plugin_tb_get_insn(block, qemu_plugin_tb_n_insns(block) - 1u);
    const uint64_t first = qemu_plugin_tb_vaddr(block);
    struct block *made;

    (void)id;
    if (first >= skip_first && first < skip_behind) {
        return;
    }
    if (first == start || first == stop) {
        qemu_plugin_register_vcpu_tb_exec_cb(block, first == start ? open_window : close_window, 0, NULL);
        return;
    }
    made = calloc(1, sizeof *made);
    if (made == NULL) {
        abort();
    }
    made->first = first;
    made->behind = qemu_plugin_insn_vaddr(last) + size_of(last);
    qemu_plugin_register_vcpu_tb_exec_cb(block, count_run, 0, made);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    char name[4096];

    (void)info;
    for (int i = 0; i < argc; i++) {
        if (sscanf(argv[i], "start=%llx", &start) == 1 || sscanf(argv[i], "stop=%llx", &stop) == 1 ||
            sscanf(argv[i], "skip=%llx-%llx", &skip_first, &skip_behind) == 2) {
            continue;
        }
        if (sscanf(argv[i], "out=%4095[^\n]", name) != 1 || (file = fopen(name, "w")) == NULL) {
            return -1;
        }
    }
    if (file == NULL) {
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, watch_block);
    return 0;
}

/* A plugin for QEMU (version 1 of its interface) that counts the bytes that loads and stores move in ranges of addresses.
 *
 *     -plugin accesses.so,arena=0x20000000-0x20010000,flash=0x10000-0x50000,out=counts.txt
 *
 * When the emulator exits, each range and its bytes go to the file, what is in no range under the name `others`. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANGES 16
#define READS_AND_WRITES 3

typedef uint64_t plugin_id;
typedef void (*translated)(plugin_id id, void *block);
typedef void (*accessed)(unsigned processor, uint32_t info, uint64_t address, void *data);
typedef void (*ended)(plugin_id id, void *data);

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated callback);
extern size_t qemu_plugin_tb_n_insns(const void *block);
extern void *qemu_plugin_tb_get_insn(const void *block, size_t number);
extern void qemu_plugin_register_vcpu_mem_cb(void *insn, accessed callback, int registers, int kinds, void *data);
extern unsigned qemu_plugin_mem_size_shift(uint32_t info);
extern void qemu_plugin_register_atexit_cb(plugin_id id, ended callback, void *data);

int qemu_plugin_version = 1;

static struct {
    char name[32];
    uint64_t first, behind, bytes;
} ranges[MAX_RANGES];
static size_t count;
static uint64_t others;
static char out[4096] = "counts.txt";

static void count_access(unsigned processor, uint32_t info, uint64_t address, void *data)
{
    const uint64_t size = UINT64_C(1) << qemu_plugin_mem_size_shift(info);

    (void)processor;
    (void)data;
    for (size_t i = 0; i < count; i++) {
        if (address >= ranges[i].first && address < ranges[i].behind) {
            ranges[i].bytes += size;
            return;
        }
    }
    others += size;
}

static void watch_block(plugin_id id, void *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), count_access, 0, READS_AND_WRITES, NULL);
    }
}

static void write_counts(plugin_id id, void *data)
{
    FILE *const file = fopen(out, "w");

    (void)id;
    (void)data;
    if (file == NULL) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%s %llu\n", ranges[i].name, (unsigned long long)ranges[i].bytes);
    }
    fprintf(file, "others %llu\n", (unsigned long long)others);
    fclose(file);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        unsigned long long first, behind;

        if (strncmp(argv[i], "out=", 4) == 0) {
            snprintf(out, sizeof out, "%s", argv[i] + 4);
        } else if (count < MAX_RANGES && sscanf(argv[i], "%31[^=]=%llx-%llx", ranges[count].name, &first, &behind) == 3) {
            ranges[count].first = first;
            ranges[count++].behind = behind;
        } else {
            return -1;
        }
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, watch_block);
    qemu_plugin_register_atexit_cb(id, write_counts, NULL);
    return 0;
}

/* A stand-in for the harness of mlcommons/tiny: the commands of its runner that tests send, each ended by `%`, and the
 * answers that it prints. */
#include "api/internally_implemented.h"
#include "api/submitter_implemented.h"

#include <stdint.h>
#include <string.h>

namespace {

char command[81];
size_t length;
uint8_t buffer[MAX_DB_INPUT_SIZE];
size_t expected, filled;

uint8_t digit(char text)
{
    return static_cast<uint8_t>(text <= '9' ? text - '0' : (text | 0x20) - 'a' + 10);
}

void fill(const char *text)
{
    for (; text[0] != '\0' && text[1] != '\0' && filled < expected; text += 2) {
        buffer[filled++] = static_cast<uint8_t>(digit(text[0]) << 4 | digit(text[1]));
    }
    if (filled == expected) {
        th_printf("m-load-done\r\n");
    }
}

void infer(int runs, int warm)
{
    th_load_tensor();
    th_printf("m-warmup-start-%d\r\n", warm);
    for (int i = 0; i < warm; ++i) {
        th_infer();
    }
    th_printf("m-warmup-done\r\nm-infer-start-%d\r\n", runs);
    th_timestamp();
    th_pre();
    for (int i = 0; i < runs; ++i) {
        th_infer();
    }
    th_post();
    th_timestamp();
    th_printf("m-infer-done\r\n");
    th_results();
}

int number_after(const char *text, int otherwise)
{
    const char *space = strrchr(text, ' ');
    return space == nullptr ? otherwise : th_atoi(space + 1);
}

} // namespace

void ee_benchmark_initialize(void)
{
    th_serialport_initialize();
    th_timestamp_initialize();
    th_final_initialize();
    th_printf("m-init-done\r\nm-ready\r\n");
}

void ee_serial_callback(char byte)
{
    if (byte == '%') {
        command[length] = '\0';
        length = 0;
        th_command_ready(command);
    } else if (length < sizeof command - 1) {
        command[length++] = byte;
    }
}

void ee_serial_command_parser_callback(char *text)
{
    if (th_strncmp(text, "name", 5) == 0) {
        th_printf("m-name-dut-[unspecified]\r\n");
    } else if (th_strncmp(text, "profile", 8) == 0) {
        th_printf("m-model-[%s]\r\n", TH_MODEL_VERSION);
    } else if (th_strncmp(text, "timestamp", 10) == 0) {
        th_timestamp();
    } else if (th_strncmp(text, "db load ", 8) == 0) {
        expected = static_cast<size_t>(number_after(text, 0));
        filled = 0;
        th_printf("m-[Expecting %d bytes]\r\n", static_cast<int>(expected));
    } else if (th_strncmp(text, "db ", 3) == 0) {
        fill(text + 3);
    } else if (th_strncmp(text, "infer ", 6) == 0) {
        infer(th_atoi(text + 6), strchr(text + 6, ' ') == nullptr ? 10 : number_after(text, 10));
    } else if (th_strncmp(text, "results", 8) == 0) {
        th_results();
    } else {
        th_printf("e-[Unknown command: %s]\r\n", text);
    }
    th_printf("m-ready\r\n");
}

size_t ee_get_buffer(uint8_t *to, size_t most)
{
    const size_t size = most < filled ? most : filled;
    memcpy(to, buffer, size);
    return size;
}

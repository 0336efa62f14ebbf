/* A board on this machine: standard input and output are its serial line, and its network adds 1 to four bytes. */
#include "s2s_serial.h"

#include <unistd.h>

static uint8_t input[600], output[600], runs[1];

static int read_byte(void *user)
{
    uint8_t byte;

    (void)user;
    return read(STDIN_FILENO, &byte, 1u) == 1 ? byte : -1;
}

static void write_bytes(void *user, const uint8_t *from, size_t size)
{
    (void)user;
    while (size > 0u) {
        const ssize_t written = write(STDOUT_FILENO, from, size);
        if (written <= 0) {
            return;
        }
        from += written;
        size -= (size_t)written;
    }
}

static s2s_status run(void)
{
    for (size_t i = 0; i < sizeof input; ++i) {
        output[i] = (uint8_t)(input[i] + 1u);
    }
    runs[0] = (uint8_t)(runs[0] + 1u);
    return S2S_OK;
}

static s2s_status reset(void)
{
    runs[0] = 0u;
    return S2S_OK;
}

int main(void)
{
    static const s2s_serial_tensor inputs[] = {{input, sizeof input}};
    static const s2s_serial_tensor outputs[] = {{output, sizeof output}, {runs, sizeof runs}};
    static const s2s_serial_network network = {
        "bytes", {0, 1, 2, 3, 4, 5, 6, 255}, inputs, outputs, 1, 2, run, reset, NULL, 0, NULL,
    };
    static const s2s_serial_line line = {read_byte, write_bytes, NULL};
    static s2s_serial_server server;

    s2s_serial_serve(&server, &line, &network);
    return 0;
}

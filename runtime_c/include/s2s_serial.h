/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_serial.h: lets a host run a network on a board over a serial line, as `s2s verify --on serial:PORT` does.
 *
 *     static const s2s_serial_line line = {read_byte, write_bytes, NULL};
 *     static s2s_serial_server server;
 *
 *     s2s_serial_serve(&server, &line, &network);
 *
 * A frame is a request or a reply and its CRC-32 (that of zlib, little endian), encoded by COBS (Cheshire and Baker,
 * 1999) and ended by a zero byte. The host sends a request, and the board replies with the same kind, its highest bit
 * set, and the same number. All integers are little endian.
 *
 *     request: kind, number, ...                         reply: kind | 0x80, number, error, ...
 *     1 hello                                            version, inputs, outputs (8 bits each), ticks in a second
 *                                                        (32), key of the model (8 bytes), size of each port (32), name
 *     2 write: input (8), offset (32), bytes
 *     3 run                                              status (32), ticks (64)
 *     4 read: output (8), offset (32), size (16)         bytes
 *     5 reset                                            status (32)
 *     6 trace: row (16)                                  nothing, where the board takes no times of kernels; or rows,
 *                                                        runs without a row, ticks in a second (32 each) of the last
 *                                                        run, and of this row, where there is one, the ticks (64), the
 *                                                        line, the number of calls (32 each), the kernel's name
 *
 * A frame that is damaged gets no reply: the host sends it again after a while. A run that follows a run of the same
 * number is not repeated: the reply is sent again. */
#ifndef S2S_SERIAL_H
#define S2S_SERIAL_H

#include "s2s.h"
#include "s2s_trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define S2S_SERIAL_VERSION 1
#define S2S_SERIAL_CHUNK 512u /* bytes of a tensor in one frame, at most */
#define S2S_SERIAL_KEY 8u     /* bytes of the key of a model */
#define S2S_SERIAL_PORTS 100  /* inputs and outputs together, at most: a reply to hello holds all sizes */
#define S2S_SERIAL_FRAME (S2S_SERIAL_CHUNK + 24u)

/* What an error in a reply says. */
#define S2S_SERIAL_OK 0
#define S2S_SERIAL_BAD_REQUEST 1 /* its kind or length is none that the board knows */
#define S2S_SERIAL_BAD_RANGE 2   /* there is no such input or output, or it has no such bytes */

/* A line: read gives the next byte, waiting for it, or a negative number where the line is closed. */
typedef struct s2s_serial_line {
    int (*read)(void *user);
    void (*write)(void *user, const uint8_t *from, size_t size);
    void *user;
} s2s_serial_line;

typedef struct s2s_serial_tensor {
    void *data;
    uint32_t size; /* bytes */
} s2s_serial_tensor;

/* A network, and how it is run. The structure with the sizes of a run, where these vary, is an input and an output behind
 * the others. ticks may be null: then runs take 0. reset may be null where there is no state, trace where no kernel is timed. */
typedef struct s2s_serial_network {
    const char *name;
    uint8_t key[S2S_SERIAL_KEY]; /* the first bytes of the SHA-256 of the model's file */
    const s2s_serial_tensor *inputs;
    const s2s_serial_tensor *outputs;
    uint8_t num_inputs;
    uint8_t num_outputs;
    s2s_status (*run)(void);
    s2s_status (*reset)(void);
    uint64_t (*ticks)(void); /* counts up */
    uint32_t ticks_per_second;
    const s2s_trace *trace; /* of the last run */
} s2s_serial_network;

/* The memory of a server; its members are its own affair. */
typedef struct s2s_serial_server {
    const s2s_serial_line *line;
    const s2s_serial_network *network;
    uint8_t frame[S2S_SERIAL_FRAME]; /* a request, then its reply */
    uint8_t error;                   /* of the reply */
    uint8_t ran[12];                 /* the reply to the last run */
    int last_run;                    /* its number, -1 after any other request */
} s2s_serial_server;

/* Answers requests until the line is closed. */
void s2s_serial_serve(s2s_serial_server *server, const s2s_serial_line *line, const s2s_serial_network *network);

#ifdef __cplusplus
}
#endif
#endif

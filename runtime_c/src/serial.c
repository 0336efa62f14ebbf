/* SPDX-License-Identifier: Apache-2.0 */
/* Running a network over a serial line; the frames are described in s2s_serial.h. */
#include "s2s_serial.h"

#define CRC_SIZE 4u
#define HEADER 3u       /* of a reply: kind, number, error */
#define WRITE_HEADER 7u /* of a request: kind, number, input, offset */
#define RUN_SIZE sizeof((s2s_serial_server *)0)->ran

enum { HELLO = 1, WRITE, RUN, READ, RESET, TRACE };

static uint32_t crc32(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;

    for (size_t i = 0; i < size; ++i) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0u ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}

static uint32_t take32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; ++i) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

static void copy(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; ++i) {
        to[i] = from[i];
    }
}

/* Reads up to the next zero byte. Returns the number of bytes before it, 0 if they are too many, -1 at the end. */
static int read_encoded(s2s_serial_server *self)
{
    size_t size = 0u;

    for (;;) {
        const int byte = self->line->read(self->line->user);
        if (byte < 0) {
            return -1;
        }
        if (byte == 0) {
            return size <= S2S_SERIAL_FRAME ? (int)size : 0;
        }
        if (size < S2S_SERIAL_FRAME) {
            self->frame[size] = (uint8_t)byte;
        }
        size += size <= S2S_SERIAL_FRAME ? 1u : 0u;
    }
}

/* Decodes COBS in place. Returns the size of what was encoded, 0 if it was nothing sound. */
static size_t decode(uint8_t *frame, size_t size)
{
    size_t to = 0u;

    for (size_t at = 0u; at < size;) {
        const size_t block = frame[at];
        if (block > size - at) {
            return 0u;
        }
        copy(&frame[to], &frame[at + 1u], block - 1u);
        to += block - 1u;
        at += block;
        if (block < 255u && at < size) {
            frame[to] = 0u;
            to += 1u;
        }
    }
    return to;
}

/* Encodes by COBS on the way to the line. */
static void write_encoded(const s2s_serial_server *self, size_t size)
{
    static const uint8_t end = 0u;
    size_t at = 0u;

    for (;;) {
        size_t block = 0u;
        while (block < 254u && at + block < size && self->frame[at + block] != 0u) {
            block += 1u;
        }
        const uint8_t code = (uint8_t)(block + 1u);
        self->line->write(self->line->user, &code, 1u);
        self->line->write(self->line->user, &self->frame[at], block);
        at += block;
        if (at == size) {
            break;
        }
        at += block < 254u ? 1u : 0u; /* the zero, which the code stands for */
    }
    self->line->write(self->line->user, &end, 1u);
}

static const s2s_serial_tensor *tensor(const s2s_serial_tensor *tensors, uint8_t count, const uint8_t *request,
                                       uint32_t size)
{
    const uint32_t offset = take32(&request[3]);

    if (request[2] >= count || offset > tensors[request[2]].size || size > tensors[request[2]].size - offset) {
        return NULL;
    }
    return &tensors[request[2]];
}

/* Puts a text into the frame. Returns where it ends. */
static uint8_t *put_text(s2s_serial_server *self, uint8_t *to, const char *text)
{
    const uint8_t *const end = &self->frame[S2S_SERIAL_FRAME - CRC_SIZE];

    for (; *text != '\0' && to < end; ++text) {
        *to++ = (uint8_t)*text;
    }
    return to;
}

/* Each of the following answers the request in the frame, whose size is given, and returns the size of the reply. */

static size_t refuse(s2s_serial_server *self, uint8_t error)
{
    self->error = error;
    return HEADER;
}

static size_t hello(s2s_serial_server *self)
{
    const s2s_serial_network *network = self->network;
    uint8_t *to = &self->frame[HEADER];
    const uint8_t *const end = &self->frame[S2S_SERIAL_FRAME - CRC_SIZE];

    *to++ = S2S_SERIAL_VERSION;
    *to++ = network->num_inputs;
    *to++ = network->num_outputs;
    put32(to, network->ticks != NULL ? network->ticks_per_second : 0u);
    to += 4;
    copy(to, network->key, S2S_SERIAL_KEY);
    to += S2S_SERIAL_KEY;
    for (uint8_t i = 0u; i < network->num_inputs && end - to >= 4; ++i, to += 4) {
        put32(to, network->inputs[i].size);
    }
    for (uint8_t i = 0u; i < network->num_outputs && end - to >= 4; ++i, to += 4) {
        put32(to, network->outputs[i].size);
    }
    return (size_t)(put_text(self, to, network->name) - self->frame);
}

static size_t write_input(s2s_serial_server *self, size_t size)
{
    const s2s_serial_network *network = self->network;
    const s2s_serial_tensor *input;

    if (size < WRITE_HEADER) {
        return refuse(self, S2S_SERIAL_BAD_REQUEST);
    }
    input = tensor(network->inputs, network->num_inputs, self->frame, (uint32_t)(size - WRITE_HEADER));
    if (input == NULL) {
        return refuse(self, S2S_SERIAL_BAD_RANGE);
    }
    copy((uint8_t *)input->data + take32(&self->frame[3]), &self->frame[WRITE_HEADER], size - WRITE_HEADER);
    return HEADER;
}

static size_t read_output(s2s_serial_server *self, size_t size)
{
    const s2s_serial_network *network = self->network;
    const s2s_serial_tensor *output;
    uint32_t wanted, offset;

    if (size != 9u) {
        return refuse(self, S2S_SERIAL_BAD_REQUEST);
    }
    wanted = (uint32_t)self->frame[7] | (uint32_t)self->frame[8] << 8;
    output = tensor(network->outputs, network->num_outputs, self->frame, wanted);
    if (output == NULL || wanted > S2S_SERIAL_CHUNK) {
        return refuse(self, S2S_SERIAL_BAD_RANGE);
    }
    offset = take32(&self->frame[3]);
    copy(&self->frame[HEADER], (const uint8_t *)output->data + offset, wanted);
    return HEADER + wanted;
}

static size_t run(s2s_serial_server *self)
{
    const s2s_serial_network *network = self->network;

    if (self->last_run != self->frame[1]) {
        const uint64_t before = network->ticks != NULL ? network->ticks() : 0u;
        const s2s_status status = network->run();
        const uint64_t ticks = network->ticks != NULL ? network->ticks() - before : 0u;
        self->last_run = self->frame[1];
        put32(&self->ran[0], (uint32_t)status);
        put32(&self->ran[4], (uint32_t)ticks);
        put32(&self->ran[8], (uint32_t)(ticks >> 32));
    }
    copy(&self->frame[HEADER], self->ran, RUN_SIZE);
    return HEADER + RUN_SIZE;
}

static size_t reset(s2s_serial_server *self)
{
    put32(&self->frame[HEADER], self->network->reset != NULL ? (uint32_t)self->network->reset() : (uint32_t)S2S_OK);
    return HEADER + 4u;
}

static size_t trace(s2s_serial_server *self, size_t size)
{
    const s2s_trace *const table = self->network->trace;
    uint8_t *to = &self->frame[HEADER];
    uint32_t number;

    if (size != 4u) {
        return refuse(self, S2S_SERIAL_BAD_REQUEST);
    }
    if (table == NULL) {
        return HEADER;
    }
    number = (uint32_t)self->frame[2] | (uint32_t)self->frame[3] << 8;
    put32(&to[0], table->used);
    put32(&to[4], table->lost);
    put32(&to[8], table->ticks_per_second);
    to += 12;
    if (number < table->used) {
        const s2s_trace_row *const row = &table->rows[number];
        put32(&to[0], (uint32_t)row->ticks);
        put32(&to[4], (uint32_t)(row->ticks >> 32));
        put32(&to[8], row->line);
        put32(&to[12], row->count);
        to = put_text(self, &to[16], row->kernel);
    }
    return (size_t)(to - self->frame);
}

static size_t answer(s2s_serial_server *self, size_t size)
{
    const uint8_t kind = self->frame[0];
    size_t reply;

    if (kind != RUN) {
        self->last_run = -1; /* the host has got the reply to the last run */
    }
    switch (kind) {
    case HELLO: reply = hello(self); break;
    case WRITE: reply = write_input(self, size); break;
    case RUN: reply = run(self); break;
    case READ: reply = read_output(self, size); break;
    case RESET: reply = reset(self); break;
    case TRACE: reply = trace(self, size); break;
    default: reply = refuse(self, S2S_SERIAL_BAD_REQUEST); break;
    }
    return reply;
}

/* Whether a frame of so many bytes ends with the CRC of the others. */
static bool is_sound(const uint8_t *frame, size_t size)
{
    return size >= CRC_SIZE + 2u && take32(&frame[size - CRC_SIZE]) == crc32(frame, size - CRC_SIZE);
}

S2S_MERGED
void s2s_serial_serve(s2s_serial_server *server, const s2s_serial_line *line, const s2s_serial_network *network)
{
    int encoded;

    server->line = line;
    server->network = network;
    server->last_run = -1;
    while ((encoded = read_encoded(server)) >= 0) {
        const size_t size = decode(server->frame, (size_t)encoded);
        if (is_sound(server->frame, size)) {
            const uint8_t kind = server->frame[0];
            size_t reply;
            server->error = S2S_SERIAL_OK;
            reply = answer(server, size - CRC_SIZE);
            server->frame[0] = (uint8_t)(kind | 0x80u);
            server->frame[2] = server->error;
            put32(&server->frame[reply], crc32(server->frame, reply));
            write_encoded(server, reply + CRC_SIZE);
        }
    }
}

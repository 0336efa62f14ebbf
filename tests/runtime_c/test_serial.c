/* A network behind a serial line: frames, requests, and what is refused. */
#include "check.h"

#include "s2s_serial.h"

#include <string.h>

#define ROOM 4096u

static uint8_t sent[ROOM], received[ROOM];
static size_t sent_size, sent_at, received_size;
static int runs;
static float input[300], output[2];
static uint64_t clock_now;

static int read_byte(void *user)
{
    (void)user;
    return sent_at < sent_size ? sent[sent_at++] : -1;
}

static void write_bytes(void *user, const uint8_t *from, size_t size)
{
    (void)user;
    memcpy(&received[received_size], from, size);
    received_size += size;
}

static s2s_status run(void)
{
    runs += 1;
    clock_now += UINT64_C(0x100000007);
    output[0] = input[0] + input[299];
    return S2S_OK;
}

static s2s_status reset(void)
{
    output[0] = 0.0f;
    return S2S_ERR_STATE;
}

static uint64_t ticks(void)
{
    return clock_now;
}

static const s2s_serial_tensor inputs[] = {{input, sizeof input}};
static const s2s_serial_tensor outputs[] = {{output, sizeof output}};
static s2s_serial_network network = {
    "net", {1, 2, 3, 4, 5, 6, 7, 8}, inputs, outputs, 1, 1, run, reset, ticks, 1000, NULL,
};
static const s2s_serial_line line = {read_byte, write_bytes, NULL};

static uint32_t crc(const uint8_t *data, size_t size)
{
    uint32_t value = 0xFFFFFFFFu;

    for (size_t i = 0; i < 8u * size; ++i) {
        const uint32_t bit = (value ^ (uint32_t)data[i / 8u] >> (i % 8u)) & 1u;
        value = value >> 1 ^ (bit != 0u ? 0xEDB88320u : 0u);
    }
    return ~value;
}

/* Appends the frame of a request to what is sent: a code byte at the start and in the place of each zero. */
static void send(const uint8_t *request, size_t size)
{
    uint8_t raw[700];
    size_t code = sent_size++;
    const uint32_t check = crc(request, size);

    memcpy(raw, request, size);
    for (size_t i = 0; i < 4u; ++i) {
        raw[size + i] = (uint8_t)(check >> (8u * i));
    }
    for (size_t i = 0; i < size + 4u; ++i) {
        if (raw[i] == 0u || sent_size - code == 255u) {
            sent[code] = (uint8_t)(sent_size - code);
            code = sent_size++;
        }
        if (raw[i] != 0u) {
            sent[sent_size++] = raw[i];
        }
    }
    sent[code] = (uint8_t)(sent_size - code);
    sent[sent_size++] = 0u;
}

/* Serves what was sent. Returns the size of the first reply, decoded into `reply` without its CRC, or 0. */
static size_t serve(uint8_t *reply)
{
    static s2s_serial_server server;
    size_t size = 0u;

    sent_at = received_size = 0u;
    s2s_serial_serve(&server, &line, &network);
    sent_size = 0u;
    for (size_t at = 0u; at < received_size && received[at] != 0u;) {
        const size_t block = received[at];
        memcpy(&reply[size], &received[at + 1u], block - 1u);
        size += block - 1u;
        at += block;
        if (block < 255u && received[at] != 0u) {
            reply[size++] = 0u;
        }
    }
    if (size < 4u) {
        return 0u;
    }
    CHECK(reply[size - 4u] == (uint8_t)crc(reply, size - 4u));
    return size - 4u;
}

static void hello_says_what_the_network_is(void)
{
    static const uint8_t request[] = {1, 9};
    static const uint8_t expected[] = {0x81, 9, 0, 1, 1, 1, 0xE8, 3, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
                                       0xB0, 4, 0, 0, 8, 0, 0, 0, 'n', 'e', 't'};
    uint8_t reply[700];

    send(request, sizeof request);
    CHECK(serve(reply) == sizeof expected);
    CHECK(memcmp(reply, expected, sizeof expected) == 0);
}

static void inputs_are_written_and_outputs_read(void)
{
    static const uint8_t go[] = {3, 2}, get[] = {4, 3, 0, 0, 0, 0, 0, 8, 0};
    static const uint8_t ran[] = {0x83, 2, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0};
    const float first = 1.5f, last = -0.25f;
    uint8_t put[7 + 512] = {2, 1, 0}, reply[700];
    float found[2];

    memcpy(&put[7], &first, sizeof first);
    memset(&put[11], 0x11, 508); /* more than 254 bytes without a zero */
    send(put, sizeof put);
    CHECK(serve(reply) == 3u && reply[0] == 0x82 && reply[1] == 1 && reply[2] == S2S_SERIAL_OK);
    put[3] = (uint8_t)(1196 & 255);
    put[4] = (uint8_t)(1196 >> 8);
    memcpy(&put[7], &last, sizeof last);
    send(put, 11);
    CHECK(serve(reply) == 3u && reply[2] == S2S_SERIAL_OK);
    send(go, sizeof go);
    CHECK(serve(reply) == sizeof ran && memcmp(reply, ran, sizeof ran) == 0);
    send(get, sizeof get);
    CHECK(serve(reply) == 11u && reply[0] == 0x84 && reply[2] == S2S_SERIAL_OK);
    memcpy(found, &reply[3], sizeof found);
    CHECK(found[0] == 1.25f);
}

static void a_run_that_is_asked_for_again_is_not_repeated(void)
{
    static const uint8_t go[] = {3, 2}, next[] = {3, 3}, other[] = {1, 9};
    uint8_t reply[700];

    runs = 0;
    send(go, sizeof go);
    send(go, sizeof go);
    (void)serve(reply);
    CHECK(runs == 1);
    send(go, sizeof go);
    send(next, sizeof next);
    (void)serve(reply);
    CHECK(runs == 3);
    send(go, sizeof go);
    send(other, sizeof other);
    send(go, sizeof go); /* of another host, which counts its requests anew */
    (void)serve(reply);
    CHECK(runs == 5);
}

static void damaged_frames_get_no_reply(void)
{
    static const uint8_t request[] = {1, 9, 0, 7};
    uint8_t reply[700];

    send(request, sizeof request);
    sent[1] ^= 4u;
    CHECK(serve(reply) == 0u);
    send(request, sizeof request);
    sent[0] = 200u; /* a block that is longer than the frame */
    CHECK(serve(reply) == 0u);
    sent[0] = 2u;
    sent[1] = 1u;
    sent[2] = 0u;
    sent_size = 3u; /* too short for a CRC */
    CHECK(serve(reply) == 0u);
    memset(sent, 1, 1000);
    sent[1000] = 0u;
    sent_size = 1001u; /* longer than any frame; what follows is read again */
    send(request, 2);
    CHECK(serve(reply) == 29u);
}

static void refused(const uint8_t *request, size_t size, int error)
{
    uint8_t reply[700];

    send(request, size);
    CHECK(serve(reply) == 3u);
    CHECK(reply[2] == error);
}

static void requests_out_of_range_are_refused(void)
{
    static const uint8_t unknown[] = {77, 1}, no_input[] = {2, 1, 1, 0, 0, 0, 0, 5}, behind[] = {2, 1, 0, 0xB0, 4, 0, 0, 5},
                         far[] = {2, 1, 0, 255, 255, 255, 255, 5}, no_offset[] = {2, 1, 0, 0},
                         much[] = {4, 1, 0, 0, 0, 0, 0, 9, 0}, no_output[] = {4, 1, 1, 0, 0, 0, 0, 1, 0},
                         no_size[] = {4, 1, 0, 0, 0, 0, 0};

    refused(unknown, sizeof unknown, S2S_SERIAL_BAD_REQUEST);
    refused(no_input, sizeof no_input, S2S_SERIAL_BAD_RANGE);
    refused(behind, sizeof behind, S2S_SERIAL_BAD_RANGE);
    refused(far, sizeof far, S2S_SERIAL_BAD_RANGE);
    refused(no_offset, sizeof no_offset, S2S_SERIAL_BAD_REQUEST);
    refused(much, sizeof much, S2S_SERIAL_BAD_RANGE);
    refused(no_output, sizeof no_output, S2S_SERIAL_BAD_RANGE);
    refused(no_size, sizeof no_size, S2S_SERIAL_BAD_REQUEST);
}

static void clock_and_reset_may_be_left_out(void)
{
    static const uint8_t go[] = {3, 2}, back[] = {5, 3};
    static const uint8_t done[] = {0x85, 3, 0, 0xF2, 0xFF, 0xFF, 0xFF};
    const s2s_serial_network whole = network;
    uint8_t reply[700];

    send(back, sizeof back);
    CHECK(serve(reply) == sizeof done && memcmp(reply, done, sizeof done) == 0); /* S2S_ERR_STATE */
    network.ticks = NULL;
    network.reset = NULL;
    send(go, sizeof go);
    CHECK(serve(reply) == 15u && reply[7] == 0u && reply[11] == 0u);
    send(back, sizeof back);
    CHECK(serve(reply) == 7u && reply[3] == 0u);
    network = whole;
}

static void times_of_kernels_are_read_row_by_row(void)
{
    static const uint8_t first[] = {6, 1, 0, 0}, second[] = {6, 2, 1, 0}, third[] = {6, 3, 2, 0}, no_row[] = {6, 4};
    static const uint8_t row[] = {0x86, 2, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0xE8, 3, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0,
                                  0x2C, 1, 0, 0, 2, 0, 0, 0, 'g'};
    static s2s_trace_row rows[2];
    static s2s_trace trace = {rows, 2, 1000, 0, 0, 0};
    uint8_t reply[700];

    send(first, sizeof first);
    CHECK(serve(reply) == 3u && reply[2] == 0u); /* built without hooks */
    s2s_trace_add(&trace, "f", 100, 5);
    s2s_trace_add(&trace, "g", 300, 0xFFFFFFFFu);
    s2s_trace_add(&trace, "g", 300, 8);
    s2s_trace_add(&trace, "h", 200, 1);
    network.trace = &trace;
    send(second, sizeof second);
    CHECK(serve(reply) == sizeof row && memcmp(reply, row, sizeof row) == 0);
    send(third, sizeof third);
    CHECK(serve(reply) == 15u && reply[3] == 2u); /* behind the last row */
    refused(no_row, sizeof no_row, S2S_SERIAL_BAD_REQUEST);
    s2s_trace_clear(&trace);
    send(first, sizeof first);
    CHECK(serve(reply) == 15u && reply[3] == 0u && reply[7] == 0u);
    network.trace = NULL;
}

void test_serial(void)
{
    hello_says_what_the_network_is();
    inputs_are_written_and_outputs_read();
    a_run_that_is_asked_for_again_is_not_repeated();
    damaged_frames_get_no_reply();
    requests_out_of_range_are_refused();
    clock_and_reset_may_be_left_out();
    times_of_kernels_are_read_row_by_row();
}

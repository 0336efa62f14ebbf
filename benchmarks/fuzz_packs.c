/* Mutates a pack of weights and binds it: fuzz_packs PACK COUNT SEED. Compiled with the network NAME, whose header is
 * NETWORK, and with the address sanitizer; a pack lies in memory of just its size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include NETWORK

enum { MOST = 1 << 20, ALIGN = 64, STATUSES = 32 };

static S2S_ALIGNED(ALIGN) unsigned char arena[ARENA_SIZE];
static uint64_t inputs[INPUT_BYTES / 8u + 1u], outputs[OUTPUT_BYTES / 8u + 1u];
static uint8_t original[MOST];
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % below;
}

/* A place in the header half of the time, else anywhere. */
static size_t place(size_t size)
{
    return draw(2u) == 0u && size > S2S_PACK_HEADER ? draw(S2S_PACK_HEADER) : draw((uint32_t)size);
}

static const uint32_t numbers[] = {0u, 1u, 2u, 63u, 64u, 127u, 191u, 192u, 193u, 0x7fffffffu, 0x80000000u, 0xffffff40u, 0xffffffffu};

static void mutate_once(uint8_t *bytes, size_t size)
{
    switch (draw(5u)) {
    case 0: bytes[place(size)] ^= (uint8_t)(1u << draw(8u)); break;
    case 1: bytes[place(size)] = (uint8_t)draw(256u); break;
    case 2: /* a number of the header */
        if (size >= S2S_PACK_HEADER) {
            const uint32_t number = draw(3u) == 0u ? draw(0xffffffffu) : numbers[draw(sizeof numbers / sizeof *numbers)];

            memcpy(bytes + 4u * draw(S2S_PACK_HEADER / 4u), &number, 4u);
        }
        break;
    case 3: { /* bytes of another place */
        const size_t from = place(size), to = place(size), most = size - (from > to ? from : to);

        memmove(bytes + to, bytes + from, draw((uint32_t)(most < 64u ? most : 64u) + 1u));
        break;
    }
    default: memset(bytes + place(size), draw(2u) == 0u ? 0 : 0xff, 1u); break;
    }
}

static size_t new_size(size_t size)
{
    switch (draw(8u)) {
    case 0: return draw((uint32_t)size) + 1u;
    case 1: return size - 1u - draw(8u);
    case 2: return S2S_PACK_HEADER - 4u + draw(8u);
    case 3: return size + draw(64u);
    default: return size;
    }
}

int main(int count, char **arguments)
{
    FILE *const file = count == 4 ? fopen(arguments[1], "rb") : NULL;
    const size_t whole = file == NULL ? 0u : fread(original, 1u, MOST, file);
    unsigned long found[STATUSES] = {0}, accepted = 0, wrong = 0;

    if (whole <= S2S_PACK_HEADER) {
        return 2;
    }
    state = strtoull(arguments[3], NULL, 10) * 2u + 1u;
    for (unsigned long left = strtoul(arguments[2], NULL, 10); left > 0u; --left) {
        const size_t size = new_size(whole);
        void *bytes = NULL;
        WEIGHTS weights = {{0}};

        if (posix_memalign(&bytes, ALIGN, size) != 0) {
            return 2;
        }
        memset(bytes, 0xff, size);
        memcpy(bytes, original, size < whole ? size : whole);
        for (uint32_t times = draw(4u) + (size == whole); times > 0u; --times) {
            mutate_once(bytes, size);
        }
        const s2s_status status = BIND(&weights, bytes, size);

        ++found[-status];
        if (status == S2S_OK) {
            const bool is_same = size >= whole && memcmp(bytes, original, whole) == 0;

            accepted += !is_same;
            wrong += !is_same && S2S_PACK_CHECKSUMS;
            wrong += RUN(&weights, arena, (void *)inputs, (void *)outputs) != S2S_OK;
        } else {
            wrong += RUN(&weights, arena, (void *)inputs, (void *)outputs) != S2S_ERR_UNBOUND;
        }
        free(bytes);
    }
    for (int i = 0; i < STATUSES; ++i) {
        if (found[i] != 0u) {
            printf("  %8lu %s\n", found[i], s2s_status_phrase((s2s_status)-i));
        }
    }
    printf("  %8lu changed packs accepted, %lu wrong\n", accepted, wrong);
    (void)fclose(file);
    return wrong != 0u;
}

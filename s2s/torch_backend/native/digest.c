/* Digests of memory at the speed of reading it: two states of an array have one digest with a chance of 2^-64.
 *
 * The words of a block go to as many lanes, each lane is xor, multiplication by an odd number and rotation: for one
 * word a bijection of the lane, and for one lane a bijection of the word. So a change of one word always shows.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LANES 32
#define ODD UINT64_C(0x9E3779B97F4A7C15)

static uint64_t rotated(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

static uint64_t mixed(uint64_t lane, uint64_t word) {
    return rotated((lane ^ word) * ODD, 29);
}

static uint64_t digest(const uint8_t *data, size_t size, uint64_t seed) {
    uint64_t lanes[LANES], words[LANES], result = seed ^ (uint64_t)size;
    for (int lane = 0; lane < LANES; ++lane) {
        lanes[lane] = seed * (uint64_t)(2 * lane + 1);
    }
    size_t place = 0;
    for (; size - place >= sizeof words; place += sizeof words) {
        memcpy(words, data + place, sizeof words);
        for (int lane = 0; lane < LANES; ++lane) {
            lanes[lane] = mixed(lanes[lane], words[lane]);
        }
    }
    memset(words, 0, sizeof words);
    memcpy(words, data + place, size - place);
    for (int lane = 0; lane < LANES; ++lane) {
        lanes[lane] = mixed(lanes[lane], words[lane]);
        result = mixed(mixed(result, lanes[lane]), lanes[lane] >> 32);
    }
    return result;
}

void s2s_digests(const void *const *data, const size_t *sizes, size_t count, uint64_t seed, uint64_t *digests) {
    for (size_t i = 0; i < count; ++i) {
        digests[i] = digest((const uint8_t *)data[i], sizes[i], seed);
    }
}

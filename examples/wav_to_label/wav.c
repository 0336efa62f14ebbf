#include "wav.h"

#include <string.h>

enum { RIFF = 12, CHUNK = 8, FORMAT = 16, PCM = 1, MONO = 1, BITS = 16 };

static uint32_t number(const uint8_t *bytes, int count)
{
    uint32_t value = 0;

    while (count-- > 0) {
        value = value << 8 | bytes[count];
    }
    return value;
}

static bool is_pcm(const uint8_t *format)
{
    return number(format, 2) == PCM && number(format + 2, 2) == MONO && number(format + 14, 2) == BITS;
}

bool wav_find(const uint8_t *bytes, size_t size, struct wav *found)
{
    bool has_format = false;
    size_t at = RIFF;

    if (size < RIFF || memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0) {
        return false;
    }
    while (size - at >= CHUNK) {
        const uint8_t *const chunk = bytes + at;
        const size_t length = number(chunk + 4, 4);

        at += CHUNK;
        if (length > size - at) {
            return false;
        }
        if (memcmp(chunk, "fmt ", 4) == 0) {
            if (length < FORMAT || !is_pcm(chunk + CHUNK)) {
                return false;
            }
            found->rate = number(chunk + CHUNK + 4, 4);
            has_format = true;
        } else if (memcmp(chunk, "data", 4) == 0) {
            found->first = at;
            found->samples = length / 2u;
            return has_format && at % 2u == 0u;
        }
        at += length + (length & 1u); /* chunks of an odd length have a byte more */
        if (at > size) {
            return false;
        }
    }
    return false;
}

/* wav.h: where the samples of a .wav file lie. */
#ifndef WAV_H
#define WAV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wav {
    size_t first;   /* the byte at which the samples begin: an even number */
    size_t samples; /* of 16 bits, little-endian */
    uint32_t rate;  /* samples a second */
};

/* Finds the samples of a file of `size` bytes. False if it is no .wav file of one channel of 16-bit PCM, if its chunks
 * leave the file, or if its samples begin at an odd byte. Reads no byte behind `size`. */
bool wav_find(const uint8_t *bytes, size_t size, struct wav *found);

#endif

/* Runs the network once and compares with what the host has computed: the status is the number of wrong outputs. */
#include "net.h"
#include "s2s_arena.h"
#include "vectors.h"
#include <math.h>

/* The memory of the two devices: the pool `fast` of the first one, and the device's own. */
S2S_ARENA(fast, NET_ARENA_FAST_SIZE, NET_ARENA_ALIGN);
S2S_ARENA(dsp, NET_ARENA_DSP_SIZE, NET_ARENA_ALIGN);

int main(void)
{
    float output[NET_OUTPUT_SIZE];
    int wrong = 0;

    if (net_run(fast, dsp, input, output) != S2S_OK) {
        return 100;
    }
    for (size_t i = 0; i < NET_OUTPUT_SIZE; i++) {
        wrong += !(fabsf(output[i] - expected[i]) <= 1e-5f);
    }
    return wrong;
}

/* A superloop with a control task of 1 ms beside a network: run in one piece, then in steps. */
#include <string.h>

#include "board.h"
#include "control.h"
#include "digits.h"
#include "vectors.h"

enum { RUNS = 4 };

static S2S_ALIGNED(DIGITS_ARENA_ALIGN) unsigned char arena[DIGITS_ARENA_SIZE];
static float probabilities[DIGITS_PROBABILITIES_SIZE];

static void control_if_due(void)
{
    if (control_is_due()) {
        control_run();
    }
}

static s2s_status in_one_piece(void)
{
    const s2s_status status = digits_run(arena, image, probabilities);

    control_if_due();
    return status;
}

static s2s_status in_steps(void)
{
    static digits_steps steps;
    s2s_status status = digits_begin(&steps, arena, image, probabilities);

    if (status == S2S_OK) {
        do {
            status = digits_step(&steps);
            control_if_due();
        } while (status == S2S_MORE);
    }
    return status;
}

/* Returns how late the control task was at most; UINT32_MAX if the network did not see the digit. */
static uint32_t measure(const char *title, s2s_status (*run)(void))
{
    control_start();
    for (int i = 0; i < RUNS; ++i) {
        memset(probabilities, 0, sizeof probabilities);
        if (run() != S2S_OK || probabilities[DIGIT] < 0.5f) {
            return UINT32_MAX;
        }
    }
    return control_report(title);
}

int main(void)
{
    board_start_clock();
    const uint32_t whole = measure("one piece", in_one_piece);
    const uint32_t cut = measure("steps", in_steps);
    const uint32_t missed = control_missed();

    return whole != UINT32_MAX && cut < whole && missed == 0u ? 0 : 1;
}

/* A speed controller (PI) of a motor that is computed too, and the delay of its calls. */
#include "control.h"

#include "board.h"

static uint32_t due, latest, missed, calls;
static float speed, integral;

void control_start(void)
{
    due = board_cycles();
    latest = missed = calls = 0u;
}

bool control_is_due(void)
{
    return (int32_t)(board_cycles() - due) >= 0;
}

void control_run(void)
{
    const uint32_t delay = board_cycles() - due;
    const float error = 100.0f - speed;

    integral += 0.001f * error;
    speed += 0.001f * (40.0f * error + 200.0f * integral - 4.0f * speed);
    latest = delay > latest ? delay : latest;
    missed += delay / BOARD_CYCLES_PER_MS;
    due += (delay / BOARD_CYCLES_PER_MS + 1u) * BOARD_CYCLES_PER_MS;
    ++calls;
}

uint32_t control_report(const char *title)
{
    board_print(title);
    board_print(": late by at most ");
    board_print_number(latest);
    board_print(" cycles in ");
    board_print_number(calls);
    board_print(" calls, periods missed: ");
    board_print_number(missed);
    board_print("\n");
    return latest;
}

uint32_t control_missed(void)
{
    return missed;
}

/* The same under a cooperative scheduler: the control task, a source of images each 50 ms, the network in steps. */
#include "board.h"
#include "control.h"
#include "digits.h"
#include "scheduler.h"
#include "vectors.h"

enum { CONTROL, SENSOR, NETWORK, TASKS, IMAGES = 3, IMAGE_MS = 50 };

static scheduler_task tasks[TASKS];
static S2S_ALIGNED(DIGITS_ARENA_ALIGN) unsigned char arena[DIGITS_ARENA_SIZE];
static float probabilities[DIGITS_PROBABILITIES_SIZE];
static int images, right;

static void control(void *context)
{
    (void)context;
    control_run();
}

/* An image is here: begins a run, unless the one before is still under way. */
static void sensor(void *context)
{
    if (!tasks[NETWORK].is_on && digits_begin(context, arena, image, probabilities) == S2S_OK) {
        scheduler_start(&tasks[NETWORK], board_cycles());
    }
}

/* Does a step, and is called again for the next one. */
static void network(void *context)
{
    const s2s_status status = digits_step(context);

    if (status != S2S_MORE) {
        scheduler_stop(&tasks[NETWORK]);
        right += status == S2S_OK && probabilities[DIGIT] >= 0.5f;
        ++images;
    }
}

int main(void)
{
    static digits_steps steps;

    board_start_clock();
    control_start();
    tasks[CONTROL] = (scheduler_task){control, NULL, BOARD_CYCLES_PER_MS, board_cycles(), true};
    tasks[SENSOR] = (scheduler_task){sensor, &steps, IMAGE_MS * BOARD_CYCLES_PER_MS, board_cycles(), true};
    tasks[NETWORK] = (scheduler_task){network, &steps, 0u, 0u, false};
    while (images < IMAGES) {
        if (!scheduler_turn(tasks, TASKS, board_cycles())) {
            __asm__ volatile("wfi");
        }
    }
    (void)control_report("scheduler");
    return right == IMAGES && control_missed() == 0u ? 0 : 1;
}

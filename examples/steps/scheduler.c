#include "scheduler.h"

static bool is_due(const scheduler_task *task, uint32_t now)
{
    return task->is_on && (task->period == 0u || (int32_t)(now - task->due) >= 0);
}

bool scheduler_turn(scheduler_task *tasks, size_t count, uint32_t now)
{
    for (size_t i = 0u; i < count; ++i) {
        if (is_due(&tasks[i], now)) {
            while (tasks[i].period != 0u && (int32_t)(now - tasks[i].due) >= 0) {
                tasks[i].due += tasks[i].period;
            }
            tasks[i].call(tasks[i].context);
            return true;
        }
    }
    return false;
}

void scheduler_start(scheduler_task *task, uint32_t now)
{
    task->due = now;
    task->is_on = true;
}

void scheduler_stop(scheduler_task *task)
{
    task->is_on = false;
}

/* scheduler.h: a cooperative scheduler. The first task that is due runs, to its next return; so an urgent task waits for
 * one call of another at most. */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    void (*call)(void *context);
    void *context;
    uint32_t period; /* in units of the clock; 0 for a task that is due whenever nothing before it is */
    uint32_t due;
    bool is_on;
} scheduler_task;

/* Runs the first task that is due. Returns false if none is, so that the caller may sleep until an interrupt. */
bool scheduler_turn(scheduler_task *tasks, size_t count, uint32_t now);

/* Lets a task run from now on, or no more. */
void scheduler_start(scheduler_task *task, uint32_t now);
void scheduler_stop(scheduler_task *task);

#endif

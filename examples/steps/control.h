/* control.h: a control task of 1 ms, which notes how late it is called. */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdbool.h>
#include <stdint.h>

/* Forgets what was noted; the next call is due at once. */
void control_start(void);

bool control_is_due(void);

/* Computes one millisecond of control, and notes the delay. */
void control_run(void);

/* Prints, in cycles, the longest delay of a call, and how many periods had no call. Returns the delay. */
uint32_t control_report(const char *title);

/* Periods without a call. */
uint32_t control_missed(void);

#endif

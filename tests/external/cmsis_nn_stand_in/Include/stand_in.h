/* Fixed-point arithmetic of the stand-in. */
#ifndef STAND_IN_H
#define STAND_IN_H

#include "arm_nnfunctions.h"

static inline int32_t clamp(int32_t value, cmsis_nn_activation limits)
{
    return value < limits.min ? limits.min : value > limits.max ? limits.max : value;
}

/* a * b / 2^31, rounded, halves towards plus infinity. */
static inline int32_t high_product(int64_t a, int64_t b)
{
    const int64_t product = a * b;
    const int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);

    return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

/* value / 2^count, rounded, halves away from zero. */
static inline int32_t halved(int64_t value, int32_t count)
{
    const int64_t unit = (int64_t)1 << count, magnitude = ((value < 0 ? -value : value) + unit / 2) / unit;

    return (int32_t)(value < 0 ? -magnitude : magnitude);
}

/* value * multiplier * 2^(shift - 31): the product is rounded, then what is shifted out. */
static inline int32_t requantise(int32_t value, int32_t multiplier, int32_t shift)
{
    const int32_t left = shift > 0 ? shift : 0, right = shift > 0 ? 0 : -shift;

    return halved(high_product((int64_t)value * ((int64_t)1 << left), multiplier), right);
}

#endif

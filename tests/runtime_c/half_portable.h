/* half_portable.h: the conversions of s2s_half.h in integer arithmetic, whatever the machine has. */
#ifndef HALF_PORTABLE_H
#define HALF_PORTABLE_H

#include <stdint.h>

float portable_f16_to_f32(uint16_t h);
float portable_f16_round(float x);
uint16_t portable_f32_to_f16(float x);
uint16_t portable_f32_to_bf16(float x);

#endif

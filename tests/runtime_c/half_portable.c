#ifndef S2S_HALF_PORTABLE
#define S2S_HALF_PORTABLE
#endif
#include "half_portable.h"
#include "s2s_half.h"

float portable_f16_to_f32(uint16_t h)
{
    return s2s_f16_to_f32(h);
}

float portable_f16_round(float x)
{
    return s2s_f16_round(x);
}

uint16_t portable_f32_to_f16(float x)
{
    return s2s_f32_to_f16(x);
}

uint16_t portable_f32_to_bf16(float x)
{
    return s2s_f32_to_bf16(x);
}

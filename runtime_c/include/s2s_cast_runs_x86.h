/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of s2s_cast_runs.h for x86-64 with AVX2 and F16C; included by it. Where one of the operands of a minimum
 * or maximum is NaN, these instructions give the second. */
#include <immintrin.h>

/* Numbers of 16 and 8 bits of lanes of 32, limited to their range. */
S2S_ALWAYS_INLINE __m256i s2s_cast_i16(const __m256i x[2])
{
    return _mm256_permute4x64_epi64(_mm256_packs_epi32(x[0], x[1]), 0xd8);
}

S2S_ALWAYS_INLINE __m256i s2s_cast_u16(const __m256i x[2])
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(x[0], x[1]), 0xd8);
}

S2S_ALWAYS_INLINE void s2s_cast_store(void *y, __m256i a)
{
    _mm256_storeu_si256((__m256i *)y, a);
}

/* Doubles in the range of int32_t; what the conversion cannot say is INT32_MIN, as it is for what lies below. NaN, which
 * is rare, costs a test of two vectors at once. */
S2S_ALWAYS_INLINE __m128i s2s_cast_f64x4_to_i32(__m256d x)
{
    return _mm256_cvttpd_epi32(_mm256_min_pd(_mm256_set1_pd((double)INT32_MAX), x));
}

S2S_ALWAYS_INLINE __m256d s2s_cast_without_nan(__m256d x)
{
    return _mm256_and_pd(x, _mm256_cmp_pd(x, x, _CMP_ORD_Q));
}

S2S_ALWAYS_INLINE __m256i s2s_cast_f64x8_to_i32(const double *x)
{
    __m256d a = _mm256_loadu_pd(x), b = _mm256_loadu_pd(x + 4);

    if (_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_UNORD_Q)) != 0) {
        a = s2s_cast_without_nan(a);
        b = s2s_cast_without_nan(b);
    }
    return _mm256_set_m128i(s2s_cast_f64x4_to_i32(b), s2s_cast_f64x4_to_i32(a));
}

S2S_ALWAYS_INLINE void s2s_f64_to_i32_x16(int32_t *y, const double *x)
{
    const __m256i lanes[2] = {s2s_cast_f64x8_to_i32(x), s2s_cast_f64x8_to_i32(x + 8)};

    s2s_cast_store(y, lanes[0]);
    s2s_cast_store(y + 8, lanes[1]);
}

S2S_ALWAYS_INLINE void s2s_f64_to_i16_x16(int16_t *y, const double *x)
{
    const __m256i lanes[2] = {s2s_cast_f64x8_to_i32(x), s2s_cast_f64x8_to_i32(x + 8)};

    s2s_cast_store(y, s2s_cast_i16(lanes));
}

S2S_ALWAYS_INLINE void s2s_f64_to_u16_x16(uint16_t *y, const double *x)
{
    const __m256i lanes[2] = {s2s_cast_f64x8_to_i32(x), s2s_cast_f64x8_to_i32(x + 8)};

    s2s_cast_store(y, s2s_cast_u16(lanes));
}

S2S_ALWAYS_INLINE void s2s_f64_to_i8_x16(int8_t *y, const double *x)
{
    const __m256i lanes[2] = {s2s_cast_f64x8_to_i32(x), s2s_cast_f64x8_to_i32(x + 8)};
    const __m256i words = s2s_cast_i16(lanes);

    _mm_storeu_si128((__m128i *)(void *)y,
                     _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

S2S_ALWAYS_INLINE void s2s_f64_to_u8_x16(uint8_t *y, const double *x)
{
    const __m256i lanes[2] = {s2s_cast_f64x8_to_i32(x), s2s_cast_f64x8_to_i32(x + 8)};
    const __m256i words = s2s_cast_i16(lanes);

    _mm_storeu_si128((__m128i *)(void *)y,
                     _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

/* Without the digits behind the point, 2^31 less is an exact integer of 32 bits. */
S2S_ALWAYS_INLINE __m128i s2s_cast_f64x4_to_u32(const double *x)
{
    const __m256d limited = _mm256_min_pd(_mm256_max_pd(_mm256_loadu_pd(x), _mm256_setzero_pd()),
                                          _mm256_set1_pd((double)UINT32_MAX));
    const __m256d whole = _mm256_round_pd(limited, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m128i below = _mm256_cvttpd_epi32(_mm256_sub_pd(whole, _mm256_set1_pd(2147483648.0)));

    return _mm_xor_si128(below, _mm_set1_epi32(INT32_MIN));
}

S2S_ALWAYS_INLINE void s2s_f64_to_u32_x16(uint32_t *y, const double *x)
{
    const __m256i low = _mm256_set_m128i(s2s_cast_f64x4_to_u32(x + 4), s2s_cast_f64x4_to_u32(x));
    const __m256i high = _mm256_set_m128i(s2s_cast_f64x4_to_u32(x + 12), s2s_cast_f64x4_to_u32(x + 8));

    s2s_cast_store(y, low);
    s2s_cast_store(y + 8, high);
}

/* Of a whole number below 2^51 or 2^52, the sum with a power of two has the integer in its last bits. Return 0, and
 * write nothing, if the run has a number that is not in this range. */
S2S_ALWAYS_INLINE int s2s_cast_f64x16_to_i64(int64_t *y, const __m256d x[4])
{
    const __m256d sign = _mm256_set1_pd(-0.0), bound = _mm256_set1_pd(0x1p51), shifter = _mm256_set1_pd(0x1.8p52);
    __m256d inside = _mm256_cmp_pd(_mm256_andnot_pd(sign, x[0]), bound, _CMP_LT_OQ);

    for (int k = 1; k < 4; ++k) {
        inside = _mm256_and_pd(inside, _mm256_cmp_pd(_mm256_andnot_pd(sign, x[k]), bound, _CMP_LT_OQ));
    }
    if (_mm256_movemask_pd(inside) != 15) { return 0; }
    for (int k = 0; k < 4; ++k) {
        const __m256d whole = _mm256_round_pd(x[k], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
        const __m256i bits = _mm256_castpd_si256(_mm256_add_pd(whole, shifter));

        s2s_cast_store(y + 4 * k, _mm256_sub_epi64(bits, _mm256_castpd_si256(shifter)));
    }
    return 1;
}

S2S_ALWAYS_INLINE int s2s_cast_f64x16_to_u64(uint64_t *y, const __m256d x[4])
{
    const __m256d shifter = _mm256_set1_pd(0x1p52);
    __m256d limited[4], inside = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));

    for (int k = 0; k < 4; ++k) {
        limited[k] = _mm256_max_pd(x[k], _mm256_setzero_pd());
        inside = _mm256_and_pd(inside, _mm256_cmp_pd(limited[k], shifter, _CMP_LT_OQ));
    }
    if (_mm256_movemask_pd(inside) != 15) { return 0; }
    for (int k = 0; k < 4; ++k) {
        const __m256d whole = _mm256_round_pd(limited[k], _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
        const __m256d bits = _mm256_add_pd(whole, shifter);

        s2s_cast_store(y + 4 * k, _mm256_castpd_si256(_mm256_xor_pd(bits, shifter)));
    }
    return 1;
}

S2S_ALWAYS_INLINE void s2s_cast_load_f64x16(__m256d to[4], const double *x)
{
    for (int k = 0; k < 4; ++k) { to[k] = _mm256_loadu_pd(x + 4 * k); }
}

S2S_ALWAYS_INLINE void s2s_cast_load_f32x16(__m256d to[4], const float *x)
{
    for (int k = 0; k < 4; ++k) { to[k] = _mm256_cvtps_pd(_mm_loadu_ps(x + 4 * k)); }
}

S2S_ALWAYS_INLINE void s2s_f64_to_i64_x16(int64_t *y, const double *x)
{
    __m256d all[4];

    s2s_cast_load_f64x16(all, x);
    if (s2s_cast_f64x16_to_i64(y, all) == 0) { S2S_CAST_EACH(y, x, s2s_f64_to_i64) }
}

S2S_ALWAYS_INLINE void s2s_f64_to_u64_x16(uint64_t *y, const double *x)
{
    __m256d all[4];

    s2s_cast_load_f64x16(all, x);
    if (s2s_cast_f64x16_to_u64(y, all) == 0) { S2S_CAST_EACH(y, x, s2s_f64_to_u64) }
}

S2S_ALWAYS_INLINE void s2s_f32_to_i64_x16(int64_t *y, const float *x)
{
    __m256d all[4];

    s2s_cast_load_f32x16(all, x);
    if (s2s_cast_f64x16_to_i64(y, all) == 0) { S2S_CAST_EACH(y, x, s2s_f32_to_i64) }
}

S2S_ALWAYS_INLINE void s2s_f32_to_u64_x16(uint64_t *y, const float *x)
{
    __m256d all[4];

    s2s_cast_load_f32x16(all, x);
    if (s2s_cast_f64x16_to_u64(y, all) == 0) { S2S_CAST_EACH(y, x, s2s_f32_to_u64) }
}

/* Halves: all finite ones are far inside the range of int32_t. */
S2S_ALWAYS_INLINE __m256 s2s_cast_f16x8(const s2s_f16 *x)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x));
}

S2S_ALWAYS_INLINE __m256i s2s_cast_f16x8_to_i32(const s2s_f16 *x)
{
    return _mm256_cvttps_epi32(_mm256_min_ps(_mm256_set1_ps(65536.0f), s2s_cast_f16x8(x)));
}

/* The integers of 16 bits with 0 for each half that is NaN: its bits, but for the sign, are above those of infinity. */
S2S_ALWAYS_INLINE __m256i s2s_cast_nan_to_0(__m256i integers, const s2s_f16 *x)
{
    const __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)x);
    const __m256i magnitudes = _mm256_and_si256(halves, _mm256_set1_epi16(0x7fff));

    return _mm256_andnot_si256(_mm256_cmpgt_epi16(magnitudes, _mm256_set1_epi16(0x7c00)), integers);
}

S2S_ALWAYS_INLINE void s2s_f16_to_i16_x16(int16_t *y, const s2s_f16 *x)
{
    const __m256i lanes[2] = {s2s_cast_f16x8_to_i32(x), s2s_cast_f16x8_to_i32(x + 8)};

    s2s_cast_store(y, s2s_cast_nan_to_0(s2s_cast_i16(lanes), x));
}

/* What is NaN is negative as an integer. */
S2S_ALWAYS_INLINE void s2s_f16_to_u16_x16(uint16_t *y, const s2s_f16 *x)
{
    const __m256i lanes[2] = {s2s_cast_f16x8_to_i32(x), s2s_cast_f16x8_to_i32(x + 8)};

    s2s_cast_store(y, s2s_cast_u16(lanes));
}

/* The conversion of infinity sets the highest bit and no other. */
S2S_ALWAYS_INLINE __m256i s2s_cast_f16x8_to_u32(const s2s_f16 *x)
{
    const __m256i integers = _mm256_cvttps_epi32(_mm256_max_ps(s2s_cast_f16x8(x), _mm256_setzero_ps()));

    return _mm256_or_si256(integers, _mm256_srai_epi32(integers, 31));
}

S2S_ALWAYS_INLINE void s2s_f16_to_u32_x16(uint32_t *y, const s2s_f16 *x)
{
    const __m256i low = s2s_cast_f16x8_to_u32(x), high = s2s_cast_f16x8_to_u32(x + 8);

    s2s_cast_store(y, low);
    s2s_cast_store(y + 8, high);
}

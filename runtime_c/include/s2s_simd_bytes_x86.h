/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in vectors of one register on x86-64; included by s2s_simd_bytes_lanes.h. What is not defined here,
 * s2s_simd_bytes_loops.h defines: it asks for S2S_BYTES_MEMORY, S2S_BYTES_DOT, S2S_BYTES_DOT_PAIRS, S2S_BYTES_HIGH
 * and S2S_BYTES_WORDS. */

/* Intrinsics and the type of S2S_LANES lanes. */
#if S2S_LANES == 16
#define S2S_P(name) _mm512_##name
#define S2S_REGISTER __m512i
#define S2S_P_LOGIC(name) _mm512_##name##_si512
#define S2S_P_SET64(x) _mm512_set1_epi64(x)
#elif S2S_LANES == 8
#define S2S_P(name) _mm256_##name
#define S2S_REGISTER __m256i
#define S2S_P_LOGIC(name) _mm256_##name##_si256
#define S2S_P_SET64(x) _mm256_set1_epi64x(x)
#else
#define S2S_P(name) _mm_##name
#define S2S_REGISTER __m128i
#define S2S_P_LOGIC(name) _mm_##name##_si128
#endif

/* S2S_LANES bytes, in the low half or all of 128 bits; four lanes have the functions of s2s_lanes.h. */
#if S2S_LANES == 16
#define S2S_BYTES_MEMORY 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8)(const int8_t *p)
{
    return (S2S_I32V)_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_u8)(const int8_t *p)
{
    return (S2S_I32V)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8)(int8_t *p, S2S_I32V a)
{
    _mm_storeu_si128((__m128i *)(void *)p, _mm512_cvtepi32_epi8((__m512i)a));
}

#define S2S_BYTES_STORE_I16 1
S2S_ALWAYS_INLINE void S2S_I32(store_i16)(int16_t *p, S2S_I32V a)
{
    _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtepi32_epi16((__m512i)a));
}
#elif S2S_LANES == 8
#define S2S_BYTES_MEMORY 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_i8)(const int8_t *p)
{
    return (S2S_I32V)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_u8)(const int8_t *p)
{
    return (S2S_I32V)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

S2S_ALWAYS_INLINE void S2S_I32(store_i8)(int8_t *p, S2S_I32V a)
{
    const __m256i low_bytes = _mm256_set1_epi32(0x0c080400);
    const __m256i fours = _mm256_shuffle_epi8((__m256i)a, low_bytes);
    const __m128i low = _mm256_castsi256_si128(fours), high = _mm256_extracti128_si256(fours, 1);

    _mm_storel_epi64((__m128i *)(void *)p, _mm_unpacklo_epi32(low, high));
}

#define S2S_BYTES_STORE_I16 1
S2S_ALWAYS_INLINE void S2S_I32(store_i16)(int16_t *p, S2S_I32V a)
{
    const __m256i low_halves = _mm256_set1_epi64x(0x0d0c090805040100);
    const __m256i fours = _mm256_shuffle_epi8((__m256i)a, low_halves);

    _mm_storeu_si128((__m128i *)(void *)p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(fours, 0x08)));
}
#endif

/* Four products a lane: in one instruction, or as two pairs of 16 bits, which cannot overflow. */
#if defined(__AVX512VNNI__) && (S2S_LANES == 16 || defined(__AVX512VL__))
#define S2S_DPBUSD(acc, a, b) S2S_P(dpbusd_epi32)(acc, a, b)
#elif defined(__AVXVNNI__) && S2S_LANES < 16
#define S2S_DPBUSD(acc, a, b) S2S_P(dpbusd_avx_epi32)(acc, a, b)
#endif
#ifdef S2S_DPBUSD
#define S2S_BYTES_DOT 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_u8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)S2S_DPBUSD((S2S_REGISTER)acc, (S2S_REGISTER)a, (S2S_REGISTER)b);
}

/* a + 128 is unsigned; 128 times the sum of b goes off again. */
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    const S2S_I32V offset = S2S_I32(splat)(INT32_MIN | 0x808080);
    const S2S_I32V more = S2S_I32(add_dot_u8)(S2S_I32(zero)(), offset, b);

    return S2S_I32(sub)(S2S_I32(add_dot_u8)(acc, S2S_I32(bit_xor)(a, offset), b), more);
}
#elif S2S_LANES < 16 || defined(__AVX512BW__)
#define S2S_BYTES_DOT 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_pairs)(S2S_I32V acc, S2S_REGISTER a_even, S2S_REGISTER a_odd, S2S_I32V b)
{
    const S2S_REGISTER b_even = S2S_P(srai_epi16)(S2S_P(slli_epi16)((S2S_REGISTER)b, 8), 8);
    const S2S_REGISTER b_odd = S2S_P(srai_epi16)((S2S_REGISTER)b, 8);
    const S2S_REGISTER even = S2S_P(madd_epi16)(a_even, b_even);
    const S2S_REGISTER odd = S2S_P(madd_epi16)(a_odd, b_odd);

    return (S2S_I32V)S2S_P(add_epi32)(S2S_P(add_epi32)((S2S_REGISTER)acc, even), odd);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_u8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    const S2S_REGISTER even = S2S_P_LOGIC(and)((S2S_REGISTER)a, S2S_P(set1_epi16)(255));

    return S2S_I32(add_dot_pairs)(acc, even, S2S_P(srli_epi16)((S2S_REGISTER)a, 8), b);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i8)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    const S2S_REGISTER even = S2S_P(srai_epi16)(S2S_P(slli_epi16)((S2S_REGISTER)a, 8), 8);

    return S2S_I32(add_dot_pairs)(acc, even, S2S_P(srai_epi16)((S2S_REGISTER)a, 8), b);
}
#endif

/* Two products of 16 bits a lane. */
#if S2S_LANES < 16 || defined(__AVX512BW__)
#define S2S_BYTES_DOT_PAIRS 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(load_pairs_i8)(const int8_t *p)
{
#if S2S_LANES == 16
    return (S2S_I32V)_mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)p));
#elif S2S_LANES == 8
    return (S2S_I32V)_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)p));
#else
    return (S2S_I32V)_mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)p));
#endif
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_pairs)(S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)S2S_P(add_epi16)((S2S_REGISTER)a, (S2S_REGISTER)b);
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(add_dot_i16)(S2S_I32V acc, S2S_I32V a, S2S_I32V b)
{
    return (S2S_I32V)S2S_P(add_epi32)((S2S_REGISTER)acc, S2S_P(madd_epi16)((S2S_REGISTER)a, (S2S_REGISTER)b));
}
#endif

/* s2s_high_product, lane by lane: products of the even lanes and of the odd ones. */
#if S2S_LANES > 4
#define S2S_BYTES_HIGH 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(high_product)(S2S_I32V a, S2S_I32V b)
{
    const S2S_REGISTER half = S2S_P_SET64((long long)1 << 30);
    const S2S_REGISTER even_product = S2S_P(mul_epi32)((S2S_REGISTER)a, (S2S_REGISTER)b);
    const S2S_REGISTER odd_product = S2S_P(mul_epi32)(S2S_P(srli_epi64)((S2S_REGISTER)a, 32),
                                                      S2S_P(srli_epi64)((S2S_REGISTER)b, 32));
    const S2S_REGISTER even = S2S_P(srli_epi64)(S2S_P(add_epi64)(even_product, half), 31);
    const S2S_REGISTER odd = S2S_P(slli_epi64)(S2S_P(add_epi64)(odd_product, half), 1);

#if S2S_LANES == 16
    return (S2S_I32V)_mm512_mask_blend_epi32((__mmask16)0xaaaa, even, odd);
#else
    return (S2S_I32V)_mm256_blend_epi32(even, odd, 0xaa);
#endif
}
#endif

/* Words of a table at positions in each lane, and shifts by as many bits as each lane says. */
#if S2S_LANES == 16 || (S2S_LANES == 8 && defined(__AVX2__))
#define S2S_BYTES_WORDS 1
S2S_ALWAYS_INLINE S2S_I32V S2S_I32(words)(const int8_t *table, S2S_I32V place)
{
    const int *const words = (const int *)(const void *)table;

#if S2S_LANES == 16
    const __m256i low = _mm512_castsi512_si256((__m512i)place), high = _mm512_extracti64x4_epi64((__m512i)place, 1);
    const __m512i first = _mm512_castsi256_si512(_mm256_i32gather_epi32(words, low, 4));

    return (S2S_I32V)_mm512_inserti64x4(first, _mm256_i32gather_epi32(words, high, 4), 1);
#else
    return (S2S_I32V)_mm256_i32gather_epi32(words, (__m256i)place, 4);
#endif
}

S2S_ALWAYS_INLINE S2S_I32V S2S_I32(shift_left_by)(S2S_I32V a, S2S_I32V count)
{
    return (S2S_I32V)S2S_P(sllv_epi32)((S2S_REGISTER)a, (S2S_REGISTER)count);
}
#endif

#undef S2S_P
#undef S2S_P_LOGIC
#undef S2S_P_SET64
#undef S2S_REGISTER
#undef S2S_DPBUSD

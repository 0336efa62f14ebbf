/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision in vectors of S2S_LANES lanes; included by s2s_simd_half.h, which describes the functions, once for each
 * width. S2S_HALF is half the lanes where vectors of that width exist. */

#define S2S_F32V S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, )
#define S2S_F32(name) S2S_SIMD_JOIN(s2s_f32x, S2S_LANES, _##name)
#define S2S_EACH_LANE(i) for (int i = 0; i < S2S_LANES; ++i)

#if defined(S2S_SIMD_GNU) && S2S_LANES == 16 && defined(__AVX512F__)
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    return (S2S_F32V)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)p));
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    const __v16hi none = (__v16hi)_mm256_setzero_si256();
    const __v16hi halves = __builtin_ia32_vcvtps2ph512_mask((__m512)a, 8, none, 0xFFFF); /* to nearest, quietly */

    _mm256_storeu_si256((__m256i *)(void *)p, (__m256i)halves);
}
#elif S2S_LANES > S2S_SIMD_NATIVE_LANES
#define S2S_F32H_(name) S2S_SIMD_JOIN(s2s_f32x, S2S_HALF, _##name)
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    return S2S_F32(join)(S2S_F32H_(load_f16)(p), S2S_F32H_(load_f16)(p + S2S_HALF));
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    S2S_F32H_(store_f16)(p, a.low);
    S2S_F32H_(store_f16)(p + S2S_HALF, a.high);
}
#undef S2S_F32H_
#elif defined(S2S_SIMD_GNU) && S2S_LANES == 8 && defined(__F16C__)
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    return (S2S_F32V)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)p));
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    _mm_storeu_si128((__m128i *)(void *)p, _mm256_cvtps_ph((__m256)a, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(S2S_SIMD_GNU) && S2S_LANES == 4 && defined(__F16C__)
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    return (S2S_F32V)_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    _mm_storel_epi64((__m128i *)(void *)p, _mm_cvtps_ph((__m128)a, _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(S2S_SIMD_GNU) && S2S_LANES == 4 && defined(__aarch64__)
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    return (S2S_F32V)vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)a)));
}
#elif defined(S2S_SIMD_GNU)
/* s2s_f16_to_f32 and s2s_f32_to_f16, lane by lane. */
#define S2S_I32V S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, )
#define S2S_I32(name) S2S_SIMD_JOIN(s2s_i32x, S2S_LANES, _##name)
#define S2S_F16V S2S_SIMD_JOIN(s2s_u16x, S2S_LANES, )
typedef uint16_t S2S_F16V __attribute__((vector_size(S2S_LANES * 2)));

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    const S2S_I32V largest = S2S_I32(splat)(0x70000000), others = S2S_I32(splat)(0x38000000);
    S2S_F16V halves;

    (void)memcpy((void *)&halves, (const void *)p, sizeof halves);
    {
        const S2S_I32V lanes = __builtin_convertvector(halves, S2S_I32V);
        const S2S_I32V magnitude = lanes & 0x7fff;
        const S2S_I32V offset = S2S_I32(select)(magnitude >= 0x7c00, largest, others);
        const S2S_F32V small = S2S_F32(mul)(S2S_F32(from_i32)(magnitude), S2S_F32(splat)(5.9604644775390625e-8f));
        const S2S_I32V normal = (magnitude << 13) + offset;
        const S2S_I32V bits = S2S_I32(select)(magnitude < 0x400, S2S_F32(bits)(small), normal);

        return S2S_F32(from_bits)(S2S_I32(shift_left)(lanes & 0x8000, 16) | bits);
    }
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    const S2S_I32V bits = S2S_F32(bits)(a);
    const S2S_I32V magnitude = bits & INT32_MAX;
    const S2S_I32V odd = magnitude >> 13 & 1;
    const S2S_I32V normal = (magnitude - 0x38000000 + 0xfff + odd) >> 13;
    const S2S_F32V raised = S2S_F32(add)(S2S_F32(from_bits)(magnitude), S2S_F32(splat)(0.5f));
    const S2S_I32V finite = S2S_I32(select)(magnitude < 0x38800000, S2S_F32(bits)(raised) - 0x3f000000, normal);
    const S2S_I32V nan = (magnitude >> 13 & 0x3ff) | 0x7e00;
    const S2S_I32V special = S2S_I32(select)(magnitude > 0x7f800000, nan, S2S_I32(splat)(0x7c00));
    const S2S_I32V half = S2S_I32(select)(magnitude >= 0x477ff000, special, finite);
    const S2S_F16V halves = __builtin_convertvector((bits >> 16 & 0x8000) | half, S2S_F16V);

    (void)memcpy((void *)p, (const void *)&halves, sizeof halves);
}
#undef S2S_I32V
#undef S2S_I32
#undef S2S_F16V
#else
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16)(const s2s_f16 *p)
{
    float lanes[S2S_LANES];

    S2S_EACH_LANE(i) { lanes[i] = s2s_f16_to_f32(p[i]); }
    return S2S_F32(load)(lanes);
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16)(s2s_f16 *p, S2S_F32V a)
{
    float lanes[S2S_LANES];

    S2S_F32(store)(lanes, a);
    S2S_EACH_LANE(i) { p[i] = s2s_f32_to_f16(lanes[i]); }
}
#endif

/* Compilers keep the halves in a register. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(round_f16)(S2S_F32V a)
{
    s2s_f16 lanes[S2S_LANES];

    S2S_F32(store_f16)(lanes, a);
    return S2S_F32(load_f16)(lanes);
}

/* Some of the lanes, or lanes that are no neighbours. */
S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16_strided_part)(const s2s_f16 *p, ptrdiff_t stride, int32_t n)
{
    s2s_f16 lanes[S2S_LANES];

    S2S_EACH_LANE(i) { lanes[i] = i < n ? p[i * stride] : (s2s_f16)0; }
    return S2S_F32(load_f16)(lanes);
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16_part)(const s2s_f16 *p, int32_t n)
{
    return S2S_F32(load_f16_strided_part)(p, 1, n);
}

S2S_ALWAYS_INLINE S2S_F32V S2S_F32(load_f16_strided)(const s2s_f16 *p, ptrdiff_t stride)
{
    return S2S_F32(load_f16_strided_part)(p, stride, S2S_LANES);
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16_strided_part)(s2s_f16 *p, ptrdiff_t stride, int32_t n, S2S_F32V a)
{
    s2s_f16 lanes[S2S_LANES];

    S2S_F32(store_f16)(lanes, a);
    S2S_EACH_LANE(i)
    {
        if (i < n) { p[i * stride] = lanes[i]; }
    }
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16_part)(s2s_f16 *p, int32_t n, S2S_F32V a)
{
    S2S_F32(store_f16_strided_part)(p, 1, n, a);
}

S2S_ALWAYS_INLINE void S2S_F32(store_f16_strided)(s2s_f16 *p, ptrdiff_t stride, S2S_F32V a)
{
    S2S_F32(store_f16_strided_part)(p, stride, S2S_LANES, a);
}

#undef S2S_F32V
#undef S2S_F32
#undef S2S_EACH_LANE

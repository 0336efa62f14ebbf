/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and lane access by S2S_LANE(a, i); included by s2s_simd_gnu.h and s2s_simd_portable.h for each element
 * type: vectors S2S_V of S2S_ELEMENT, functions S2S_FN(name). With S2S_HAS_PARTS, loads and stores of some lanes come
 * from elsewhere. */

S2S_ALWAYS_INLINE S2S_V S2S_FN(load)(const S2S_ELEMENT *p)
{
    S2S_V r;

    (void)memcpy((void *)&r, (const void *)p, sizeof r);
    return r;
}

S2S_ALWAYS_INLINE void S2S_FN(store)(S2S_ELEMENT *p, S2S_V a)
{
    (void)memcpy((void *)p, (const void *)&a, sizeof a);
}

#ifndef S2S_HAS_PARTS
S2S_ALWAYS_INLINE S2S_V S2S_FN(load_part)(const S2S_ELEMENT *p, int32_t n)
{
    S2S_ELEMENT part[S2S_LANES];

    S2S_EACH_LANE(i) { part[i] = i < n ? p[i] : 0; }
    return S2S_FN(load)(part);
}

S2S_ALWAYS_INLINE void S2S_FN(store_part)(S2S_ELEMENT *p, int32_t n, S2S_V a)
{
    S2S_EACH_LANE(i)
    {
        if (i < n) { p[i] = S2S_LANE(a, i); }
    }
}
#endif

S2S_ALWAYS_INLINE S2S_V S2S_FN(load_strided)(const S2S_ELEMENT *p, ptrdiff_t stride)
{
    S2S_ELEMENT part[S2S_LANES];

    S2S_EACH_LANE(i) { part[i] = p[i * stride]; }
    return S2S_FN(load)(part);
}

S2S_ALWAYS_INLINE void S2S_FN(store_strided)(S2S_ELEMENT *p, ptrdiff_t stride, S2S_V a)
{
    S2S_EACH_LANE(i) { p[i * stride] = S2S_LANE(a, i); }
}

S2S_ALWAYS_INLINE S2S_V S2S_FN(load_strided_part)(const S2S_ELEMENT *p, ptrdiff_t stride, int32_t n)
{
    S2S_ELEMENT part[S2S_LANES];

    S2S_EACH_LANE(i) { part[i] = i < n ? p[i * stride] : 0; }
    return S2S_FN(load)(part);
}

S2S_ALWAYS_INLINE void S2S_FN(store_strided_part)(S2S_ELEMENT *p, ptrdiff_t stride, int32_t n, S2S_V a)
{
    S2S_EACH_LANE(i)
    {
        if (i < n) { p[i * stride] = S2S_LANE(a, i); }
    }
}

S2S_ALWAYS_INLINE S2S_ELEMENT S2S_FN(lane)(S2S_V a, int i)
{
    return S2S_LANE(a, i);
}

#undef S2S_V
#undef S2S_ELEMENT
#undef S2S_FN

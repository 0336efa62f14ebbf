/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_library.h: what a shared library of networks and functions holds, for whoever loads it.
 *
 *     static const s2s_library library = {kernels, 3u, blob, sizeof blob};
 *     S2S_LISTED(library)
 *
 * Each of the objects that are linked together lists its own; s2s_libraries finds all of them in the shared library or
 * program that it is part of. Where the format of objects is not ELF, there is room for one. */
#ifndef S2S_LIBRARY_H
#define S2S_LIBRARY_H

#include "s2s_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of a network or function, and the modules packed into it (TVM's library blob). */
typedef struct s2s_library {
    const s2s_kernel_row *kernels;
    uint32_t num_kernels;
    const unsigned char *blob;
    size_t blob_size;
} s2s_library;

/* Lists a library, at the level of a file. The section has a name that no function has: assemblers take one for the
 * other. */
#if defined(__ELF__) && defined(__GNUC__)
#define S2S_LISTED(library) \
    static const s2s_library *const library##_listed __attribute__((used, section("s2s_listed"))) = &(library);
#else
#define S2S_LISTED(library)                           \
    extern const s2s_library *const s2s_library_only; \
    const s2s_library *const s2s_library_only = &(library);
#endif

/* The listed libraries, in the order of linking; *count is their number. */
const s2s_library *const *s2s_libraries(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* s2s_params.h: reads weights in TVM's params format from memory. For hosts.
 *
 *     s2s_params_open(&params, blob, size);
 *     while (s2s_params_next(&params)) { ... params.name, params.name_size, params.array ... }
 *     if (params.what != NULL) { ... the file is damaged at byte params.at ... }
 *
 * Names and data point into the blob: data may not be aligned, and is in the byte order of the file, little endian. */
#ifndef S2S_PARAMS_H
#define S2S_PARAMS_H

#include "s2s_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define S2S_PARAMS_RANK 32

typedef struct s2s_params {
    const unsigned char *blob;
    size_t size;
    size_t at;       /* the next array */
    size_t next_name;
    uint64_t left;   /* arrays that follow */
    const char *what; /* null until something is wrong */
    const char *name; /* of the array that was read last, without a zero byte */
    size_t name_size;
    s2s_tensor array;
    int64_t shape[S2S_PARAMS_RANK];
} s2s_params;

/* Prepares for the first array. Returns false if the blob is none. */
bool s2s_params_open(s2s_params *params, const void *blob, size_t size);

/* Reads the next array; false behind the last one and where the blob is damaged. */
bool s2s_params_next(s2s_params *params);

#ifdef __cplusplus
}
#endif
#endif

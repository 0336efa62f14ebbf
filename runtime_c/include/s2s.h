/* SPDX-License-Identifier: Apache-2.0 */
/* s2s.h: the status codes that every generated network reports. */
#ifndef S2S_H
#define S2S_H

#include "s2s_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function reports. 0 is success, positive values are news, negative values are errors: nothing was changed
 * except where the function says so. */
typedef enum s2s_status {
    S2S_MORE = 2,            /* a run in steps has further ones */
    S2S_DONE = 1,            /* s2s_executor_step: the last node has run */
    S2S_OK = 0,
    S2S_ERR_NULL = -1,       /* a pointer that must be given is null */
    S2S_ERR_ALIGN = -2,      /* memory is not aligned as the network needs it */
    S2S_ERR_ARENA_SIZE = -3, /* the arena is smaller than the network needs */
    S2S_ERR_SLOTS = -4,      /* the caller's array of slots is shorter than the graph has tensors or arguments */
    S2S_ERR_INDEX = -5,      /* there is no input or output of that number */
    S2S_ERR_NAME = -6,       /* there is no input of that name */
    S2S_ERR_RANK = -7,       /* a tensor has another number of dimensions */
    S2S_ERR_SHAPE = -8,      /* a tensor has other dimensions */
    S2S_ERR_DTYPE = -9,      /* a tensor has another element type */
    S2S_ERR_STRIDES = -10,   /* a tensor is not contiguous in row-major order */
    S2S_ERR_DEVICE = -11,    /* a tensor does not live in memory that the processor can read */
    S2S_ERR_STAGING = -12,   /* no memory was given for copies: bind the tensor instead */
    S2S_ERR_UNBOUND = -13,   /* an input has no value, an output no memory, or weights no pack */
    S2S_ERR_STATE = -14,     /* the call is not allowed between two steps of one run */
    S2S_ERR_GRAPH = -15,     /* the tables of the graph contradict each other */
    S2S_ERR_THREADS = -16,   /* so many threads cannot be had */
    S2S_ERR_FUNCTION = -17,  /* a packed function is missing or has failed: s2s_get_last_error says why */
    S2S_ERR_RANGE = -18,     /* an index, such as a position, lies outside of what it indexes: an input, a state, or one that is computed */
    S2S_ERR_PACK = -19,           /* that is no pack of weights */
    S2S_ERR_PACK_FORMAT = -20,    /* a pack of weights is of another format */
    S2S_ERR_PACK_SIZE = -21,      /* bytes of a pack are missing, or its sizes contradict the network */
    S2S_ERR_PACK_LAYOUT = -22,    /* a pack was made for other code */
    S2S_ERR_PACK_VERSION = -23,   /* the model of a pack is too old */
    S2S_ERR_PACK_DAMAGED = -24,   /* a byte of a pack has changed */
    S2S_ERR_PACK_SIGNATURE = -25  /* a pack is not signed, or by another key */
} s2s_status;

/* One English sentence part for a status, never null: static storage, "unknown status" for anything else. */
S2S_INLINE const char *s2s_status_phrase(s2s_status status)
{
#ifdef S2S_NO_PHRASES
    (void)status;
    return "";
#else
    switch (status) {
    case S2S_MORE: return "further steps follow";
    case S2S_DONE: return "the last node has run";
    case S2S_OK: return "success";
    case S2S_ERR_NULL: return "a pointer that must be given is null";
    case S2S_ERR_ALIGN: return "memory is not aligned as the network needs it";
    case S2S_ERR_ARENA_SIZE: return "the arena is smaller than the network needs";
    case S2S_ERR_SLOTS: return "too few slots for the tensors or arguments of the graph";
    case S2S_ERR_INDEX: return "there is no input or output of that number";
    case S2S_ERR_NAME: return "there is no input of that name";
    case S2S_ERR_RANK: return "a tensor has another number of dimensions";
    case S2S_ERR_SHAPE: return "a tensor has other dimensions";
    case S2S_ERR_DTYPE: return "a tensor has another element type";
    case S2S_ERR_STRIDES: return "a tensor is not contiguous in row-major order";
    case S2S_ERR_DEVICE: return "a tensor is not in memory that the processor can read";
    case S2S_ERR_STAGING: return "no memory was given for copies";
    case S2S_ERR_UNBOUND: return "an input has no value, an output no memory, or weights no pack";
    case S2S_ERR_STATE: return "the call is not allowed between two steps of one run";
    case S2S_ERR_GRAPH: return "the tables of the graph contradict each other";
    case S2S_ERR_THREADS: return "so many threads cannot be had";
    case S2S_ERR_FUNCTION: return "a packed function is missing or has failed";
    case S2S_ERR_RANGE: return "an index, such as a position, is out of range";
    case S2S_ERR_PACK: return "that is no pack of weights";
    case S2S_ERR_PACK_FORMAT: return "the pack of weights is of another format";
    case S2S_ERR_PACK_SIZE: return "bytes of the pack are missing, or its sizes contradict the network";
    case S2S_ERR_PACK_LAYOUT: return "the pack of weights was made for other code";
    case S2S_ERR_PACK_VERSION: return "the model of the pack is too old";
    case S2S_ERR_PACK_DAMAGED: return "a byte of the pack has changed";
    case S2S_ERR_PACK_SIGNATURE: return "the pack is not signed, or by another key";
    default: return "unknown status";
    }
#endif
}

#ifdef __cplusplus
}
#endif
#endif

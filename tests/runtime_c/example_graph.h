/* example: a network of three kernels, as the compiler would write it: y = max(x * w + b, 0), total = sum(y). */
#ifndef EXAMPLE_GRAPH_H
#define EXAMPLE_GRAPH_H

#include "s2s_graph.h"

#define EXAMPLE_ARENA_SIZE 48u         /* bytes of RAM that the kernels need, aligned to EXAMPLE_ARENA_ALIGN */
#define EXAMPLE_ARENA_ALIGN 16u
#define EXAMPLE_GRAPH_STAGED_SIZE 112u /* bytes with room for copies of inputs and outputs */
#define EXAMPLE_GRAPH_SLOTS 7u

extern const s2s_graph example_graph;

#endif

/* sized: a network with sizes that vary, as the compiler would write it. Of x[n][2], n <= 4, it keeps the rows whose
 * first element is positive, y[found][2], and it sums their pairs: z[(n + 1) / 2]. */
#ifndef SIZED_GRAPH_H
#define SIZED_GRAPH_H

#include "s2s_graph.h"

#define SIZED_ARENA_SIZE 8u
#define SIZED_ARENA_ALIGN 8u
#define SIZED_GRAPH_STAGED_SIZE 128u
#define SIZED_GRAPH_SLOTS 8u
#define SIZED_GRAPH_SIZES 3u
#define SIZED_N 0
#define SIZED_FOUND 1
#define SIZED_PAIRS 2

extern const s2s_graph sized_graph;

#endif

/* The graph of a script, with the shipped library, for tests. */
#ifndef QN_FUSE_GRAPH_TESTS_GRAPH_OF_H
#define QN_FUSE_GRAPH_TESTS_GRAPH_OF_H

#include <string.h>

#include "base/error.h"
#include "fuse/graph/graph.h"

/* Make the graph of `text` in an arena, which is cleared first. */
static qn_status graph_of(const char *text, qn_arena *arena, qn_graph *graph)
{
    static qn_source source;
    qn_library library = {0};
    qn_script script;
    qn_arena_clear(arena);
    source = qn_source_make("s.qf", text, strlen(text));
    QN_TRY(qn_library_add_shipped(arena, &library));
    QN_TRY(qn_script_parse(&source, arena, &script));
    return qn_graph_make(&script, &library, arena, graph);
}

#endif

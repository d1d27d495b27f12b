/* The libraries that options name: files, or contents of files in memory. */
#ifndef QN_SCREEN_SOURCES_H
#define QN_SCREEN_SOURCES_H

#include <quern/screen.h>

#include "format/compound/compound_stream.h"

typedef struct qn_screen_sources {
    const char *const *paths;          /* NULL: contents are given */
    const qn_screen_content *contents; /* NULL: paths are given */
    size_t count;                      /* number of the paths or contents that are given */
} qn_screen_sources;

static inline qn_screen_sources qn_screen_sources_of(const qn_screen_options *options)
{
    if (options->library_count == 0)
        return (qn_screen_sources){.contents = options->library_contents, .count = options->library_content_count};
    return (qn_screen_sources){.paths = options->libraries, .count = options->library_count};
}

/* Path of a library, or its name if it is in memory. */
const char *qn_screen_sources_name(const qn_screen_sources *sources, size_t index);

/* Check that exactly one kind of libraries is given, and that contents have names and bytes. QN_INVALID_ARGUMENT if
 * not. */
QN_MUST_CHECK qn_status qn_screen_sources_check(size_t path_count, const qn_screen_content *contents,
                                                size_t content_count);

/* Check that a content has a name and bytes; `option` is named in the message. QN_INVALID_ARGUMENT if not. */
QN_MUST_CHECK qn_status qn_screen_content_check(const char *option, const qn_screen_content *content);

/* Open a library. Errors: those of qn_compound_stream_open. */
QN_MUST_CHECK qn_status qn_screen_sources_open(const qn_screen_sources *sources, size_t index,
                                               qn_compound_stream **stream);

#endif

#include "screen/sources.h"

#include "base/error.h"
#include "job/input.h"

const char *qn_screen_sources_name(const qn_screen_sources *sources, size_t index)
{
    if (index >= sources->count) return "";
    return sources->paths ? sources->paths[index] : sources->contents[index].name;
}

qn_status qn_screen_content_check(const char *option, const qn_screen_content *content)
{
    if (!content->name)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the name is NULL; expected a name such as \"library.sdf\"", option);
    if (!content->bytes)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: the bytes of \"%s\" are NULL; expected the content of a file", option,
                       content->name);
    return QN_OK;
}

qn_status qn_screen_sources_check(size_t path_count, const qn_screen_content *contents, size_t content_count)
{
    QN_TRY(qn_input_check_one("libraries", path_count ? "" : NULL, "library_contents", content_count ? "" : NULL));
    if (content_count && !contents)
        return QN_FAIL(QN_INVALID_ARGUMENT, "library_contents is NULL; expected %zu %s", content_count,
                       content_count == 1 ? "library" : "libraries");
    for (size_t i = 0; i < content_count; i++) QN_TRY(qn_screen_content_check("library_contents", &contents[i]));
    return QN_OK;
}

qn_status qn_screen_sources_open(const qn_screen_sources *sources, size_t index, qn_compound_stream **stream)
{
    if (sources->paths) return qn_compound_stream_open(sources->paths[index], stream);
    const qn_screen_content *content = &sources->contents[index];
    return qn_compound_stream_open_memory(content->name, content->bytes, content->size, stream);
}

#include "movie/choices.h"

#include <string.h>

#include "base/error.h"
#include "format/number.h"

static const double VALUE_MOST = 1e9; /* of a filter and of a smoothness */

static bool read_patches(const char *text, int patches[2])
{
    const char *cross = strchr(text, 'x');
    return cross && qn_number_parse_whole(text, (size_t)(cross - text), &patches[0]) &&
           qn_number_parse_whole(cross + 1, strlen(cross + 1), &patches[1]) && patches[0] >= 1 && patches[1] >= 1 &&
           patches[0] <= QN_MOVIE_PATCHES_MAX && patches[1] <= QN_MOVIE_PATCHES_MAX;
}

/* Read "auto", for which *value is 0, or a number above 0. */
static qn_status read_value(const char *option, const char *text, double *value)
{
    *value = 0;
    if (!text || strcmp(text, "auto") == 0) return QN_OK;
    if (qn_number_parse(text, strlen(text), value) && *value > 0 && *value <= VALUE_MOST) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "--%s is \"%s\"; expected auto or a number above 0, at most %g", option, text,
                   VALUE_MOST);
}

qn_status qn_movie_choices_read(const qn_movie_run_options *options, qn_movie_choices *choices)
{
    const char *patches = options->patches ? options->patches : "auto";
    *choices = (qn_movie_choices){.local = strcmp(patches, "none") != 0};
    if (choices->local && strcmp(patches, "auto") != 0 && !read_patches(patches, choices->patches))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--patches is \"%s\"; expected auto, none, or two numbers up to %d such as 5x5", patches,
                       QN_MOVIE_PATCHES_MAX);
    /* One patch shows nothing but the motion of the whole frame. RELION's 1 × 1 means the same. */
    if (choices->patches[0] == 1 && choices->patches[1] == 1) *choices = (qn_movie_choices){.local = false};
    QN_TRY(read_value("filter", options->filter, &choices->filter_px2));
    return read_value("smoothness", options->smoothness, &choices->smoothness);
}

/* TNG is told, and refused with what to do about it. */
#include <string.h>

#include "base/error.h"
#include "format/trajectory/trajectory_format.h"

/* A block begins with its header's size, its content's size, its kind and an MD5 sum: 8 + 8 + 8 + 16 bytes; then
 * comes its name, that of the first one being this. */
static bool recognise(const char *path, const char *head, size_t size)
{
    static const char first_block[] = "GENERAL INFO";
    (void)path;
    return size >= 40 + sizeof first_block && memcmp(head + 40, first_block, sizeof first_block) == 0;
}

static qn_status refuse(qn_trajectory_stream *stream)
{
    QN_FAIL(QN_UNSUPPORTED, "%s: TNG is not read; convert it with: gmx trjconv -f %s -o converted.xtc", stream->path,
            stream->path);
}

const qn_trajectory_format qn_trajectory_tng = {.name = "TNG", .recognise = recognise, .open = refuse};

/* TNG is recognised and refused; the message says how to convert it. */
#include <string.h>

#include "base/error.h"
#include "format/trajectory/trajectory_format.h"

/* A block begins with the size of its header, the size of its content, its kind and an MD5 sum: 8 + 8 + 8 + 16 bytes.
 * Its name follows; this is the name of the first block. */
static bool recognise(const char *path, const char *head, size_t size)
{
    static const char first_block[] = "GENERAL INFO";
    (void)path;
    return size >= 40 + sizeof first_block && memcmp(head + 40, first_block, sizeof first_block) == 0;
}

static qn_status refuse(qn_trajectory_stream *stream)
{
    return QN_FAIL(QN_UNSUPPORTED, "%s: TNG is not read; convert it with: gmx trjconv -f %s -o converted.xtc",
                   stream->path, stream->path);
}

const qn_trajectory_format qn_trajectory_tng = {.name = "TNG", .recognise = recognise, .open = refuse};

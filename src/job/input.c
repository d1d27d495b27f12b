#include "job/input.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

qn_status qn_input_hash(const char *path, char digest[65])
{
    char *name, *data;
    size_t size;
    QN_TRY(qn_text_copy(path, &name));
    char *colon = qn_file_exists(name) ? NULL : strrchr(name, ':');
    if (colon) *colon = '\0';
    qn_status status = qn_file_read(name, &data, &size);
    qn_release(&name);
    QN_TRY(status);
    qn_hash hash;
    qn_hash_start(&hash);
    qn_hash_add(&hash, data, size);
    qn_hash_finish(&hash, digest);
    qn_release(&data);
    return QN_OK;
}

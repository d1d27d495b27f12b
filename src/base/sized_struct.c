#include "base/sized_struct.h"

#include <quern/version.h>
#include <string.h>

#include "base/error.h"

static bool is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0) return false;
    return true;
}

qn_status qn_sized_struct_copy(void *own, size_t own_size, const void *given, const char *name)
{
    size_t size;
    if (!given) return QN_OK;
    memcpy(&size, given, sizeof size);
    return qn_sized_struct_copy_element(own, own_size, given, size, name);
}

qn_status qn_sized_struct_copy_element(void *own, size_t own_size, const void *given, size_t size, const char *name)
{
    /* a struct of options has a few kilobytes at most: a much larger size is uninitialised memory */
    if (size < 2 * sizeof size || size % sizeof size != 0 || size > own_size + (1 << 16))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the size of the %s options is %zu bytes; expected options that began as the defaults, or that "
                       "set .size to the size of their struct",
                       name, size);
    if (size > own_size && !is_zero((const unsigned char *)given + own_size, size - own_size))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the %s options set something that this version of the library does not know: they have %zu "
                       "bytes; expected the %zu of version %s",
                       name, size, own_size, qn_version());
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return QN_OK;
}

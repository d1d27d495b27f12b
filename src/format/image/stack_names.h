/* The stacks that particles name: each once, with a path under which it can be opened. */
#ifndef QN_FORMAT_IMAGE_STACK_NAMES_H
#define QN_FORMAT_IMAGE_STACK_NAMES_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_stack_names qn_stack_names;

/* Begin with the names of the file `path`; NULL: names alone, without paths. Stacks are searched beside that file, from
 * the working folder, and from the folders above the file's folder. */
QN_MUST_CHECK qn_status qn_stack_names_create(const char *path, qn_stack_names **names);
void qn_stack_names_destroy(qn_stack_names **names);

/* The index of a name, from 0 in the order of first mention. */
QN_MUST_CHECK qn_status qn_stack_names_find(qn_stack_names *names, const char *text, size_t length, uint32_t *index);

/* The name of an index; NULL: there are not so many. */
const char *qn_stack_names_text(const qn_stack_names *names, size_t index);

/* Hand over the paths; each path and their array are released with qn_release. A stack that does not exist gets the
 * path beside the file. */
QN_MUST_CHECK qn_status qn_stack_names_take(qn_stack_names *names, char ***paths, size_t *count);

/* The name of `stack` in a file `path`: relative to that file's folder. Neither needs to exist. */
QN_MUST_CHECK qn_status qn_stack_name_from(const char *path, const char *stack, char **name);

#endif

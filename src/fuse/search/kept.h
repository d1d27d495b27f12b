/* Numbers that were measured on a device, kept in the tuning store by a name and the hash of a text.
 *
 * Life cycle: open → find, put → close. Thread rule: one thread at a time. */
#ifndef QN_FUSE_SEARCH_KEPT_H
#define QN_FUSE_SEARCH_KEPT_H

#include <quern/device.h>

typedef struct qn_kept qn_kept;

/* Without a store nothing is known, and nothing is kept. */
QN_MUST_CHECK qn_status qn_kept_open(qn_device *device, qn_kept **kept);
void qn_kept_close(qn_kept **kept);
qn_device *qn_kept_device(const qn_kept *kept);

/* The number of a name and a text on this device; 0: not known, also if the store cannot be read. */
double qn_kept_find(const qn_kept *kept, const char *name, const char *text);

/* Keep a number above 0 in place of an earlier one; `seconds` is what it took. */
QN_MUST_CHECK qn_status qn_kept_put(qn_kept *kept, const char *name, const char *text, double number, double seconds);

#endif

/* Results that come with the library: text files, one a device, of lines "family hash class configuration seconds". */
#ifndef QN_TUNE_SHIPPED_H
#define QN_TUNE_SHIPPED_H

#include "base/text.h"
#include "tune/store.h"

/* Texts of tuned/<device>.txt, ended by NULL; made by CMake. */
extern const char *const qn_tuned_texts[];

typedef struct qn_shipped_result {
    char source[QN_TUNE_SOURCE_DIGITS + 1], problem_class[64], configuration[QN_TUNE_CONFIGURATION_BYTES];
    double seconds;
} qn_shipped_result;

/* The results for the key's device and family: those of $QUERN_TUNED_DIR first, then the library's. A line that cannot
 * be read is warned of and left out. `results` released with qn_release. */
QN_MUST_CHECK qn_status qn_shipped_find(const qn_tune_key *key, qn_shipped_result **results, size_t *count);

/* The results for the key's device and family in a text of this form. Errors: QN_BAD_FORMAT with `name`, line and what
 * was expected. `results` released with qn_release. */
QN_MUST_CHECK qn_status qn_shipped_read(const qn_tune_key *key, const char *name, const char *text,
                                        qn_shipped_result **results, size_t *count);

/* A line of such a file, without its device line. */
QN_MUST_CHECK qn_status qn_shipped_append(const qn_tune_key *key, const char *configuration, double seconds,
                                          qn_text *text);

#endif

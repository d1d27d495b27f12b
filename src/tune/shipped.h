/* Results that come with the library: text files, one per device, of lines "family hash class configuration
 * seconds". */
#ifndef QN_TUNE_SHIPPED_H
#define QN_TUNE_SHIPPED_H

#include "base/text.h"
#include "tune/store.h"

/* Texts of tuned/<device>.txt, ended by NULL; made by CMake. */
extern const char *const qn_tuned_texts[];

typedef struct qn_shipped_result {
    qn_hardware hardware;
    qn_tune_nearness nearness; /* to the key's device */
    char source[QN_TUNE_SOURCE_DIGITS + 1], problem_class[64], configuration[QN_TUNE_CONFIGURATION_BYTES];
    double seconds;
} qn_shipped_result;

/* Find the results for the key's family on the key's device and on related devices: those of $QUERN_TUNED_DIR first,
 * then the library's. A line that cannot be read gives a warning and is left out. The caller releases `results` with
 * qn_release. */
QN_MUST_CHECK qn_status qn_shipped_find(const qn_tune_key *key, qn_shipped_result **results, size_t *count);

/* Read such results from a text of this form. Errors: QN_BAD_FORMAT with `name`, line and what was expected. The caller
 * releases `results` with qn_release. */
QN_MUST_CHECK qn_status qn_shipped_read(const qn_tune_key *key, const char *name, const char *text,
                                        qn_shipped_result **results, size_t *count);

/* Append the line that names the device of the results after it. */
QN_MUST_CHECK qn_status qn_shipped_append_device(const qn_tune_key *key, qn_text *text);

/* Append the line of a result. */
QN_MUST_CHECK qn_status qn_shipped_append(const qn_tune_key *key, const char *configuration, double seconds,
                                          qn_text *text);

#endif

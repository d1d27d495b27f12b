/* The only access to gemmi (C++): parse CIF and STAR text and return the values of one category to C.
 *
 * Every function catches all C++ exceptions. Thread rule: one table, one thread.
 */
#ifndef QN_FORMAT_STRUCTURE_GEMMI_BRIDGE_H
#define QN_FORMAT_STRUCTURE_GEMMI_BRIDGE_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
#define QN_NOEXCEPT noexcept
extern "C" {
#else
#define QN_NOEXCEPT
#endif

typedef struct qn_cif_table qn_cif_table;

/* A value without its quotes; not zero-terminated, valid as long as the table. */
typedef struct qn_cif_value {
    const char *text;
    size_t length;
} qn_cif_value;

/* Parse all of `data` and keep the category `category` ("_atom_site"), a loop or single values, of the first
 * block that has it.
 * `columns` are names without the category; those absent have no values. QN_BAD_FORMAT: broken CIF, with line and
 * reason, or no such category. `name` goes into messages. */
QN_MUST_CHECK qn_status qn_cif_table_read(const char *name, const char *data, size_t size, const char *category,
                                          const char *const *columns, size_t column_count,
                                          qn_cif_table **table) QN_NOEXCEPT;
void qn_cif_table_destroy(qn_cif_table **table) QN_NOEXCEPT;

size_t qn_cif_table_rows(const qn_cif_table *table) QN_NOEXCEPT;
/* Line on which the loop begins. */
int qn_cif_table_line(const qn_cif_table *table) QN_NOEXCEPT;
bool qn_cif_table_has(const qn_cif_table *table, size_t column) QN_NOEXCEPT;
/* False when the column is absent or the value is null ('.' or '?' without quotes). */
bool qn_cif_table_get(const qn_cif_table *table, size_t row, size_t column, qn_cif_value *value) QN_NOEXCEPT;
/* Parse a number, with or without a standard uncertainty in brackets; false for all other values, including NaN and
 * infinity. */
bool qn_cif_number(qn_cif_value value, double *number) QN_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif

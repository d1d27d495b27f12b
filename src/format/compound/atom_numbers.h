/* The numbers that a file gives its atoms and that its bonds refer to: any numbers, as long as they differ.
 *
 * Life cycle: zero-initialise → start → set for every atom → finish → find → clear. */
#ifndef QN_FORMAT_COMPOUND_ATOM_NUMBERS_H
#define QN_FORMAT_COMPOUND_ATOM_NUMBERS_H

#include "format/compound/compound_lines.h"

typedef struct qn_numbered_atom {
    int number, index;
} qn_numbered_atom;

typedef struct qn_atom_numbers {
    qn_numbered_atom *atoms; /* sorted by number once finished */
    size_t count;
} qn_atom_numbers;

QN_MUST_CHECK qn_status qn_atom_numbers_start(qn_atom_numbers *numbers, size_t count);
void qn_atom_numbers_set(qn_atom_numbers *numbers, size_t index, int number);
void qn_atom_numbers_clear(qn_atom_numbers *numbers);

/* QN_BAD_FORMAT, at the current line, when two numbers are equal. */
QN_MUST_CHECK qn_status qn_atom_numbers_finish(qn_atom_numbers *numbers, const qn_record_lines *lines);

/* The index of the atom with this number, for a bond on the current line. */
QN_MUST_CHECK qn_status qn_atom_numbers_find(const qn_atom_numbers *numbers, const qn_record_lines *lines, int number,
                                             int *index);

#endif

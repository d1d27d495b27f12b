/* Chemical symbols. */
#ifndef QN_FORMAT_ELEMENT_H
#define QN_FORMAT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `length` letters, upper or lower case, are the symbol of an element (D included); `symbol` is set to it in
 * upper case. */
bool qn_element_find(const char *text, size_t length, char symbol[4]);

/* Atomic number of a symbol in upper case; 0 for an unknown symbol ("X"). */
int qn_element_number(const char *symbol);

/* Deduce the element of an atom whose file does not state it; "X" when nothing fits. `columns` are the four name
 * columns of a PDB record, where names of one-letter elements begin in the second column; formats without such columns
 * give a left-aligned name padded with blanks. */
void qn_element_deduce(const char columns[4], const char *residue_name, char symbol[4]);

#endif

/* Chemical symbols. */
#ifndef QN_FORMAT_ELEMENT_H
#define QN_FORMAT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether `length` letters, upper or lower case, are the symbol of an element (D included); `symbol` gets it in upper
 * case. */
bool qn_element_find(const char *text, size_t length, char symbol[4]);

/* Atomic number of a symbol in upper case; 0 for what is no element ("X"). */
int qn_element_number(const char *symbol);

/* The element of an atom whose file does not say it, "X" when nothing fits. `columns` are the four name columns of a
 * PDB record, where names of one-letter elements begin in the second; a name that fills none of that is left-aligned
 * and padded with blanks. */
void qn_element_deduce(const char columns[4], const char *residue_name, char symbol[4]);

#endif

/* The text of Vina's maps: a value a line with four significant digits, as Vina writes them. */
#ifndef QN_POTENTIAL_VINA_TEXT_H
#define QN_POTENTIAL_VINA_TEXT_H

#include <stddef.h>

enum { QN_VINA_LINE_MAX = 48 }; /* longest line of a finite float */

/* Write the lines of `count` finite values without exponents: "-0.2835", "16.51". `text` has room for count ·
 * QN_VINA_LINE_MAX characters. Returns the number of characters. */
size_t qn_vina_text_write(const float *values, size_t count, char *text);

#endif

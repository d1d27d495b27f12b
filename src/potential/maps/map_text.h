/* The text of maps: a value a line with three decimals, as AutoGrid writes it. */
#ifndef QN_POTENTIAL_MAPS_MAP_TEXT_H
#define QN_POTENTIAL_MAPS_MAP_TEXT_H

#include <stddef.h>

enum { QN_MAP_LINE_MAX = 48 }; /* longest line of a finite float */

/* A value as maps hold it: rounded to 0.001, then to single precision. AutoGrid prints "0." for magnitudes below 0.0001
 * and "0.000" for others that round to zero: these are held as 0.0001 or −0.0001. */
float qn_map_value_round(double value);

/* Write the lines of `count` finite values: "%.3f" of each, but "0." for zero, and never "-0.000". `text` has room for
 * count · QN_MAP_LINE_MAX characters. Returns the number of characters. */
size_t qn_map_text_write(const float *values, size_t count, char *text);

#endif

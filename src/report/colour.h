/* Colours for values. */
#ifndef QN_REPORT_COLOUR_H
#define QN_REPORT_COLOUR_H

/* Colour (red, green, blue) of a share from 0 (dark) to 1 (light), in equal steps of lightness, which readers with any
 * kind of colour vision can distinguish. Shares outside count as 0 and 1, and one that is not a number as 0. */
void qn_report_colour(double share, unsigned char colour[3]);

#endif

/* The split of a line into passes for kernels: fft/kernels/line.dev.h. */
#ifndef QN_FFT_LINE_SPLIT_H
#define QN_FFT_LINE_SPLIT_H

#include <stdbool.h>

enum { QN_LINE_SPLIT_LONGEST = 512, QN_LINE_SPLIT_RADIX_MAX = 16, QN_LINE_SPLIT_CHOICES = 3 };

/* Find radices r0 · r1 · r2 = length for a kernel's passes; r1 = 1 if two suffice. `choice` 0: as even as possible, the
 * largest last; 1: the largest first; 2: three radices even where two suffice, for devices with few registers. False if
 * there are none: lengths above QN_LINE_SPLIT_LONGEST or with primes above 7. */
bool qn_fft_line_split(int length, int choice, int radices[3]);

/* Splits of an axis as definitions for a kernel: "X_LENGTH=160 X0_R0=10 X0_R1=1 X0_R2=16 X1_R0=…", choices 0 to 2 of
 * axis 'X'; a kernel takes those that its tunable SPLIT names (LINE_RADIX in fft/kernels/line.dev.h). False if there
 * are none. */
enum { QN_LINE_DEFINITIONS = 128 };
bool qn_fft_line_definitions(char axis, int length, char text[QN_LINE_DEFINITIONS]);

/* Compute exp(−2πi·t / length), t < length, as `2·length` floats, in double precision. */
void qn_fft_line_roots(int length, float *roots);

#endif

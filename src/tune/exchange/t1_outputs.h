/* Contents of a T1 problem's arguments, and the checks of its outputs. */
#ifndef QN_TUNE_EXCHANGE_T1_OUTPUTS_H
#define QN_TUNE_EXCHANGE_T1_OUTPUTS_H

#include "tune/exchange/t1.h"

enum { QN_T1_DIFFERENCE_BYTES = 240 };

/* Bytes of an element: 16 of a float4. */
size_t qn_t1_element_size(const qn_t1_argument *argument);

/* A hash, from which the seeds of arguments and random contents come. */
uint64_t qn_t1_mix(uint64_t x);

/* Make the bytes of an argument or of its reference; released with qn_release. */
QN_MUST_CHECK qn_status qn_t1_content_make(const qn_t1 *t1, const qn_t1_argument *argument,
                                           const qn_t1_content *content, uint64_t seed, void **bytes);

/* Compare an output with its reference. Returns the largest difference in units of the tolerance, infinite if elements
 * that must be equal differ, and writes in words which element differs the most ("" if none differs). */
double qn_t1_compare(const qn_t1_argument *argument, const void *is, const void *reference,
                     char words[QN_T1_DIFFERENCE_BYTES]);

/* Check that an output can be a reference. `first` and `second` are its contents after two runs. An output that is not
 * kept held the byte fill_first before the first run and fill_second before the second one, and must be written whole;
 * one that is kept held `before`. Both must be finite and equal within the tolerance. *changed becomes true if the
 * kernel wrote anything. Errors: QN_CHECK_FAILED, naming the element. */
QN_MUST_CHECK qn_status qn_t1_check_reference(const qn_t1_argument *argument, const void *before, const void *first,
                                              const void *second, int fill_first, int fill_second, bool *changed);

#endif

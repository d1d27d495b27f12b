/* Checks of the outputs of T1 problems. */
#include "tune/exchange/t1_outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* A float result whose file states no tolerance is right within this part of its reference and of the largest value of
 * the reference. */
static const double relative_tolerance = 1e-4, absolute_tolerance = 1e-6;

/* IEEE 754 binary16 */
static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double value_at(qn_t1_type type, const void *bytes, size_t place)
{
    switch (type) {
    case QN_T1_INT8: return ((const int8_t *)bytes)[place];
    case QN_T1_UINT8: return ((const uint8_t *)bytes)[place];
    case QN_T1_INT16: return ((const int16_t *)bytes)[place];
    case QN_T1_UINT16: return ((const uint16_t *)bytes)[place];
    case QN_T1_INT32: return ((const int32_t *)bytes)[place];
    case QN_T1_UINT32: return ((const uint32_t *)bytes)[place];
    case QN_T1_INT64: return (double)((const int64_t *)bytes)[place];
    case QN_T1_UINT64: return (double)((const uint64_t *)bytes)[place];
    case QN_T1_HALF: return half_value(((const uint16_t *)bytes)[place]);
    case QN_T1_FLOAT: return ((const float *)bytes)[place];
    case QN_T1_DOUBLE: return ((const double *)bytes)[place];
    }
    return NAN;
}

static size_t lane_count(const qn_t1_argument *argument)
{
    return argument->count * argument->lanes;
}

static size_t lane_bytes(const qn_t1_argument *argument)
{
    return qn_t1_element_size(argument) / argument->lanes;
}

static bool is_real(const qn_t1_argument *argument)
{
    return argument->type == QN_T1_FLOAT || argument->type == QN_T1_DOUBLE;
}

/* The largest finite magnitude of the reference, which scales the usual tolerance. */
static double largest_value(const qn_t1_argument *argument, const void *reference)
{
    double largest = 0;
    if (argument->tolerance.absolute >= 0 || !is_real(argument)) return 0;
    for (size_t i = 0; i < lane_count(argument); i++) {
        const double magnitude = fabs(value_at(argument->type, reference, i));
        if (isfinite(magnitude) && magnitude > largest) largest = magnitude;
    }
    return largest;
}

/* The difference of an element in units of its tolerance. */
static double units_of(const qn_t1_argument *argument, double got, double wanted, double largest)
{
    const qn_t1_tolerance *given = &argument->tolerance;
    double allowed = given->absolute + given->relative * fabs(wanted);
    if (got == wanted || (isnan(got) && isnan(wanted))) return 0;
    if (given->absolute < 0)
        allowed = is_real(argument) ? relative_tolerance * fabs(wanted) + absolute_tolerance * largest : 0;
    const double units = allowed > 0 ? fabs(got - wanted) / allowed : INFINITY;
    return isnan(units) ? INFINITY : units;
}

/* Whether elements of whole numbers differ also where doubles cannot show it. */
static bool differs_in_bits(const qn_t1_argument *argument, const void *a, const void *b, size_t place)
{
    const size_t bytes = lane_bytes(argument);
    return !is_real(argument) && argument->tolerance.absolute < 0 &&
           memcmp((const char *)a + place * bytes, (const char *)b + place * bytes, bytes) != 0;
}

/* Find the element that differs the most; returns its difference in units of the tolerance. */
static double find_worst(const qn_t1_argument *argument, const void *is, const void *reference, size_t *place)
{
    const double largest = largest_value(argument, reference);
    double worst = 0, sum = 0;
    *place = 0;
    for (size_t i = 0; i < lane_count(argument); i++) {
        const double got = value_at(argument->type, is, i), wanted = value_at(argument->type, reference, i);
        double units = units_of(argument, got, wanted, largest);
        if (argument->tolerance.of_sum) {
            units = got == wanted || (isnan(got) && isnan(wanted)) ? 0 : fabs(got - wanted);
            if (isnan(units)) units = INFINITY;
            sum += units;
        }
        if (differs_in_bits(argument, is, reference, i)) units = INFINITY;
        if (units > worst) {
            worst = units;
            *place = i;
        }
    }
    if (!argument->tolerance.of_sum || sum == 0) return worst;
    return argument->tolerance.absolute > 0 ? sum / argument->tolerance.absolute : INFINITY;
}

double qn_t1_compare(const qn_t1_argument *argument, const void *is, const void *reference,
                     char words[QN_T1_DIFFERENCE_BYTES])
{
    size_t place;
    const double worst = find_worst(argument, is, reference, &place);
    words[0] = 0;
    if (worst > 0)
        snprintf(words, QN_T1_DIFFERENCE_BYTES, "%.60s[%zu] is %.9g and the reference %.9g, which is %.3g times %s",
                 argument->name, place, value_at(argument->type, is, place), value_at(argument->type, reference, place),
                 worst, argument->tolerance.of_sum ? "the tolerance over all elements" : "the tolerance");
    return worst;
}

static bool holds(const qn_t1_argument *argument, const void *bytes, size_t place, int fill)
{
    const size_t size = lane_bytes(argument);
    const unsigned char *at = (const unsigned char *)bytes + place * size;
    for (size_t i = 0; i < size; i++)
        if (at[i] != fill) return false;
    return true;
}

qn_status qn_t1_check_reference(const qn_t1_argument *argument, const void *before, const void *first,
                                const void *second, int fill_first, int fill_second, bool *changed)
{
    char words[QN_T1_DIFFERENCE_BYTES];
    size_t place;
    for (size_t i = 0; i < lane_count(argument) && !argument->kept; i++)
        if (holds(argument, first, i, fill_first) && holds(argument, second, i, fill_second))
            return QN_FAIL(QN_CHECK_FAILED,
                           "it does not write %s[%zu]; expected that it writes every element of an argument with "
                           "AccessType WriteOnly (ReadWrite keeps what is not written)",
                           argument->name, i);
    if (find_worst(argument, second, first, &place) > 1) {
        snprintf(words, sizeof words, "%.60s[%zu] is %.9g after one run and %.9g after another", argument->name, place,
                 value_at(argument->type, first, place), value_at(argument->type, second, place));
        return QN_FAIL(QN_CHECK_FAILED,
                       "%s; expected equal results (a kernel that reads what an output held before needs AccessType "
                       "ReadWrite)",
                       words);
    }
    if (argument->type >= QN_T1_HALF)
        for (size_t i = 0; i < lane_count(argument); i++)
            if (!isfinite(value_at(argument->type, first, i)))
                return QN_FAIL(QN_CHECK_FAILED, "it gives %g in %s[%zu]; expected finite numbers",
                               value_at(argument->type, first, i), argument->name, i);
    *changed |= !argument->kept || memcmp(first, before, argument->count * qn_t1_element_size(argument)) != 0;
    return QN_OK;
}

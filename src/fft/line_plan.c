#include "fft/line_plan.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846;

/* Time of a pass per point, in units of 10 ps on a 2021 server core with 16 vector registers: loads and stores, the
 * butterfly's arithmetic, and above radix 8 spilled registers. Radix 16 took 330, no better than two passes of radix 4.
 */
static const struct {
    int radix;
    int cost;
} unrolled[] = {{12, 228}, {10, 232}, {9, 262}, {8, 212}, {7, 230}, {6, 145}, {5, 172}, {4, 125}, {3, 120}, {2, 105}};

/* Cost of a prime without a butterfly: for a pass, and for each of its terms. */
enum { PRIME_COST = 40, PRIME_TERM_COST = 30 };

enum { UNROLLED_COUNT = sizeof unrolled / sizeof unrolled[0] };

bool qn_line_radix_is_unrolled(int radix)
{
    for (int i = 0; i < UNROLLED_COUNT; i++)
        if (unrolled[i].radix == radix) return true;
    return false;
}

typedef struct radix_list {
    int radix[QN_LINE_PASS_MAX];
    int count;
    int cost;
} radix_list;

/* Find the cheapest list of radices with product `length`, in falling order. `length` has no prime factor above 7. */
static void choose_radices(int length, int first, radix_list *so_far, radix_list *best)
{
    if (length == 1) {
        if (best->count < 0 || so_far->cost < best->cost) *best = *so_far;
        return;
    }
    for (int i = first; i < UNROLLED_COUNT; i++) {
        if (length % unrolled[i].radix != 0) continue;
        if (best->count >= 0 && so_far->cost + unrolled[i].cost >= best->cost) continue;
        so_far->radix[so_far->count++] = unrolled[i].radix;
        so_far->cost += unrolled[i].cost;
        choose_radices(length / unrolled[i].radix, i, so_far, best);
        so_far->cost -= unrolled[i].cost;
        so_far->count--;
    }
}

/* Find all radices of `length`: the unrolled ones, then its primes above 7. */
static void cut_length(int length, radix_list *list)
{
    int primes[QN_LINE_PASS_MAX];
    int prime_count = 0;
    int smooth = 1;
    for (int divisor = 2; length > 1; divisor++) {
        if ((long long)divisor * divisor > length) divisor = length;
        for (; length % divisor == 0; length /= divisor) {
            if (divisor <= 7)
                smooth *= divisor;
            else
                primes[prime_count++] = divisor;
        }
    }
    radix_list so_far = {.count = 0};
    list->count = -1;
    choose_radices(smooth, 0, &so_far, list);
    for (int i = 0; i < prime_count; i++) list->radix[list->count++] = primes[i];
}

int qn_line_length_cost(int length, int *passes)
{
    radix_list list;
    cut_length(length, &list);
    *passes = list.count;
    int cost = 0;
    for (int i = 0; i < list.count; i++) {
        int radix = 0;
        while (radix < UNROLLED_COUNT && unrolled[radix].radix != list.radix[i]) radix++;
        cost += radix < UNROLLED_COUNT ? unrolled[radix].cost : PRIME_COST + PRIME_TERM_COST * list.radix[i];
    }
    return cost;
}

static size_t factor_numbers(int radix, int groups)
{
    return 2 * (size_t)(radix - 1) * (size_t)groups;
}

static float *fill_factors(int radix, int groups, float *to)
{
    for (int p = 0; p < groups; p++) {
        for (int j = 1; j < radix; j++) {
            /* p·j < radix·groups always, so the angle needs no reduction. */
            double angle = 2 * pi * ((double)p * j / ((double)radix * groups));
            *to++ = (float)cos(angle);
            *to++ = (float)-sin(angle);
        }
    }
    return to;
}

static float *fill_roots(int radix, float *to)
{
    for (int k = 0; k < radix; k++) {
        *to++ = (float)cos(2 * pi * k / radix);
        *to++ = (float)sin(2 * pi * k / radix);
    }
    return to;
}

qn_status qn_line_plan_create(int length, bool inverse, qn_line_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    if (length < 1) return QN_FAIL(QN_INVALID_ARGUMENT, "length of a transform is %d; expected at least 1", length);
    plan->length = length;
    plan->inverse = inverse;
    radix_list list;
    cut_length(length, &list);
    plan->pass_count = list.count;
    size_t numbers = 0;
    for (int i = 0, rest = length; i < list.count; i++) {
        rest /= list.radix[i];
        if (rest > 1) numbers += factor_numbers(list.radix[i], rest);
        if (!qn_line_radix_is_unrolled(list.radix[i])) numbers += 2 * (size_t)list.radix[i];
    }
    void *memory;
    QN_TRY(qn_allocate(numbers + 1, sizeof(float), &memory));
    plan->numbers = memory;
    float *next = plan->numbers;
    for (int i = 0, stride = 1, rest = length; i < list.count; i++) {
        qn_line_pass *pass = &plan->passes[i];
        rest /= list.radix[i];
        *pass = (qn_line_pass){.radix = list.radix[i], .groups = rest, .stride = stride};
        stride *= list.radix[i];
        if (rest > 1) {
            pass->factors = next;
            next = fill_factors(pass->radix, rest, next);
        }
        if (qn_line_radix_is_unrolled(pass->radix)) continue;
        pass->roots = next;
        next = fill_roots(pass->radix, next);
        if (pass->radix > plan->largest_prime) plan->largest_prime = pass->radix;
    }
    return QN_OK;
}

void qn_line_plan_clear(qn_line_plan *plan)
{
    qn_release(&plan->numbers);
    memset(plan, 0, sizeof *plan);
}

/* Host kernels of contacts: structures, and rows of pairs, are dealt to the pool. */
#include "base/thread_pool.h"
#include "cluster/measure/kernels/contacts.h"
#include "runtime/host_variant.h"
#include "runtime/prelude/prelude_host.h"

#include "cluster/measure/kernels/contacts.dev.h"

enum { ROWS = 8, COLUMNS = 32 }; /* of a block of pairs, whose bits stay in the cache */

typedef struct find_job {
    const float *positions;
    const int32_t *places;
    uint32_t *bits, *counts;
    const find_scalars *s;
} find_job;

static uint32_t find_word(const find_job *job, const float *x, int word)
{
    const int a = job->places[2 * word], first = job->places[2 * word + 1], atoms = job->s->atoms;
    const float *y = x + atoms, *z = y + atoms, limit = job->s->square_cutoff;
    const int count = MIN(CONTACT_WORD, atoms - first);
    uint32_t found[CONTACT_WORD], bits = 0;
#pragma omp simd
    for (int k = 0; k < count; k++)
        found[k] = contact_of(x[a] - x[first + k], y[a] - y[first + k], z[a] - z[first + k], limit);
    for (int k = 0; k < count; k++) bits |= found[k] << k;
    return bits;
}

static qn_status find_structure(size_t index, int worker, void *user)
{
    const find_job *job = user;
    const size_t words = (size_t)job->s->words;
    const float *positions = job->positions + 3 * (size_t)job->s->atoms * index;
    uint32_t sum = 0;
    (void)worker;
    for (size_t w = 0; w < words; w++) {
        const uint32_t bits = find_word(job, positions, (int)w);
        job->bits[index * words + w] = bits;
        sum += (uint32_t)BIT_COUNT(bits);
    }
    job->counts[index] += sum;
    return QN_OK;
}

static qn_status find(const qn_host_launch *launch)
{
    void *const *a = launch->arguments;
    find_job job = {.positions = a[FIND_POSITIONS],
                    .places = a[FIND_PLACES],
                    .bits = a[FIND_BITS],
                    .counts = a[FIND_COUNTS],
                    .s = a[FIND_SCALARS]};
    return qn_pool_run(launch->pool, (size_t)job.s->structures, find_structure, &job);
}

typedef struct share_job {
    const uint32_t *rows, *columns;
    int32_t *counts;
    const shared_scalars *s;
} share_job;

static int32_t count_pair(const uint32_t *a, const uint32_t *b, int words)
{
    int64_t sum = 0;
    int w = 0;
    for (; w + 2 <= words; w += 2) {
        uint64_t left, right;
        memcpy(&left, a + w, sizeof left);
        memcpy(&right, b + w, sizeof right);
        sum += __builtin_popcountll(left & right);
    }
    if (w < words) sum += BIT_COUNT(a[w] & b[w]);
    return (int32_t)sum;
}

static qn_status share_rows(size_t block, int worker, void *user)
{
    const share_job *job = user;
    const shared_scalars *s = job->s;
    const int first = (int)block * ROWS, end = MIN(first + ROWS, s->rows);
    const size_t words = (size_t)s->words, columns = (size_t)s->columns;
    (void)worker;
    for (int begin = 0; begin < s->columns; begin += COLUMNS)
        for (int row = first; row < end; row++)
            for (int column = begin; column < MIN(begin + COLUMNS, s->columns); column++) {
                int32_t *count = &job->counts[(size_t)row * columns + (size_t)column];
                *count = s->triangle && row > column ? 0
                                                     : count_pair(job->rows + (size_t)row * words,
                                                                  job->columns + (size_t)column * words, s->words);
            }
    return QN_OK;
}

static qn_status share(const qn_host_launch *launch)
{
    void *const *a = launch->arguments;
    share_job job = {
        .rows = a[SHARED_ROWS], .columns = a[SHARED_COLUMNS], .counts = a[SHARED_COUNTS], .s = a[SHARED_SCALARS]};
    return qn_pool_run(launch->pool, ((size_t)job.s->rows + ROWS - 1) / ROWS, share_rows, &job);
}

extern const qn_host_kernel QN_HOST_VARIANT(qn_cluster_contacts_host)[];
const qn_host_kernel QN_HOST_VARIANT(qn_cluster_contacts_host)[] = {find, share};

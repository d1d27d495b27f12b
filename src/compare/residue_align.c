#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compare/residue_match.h"

/* Alignment scores. A missing loop must cost less than a misalignment of all residues after it, and a point mutation
 * less than two gaps around it. */
enum { SAME = 10, DIFFERENT = -4, GAP_OPEN = -18, GAP_OPEN_BROKEN = -12, GAP_EXTEND = -1, IMPOSSIBLE = INT_MIN / 2 };

/* Origin of the best value of a cell; one byte per cell holds it for all three states. */
enum {
    FROM_DIAGONAL = 0,
    FROM_REFERENCE_GAP = 1, /* the cell aligned a model residue with nothing */
    FROM_MODEL_GAP = 2,     /* the cell aligned a reference residue with nothing */
    STATE_MASK = 3,
    REFERENCE_GAP_OPENED = 4, /* the gap state of this cell was entered from the best state before it */
    MODEL_GAP_OPENED = 8
};

typedef struct alignment {
    const qn_partner_residue *reference, *model;
    size_t rows, columns;  /* reference_count, model_count */
    unsigned char *trace;  /* (rows + 1) × (columns + 1) */
    int *best, *model_gap; /* one row each */
} alignment;

static int pair_score(const qn_partner_residue *a, const qn_partner_residue *b)
{
    if (a->kind != b->kind) return IMPOSSIBLE;
    return strcmp(a->name, b->name) == 0 ? SAME : DIFFERENT;
}

/* Score of opening a gap. Gaps between residues that are not bonded cost less, because residues are missing there; this
 * decides which of two equal neighbours is missing. Gaps before the first and after the last residue are free, so that
 * a domain can be aligned with a longer chain. `next` is the residue after the gap, in the sequence that has the gap.
 */
static int opening(const qn_partner_residue *sequence, size_t next, size_t count)
{
    if (next == count) return 0;
    return sequence[next].broken ? GAP_OPEN_BROKEN : GAP_OPEN;
}

static int extension(size_t next, size_t count)
{
    return next == count ? 0 : GAP_EXTEND;
}

static void fill_row(alignment *a, size_t i)
{
    unsigned char *trace = a->trace + i * (a->columns + 1);
    int diagonal = a->best[0], reference_gap = IMPOSSIBLE;
    a->best[0] = 0;
    trace[0] = FROM_MODEL_GAP;
    for (size_t j = 1; j <= a->columns; j++) {
        unsigned char flags = 0;
        int opened = a->best[j - 1] + opening(a->reference, i, a->rows),
            extended = reference_gap + extension(i, a->rows);
        if (opened >= extended) flags |= REFERENCE_GAP_OPENED;
        reference_gap = opened >= extended ? opened : extended;
        opened = a->best[j] + opening(a->model, j, a->columns);
        extended = a->model_gap[j] + extension(j, a->columns);
        if (opened >= extended) flags |= MODEL_GAP_OPENED;
        a->model_gap[j] = opened >= extended ? opened : extended;
        int value = diagonal + pair_score(&a->reference[i - 1], &a->model[j - 1]), state = FROM_DIAGONAL;
        if (reference_gap > value) value = reference_gap, state = FROM_REFERENCE_GAP;
        if (a->model_gap[j] > value) value = a->model_gap[j], state = FROM_MODEL_GAP;
        diagonal = a->best[j];
        a->best[j] = value;
        trace[j] = (unsigned char)(flags | state);
    }
}

static void fill(alignment *a)
{
    for (size_t j = 0; j <= a->columns; j++) {
        a->best[j] = 0;
        a->model_gap[j] = IMPOSSIBLE;
        a->trace[j] = FROM_REFERENCE_GAP;
    }
    for (size_t i = 1; i <= a->rows; i++) fill_row(a, i);
}

static size_t walk_back(const alignment *a, size_t *pairs)
{
    size_t i = a->rows, j = a->columns, identical = 0;
    int state = a->trace[i * (a->columns + 1) + j] & STATE_MASK;
    while (i > 0 && j > 0) {
        unsigned char flags = a->trace[i * (a->columns + 1) + j];
        if (state == FROM_DIAGONAL) {
            i--, j--;
            pairs[i] = j;
            identical += strcmp(a->reference[i].name, a->model[j].name) == 0;
        } else if (state == FROM_REFERENCE_GAP) {
            j--;
            if (!(flags & REFERENCE_GAP_OPENED)) continue;
        } else {
            i--;
            if (!(flags & MODEL_GAP_OPENED)) continue;
        }
        state = a->trace[i * (a->columns + 1) + j] & STATE_MASK;
    }
    return identical;
}

qn_status qn_residue_align(const qn_partner_residue *reference, size_t reference_count, const qn_partner_residue *model,
                           size_t model_count, size_t *pairs, size_t *identical_count)
{
    *identical_count = 0;
    for (size_t i = 0; i < reference_count; i++) pairs[i] = SIZE_MAX;
    if (reference_count == 0 || model_count == 0) return QN_OK;
    alignment a = {.reference = reference, .model = model, .rows = reference_count, .columns = model_count};
    void *trace = NULL, *best = NULL, *model_gap = NULL;
    qn_status status = qn_allocate(reference_count + 1, model_count + 1, &trace);
    if (status == QN_OK) status = qn_allocate(model_count + 1, sizeof(int), &best);
    if (status == QN_OK) status = qn_allocate(model_count + 1, sizeof(int), &model_gap);
    if (status == QN_OK) {
        a.trace = trace;
        a.best = best;
        a.model_gap = model_gap;
        fill(&a);
        *identical_count = walk_back(&a, pairs);
    }
    qn_release(&trace);
    qn_release(&best);
    qn_release(&model_gap);
    return status;
}

#include "compare/residue_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* At most ALTERNATIVES pairings (those of five identical chains) are kept. With more chains than CHAINS_SEARCHED, the
 * pairing is greedy. */
enum { ALTERNATIVES = 120, CHAINS_SEARCHED = 6 };

typedef struct key {
    const char *chain; /* "" when chains are ignored */
    int number;
    char insertion;
    size_t residue;
} key;

static int compare_keys(const void *left, const void *right)
{
    const key *a = left, *b = right;
    int order = strcmp(a->chain, b->chain);
    if (order == 0) order = (a->number > b->number) - (a->number < b->number);
    if (order == 0) order = (a->insertion > b->insertion) - (a->insertion < b->insertion);
    return order;
}

static int compare_keys_then_residues(const void *left, const void *right)
{
    const key *a = left, *b = right;
    int order = compare_keys(a, b);
    return order ? order : (a->residue > b->residue) - (a->residue < b->residue);
}

static key residue_key(const qn_partner *partner, size_t residue, bool with_chain)
{
    const qn_partner_residue *r = &partner->residues[residue];
    return (key){with_chain ? partner->chains[r->chain].name : "", r->number, r->insertion, residue};
}

/* Make sorted keys without repetitions (the first in the file is kept); *repeated gets the number of dropped keys. */
static qn_status sorted_keys(const qn_partner *partner, bool with_chain, key **keys, size_t *count, size_t *repeated)
{
    QN_TRY(qn_allocate(partner->residue_count, sizeof(key), (void **)keys));
    for (size_t i = 0; i < partner->residue_count; i++) (*keys)[i] = residue_key(partner, i, with_chain);
    if (partner->residue_count > 1) qsort(*keys, partner->residue_count, sizeof(key), compare_keys_then_residues);
    *count = 0;
    for (size_t i = 0; i < partner->residue_count; i++)
        if (*count == 0 || compare_keys(&(*keys)[*count - 1], &(*keys)[i]) != 0) (*keys)[(*count)++] = (*keys)[i];
    *repeated = partner->residue_count - *count;
    return QN_OK;
}

static void count_matches(const qn_partner *reference, const qn_partner *model, qn_residue_match *match)
{
    match->matched_count = match->identical_count = 0;
    for (size_t i = 0; i < reference->residue_count; i++) {
        if (match->model_residue[i] == SIZE_MAX) continue;
        match->matched_count++;
        match->identical_count +=
            strcmp(reference->residues[i].name, model->residues[match->model_residue[i]].name) == 0;
    }
}

/* Match by number. *match stays empty if chains are ignored and numbers are not unique. */
static qn_status match_numbers(const qn_partner *reference, const qn_partner *model, bool with_chain,
                               qn_residue_match *match)
{
    key *keys = NULL, *reference_keys = NULL;
    size_t count, repeated = 0, reference_count, reference_repeated = 0;
    qn_status status = sorted_keys(model, with_chain, &keys, &count, &repeated);
    if (status == QN_OK && !with_chain)
        status = sorted_keys(reference, with_chain, &reference_keys, &reference_count, &reference_repeated);
    bool usable = status == QN_OK && (with_chain || repeated + reference_repeated == 0);
    if (usable) status = qn_allocate(reference->residue_count, sizeof(size_t), (void **)&match->model_residue);
    if (usable && status == QN_OK) {
        match->alternative_count = 1;
        for (size_t i = 0; i < reference->residue_count; i++) {
            key wanted = residue_key(reference, i, with_chain);
            const key *found = count ? bsearch(&wanted, keys, count, sizeof(key), compare_keys) : NULL;
            bool same = found && reference->residues[i].kind == model->residues[found->residue].kind;
            match->model_residue[i] = same ? found->residue : SIZE_MAX;
        }
        count_matches(reference, model, match);
    }
    qn_release(&keys);
    qn_release(&reference_keys);
    return status;
}

/* Alignments of each chain of the reference with each chain of the model, and the search for the best pairing. */
typedef struct pairing {
    const qn_partner *reference, *model;
    size_t *identical; /* [reference chain][model chain]: equal residues; 0: the two chains are not paired */
    size_t **pairs;    /* the same: for each residue the aligned residue, as index in the model's chain */
    size_t partner_chain[CHAINS_SEARCHED];
    size_t best_total, best_paired;
    bool collecting;
    qn_residue_match *match;
} pairing;

static size_t *pairing_cell(const pairing *p, size_t a, size_t b)
{
    return &p->identical[a * p->model->chain_count + b];
}

static qn_status align_chains(pairing *p)
{
    size_t cells = p->reference->chain_count * p->model->chain_count;
    QN_TRY(qn_allocate(cells, sizeof(size_t), (void **)&p->identical));
    QN_TRY(qn_allocate(cells, sizeof(size_t *), (void **)&p->pairs));
    for (size_t a = 0; a < p->reference->chain_count; a++)
        for (size_t b = 0; b < p->model->chain_count; b++) {
            const qn_partner_chain *from = &p->reference->chains[a], *to = &p->model->chains[b];
            size_t *identical = pairing_cell(p, a, b), **pairs = &p->pairs[a * p->model->chain_count + b], aligned = 0;
            QN_TRY(qn_allocate(from->count, sizeof(size_t), (void **)pairs));
            QN_TRY(qn_residue_align(p->reference->residues + from->first, from->count, p->model->residues + to->first,
                                    to->count, *pairs, identical));
            for (size_t i = 0; i < from->count; i++) aligned += (*pairs)[i] != SIZE_MAX;
            if (10 * *identical < 3 * aligned) *identical = 0; /* in unrelated chains about a fifth are equal */
        }
    return QN_OK;
}

static void pairing_clear(pairing *p)
{
    if (p->pairs)
        for (size_t i = 0; i < p->reference->chain_count * p->model->chain_count; i++) qn_release(&p->pairs[i]);
    qn_release(&p->pairs);
    qn_release(&p->identical);
}

static void apply_chain(const pairing *p, size_t a, size_t b, size_t *model_residue)
{
    const qn_partner_chain *from = &p->reference->chains[a];
    const size_t *pairs = p->pairs[a * p->model->chain_count + b];
    for (size_t i = 0; i < from->count; i++)
        if (pairs[i] != SIZE_MAX) model_residue[from->first + i] = p->model->chains[b].first + pairs[i];
}

static void add_alternative(pairing *p, bool first)
{
    if (p->match->alternative_count == ALTERNATIVES) return;
    if (first) p->match->alternative_count = 0;
    size_t *model_residue = p->match->model_residue + p->match->alternative_count++ * p->reference->residue_count;
    for (size_t i = 0; i < p->reference->residue_count; i++) model_residue[i] = SIZE_MAX;
    for (size_t a = 0; a < p->reference->chain_count; a++)
        if (p->partner_chain[a] != SIZE_MAX) apply_chain(p, a, p->partner_chain[a], model_residue);
}

/* Depth-first search over the reference's chains. The first pass finds the best total; a pair with equal chain names
 * counts a quarter of a residue more, to break ties. The second pass collects all pairings of as many chains with a
 * total within 5 % of the best: copies of a chain differ by a few unresolved residues. `used` has a bit for each model
 * chain.
 */
static void search_pairings(pairing *p, size_t a, size_t total, size_t paired, unsigned used)
{
    if (a == p->reference->chain_count) {
        if (!p->collecting && total > p->best_total) {
            p->best_total = total;
            p->best_paired = paired;
            add_alternative(p, true);
        } else if (p->collecting && paired == p->best_paired && 20 * total >= 19 * p->best_total) {
            add_alternative(p, false);
        }
        return;
    }
    for (size_t b = 0; b < p->model->chain_count; b++) {
        size_t identical = *pairing_cell(p, a, b);
        if (identical == 0 || used >> b & 1) continue;
        bool same_name = strcmp(p->reference->chains[a].name, p->model->chains[b].name) == 0;
        p->partner_chain[a] = b;
        search_pairings(p, a + 1, total + 4 * identical + same_name, paired + 1, used | 1u << b);
    }
    p->partner_chain[a] = SIZE_MAX;
    search_pairings(p, a + 1, total, paired, used);
}

/* Pair chains greedily, the best pair first, if there are too many chains to try all pairings. */
static qn_status pair_greedily(pairing *p)
{
    p->match->alternative_count = 1;
    for (size_t i = 0; i < p->reference->residue_count; i++) p->match->model_residue[i] = SIZE_MAX;
    for (;;) {
        size_t best = 0, best_a = 0, best_b = 0;
        for (size_t a = 0; a < p->reference->chain_count; a++)
            for (size_t b = 0; b < p->model->chain_count; b++) {
                bool same_name = strcmp(p->reference->chains[a].name, p->model->chains[b].name) == 0;
                size_t identical = *pairing_cell(p, a, b), value = identical ? 4 * identical + same_name : 0;
                if (value > best) best = value, best_a = a, best_b = b;
            }
        if (best == 0) return QN_OK;
        apply_chain(p, best_a, best_b, p->match->model_residue);
        for (size_t b = 0; b < p->model->chain_count; b++) *pairing_cell(p, best_a, b) = 0;
        for (size_t a = 0; a < p->reference->chain_count; a++) *pairing_cell(p, a, best_b) = 0;
    }
}

static qn_status match_chains(const qn_partner *reference, const qn_partner *model, qn_residue_match *match)
{
    pairing p = {.reference = reference, .model = model, .match = match};
    bool searched = reference->chain_count <= CHAINS_SEARCHED && model->chain_count <= CHAINS_SEARCHED;
    qn_status status = align_chains(&p);
    if (status == QN_OK)
        status = qn_allocate(reference->residue_count, ALTERNATIVES * sizeof(size_t), (void **)&match->model_residue);
    if (status == QN_OK && searched) {
        for (size_t i = 0; i < reference->residue_count; i++) match->model_residue[i] = SIZE_MAX;
        match->alternative_count = 1; /* the alternative in which nothing is matched */
        search_pairings(&p, 0, 0, 0, 0);
        p.collecting = true;
        if (p.best_total > 0) search_pairings(&p, 0, 0, 0, 0);
    } else if (status == QN_OK) {
        status = pair_greedily(&p);
    }
    if (status == QN_OK) count_matches(reference, model, match);
    pairing_clear(&p);
    return status;
}

static qn_status match_whole(const qn_partner *reference, const qn_partner *model, qn_residue_match *match)
{
    QN_TRY(qn_allocate(reference->residue_count, sizeof(size_t), (void **)&match->model_residue));
    size_t identical;
    QN_TRY(qn_residue_align(reference->residues, reference->residue_count, model->residues, model->residue_count,
                            match->model_residue, &identical));
    match->alternative_count = 1;
    count_matches(reference, model, match);
    return QN_OK;
}

static bool names_agree(const qn_residue_match *match)
{
    return match->matched_count > 0 && 10 * match->identical_count >= 9 * match->matched_count;
}

static void keep(qn_residue_match *best, qn_residue_match *other)
{
    qn_residue_match_clear(best);
    *best = *other;
    *other = (qn_residue_match){0};
}

/* Keep the better match. A match whose names agree is replaced only by one with over a tenth more equal residues;
 * otherwise the match with most equal residues is kept. */
static void keep_better(qn_residue_match *best, qn_residue_match *other)
{
    size_t needed = best->identical_count + (names_agree(best) ? best->identical_count / 10 : 0);
    if (best->alternative_count == 0 || other->identical_count > needed) keep(best, other);
    qn_residue_match_clear(other);
}

qn_status qn_residue_match_find(const qn_partner *reference, const qn_partner *model, qn_residue_match *match)
{
    size_t smaller = reference->residue_count < model->residue_count ? reference->residue_count : model->residue_count;
    *match = (qn_residue_match){0};
    QN_TRY(match_numbers(reference, model, true, match));
    if (names_agree(match) && 10 * match->identical_count >= 9 * smaller) return QN_OK;
    qn_residue_match other = {0};
    qn_status status = match_numbers(reference, model, false, &other);
    if (status == QN_OK) {
        if (other.alternative_count) keep_better(match, &other);
        if (names_agree(match) && 10 * match->identical_count >= 9 * smaller) return QN_OK;
        status = match_chains(reference, model, &other);
    }
    if (status == QN_OK) {
        keep_better(match, &other);
        if (reference->chain_count > 1 || model->chain_count > 1) status = match_whole(reference, model, &other);
    }
    if (status == QN_OK && other.alternative_count) keep_better(match, &other);
    qn_residue_match_clear(&other);
    return status;
}

void qn_residue_match_clear(qn_residue_match *match)
{
    qn_release(&match->model_residue);
    *match = (qn_residue_match){0};
}

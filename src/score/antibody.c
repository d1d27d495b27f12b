#include "score/antibody.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/atom.h"
#include "model/residue_names.h"

/* Sources: the sequence features by which Martin (in "Antibody Engineering", Springer 2001 and 2010, chapter "Protein
 * sequence and structure analysis of antibody variable domains") finds Kabat's regions, after Kabat, Wu,
 * Perry, Gottesman, Foeller, "Sequences of Proteins of Immunological Interest", NIH 1991. In the numbering of Kabat:
 *
 *     L1  after Cys 23, before Trp 35, 10 to 17 residues
 *     L2  from the 16th residue after L1, 7 residues; L3 begins 33 residues after its end
 *     L3  after Cys 88, before Phe-Gly-X-Gly, 7 to 11 residues
 *     H1  from the 4th residue after Cys 22, before Trp 36, 10 to 12 residues
 *     H2  from the 15th residue after H1, 16 to 19 residues, before Lys/Arg - Leu/Ile/Val/Phe/Thr/Ala -
 *         Thr/Ser/Ile/Ala; H3 begins 33 residues after its end
 *     H3  from the 3rd residue after Cys 92, before Trp-Gly-X-Gly, 3 to 25 residues
 *
 * The domains of sharks (V-NAR) lack the strands around H2. Their loops HV2 and HV4 are there instead (Stanfield,
 * Dooley, Flajnik, Wilson, Science 305, 1770, 2004; Dooley, Flajnik, PNAS 103, 1846, 2006). In the numbering of 1SQ2:
 *
 *     CDR1  before Trp 36, as H1; HV2 45 to 52; HV4 61 to 65, where Cys 83 follows; CDR3 from 86 to the joining motif
 *
 * The bounds below are these, extended for chains that were published later: rabbit chains (H2 and third framework
 * shorter, L3 longer), long L2 of lambda chains 4 and 5, H3 of cattle up to 70 residues, H1 shorter by two residues.
 * Sequences are those of the coordinates, so distances along the chain are shorter where residues are missing. Shorter
 * distances are accepted only there. */
typedef struct bounds {
    size_t least, most;
} bounds;

/* The residues by which a domain is placed. */
enum { FIRST_CYSTEINE, TRP, SECOND_CYSTEINE, JOINING, LANDMARKS };

/* A usual letter of the frameworks: `points` for a residue at this distance from a landmark that is one of `letters`.
 */
typedef struct usual {
    int landmark, offset;
    const char *letters;
    int points;
} usual;

typedef struct rules {
    bounds cysteine_to_trp; /* distance along the chain */
    bounds trp_to_cysteine;
    bounds cysteine_to_joining;
    size_t usual_trp_to_cysteine[2];
    int certain_percent; /* of the points that make a domain certain */
    const usual *usual;  /* ends with points = 0 */
} rules;

/* The letters are those of most human, mouse and camel chains in Kabat's tables. In domains without a light chain, FR2
 * has Phe/Tyr 37, Glu/Gln 44, Arg/Cys 45 and Phe/Gly/Leu 47 instead of Val, Gly, Leu and Trp (Muyldermans et al.,
 * Protein Eng. 7, 1129, 1994), and Trp 103 of the joining motif may be Arg. */
static const usual usual_heavy[] = {{FIRST_CYSTEINE, -4, "LVM", 1},
                                    {FIRST_CYSTEINE, -2, "LIVMF", 1},
                                    {FIRST_CYSTEINE, -1, "ST", 1},
                                    {FIRST_CYSTEINE, 0, "C", 3},
                                    {FIRST_CYSTEINE, 4, "G", 1},
                                    {TRP, 0, "W", 3},
                                    {TRP, 1, "VIFYLA", 1},
                                    {TRP, 2, "RK", 2},
                                    {TRP, 3, "Q", 1},
                                    {TRP, 5, "PH", 1},
                                    {TRP, 6, "GD", 1},
                                    {TRP, 9, "LRCP", 1},
                                    {TRP, 10, "E", 2},
                                    {SECOND_CYSTEINE, -15, "LMIVF", 1},
                                    {SECOND_CYSTEINE, -13, "MLVWI", 1},
                                    {SECOND_CYSTEINE, -10, "LVM", 1},
                                    {SECOND_CYSTEINE, -6, "D", 2},
                                    {SECOND_CYSTEINE, -5, "ST", 1},
                                    {SECOND_CYSTEINE, -4, "AGS", 1},
                                    {SECOND_CYSTEINE, -2, "YFH", 2},
                                    {SECOND_CYSTEINE, 0, "C", 3},
                                    {JOINING, 0, "W", 2},
                                    {JOINING, 1, "G", 2},
                                    {JOINING, 3, "G", 2},
                                    {JOINING, 4, "TIS", 1},
                                    {JOINING, 6, "VL", 1},
                                    {0}};
static const usual usual_light[] = {{FIRST_CYSTEINE, -4, "VALIMR", 1},
                                    {FIRST_CYSTEINE, -2, "ILMFVA", 1},
                                    {FIRST_CYSTEINE, -1, "TSN", 1},
                                    {FIRST_CYSTEINE, 0, "C", 3},
                                    {TRP, 0, "W", 3},
                                    {TRP, 1, "YFLVIH", 1},
                                    {TRP, 2, "QLH", 2},
                                    {TRP, 3, "QE", 1},
                                    {TRP, 5, "PS", 1},
                                    {TRP, 6, "GD", 1},
                                    {TRP, 9, "PF", 1},
                                    {TRP, 13, "IV", 1},
                                    {TRP, 14, "YSKFHGE", 1},
                                    {SECOND_CYSTEINE, -15, "LF", 1},
                                    {SECOND_CYSTEINE, -13, "IV", 1},
                                    {SECOND_CYSTEINE, -10, "LVMA", 1},
                                    {SECOND_CYSTEINE, -7, "EG", 1},
                                    {SECOND_CYSTEINE, -6, "D", 2},
                                    {SECOND_CYSTEINE, -4, "AGS", 1},
                                    {SECOND_CYSTEINE, -2, "YFH", 2},
                                    {SECOND_CYSTEINE, 0, "C", 3},
                                    {JOINING, 0, "F", 2},
                                    {JOINING, 1, "G", 2},
                                    {JOINING, 3, "G", 2},
                                    {JOINING, 4, "T", 1},
                                    {JOINING, 6, "VL", 1},
                                    {0}};
static const usual usual_shark[] = {{FIRST_CYSTEINE, -4, "L", 1},
                                    {FIRST_CYSTEINE, -3, "T", 1},
                                    {FIRST_CYSTEINE, -2, "I", 1},
                                    {FIRST_CYSTEINE, -1, "N", 1},
                                    {FIRST_CYSTEINE, 0, "C", 3},
                                    {TRP, 0, "W", 3},
                                    {TRP, 1, "YF", 1},
                                    {TRP, 2, "R", 2},
                                    {TRP, 3, "KT", 1},
                                    {TRP, 6, "G", 1},
                                    {SECOND_CYSTEINE, -15, "L", 1},
                                    {SECOND_CYSTEINE, -13, "I", 1},
                                    {SECOND_CYSTEINE, -10, "L", 1},
                                    {SECOND_CYSTEINE, -6, "D", 2},
                                    {SECOND_CYSTEINE, -5, "SG", 1},
                                    {SECOND_CYSTEINE, -3, "T", 1},
                                    {SECOND_CYSTEINE, -2, "YF", 2},
                                    {SECOND_CYSTEINE, 0, "C", 3},
                                    {JOINING, 1, "G", 2},
                                    {JOINING, 3, "G", 2},
                                    {JOINING, 4, "T", 1},
                                    {JOINING, 6, "VL", 1},
                                    {0}};

/* Shares of the points: heavy domains of antibodies and camels have 85 % and more, light domains and those of sharks 92
 * % and more, T-cell receptors up to 88 % as light domains. Chains of other proteins have up to 65 % (the docking
 * benchmark, and the proteins in the test of this file). */
static const rules kinds[] = {
    [QN_ANTIBODY_LIGHT] = {{11, 18}, {53, 59}, {6, 18}, {53, 55}, 89, usual_light},
    [QN_ANTIBODY_HEAVY] = {{12, 20}, {56, 64}, {4, 73}, {59, 62}, 78, usual_heavy},
    [QN_ANTIBODY_SHARK] = {{11, 17}, {44, 50}, {4, 45}, {46, 48}, 80, usual_shark},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

enum {
    MISSING_MAX = 15, /* residues that may be unresolved in one stretch */
    LIGHT_L2_LENGTH = 7,
    FRAMEWORK_3_HEAVY = 30, /* from the end of H2 to the second cysteine */
    DISTANCE_POINTS = 2,    /* for the usual distance from Trp to the second cysteine */
    JOINING_POINTS = 4,     /* at least, of the first four letters of the joining motif */
    REGIONS_MAX = 4,
    POSSIBLE_LEAST = 20, /* resolved points of a domain; 35 to 43 are usual */
    ALIGNED_PERCENT = 55 /* of the points, where the user knows of a domain */
};

/* Residues are missing between consecutive Cα atoms farther apart than this; 3.8 Å is usual. */
#define BROKEN_ANGSTROM 5.0

/* The amino acids of a molecule in the order of the file. */
typedef struct sequence {
    size_t count;
    char *letters;
    size_t *residues; /* of the molecule */
    size_t *breaks;   /* number of gaps in the chain up to this residue */
    bool *starts;     /* the first of a chain */
} sequence;

/* A domain in a sequence. */
typedef struct candidate {
    qn_antibody_kind kind;
    size_t at[LANDMARKS];
    int points, possible; /* of the usual letters and of those that are resolved */
    bool kept;
} candidate;

/* One-letter code of an amino acid; 'X': another residue with a Cα atom; '\0': other residues. */
static char letter_of(const qn_molecule *molecule, const qn_residue *residue)
{
    const char letter = qn_amino_acid_letter(residue->name);
    if (letter) return letter;
    return qn_residue_c_alpha(molecule, residue) ? 'X' : '\0';
}

static bool is_broken(const qn_molecule *molecule, const qn_residue *before, const qn_residue *residue)
{
    const qn_atom *a = qn_residue_c_alpha(molecule, before), *b = qn_residue_c_alpha(molecule, residue);
    if (!a || !b) return true;
    double squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        double apart = a->position_angstrom[axis] - b->position_angstrom[axis];
        squared += apart * apart;
    }
    return squared > BROKEN_ANGSTROM * BROKEN_ANGSTROM;
}

static void sequence_clear(sequence *s)
{
    qn_release(&s->letters);
    qn_release(&s->residues);
    qn_release(&s->breaks);
    qn_release(&s->starts);
}

static qn_status sequence_allocate(size_t count, sequence *s)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *s->letters, &memory));
    s->letters = memory;
    QN_TRY(qn_allocate(count, sizeof *s->residues, &memory));
    s->residues = memory;
    QN_TRY(qn_allocate(count, sizeof *s->breaks, &memory));
    s->breaks = memory;
    QN_TRY(qn_allocate(count, sizeof *s->starts, &memory));
    s->starts = memory;
    return QN_OK;
}

static void sequence_fill(const qn_molecule *molecule, sequence *s)
{
    const qn_residue *before = NULL;
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        char letter = letter_of(molecule, residue);
        if (letter == '\0') continue;
        size_t at = s->count++;
        s->letters[at] = letter;
        s->residues[at] = r;
        s->starts[at] = !before || strcmp(before->chain, residue->chain) != 0;
        s->breaks[at] = at == 0 ? 0 : s->breaks[at - 1] + (!s->starts[at] && is_broken(molecule, before, residue));
        before = residue;
    }
}

static bool unbroken(const sequence *s, size_t from, size_t to)
{
    return s->breaks[from] == s->breaks[to];
}

static bool within(const sequence *s, size_t from, size_t to, bounds allowed)
{
    size_t distance = to - from;
    if (distance > allowed.most) return false;
    return distance >= allowed.least || (!unbroken(s, from, to) && distance + MISSING_MAX >= allowed.least);
}

static bool one_of(const char *letters, char letter)
{
    return strchr(letters, letter) != NULL;
}

/* A chain, a part of a sequence. */
typedef struct span {
    const sequence *s;
    size_t begin, end;
} span;

/* Add the points of the usual letters around a landmark at position `at`. Residues beyond a gap or the end of the chain
 * do not count. */
static void add_points(const span *chain, const rules *rule, int landmark, size_t at, candidate *to)
{
    for (const usual *u = rule->usual; u->points; u++) {
        const size_t position = at + (size_t)u->offset; /* wraps to the right value for offsets below 0 */
        if (u->landmark != landmark || (u->offset < 0 && at < chain->begin + (size_t)-u->offset) ||
            position >= chain->end || !unbroken(chain->s, at < position ? at : position, at < position ? position : at))
            continue;
        to->possible += u->points;
        if (one_of(u->letters, chain->s->letters[position])) to->points += u->points;
    }
}

/* How well a candidate fits: matches less mismatches. */
static int value_of(const candidate *c)
{
    return 2 * c->points - c->possible;
}

/* Complete a candidate, which has its joining motif and its second cysteine, in the best way. */
static void look_before_cysteine(const span *chain, const rules *rule, candidate with, candidate *best)
{
    const size_t cysteine = with.at[SECOND_CYSTEINE];
    for (size_t trp = cysteine; trp-- > chain->begin && cysteine - trp <= rule->trp_to_cysteine.most;) {
        if (!within(chain->s, trp, cysteine, rule->trp_to_cysteine)) continue;
        const size_t distance = cysteine - trp;
        candidate placed = with;
        placed.at[TRP] = trp;
        add_points(chain, rule, TRP, trp, &placed);
        placed.possible += DISTANCE_POINTS;
        if (distance >= rule->usual_trp_to_cysteine[0] && distance <= rule->usual_trp_to_cysteine[1])
            placed.points += DISTANCE_POINTS;
        for (size_t first = trp; first-- > chain->begin && trp - first <= rule->cysteine_to_trp.most;) {
            candidate whole = placed;
            if (!within(chain->s, first, trp, rule->cysteine_to_trp)) continue;
            whole.at[FIRST_CYSTEINE] = first;
            add_points(chain, rule, FIRST_CYSTEINE, first, &whole);
            if (best->possible == 0 || value_of(&whole) > value_of(best)) *best = whole;
        }
    }
}

/* Find the best domain of a kind with its joining motif at `joining`; best->possible is 0 if there is none. */
static void look_before_joining(const span *chain, qn_antibody_kind kind, size_t joining, candidate *best)
{
    const rules *rule = &kinds[kind];
    candidate with = {.kind = kind, .at[JOINING] = joining};
    add_points(chain, rule, JOINING, joining, &with);
    if (with.points < JOINING_POINTS) return;
    for (size_t cysteine = joining;
         cysteine-- > chain->begin && joining - cysteine <= rule->cysteine_to_joining.most;) {
        candidate placed = with;
        if (!within(chain->s, cysteine, joining, rule->cysteine_to_joining)) continue;
        placed.at[SECOND_CYSTEINE] = cysteine;
        add_points(chain, rule, SECOND_CYSTEINE, cysteine, &placed);
        look_before_cysteine(chain, rule, placed, best);
    }
}

/* The position `forward` residues after `left`; `back` residues before `right` when residues are missing after `left`.
 */
static size_t anchored(const sequence *s, size_t left, size_t forward, size_t right, size_t back)
{
    size_t from_left = left + forward, from_right = right > left + back ? right - back : left + 1;
    if (from_left >= right) return from_right;
    return unbroken(s, left, from_left) || !unbroken(s, from_right, right) ? from_left : from_right;
}

/* The end of H2, found by the three letters after it, or else by its usual distance. */
static size_t end_of_h2(const sequence *s, size_t begin, size_t cysteine)
{
    static const int shifts[] = {0, 1, 2, -1, 3, -2};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        size_t next = cysteine + 1 - FRAMEWORK_3_HEAVY + (size_t)shifts[i]; /* wraps to the right value for −1 and −2 */
        if (next > begin + 12 && one_of("KR", s->letters[next]) && one_of("LIVFTA", s->letters[next + 1]) &&
            one_of("TSIA", s->letters[next + 2]))
            return next - 1;
    }
    return anchored(s, begin, 16, cysteine, FRAMEWORK_3_HEAVY);
}

/* First and last position of the regions. Returns their number. */
static size_t place_regions(const sequence *s, const candidate *domain, size_t first[REGIONS_MAX],
                            size_t last[REGIONS_MAX])
{
    const size_t *at = domain->at, regions = domain->kind == QN_ANTIBODY_SHARK ? 4 : 3;
    last[0] = at[TRP] - 1;
    last[regions - 1] = at[JOINING] - 1;
    if (domain->kind == QN_ANTIBODY_LIGHT) {
        first[0] = at[FIRST_CYSTEINE] + 1;
        first[1] = anchored(s, at[TRP], 15, at[SECOND_CYSTEINE], 32 + LIGHT_L2_LENGTH - 1);
        last[1] = anchored(s, first[1], LIGHT_L2_LENGTH - 1, at[SECOND_CYSTEINE], 32);
        first[2] = at[SECOND_CYSTEINE] + 1;
        return regions;
    }
    first[0] = anchored(s, at[FIRST_CYSTEINE], 4, at[TRP], 10);
    first[regions - 1] = at[SECOND_CYSTEINE] + 3;
    if (domain->kind == QN_ANTIBODY_HEAVY) {
        first[1] = anchored(s, at[TRP], 14, at[SECOND_CYSTEINE], FRAMEWORK_3_HEAVY + 16);
        last[1] = end_of_h2(s, first[1], at[SECOND_CYSTEINE]);
    } else {
        first[1] = anchored(s, at[TRP], 9, at[SECOND_CYSTEINE], 38);
        last[1] = anchored(s, first[1], 7, at[SECOND_CYSTEINE], 31);
        first[2] = anchored(s, last[1], 9, at[SECOND_CYSTEINE], 22);
        last[2] = anchored(s, first[2], 4, at[SECOND_CYSTEINE], 18);
    }
    return regions;
}

static void add_domain(const sequence *s, const candidate *from, bool *cdr, qn_antibody_domain *domain)
{
    size_t first[REGIONS_MAX], last[REGIONS_MAX];
    domain->kind = from->kind;
    domain->region_count = place_regions(s, from, first, last);
    for (size_t region = 0; region < domain->region_count; region++) {
        domain->first[region] = s->residues[first[region]];
        domain->last[region] = s->residues[last[region]];
        for (size_t i = first[region]; i <= last[region]; i++) cdr[s->residues[i]] = true;
    }
}

/* Candidates of a molecule, at most one for each position of a joining motif. */
typedef struct candidates {
    candidate *list;
    size_t count, capacity;
} candidates;

static qn_status add_candidate(const candidate *found, candidates *to)
{
    void *memory = to->list;
    qn_status status = qn_grow(&memory, &to->capacity, to->count + 1, sizeof *to->list);
    to->list = memory;
    QN_TRY(status);
    to->list[to->count++] = *found;
    return QN_OK;
}

static bool is_domain(const candidate *c, bool certain)
{
    const int percent = certain ? kinds[c->kind].certain_percent : ALIGNED_PERCENT;
    return c->possible >= POSSIBLE_LEAST && 100 * c->points >= percent * c->possible;
}

static qn_status look_in_chain(const span *chain, bool certain, candidates *to)
{
    for (size_t at = chain->begin; at < chain->end; at++) {
        candidate best = {0};
        for (int kind = 0; kind < KINDS; kind++) {
            candidate of_kind = {0};
            look_before_joining(chain, (qn_antibody_kind)kind, at, &of_kind);
            if (of_kind.possible && (best.possible == 0 || value_of(&of_kind) > value_of(&best))) best = of_kind;
        }
        if (is_domain(&best, certain)) QN_TRY(add_candidate(&best, to));
    }
    return QN_OK;
}

static bool overlap(const candidate *a, const candidate *b)
{
    return a->at[FIRST_CYSTEINE] <= b->at[JOINING] + 3 && b->at[FIRST_CYSTEINE] <= a->at[JOINING] + 3;
}

/* Keep the best candidate and drop those that overlap it, then do the same with the others. Of equal ones the first is
 * the better. The order stays. */
static void drop_overlapping(candidates *of)
{
    for (;;) {
        candidate *best = NULL;
        for (size_t i = 0; i < of->count; i++) {
            candidate *c = &of->list[i];
            if (!c->kept && (!best || value_of(c) > value_of(best))) best = c;
        }
        if (!best) return;
        best->kept = true;
        size_t left = 0;
        for (size_t i = 0; i < of->count; i++)
            if (of->list[i].kept || !overlap(&of->list[i], best)) {
                if (&of->list[i] == best) best = &of->list[left];
                of->list[left++] = of->list[i];
            }
        of->count = left;
    }
}

/* Find the domains of the chains that `wanted` (residues of the molecule; NULL: all) marks. */
static qn_status find_in_sequence(const sequence *s, const bool *wanted, bool certain, candidates *found)
{
    span chain = {s, 0, 0};
    for (size_t at = 0; at < s->count; at = chain.end) {
        chain.begin = at;
        for (chain.end = at + 1; chain.end < s->count && !s->starts[chain.end];) chain.end++;
        if (!wanted || wanted[s->residues[at]]) QN_TRY(look_in_chain(&chain, certain, found));
    }
    drop_overlapping(found);
    return QN_OK;
}

static qn_status list_domains(const sequence *s, const candidates *found, bool *cdr, qn_antibody_domain **domains,
                              size_t *count)
{
    void *memory;
    if (found->count == 0) return QN_OK;
    QN_TRY(qn_allocate(found->count, sizeof **domains, &memory));
    *domains = memory;
    for (size_t i = 0; i < found->count; i++) add_domain(s, &found->list[i], cdr, &(*domains)[i]);
    *count = found->count;
    return QN_OK;
}

static qn_status find(const qn_molecule *molecule, const bool *wanted, bool certain, bool *cdr,
                      qn_antibody_domain **domains, size_t *domain_count)
{
    sequence s = {0};
    candidates found = {0};
    *domains = NULL;
    *domain_count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) cdr[r] = false;
    qn_status status = sequence_allocate(molecule->residue_count, &s);
    if (status == QN_OK) sequence_fill(molecule, &s);
    if (status == QN_OK) status = find_in_sequence(&s, wanted, certain, &found);
    if (status == QN_OK) status = list_domains(&s, &found, cdr, domains, domain_count);
    sequence_clear(&s);
    qn_release(&found.list);
    return status;
}

qn_status qn_antibody_find_cdrs(const qn_molecule *molecule, bool *cdr, qn_antibody_domain **domains,
                                size_t *domain_count)
{
    return find(molecule, NULL, true, cdr, domains, domain_count);
}

qn_status qn_antibody_align_cdrs(const qn_molecule *molecule, const bool *wanted, bool *cdr,
                                 qn_antibody_domain **domains, size_t *domain_count)
{
    return find(molecule, wanted, false, cdr, domains, domain_count);
}

const char *qn_antibody_kind_name(qn_antibody_kind kind)
{
    static const char *const names[] = {"light", "heavy", "V-NAR"};
    return names[kind];
}

#include "score/antibody.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/atom.h"

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
 * The bounds below are these, extended for chains that were published later: rabbit chains (H2 and third framework
 * shorter, L3 longer), long L2 of lambda chains 4 and 5, H3 of cattle up to 70 residues. Sequences are those of the
 * coordinates, so distances along the chain are shorter where residues are missing. Shorter distances are accepted only
 * there. */
typedef struct bounds {
    size_t least, most;
} bounds;

typedef struct rules {
    char joining;           /* first letter of joining-G-X-G after the third region */
    bounds cysteine_to_trp; /* distance along the chain */
    bounds trp_to_cysteine;
    bounds cysteine_to_joining;
    size_t usual_trp_to_cysteine[2];
    const char *behind_trp, *second_behind_trp; /* usual letters at these positions */
} rules;

static const rules kinds[] = {
    [QN_ANTIBODY_LIGHT] = {'F', {11, 18}, {53, 59}, {6, 18}, {53, 55}, "YFLVIH", "QLH"},
    [QN_ANTIBODY_HEAVY] = {'W', {13, 17}, {56, 64}, {4, 73}, {59, 62}, "VIAFYL", "RK"},
};

enum {
    MISSING_MAX = 15,    /* residues that may be unresolved in one stretch */
    FEATURES_NEEDED = 3, /* of the five that `features` counts */
    LIGHT_L2_LENGTH = 7,
    FRAMEWORK_3_HEAVY = 30 /* from the end of H2 to the second cysteine */
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

/* Positions in a sequence that determine a domain. */
typedef struct landmarks {
    size_t first_cysteine, trp, second_cysteine, joining;
    int features;
} landmarks;

static const char *const amino_acids[] = {
    "AALA", "RARG", "NASN", "DASP", "CCYS", "QGLN", "EGLU", "GGLY", "HHIS", "IILE", "LLEU", "KLYS", "MMET", "FPHE",
    "PPRO", "SSER", "TTHR", "WTRP", "YTYR", "VVAL", "CCYX", "CCYM", "HHID", "HHIE", "HHIP", "HHSD", "HHSE", "HHSP",
    "MMSE", "QPCA", "EPGA", "CCSO", "CCME", "CCSS", "DASH", "EGLH", "KLYN", "YTYS", "YPTR", "SSEP", "TTPO"};

/* One-letter code of an amino acid; 'X': another residue with a Cα atom; '\0': other residues. */
static char letter_of(const qn_molecule *molecule, const qn_residue *residue)
{
    for (size_t i = 0; i < sizeof amino_acids / sizeof *amino_acids; i++)
        if (strcmp(residue->name, amino_acids[i] + 1) == 0) return amino_acids[i][0];
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

/* Number of usual features of a domain, of five: Asp-X-X-X-Tyr-X-Cys, Trp-Tyr-Gln, Trp-Val-Arg and similar letters, and
 * the distance from Trp to Cys. Sequences that match the required letters by chance seldom have three. */
static int features(const sequence *s, const rules *rule, size_t trp, size_t cysteine)
{
    const char *letters = s->letters;
    size_t distance = cysteine - trp;
    return one_of("DE", letters[cysteine - 6]) + one_of("YFH", letters[cysteine - 2]) +
           one_of(rule->behind_trp, letters[trp + 1]) + one_of(rule->second_behind_trp, letters[trp + 2]) +
           (distance >= rule->usual_trp_to_cysteine[0] && distance <= rule->usual_trp_to_cysteine[1]);
}

/* Find the best domain that begins at `begin` or later, with this second cysteine and `joining`. */
static void look_before_cysteine(const sequence *s, const rules *rule, size_t begin, size_t cysteine, size_t joining,
                                 landmarks *best)
{
    for (size_t trp = cysteine; trp-- > begin;) {
        if (cysteine - trp > rule->trp_to_cysteine.most) break;
        if (s->letters[trp] != 'W' || !within(s, trp, cysteine, rule->trp_to_cysteine)) continue;
        int found = features(s, rule, trp, cysteine);
        if (found <= best->features) continue;
        for (size_t first = trp; first-- > begin;) {
            if (trp - first > rule->cysteine_to_trp.most) break;
            if (s->letters[first] != 'C' || !within(s, first, trp, rule->cysteine_to_trp)) continue;
            *best = (landmarks){first, trp, cysteine, joining, found};
        }
    }
}

static bool joins(const sequence *s, size_t end, size_t at)
{
    return at + 3 < end && s->letters[at + 1] == 'G' && s->letters[at + 3] == 'G';
}

/* Find a domain in [begin, end) whose joining-G-X-G is at `joining`. */
static bool find_domain(const sequence *s, const rules *rule, size_t begin, size_t joining, landmarks *found)
{
    *found = (landmarks){.features = FEATURES_NEEDED - 1};
    for (size_t cysteine = joining; cysteine-- > begin;) {
        if (joining - cysteine > rule->cysteine_to_joining.most) break;
        if (s->letters[cysteine] == 'C' && within(s, cysteine, joining, rule->cysteine_to_joining))
            look_before_cysteine(s, rule, begin, cysteine, joining, found);
    }
    return found->features >= FEATURES_NEEDED;
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

/* First and last position of the three regions. */
static void place_regions(const sequence *s, qn_antibody_kind kind, const landmarks *at, size_t first[3],
                          size_t last[3])
{
    last[0] = at->trp - 1;
    last[2] = at->joining - 1;
    if (kind == QN_ANTIBODY_LIGHT) {
        first[0] = at->first_cysteine + 1;
        first[1] = anchored(s, at->trp, 15, at->second_cysteine, 32 + LIGHT_L2_LENGTH - 1);
        last[1] = anchored(s, first[1], LIGHT_L2_LENGTH - 1, at->second_cysteine, 32);
        first[2] = at->second_cysteine + 1;
    } else {
        first[0] = anchored(s, at->first_cysteine, 4, at->trp, 10);
        first[1] = anchored(s, at->trp, 14, at->second_cysteine, FRAMEWORK_3_HEAVY + 16);
        last[1] = end_of_h2(s, first[1], at->second_cysteine);
        first[2] = at->second_cysteine + 3;
    }
}

static qn_status add_domain(const sequence *s, qn_antibody_kind kind, const landmarks *at, bool *cdr,
                            qn_antibody_domain **domains, size_t *count, size_t *capacity)
{
    size_t first[3], last[3];
    place_regions(s, kind, at, first, last);
    void *memory = *domains;
    qn_status status = qn_grow(&memory, capacity, *count + 1, sizeof **domains);
    *domains = memory;
    QN_TRY(status);
    qn_antibody_domain *domain = &(*domains)[(*count)++];
    domain->kind = kind;
    for (int region = 0; region < 3; region++) {
        domain->first[region] = s->residues[first[region]];
        domain->last[region] = s->residues[last[region]];
        for (size_t i = first[region]; i <= last[region]; i++) cdr[s->residues[i]] = true;
    }
    return QN_OK;
}

static qn_status find_in_sequence(const sequence *s, bool *cdr, qn_antibody_domain **domains, size_t *count)
{
    size_t capacity = 0, begin = 0, end = 0;
    for (size_t at = 0; at < s->count; at++) {
        if (s->starts[at]) {
            begin = at;
            for (end = at + 1; end < s->count && !s->starts[end];) end++;
        }
        if (!joins(s, end, at)) continue;
        for (int kind = QN_ANTIBODY_LIGHT; kind <= QN_ANTIBODY_HEAVY; kind++) {
            landmarks found;
            if (s->letters[at] != kinds[kind].joining || !find_domain(s, &kinds[kind], begin, at, &found)) continue;
            QN_TRY(add_domain(s, (qn_antibody_kind)kind, &found, cdr, domains, count, &capacity));
            begin = at + 4; /* domains do not overlap */
        }
    }
    return QN_OK;
}

qn_status qn_antibody_find_cdrs(const qn_molecule *molecule, bool *cdr, qn_antibody_domain **domains,
                                size_t *domain_count)
{
    sequence s = {0};
    *domains = NULL;
    *domain_count = 0;
    for (size_t r = 0; r < molecule->residue_count; r++) cdr[r] = false;
    qn_status status = sequence_allocate(molecule->residue_count, &s);
    if (status == QN_OK) {
        sequence_fill(molecule, &s);
        status = find_in_sequence(&s, cdr, domains, domain_count);
    }
    sequence_clear(&s);
    if (status != QN_OK) {
        qn_release(domains);
        *domain_count = 0;
    }
    return status;
}

const char *qn_antibody_kind_name(qn_antibody_kind kind)
{
    return kind == QN_ANTIBODY_HEAVY ? "heavy" : "light";
}

/* Ten complexes of Docking Benchmark 5: bound compared with itself, unbound with bound; published contacts and zones.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compare/complex_quality.h"
#include "math/superpose.h"

/* Quality of the unbound structures: i-RMSD as published by the benchmark, with two decimals; the other columns by the
 * program DockQ 2.1.3 with --no_align, which takes the partner with fewer residues as the ligand (`swapped`: this
 * partner is the benchmark's receptor). */
static const struct complex {
    const char *name;
    double published_angstrom, fnat, interface_angstrom, ligand_angstrom, dockq;
    int swapped;
} complexes[] = {
    {"1PPE", 0.47, 0.857143, 0.46490, 0.50845, 0.921979, 0}, {"1AVX", 0.52, 0.870370, 0.51810, 0.64476, 0.919355, 0},
    {"7CEI", 0.76, 0.865385, 0.76387, 1.19141, 0.880063, 1}, {"1CGI", 1.94, 0.564706, 1.94282, 1.72631, 0.632854, 0},
    {"1AHW", 0.94, 0.726027, 0.93508, 1.41862, 0.806357, 0}, {"1VFB", 1.03, 0.638298, 1.02539, 1.06609, 0.768111, 0},
    {"1BJ1", 0.56, 0.885714, 0.55943, 0.76464, 0.918526, 0}, {"1GCQ", 1.03, 0.666667, 1.03194, 1.16743, 0.775636, 1},
    {"1E96", 0.78, 0.871795, 0.77633, 0.73794, 0.884348, 1}, {"1WQ1", 1.19, 0.461538, 1.18627, 1.04735, 0.687267, 0}};
enum { COMPLEXES = sizeof complexes / sizeof complexes[0] };

static const char *data_path(const char *name, const char *suffix)
{
    char relative[128];
    snprintf(relative, sizeof relative, "docking/bm5/%s/%s%s", name, suffix[0] == '_' ? name : "", suffix);
    return check_reference_data(relative);
}

static qn_molecule *read_part(const char *name, const char *suffix)
{
    qn_molecule *molecule = NULL;
    const char *path = data_path(name, suffix);
    if (CHECK(path != NULL))
        CHECK_OK(qn_molecule_read(
            NULL, path, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true}, &molecule));
    return molecule;
}

/* Bound and unbound partners of one complex. */
typedef struct parts {
    qn_molecule *bound[2], *unbound[2];
    qn_complex_reference *reference;
} parts;

static int read_parts(const char *name, parts *p)
{
    p->reference = NULL;
    p->bound[0] = read_part(name, "_r_b-matched.pdb");
    p->bound[1] = read_part(name, "_l_b-matched.pdb");
    p->unbound[0] = read_part(name, "_r_u.pdb");
    p->unbound[1] = read_part(name, "_l_u.pdb");
    return p->bound[0] && p->bound[1] && p->unbound[0] && p->unbound[1] &&
           CHECK_OK(qn_complex_reference_create(p->bound[0], p->bound[1], &p->reference));
}

static void clear_parts(parts *p)
{
    for (int s = 0; s < 2; s++) {
        qn_molecule_destroy(&p->bound[s]);
        qn_molecule_destroy(&p->unbound[s]);
    }
    qn_complex_reference_destroy(&p->reference);
}

static void bound_is_perfect(void)
{
    for (int i = 0; i < COMPLEXES; i++) {
        parts p;
        qn_complex_quality quality;
        if (read_parts(complexes[i].name, &p) &&
            CHECK_OK(qn_complex_quality_compute(p.reference, p.bound[0], p.bound[1], &quality))) {
            CHECK(quality.fnat == 1 && quality.unmatched_contacts == 0);
            CHECK_NEAR(quality.interface_rmsd_angstrom, 0, 1e-9);
            CHECK_NEAR(quality.ligand_rmsd_angstrom, 0, 1e-9);
            CHECK_NEAR(quality.dockq, 1, 1e-9);
            CHECK(quality.capri == QN_CAPRI_HIGH);
        }
        clear_parts(&p);
    }
}

static void unbound_interface_rmsd_is_as_published(void)
{
    for (int i = 0; i < COMPLEXES; i++) {
        parts p;
        qn_complex_quality quality;
        if (read_parts(complexes[i].name, &p) &&
            CHECK_OK(qn_complex_quality_compute(p.reference, p.unbound[0], p.unbound[1], &quality))) {
            CHECK_NEAR(quality.interface_rmsd_angstrom, complexes[i].published_angstrom, 0.01);
            CHECK(quality.capri >= QN_CAPRI_MEDIUM);
        }
        clear_parts(&p);
    }
}

/* The DockQ program partly computes in single precision: tolerances are 1e-3 Å and 1e-4. */
static void unbound_quality_equals_that_of_the_dockq_program(void)
{
    for (int i = 0; i < COMPLEXES; i++) {
        parts p;
        qn_complex_quality quality;
        int read = read_parts(complexes[i].name, &p), first = complexes[i].swapped;
        qn_complex_reference_destroy(&p.reference);
        if (read && CHECK_OK(qn_complex_reference_create(p.bound[first], p.bound[!first], &p.reference)) &&
            CHECK_OK(qn_complex_quality_compute(p.reference, p.unbound[first], p.unbound[!first], &quality))) {
            CHECK_NEAR(quality.fnat, complexes[i].fnat, 1e-6);
            CHECK_NEAR(quality.interface_rmsd_angstrom, complexes[i].interface_angstrom, 1e-3);
            CHECK_NEAR(quality.ligand_rmsd_angstrom, complexes[i].ligand_angstrom, 1e-3);
            CHECK_NEAR(quality.dockq, complexes[i].dockq, 1e-4);
        }
        clear_parts(&p);
    }
}

/* The unbound receptor of 1GCQ is the whole of Grb2, its reference is one domain: all residues of the reference are
 * matched. */
static void only_common_residues_are_matched(void)
{
    parts p;
    qn_complex_quality quality;
    if (read_parts("1GCQ", &p) &&
        CHECK_OK(qn_complex_quality_compute(p.reference, p.unbound[0], p.unbound[1], &quality))) {
        CHECK(p.unbound[0]->residue_count > 200);
        CHECK(quality.matched_receptor_residues == 57);
    }
    clear_parts(&p);
}

typedef struct residue_pair {
    int first, second;
} residue_pair;

/* Read the residue pairs of target.contacts5: lines "number chain atom number chain atom distance", one for each pair
 * of atoms; pairs with a distance below 5 Å are contacts. In a pair, `first` is the residue of chain A, the receptor.
 */
static size_t published_contacts(const char *path, residue_pair *pairs, size_t capacity)
{
    FILE *file = fopen(path, "r");
    size_t count = 0;
    char chain[2][8], atom[2][8];
    int number[2];
    double distance;
    while (file && fscanf(file, "%d %7s %7s %d %7s %7s %lf", &number[0], chain[0], atom[0], &number[1], chain[1],
                          atom[1], &distance) == 7) {
        residue_pair pair = {number[chain[0][0] == 'B'], number[chain[0][0] != 'B']};
        size_t known = 0;
        while (known < count && (pairs[known].first != pair.first || pairs[known].second != pair.second)) known++;
        if (known == count && count < capacity && distance < 5) pairs[count++] = pair;
    }
    if (file) fclose(file);
    return count;
}

/* The published list was made from the same bound coordinates, so that the numbers of residue contacts must be equal.
 */
static void native_contacts_are_as_published(void)
{
    enum { CAPACITY = 1000 };
    residue_pair pairs[CAPACITY];
    for (int i = 0; i < COMPLEXES; i++) {
        parts p;
        qn_complex_quality quality;
        const char *path = data_path(complexes[i].name, "target.contacts5");
        if (!CHECK(path != NULL)) continue;
        size_t published = published_contacts(path, pairs, CAPACITY);
        if (read_parts(complexes[i].name, &p) &&
            CHECK_OK(qn_complex_quality_compute(p.reference, p.bound[0], p.bound[1], &quality))) {
            if (quality.native_contacts != published)
                printf("%s: %zu contacts, published %zu\n", complexes[i].name, quality.native_contacts, published);
            CHECK(published > 10 && quality.native_contacts == published);
        }
        clear_parts(&p);
    }
}

/* Whether a residue is in target.izone, which has lines "zone A.2-A.5". */
static int in_zones(const char *path, char chain, int number)
{
    FILE *file = fopen(path, "r");
    char first_chain, last_chain;
    int first, last, found = 0;
    while (file && fscanf(file, " zone %c.%d-%c.%d", &first_chain, &first, &last_chain, &last) == 4)
        found |= first_chain == chain && number >= first && number <= last;
    if (file) fclose(file);
    return found;
}

static const qn_atom *find_atom(const qn_molecule *molecule, int number, const char *name)
{
    for (size_t i = 0; i < molecule->atom_count; i++)
        if (molecule->residues[molecule->atoms[i].residue].number == number &&
            strcmp(molecule->atoms[i].name, name) == 0)
            return &molecule->atoms[i];
    return NULL;
}

/* Compute the i-RMSD over the published zones, by a plain search of the molecules. */
static double zone_rmsd(const parts *p, const char *path)
{
    enum { CAPACITY = 2000 };
    static const char *const backbone[] = {"N", "CA", "C", "O"};
    static double native[3 * CAPACITY], model[3 * CAPACITY];
    double rotation[9], translation[3], rmsd = -1;
    size_t count = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < p->bound[s]->residue_count; i++) {
            int number = p->bound[s]->residues[i].number;
            if (!in_zones(path, "AB"[s], number)) continue;
            for (int k = 0; k < 4 && count < CAPACITY; k++) {
                const qn_atom *a = find_atom(p->bound[s], number, backbone[k]);
                const qn_atom *b = find_atom(p->unbound[s], number, backbone[k]);
                if (!a || !b) continue;
                memcpy(native + 3 * count, a->position_angstrom, 3 * sizeof(double));
                memcpy(model + 3 * count++, b->position_angstrom, 3 * sizeof(double));
            }
        }
    CHECK_OK(qn_superpose(model, native, count, rotation, translation, &rmsd));
    return rmsd;
}

static void interface_rmsd_equals_that_over_published_zones(void)
{
    for (int i = 0; i < COMPLEXES; i++) {
        parts p;
        char path[1024];
        qn_complex_quality quality;
        const char *found = data_path(complexes[i].name, "target.izone");
        if (!CHECK(found != NULL)) continue;
        snprintf(path, sizeof path, "%s", found);
        if (read_parts(complexes[i].name, &p) &&
            CHECK_OK(qn_complex_quality_compute(p.reference, p.unbound[0], p.unbound[1], &quality)))
            CHECK_NEAR(quality.interface_rmsd_angstrom, zone_rmsd(&p, path), 1e-9);
        clear_parts(&p);
    }
}

static void rename_and_renumber(qn_molecule *molecule, const char *chain, int shift)
{
    for (size_t i = 0; i < molecule->residue_count; i++) {
        strcpy(molecule->residues[i].chain, chain);
        molecule->residues[i].number += shift;
    }
}

/* Unbound structures with other numbers can only be matched by alignment. If a loop is missing in one of them, the
 * alignment may choose the other of two equal neighbours, so that the tolerance of DockQ is 0.02. */
static void alignment_gives_nearly_the_same_dockq(void)
{
    for (int i = 0; i < COMPLEXES; i++) {
        parts p;
        qn_complex_quality numbered, aligned;
        if (read_parts(complexes[i].name, &p) &&
            CHECK_OK(qn_complex_quality_compute(p.reference, p.unbound[0], p.unbound[1], &numbered))) {
            rename_and_renumber(p.unbound[0], "X", 137);
            rename_and_renumber(p.unbound[1], "Y", -29);
            if (CHECK_OK(qn_complex_quality_compute(p.reference, p.unbound[0], p.unbound[1], &aligned))) {
                if (aligned.dockq != numbered.dockq)
                    printf("%s: aligned %zu + %zu residues, DockQ %.4f; numbered %zu + %zu, %.4f\n", complexes[i].name,
                           aligned.matched_receptor_residues, aligned.matched_ligand_residues, aligned.dockq,
                           numbered.matched_receptor_residues, numbered.matched_ligand_residues, numbered.dockq);
                CHECK_NEAR(aligned.dockq, numbered.dockq, 0.02);
            }
        }
        clear_parts(&p);
    }
}

static void swapped_partners_are_refused(void)
{
    parts p;
    qn_complex_quality quality;
    if (read_parts("1PPE", &p)) {
        CHECK_FAILS(qn_complex_quality_compute(p.reference, p.unbound[1], p.unbound[0], &quality), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("receptor is another molecule");
    }
    clear_parts(&p);
}

int main(void)
{
    if (!check_reference_data("docking/bm5")) check_skip("data", "no Docking Benchmark 5 files");
    RUN(bound_is_perfect);
    RUN(unbound_interface_rmsd_is_as_published);
    RUN(unbound_quality_equals_that_of_the_dockq_program);
    RUN(only_common_residues_are_matched);
    RUN(native_contacts_are_as_published);
    RUN(interface_rmsd_equals_that_over_published_zones);
    RUN(alignment_gives_nearly_the_same_dockq);
    RUN(swapped_partners_are_refused);
    return check_finish();
}

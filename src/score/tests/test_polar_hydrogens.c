#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/rotation.h"
#include "score/atom_parameters.h"

#define DEGREE (3.14159265358979323846 / 180)

/* Heavy atoms (without OXT), charge at pH 7 and polar hydrogens of side chains, from biochemistry textbooks. */
static const struct {
    const char *name;
    size_t heavy;
    double charge;
    size_t hydrogens;
} amino_acids[] = {{"ALA", 5, 0, 0},   {"ARG", 11, 1, 5}, {"ASN", 8, 0, 2},  {"ASP", 8, -1, 0}, {"CYS", 6, 0, 0},
                   {"GLN", 9, 0, 2},   {"GLU", 9, -1, 0}, {"GLY", 4, 0, 0},  {"HIS", 10, 0, 1}, {"ILE", 8, 0, 0},
                   {"LEU", 8, 0, 0},   {"LYS", 9, 1, 3},  {"MET", 8, 0, 0},  {"PHE", 11, 0, 0}, {"PRO", 7, 0, 0},
                   {"SER", 6, 0, 1},   {"THR", 7, 0, 1},  {"TRP", 14, 0, 1}, {"TYR", 12, 0, 1}, {"VAL", 7, 0, 0},
                   {"HIE", 10, 0, 1},  {"HIP", 10, 1, 2}, {"ASH", 8, 0, 1},  {"GLH", 9, 0, 1},  {"LYN", 9, 0, 2},
                   {"ARGN", 11, 0, 4}, {"MSE", 8, 0, 0}};
enum { AMINO_ACIDS = sizeof amino_acids / sizeof amino_acids[0], STANDARD = 20 };

typedef struct built_molecule {
    qn_molecule *molecule;
    qn_atom_parameters *parameters;
    qn_built_hydrogen *hydrogens;
    size_t count;
    qn_parameters_summary summary;
} built_molecule;

static void build(built_molecule *b)
{
    CHECK_OK(qn_atom_parameters_assign(b->molecule, &b->parameters, &b->hydrogens, &b->count, &b->summary));
}

static void clear(built_molecule *b)
{
    qn_release(&b->parameters);
    qn_release(&b->hydrogens);
    qn_molecule_destroy(&b->molecule);
}

/* Bovine trypsin: 223 residues, all twenty amino acids, no hydrogens. */
static qn_molecule *read_trypsin(void)
{
    qn_molecule *molecule = NULL;
    qn_molecule_options options = {.size = sizeof options, .drop_water = true};
    if (!CHECK_OK(qn_molecule_read(NULL, check_data("../../examples/1ppe/1PPE_r_u.pdb"), &options, &molecule))) exit(1);
    return molecule;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static double angle_degrees(const double a[3], const double centre[3], const double b[3])
{
    double ab = distance(a, b), ac = distance(a, centre), bc = distance(b, centre);
    return acos((ac * ac + bc * bc - ab * ab) / (2 * ac * bc)) / DEGREE;
}

static void subtract(const double a[3], const double b[3], double r[3])
{
    for (int i = 0; i < 3; i++) r[i] = a[i] - b[i];
}

static void cross(const double a[3], const double b[3], double r[3])
{
    for (int i = 0; i < 3; i++) r[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Torsion a – b – c – d in degrees, −180 … 180 (IUPAC sign). */
static double torsion_degrees(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ab[3], bc[3], cd[3], n1[3], n2[3], m[3];
    subtract(b, a, ab);
    subtract(c, b, bc);
    subtract(d, c, cd);
    cross(ab, bc, n1);
    cross(bc, cd, n2);
    cross(n1, n2, m);
    return atan2(dot(m, bc) / sqrt(dot(bc, bc)), dot(n1, n2)) / DEGREE;
}

static const qn_atom *atom_named(const qn_molecule *m, size_t residue, const char *name)
{
    const qn_residue *of = &m->residues[residue];
    for (size_t i = of->first_atom; i < of->first_atom + of->atom_count; i++)
        if (strcmp(m->atoms[i].name, name) == 0) return &m->atoms[i];
    return NULL;
}

static const qn_built_hydrogen *hydrogen_named(const built_molecule *b, size_t residue, const char *name)
{
    for (size_t i = 0; i < b->count; i++)
        if ((size_t)b->molecule->atoms[b->hydrogens[i].parent].residue == residue &&
            strcmp(b->hydrogens[i].name, name) == 0)
            return &b->hydrogens[i];
    return NULL;
}

/* Copy a molecule without the atoms for which `drop` is true, and with `extra` hydrogens after the atoms of their
 * residues. */
static qn_molecule *copy_molecule(const qn_molecule *from, const qn_built_hydrogen *extra, size_t extra_count,
                                  bool (*drop)(const qn_molecule *, const qn_atom *))
{
    qn_molecule *to;
    CHECK_OK(qn_molecule_create(from->name, &to));
    for (size_t r = 0; r < from->residue_count; r++) {
        qn_residue residue = from->residues[r];
        residue.atom_count = 0;
        CHECK_OK(qn_molecule_append_residue(to, &residue));
        for (size_t i = from->residues[r].first_atom; i < from->residues[r].first_atom + from->residues[r].atom_count;
             i++)
            if (!drop || !drop(from, &from->atoms[i])) CHECK_OK(qn_molecule_append_atom(to, &from->atoms[i]));
        for (size_t h = 0; h < extra_count; h++) {
            if ((size_t)from->atoms[extra[h].parent].residue != r) continue;
            qn_atom atom = {.element = "H", .occupancy = 1};
            strcpy(atom.name, extra[h].name);
            memcpy(atom.position_angstrom, extra[h].position_angstrom, sizeof atom.position_angstrom);
            if (!drop || !drop(from, &atom)) CHECK_OK(qn_molecule_append_atom(to, &atom));
        }
    }
    return to;
}

static double residue_charge(const built_molecule *b, size_t residue)
{
    double sum = 0;
    for (size_t i = 0; i < b->molecule->atom_count; i++)
        if ((size_t)b->molecule->atoms[i].residue == residue) sum += b->parameters[i].charge_e;
    for (size_t i = 0; i < b->count; i++)
        if ((size_t)b->molecule->atoms[b->hydrogens[i].parent].residue == residue) sum += b->hydrogens[i].charge_e;
    return sum;
}

static size_t residue_hydrogens(const built_molecule *b, size_t residue)
{
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        count += (size_t)b->molecule->atoms[b->hydrogens[i].parent].residue == residue;
    return count;
}

static int amino_acid(const char *name)
{
    for (int i = 0; i < AMINO_ACIDS; i++)
        if (strcmp(amino_acids[i].name, name) == 0) return i;
    return -1;
}

/* Check the charge and the number of hydrogens of every complete residue between the ends; mark the names found. */
static void check_residues(const qn_molecule *molecule, bool met[AMINO_ACIDS])
{
    built_molecule b = {0}, plain = {0};
    CHECK_OK(qn_molecule_copy(molecule, &b.molecule));
    CHECK_OK(qn_molecule_copy(molecule, &plain.molecule));
    build(&b);
    CHECK_OK(qn_atom_parameters_assign(plain.molecule, &plain.parameters, NULL, NULL, &plain.summary));
    CHECK_NEAR(b.summary.net_charge_e, plain.summary.net_charge_e, 1e-6);
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *residue = &molecule->residues[r];
        int kind = amino_acid(residue->name);
        CHECK_NEAR(residue_charge(&b, r), residue_charge(&plain, r), 1e-6);
        if (kind < 0 || r == 0 || atom_named(molecule, r, "OXT") || residue->atom_count != amino_acids[kind].heavy)
            continue;
        met[kind] = true;
        bool good = CHECK_NEAR(residue_charge(&b, r), amino_acids[kind].charge, 1e-3);
        bool amide = strcmp(residue->name, "PRO") != 0;
        if (!CHECK(residue_hydrogens(&b, r) == amino_acids[kind].hydrogens + amide) || !good)
            printf("%s %d\n", residue->name, residue->number);
    }
    clear(&b);
    clear(&plain);
}

static void every_amino_acid_sums_to_its_formal_charge(void)
{
    static const char *const other[][2] = {{"HIS", "HIE"}, {"HIS", "HIP"}, {"ASP", "ASH"},
                                           {"GLU", "GLH"}, {"LYS", "LYN"}, {"ARG", "ARGN"}};
    bool met[AMINO_ACIDS] = {false};
    qn_molecule *molecule = read_trypsin();
    check_residues(molecule, met);
    for (int i = 0; i < STANDARD; i++)
        if (!CHECK(met[i])) printf("no complete %s\n", amino_acids[i].name);
    for (size_t k = 0; k < sizeof other / sizeof other[0]; k++) {
        qn_molecule *changed;
        CHECK_OK(qn_molecule_copy(molecule, &changed));
        for (size_t r = 0; r < changed->residue_count; r++)
            if (strcmp(changed->residues[r].name, other[k][0]) == 0) strcpy(changed->residues[r].name, other[k][1]);
        check_residues(changed, met);
        CHECK(met[amino_acid(other[k][1])]);
        qn_molecule_destroy(&changed);
    }
    qn_molecule_destroy(&molecule);
}

/* Check bond lengths, angles to the heavy atoms bonded to the parent, and distances within a group. */
static void check_geometry(const built_molecule *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const qn_built_hydrogen *h = &b->hydrogens[i];
        const qn_atom *parent = &b->molecule->atoms[h->parent];
        const double *neighbours[4] = {NULL}, *centre = parent->position_angstrom;
        size_t count = 0;
        CHECK_NEAR(distance(h->position_angstrom, centre), parent->element[0] == 'O' ? 0.96 : 1.01, 1e-6);
        for (size_t a = 0; a < b->molecule->atom_count && count < 4; a++)
            if (a != h->parent && b->molecule->atoms[a].element[0] != 'O' &&
                distance(b->molecule->atoms[a].position_angstrom, centre) < 1.75)
                neighbours[count++] = b->molecule->atoms[a].position_angstrom;
        if (!CHECK(count == 1 || count == 2)) printf("%s on %s\n", h->name, parent->name);
        double first = angle_degrees(h->position_angstrom, centre, neighbours[0]);
        if (count == 2) { /* planar and on the bisector, or on a proline's end and outside the plane */
            double second = angle_degrees(h->position_angstrom, centre, neighbours[1]);
            CHECK_NEAR(first, second, 1e-4);
            if (strcmp(b->molecule->residues[parent->residue].name, "PRO") != 0)
                CHECK_NEAR(first + second + angle_degrees(neighbours[0], centre, neighbours[1]), 360, 1e-4);
        } else
            CHECK(fabs(first - 120) < 1e-4 || fabs(first - 109.5) < 1e-4);
        for (size_t j = 0; j < i; j++) {
            if (b->hydrogens[j].parent != h->parent) continue;
            double apart = distance(h->position_angstrom, b->hydrogens[j].position_angstrom);
            double planar = 2 * 1.01 * sin(120 * DEGREE), ammonium = 2 * 1.01 * sin(109.5 * DEGREE) * sin(60 * DEGREE),
                   pair = 2 * 1.01 * sin(109.5 / 2 * DEGREE);
            CHECK_NEAR(apart, count == 2 ? pair : first > 115 ? planar : ammonium, 1e-6);
        }
    }
}

static void built_hydrogens_have_ideal_geometry(void)
{
    built_molecule b = {.molecule = read_trypsin()};
    build(&b);
    CHECK(b.count > 300);
    check_geometry(&b);
    size_t backbone = 0;
    for (size_t r = 1; r < b.molecule->residue_count; r++) {
        const qn_built_hydrogen *h = hydrogen_named(&b, r, "H");
        if (!h) continue;
        backbone++;
        CHECK(distance(h->position_angstrom, atom_named(b.molecule, r, "CA")->position_angstrom) > 1.9);
        CHECK(distance(h->position_angstrom, atom_named(b.molecule, r - 1, "C")->position_angstrom) > 1.5);
        /* in trans peptides, and all of trypsin are trans, H and O are on opposite sides */
        double torsion = torsion_degrees(h->position_angstrom, atom_named(b.molecule, r, "N")->position_angstrom,
                                         atom_named(b.molecule, r - 1, "C")->position_angstrom,
                                         atom_named(b.molecule, r - 1, "O")->position_angstrom);
        CHECK(fabs(torsion) > 120); /* not 180°, since one bond of 0.8 Å distorts its plane */
    }
    CHECK(backbone == 222 - 8); /* 223 residues without the first and eight prolines */
    clear(&b);
}

static void check_torsion(const built_molecule *b, const char *residue, const char *hydrogen, const char *const path[3],
                          double expected_degrees)
{
    size_t met = 0;
    for (size_t r = 1; r < b->molecule->residue_count; r++) {
        const qn_atom *atoms[3];
        const qn_built_hydrogen *h = hydrogen_named(b, r, hydrogen);
        if (strcmp(b->molecule->residues[r].name, residue) != 0 || !h) continue;
        for (int i = 0; i < 3; i++) atoms[i] = atom_named(b->molecule, r, path[i]);
        double torsion = torsion_degrees(h->position_angstrom, atoms[0]->position_angstrom, atoms[1]->position_angstrom,
                                         atoms[2]->position_angstrom);
        CHECK_NEAR(cos((torsion - expected_degrees) * DEGREE), 1, 1e-9);
        met++;
    }
    CHECK(met > 0);
}

static void rotatable_groups_are_staggered_and_planar_groups_planar(void)
{
    static const struct {
        const char *residue, *hydrogen, *path[3];
        double torsion;
    } expected[] = {{"SER", "HG", {"OG", "CB", "CA"}, 180},   {"THR", "HG1", {"OG1", "CB", "CA"}, 180},
                    {"LYS", "HZ1", {"NZ", "CE", "CD"}, 180},  {"LYS", "HZ2", {"NZ", "CE", "CD"}, 60},
                    {"LYS", "HZ3", {"NZ", "CE", "CD"}, -60},  {"TYR", "HH", {"OH", "CZ", "CE1"}, 0},
                    {"ASN", "HD21", {"ND2", "CG", "OD1"}, 0}, {"ASN", "HD22", {"ND2", "CG", "OD1"}, 180},
                    {"GLN", "HE21", {"NE2", "CD", "OE1"}, 0}, {"GLN", "HE22", {"NE2", "CD", "OE1"}, 180},
                    {"ARG", "HH11", {"NH1", "CZ", "NE"}, 0},  {"ARG", "HH12", {"NH1", "CZ", "NE"}, 180},
                    {"ARG", "HH21", {"NH2", "CZ", "NE"}, 0},  {"ARG", "HH22", {"NH2", "CZ", "NE"}, 180}};
    built_molecule b = {.molecule = read_trypsin()};
    build(&b);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        check_torsion(&b, expected[i].residue, expected[i].hydrogen, expected[i].path, expected[i].torsion);
    clear(&b);
}

static bool drops_before_proline(const qn_molecule *m, const qn_atom *atom)
{
    for (int r = 0; r <= atom->residue; r++)
        if (strcmp(m->residues[r].name, "PRO") == 0) return false;
    return true;
}

static bool drops_proline_ring(const qn_molecule *m, const qn_atom *atom)
{
    return drops_before_proline(m, atom) || strcmp(atom->name, "CD") == 0;
}

/* First residue that has atoms. */
static size_t first_residue(const qn_molecule *m)
{
    return (size_t)m->atoms[0].residue;
}

static void amino_ends_get_three_hydrogens_and_proline_two(void)
{
    static const double torsions[3] = {180, 60, -60};
    static const char names[3][4] = {"H1", "H2", "H3"};
    built_molecule b = {.molecule = read_trypsin()}; /* starts with ILE 16 */
    build(&b);
    const qn_atom *n = atom_named(b.molecule, 0, "N"), *ca = atom_named(b.molecule, 0, "CA"),
                  *c = atom_named(b.molecule, 0, "C");
    CHECK(residue_hydrogens(&b, 0) == 3);
    for (int i = 0; i < 3; i++) {
        const qn_built_hydrogen *h = hydrogen_named(&b, 0, names[i]);
        if (!CHECK(h != NULL)) continue;
        CHECK_NEAR(h->charge_e, 0.35, 1e-6);
        double torsion =
            torsion_degrees(h->position_angstrom, n->position_angstrom, ca->position_angstrom, c->position_angstrom);
        CHECK_NEAR(cos((torsion - torsions[i]) * DEGREE), 1, 1e-9);
    }
    CHECK_NEAR(b.parameters[n - b.molecule->atoms].charge_e, -0.35, 1e-6);
    CHECK_NEAR(b.parameters[ca - b.molecule->atoms].charge_e, 0.25, 1e-6);
    CHECK_NEAR(residue_charge(&b, 0), 1, 1e-3);

    built_molecule proline = {.molecule = copy_molecule(b.molecule, NULL, 0, drops_before_proline)};
    size_t first = first_residue(proline.molecule);
    for (size_t r = first; r < proline.molecule->residue_count; r++) strcpy(proline.molecule->residues[r].chain, "Z");
    build(&proline);
    CHECK(residue_hydrogens(&proline, first) == 2);
    CHECK_NEAR(residue_charge(&proline, first), 1, 1e-3);
    check_geometry(&proline);
    clear(&proline);

    proline.molecule = copy_molecule(b.molecule, NULL, 0, drops_proline_ring);
    for (size_t r = first; r < proline.molecule->residue_count; r++) strcpy(proline.molecule->residues[r].chain, "Z");
    build(&proline);
    CHECK(residue_hydrogens(&proline, first) == 0); /* without CD the plane is unknown, and the charge stays on N */
    CHECK_NEAR(proline.parameters[0].charge_e, 0.75, 1e-6);
    clear(&proline);
    clear(&b);
}

static void hydrogens_rotate_with_the_molecule(void)
{
    const double translation[3] = {11, -23, 5};
    double rotation[9];
    built_molecule a = {.molecule = read_trypsin()}, b = {.molecule = read_trypsin()};
    qn_rotation_from_seed(7, rotation);
    qn_molecule_transform(b.molecule, rotation, translation);
    build(&a);
    build(&b);
    CHECK(a.count == b.count);
    for (size_t i = 0; i < a.count && i < b.count; i++) {
        double expected[3];
        qn_rotation_apply(rotation, a.hydrogens[i].position_angstrom, expected);
        for (int axis = 0; axis < 3; axis++) expected[axis] += translation[axis];
        /* rounding: 1e-16 of coordinates of 100 Å, a few times more for short cross products */
        CHECK_NEAR(distance(expected, b.hydrogens[i].position_angstrom), 0, 1e-10);
    }
    clear(&a);
    clear(&b);
}

static bool drops_side_chain(const qn_molecule *m, const qn_atom *atom)
{
    (void)m;
    return strcmp(atom->name, "N") != 0 && strcmp(atom->name, "CA") != 0 && strcmp(atom->name, "C") != 0 &&
           strcmp(atom->name, "O") != 0 && strcmp(atom->name, "CB") != 0;
}

/* Drop an atom that determines the position of hydrogens, but not their parent. */
static bool drops_reference(const qn_molecule *m, const qn_atom *atom)
{
    return strcmp(m->residues[atom->residue].name, "LYS") == 0 && strcmp(atom->name, "CD") == 0;
}

static bool drops_carbonyl(const qn_molecule *m, const qn_atom *atom)
{
    (void)m;
    return strcmp(atom->name, "C") == 0;
}

static void missing_atoms_get_no_hydrogens(void)
{
    qn_molecule *whole = read_trypsin();
    built_molecule b = {.molecule = copy_molecule(whole, NULL, 0, drops_side_chain)};
    build(&b);
    for (size_t i = 0; i < b.count; i++) CHECK_TEXT(b.molecule->atoms[b.hydrogens[i].parent].name, "N");
    /* prolines lost the 0.1 e of CD with the rest of the ring */
    for (size_t r = 1; r + 1 < b.molecule->residue_count; r++)
        if (strcmp(b.molecule->residues[r].name, "ALA") == 0) CHECK_NEAR(residue_charge(&b, r), 0, 1e-3);
    clear(&b);

    b.molecule = copy_molecule(whole, NULL, 0, drops_reference);
    build(&b);
    for (size_t i = 0; i < b.molecule->atom_count; i++)
        if (strcmp(b.molecule->atoms[i].name, "NZ") == 0) CHECK_NEAR(b.parameters[i].charge_e, -0.30 + 3 * 0.35, 1e-6);
    for (size_t i = 0; i < b.count; i++) CHECK(strncmp(b.hydrogens[i].name, "HZ", 2) != 0);
    clear(&b);

    b.molecule = copy_molecule(whole, NULL, 0, drops_carbonyl);
    build(&b);
    for (size_t i = 0; i < b.count; i++) CHECK(strcmp(b.hydrogens[i].name, "H") != 0);
    for (size_t r = 1; r < b.molecule->residue_count; r++) {
        const qn_atom *n = atom_named(b.molecule, r, "N");
        bool proline = strcmp(b.molecule->residues[r].name, "PRO") == 0;
        CHECK_NEAR(b.parameters[n - b.molecule->atoms].charge_e, proline ? -0.25 : -0.15, 1e-6);
    }
    clear(&b);
    qn_molecule_destroy(&whole);
}

/* The previous residue is present but not bonded, so the plane of the hydrogen is unknown. */
static void a_gap_in_the_chain_builds_no_amide_hydrogen(void)
{
    built_molecule b = {.molecule = read_trypsin()};
    for (size_t i = 0; i < b.molecule->atom_count; i++)
        if (b.molecule->atoms[i].residue >= 100) b.molecule->atoms[i].position_angstrom[0] += 4;
    build(&b);
    CHECK(hydrogen_named(&b, 99, "H") && !hydrogen_named(&b, 100, "H") && hydrogen_named(&b, 101, "H"));
    CHECK_NEAR(residue_charge(&b, 100), amino_acids[amino_acid(b.molecule->residues[100].name)].charge, 1e-3);
    clear(&b);
}

static bool drops_one_of_each_group(const qn_molecule *m, const qn_atom *atom)
{
    (void)m;
    return strcmp(atom->name, "HZ2") == 0 || strcmp(atom->name, "H2") == 0 || strcmp(atom->name, "HH12") == 0;
}

/* Turn the hydrogens of each lysine's NH3+ by 40° about CE – NZ (Rodrigues' formula). */
static void turn_lysines(built_molecule *b)
{
    for (size_t i = 0; i < b->count; i++) {
        qn_built_hydrogen *h = &b->hydrogens[i];
        if (strncmp(h->name, "HZ", 2) != 0) continue;
        const double *nz = b->molecule->atoms[h->parent].position_angstrom,
                     *ce = atom_named(b->molecule, (size_t)b->molecule->atoms[h->parent].residue, "CE")
                               ->position_angstrom;
        double axis[3], arm[3], side[3], length = distance(nz, ce), cosine = cos(40 * DEGREE), sine = sin(40 * DEGREE);
        subtract(nz, ce, axis);
        for (int k = 0; k < 3; k++) axis[k] /= length;
        subtract(h->position_angstrom, nz, arm);
        cross(axis, arm, side);
        double along = dot(axis, arm);
        for (int k = 0; k < 3; k++)
            h->position_angstrom[k] = nz[k] + cosine * arm[k] + sine * side[k] + (1 - cosine) * along * axis[k];
    }
}

static void hydrogens_of_the_file_are_used_as_they_are(void)
{
    built_molecule bare = {.molecule = read_trypsin()}, full = {0};
    build(&bare);
    turn_lysines(&bare);
    full.molecule = copy_molecule(bare.molecule, bare.hydrogens, bare.count, NULL);
    build(&full);
    CHECK(full.count == 0 && full.hydrogens == NULL);
    CHECK_NEAR(full.summary.net_charge_e, bare.summary.net_charge_e, 1e-6);
    CHECK(full.summary.heavy_atoms == bare.summary.heavy_atoms);
    for (size_t r = 0; r < bare.molecule->residue_count; r++)
        CHECK_NEAR(residue_charge(&full, r), residue_charge(&bare, r), 1e-6);
    clear(&full);

    /* One hydrogen of each group is missing: only this one is built, at the free position. */
    full.molecule = copy_molecule(bare.molecule, bare.hydrogens, bare.count, drops_one_of_each_group);
    build(&full);
    CHECK_NEAR(full.summary.net_charge_e, bare.summary.net_charge_e, 1e-6);
    CHECK(full.count == bare.molecule->atom_count + bare.count - full.molecule->atom_count && full.count > 10);
    for (size_t i = 0; i < full.count; i++) {
        const qn_built_hydrogen *h = &full.hydrogens[i], *before;
        before = hydrogen_named(&bare, (size_t)full.molecule->atoms[h->parent].residue, h->name);
        if (CHECK(before != NULL)) CHECK_NEAR(distance(before->position_angstrom, h->position_angstrom), 0, 1e-6);
    }
    clear(&full);
    clear(&bare);
}

static void hydrogens_of_the_file_determine_the_tautomer_of_histidine(void)
{
    built_molecule named = {.molecule = read_trypsin()}, by_hydrogen = {0};
    for (size_t r = 0; r < named.molecule->residue_count; r++)
        if (strcmp(named.molecule->residues[r].name, "HIS") == 0) strcpy(named.molecule->residues[r].name, "HIE");
    build(&named);
    by_hydrogen.molecule = copy_molecule(named.molecule, named.hydrogens, named.count, NULL);
    size_t met = 0;
    for (size_t r = 0; r < named.molecule->residue_count; r++)
        if (strcmp(named.molecule->residues[r].name, "HIE") == 0)
            met++, strcpy(by_hydrogen.molecule->residues[r].name, "HIS");
    build(&by_hydrogen);
    CHECK(met == 3 && by_hydrogen.count == 0);
    CHECK_NEAR(by_hydrogen.summary.net_charge_e, named.summary.net_charge_e, 1e-6);
    clear(&by_hydrogen);
    clear(&named);
}

/* Names of the same hydrogens in other programs, deuterium among them. */
static void other_spellings_of_hydrogens_are_understood(void)
{
    static const char *const spellings[][2] = {{"H", "HN"},      {"HZ1", "1HZ"}, {"HZ2", "DZ2"}, {"HD21", "1HD2"},
                                               {"HH12", "2HH1"}, {"HD", "HD2"},  {"HE", "HE2"},  {"HG", "DG"},
                                               {"H1", "HT1"},    {"H2", "2HT"},  {"H3", "3H"}};
    built_molecule bare = {.molecule = read_trypsin()}, full = {0};
    for (size_t r = 0; r < bare.molecule->residue_count; r++) {
        char *name = bare.molecule->residues[r].name;
        if (strcmp(name, "ASP") == 0) strcpy(name, "ASH");
        if (strcmp(name, "GLU") == 0) strcpy(name, "GLH");
    }
    build(&bare);
    full.molecule = copy_molecule(bare.molecule, bare.hydrogens, bare.count, NULL);
    for (size_t i = 0; i < full.molecule->atom_count; i++) {
        qn_atom *atom = &full.molecule->atoms[i];
        const char *residue = full.molecule->residues[atom->residue].name;
        for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++) {
            if (atom->element[0] != 'H' || strcmp(atom->name, spellings[k][0]) != 0) continue;
            if (strcmp(spellings[k][0], "HE") == 0 && strcmp(residue, "GLH") != 0) continue; /* keep HE of arginine */
            strcpy(atom->name, spellings[k][1]);
            if (atom->name[0] == 'D') atom->element[0] = 'D';
            break;
        }
    }
    build(&full);
    CHECK(full.count == 0);
    for (size_t i = 0; i < full.molecule->atom_count; i++)
        if (!full.parameters[i].heavy &&
            !CHECK(full.parameters[i].charge_e > 0.2)) /* 0 if the name is not in the table */
            printf("%s\n", full.molecule->atoms[i].name);
    for (size_t r = 0; r < bare.molecule->residue_count; r++)
        CHECK_NEAR(residue_charge(&full, r), residue_charge(&bare, r), 1e-6);
    clear(&full);
    clear(&bare);
}

/* The atom at `length` from c, at `angle` about c from b and at `torsion` a – b – c – new. */
static void next_atom(const double a[3], const double b[3], const double c[3], double length, double angle,
                      double torsion, double result[3])
{
    double ab[3], bc[3], n[3], m[3];
    subtract(b, a, ab);
    subtract(c, b, bc);
    cross(ab, bc, n);
    cross(n, bc, m);
    double bc_length = sqrt(dot(bc, bc)), n_length = sqrt(dot(n, n)), m_length = sqrt(dot(m, m));
    for (int i = 0; i < 3; i++)
        result[i] = c[i] + length * (-cos(angle * DEGREE) * bc[i] / bc_length +
                                     sin(angle * DEGREE) * (cos(torsion * DEGREE) * m[i] / m_length +
                                                            sin(torsion * DEGREE) * n[i] / n_length));
}

static double *add_atom(qn_molecule *m, const char *name, double x, double y, double z)
{
    qn_atom atom = {.occupancy = 1, .position_angstrom = {x, y, z}};
    strcpy(atom.name, name);
    atom.element[0] = name[0] == 'O' && name[1] == 'P' ? 'O' : name[0];
    CHECK_OK(qn_molecule_append_atom(m, &atom));
    return m->atoms[m->atom_count - 1].position_angstrom;
}

/* Add an atom at `radius` from the centre (x, 0), at `degrees` from the x axis. */
static void add_round(qn_molecule *m, const char *name, double x, double radius, double degrees)
{
    add_atom(m, name, x + radius * cos(degrees * DEGREE), radius * sin(degrees * DEGREE), 0);
}

/* Add a base in the plane z = 0. The six-membered ring is a regular hexagon around (0, 0) with exocyclic atoms 1.30 Å
 * outward; the five-membered ring of purines is a regular pentagon on the side C4 – C5. */
static void add_base(qn_molecule *m, char base)
{
    static const char ring[6][4] = {"C4", "C5", "C6", "N1", "C2", "N3"}; /* from −30° on by 60° */
    static const double side = 1.39;
    static const struct {
        char base;
        const char *name;
        int place;
    } outside[] = {{'A', "N6", 2}, {'C', "O2", 4}, {'C', "N4", 0}, {'G', "N2", 4},
                   {'G', "O6", 2}, {'U', "O2", 4}, {'U', "O4", 0}};
    for (int i = 0; i < 6; i++) add_round(m, ring[i], 0, side, -30 + 60 * i);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        if (outside[i].base == base) add_round(m, outside[i].name, 0, side + 1.30, -30 + 60 * outside[i].place);
    if (base != 'A' && base != 'G') return;
    double inner = side / (2 * tan(36 * DEGREE)), radius = side / (2 * sin(36 * DEGREE));
    double x = side * cos(30 * DEGREE) + inner; /* pentagon's centre; its vertices at 180° ± 36° are C5, C4 */
    add_round(m, "N7", x, radius, 72);
    add_round(m, "C8", x, radius, 0);
    add_round(m, "N9", x, radius, -72);
}

/* Add a nucleotide with typical torsions of a ribose, shifted by `shift` Å along z. */
static void add_nucleotide(qn_molecule *m, char base, bool deoxy, bool phosphate, double shift)
{
    enum { ATOMS = 12 };
    static const struct {
        const char *name;
        int from[3]; /* indices: 0 … 2 are two base atoms and C1' */
        double length, angle, torsion;
    } steps[] = {
        {"C2'", {0, 1, 2}, 1.53, 113, 60},   {"O4'", {0, 1, 2}, 1.41, 108, -60},  {"C3'", {4, 2, 3}, 1.53, 102, 25},
        {"C4'", {2, 3, 5}, 1.53, 102, -35},  {"O3'", {2, 3, 5}, 1.42, 111, -155}, {"O2'", {4, 2, 3}, 1.41, 111, -95},
        {"C5'", {3, 5, 6}, 1.51, 115, 155},  {"O5'", {5, 6, 9}, 1.42, 110, 55},   {"P", {6, 9, 10}, 1.60, 120, 180},
        {"OP1", {9, 10, 11}, 1.48, 110, 60}, {"OP2", {9, 10, 11}, 1.48, 110, -60}};
    double at[ATOMS + 2][3];
    bool purine = base == 'A' || base == 'G';
    size_t residue = m->residue_count;
    qn_residue of = {.number = (int)residue + 1, .chain = "R"};
    snprintf(of.name, sizeof of.name, "%s%c", deoxy ? "D" : "", base);
    CHECK_OK(qn_molecule_append_residue(m, &of));
    add_base(m, base);
    memcpy(at[0], atom_named(m, residue, purine ? "C8" : "C6")->position_angstrom, sizeof at[0]);
    memcpy(at[1], atom_named(m, residue, purine ? "N9" : "N1")->position_angstrom, sizeof at[1]);
    const double *other = atom_named(m, residue, purine ? "C4" : "C2")->position_angstrom;
    next_atom(other, at[0], at[1], 1.47, 126, 180, at[2]);
    add_atom(m, "C1'", at[2][0], at[2][1], at[2][2]);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const int *from = steps[i].from;
        next_atom(at[from[0]], at[from[1]], at[from[2]], steps[i].length, steps[i].angle, steps[i].torsion, at[3 + i]);
        bool of_phosphate = strchr(steps[i].name, 'P') != NULL;
        if ((of_phosphate && !phosphate) || (deoxy && strcmp(steps[i].name, "O2'") == 0)) continue;
        add_atom(m, steps[i].name, at[3 + i][0], at[3 + i][1], at[3 + i][2]);
    }
    for (size_t i = m->residues[residue].first_atom; i < m->atom_count; i++) m->atoms[i].position_angstrom[2] += shift;
}

/* Hydrogens of each base, first the hydrogen beside `near`. */
static const struct {
    char base;
    size_t count;
    const char *hydrogens[3], *near, *far;
} bases[] = {{'A', 2, {"H61", "H62"}, "N1", "C5"},
             {'C', 2, {"H41", "H42"}, "N3", "C5"},
             {'G', 3, {"H21", "H22", "H1"}, "N1", "N3"},
             {'U', 1, {"H3"}, NULL, NULL}};

static void nucleotides_get_their_hydrogens(void)
{
    for (size_t k = 0; k < sizeof bases / sizeof bases[0]; k++)
        for (int deoxy = 0; deoxy < 2; deoxy++) {
            built_molecule b = {0}, full = {0};
            CHECK_OK(qn_molecule_create("strand", &b.molecule));
            for (int i = 0; i < 3; i++) add_nucleotide(b.molecule, bases[k].base, deoxy, i > 0, 30 * i);
            build(&b);
            check_geometry(&b);
            size_t expected = bases[k].count + !deoxy;
            CHECK(residue_hydrogens(&b, 0) == expected + 1 && hydrogen_named(&b, 0, "H5T"));
            CHECK(residue_hydrogens(&b, 1) == expected && (hydrogen_named(&b, 1, "H2'") != NULL) == !deoxy);
            CHECK(residue_hydrogens(&b, 2) == expected + 1 && hydrogen_named(&b, 2, "H3T"));
            CHECK_NEAR(residue_charge(&b, 1), -1, 1e-3);
            CHECK_NEAR(b.summary.net_charge_e, -2, 1e-3); /* two phosphates */
            for (size_t i = 0; i < bases[k].count; i++) {
                const qn_built_hydrogen *h = hydrogen_named(&b, 1, bases[k].hydrogens[i]);
                if (CHECK(h != NULL)) CHECK_NEAR(h->position_angstrom[2], 30, 1e-9); /* in the base's plane */
            }
            if (bases[k].near) {
                const double *h = hydrogen_named(&b, 1, bases[k].hydrogens[0])->position_angstrom;
                CHECK(distance(h, atom_named(b.molecule, 1, bases[k].near)->position_angstrom) <
                      distance(h, atom_named(b.molecule, 1, bases[k].far)->position_angstrom));
            }
            full.molecule = copy_molecule(b.molecule, b.hydrogens, b.count, NULL);
            build(&full);
            CHECK(full.count == 0);
            CHECK_NEAR(full.summary.net_charge_e, b.summary.net_charge_e, 1e-6);
            clear(&full);
            clear(&b);
        }
}

/* Current files have HO2' on the hydroxyl and H2' on the carbon; in the table H2' is on the hydroxyl. */
static void names_of_ribose_hydrogens_are_distinguished(void)
{
    built_molecule b = {0};
    double carbon_hydrogen[3];
    CHECK_OK(qn_molecule_create("strand", &b.molecule));
    add_nucleotide(b.molecule, 'U', false, false, 0);
    const double *c = atom_named(b.molecule, 0, "C2'")->position_angstrom;
    next_atom(atom_named(b.molecule, 0, "C4'")->position_angstrom, atom_named(b.molecule, 0, "C3'")->position_angstrom,
              c, 1.09, 110, -155, carbon_hydrogen);
    add_atom(b.molecule, "H2'", carbon_hydrogen[0], carbon_hydrogen[1], carbon_hydrogen[2]);
    build(&b);
    const qn_built_hydrogen *hydroxyl = hydrogen_named(&b, 0, "H2'");
    CHECK_NEAR(b.parameters[b.molecule->atom_count - 1].charge_e, 0.09, 1e-6);
    if (CHECK(hydroxyl != NULL)) {
        CHECK_TEXT(b.molecule->atoms[hydroxyl->parent].name, "O2'");
        double net = b.summary.net_charge_e, at[3];
        memcpy(at, hydroxyl->position_angstrom, sizeof at);
        add_atom(b.molecule, "HO2'", at[0], at[1], at[2]);
        qn_release(&b.parameters);
        qn_release(&b.hydrogens);
        build(&b);
        CHECK(!hydrogen_named(&b, 0, "H2'"));
        CHECK_NEAR(b.parameters[b.molecule->atom_count - 1].charge_e, 0.43, 1e-6);
        CHECK_NEAR(b.summary.net_charge_e, net, 1e-6);
    }
    clear(&b);
}

/* Count residues with missing atoms, without cofactors. */
static size_t truncated_residues(const qn_molecule *m)
{
    size_t count = 0;
    for (size_t r = 0; r < m->residue_count; r++) {
        int kind = amino_acid(m->residues[r].name);
        if (kind < 0) continue;
        count += m->residues[r].atom_count < amino_acids[kind].heavy + (atom_named(m, r, "OXT") != NULL);
    }
    return count;
}

static void check_reference_file(const char *path)
{
    built_molecule b = {0};
    qn_parameters_summary plain;
    qn_atom_parameters *parameters;
    qn_molecule_options options = {.size = sizeof options, .drop_water = true};
    if (!CHECK_OK(qn_molecule_read(NULL, path, &options, &b.molecule))) return;
    build(&b);
    CHECK_OK(qn_atom_parameters_assign(b.molecule, &parameters, NULL, NULL, &plain));
    CHECK_NEAR(b.summary.net_charge_e, plain.net_charge_e, 1e-6);
    qn_release(&parameters);
    CHECK(b.count > b.molecule->residue_count);
    double net = b.summary.net_charge_e;
    for (size_t r = 0; r < b.molecule->residue_count; r++) /* the published charges of nucleotide cofactors are −3.35 */
        if (amino_acid(b.molecule->residues[r].name) < 0) net -= residue_charge(&b, r);
    size_t truncated = truncated_residues(b.molecule);
    if (truncated == 0 && !CHECK_NEAR(net, round(net), 1e-3)) printf("%s\n", path);
    if (truncated) printf("%s: %zu truncated residues, net charge %.3f e\n", path, truncated, net);
    clear(&b);
}

static void reference_complexes_have_whole_charges(void)
{
    static const char names[][5] = {"1AHW", "1AVX", "1BJ1", "1CGI", "1E96", "1GCQ", "1PPE", "1VFB", "1WQ1", "7CEI"};
    CHECK(1); /* for machines without the reference files */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int ligand = 0; ligand < 2; ligand++) {
            char name[80];
            snprintf(name, sizeof name, "docking/bm5/%s/%s_%c_u.pdb", names[i], names[i], ligand ? 'l' : 'r');
            const char *path = check_reference_data(name);
            if (!path) return;
            check_reference_file(path);
        }
}

int main(void)
{
    RUN(every_amino_acid_sums_to_its_formal_charge);
    RUN(built_hydrogens_have_ideal_geometry);
    RUN(rotatable_groups_are_staggered_and_planar_groups_planar);
    RUN(amino_ends_get_three_hydrogens_and_proline_two);
    RUN(hydrogens_rotate_with_the_molecule);
    RUN(missing_atoms_get_no_hydrogens);
    RUN(a_gap_in_the_chain_builds_no_amide_hydrogen);
    RUN(hydrogens_of_the_file_are_used_as_they_are);
    RUN(hydrogens_of_the_file_determine_the_tautomer_of_histidine);
    RUN(other_spellings_of_hydrogens_are_understood);
    RUN(nucleotides_get_their_hydrogens);
    RUN(names_of_ribose_hydrogens_are_distinguished);
    RUN(reference_complexes_have_whole_charges);
    return check_finish();
}

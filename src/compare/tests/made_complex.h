/* Helices of artificial sequence, packed side by side: small complexes of known quality, which need no files. */
#ifndef QN_COMPARE_TESTS_MADE_COMPLEX_H
#define QN_COMPARE_TESTS_MADE_COMPLEX_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <quern/molecule.h>

enum { MADE_RESIDUES = 400, MADE_ATOMS = 4000 };

/* A molecule with its own memory, so that these tests need no reader. */
typedef struct made_molecule {
    qn_molecule molecule;
    qn_residue residues[MADE_RESIDUES];
    qn_atom atoms[MADE_ATOMS];
} made_molecule;

static inline void made_start(made_molecule *made)
{
    memset(made, 0, sizeof *made);
    made->molecule = (qn_molecule){.residues = made->residues, .atoms = made->atoms, .name = (char *)"made"};
}

static inline void made_atom(made_molecule *made, const char *name, const char *element, double x, double y, double z)
{
    qn_atom *atom = &made->atoms[made->molecule.atom_count++];
    qn_residue *residue = &made->residues[made->molecule.residue_count - 1];
    *atom = (qn_atom){.position_angstrom = {x, y, z}, .residue = (int)made->molecule.residue_count - 1};
    strcpy(atom->name, name);
    strcpy(atom->element, element);
    residue->atom_count++;
}

static inline void made_residue(made_molecule *made, const char *chain, int number, const char *name)
{
    qn_residue *residue = &made->residues[made->molecule.residue_count++];
    *residue = (qn_residue){.first_atom = made->molecule.atom_count, .number = number};
    strcpy(residue->chain, chain);
    strcpy(residue->name, name);
}

static inline unsigned made_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 10;
}

static inline void made_on_helix(made_molecule *made, const char *name, const char *element, double radius,
                                 double degrees, double z, const double at[2])
{
    double angle = degrees * 3.14159265358979323846 / 180;
    made_atom(made, name, element, at[0] + radius * cos(angle), at[1] + radius * sin(angle), z);
}

/* Add `count` residues of an α-helix along z (100° and 1.5 Å per residue) about the axis through at[]; the sequence
 * depends on `seed`. Consecutive C and N are 1.3 to 1.5 Å apart, as in a real chain. */
static inline void made_helix(made_molecule *made, const char *chain, int first_number, int count, unsigned seed,
                              const double at[2])
{
    static const char *const names[] = {"ALA", "SER", "LEU", "GLU", "LYS", "VAL", "THR", "ASP", "ARG", "ILE"};
    for (int i = 0; i < count; i++) {
        double turn = 100.0 * i, z = 1.5 * i;
        made_residue(made, chain, first_number + i, names[made_random(&seed) % 10]);
        made_on_helix(made, "N", "N", 1.55, turn - 28, z - 0.9, at);
        made_on_helix(made, "CA", "C", 2.3, turn, z, at);
        made_on_helix(made, "C", "C", 1.65, turn + 27, z + 1.1, at);
        made_on_helix(made, "O", "O", 1.95, turn + 21, z + 2.3, at);
        made_on_helix(made, "CB", "C", 3.3, turn - 20, z - 0.4, at);
        made_on_helix(made, "CG", "C", 4.5 + 0.1 * (made_random(&seed) % 10), turn - 20, z - 0.8, at);
    }
}

/* Make the receptor: helices A and B. */
static inline void made_receptor(made_molecule *made)
{
    made_start(made);
    made_helix(made, "A", 1, 40, 11, (const double[2]){0, 0});
    made_helix(made, "B", 1, 40, 12, (const double[2]){0, 9.5});
}

/* Make the ligand: helix C beside helix A. */
static inline void made_ligand(made_molecule *made)
{
    made_start(made);
    made_helix(made, "C", 5, 24, 13, (const double[2]){9.5, 0});
}

static inline void made_rotation(double x, double y, double z, double angle, double r[9])
{
    double length = sqrt(x * x + y * y + z * z), c = cos(angle), s = sin(angle), d = 1 - c;
    x /= length, y /= length, z /= length;
    const double m[9] = {c + x * x * d,     x * y * d - z * s, x * z * d + y * s, y * x * d + z * s, c + y * y * d,
                         y * z * d - x * s, z * x * d - y * s, z * y * d + x * s, c + z * z * d};
    memcpy(r, m, sizeof m);
}

static inline void made_move(made_molecule *made, const double r[9], double x, double y, double z)
{
    for (size_t i = 0; i < made->molecule.atom_count; i++) {
        double *p = made->atoms[i].position_angstrom;
        const double moved[3] = {r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + x,
                                 r[3] * p[0] + r[4] * p[1] + r[5] * p[2] + y,
                                 r[6] * p[0] + r[7] * p[1] + r[8] * p[2] + z};
        memcpy(p, moved, sizeof moved);
    }
}

static inline void made_copy(const made_molecule *from, made_molecule *to)
{
    *to = *from;
    to->molecule.residues = to->residues;
    to->molecule.atoms = to->atoms;
}

/* Remove residue `index` with its atoms. */
static inline void made_remove(made_molecule *made, size_t index)
{
    qn_residue gone = made->residues[index];
    memmove(made->atoms + gone.first_atom, made->atoms + gone.first_atom + gone.atom_count,
            (made->molecule.atom_count - gone.first_atom - gone.atom_count) * sizeof(qn_atom));
    memmove(made->residues + index, made->residues + index + 1,
            (made->molecule.residue_count - index - 1) * sizeof(qn_residue));
    made->molecule.atom_count -= gone.atom_count;
    made->molecule.residue_count--;
    for (size_t i = index; i < made->molecule.residue_count; i++) made->residues[i].first_atom -= gone.atom_count;
}

#endif

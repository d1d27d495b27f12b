/* A small receptor with side chains that may turn, for tests. */
#ifndef QN_FLEXIBLE_TESTS_RESIDUES_H
#define QN_FLEXIBLE_TESTS_RESIDUES_H

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "flexible/sides.h"

/* The backbone, then the atoms of the side chain by pieces. */
static qn_status add_residue(qn_molecule *molecule, const char *name, int number, const char *side_chain)
{
    char names[100];
    qn_residue residue = {.number = number, .chain = "A"};
    snprintf(residue.name, sizeof residue.name, "%s", name);
    snprintf(names, sizeof names, "N C O CA %s", side_chain);
    qn_status status = qn_molecule_append_residue(molecule, &residue);
    int i = 0;
    for (char *at = names; *at && status == QN_OK; i++) {
        const size_t length = strcspn(at, " |/");
        qn_atom atom = {.residue = number - 1};
        snprintf(atom.name, sizeof atom.name, "%.*s", (int)length, at);
        snprintf(atom.element, sizeof atom.element, "%c", at[0]);
        /* a zigzag of bonds of 1.5 Å, each fourth atom out of its plane; residues 7 Å apart */
        atom.position_angstrom[0] = 7 * (number % 3) - 7 + (i % 2 ? 0.4 : -0.4);
        atom.position_angstrom[1] = 7.0 * (number / 3) - 7 + (i % 4 == 3 ? 0.3 : -0.3);
        atom.position_angstrom[2] = 1.25 * i - 7;
        status = qn_molecule_append_atom(molecule, &atom);
        at += length + (at[length] == '/' ? strcspn(at + length, " |") : 0);
        at += strspn(at, " |");
    }
    return status;
}

/* A receptor of one residue of each name, with types that go round. */
__attribute__((unused)) static qn_status residues_make(const char *const *names, int count, qn_score_receptor *receptor)
{
    *receptor = (qn_score_receptor){.score = {.kind = QN_SCORE_VINA}};
    QN_TRY(qn_molecule_create("made", &receptor->molecule));
    for (int r = 0; r < count; r++) {
        const char *pieces = qn_flexible_side_pieces(names[r]);
        QN_TRY(add_residue(receptor->molecule, names[r], r + 1, pieces ? pieces : "CB"));
    }
    receptor->atom_count = receptor->molecule->atom_count;
    QN_TRY(qn_allocate(3 * receptor->atom_count, sizeof(double), (void **)&receptor->positions_angstrom));
    QN_TRY(qn_allocate(receptor->atom_count, sizeof(int), (void **)&receptor->types));
    QN_TRY(qn_allocate(receptor->atom_count, sizeof(int), (void **)&receptor->residues));
    for (size_t i = 0; i < receptor->atom_count; i++) {
        const qn_atom *atom = &receptor->molecule->atoms[i];
        receptor->types[i] = (int)(i % 7);
        receptor->residues[i] = atom->residue;
        memcpy(receptor->positions_angstrom + 3 * i, atom->position_angstrom, 3 * sizeof(double));
    }
    return QN_OK;
}

__attribute__((unused)) static const char *const nine_residues[] = {"ARG", "LEU", "TRP", "ILE", "MET",
                                                                    "VAL", "ALA", "PHE", "LYS"};
__attribute__((unused)) static const char eight_sides[] = "A:ARG1,A:2,A:TRP3,A:4,A:5,A:VAL6,A:8,A:LYS9";

#endif

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/scene.h"

enum { LABEL = 32 };

qn_status qn_scene_filled_create(const char *name, size_t residues, size_t atoms, qn_scene_filled *filled)
{
    void *memory;
    *filled = (qn_scene_filled){{.name = name}, NULL, NULL, NULL, NULL};
    QN_TRY(qn_allocate(3 * atoms, sizeof(double), &memory));
    filled->places = memory;
    QN_TRY(qn_allocate(atoms, 1, &memory));
    filled->elements = memory;
    QN_TRY(qn_allocate(residues, LABEL, &memory));
    filled->labels = memory;
    QN_TRY(qn_allocate(residues, sizeof *filled->residues, &memory));
    filled->residues = memory;
    filled->body.places = filled->places;
    filled->body.elements = filled->elements;
    filled->body.residues = filled->residues;
    return QN_OK;
}

void qn_scene_filled_clear(qn_scene_filled *filled)
{
    qn_release(&filled->places);
    qn_release(&filled->elements);
    qn_release(&filled->labels);
    qn_release(&filled->residues);
}

void qn_scene_filled_residue(qn_scene_filled *filled, const char *chain, const char *name, int number, char insertion)
{
    const size_t index = filled->body.residue_count++;
    char *label = filled->labels + LABEL * index;
    snprintf(label, LABEL, "%s %s %d%.1s", chain, name, number, &insertion);
    filled->residues[index] = (qn_scene_residue){label, 0, SIZE_MAX};
}

void qn_scene_filled_atom(qn_scene_filled *filled, const double place[3], const char *element, bool traced)
{
    qn_scene_residue *residue = &filled->residues[filled->body.residue_count - 1];
    const size_t index = filled->body.atom_count++;
    if (traced && residue->trace == SIZE_MAX) residue->trace = residue->atom_count;
    memcpy(filled->places + 3 * index, place, 3 * sizeof(double));
    filled->elements[index] = qn_scene_letter(element);
    residue->atom_count++;
}

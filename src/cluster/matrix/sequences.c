/* The sequences of models of different length, which have one selected atom of each residue. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cluster/matrix/models.h"

static qn_status refuse_residue(const qn_model_set *set, const qn_topology_residue *residue)
{
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "%s: --align needs one atom of each residue, but several atoms of %s %d are selected; expected a "
                   "selection such as \"name CA\"",
                   set->origins[0].path, residue->name, residue->number);
}

/* The names of the residues that the selected atoms belong to. */
static qn_status read_sequence(const qn_topology *topology, const qn_model_set *set, qn_structure_sequence *sequence)
{
    void *memory;
    QN_TRY(qn_allocate(set->atom_count, sizeof *sequence->names, &memory));
    sequence->names = memory;
    sequence->length = set->atom_count;
    for (size_t i = 0; i < set->atom_count; i++) {
        const uint32_t number = topology->atoms[set->atoms[i]].residue;
        const qn_topology_residue *residue = &topology->residues[number];
        if (i > 0 && topology->atoms[set->atoms[i - 1]].residue == number) return refuse_residue(set, residue);
        memcpy(sequence->names[i], residue->name, sizeof sequence->names[i] - 1);
    }
    return QN_OK;
}

/* The number of the sequence of a set, which is appended if it is new. */
static qn_status number_sequence(const qn_topology *topology, const qn_model_set *set, qn_models *models,
                                 uint32_t *number)
{
    qn_structure_sequence *items = models->sequence_items, *last = &items[models->sequences.count];
    QN_TRY(read_sequence(topology, set, last));
    size_t i = 0;
    while (items[i].length != last->length || memcmp(items[i].names, last->names, last->length * 8) != 0) i++;
    *number = (uint32_t)i;
    if (&items[i] == last)
        models->sequences.count++;
    else
        qn_release(&last->names);
    return QN_OK;
}

qn_status qn_models_find_sequences(const qn_structure_input *input, const qn_model_set *sets, size_t set_count,
                                   qn_models *models)
{
    void *memory;
    QN_TRY(qn_allocate(set_count, sizeof *models->sequence_items, &memory));
    models->sequence_items = memory;
    models->sequence_room = set_count;
    QN_TRY(qn_allocate(models->structures.count, sizeof *models->sequence_numbers, &memory));
    models->sequence_numbers = memory;
    for (size_t s = 0, place = 0; s < set_count; s++) {
        uint32_t number;
        if (sets[s].count == 0) continue;
        const qn_topology *topology = sets[s].own_topology ? sets[s].own_topology : input->topology;
        QN_TRY(number_sequence(topology, &sets[s], models, &number));
        for (size_t i = 0; i < sets[s].count; i++) models->sequence_numbers[place++] = number;
    }
    models->sequences.items = models->sequence_items;
    models->sequences.of_structure = models->sequence_numbers;
    models->structures.sequences = &models->sequences;
    return QN_OK;
}

void qn_models_clear_sequences(qn_models *models)
{
    for (size_t i = 0; i < models->sequence_room; i++) qn_release(&models->sequence_items[i].names);
    qn_release(&models->sequence_items);
    qn_release(&models->sequence_numbers);
}

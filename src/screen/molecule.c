#include "screen/molecule.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "chemistry/bonds.h"
#include "chemistry/conformers.h"

qn_status qn_screen_record_name(const qn_compound_record *record, char **name)
{
    static const char heading[] = "@<TRIPOS>MOLECULE";
    const char *at = record->text;
    size_t length = 0;
    qn_text text = {0};
    if (record->format == QN_COMPOUND_MOL2) {
        at = strstr(at, heading);
        if (at) at = strchr(at, '\n');
        if (at) at++;
    } else if (record->format != QN_COMPOUND_SDF) {
        at = NULL;
    }
    if (at) length = strcspn(at, "\r\n");
    while (length > 0 && at[length - 1] == ' ') length--;
    QN_TRY(qn_text_append_bytes(&text, length ? at : "", length));
    *name = text.data;
    return QN_OK;
}

/* The number of the random stream for torsions. It depends on the molecule and not on its place in the library. */
static uint64_t conformer_stream(const qn_compound *compound)
{
    qn_hash hash;
    char digest[65];
    uint64_t stream = 0;
    qn_hash_start(&hash);
    for (size_t i = 0; i < compound->atom_count; i++)
        qn_hash_add(&hash, compound->atoms[i].element, strlen(compound->atoms[i].element) + 1);
    qn_hash_add(&hash, qn_compound_positions(compound, 0), compound->atom_count * 3 * sizeof(double));
    qn_hash_finish(&hash, digest);
    for (int i = 0; i < 16; i++) {
        int digit = digest[i] <= '9' ? digest[i] - '0' : digest[i] - 'a' + 10;
        stream = stream << 4 | (uint64_t)digit;
    }
    return stream;
}

static qn_status make_conformers(const qn_screen_state *run, qn_compound *compound)
{
    const size_t wanted = (size_t)run->options->conformers;
    if (wanted <= compound->conformer_count || compound->conformer_count == 0 || compound->flat) return QN_OK;
    qn_conformer_options options = {
        .count = wanted, .seed = run->options->run.seed, .stream = conformer_stream(compound)};
    return qn_conformers_make(compound, &options);
}

/* Make the tree of a flexible molecule. Bonds of a PDBQT get their orders for hits.sdf only. */
static qn_status prepare_flexible(const qn_screen_state *run, qn_screen_molecule *molecule)
{
    const qn_flexible_types types = qn_screen_flexible_types(run->options);
    if (types == QN_FLEXIBLE_TYPES_OWN) QN_TRY(qn_score_ligand_prepare(molecule->compound));
    QN_TRY(qn_flexible_tree_create(molecule->compound, types, -1, &molecule->tree));
    QN_TRY(qn_flexible_tree_add_sides(&molecule->tree, &run->sides, molecule->compound->name));
    if (types == QN_FLEXIBLE_TYPES_FILE) QN_TRY(qn_bonds_find_orders(molecule->compound));
    molecule->ligand.atom_count = molecule->tree.ligand_count;
    molecule->ligand.conformer_count = 1;
    return QN_OK;
}

static qn_status prepare(const qn_screen_state *run, const qn_compound_record *record, qn_screen_molecule *molecule)
{
    size_t heavy_atoms;
    QN_TRY(qn_compound_read(record, &molecule->compound));
    QN_TRY(qn_score_ligand_check(molecule->compound,
                                 &heavy_atoms)); /* first, since the next steps may take long for a large molecule */
    if (!run->options->rigid) return prepare_flexible(run, molecule);
    QN_TRY(qn_score_ligand_prepare(molecule->compound));
    QN_TRY(make_conformers(run, molecule->compound));
    return qn_score_ligand_create(molecule->compound, &run->score, &molecule->ligand);
}

/* Keep the record that Open Babel made of a SMILES: another run of Open Babel gives other positions and energies. */
static qn_status keep_record(const qn_compound_record *record, qn_screen_molecule *molecule)
{
    qn_text text = {0};
    if (record->format != QN_COMPOUND_SMILES || molecule->reason) return QN_OK;
    QN_TRY(qn_text_append_bytes(&text, record->text, record->size));
    molecule->made = text.data;
    molecule->made_size = record->size;
    return QN_OK;
}

/* Whether the molecule caused an error. Any other error ends the run. */
static bool is_molecules_fault(qn_status status)
{
    return status == QN_BAD_FORMAT || status == QN_UNSUPPORTED || status == QN_INVALID_ARGUMENT;
}

qn_status qn_screen_molecule_make(const qn_screen_state *run, const qn_compound_record *record, uint64_t index,
                                  size_t library, qn_screen_molecule *molecule)
{
    *molecule = (qn_screen_molecule){.index = index, .line = record->line, .library = (uint32_t)library};
    qn_status status = prepare(run, record, molecule);
    if (is_molecules_fault(status)) {
        status = qn_text_copy(qn_error_message(), &molecule->reason);
        qn_error_clear();
    }
    if (status == QN_OK)
        status = molecule->compound
                     ? qn_text_copy(molecule->compound->name ? molecule->compound->name : "", &molecule->name)
                     : qn_screen_record_name(record, &molecule->name);
    if (status == QN_OK) status = keep_record(record, molecule);
    if (status != QN_OK) {
        qn_screen_molecule_clear(molecule);
    } else if (molecule->reason) {
        qn_compound_destroy(&molecule->compound);
        qn_score_ligand_clear(&molecule->ligand);
        qn_flexible_tree_clear(&molecule->tree);
    }
    return status;
}

void qn_screen_molecule_clear(qn_screen_molecule *molecule)
{
    qn_release(&molecule->name);
    qn_release(&molecule->reason);
    qn_release(&molecule->made);
    qn_compound_destroy(&molecule->compound);
    qn_score_ligand_clear(&molecule->ligand);
    qn_flexible_tree_clear(&molecule->tree);
}

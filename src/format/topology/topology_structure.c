/* PDB and mmCIF as topologies: every atom of the first model, including alternates and waters, with its position, and
 * the cell. Bonds (CONECT) are not read. */
#include <string.h>

#include "base/error.h"
#include "format/structure/formats.h"
#include "format/structure/gemmi_bridge.h"
#include "format/structure/structure.h"
#include "format/topology/topology_format.h"
#include "model/box.h"

static const double nm_per_angstrom = 0.1;

/* Whether the cell is a real one: files without a crystal state 1 Å or 0 in every direction. */
static bool is_cell(const double numbers[6])
{
    return numbers[0] > 1 || numbers[1] > 1 || numbers[2] > 1;
}

static qn_status set_box(const char *path, const double numbers[6], double box_nm[9])
{
    double lengths_nm[3];
    if (!is_cell(numbers)) return QN_OK;
    for (int i = 0; i < 3; i++) lengths_nm[i] = nm_per_angstrom * numbers[i];
    qn_status status = qn_box_from_angles(lengths_nm, numbers + 3, box_nm);
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "%s: the unit cell", path);
}

/* Read CRYST1: a, b, c (Å) in columns 7-33, α, β, γ (degrees) in 34-54. A field that is not a number means no cell. */
static qn_status read_pdb_cell(const char *path, const char *data, size_t size, double box_nm[9])
{
    static const size_t ends[7] = {6, 15, 24, 33, 40, 47, 54};
    qn_record_lines lines = qn_topology_lines(path, data, size);
    double numbers[6];
    while (qn_record_lines_next(&lines) && !qn_line_begins(&lines, "ATOM") && !qn_line_begins(&lines, "HETATM")) {
        if (!qn_line_begins(&lines, "CRYST1")) continue;
        for (int i = 0; i < 6; i++) {
            qn_word word = qn_record_columns(&lines, ends[i] + 1, ends[i + 1]);
            if (!qn_number_parse(word.text, word.length, &numbers[i])) return QN_OK;
        }
        return set_box(path, numbers, box_nm);
    }
    return QN_OK;
}

static qn_status read_mmcif_cell(const char *path, const char *data, size_t size, double box_nm[9])
{
    static const char *const columns[] = {"length_a",    "length_b",   "length_c",
                                          "angle_alpha", "angle_beta", "angle_gamma"};
    qn_cif_table *table;
    double numbers[6];
    bool whole = true;
    if (qn_cif_table_read(path, data, size, "_cell", columns, 6, &table) != QN_OK) {
        qn_error_clear(); /* the text was parsed before, so the category is absent */
        return QN_OK;
    }
    for (size_t i = 0; i < 6; i++) {
        qn_cif_value value;
        whole = whole && qn_cif_table_rows(table) > 0 && qn_cif_table_get(table, 0, i, &value) &&
                qn_cif_number(value, &numbers[i]);
    }
    qn_cif_table_destroy(&table);
    return whole ? set_box(path, numbers, box_nm) : QN_OK;
}

static qn_status append_atom(const qn_atom *source, qn_topology *topology)
{
    qn_topology_atom atom = {0};
    double position_nm[3];
    qn_topology_set_name(atom.name, sizeof atom.name, source->name, strlen(source->name));
    memcpy(atom.element, source->element, sizeof atom.element);
    for (int axis = 0; axis < 3; axis++) position_nm[axis] = nm_per_angstrom * source->position_angstrom[axis];
    QN_TRY(qn_topology_append_atom(topology, &atom));
    return qn_topology_append_position(topology, position_nm);
}

static qn_status take_molecule(const qn_molecule *molecule, qn_topology *topology)
{
    for (size_t r = 0; r < molecule->residue_count; r++) {
        const qn_residue *source = &molecule->residues[r];
        qn_topology_residue residue = {.number = source->number, .insertion = source->insertion};
        qn_topology_set_name(residue.name, sizeof residue.name, source->name, strlen(source->name));
        qn_topology_set_name(residue.chain, sizeof residue.chain, source->chain, strlen(source->chain));
        QN_TRY(qn_topology_append_residue(topology, &residue));
        for (size_t i = 0; i < source->atom_count; i++)
            QN_TRY(append_atom(&molecule->atoms[source->first_atom + i], topology));
    }
    return QN_OK;
}

static bool recognise(const char *data, size_t size)
{
    qn_record_lines lines = qn_topology_lines("", data, size);
    if (memchr(data, '\0', size)) return false;
    if (qn_mmcif_recognise(data, size)) return true;
    while (qn_record_lines_next(&lines))
        if (qn_line_begins(&lines, "ATOM") || qn_line_begins(&lines, "HETATM")) return true;
    return false;
}

static qn_status read(const char *path, const char *data, size_t size, qn_topology *topology)
{
    const qn_molecule_options every_atom = {.size = sizeof every_atom, .keep_alternates = true};
    qn_molecule *molecule;
    QN_TRY(qn_structure_read_memory(path, data, size, NULL, &every_atom, &molecule));
    qn_status status = take_molecule(molecule, topology);
    qn_molecule_destroy(&molecule);
    QN_TRY(status);
    if (qn_mmcif_recognise(data, size)) return read_mmcif_cell(path, data, size, topology->box_nm);
    return read_pdb_cell(path, data, size, topology->box_nm);
}

const qn_topology_format qn_topology_structure = {"PDB or mmCIF", recognise, read, QN_MOLECULES_OF_BONDS};

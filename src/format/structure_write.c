/* Writing molecules as PDB and mmCIF. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "format/structure.h"

/* Append each line of `remarks` as `format`, which has one %s. */
static qn_status each_line(const char *remarks, const char *format, qn_text *text)
{
    for (const char *at = remarks; at && *at;) {
        size_t length = strcspn(at, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(length < 500 ? length : 500), at);
        QN_TRY(qn_text_append(text, format, line));
        QN_TRY(qn_text_append(text, "\n"));
        at += length + (at[length] == '\n');
    }
    return QN_OK;
}

/* Columns 13-16: elements of one letter leave the first column blank, unless the name needs all four. */
static void pdb_atom_name(const qn_atom *atom, char name[5])
{
    bool shifted = strlen(atom->element) == 1 && strlen(atom->name) < 4;
    snprintf(name, 5, shifted ? " %-3s" : "%-4s", atom->name);
}

static qn_status write_pdb_atom(const qn_molecule *molecule, const qn_atom *atom, int serial, qn_text *text)
{
    const qn_residue *residue = &molecule->residues[atom->residue];
    char name[5], charge[3] = "";
    pdb_atom_name(atom, name);
    if (atom->charge_e && atom->charge_e > -10 && atom->charge_e < 10)
        snprintf(charge, sizeof charge, "%d%c", atom->charge_e < 0 ? -atom->charge_e : atom->charge_e,
                 atom->charge_e < 0 ? '-' : '+');
    return qn_text_append(text, "%-6s%5d %4s%c%3s %1s%4d%c   %8.3f%8.3f%8.3f%6.2f%6.2f          %2s%s\n",
                          residue->hetero ? "HETATM" : "ATOM", serial, name, atom->alternate ? atom->alternate : ' ',
                          residue->name, residue->chain[0] ? residue->chain : " ", residue->number,
                          residue->insertion ? residue->insertion : ' ', atom->position_angstrom[0],
                          atom->position_angstrom[1], atom->position_angstrom[2], (double)atom->occupancy,
                          (double)atom->b_factor_angstrom2, strcmp(atom->element, "X") == 0 ? "" : atom->element, charge);
}

static qn_status write_ter(const qn_residue *residue, int serial, qn_text *text)
{
    return qn_text_append(text, "TER   %5d      %3s %1s%4d%c\n", serial, residue->name,
                          residue->chain[0] ? residue->chain : " ", residue->number,
                          residue->insertion ? residue->insertion : ' ');
}

static qn_status write_pdb(const qn_molecule *const *molecules, size_t count, const char *remarks, qn_text *text)
{
    int serial = 0;
    QN_TRY(each_line(remarks, "REMARK 900 %s", text));
    for (size_t m = 0; m < count; m++) {
        const qn_molecule *molecule = molecules[m];
        for (size_t r = 0; r < molecule->residue_count; r++) {
            const qn_residue *residue = &molecule->residues[r];
            bool last = r + 1 == molecule->residue_count;
            for (size_t i = 0; i < residue->atom_count; i++)
                QN_TRY(write_pdb_atom(molecule, &molecule->atoms[residue->first_atom + i], ++serial, text));
            if (last || residue->chain_break || strcmp(residue->chain, molecule->residues[r + 1].chain) != 0)
                QN_TRY(write_ter(residue, ++serial, text));
        }
    }
    return qn_text_append(text, "END\n");
}

/* A value of a CIF loop, quoted where its characters demand it. */
static qn_status write_cif_value(const char *value, qn_text *text)
{
    bool plain = *value && !strchr("_#$'\"[];", *value) && !strpbrk(value, " \t'\"") && strcmp(value, ".") != 0 &&
                 strcmp(value, "?") != 0;
    static const char *const reserved[] = {"data_", "loop_", "save_", "stop_", "global_"};
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strncmp(value, reserved[i], strlen(reserved[i])) == 0) plain = false;
    if (!*value) return qn_text_append(text, ". ");
    if (plain) return qn_text_append(text, "%s ", value);
    return qn_text_append(text, strchr(value, '"') ? "'%s' " : "\"%s\" ", value);
}

/* label_asym_id must be unique to a molecule: A … Z, AA, AB … in order of appearance. */
static void label_chain(size_t index, char label[8])
{
    char reversed[8];
    int length = 0;
    do {
        reversed[length++] = (char)('A' + index % 26);
        index = index / 26;
    } while (index-- > 0 && length < 7);
    for (int i = 0; i < length; i++) label[i] = reversed[length - 1 - i];
    label[length] = '\0';
}

typedef struct cif_place {
    size_t chain; /* label chains begun */
    int residue;  /* label_seq_id within it */
    int serial;
} cif_place;

static qn_status write_cif_atom(const qn_molecule *molecule, const qn_atom *atom, const cif_place *place, qn_text *text)
{
    const qn_residue *residue = &molecule->residues[atom->residue];
    char label[8], alternate[2] = {atom->alternate, '\0'}, insertion[2] = {residue->insertion, '\0'};
    label_chain(place->chain - 1, label);
    QN_TRY(qn_text_append(text, "%s %d ", residue->hetero ? "HETATM" : "ATOM", place->serial));
    QN_TRY(write_cif_value(atom->element, text));
    QN_TRY(write_cif_value(atom->name, text));
    QN_TRY(write_cif_value(alternate, text));
    QN_TRY(write_cif_value(residue->name, text));
    QN_TRY(qn_text_append(text, "%s ", label));
    if (residue->hetero) QN_TRY(qn_text_append(text, ". "));
    else QN_TRY(qn_text_append(text, "%d ", place->residue));
    QN_TRY(qn_text_append(text, "%s ", insertion[0] ? insertion : "?"));
    QN_TRY(qn_text_append(text, "%.3f %.3f %.3f %.2f %.2f ", atom->position_angstrom[0], atom->position_angstrom[1],
                          atom->position_angstrom[2], (double)atom->occupancy, (double)atom->b_factor_angstrom2));
    if (atom->charge_e) QN_TRY(qn_text_append(text, "%d ", atom->charge_e));
    else QN_TRY(qn_text_append(text, "? "));
    QN_TRY(qn_text_append(text, "%d ", residue->number));
    QN_TRY(write_cif_value(residue->name, text));
    QN_TRY(write_cif_value(residue->chain, text));
    QN_TRY(write_cif_value(atom->name, text));
    return qn_text_append(text, "1\n");
}

static qn_status write_mmcif(const qn_molecule *const *molecules, size_t count, const char *remarks, qn_text *text)
{
    static const char header[] =
        "data_quern\n#\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
        "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n"
        "_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
        "_atom_site.occupancy\n_atom_site.B_iso_or_equiv\n_atom_site.pdbx_formal_charge\n_atom_site.auth_seq_id\n"
        "_atom_site.auth_comp_id\n_atom_site.auth_asym_id\n_atom_site.auth_atom_id\n_atom_site.pdbx_PDB_model_num\n";
    cif_place place = {0};
    QN_TRY(each_line(remarks, "# %s", text));
    QN_TRY(qn_text_append(text, "%s", header));
    for (size_t m = 0; m < count; m++) {
        const qn_molecule *molecule = molecules[m];
        for (size_t r = 0; r < molecule->residue_count; r++) {
            const qn_residue *before = r ? &molecule->residues[r - 1] : NULL, *residue = &molecule->residues[r];
            bool begins = !before || before->chain_break || strcmp(before->chain, residue->chain) != 0;
            place.chain += begins;
            place.residue = begins ? 1 : place.residue + 1;
            for (size_t i = 0; i < residue->atom_count; i++) {
                place.serial++;
                QN_TRY(write_cif_atom(molecule, &molecule->atoms[residue->first_atom + i], &place, text));
            }
        }
    }
    return qn_text_append(text, "#\n");
}

qn_status qn_molecule_write(const char *path, qn_structure_format format, const qn_molecule *const *molecules,
                            size_t count, const char *remarks)
{
    qn_text text = {0};
    for (size_t i = 0; i < count && format == QN_STRUCTURE_PDB; i++)
        if (!qn_molecule_fits_pdb(molecules[i]))
            QN_FAIL(QN_UNSUPPORTED, "%s: %s does not fit the columns of the PDB format; write mmCIF", path,
                    molecules[i]->name);
    qn_status status = format == QN_STRUCTURE_PDB ? write_pdb(molecules, count, remarks, &text)
                                                  : write_mmcif(molecules, count, remarks, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

#include "format/gemmi_bridge.h"

#include <cmath>
#include <cstdlib>
#include <string>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <gemmi/cif.hpp>
#include <gemmi/pdb.hpp>
#pragma GCC diagnostic pop

extern "C" {
#include "base/error.h"
}

namespace {

qn_status failure(const char *name, const std::exception &error)
{
    return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: %s", name, error.what());
}

qn_status visit_residue(const gemmi::Model &model, const gemmi::Chain &chain, const gemmi::Residue &residue,
                        size_t segment, qn_file_atom_visit visit, void *user)
{
    for (const gemmi::Atom &atom : residue.atoms) {
        qn_file_atom out{};
        out.model = std::atoi(model.name.c_str());
        out.chain = chain.name.c_str();
        out.residue = residue.name.c_str();
        out.number = residue.seqid.num.has_value() ? *residue.seqid.num : 0;
        out.insertion = residue.seqid.icode == ' ' ? '\0' : residue.seqid.icode;
        out.hetero = residue.het_flag == 'H';
        out.segment = segment;
        out.name = atom.name.c_str();
        out.element = atom.element.uname();
        out.alternate = atom.altloc;
        out.serial = atom.serial;
        out.position_angstrom[0] = atom.pos.x;
        out.position_angstrom[1] = atom.pos.y;
        out.position_angstrom[2] = atom.pos.z;
        out.occupancy = atom.occ;
        out.b_factor_angstrom2 = atom.b_iso;
        out.charge_e = atom.charge;
        qn_status status = visit(&out, user);
        if (status != QN_OK) return status;
    }
    return QN_OK;
}

/* Columns of _atom_site; '?' marks those a file may lack (the first may not, by gemmi's rule). */
enum Column { NAME, GROUP, ID, ELEMENT, ALTERNATE, RESIDUE, CHAIN, LABEL_CHAIN, NUMBER, LABEL_NUMBER, INSERTION, X, Y, Z,
              OCCUPANCY, B_FACTOR, CHARGE, MODEL };

const std::vector<std::string> tags = {
    "label_atom_id", "?group_PDB", "?id", "?type_symbol", "?label_alt_id", "label_comp_id", "?auth_asym_id",
    "?label_asym_id", "?auth_seq_id", "?label_seq_id", "?pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z",
    "?occupancy", "?B_iso_or_equiv", "?pdbx_formal_charge", "?pdbx_PDB_model_num"};

/* Text of a column; "" when absent or null ('.' and '?'). */
std::string text_of(const gemmi::cif::Table::Row &row, int column)
{
    return row.has2(column) ? row.str(column) : std::string();
}

/* A finite number that fills its field, or the reason why not. */
qn_status number_of(const char *name, size_t row_number, const gemmi::cif::Table::Row &row, int column, const char *tag,
                    double fallback, double *value)
{
    if (!row.has(column)) {
        *value = fallback;
        return QN_OK;
    }
    std::string text = row.str(column);
    if (text.empty() && !std::isnan(fallback)) {
        *value = fallback;
        return QN_OK;
    }
    char *end;
    *value = std::strtod(text.c_str(), &end);
    if (*end == '(') return QN_OK; /* "1.234(5)": a standard uncertainty follows */
    if (text.empty() || *end != '\0' || !std::isfinite(*value))
        return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: row %zu of _atom_site: %s is \"%s\"; expected a number",
                            name, row_number, tag, text.empty() ? row[column].c_str() : text.c_str());
    return QN_OK;
}

qn_status require_columns(const char *name, gemmi::cif::Block &block)
{
    for (const char *tag : {"Cartn_x", "Cartn_y", "Cartn_z", "label_atom_id", "label_comp_id"})
        if (!block.find_values(std::string("_atom_site.") + tag))
            return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                                "%s: the _atom_site loop lacks the column _atom_site.%s", name, tag);
    if (!block.find_values("_atom_site.auth_asym_id") && !block.find_values("_atom_site.label_asym_id"))
        return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                            "%s: the _atom_site loop lacks a chain column (auth_asym_id or label_asym_id)", name);
    return QN_OK;
}

qn_status visit_row(const char *name, size_t row_number, const gemmi::cif::Table::Row &row, std::string &last_label,
                    size_t &segment, qn_file_atom_visit visit, void *user)
{
    const double none = std::nan("");
    std::string group = text_of(row, GROUP), atom_name = text_of(row, NAME), residue = text_of(row, RESIDUE),
                chain = text_of(row, CHAIN), label = text_of(row, LABEL_CHAIN), insertion = text_of(row, INSERTION),
                alternate = text_of(row, ALTERNATE), element = text_of(row, ELEMENT);
    double number = 0, model = 1, serial = 0, charge = 0;
    qn_file_atom out{};
    qn_status status = number_of(name, row_number, row, X, "Cartn_x", none, &out.position_angstrom[0]);
    if (status == QN_OK) status = number_of(name, row_number, row, Y, "Cartn_y", none, &out.position_angstrom[1]);
    if (status == QN_OK) status = number_of(name, row_number, row, Z, "Cartn_z", none, &out.position_angstrom[2]);
    if (status == QN_OK) status = number_of(name, row_number, row, OCCUPANCY, "occupancy", 1, &out.occupancy);
    if (status == QN_OK) status = number_of(name, row_number, row, B_FACTOR, "B_iso_or_equiv", 0, &out.b_factor_angstrom2);
    if (status == QN_OK) status = number_of(name, row_number, row, CHARGE, "pdbx_formal_charge", 0, &charge);
    if (status == QN_OK) status = number_of(name, row_number, row, MODEL, "pdbx_PDB_model_num", 1, &model);
    if (status == QN_OK) status = number_of(name, row_number, row, ID, "id", 0, &serial);
    if (status == QN_OK && row.has2(NUMBER))
        status = number_of(name, row_number, row, NUMBER, "auth_seq_id", 0, &number);
    else if (status == QN_OK)
        status = number_of(name, row_number, row, LABEL_NUMBER, "label_seq_id", 0, &number);
    if (status != QN_OK) return status;
    if (label != last_label) segment++; /* a new label chain is a new molecule or a new part of one */
    last_label = label;
    for (char &c : element) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out.model = static_cast<int>(model);
    out.chain = chain.empty() ? label.c_str() : chain.c_str();
    out.residue = residue.c_str();
    out.number = static_cast<int>(number);
    out.insertion = insertion.empty() ? '\0' : insertion[0];
    out.hetero = group == "HETATM";
    out.segment = segment;
    out.name = atom_name.c_str();
    out.element = element.empty() ? "X" : element.c_str();
    out.alternate = alternate.empty() ? '\0' : alternate[0];
    out.serial = static_cast<int>(serial);
    out.charge_e = static_cast<int>(charge);
    return visit(&out, user);
}

} // namespace

extern "C" qn_status qn_gemmi_read_pdb(const char *name, const char *data, size_t size, qn_file_atom_visit visit,
                                       void *user) noexcept
{
    try {
        gemmi::PdbReadOptions options;
        options.split_chain_on_ter = true;
        gemmi::Structure structure = gemmi::read_pdb_from_memory(data, size, name, options);
        size_t segment = 0;
        for (const gemmi::Model &model : structure.models)
            for (const gemmi::Chain &chain : model.chains) {
                segment++;
                for (const gemmi::Residue &residue : chain.residues) {
                    qn_status status = visit_residue(model, chain, residue, segment, visit, user);
                    if (status != QN_OK) return status;
                }
            }
        return QN_OK;
    } catch (const std::exception &error) {
        return failure(name, error);
    } catch (...) {
        return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: cannot be read as PDB", name);
    }
}

extern "C" qn_status qn_gemmi_read_mmcif(const char *name, const char *data, size_t size, qn_file_atom_visit visit,
                                         void *user) noexcept
{
    try {
        gemmi::cif::Document document = gemmi::cif::read_memory(data, size, name);
        gemmi::cif::Block *block = nullptr;
        for (gemmi::cif::Block &candidate : document.blocks)
            if (!block && candidate.find_mmcif_category("_atom_site.").ok()) block = &candidate;
        if (!block)
            return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: holds no _atom_site loop; expected coordinates",
                                name);
        qn_status status = require_columns(name, *block);
        if (status != QN_OK) return status;
        size_t row_number = 0, segment = 0;
        std::string last_label;
        for (const gemmi::cif::Table::Row &row : block->find("_atom_site.", tags)) {
            status = visit_row(name, ++row_number, row, last_label, segment, visit, user);
            if (status != QN_OK) return status;
        }
        return QN_OK;
    } catch (const std::exception &error) {
        return failure(name, error);
    } catch (...) {
        return qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, "%s: cannot be read as mmCIF", name);
    }
}

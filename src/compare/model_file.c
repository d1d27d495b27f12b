#include "compare/model_file.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "base/text.h"

static bool contains(const qn_chain_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->names[i], name) == 0) return true;
    return false;
}

static qn_status add_name(qn_chain_names *names, const char *name, size_t length)
{
    if (length >= sizeof names->names[0])
        return QN_FAIL(QN_INVALID_ARGUMENT, "chain name \"%.*s\" is longer than %zu characters", (int)length, name,
                       sizeof names->names[0] - 1);
    char copy[sizeof names->names[0]] = "";
    memcpy(copy, name, length);
    if (contains(names, copy)) return QN_OK;
    QN_TRY(qn_grow((void **)&names->names, &names->capacity, names->count + 1, sizeof names->names[0]));
    memcpy(names->names[names->count++], copy, sizeof copy);
    return QN_OK;
}

static qn_status add_list(qn_chain_names *names, const char *text)
{
    for (;;) {
        text += strspn(text, ", \t\r\n");
        size_t length = strcspn(text, ", \t\r\n");
        if (length == 0) return QN_OK;
        QN_TRY(add_name(names, text, length));
        text += length;
    }
}

qn_status qn_chain_names_of(const qn_molecule *molecule, bool polymers, qn_chain_names *names)
{
    for (size_t i = 0; i < molecule->residue_count; i++)
        if (!polymers || !molecule->residues[i].hetero)
            QN_TRY(add_name(names, molecule->residues[i].chain, strlen(molecule->residues[i].chain)));
    return QN_OK;
}

qn_status qn_chain_names_parse(const char *text, const qn_molecule *molecule, qn_chain_names *names)
{
    bool whole = strchr(text, ',') != NULL;
    for (size_t i = 0; i < molecule->residue_count && !whole; i++)
        whole = strcmp(molecule->residues[i].chain, text) == 0;
    if (whole) {
        QN_TRY(add_list(names, text));
    } else {
        for (const char *letter = text; *letter; letter++) QN_TRY(add_name(names, letter, 1));
    }
    if (names->count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "\"%s\" names no chain, expected \"A\", \"AB\" or \"A,BB\"", text);
    return QN_OK;
}

void qn_chain_names_clear(qn_chain_names *names)
{
    qn_release(&names->names);
    *names = (qn_chain_names){0};
}

typedef struct renamed_chain {
    char now[8], was[8];
} renamed_chain;

typedef struct remarks {
    qn_chain_names chains[2]; /* receptor, ligand */
    renamed_chain *renamed;
    size_t renamed_count, renamed_capacity;
} remarks;

static void remarks_clear(remarks *found)
{
    qn_chain_names_clear(&found->chains[0]);
    qn_chain_names_clear(&found->chains[1]);
    qn_release(&found->renamed);
}

static qn_status take_word(const char **text, char word[8])
{
    size_t length = strcspn(*text, " \t\r\n");
    if (length == 0 || length > 7)
        return QN_FAIL(QN_BAD_FORMAT, "expected a chain name of 1 to 7 characters in \"%s\"", *text);
    memset(word, 0, 8);
    memcpy(word, *text, length);
    *text += length;
    return QN_OK;
}

/* Read a remark; `text` follows "QUERN ". Other QUERN remarks are ignored. */
static qn_status read_remark(const char *text, remarks *found)
{
    static const char *const partners[] = {"RECEPTOR ", "LIGAND "};
    for (int side = 0; side < 2; side++) {
        if (strncmp(text, partners[side], strlen(partners[side])) != 0) continue;
        text += strlen(partners[side]);
        if (strncmp(text, "CHAINS ", 7) == 0) return add_list(&found->chains[side], text + 7);
        if (strncmp(text, "CHAIN ", 6) != 0) return QN_OK;
        renamed_chain renamed;
        text += 6;
        QN_TRY(take_word(&text, renamed.now));
        if (strncmp(text, " WAS ", 5) != 0) return QN_OK;
        text += 5;
        QN_TRY(take_word(&text, renamed.was));
        QN_TRY(qn_grow((void **)&found->renamed, &found->renamed_capacity, found->renamed_count + 1, sizeof renamed));
        found->renamed[found->renamed_count++] = renamed;
    }
    return QN_OK;
}

/* Read the remarks of a file. Remarks are much shorter than the buffer; a longer line is read in pieces. */
static qn_status read_remarks(const char *path, remarks *found)
{
    char line[4096];
    int descriptor;
    QN_TRY(qn_file_open(path, &descriptor));
    gzFile file = gzdopen(descriptor, "rb"); /* reads files without compression too */
    if (!file) {
        close(descriptor);
        return QN_FAIL(QN_OUT_OF_MEMORY, "%s: cannot be opened: out of memory", path);
    }
    qn_status status = QN_OK;
    while (status == QN_OK && gzgets(file, line, sizeof line)) {
        bool pdb = strncmp(line, "REMARK", 6) == 0;
        if (!pdb && line[0] != '#') continue;
        const char *text = line + (pdb ? 6 : 1);
        text += strspn(text, " \t0123456789");
        if (strncmp(text, "QUERN ", 6) == 0) status = read_remark(text + 6, found);
    }
    gzclose(file);
    if (status != QN_OK) return qn_error_add_context(status, "%s", path);
    return QN_OK;
}

static const char *original_name(const remarks *found, const char *name)
{
    for (size_t i = 0; i < found->renamed_count; i++)
        if (strcmp(found->renamed[i].now, name) == 0) return found->renamed[i].was;
    return name;
}

static qn_status missing_chain(const char *path, const char *partner, const char *name, const qn_molecule *molecule)
{
    qn_chain_names present = {0};
    qn_text list = {0};
    qn_status status = qn_chain_names_of(molecule, false, &present);
    for (size_t i = 0; i < present.count && status == QN_OK; i++)
        status = qn_text_append(&list, "%s%s", i ? ", " : "", present.names[i]);
    if (status == QN_OK)
        status = qn_error_set(QN_NOT_FOUND, __FILE__, __LINE__, "%s: no chain \"%s\" of the %s; chains present: %s",
                              path, name, partner, list.data ? list.data : "none");
    qn_chain_names_clear(&present);
    qn_text_clear(&list);
    return status;
}

static qn_status append_chains(const qn_molecule *molecule, const qn_chain_names *names, const remarks *found,
                               qn_molecule *part)
{
    for (size_t i = 0; i < molecule->residue_count; i++) {
        qn_residue residue = molecule->residues[i];
        if (!contains(names, residue.chain)) continue;
        const char *was = original_name(found, molecule->residues[i].chain);
        memset(residue.chain, 0, sizeof residue.chain);
        memcpy(residue.chain, was, strlen(was));
        size_t first = residue.first_atom, count = residue.atom_count;
        QN_TRY(qn_molecule_append_residue(part, &residue));
        for (size_t k = 0; k < count; k++) QN_TRY(qn_molecule_append_atom(part, &molecule->atoms[first + k]));
    }
    return QN_OK;
}

static qn_status select_chains(const char *path, const char *partner, const qn_molecule *molecule,
                               const qn_chain_names *names, const remarks *found, qn_molecule **part)
{
    qn_chain_names present = {0};
    qn_status status = qn_chain_names_of(molecule, false, &present);
    for (size_t i = 0; i < names->count && status == QN_OK; i++)
        if (!contains(&present, names->names[i])) status = missing_chain(path, partner, names->names[i], molecule);
    qn_chain_names_clear(&present);
    if (status == QN_OK) status = qn_molecule_create(path, part);
    if (status == QN_OK) status = append_chains(molecule, names, found, *part);
    return status;
}

/* Choose the chains of one partner: the caller's choice, else those of the remarks, else those of the reference. *names
 * points to one of the latter two or to `own`, which holds the caller's choice. */
static qn_status choose_chains(const char *choice, const qn_chain_names *remarked, const qn_chain_names *reference,
                               const qn_molecule *molecule, qn_chain_names *own, const qn_chain_names **names)
{
    *names = remarked->count ? remarked : reference;
    if (!choice) return QN_OK;
    *names = own;
    return qn_chain_names_parse(choice, molecule, own);
}

static qn_status split(const char *path, const qn_model_chains *chains, const remarks *found,
                       const qn_molecule *molecule, qn_chain_names own[2], qn_molecule **receptor, qn_molecule **ligand)
{
    const qn_chain_names *of_receptor, *of_ligand;
    QN_TRY(choose_chains(chains->receptor, &found->chains[0], chains->receptor_reference, molecule, &own[0],
                         &of_receptor));
    QN_TRY(choose_chains(chains->ligand, &found->chains[1], chains->ligand_reference, molecule, &own[1], &of_ligand));
    for (size_t i = 0; i < of_receptor->count; i++)
        if (contains(of_ligand, of_receptor->names[i]))
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "%s: chain \"%s\" cannot be both receptor and ligand: say which chains of the model are which", path,
                of_receptor->names[i]);
    QN_TRY(select_chains(path, "receptor", molecule, of_receptor, found, receptor));
    return select_chains(path, "ligand", molecule, of_ligand, found, ligand);
}

qn_status qn_model_file_read(const char *path, const qn_model_chains *chains, qn_molecule **receptor,
                             qn_molecule **ligand)
{
    *receptor = *ligand = NULL;
    remarks found = {0};
    qn_molecule *molecule = NULL;
    qn_chain_names own[2] = {{0}};
    qn_status status = read_remarks(path, &found);
    if (status == QN_OK)
        status = qn_molecule_read(
            NULL, path, &(qn_molecule_options){.size = sizeof(qn_molecule_options), .drop_water = true}, &molecule);
    if (status == QN_OK) status = split(path, chains, &found, molecule, own, receptor, ligand);
    if (status != QN_OK) {
        qn_molecule_destroy(receptor);
        qn_molecule_destroy(ligand);
    }
    qn_molecule_destroy(&molecule);
    remarks_clear(&found);
    qn_chain_names_clear(&own[0]);
    qn_chain_names_clear(&own[1]);
    return status;
}

qn_status qn_model_split(const qn_molecule *molecule, const char *name, const qn_model_chains *chains,
                         qn_molecule **receptor, qn_molecule **ligand)
{
    const remarks none = {0};
    qn_chain_names own[2] = {{0}};
    *receptor = *ligand = NULL;
    const qn_status status = split(name, chains, &none, molecule, own, receptor, ligand);
    if (status != QN_OK) {
        qn_molecule_destroy(receptor);
        qn_molecule_destroy(ligand);
    }
    qn_chain_names_clear(&own[0]);
    qn_chain_names_clear(&own[1]);
    return status;
}

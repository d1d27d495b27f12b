#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/gemmi_bridge.h"
#include "format/pdb_check.h"
#include "format/structure.h"

bool qn_is_water(const char *residue_name)
{
    static const char *const names[] = {"HOH", "WAT", "DOD", "H2O", "SOL", "TIP", "TIP3", "TIP4", "SPC", "OH2", "TP3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(residue_name, names[i]) == 0) return true;
    return false;
}

typedef struct reader {
    const char *name;
    const qn_molecule_options *options;
    const char *chains;
    qn_molecule *molecule;
    int model;            /* the one being kept */
    bool have_model;
    size_t atoms_seen, segment;
    size_t misnamed; /* heavy atoms whose element columns say hydrogen */
    qn_text chains_seen, models_seen;
} reader;

/* Whether `chain` is one of a selection: letters "AB", or names between commas "A,BB". */
static bool is_selected(const char *chains, const char *chain)
{
    if (!chains) return true;
    if (!strchr(chains, ',')) return strlen(chain) == 1 ? strchr(chains, chain[0]) != NULL : strcmp(chains, chain) == 0;
    for (const char *at = chains; *at;) {
        size_t length = strcspn(at, ",");
        if (strlen(chain) == length && strncmp(at, chain, length) == 0) return true;
        at += length + (at[length] == ',');
    }
    return false;
}

/* Note a name once in a list "A, B, C". */
static qn_status note(qn_text *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list->data; at && *at;) {
        size_t end = strcspn(at, ",");
        if (end == length && strncmp(at, name, length) == 0) return QN_OK;
        at += end + (at[end] == ',' ? 2 : 0);
    }
    return qn_text_append(list, "%s%s", list->length ? ", " : "", name);
}

static qn_status copy_name(const reader *r, const char *what, const char *from, char *to, size_t capacity)
{
    if (strlen(from) >= capacity)
        QN_FAIL(QN_BAD_FORMAT, "%s: %s \"%s\" has more than %zu characters", r->name, what, from, capacity - 1);
    strcpy(to, from);
    return QN_OK;
}

static bool same_residue(const qn_residue *residue, const qn_file_atom *atom)
{
    return strcmp(residue->chain, atom->chain) == 0 && residue->number == atom->number &&
           residue->insertion == atom->insertion && strcmp(residue->name, atom->residue) == 0;
}

static qn_status begin_residue(reader *r, const qn_file_atom *atom)
{
    qn_residue residue = {.number = atom->number, .insertion = atom->insertion, .hetero = atom->hetero};
    QN_TRY(copy_name(r, "chain name", atom->chain, residue.chain, sizeof residue.chain));
    QN_TRY(copy_name(r, "residue name", atom->residue, residue.name, sizeof residue.name));
    if (r->molecule->residue_count && r->segment != atom->segment)
        r->molecule->residues[r->molecule->residue_count - 1].chain_break = true;
    r->segment = atom->segment;
    return qn_molecule_append_residue(r->molecule, &residue);
}

/* Element of an atom. Some files have H in the element columns of heavy atoms: where the name begins with another letter,
 * the name is right. */
static const char *element_of(reader *r, const qn_file_atom *from)
{
    static const struct {
        char letter, element[4];
    } elements[] = {{'C', "C"}, {'N', "N"}, {'O', "O"}, {'S', "S"}, {'P', "P"}};
    const char *name = from->name + strspn(from->name, "0123456789");
    if (strcmp(from->element, "H") != 0 && strcmp(from->element, "D") != 0) return from->element;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (*name == elements[i].letter) {
            r->misnamed++;
            return elements[i].element;
        }
    return from->element;
}

static qn_status take_atom(const qn_file_atom *from, void *user)
{
    reader *r = user;
    char model[16];
    snprintf(model, sizeof model, "%d", from->model);
    r->atoms_seen++;
    QN_TRY(note(&r->models_seen, model));
    if (!r->have_model && (r->options->model == 0 || r->options->model == from->model)) {
        r->model = from->model;
        r->have_model = true;
    }
    if (!r->have_model || from->model != r->model) return QN_OK;
    QN_TRY(note(&r->chains_seen, from->chain));
    if (!is_selected(r->chains, from->chain)) return QN_OK;
    const char *element = element_of(r, from);
    bool hydrogen = strcmp(element, "H") == 0 || strcmp(element, "D") == 0;
    if (r->options->drop_water && qn_is_water(from->residue)) {
        r->molecule->dropped_waters += !hydrogen;
        return QN_OK;
    }
    if (r->options->drop_hydrogens && hydrogen) {
        r->molecule->dropped_hydrogens++;
        return QN_OK;
    }
    qn_molecule *molecule = r->molecule;
    if (molecule->residue_count == 0 || r->segment != from->segment ||
        !same_residue(&molecule->residues[molecule->residue_count - 1], from))
        QN_TRY(begin_residue(r, from));
    qn_atom atom = {.occupancy = (float)from->occupancy, .b_factor_angstrom2 = (float)from->b_factor_angstrom2,
                    .serial = from->serial, .alternate = from->alternate, .charge_e = (signed char)from->charge_e};
    memcpy(atom.position_angstrom, from->position_angstrom, sizeof atom.position_angstrom);
    QN_TRY(copy_name(r, "atom name", from->name, atom.name, sizeof atom.name));
    QN_TRY(copy_name(r, "element", element, atom.element, sizeof atom.element));
    return qn_molecule_append_atom(molecule, &atom);
}

/* Occupancy of an alternate location in residues first … last, summed. */
static double occupancy_of(const qn_molecule *molecule, size_t first, size_t last, char alternate)
{
    double sum = 0;
    for (size_t r = first; r <= last; r++)
        for (size_t i = 0; i < molecule->residues[r].atom_count; i++) {
            const qn_atom *atom = &molecule->atoms[molecule->residues[r].first_atom + i];
            if (atom->alternate == alternate) sum += (double)atom->occupancy;
        }
    return sum;
}

/* The alternate location with the highest occupancy, ties to the first letter; '\0' when there is none. */
static char best_alternate(const qn_molecule *molecule, size_t first, size_t last)
{
    char best = '\0';
    double best_occupancy = -1;
    for (int letter = 1; letter < 127; letter++) {
        double occupancy = occupancy_of(molecule, first, last, (char)letter);
        bool present = false;
        for (size_t r = first; r <= last && !present; r++)
            for (size_t i = 0; i < molecule->residues[r].atom_count && !present; i++)
                present = molecule->atoms[molecule->residues[r].first_atom + i].alternate == letter;
        if (present && occupancy > best_occupancy + 1e-6) {
            best = (char)letter;
            best_occupancy = occupancy;
        }
    }
    return best;
}

static bool has_atom(const qn_molecule *molecule, size_t residue, const char *name, char alternate, size_t before)
{
    size_t first = molecule->residues[residue].first_atom;
    for (size_t i = first; i < first + molecule->residues[residue].atom_count && i < before; i++)
        if (molecule->atoms[i].alternate == alternate && strcmp(molecule->atoms[i].name, name) == 0) return true;
    return false;
}

/* Whether an atom stays: those without alternates, those of the chosen letter, and for names that the chosen letter
 * lacks the first one. A residue of which the chosen letter has no atom (another amino acid at the same place) goes. */
static bool stays(const qn_molecule *molecule, size_t residue, size_t atom, char chosen)
{
    const qn_atom *a = &molecule->atoms[atom];
    size_t end = molecule->residues[residue].first_atom + molecule->residues[residue].atom_count;
    if (a->alternate == '\0' || a->alternate == chosen) return true;
    if (has_atom(molecule, residue, a->name, chosen, end) || has_atom(molecule, residue, a->name, '\0', end)) return false;
    for (int letter = 1; letter < 127; letter++)
        if (letter != a->alternate && has_atom(molecule, residue, a->name, (char)letter, atom)) return false;
    return true;
}

static bool same_place(const qn_residue *a, const qn_residue *b)
{
    return strcmp(a->chain, b->chain) == 0 && a->number == b->number && a->insertion == b->insertion;
}

static bool has_alternate(const qn_molecule *molecule, size_t residue, char alternate)
{
    size_t first = molecule->residues[residue].first_atom;
    for (size_t i = first; i < first + molecule->residues[residue].atom_count; i++)
        if (molecule->atoms[i].alternate == alternate || molecule->atoms[i].alternate == '\0') return true;
    return false;
}

/* Keep one of alternate locations: a new molecule replaces *molecule. */
static qn_status choose_alternates(qn_molecule **molecule)
{
    qn_molecule *from = *molecule, *to;
    QN_TRY(qn_molecule_create(from->name, &to));
    qn_status status = QN_OK;
    for (size_t first = 0, last; first < from->residue_count && status == QN_OK; first = last + 1) {
        for (last = first; last + 1 < from->residue_count && same_place(&from->residues[first], &from->residues[last + 1]);)
            last++;
        char chosen = best_alternate(from, first, last);
        for (size_t r = first; r <= last && status == QN_OK; r++) {
            const qn_residue *residue = &from->residues[r];
            bool whole = chosen == '\0' || first == last || has_alternate(from, r, chosen);
            if (whole) status = qn_molecule_append_residue(to, residue);
            for (size_t i = residue->first_atom; i < residue->first_atom + residue->atom_count && status == QN_OK; i++) {
                if (whole && stays(from, r, i, chosen)) status = qn_molecule_append_atom(to, &from->atoms[i]);
                else to->dropped_alternates++;
            }
        }
    }
    to->dropped_waters = from->dropped_waters;
    to->dropped_hydrogens = from->dropped_hydrogens;
    if (status != QN_OK) {
        qn_molecule_destroy(&to);
        return status;
    }
    qn_molecule_destroy(molecule);
    *molecule = to;
    return QN_OK;
}

/* Whether a list "A, B, C" has a name. */
static bool lists(const char *list, const char *name, size_t length)
{
    for (const char *at = list; *at;) {
        size_t end = strcspn(at, ",");
        if (end == length && strncmp(at, name, length) == 0) return true;
        at += end + (at[end] == ',' ? 2 : 0);
    }
    return false;
}

/* Every chain that was asked for must be there: names between commas, else letters or one longer name. */
static qn_status check_chains(const reader *r)
{
    const char *seen = r->chains_seen.data ? r->chains_seen.data : "";
    bool names = r->chains && (strchr(r->chains, ',') || lists(seen, r->chains, strlen(r->chains)));
    for (const char *at = r->chains; at && *at;) {
        size_t length = names ? strcspn(at, ",") : 1;
        if (length > 0 && !lists(seen, at, length))
            QN_FAIL(QN_NOT_FOUND, "%s: there is no chain %.*s; the file has %s", r->name, (int)length, at,
                    *seen ? seen : "one chain without a name");
        at += length + (at[length] == ',');
    }
    return QN_OK;
}

/* What was asked for and not found, in one sentence. */
static qn_status check_found(const reader *r)
{
    if (r->atoms_seen == 0) QN_FAIL(QN_BAD_FORMAT, "%s: holds no atoms", r->name);
    if (!r->have_model)
        QN_FAIL(QN_NOT_FOUND, "%s: there is no model %d; the file has %s", r->name, r->options->model, r->models_seen.data);
    QN_TRY(check_chains(r));
    if (r->molecule->atom_count == 0)
        QN_FAIL(QN_BAD_FORMAT, "%s: no atom is left of %zu (waters dropped: %zu)", r->name, r->atoms_seen,
                r->molecule->dropped_waters);
    return QN_OK;
}

/* mmCIF begins with "data_" behind comments and blank lines. */
static bool is_mmcif(const char *data, size_t size)
{
    const char *at = data, *end = data + size;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
        if (at >= end || *at != '#') break;
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at) return false;
    }
    return end - at >= 5 && (strncmp(at, "data_", 5) == 0 || strncmp(at, "DATA_", 5) == 0);
}

static qn_status read_atoms(reader *r, const char *data, size_t size)
{
    size_t blank = 0;
    while (blank < size && strchr(" \t\r\n", data[blank]) && data[blank]) blank++;
    if (blank == size) QN_FAIL(QN_BAD_FORMAT, "%s: is empty; expected a PDB or mmCIF file", r->name);
    if (memchr(data, '\0', size))
        QN_FAIL(QN_BAD_FORMAT, "%s: is not text (byte %zu is 0); expected a PDB or mmCIF file", r->name,
                (size_t)((const char *)memchr(data, '\0', size) - data));
    if (is_mmcif(data, size)) return qn_gemmi_read_mmcif(r->name, data, size, take_atom, r);
    QN_TRY(qn_pdb_check(r->name, data, size));
    void *copy;
    QN_TRY(qn_allocate(size, 1, &copy));
    memcpy(copy, data, size);
    qn_pdb_clear_old_columns(copy, size);
    qn_status status = qn_gemmi_read_pdb(r->name, copy, size, take_atom, r);
    qn_release(&copy);
    return status;
}

qn_status qn_structure_read_memory(const char *name, const char *data, size_t size, const char *chains,
                                   const qn_molecule_options *options, qn_molecule **molecule)
{
    reader r = {.name = name, .options = options, .chains = chains};
    QN_TRY(qn_molecule_create(qn_path_name(name), &r.molecule));
    qn_status status = read_atoms(&r, data, size);
    if (status == QN_OK) status = check_found(&r);
    if (status == QN_OK) r.molecule->residues[r.molecule->residue_count - 1].chain_break = true;
    if (status == QN_OK && !options->keep_alternates) status = choose_alternates(&r.molecule);
    if (status == QN_OK && r.misnamed)
        qn_log(QN_LOG_WARNING, "%s: the element columns of %zu atoms say hydrogen, their names do not; the names are used",
               r.name, r.misnamed);
    qn_text_clear(&r.chains_seen);
    qn_text_clear(&r.models_seen);
    if (status != QN_OK) {
        qn_molecule_destroy(&r.molecule);
        return status;
    }
    *molecule = r.molecule;
    return QN_OK;
}

/* Replace gzipped data by what it holds. */
static qn_status unzip(const char *name, char **data, size_t *size)
{
    const size_t largest = (size_t)4 << 30;
    z_stream stream = {.next_in = (Bytef *)*data, .avail_in = (uInt)*size};
    void *plain = NULL;
    size_t capacity = 0, length = 0;
    int result = Z_OK;
    if (*size > UINT32_MAX) QN_FAIL(QN_UNSUPPORTED, "%s: more than 4 GiB of gzipped data", name);
    if (inflateInit2(&stream, 15 + 16) != Z_OK) QN_FAIL(QN_OUT_OF_MEMORY, "%s: cannot start to unzip", name);
    qn_status status = QN_OK;
    while (status == QN_OK && result == Z_OK && length <= largest) {
        status = qn_grow(&plain, &capacity, length + 65536, 1);
        if (status != QN_OK) break;
        stream.next_out = (Bytef *)plain + length;
        stream.avail_out = (uInt)(capacity - length > 1u << 30 ? 1u << 30 : capacity - length);
        uInt room = stream.avail_out;
        result = inflate(&stream, Z_NO_FLUSH);
        length += room - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status == QN_OK && result != Z_STREAM_END)
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__, length > largest
                                  ? "%s: unzips to more than 4 GiB" : "%s: the gzipped data is damaged or cut off", name);
    if (status != QN_OK) {
        qn_release(&plain);
        return status;
    }
    qn_release(data);
    *data = plain;
    *size = length;
    return QN_OK;
}

/* "path:chains" unless a file of the whole name exists. *chains is NULL without a selection. */
static qn_status split_path(const char *path, char **file, char **chains)
{
    *chains = NULL;
    QN_TRY(qn_text_copy(path, file));
    char *colon = qn_file_exists(path) ? NULL : strrchr(*file, ':');
    if (!colon || strchr(colon, '/')) return QN_OK;
    *colon = '\0';
    if (colon[1] == '\0')
        QN_FAIL(QN_INVALID_ARGUMENT, "%s: no chain is named behind the colon; expected letters (:AB) or names (:A,BB)", path);
    return qn_text_copy(colon + 1, chains);
}

qn_status qn_molecule_read(const char *path, const qn_molecule_options *options, qn_molecule **molecule)
{
    char *file = NULL, *chains = NULL, *data = NULL;
    size_t size = 0;
    qn_status status = split_path(path, &file, &chains);
    if (status == QN_OK) status = qn_file_read(file, &data, &size);
    if (status == QN_OK && size >= 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b)
        status = unzip(file, &data, &size);
    if (status == QN_OK) status = qn_structure_read_memory(file, data, size, chains, options, molecule);
    qn_release(&file);
    qn_release(&chains);
    qn_release(&data);
    return status;
}

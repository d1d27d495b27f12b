/* Options that say which maps are wanted: the box around a known ligand, and the types of a ligand's atoms. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "format/structure/autodock_types.h"
#include "potential/run.h"
#include "score/autodock/atoms.h"
#include "score/site.h"
#include "score/vina.h"

/* ---- site ---- */

qn_status qn_potential_site_find(qn_potential_run_state *run)
{
    if (!run->options->site) return QN_OK;
    QN_TRY(qn_site_read(run->options->site, NULL, 0, &run->site_angstrom, &run->site_atoms));
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < run->site_atoms; i++) {
            low = fmin(low, run->site_angstrom[3 * i + k]);
            high = fmax(high, run->site_angstrom[3 * i + k]);
        }
        run->site_centre_angstrom[k] = rint(500 * (low + high)) / 1000; /* three decimals, as in the files */
        run->site_extent_angstrom[k] = high - low + 2 * run->options->margin_angstrom;
    }
    return QN_OK;
}

/* ---- types of a ligand ---- */

/* Types that ligands have, in the order of maps. */
static const char *const common_types[] = {"A", "C", "HD", "N", "NA", "OA", "F", "P", "S", "SA", "Cl", "Br", "I"};
enum { COMMON_TYPES = sizeof common_types / sizeof *common_types };

typedef struct type_list {
    char names[QN_POTENTIAL_PROBES_MAX][QN_POTENTIAL_NAME_MAX];
    int count;
    bool vina_rows[QN_VINA_PROBES_MAX];
} type_list;

/* Add a type once. Glue of opened rings has no map; its carbons are those of any ring. */
static void add_type(const char *type, type_list *list)
{
    char element[4];
    if (!qn_autodock_element(type, strlen(type), element) || element[0] == '\0') return;
    if (strncmp(type, "CG", 2) == 0) type = "C";
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->names[i], type) == 0) return;
    if (list->count < QN_POTENTIAL_PROBES_MAX) memcpy(list->names[list->count++], type, strlen(type));
}

static qn_status add_vina_rows_by_bonds(const qn_compound *compound, type_list *list)
{
    int *rows = NULL;
    QN_TRY(qn_allocate(compound->atom_count, sizeof *rows, (void **)&rows));
    const qn_status status = qn_vina_types(compound, rows);
    for (size_t i = 0; i < compound->atom_count && status == QN_OK; i++)
        if (rows[i] >= 0) list->vina_rows[rows[i]] = true;
    qn_release(&rows);
    return status;
}

/* Of a PDBQT, which has no bonds, Vina's types follow from AutoDock's, as in Vina's program. */
static qn_status add_vina_rows(const char *path, const qn_autodock_atoms *atoms, type_list *list)
{
    qn_vina_source_atom *sources = NULL;
    int *rows = NULL;
    qn_status status = qn_allocate(atoms->count, sizeof *sources, (void **)&sources);
    if (status == QN_OK) status = qn_allocate(atoms->count, sizeof *rows, (void **)&rows);
    for (size_t i = 0; i < atoms->count && status == QN_OK; i++) {
        memcpy(sources[i].position_angstrom, atoms->items[i].position_angstrom, 3 * sizeof(double));
        memcpy(sources[i].type, atoms->items[i].type, sizeof atoms->items[i].type);
    }
    if (status == QN_OK) status = qn_vina_rows_of(path, sources, atoms->count, rows);
    for (size_t i = 0; i < atoms->count && status == QN_OK; i++)
        if (rows[i] >= 0) list->vina_rows[rows[i]] = true;
    qn_release(&sources);
    qn_release(&rows);
    return status;
}

static qn_status add_compound(const char *path, qn_compound *compound, bool vina, type_list *list)
{
    qn_autodock_atoms atoms = {0};
    qn_status status = qn_autodock_ligand_prepare(compound, &atoms);
    for (size_t i = 0; i < atoms.count && status == QN_OK; i++) add_type(atoms.items[i].type, list);
    if (status == QN_OK && atoms.unplaced > 0) add_type("HD", list);
    if (status == QN_OK && vina)
        status = compound->bond_count > 0 ? add_vina_rows_by_bonds(compound, list) : add_vina_rows(path, &atoms, list);
    qn_autodock_atoms_clear(&atoms);
    return status;
}

static qn_status add_record(const qn_compound_record *record, bool vina, type_list *list)
{
    qn_compound *compound = NULL;
    qn_status status = qn_compound_read(record, &compound);
    if (status == QN_OK) status = add_compound(record->path, compound, vina, list);
    qn_compound_destroy(&compound);
    return status;
}

/* Read all molecules of a file, one at a time, since it may be a library. Those that cannot be read or typed could not
 * be docked either; a file without any other is refused with the reason of the last one. */
static qn_status read_ligands(const char *path, bool vina, type_list *list, size_t *left_out)
{
    qn_compound_stream *stream = NULL;
    qn_compound_record record = {0};
    qn_error_trail trail = {0};
    QN_TRY(qn_compound_stream_open(path, &stream));
    qn_status status = qn_compound_stream_next(stream, &record);
    while (status == QN_OK && record.size > 0) {
        status = add_record(&record, vina, list);
        if (status == QN_BAD_FORMAT) {
            ++*left_out;
            qn_error_save(status, &trail);
            status = QN_OK;
        }
        if (status == QN_OK) status = qn_compound_stream_next(stream, &record);
    }
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    if (status == QN_OK && list->count == 0)
        return *left_out ? qn_error_restore(&trail) : QN_FAIL(QN_BAD_FORMAT, "%s: no atoms; expected a ligand", path);
    return status;
}

/* "A,C,OA" in the order of maps. */
static qn_status join_types(const type_list *list, qn_text *types)
{
    for (int i = 0; i < COMMON_TYPES; i++)
        for (int k = 0; k < list->count; k++)
            if (strcmp(list->names[k], common_types[i]) == 0)
                QN_TRY(qn_text_append(types, "%s%s", types->length ? "," : "", common_types[i]));
    for (int k = 0; k < list->count; k++) {
        bool common = false;
        for (int i = 0; i < COMMON_TYPES; i++) common |= strcmp(list->names[k], common_types[i]) == 0;
        if (!common) QN_TRY(qn_text_append(types, "%s%s", types->length ? "," : "", list->names[k]));
    }
    return QN_OK;
}

static void take_vina_row(qn_potential_run_state *run, int row)
{
    run->vina_probes[run->vina_count++] = row;
}

/* Vina's types of --types, where its maps are the only ones. */
static qn_status read_vina_types(qn_potential_run_state *run)
{
    const char *types = run->options->types;
    for (const char *place = types, *end; place; place = *end ? end + 1 : NULL) {
        char name[QN_POTENTIAL_NAME_MAX] = {0};
        end = place + strcspn(place, ",");
        if (end - place < QN_POTENTIAL_NAME_MAX) memcpy(name, place, (size_t)(end - place));
        const int row = qn_vina_row_find(name);
        if (row < 0)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "--types is \"%s\"; expected Vina's types with commas between them, such as C_H,N_DA,O_A, or "
                "all",
                types);
        for (int i = 0; i < run->vina_count; i++)
            if (run->vina_probes[i] == row)
                return QN_FAIL(QN_INVALID_ARGUMENT, "--types is \"%s\"; expected each type once", types);
        take_vina_row(run, row);
    }
    return QN_OK;
}

static qn_status take_vina_types(qn_potential_run_state *run, const type_list *list)
{
    const qn_potential_options *options = run->options;
    const bool named = options->score == QN_POTENTIAL_VINA && options->types && strcmp(options->types, "all") != 0;
    if (options->score == QN_POTENTIAL_AUTODOCK) return QN_OK;
    if (named) return read_vina_types(run);
    for (int row = 0; row < QN_VINA_PROBES_MAX && qn_vina_row_name(row); row++)
        if (!options->ligand || list->vina_rows[row]) take_vina_row(run, row);
    return QN_OK;
}

qn_status qn_potential_types_find(qn_potential_run_state *run)
{
    const qn_potential_options *options = run->options;
    type_list *list = NULL;
    if (options->coulomb) return QN_OK;
    QN_TRY(qn_allocate(1, sizeof *list, (void **)&list));
    qn_status status = QN_OK;
    size_t left_out = 0;
    const bool vina = options->score != QN_POTENTIAL_AUTODOCK;
    if (options->ligand) status = read_ligands(options->ligand, vina, list, &left_out);
    if (status == QN_OK && left_out > 0)
        status = qn_job_warn(run->job, "%s: %s cannot be used and %s no types", options->ligand,
                             qn_count_of(left_out, "molecule").text, left_out == 1 ? "gives" : "give");
    const bool all = options->types && strcmp(options->types, "all") == 0;
    for (int i = 0; i < COMMON_TYPES && all; i++) add_type(common_types[i], list);
    if (status == QN_OK && options->score != QN_POTENTIAL_VINA)
        status = options->ligand || all
                     ? join_types(list, &run->types)
                     : qn_text_append(&run->types, "%s", options->types ? options->types : "A,C,HD,N,NA,OA");
    if (status == QN_OK) status = take_vina_types(run, list);
    qn_release(&list);
    return status;
}

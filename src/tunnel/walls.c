/* Walls: which atoms tunnels must not touch, and the radii of these. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "format/element.h"
#include "format/record_lines.h"
#include "model/atom.h"
#include "model/residue_names.h"
#include "model/residue_text.h"
#include "tunnel/structure.h"

typedef struct element_radius {
    char element[4];
    double angstrom;
} element_radius;

/* Radii in Å: those of CAVER 3 (Chovancová et al. 2012) for the first row, then Bondi's (1964). */
static const element_radius known[] = {
    {"H", 1.20},  {"D", 1.20},  {"C", 1.70},  {"N", 1.55},  {"O", 1.52},  {"F", 1.47},  {"P", 1.80},  {"S", 1.80},
    {"CL", 1.75}, {"HE", 1.40}, {"NE", 1.54}, {"AR", 1.88}, {"KR", 2.02}, {"XE", 2.16}, {"SI", 2.10}, {"AS", 1.85},
    {"SE", 1.90}, {"TE", 2.06}, {"BR", 1.85}, {"I", 1.98},  {"LI", 1.82}, {"NA", 2.27}, {"K", 2.75},  {"MG", 1.73},
    {"NI", 1.63}, {"CU", 1.40}, {"ZN", 1.39}, {"GA", 1.87}, {"PD", 1.63}, {"AG", 1.72}, {"CD", 1.58}, {"IN", 1.93},
    {"SN", 2.17}, {"PT", 1.75}, {"AU", 1.66}, {"HG", 1.55}, {"TL", 1.96}, {"PB", 2.02}, {"U", 1.86}};

static const double radius_of_others = 2; /* Å: Bondi has none for most metals, such as iron and calcium */

enum { ELEMENTS_MOST = 130 };

typedef struct radius_table {
    element_radius entries[ELEMENTS_MOST];
    size_t count;
} radius_table;

/* ---- radii ---- */

static double *find_radius(radius_table *table, const char *element)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->entries[i].element, element) == 0) return &table->entries[i].angstrom;
    return NULL;
}

static qn_status set_radius(radius_table *table, const char *element, double angstrom)
{
    double *place = find_radius(table, element);
    if (!place && table->count < ELEMENTS_MOST) {
        snprintf(table->entries[table->count].element, sizeof table->entries[0].element, "%s", element);
        place = &table->entries[table->count++].angstrom;
    }
    if (place) *place = angstrom;
    return QN_OK;
}

/* A line has an element and a radius; blank lines and those that begin with # are left out. */
static qn_status read_radius(const qn_record_lines *lines, radius_table *table)
{
    size_t at = 0;
    const qn_word name = qn_record_word(lines, &at), radius = qn_record_word(lines, &at);
    char element[4];
    double angstrom;
    if (name.length == 0 || name.text[0] == '#') return QN_OK;
    if (!qn_element_find(name.text, name.length, element))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: \"%s\" is no element; expected a symbol, such as FE", lines->path,
                       lines->number, qn_quote(name.text, name.length).text);
    if (!qn_number_parse(radius.text, radius.length, &angstrom) || !(angstrom >= 0.1 && angstrom <= 10))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: the radius of %s is \"%s\"; expected 0.1 to 10 Å", lines->path,
                       lines->number, element, qn_quote(radius.text, radius.length).text);
    return set_radius(table, element, angstrom);
}

static qn_status read_radii(const char *path, radius_table *table)
{
    char *data;
    size_t size;
    memcpy(table->entries, known, sizeof known);
    table->count = sizeof known / sizeof *known;
    if (!path) return QN_OK;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_record_lines lines = {.path = path, .step = 1, .next = data, .end = data + size};
    qn_status status = QN_OK;
    while (status == QN_OK && qn_record_lines_next(&lines)) status = read_radius(&lines, table);
    qn_release(&data);
    return status;
}

/* ---- which residues ---- */

static bool is_listed(const char *list, const char *name)
{
    for (const char *word = list; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        const size_t length = strcspn(word, ",");
        if (strlen(name) == length && strncmp(word, name, length) == 0) return true;
    }
    return false;
}

static bool is_protein(const qn_residue *residue)
{
    return qn_is_amino_acid(residue->name);
}

/* Of what --start names, whole ligands are no walls: the place is theirs. Amino acids and nucleotides stay. */
static bool is_start_ligand(const qn_residue *residue, bool named)
{
    return named && !qn_is_amino_acid(residue->name) && !qn_is_nucleotide(residue->name);
}

static bool is_wall(const char *walls, const qn_residue *residue, bool named)
{
    if (strcmp(walls, "all") == 0) return !qn_is_water(residue->name) && !is_start_ligand(residue, named);
    return (is_listed(walls, "protein") && is_protein(residue)) || is_listed(walls, residue->name);
}

/* Every name of the list must be that of a residue. */
static qn_status check_names(const char *walls, const qn_tunnel_structure *structure)
{
    if (strcmp(walls, "all") == 0) return QN_OK;
    for (const char *word = walls; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        const int length = (int)strcspn(word, ",");
        char name[8] = "";
        bool found = false;
        if (length < (int)sizeof name) snprintf(name, sizeof name, "%.*s", length, word);
        for (size_t r = 0; r < structure->molecule->residue_count && !found; r++)
            found = strcmp(name, "protein") == 0 ? is_protein(&structure->molecule->residues[r])
                                                 : strcmp(name, structure->molecule->residues[r].name) == 0;
        if (!found)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "--walls names \"%.*s\", but %s has no such residue; expected all, protein, or names of "
                           "residues separated by commas",
                           length, word, structure->name);
    }
    return QN_OK;
}

static void tell_ligands(const qn_tunnel_structure *structure, const char *walls, const bool *names_residue)
{
    if (strcmp(walls, "all") != 0) return;
    for (size_t r = 0; r < structure->molecule->residue_count; r++)
        if (is_start_ligand(&structure->molecule->residues[r], names_residue[r]))
            qn_log(QN_LOG_NOTE, "%s is no wall, because tunnels start from it",
                   qn_residue_say(&structure->molecule->residues[r]).text);
}

/* ---- the call ---- */

/* Radius of an element; one that nobody gave is told once. */
static qn_status radius_of(qn_job *job, radius_table *table, const qn_tunnel_structure *structure, const char *element,
                           double *angstrom)
{
    const double *found = find_radius(table, element);
    *angstrom = found ? *found : radius_of_others;
    if (found) return QN_OK;
    QN_TRY(set_radius(table, element, radius_of_others));
    return qn_job_warn(job, "%s: no radius of the element %s is known; %g Å is used, and --radii gives another",
                       structure->name, element[0] ? element : "X", radius_of_others);
}

qn_status qn_tunnel_walls_choose(qn_job *job, const qn_tunnel_options *options, const bool *names_residue,
                                 qn_tunnel_structure *structure)
{
    const qn_molecule *molecule = structure->molecule;
    const char *walls = options->walls ? options->walls : "all";
    radius_table table;
    QN_TRY(read_radii(options->radii, &table));
    QN_TRY(check_names(walls, structure));
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *structure->walls, (void **)&structure->walls));
    QN_TRY(qn_allocate(molecule->atom_count, sizeof *structure->wall_radii, (void **)&structure->wall_radii));
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const qn_atom *atom = &molecule->atoms[i];
        const size_t residue = (size_t)atom->residue;
        const bool is_hydrogen = qn_atom_is_hydrogen(atom);
        if (!is_wall(walls, &molecule->residues[residue], names_residue[residue])) continue;
        if (is_hydrogen && !options->hydrogens) continue;
        structure->has_hydrogens |= is_hydrogen;
        QN_TRY(radius_of(job, &table, structure, atom->element, &structure->wall_radii[structure->wall_count]));
        structure->walls[structure->wall_count++] = (uint32_t)i;
    }
    if (options->hydrogens && !structure->has_hydrogens)
        qn_log(QN_LOG_NOTE, "%s has no hydrogens, so tunnels are 0.1 to 0.2 Å wider than with them", structure->name);
    tell_ligands(structure, walls, names_residue);
    if (structure->wall_count > 0) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s has no walls: --walls is \"%s\"; expected some of its atoms",
                   structure->name, walls);
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "score/deck.h"

enum { POSE_NUMBERS = 6, RECORDS_MAX = 1 << 20, LIGAND_ATOMS_MAX = 4096 };

/* A record of ligand.in and protein.in; those of forcefield.in are a letter and three floats. Little endian, as all
 * supported processors are. */
typedef struct deck_atom {
    float x, y, z;
    int32_t type;
} deck_atom;

typedef struct deck_type {
    int32_t letter;
    float radius, hydrophobic, charge;
} deck_type;

/* Read the records of `folder`/`name`; *records is released with qn_release. */
static qn_status read_records(const char *folder, const char *name, size_t record_bytes, size_t most, void **records,
                              int *count)
{
    char *path = NULL, *data = NULL;
    size_t size = 0;
    QN_TRY(qn_path_join(folder, name, &path));
    qn_status status = qn_file_read(path, &data, &size);
    if (status == QN_OK && (size == 0 || size % record_bytes != 0 || size / record_bytes > most))
        status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                              "%s: %zu bytes; expected 1 to %zu records of %zu bytes", path, size, most, record_bytes);
    *count = (int)(size / record_bytes);
    *records = data;
    if (status != QN_OK) qn_release(records);
    qn_release(&path);
    return status;
}

static qn_status check_atoms(const char *folder, const char *name, const deck_atom *atoms, int count, int type_count)
{
    for (int i = 0; i < count; i++) {
        if (atoms[i].type < 0 || atoms[i].type >= type_count)
            return QN_FAIL(QN_BAD_FORMAT, "%s/%s: atom %d has type %d; expected 0 to %d", folder, name, i + 1,
                           (int)atoms[i].type, type_count - 1);
        const float largest = fmaxf(fabsf(atoms[i].x), fmaxf(fabsf(atoms[i].y), fabsf(atoms[i].z)));
        if (!((double)largest < QN_SCORE_POSES_FARTHEST_ANGSTROM) || isnan(atoms[i].x + atoms[i].y + atoms[i].z))
            return QN_FAIL(QN_BAD_FORMAT, "%s/%s: atom %d is at %g %g %g; expected coordinates within %g Å", folder,
                           name, i + 1, (double)atoms[i].x, (double)atoms[i].y, (double)atoms[i].z,
                           QN_SCORE_POSES_FARTHEST_ANGSTROM);
    }
    return QN_OK;
}

static qn_status read_types(const char *folder, qn_deck *deck)
{
    void *records = NULL;
    QN_TRY(read_records(folder, "forcefield.in", sizeof(deck_type), 1024, &records, &deck->type_count));
    const deck_type *rows = records;
    qn_status status = qn_allocate((size_t)deck->type_count, sizeof *deck->types, (void **)&deck->types);
    for (int i = 0; i < deck->type_count && status == QN_OK; i++) {
        if (!(rows[i].radius >= 0 && rows[i].radius < 100) || !isfinite(rows[i].hydrophobic + rows[i].charge) ||
            !strchr("FED-", rows[i].letter) || rows[i].letter == 0)
            status =
                qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                             "%s/forcefield.in: type %d has letter %d, radius %g, potential %g and charge %g; expected "
                             "F, E, D or -, a radius from 0 to 100 Å and finite numbers",
                             folder, i, (int)rows[i].letter, (double)rows[i].radius, (double)rows[i].hydrophobic,
                             (double)rows[i].charge);
        deck->types[i] = (qn_bude_type){.kind = (char)rows[i].letter,
                                        .radius_angstrom = rows[i].radius,
                                        .hydrophobic = rows[i].hydrophobic,
                                        .hardness = QN_DECK_HARDNESS,
                                        .nonpolar_angstrom = QN_DECK_NONPOLAR_ANGSTROM,
                                        .polar_angstrom = QN_DECK_POLAR_ANGSTROM,
                                        .charge_e = rows[i].charge};
    }
    qn_release(&records);
    return status;
}

/* Read the ligand and sort it by type; atoms of one type keep the order of the deck. */
static qn_status read_ligand(const char *folder, qn_deck *deck)
{
    void *records = NULL;
    QN_TRY(read_records(folder, "ligand.in", sizeof(deck_atom), LIGAND_ATOMS_MAX, &records, &deck->ligand_count));
    const deck_atom *atoms = records;
    qn_status status = check_atoms(folder, "ligand.in", atoms, deck->ligand_count, deck->type_count);
    if (status == QN_OK) status = qn_allocate((size_t)deck->ligand_count, sizeof *deck->ligand, (void **)&deck->ligand);
    int filled = 0;
    for (int type = 0; type < deck->type_count && status == QN_OK; type++)
        for (int i = 0; i < deck->ligand_count; i++)
            if (atoms[i].type == type)
                deck->ligand[filled++] = (qn_score_poses_atom){atoms[i].x, atoms[i].y, atoms[i].z, type};
    qn_release(&records);
    return status;
}

static qn_status read_receptor(const char *folder, qn_deck *deck)
{
    void *records = NULL;
    QN_TRY(read_records(folder, "protein.in", sizeof(deck_atom), RECORDS_MAX, &records, &deck->receptor_count));
    const deck_atom *atoms = records;
    const size_t count = (size_t)deck->receptor_count;
    qn_status status = check_atoms(folder, "protein.in", atoms, deck->receptor_count, deck->type_count);
    if (status == QN_OK)
        status = qn_allocate(3 * count, sizeof *deck->receptor_positions, (void **)&deck->receptor_positions);
    if (status == QN_OK) status = qn_allocate(count, sizeof *deck->receptor_types, (void **)&deck->receptor_types);
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        deck->receptor_positions[3 * i] = (double)atoms[i].x;
        deck->receptor_positions[3 * i + 1] = (double)atoms[i].y;
        deck->receptor_positions[3 * i + 2] = (double)atoms[i].z;
        deck->receptor_types[i] = atoms[i].type;
    }
    qn_release(&records);
    return status;
}

static qn_status read_poses(const char *folder, qn_deck *deck)
{
    void *records = NULL;
    QN_TRY(read_records(folder, "poses.in", POSE_NUMBERS * sizeof(float), 1 << 26, &records, &deck->pose_count));
    deck->poses = records;
    for (size_t i = 0; i < (size_t)deck->pose_count * POSE_NUMBERS; i++)
        if (!(fabsf(deck->poses[i]) < 1e6f))
            return QN_FAIL(QN_BAD_FORMAT, "%s/poses.in: number %zu is %g; expected one within 1e6", folder, i + 1,
                           (double)deck->poses[i]);
    return QN_OK;
}

/* A deck with fewer or more energies than poses is of different computations, or one of its files was cut off. */
static qn_status parse_reference(const char *path, const char *text, qn_deck *deck)
{
    int count = 0;
    QN_TRY(qn_allocate((size_t)deck->pose_count, sizeof *deck->reference, (void **)&deck->reference));
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n")) {
        char *end;
        const double energy = strtod(text, &end);
        if (end == text || !strchr(" \t\r\n", *end) || !isfinite(energy))
            return QN_FAIL(QN_BAD_FORMAT, "%s:%d: \"%.*s\"; expected an energy", path, count + 1,
                           (int)strcspn(text, "\r\n"), text);
        if (count < deck->pose_count) deck->reference[count] = energy;
        count++;
        text = end;
    }
    if (count != deck->pose_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: %d %s; expected %d, one for each pose of poses.in", path, count,
                       count == 1 ? "energy" : "energies", deck->pose_count);
    deck->reference_count = count;
    return QN_OK;
}

static qn_status read_reference(const char *folder, qn_deck *deck)
{
    char *path = NULL, *text = NULL;
    size_t size;
    QN_TRY(qn_path_join(folder, "ref_energies.out", &path));
    qn_status status = QN_OK;
    if (qn_file_exists(path)) {
        status = qn_file_read(path, &text, &size);
        if (status == QN_OK) status = parse_reference(path, text, deck);
    }
    qn_release(&text);
    qn_release(&path);
    return status;
}

qn_status qn_deck_read(const char *folder, qn_deck *deck)
{
    *deck = (qn_deck){0};
    qn_status status = read_types(folder, deck);
    if (status == QN_OK) status = read_ligand(folder, deck);
    if (status == QN_OK) status = read_receptor(folder, deck);
    if (status == QN_OK) status = read_poses(folder, deck);
    if (status == QN_OK) status = read_reference(folder, deck);
    if (status != QN_OK) qn_deck_clear(deck);
    return status;
}

void qn_deck_clear(qn_deck *deck)
{
    qn_release(&deck->types);
    qn_release(&deck->ligand);
    qn_release(&deck->receptor_positions);
    qn_release(&deck->receptor_types);
    qn_release(&deck->poses);
    qn_release(&deck->reference);
    *deck = (qn_deck){0};
}

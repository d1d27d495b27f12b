#include "format/topology/tpr_interactions.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Connection between the atoms of a list. */
typedef enum tpr_role {
    OTHER,
    BOND,   /* two atoms */
    SETTLE, /* rigid water: oxygen, hydrogen, hydrogen; before version 78 only the oxygen, which the hydrogens follow */
    SITE    /* a virtual site and the atoms that define it, the nearest first */
} tpr_role;

typedef struct tpr_interaction {
    const char *name;
    int since;              /* the first version that has the interaction; 0: all versions that are read */
    const char *parameters; /* r: a real, i: a whole number */
    int changed;            /* from this version on, the next member holds; 0: never */
    const char *changed_parameters;
    tpr_role role;
} tpr_interaction;

/* In the order of their numbers in the newest version. Older versions do not count the functions that they lack. */
static const tpr_interaction interactions[] = {
    {"BONDS", 0, "rrrr", 0, "", BOND},
    {"G96BONDS", 0, "rrrr", 0, "", BOND},
    {"MORSE", 0, "rrr", 79, "rrrrrr", BOND},
    {"CUBICBONDS", 0, "rrr", 0, "", BOND},
    {"CONNBONDS", 0, "", 0, "", BOND},
    {"HARMONIC", 0, "rrrr", 0, "", BOND},
    {"FENEBONDS", 0, "rr", 0, "", BOND},
    {"TABBONDS", 0, "rir", 0, "", BOND},
    {"TABBONDSNC", 0, "rir", 0, "", OTHER},
    {"RESTRBONDS", 70, "rrrrrrrr", 0, "", OTHER},
    {"ANGLES", 0, "rrrr", 0, "", OTHER},
    {"G96ANGLES", 0, "rrrr", 0, "", OTHER},
    {"RESTRANGLES", 98, "rr", 134, "rrrr", OTHER},
    {"LINEAR_ANGLES", 76, "rrrr", 0, "", OTHER},
    {"CROSS_BOND_BONDS", 0, "rrr", 0, "", OTHER},
    {"CROSS_BOND_ANGLES", 0, "rrrr", 0, "", OTHER},
    {"UREY_BRADLEY", 0, "rrrr", 79, "rrrrrrrr", OTHER},
    {"QUARTIC_ANGLES", 0, "rrrrrr", 0, "", OTHER},
    {"TABANGLES", 0, "rir", 0, "", OTHER},
    {"PDIHS", 0, "rrrri", 0, "", OTHER},
    {"RBDIHS", 0, "rrrrrrrrrrrr", 0, "", OTHER},
    {"RESTRDIHS", 98, "rr", 134, "rrrr", OTHER},
    {"CBTDIHS", 98, "rrrrrr", 134, "rrrrrrrrrrrr", OTHER},
    {"FOURDIHS", 0, "rrrrrrrrrrrr", 0, "", OTHER},
    {"IDIHS", 0, "rrrr", 0, "", OTHER},
    {"PIDIHS", 0, "rrrri", 0, "", OTHER},
    {"TABDIHS", 0, "rir", 0, "", OTHER},
    {"CMAP", 65, "ii", 0, "", OTHER},
    {"GB12", 60, "rrrrr", 113, "", OTHER},
    {"GB13", 61, "rrrrr", 113, "", OTHER},
    {"GB14", 61, "rrrrr", 113, "", OTHER},
    {"GBPOL", 72, "", 0, "", OTHER},
    {"NPSOLVATION", 72, "", 0, "", OTHER},
    {"LJ14", 0, "rrrr", 0, "", OTHER},
    {"COUL14", 0, "", 0, "", OTHER},
    {"LJC14_Q", 0, "rrrrr", 0, "", OTHER},
    {"LJC_PAIRS_NB", 0, "rrrr", 0, "", OTHER},
    {"LJ", 0, "rr", 0, "", OTHER},
    {"BHAM", 0, "rrr", 0, "", OTHER},
    {"LJ_LR", 0, "", 0, "", OTHER},
    {"BHAM_LR", 0, "", 0, "", OTHER},
    {"DISPCORR", 0, "", 0, "", OTHER},
    {"COUL_SR", 0, "", 0, "", OTHER},
    {"COUL_LR", 0, "", 0, "", OTHER},
    {"RF_EXCL", 0, "", 0, "", OTHER},
    {"COUL_RECIP", 0, "", 0, "", OTHER},
    {"LJ_RECIP", 93, "", 0, "", OTHER},
    {"DPD", 0, "", 0, "", OTHER},
    {"POLARIZATION", 0, "r", 0, "", BOND},
    {"WATER_POL", 0, "rrrrrr", 0, "", OTHER},
    {"THOLE_POL", 0, "rrrr", 127, "rrr", OTHER},
    {"ANHARM_POL", 76, "rrr", 0, "", BOND},
    {"POSRES", 0, "rrrrrrrrrrrr", 0, "", OTHER},
    {"FBPOSRES", 90, "irrrrr", 0, "", OTHER},
    {"DISRES", 0, "iirrrr", 0, "", OTHER},
    {"DISRESVIOL", 0, "", 0, "", OTHER},
    {"ORIRES", 0, "iiirrr", 0, "", OTHER},
    {"ORIRESDEV", 0, "", 0, "", OTHER},
    {"ANGRES", 0, "rrrri", 0, "", OTHER},
    {"ANGRESZ", 0, "rrrri", 0, "", OTHER},
    {"DIHRES", 0, "iirrr", 82, "rrrrrr", OTHER},
    {"DIHRESVIOL", 0, "", 0, "", OTHER},
    {"CONSTR", 0, "rr", 0, "", BOND},
    {"CONSTRNC", 0, "rr", 0, "", BOND},
    {"SETTLE", 0, "rr", 0, "", SETTLE},
    {"VSITE1", 121, "", 0, "", SITE},
    {"VSITE2", 0, "r", 0, "", SITE},
    {"VSITE2FD", 118, "r", 0, "", SITE},
    {"VSITE3", 0, "rr", 0, "", SITE},
    {"VSITE3FD", 0, "rr", 0, "", SITE},
    {"VSITE3FAD", 0, "rr", 0, "", SITE},
    {"VSITE3OUT", 0, "rrr", 0, "", SITE},
    {"VSITE4FD", 0, "rrr", 0, "", SITE},
    {"VSITE4FDN", 0, "rrr", 0, "", SITE},
    {"VSITEN", 0, "ir", 0, "", SITE},
    {"COM_PULL", 0, "", 0, "", OTHER},
    {"DENSITYFITTING", 117, "", 0, "", OTHER},
    {"EQM", 0, "", 0, "", OTHER},
    {"ENNPOT", 137, "", 0, "", OTHER},
    {"EPOT", 0, "", 0, "", OTHER},
    {"EKIN", 0, "", 0, "", OTHER},
    {"ETOT", 0, "", 0, "", OTHER},
    {"ECONSERVED", 0, "", 0, "", OTHER},
    {"TEMP", 0, "", 0, "", OTHER},
    {"VTEMP", 69, "", 0, "", OTHER},
    {"PDISPCORR", 66, "", 0, "", OTHER},
    {"PRES", 0, "", 0, "", OTHER},
    {"DVDL_CONSTR", 0, "", 0, "", OTHER},
    {"DVDL", 0, "", 0, "", OTHER},
    {"DKDL", 0, "", 0, "", OTHER},
    {"DVDL_COUL", 79, "", 0, "", OTHER},
    {"DVDL_VDW", 79, "", 0, "", OTHER},
    {"DVDL_BONDED", 79, "", 0, "", OTHER},
    {"DVDL_RESTRAINT", 79, "", 0, "", OTHER},
    {"DVDL_TEMPERATURE", 79, "", 0, "", OTHER},
};

enum { INTERACTIONS = sizeof interactions / sizeof *interactions };

void qn_tpr_bonds_clear(qn_tpr_bonds *bonds)
{
    qn_release(&bonds->pairs);
    bonds->count = bonds->capacity = 0;
}

/* The interaction with this number in a file of this version; NULL when there is none. */
static const tpr_interaction *interaction_of(const qn_tpr_bytes *bytes, int number)
{
    for (size_t i = 0; i < INTERACTIONS; i++)
        if (bytes->version >= interactions[i].since && number-- == 0) return &interactions[i];
    return NULL;
}

static size_t parameter_bytes(const qn_tpr_bytes *bytes, const tpr_interaction *interaction)
{
    size_t size = 0;
    const char *letter = interaction->changed > 0 && bytes->version >= interaction->changed
                             ? interaction->changed_parameters
                             : interaction->parameters;
    for (; *letter; letter++) size += *letter == 'r' ? qn_tpr_real_size(bytes) : 4;
    return size;
}

/* Skip the numbers of all functions, a power and a factor, and the parameters of each function. */
qn_status qn_tpr_skip_parameters(qn_tpr_bytes *bytes)
{
    size_t count;
    QN_TRY(qn_tpr_skip(bytes, "the force field", 1, 4)); /* atom types */
    QN_TRY(qn_tpr_count(bytes, "the functions of the force field", 4, &count));
    qn_tpr_bytes functions = *bytes;
    QN_TRY(qn_tpr_skip(bytes, "the functions of the force field", count, 4));
    if (bytes->version >= 66) QN_TRY(qn_tpr_skip(bytes, "the repulsion's power", 1, 8));
    QN_TRY(qn_tpr_skip(bytes, "the factor of charges", 1, qn_tpr_real_size(bytes)));
    for (size_t i = 0; i < count; i++) {
        int number;
        size_t at = functions.at;
        QN_TRY(qn_tpr_whole(&functions, "the functions of the force field", &number));
        const tpr_interaction *interaction = number >= 0 ? interaction_of(bytes, number) : NULL;
        if (!interaction)
            return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: interaction function %d, which version %d does not have",
                           bytes->path, at, number, bytes->version);
        QN_TRY(qn_tpr_skip(bytes, interaction->name, 1, parameter_bytes(bytes, interaction)));
    }
    return QN_OK;
}

static qn_status add_bond(qn_tpr_bytes *bytes, const tpr_interaction *interaction, size_t at, size_t atom_count,
                          int first, int second, qn_tpr_bonds *bonds)
{
    int wrong = first < 0 || (size_t)first >= atom_count ? first : second;
    if (wrong < 0 || (size_t)wrong >= atom_count || first == second)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %s of atoms %d and %d; expected two different atoms of %zu",
                       bytes->path, at, interaction->name, first, second, atom_count);
    void *pairs = bonds->pairs;
    qn_status status = qn_grow(&pairs, &bonds->capacity, bonds->count + 1, sizeof *bonds->pairs);
    bonds->pairs = pairs;
    QN_TRY(status);
    uint32_t *pair = bonds->pairs[bonds->count++];
    pair[0] = (uint32_t)first;
    pair[1] = (uint32_t)second;
    return QN_OK;
}

/* Number of whole numbers in one entry: the function and its atoms. */
static size_t entry_length(const qn_tpr_bytes *bytes, const tpr_interaction *interaction)
{
    static const struct {
        const char *name;
        size_t length;
    } sites[] = {{"VSITE1", 3}, {"VSITE2", 4}, {"VSITE2FD", 4}, {"VSITEN", 3}, {"VSITE4FD", 6}, {"VSITE4FDN", 6}};
    if (interaction->role == BOND) return 3;
    if (interaction->role == SETTLE) return bytes->version < 78 ? 2 : 4;
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        if (strcmp(sites[i].name, interaction->name) == 0) return sites[i].length;
    return 5;
}

static qn_status read_entry(qn_tpr_bytes *bytes, const tpr_interaction *interaction, size_t length, size_t atom_count,
                            qn_tpr_bonds *bonds)
{
    int numbers[6] = {0};
    size_t at = bytes->at;
    for (size_t i = 0; i < length; i++) QN_TRY(qn_tpr_whole(bytes, interaction->name, &numbers[i]));
    if (interaction->role != SETTLE) return add_bond(bytes, interaction, at, atom_count, numbers[1], numbers[2], bonds);
    if (length == 2 && numbers[1] >= 0 && (size_t)numbers[1] < atom_count) {
        numbers[2] = numbers[1] + 1;
        numbers[3] = numbers[1] + 2;
    }
    QN_TRY(add_bond(bytes, interaction, at, atom_count, numbers[1], numbers[2], bonds));
    return add_bond(bytes, interaction, at, atom_count, numbers[1], numbers[3], bonds);
}

static qn_status read_list(qn_tpr_bytes *bytes, const tpr_interaction *interaction, size_t atom_count,
                           qn_tpr_bonds *bonds)
{
    size_t count, at = bytes->at;
    QN_TRY(qn_tpr_count(bytes, interaction->name, 4, &count));
    if (!bonds || interaction->role == OTHER) return qn_tpr_skip(bytes, interaction->name, count, 4);
    size_t length = entry_length(bytes, interaction);
    if (count % length != 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %s has %zu numbers; expected %zu for each", bytes->path, at,
                       interaction->name, count, length);
    for (size_t i = 0; i < count / length; i++) QN_TRY(read_entry(bytes, interaction, length, atom_count, bonds));
    return QN_OK;
}

qn_status qn_tpr_read_lists(qn_tpr_bytes *bytes, size_t atom_count, qn_tpr_bonds *bonds)
{
    for (size_t i = 0; i < INTERACTIONS; i++)
        if (bytes->version >= interactions[i].since) QN_TRY(read_list(bytes, &interactions[i], atom_count, bonds));
    return QN_OK;
}

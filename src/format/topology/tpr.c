/* GROMACS run input files (TPR): the whole topology, box and starting positions. Versions 58 (GROMACS 4.0) to 138
 * (2026). The layout has no public description; it was found by comparing files of all these versions with the output
 * of "gmx dump". Order: a header (format version, precision, counts, flags of the parts that follow), the box, all
 * names (one table of texts, to which later parts refer by index), parameters of the force field, molecule types
 * (atoms, residues, interactions), blocks of equal molecules, force-field extras, groups, positions. Settings of the
 * run follow and are not read. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/topology/topology_format.h"
#include "format/topology/tpr_interactions.h"
#include "model/element_mass.h"

enum { OLDEST_VERSION = 58, NEWEST_VERSION = 138, GROUP_KINDS = 10 };

typedef struct tpr_header {
    size_t atom_count;
    int temperature_groups;
    int has_settings, has_topology, has_positions, has_velocities, has_forces, has_box;
} tpr_header;

typedef struct tpr_molecule_type {
    qn_tpr_text name;
    size_t first_atom, atom_count;       /* in the file's atoms */
    size_t first_residue, residue_count; /* in the file's residues */
    qn_tpr_bonds bonds;
} tpr_molecule_type;

/* An atom or residue of a molecule type. */
typedef struct tpr_atom {
    double mass_u, charge_e;
    int residue, number, kind; /* number: atomic; residue: within the molecule type */
    uint32_t name, type;       /* indices into the texts */
} tpr_atom;

typedef struct tpr_residue {
    uint32_t name;
    int number;
    char insertion;
} tpr_residue;

typedef struct tpr_block {
    size_t type, count;
} tpr_block;

typedef struct tpr_file {
    qn_tpr_bytes bytes;
    tpr_header header;
    size_t text_count, type_count, block_count;
    size_t atom_count, atom_capacity, residue_count, residue_capacity; /* of all molecule types */
    qn_tpr_text *texts;
    tpr_molecule_type *types;
    tpr_block *blocks;
    tpr_atom *atoms;
    tpr_residue *residues;
} tpr_file;

static void clear(tpr_file *file)
{
    for (size_t i = 0; i < file->type_count; i++) qn_tpr_bonds_clear(&file->types[i].bonds);
    qn_release(&file->texts);
    qn_release(&file->types);
    qn_release(&file->blocks);
    qn_release(&file->atoms);
    qn_release(&file->residues);
}

static bool recognise(const char *data, size_t size)
{
    return size >= 16 && memcmp(data, "\0\0\0", 3) == 0 && memcmp(data + 8, "VERSION ", 8) == 0;
}

static qn_status read_version(qn_tpr_bytes *bytes, int *generation)
{
    qn_tpr_text text;
    int precision;
    QN_TRY(qn_tpr_string(bytes, "the name of the program's version", &text));
    size_t at = bytes->at;
    QN_TRY(qn_tpr_whole(bytes, "the precision", &precision));
    if (precision != 4 && precision != 8)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: numbers of %d bytes; expected 4 or 8", bytes->path, at, precision);
    bytes->is_double = precision == 8;
    at = bytes->at;
    QN_TRY(qn_tpr_whole(bytes, "the version of the format", &bytes->version));
    if (bytes->version < OLDEST_VERSION || bytes->version > NEWEST_VERSION)
        return QN_FAIL(
            QN_UNSUPPORTED,
            "%s: byte %zu: TPR version %d (written by \"%s\"); expected %d to %d, GROMACS 4.0 to 2026; a table of "
            "atoms can be used instead",
            bytes->path, at, bytes->version, qn_quote(text.text, text.length).text, OLDEST_VERSION, NEWEST_VERSION);
    if (bytes->version >= 77 && bytes->version <= 79) QN_TRY(qn_tpr_string(bytes, "the tag", &text));
    QN_TRY(qn_tpr_whole(bytes, "the generation of the format", generation));
    if (bytes->version >= 80) QN_TRY(qn_tpr_string(bytes, "the tag", &text));
    return QN_OK;
}

static qn_status read_header(tpr_file *file)
{
    qn_tpr_bytes *bytes = &file->bytes;
    tpr_header *header = &file->header;
    int generation, *flags[] = {&header->has_settings,   &header->has_topology, &header->has_positions,
                                &header->has_velocities, &header->has_forces,   &header->has_box};
    QN_TRY(read_version(bytes, &generation));
    const int version = bytes->version;
    const size_t real = qn_tpr_real_size(bytes);
    QN_TRY(qn_tpr_count(bytes, "atoms", 1, &header->atom_count));
    QN_TRY(qn_tpr_whole(bytes, "the number of temperature groups", &header->temperature_groups));
    if (version < 62) QN_TRY(qn_tpr_skip(bytes, "the header", 1, 4 + real));
    if (version >= 79) QN_TRY(qn_tpr_skip(bytes, "the header", 1, 4));
    QN_TRY(qn_tpr_skip(bytes, "the header", 1, real)); /* λ */
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) QN_TRY(qn_tpr_whole(bytes, "the header", flags[i]));
    bytes->packed = version >= 119 && generation >= 27;
    if (bytes->packed) QN_TRY(qn_tpr_skip(bytes, "the header", 1, 8)); /* bytes that follow */
    if (!header->has_topology)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: the file holds no topology", bytes->path, bytes->at);
    return QN_OK;
}

/* Read the box; skip two more matrices and the state of the thermostats. */
static qn_status read_state(tpr_file *file, double box_nm[9])
{
    qn_tpr_bytes *bytes = &file->bytes;
    const size_t real = qn_tpr_real_size(bytes), arrays = bytes->version < 69 ? 2 : 1;
    if (file->header.has_box) {
        for (int i = 0; i < 9; i++) QN_TRY(qn_tpr_length(bytes, "the box", &box_nm[i]));
        QN_TRY(qn_tpr_skip(bytes, "the box", 18, real));
    }
    if (file->header.temperature_groups <= 0) return QN_OK;
    return qn_tpr_skip(bytes, "the temperature groups", (size_t)file->header.temperature_groups, arrays * real);
}

static qn_status read_texts(tpr_file *file)
{
    qn_tpr_bytes *bytes = &file->bytes;
    void *memory;
    size_t count;
    QN_TRY(qn_tpr_count(bytes, "names", 8, &count)); /* in old and new files the length alone takes eight bytes */
    QN_TRY(qn_allocate(count, sizeof *file->texts, &memory));
    file->texts = memory;
    file->text_count = count;
    for (size_t i = 0; i < count; i++) QN_TRY(qn_tpr_string(bytes, "a name", &file->texts[i]));
    return QN_OK;
}

/* Read an index into the texts. */
static qn_status read_name(tpr_file *file, const char *what, uint32_t *name)
{
    size_t at = file->bytes.at;
    int index;
    QN_TRY(qn_tpr_whole(&file->bytes, what, &index));
    if (index < 0 || (size_t)index >= file->text_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %s is number %d of %zu names", file->bytes.path, at, what, index,
                       file->text_count);
    *name = (uint32_t)index;
    return QN_OK;
}

static qn_status read_atom(tpr_file *file, size_t residue_count, tpr_atom *atom)
{
    qn_tpr_bytes *bytes = &file->bytes;
    size_t at = bytes->at;
    QN_TRY(qn_tpr_length(bytes, "a mass", &atom->mass_u));
    QN_TRY(qn_tpr_length(bytes, "a charge", &atom->charge_e));
    if (atom->mass_u < 0)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: mass %g is negative", bytes->path, at, atom->mass_u);
    QN_TRY(
        qn_tpr_skip(bytes, "an atom", 2, qn_tpr_real_size(bytes) + qn_tpr_short_size(bytes))); /* of state B, types */
    QN_TRY(qn_tpr_whole(bytes, "an atom", &atom->kind));
    at = bytes->at;
    QN_TRY(qn_tpr_whole(bytes, "an atom", &atom->residue));
    if (atom->residue < 0 || (size_t)atom->residue >= residue_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: an atom of residue %d; expected less than %zu", bytes->path, at,
                       atom->residue, residue_count);
    return qn_tpr_whole(bytes, "an atom", &atom->number);
}

static qn_status read_residue(tpr_file *file, int index, tpr_residue *residue)
{
    qn_tpr_bytes *bytes = &file->bytes;
    QN_TRY(read_name(file, "the name of a residue", &residue->name));
    residue->number = index + 1;
    if (bytes->version < 63) return QN_OK;
    QN_TRY(qn_tpr_whole(bytes, "the number of a residue", &residue->number));
    size_t size = qn_tpr_byte_size(bytes);
    QN_TRY(qn_tpr_skip(bytes, "the insertion code of a residue", 1, size));
    char insertion = bytes->data[bytes->at - 1]; /* the last byte of the field */
    residue->insertion = insertion > ' ' && insertion <= '~' ? insertion : '\0';
    return QN_OK;
}

static qn_status reserve(tpr_file *file, size_t atoms, size_t residues)
{
    void *memory = file->atoms;
    qn_status status = qn_grow(&memory, &file->atom_capacity, file->atom_count + atoms, sizeof *file->atoms);
    file->atoms = memory;
    QN_TRY(status);
    memory = file->residues;
    status = qn_grow(&memory, &file->residue_capacity, file->residue_count + residues, sizeof *file->residues);
    file->residues = memory;
    return status;
}

static qn_status read_atoms(tpr_file *file, tpr_molecule_type *type)
{
    qn_tpr_bytes *bytes = &file->bytes;
    uint32_t unused;
    QN_TRY(qn_tpr_count(bytes, "the atoms of a molecule", 4 * qn_tpr_real_size(bytes) + 28, &type->atom_count));
    QN_TRY(qn_tpr_count(bytes, "the residues of a molecule", 4, &type->residue_count));
    QN_TRY(reserve(file, type->atom_count + 1,
                   type->residue_count + 1)); /* at least one each, so that the arrays exist below */
    tpr_atom *atoms = file->atoms + file->atom_count;
    tpr_residue *residues = file->residues + file->residue_count;
    memset(atoms, 0, type->atom_count * sizeof *atoms);
    memset(residues, 0, type->residue_count * sizeof *residues);
    for (size_t i = 0; i < type->atom_count; i++) QN_TRY(read_atom(file, type->residue_count, &atoms[i]));
    for (size_t i = 0; i < type->atom_count; i++) QN_TRY(read_name(file, "the name of an atom", &atoms[i].name));
    for (size_t i = 0; i < type->atom_count; i++) QN_TRY(read_name(file, "the type of an atom", &atoms[i].type));
    for (size_t i = 0; i < type->atom_count; i++) QN_TRY(read_name(file, "the type of an atom", &unused));
    for (size_t i = 0; i < type->residue_count; i++) QN_TRY(read_residue(file, (int)i, &residues[i]));
    type->first_atom = file->atom_count;
    type->first_residue = file->residue_count;
    file->atom_count += type->atom_count;
    file->residue_count += type->residue_count;
    return QN_OK;
}

/* Skip charge groups (the starts of all groups and one end) and exclusions (the same, and then the atoms). */
static qn_status skip_groups_and_exclusions(qn_tpr_bytes *bytes)
{
    size_t groups, lists, excluded;
    QN_TRY(qn_tpr_count(bytes, "charge groups", 4, &groups));
    QN_TRY(qn_tpr_skip(bytes, "charge groups", groups + 1, 4));
    QN_TRY(qn_tpr_count(bytes, "exclusions", 4, &lists));
    QN_TRY(qn_tpr_count(bytes, "exclusions", 4, &excluded));
    return qn_tpr_skip(bytes, "exclusions", lists + 1 + excluded, 4);
}

static qn_status read_types(tpr_file *file)
{
    qn_tpr_bytes *bytes = &file->bytes;
    const size_t smallest = 4 * 90; /* bytes of the empty lists alone */
    void *memory;
    size_t count;
    QN_TRY(qn_tpr_count(bytes, "molecule types", 4, &count));
    if (count > (bytes->size - bytes->at) / smallest + 1)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %zu molecule types in the %zu bytes that are left", bytes->path,
                       bytes->at - 4, count, bytes->size - bytes->at);
    QN_TRY(qn_allocate(count, sizeof *file->types, &memory));
    file->types = memory;
    file->type_count = count;
    for (size_t i = 0; i < count; i++) {
        tpr_molecule_type *type = &file->types[i];
        uint32_t name;
        QN_TRY(read_name(file, "the name of a molecule", &name));
        type->name = file->texts[name];
        QN_TRY(read_atoms(file, type));
        QN_TRY(qn_tpr_read_lists(bytes, type->atom_count, &type->bonds));
        QN_TRY(skip_groups_and_exclusions(bytes));
    }
    return QN_OK;
}

/* Skip reference positions of position restraints, of both states. */
static qn_status skip_restraints(qn_tpr_bytes *bytes)
{
    for (int state = 0; state < 2; state++) {
        size_t count, position = 3 * qn_tpr_real_size(bytes);
        QN_TRY(qn_tpr_count(bytes, "restrained positions", position, &count));
        QN_TRY(qn_tpr_skip(bytes, "restrained positions", count, position));
    }
    return QN_OK;
}

static qn_status read_block(tpr_file *file, tpr_block *block, uint64_t *atoms)
{
    qn_tpr_bytes *bytes = &file->bytes;
    int type, atoms_each;
    size_t at = bytes->at;
    QN_TRY(qn_tpr_whole(bytes, "a block of molecules", &type));
    if (type < 0 || (size_t)type >= file->type_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: molecules of type %d; expected less than %zu", bytes->path, at,
                       type, file->type_count);
    QN_TRY(qn_tpr_count(bytes, "molecules", 0, &block->count));
    QN_TRY(qn_tpr_whole(bytes, "a block of molecules", &atoms_each));
    block->type = (size_t)type;
    size_t expected = file->types[type].atom_count;
    if (atoms_each < 0 || (size_t)atoms_each != expected)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: molecules of %d atoms; expected %zu, as the molecule type has",
                       bytes->path, at, atoms_each, expected);
    *atoms += (uint64_t)block->count * expected;
    if (*atoms > file->header.atom_count || (expected == 0 && block->count > 0))
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: %zu molecules of %zu atoms; expected %zu atoms in all",
                       bytes->path, at, block->count, expected, file->header.atom_count);
    return skip_restraints(bytes);
}

static qn_status read_blocks(tpr_file *file)
{
    qn_tpr_bytes *bytes = &file->bytes;
    void *memory;
    uint64_t atoms = 0;
    size_t count;
    QN_TRY(qn_tpr_count(bytes, "blocks of molecules", 20, &count));
    QN_TRY(qn_allocate(count, sizeof *file->blocks, &memory));
    file->blocks = memory;
    file->block_count = count;
    for (size_t i = 0; i < count; i++) QN_TRY(read_block(file, &file->blocks[i], &atoms));
    if (atoms != file->header.atom_count)
        return QN_FAIL(QN_BAD_FORMAT, "%s: byte %zu: the molecules have %llu atoms; expected %zu, as the header says",
                       bytes->path, bytes->at, (unsigned long long)atoms, file->header.atom_count);
    return QN_OK;
}

/* Skip the parts between molecules and groups: interactions between molecules, properties of atom types, and maps of
 * dihedral corrections. */
static qn_status skip_extras(qn_tpr_bytes *bytes)
{
    const size_t real = qn_tpr_real_size(bytes), byte = qn_tpr_byte_size(bytes);
    size_t count, points;
    QN_TRY(qn_tpr_skip(bytes, "the number of atoms", 1, 4));
    if (bytes->version >= 103) {
        QN_TRY(qn_tpr_skip(bytes, "interactions of molecules", 1, byte));
        if (bytes->data[bytes->at - 1]) QN_TRY(qn_tpr_read_lists(bytes, 0, NULL));
    }
    if (bytes->version < 128) {
        const size_t reals = bytes->version >= 113 ? 0 : bytes->version >= 60 ? 5 : 3;
        QN_TRY(qn_tpr_count(bytes, "atom types", 4 + reals * real, &count));
        QN_TRY(qn_tpr_skip(bytes, "atom types", count, 4 + reals * real));
    }
    if (bytes->version < 65) return QN_OK;
    QN_TRY(qn_tpr_count(bytes, "maps of dihedrals", 0, &count));
    QN_TRY(qn_tpr_count(bytes, "points of a map of dihedrals", 0, &points));
    for (size_t i = 0; i < count && points > 0; i++)
        QN_TRY(qn_tpr_skip(bytes, "a map of dihedrals", points, points * 4 * real));
    return QN_OK;
}

static qn_status skip_groups(tpr_file *file)
{
    qn_tpr_bytes *bytes = &file->bytes;
    const size_t byte = qn_tpr_byte_size(bytes);
    size_t count;
    for (int kind = 0; kind < GROUP_KINDS; kind++) {
        QN_TRY(qn_tpr_count(bytes, "groups", 4, &count));
        QN_TRY(qn_tpr_skip(bytes, "groups", count, 4));
    }
    QN_TRY(qn_tpr_count(bytes, "names of groups", 4, &count));
    QN_TRY(qn_tpr_skip(bytes, "names of groups", count, 4));
    for (int kind = 0; kind < GROUP_KINDS; kind++) {
        QN_TRY(qn_tpr_count(bytes, "members of groups", byte, &count));
        QN_TRY(qn_tpr_skip(bytes, "members of groups", count, byte));
    }
    if (bytes->version < 120) return QN_OK;
    int64_t excluded;
    QN_TRY(qn_tpr_whole64(bytes, "the excluded group", &excluded));
    return qn_tpr_skip(bytes, "the excluded group", excluded < 0 ? SIZE_MAX : (size_t)excluded, 4);
}

/* Append one molecule's residues. Residues of molecules with a single residue are numbered consecutively, as GROMACS
 * numbers them. */
static qn_status append_molecule(const tpr_file *file, const tpr_molecule_type *type, uint32_t molecule, int *number,
                                 qn_topology *topology)
{
    enum { VIRTUAL_SITE = 4 };
    const size_t first = topology->atom_count;
    int last = -1;
    for (size_t i = 0; i < type->atom_count; i++) {
        const tpr_atom *source = &file->atoms[type->first_atom + i];
        const qn_tpr_text name = file->texts[source->name], kind = file->texts[source->type];
        qn_topology_atom atom = {.molecule = molecule, .mass_u = source->mass_u, .charge_e = source->charge_e};
        if (source->residue != last) {
            const tpr_residue *home = &file->residues[type->first_residue + (size_t)source->residue];
            const qn_tpr_text text = file->texts[home->name];
            qn_topology_residue residue = {.number = home->number, .insertion = home->insertion};
            if (type->residue_count == 1 && *number < INT_MAX) residue.number = ++*number;
            qn_topology_set_name(residue.name, sizeof residue.name, text.text, text.length);
            qn_topology_set_name(residue.segment, sizeof residue.segment, type->name.text, type->name.length);
            QN_TRY(qn_topology_append_residue(topology, &residue));
            last = source->residue;
        }
        const char *symbol = qn_element_symbol(source->number);
        if (symbol) strcpy(atom.element, symbol);
        if (!symbol && source->kind == VIRTUAL_SITE) strcpy(atom.element, "X");
        qn_topology_set_name(atom.name, sizeof atom.name, name.text, name.length);
        qn_topology_set_name(atom.type, sizeof atom.type, kind.text, kind.length);
        QN_TRY(qn_topology_append_atom(topology, &atom));
    }
    for (size_t i = 0; i < type->bonds.count; i++)
        QN_TRY(qn_topology_append_bond(topology, first + type->bonds.pairs[i][0], first + type->bonds.pairs[i][1]));
    return QN_OK;
}

/* The largest residue number that is not assigned consecutively. */
static int last_number(const tpr_file *file)
{
    int number = 0;
    for (size_t t = 0; t < file->type_count; t++) {
        const tpr_molecule_type *type = &file->types[t];
        if (type->residue_count == 1) continue;
        for (size_t r = 0; r < type->residue_count; r++) {
            int other = file->residues[type->first_residue + r].number;
            if (other > number && other < INT_MAX / 2) number = other;
        }
    }
    return number;
}

static qn_status check_bonds(const tpr_file *file)
{
    const size_t most_of_an_atom =
        64; /* elastic networks have about ten; the limit keeps hostile files from filling the memory */
    for (size_t t = 0; t < file->type_count; t++)
        if (file->types[t].bonds.count / most_of_an_atom > file->types[t].atom_count)
            return QN_FAIL(QN_UNSUPPORTED, "%s: a molecule of %zu atoms has %zu bonds; expected at most %zu per atom",
                           file->bytes.path, file->types[t].atom_count, file->types[t].bonds.count, most_of_an_atom);
    return QN_OK;
}

/* Reserve the topology's memory. It was checked before that the blocks have as many atoms as the header states, and
 * that the file holds them. */
static qn_status reserve_topology(const tpr_file *file, qn_topology *topology)
{
    const size_t atoms = file->header.atom_count;
    size_t residues = 0, bonds = 0;
    for (size_t b = 0; b < file->block_count; b++) {
        const tpr_molecule_type *type = &file->types[file->blocks[b].type];
        residues += file->blocks[b].count * type->residue_count;
        bonds += file->blocks[b].count * type->bonds.count;
    }
    return qn_topology_reserve(topology, atoms, residues < atoms ? residues : atoms, bonds);
}

static qn_status build(const tpr_file *file, qn_topology *topology)
{
    uint32_t molecule = 0;
    int number = last_number(file);
    QN_TRY(check_bonds(file));
    QN_TRY(reserve_topology(file, topology));
    for (size_t b = 0; b < file->block_count; b++)
        for (size_t i = 0; i < file->blocks[b].count; i++)
            QN_TRY(append_molecule(file, &file->types[file->blocks[b].type], molecule++, &number, topology));
    topology->masses = QN_MASSES_FROM_FILE;
    topology->has_charges = topology->has_types = topology->has_bonds = true;
    return QN_OK;
}

static qn_status read_positions(tpr_file *file, qn_topology *topology)
{
    qn_tpr_bytes *bytes = &file->bytes;
    if (!file->header.has_positions) return QN_OK;
    for (size_t i = 0; i < topology->atom_count; i++) {
        double position_nm[3];
        for (int axis = 0; axis < 3; axis++) QN_TRY(qn_tpr_length(bytes, "the positions", &position_nm[axis]));
        QN_TRY(qn_topology_append_position(topology, position_nm));
    }
    return QN_OK;
}

static qn_status read_file(tpr_file *file, qn_topology *topology)
{
    uint32_t name;
    QN_TRY(read_header(file));
    QN_TRY(read_state(file, topology->box_nm));
    QN_TRY(read_texts(file));
    QN_TRY(read_name(file, "the name of the system", &name));
    QN_TRY(qn_tpr_skip_parameters(&file->bytes));
    QN_TRY(read_types(file));
    QN_TRY(read_blocks(file));
    QN_TRY(skip_extras(&file->bytes));
    QN_TRY(skip_groups(file));
    QN_TRY(build(file, topology));
    return read_positions(file, topology);
}

static qn_status read(const char *path, const char *data, size_t size, qn_topology *topology)
{
    tpr_file file = {.bytes = {.path = path, .data = data, .size = size}};
    qn_status status = read_file(&file, topology);
    clear(&file);
    return status;
}

const qn_topology_format qn_topology_tpr = {"TPR", recognise, read, QN_MOLECULES_OF_FILE};

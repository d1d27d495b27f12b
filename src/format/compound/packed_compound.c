/* One compound as packed bytes; docs/formats/packed_library.md has the layout. */
#define ZLIB_CONST
#include <math.h>
#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/compound/packed_library.h"
#include "format/packed_bytes.h"

enum {
    HAS_FLAT = 1,
    HAS_NAMES = 2,
    HAS_TYPES = 4,
    HAS_PARTIAL_CHARGES = 8,
    HAS_HYDROGENS = 16,
    HAS_CHARGES = 32,
    HAS_PACKED_TEXT = 64,
    CHECKSUM_BYTES = 4,
    ORDERS = 5,
    ESCAPE = 0xffff, /* precedes a coordinate step that is too long for two bytes */
    LONGEST_WORD = 7
};

/* Limits on the unpacked size of a molecule, whatever its packed size: bytes of text and number of data items. */
static const size_t most_text_bytes = (size_t)64 << 20, most_properties = (size_t)1 << 20;

static const double units_per_angstrom = 1e4, largest_angstrom = 1e5;

/* By atomic number; D and T come last. */
static const char elements[][4] = {
    "X",  "H",  "HE", "LI", "BE", "B",  "C",  "N",  "O",  "F",  "NE", "NA", "MG", "AL", "SI", "P",  "S",  "CL",
    "AR", "K",  "CA", "SC", "TI", "V",  "CR", "MN", "FE", "CO", "NI", "CU", "ZN", "GA", "GE", "AS", "SE", "BR",
    "KR", "RB", "SR", "Y",  "ZR", "NB", "MO", "TC", "RU", "RH", "PD", "AG", "CD", "IN", "SN", "SB", "TE", "I",
    "XE", "CS", "BA", "LA", "CE", "PR", "ND", "PM", "SM", "EU", "GD", "TB", "DY", "HO", "ER", "TM", "YB", "LU",
    "HF", "TA", "W",  "RE", "OS", "IR", "PT", "AU", "HG", "TL", "PB", "BI", "PO", "AT", "RN", "FR", "RA", "AC",
    "TH", "PA", "U",  "NP", "PU", "AM", "CM", "BK", "CF", "ES", "FM", "MD", "NO", "LR", "RF", "DB", "SG", "BH",
    "HS", "MT", "DS", "RG", "CN", "NH", "FL", "MC", "LV", "TS", "OG", "D",  "T"};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static int find_element(const char *symbol)
{
    for (int i = 0; i < ELEMENTS; i++)
        if (strcmp(elements[i], symbol) == 0) return i;
    return -1;
}

/* Find the atom that the step to each atom starts from: a neighbour with a lower index, else the previous atom, else
 * the atom itself. */
static qn_status find_origins(const qn_compound *compound, int **origins)
{
    void *memory;
    QN_TRY(qn_allocate(compound->atom_count, sizeof(int), &memory));
    int *origin = *origins = memory;
    for (size_t i = 0; i < compound->atom_count; i++) origin[i] = i > 0 ? (int)i - 1 : 0;
    for (size_t b = compound->bond_count; b-- > 0;) {
        int first = compound->bonds[b].first, second = compound->bonds[b].second;
        origin[first > second ? first : second] = first < second ? first : second;
    }
    return QN_OK;
}

static int find_flags(const qn_compound *compound)
{
    int flags = compound->flat ? HAS_FLAT : 0;
    for (size_t i = 0; i < compound->atom_count; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        if (atom->name[0]) flags |= HAS_NAMES;
        if (atom->type[0]) flags |= HAS_TYPES;
        if (atom->has_partial_charge) flags |= HAS_PARTIAL_CHARGES;
        if (atom->hydrogens != -1) flags |= HAS_HYDROGENS;
        if (atom->charge_e != 0) flags |= HAS_CHARGES;
    }
    return flags;
}

static qn_status pack_atoms(const qn_compound *compound, int flags, qn_text *bytes)
{
    for (size_t i = 0; i < compound->atom_count; i++) {
        int element = find_element(compound->atoms[i].element);
        if (element < 0)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu is \"%s\"; expected the symbol of an element in capitals",
                           compound->name, i + 1, compound->atoms[i].element);
        QN_TRY(qn_packed_put(bytes, (uint64_t)element, 1));
    }
    for (size_t i = 0; i < compound->atom_count && flags & HAS_HYDROGENS; i++)
        QN_TRY(qn_packed_put(bytes, (unsigned char)compound->atoms[i].hydrogens, 1));
    for (size_t i = 0; i < compound->atom_count && flags & HAS_CHARGES; i++)
        QN_TRY(qn_packed_put(bytes, (unsigned char)compound->atoms[i].charge_e, 1));
    for (size_t i = 0; i < compound->atom_count && flags & HAS_PARTIAL_CHARGES; i++) {
        const qn_compound_atom *atom = &compound->atoms[i];
        float charge = atom->has_partial_charge ? atom->partial_charge_e : NAN; /* NaN: no charge */
        uint32_t bits;
        memcpy(&bits, &charge, sizeof bits);
        QN_TRY(qn_packed_put(bytes, bits, 4));
    }
    return QN_OK;
}

/* For every bond: the step of its first atom from the first atom of the previous bond, and the step to the second atom
 * together with the order. */
static qn_status pack_bonds(const qn_compound *compound, qn_text *bytes)
{
    for (size_t b = 0; b < compound->bond_count; b++) {
        const qn_compound_bond *bond = &compound->bonds[b];
        int before = b > 0 ? compound->bonds[b - 1].first : 0;
        QN_TRY(qn_packed_put_whole(bytes, qn_packed_fold(bond->first - before)));
        QN_TRY(qn_packed_put_whole(bytes, qn_packed_fold(bond->second - bond->first) * ORDERS + (uint64_t)bond->order));
    }
    return QN_OK;
}

static qn_status pack_positions(const qn_compound *compound, const int *origin, qn_text *bytes)
{
    for (size_t c = 0; c < compound->conformer_count; c++) {
        const double *positions = qn_compound_positions(compound, c);
        for (size_t i = 0; i < 3 * compound->atom_count; i++) {
            size_t atom = i / 3, from = 3 * (size_t)origin[atom] + i % 3;
            if (!(fabs(positions[i]) <= largest_angstrom))
                return QN_FAIL(QN_INVALID_ARGUMENT, "%s: atom %zu has no position within %.0f Å", compound->name,
                               atom + 1, largest_angstrom);
            int64_t step = llround(positions[i] * units_per_angstrom);
            if (atom > 0) step -= llround(positions[from] * units_per_angstrom);
            uint64_t folded = qn_packed_fold(step);
            QN_TRY(qn_packed_put(bytes, folded < ESCAPE ? folded : ESCAPE, 2));
            if (folded >= ESCAPE) QN_TRY(qn_packed_put_whole(bytes, folded));
        }
    }
    return QN_OK;
}

static qn_status put_word(qn_text *text, const char *word)
{
    return qn_text_append_bytes(text, word, strlen(word) + 1);
}

/* All texts, each followed by a zero byte. */
static qn_status gather_text(const qn_compound *compound, int flags, qn_text *text)
{
    QN_TRY(put_word(text, compound->name));
    for (size_t i = 0; i < compound->atom_count && flags & HAS_NAMES; i++)
        QN_TRY(put_word(text, compound->atoms[i].name));
    for (size_t i = 0; i < compound->atom_count && flags & HAS_TYPES; i++)
        QN_TRY(put_word(text, compound->atoms[i].type));
    for (size_t i = 0; i < compound->property_count; i++) {
        QN_TRY(put_word(text, compound->properties[i].name));
        QN_TRY(put_word(text, compound->properties[i].value));
    }
    return QN_OK;
}

/* `packed` has room for text->length bytes; *size is 0 when that is not enough. */
static qn_status deflate_text(const qn_text *text, char *packed, size_t *size)
{
    z_stream z = {.next_in = (const Bytef *)text->data,
                  .avail_in = (uInt)text->length,
                  .next_out = (Bytef *)packed,
                  .avail_out = (uInt)text->length};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return QN_FAIL(QN_OUT_OF_MEMORY, "cannot begin to pack %zu bytes of text", text->length);
    *size = deflate(&z, Z_FINISH) == Z_STREAM_END ? (size_t)z.total_out : 0;
    deflateEnd(&z);
    return QN_OK;
}

static qn_status pack_text(const qn_text *text, size_t flags_at, qn_text *bytes)
{
    const size_t worthwhile = 48; /* shorter texts do not get smaller */
    void *packed;
    size_t size = 0;
    if (text->length > most_text_bytes)
        return QN_FAIL(QN_UNSUPPORTED, "%s: over %zu MiB of text in one molecule", text->data, most_text_bytes >> 20);
    QN_TRY(qn_packed_put_whole(bytes, text->length));
    QN_TRY(qn_allocate(text->length, 1, &packed));
    qn_status status = text->length > worthwhile ? deflate_text(text, packed, &size) : QN_OK;
    if (status == QN_OK) status = qn_text_append_bytes(bytes, size ? packed : text->data, size ? size : text->length);
    if (status == QN_OK && size) bytes->data[flags_at] |= HAS_PACKED_TEXT;
    qn_release(&packed);
    return status;
}

static qn_status pack_parts(const qn_compound *compound, const int *origin, qn_text *text, qn_text *bytes)
{
    int flags = find_flags(compound);
    size_t start = bytes->length;
    QN_TRY(qn_packed_put(bytes, 0, CHECKSUM_BYTES));
    QN_TRY(qn_packed_put(bytes, (uint64_t)flags, 1));
    QN_TRY(qn_packed_put_whole(bytes, compound->atom_count));
    QN_TRY(qn_packed_put_whole(bytes, compound->bond_count));
    QN_TRY(qn_packed_put_whole(bytes, compound->conformer_count));
    QN_TRY(qn_packed_put_whole(bytes, compound->property_count));
    QN_TRY(pack_atoms(compound, flags, bytes));
    QN_TRY(pack_bonds(compound, bytes));
    QN_TRY(pack_positions(compound, origin, bytes));
    QN_TRY(gather_text(compound, flags, text));
    QN_TRY(pack_text(text, start + CHECKSUM_BYTES, bytes));
    unsigned char *packed = (unsigned char *)bytes->data + start;
    size_t size = bytes->length - start - CHECKSUM_BYTES;
    qn_packed_store(crc32_z(0, packed + CHECKSUM_BYTES, size), CHECKSUM_BYTES, packed);
    return QN_OK;
}

qn_status qn_compound_pack(const qn_compound *compound, qn_text *bytes)
{
    int *origin;
    qn_text text = {0};
    size_t before = bytes->length;
    if (compound->atom_count == 0 || compound->conformer_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s: has no atoms or no positions; a packed library needs both",
                       compound->name);
    if (compound->property_count > most_properties)
        return QN_FAIL(QN_UNSUPPORTED, "%s: %zu data items; expected at most %zu", compound->name,
                       compound->property_count, most_properties);
    QN_TRY(find_origins(compound, &origin));
    qn_status status = pack_parts(compound, origin, &text, bytes);
    if (status != QN_OK) bytes->length = before;
    qn_release(&origin);
    qn_text_clear(&text);
    return status;
}

typedef struct unpacker {
    const qn_compound_record *record;
    qn_packed_cursor cursor;
    qn_compound *compound;
    uint64_t flags, properties;
    char *text; /* text_size bytes and a terminating zero */
    size_t text_size, text_at;
    int *origin;
} unpacker;

static qn_status damaged(const unpacker *u, const char *what)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s: molecule %llu of the packed library is damaged: %s", u->record->path,
                   (unsigned long long)u->record->index + 1, what);
}

static qn_status unpack_head(unpacker *u)
{
    qn_packed_cursor *cursor = &u->cursor;
    uint64_t sum = qn_packed_get(cursor, CHECKSUM_BYTES);
    if (cursor->damaged || sum != crc32_z(0, cursor->next, (size_t)(cursor->end - cursor->next)))
        return damaged(u, "its checksum does not match its bytes");
    u->flags = qn_packed_get(cursor, 1);
    uint64_t atoms = qn_packed_get_whole(cursor), bonds = qn_packed_get_whole(cursor);
    uint64_t conformers = qn_packed_get_whole(cursor), left = (uint64_t)(cursor->end - cursor->next);
    u->properties = qn_packed_get_whole(cursor);
    if (!cursor->damaged && (atoms == 0 || conformers == 0)) return damaged(u, "it has no atoms or no positions");
    if (cursor->damaged || atoms > left || bonds > left / 2 || conformers > left / (6 * atoms))
        return damaged(u, "it has fewer bytes than its numbers of atoms and bonds need");
    if (u->properties > most_properties) return damaged(u, "it has more data items than a molecule may have");
    return qn_compound_create("", atoms, bonds, conformers, &u->compound);
}

static qn_status unpack_atoms(unpacker *u)
{
    qn_compound *compound = u->compound;
    qn_packed_cursor *cursor = &u->cursor;
    for (size_t i = 0; i < compound->atom_count; i++) {
        uint64_t element = qn_packed_get(cursor, 1);
        if (element >= ELEMENTS) return damaged(u, "it has an unknown element");
        memcpy(compound->atoms[i].element, elements[element], 4);
    }
    for (size_t i = 0; i < compound->atom_count && u->flags & HAS_HYDROGENS; i++) {
        int hydrogens = (signed char)(unsigned char)qn_packed_get(cursor, 1);
        if (hydrogens < -1) return damaged(u, "it has an atom with a negative number of hydrogens");
        compound->atoms[i].hydrogens = (signed char)hydrogens;
    }
    for (size_t i = 0; i < compound->atom_count && u->flags & HAS_CHARGES; i++)
        compound->atoms[i].charge_e = (signed char)(unsigned char)qn_packed_get(cursor, 1);
    for (size_t i = 0; i < compound->atom_count && u->flags & HAS_PARTIAL_CHARGES; i++) {
        uint32_t bits = (uint32_t)qn_packed_get(cursor, 4);
        float charge;
        memcpy(&charge, &bits, sizeof charge);
        compound->atoms[i].has_partial_charge = isfinite(charge) != 0;
        if (isfinite(charge)) compound->atoms[i].partial_charge_e = charge;
    }
    return QN_OK;
}

static qn_status unpack_bonds(unpacker *u)
{
    qn_compound *compound = u->compound;
    int64_t first = 0, count = (int64_t)compound->atom_count;
    for (size_t b = 0; b < compound->bond_count; b++) {
        int64_t step = qn_packed_unfold(qn_packed_get_whole(&u->cursor));
        uint64_t both = qn_packed_get_whole(&u->cursor);
        int64_t across = qn_packed_unfold(both / ORDERS);
        if (step < -count || step > count || across < -count || across > count)
            return damaged(u, "it has a bond to an atom that does not exist");
        first += step;
        int64_t second = first + across;
        if (first < 0 || first >= count || second < 0 || second >= count || first == second)
            return damaged(u, "it has a bond to an atom that does not exist");
        compound->bonds[b] = (qn_compound_bond){(int)first, (int)second, (qn_bond_order)(both % ORDERS)};
    }
    return QN_OK;
}

static qn_status unpack_positions(unpacker *u)
{
    qn_compound *compound = u->compound;
    const double largest = largest_angstrom * units_per_angstrom;
    QN_TRY(find_origins(compound, &u->origin));
    for (size_t c = 0; c < compound->conformer_count; c++) {
        double *positions = qn_compound_positions(compound, c);
        for (size_t i = 0; i < 3 * compound->atom_count; i++) {
            uint64_t folded = qn_packed_get(&u->cursor, 2);
            if (folded == ESCAPE) folded = qn_packed_get_whole(&u->cursor);
            double value = (double)qn_packed_unfold(folded);
            if (i >= 3) value += positions[3 * (size_t)u->origin[i / 3] + i % 3];
            if (fabs(value) > largest) return damaged(u, "it has a position out of range");
            positions[i] = value; /* whole numbers of units until all steps are added */
        }
        for (size_t i = 0; i < 3 * compound->atom_count; i++) positions[i] /= units_per_angstrom;
    }
    return QN_OK;
}

static qn_status inflate_text(unpacker *u, size_t packed_size)
{
    z_stream z = {.next_in = u->cursor.next,
                  .avail_in = (uInt)packed_size,
                  .next_out = (Bytef *)u->text,
                  .avail_out = (uInt)u->text_size};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return QN_FAIL(QN_OUT_OF_MEMORY, "cannot start to unpack text");
    int result = inflate(&z, Z_FINISH);
    bool whole = result == Z_STREAM_END && z.avail_out == 0 && z.avail_in == 0;
    inflateEnd(&z);
    return whole ? QN_OK : damaged(u, "its text does not unpack");
}

static qn_status unpack_text(unpacker *u)
{
    const size_t most_ratio = 1040; /* of deflate */
    void *memory;
    size_t left, size = (size_t)qn_packed_get_whole(&u->cursor);
    left = (size_t)(u->cursor.end - u->cursor.next);
    bool packed = u->flags & HAS_PACKED_TEXT;
    if (size > most_text_bytes) return damaged(u, "it has more text than a molecule may have");
    if (u->cursor.damaged || size == 0 || left > (size_t)1 << 30 || (packed ? size / most_ratio > left : size != left))
        return damaged(u, "it has fewer or more bytes than its parts");
    QN_TRY(qn_allocate(size + 1, 1, &memory));
    u->text = memory;
    u->text_size = size;
    if (packed) return inflate_text(u, left);
    memcpy(u->text, u->cursor.next, size);
    return QN_OK;
}

/* The next text; NULL when there is none. */
static const char *next_text(unpacker *u)
{
    if (u->text_at >= u->text_size) return NULL;
    const char *text = u->text + u->text_at;
    u->text_at += strlen(text) + 1;
    return text;
}

static qn_status next_word(unpacker *u, char word[8])
{
    const char *text = next_text(u);
    if (!text || strlen(text) > LONGEST_WORD) return damaged(u, "an atom's name or type is missing or too long");
    strcpy(word, text);
    return QN_OK;
}

static qn_status use_text(unpacker *u)
{
    qn_compound *compound = u->compound;
    const char *name = next_text(u);
    if (!name) return damaged(u, "its name is missing");
    qn_release(&compound->name);
    QN_TRY(qn_text_copy(name, &compound->name));
    for (size_t i = 0; i < compound->atom_count && u->flags & HAS_NAMES; i++)
        QN_TRY(next_word(u, compound->atoms[i].name));
    for (size_t i = 0; i < compound->atom_count && u->flags & HAS_TYPES; i++)
        QN_TRY(next_word(u, compound->atoms[i].type));
    for (uint64_t i = 0; i < u->properties; i++) {
        const char *property = next_text(u), *value = next_text(u);
        if (!value) return damaged(u, "a property is missing");
        QN_TRY(qn_compound_add_property(compound, property, value));
    }
    return QN_OK;
}

static qn_status unpack_parts(unpacker *u)
{
    QN_TRY(unpack_head(u));
    u->compound->flat = u->flags & HAS_FLAT;
    QN_TRY(unpack_atoms(u));
    QN_TRY(unpack_bonds(u));
    QN_TRY(unpack_positions(u));
    if (u->cursor.damaged) return damaged(u, "it has fewer bytes than its parts need");
    QN_TRY(unpack_text(u));
    return use_text(u);
}

qn_status qn_compound_unpack(const qn_compound_record *record, qn_compound **compound)
{
    const unsigned char *bytes = (const unsigned char *)record->text;
    unpacker u = {.record = record, .cursor = {.next = bytes, .end = bytes + record->size}};
    *compound = NULL;
    qn_status status = unpack_parts(&u);
    qn_release(&u.text);
    qn_release(&u.origin);
    if (status == QN_OK)
        *compound = u.compound;
    else
        qn_compound_destroy(&u.compound);
    return status;
}

#include "check.h"

#include <stdlib.h>
#include <zlib.h>

#include "format/compound/packed_library.h"
#include "format/compound/packed_library_layout.h"
#include "format/packed_bytes.h"
#include "format/tests/compounds.h"

static const char *scratch(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    return path;
}

/* A compound that uses everything a library stores: three conformers, atoms far apart, bonds in any order. */
static qn_compound *make_full_compound(void)
{
    static const char *const symbols[] = {"C", "CL", "D", "X", "OG", "T", "N"};
    qn_compound *c;
    if (!CHECK_OK(qn_compound_create("a name, äöü", 7, 6, 3, &c))) exit(1);
    for (int i = 0; i < 7; i++) {
        qn_compound_atom *atom = &c->atoms[i];
        strcpy(atom->element, symbols[i]);
        if (i != 3) snprintf(atom->name, sizeof atom->name, "%s%d", symbols[i], i);
        strcpy(atom->type, i % 2 ? "N.pl3xx" : "");
        atom->charge_e = (signed char)(3 * i - 9);
        atom->hydrogens = (signed char)(i - 1);
        atom->has_partial_charge = i != 2;
        atom->partial_charge_e = i == 2 ? 0 : -0.1f * (float)i;
    }
    for (int b = 0; b < 6; b++) c->bonds[b] = (qn_compound_bond){(b * 5 + 6) % 7, (b * 3) % 7, (qn_bond_order)(b % 5)};
    c->bonds[0] = (qn_compound_bond){6, 0, QN_BOND_TRIPLE};
    c->bonds[4] = (qn_compound_bond){3, 4, QN_BOND_SINGLE};
    c->bonds[3] = (qn_compound_bond){0, 5, QN_BOND_AROMATIC};
    for (int i = 0; i < 63; i++)
        c->positions_angstrom[i] = (double)((i * i * 7919) % 200000 - 100000) / (i % 3 ? 1e4 : 1e1);
    c->positions_angstrom[0] = 100000;
    c->positions_angstrom[3] = -100000;
    c->positions_angstrom[4] = 0.0001;
    CHECK_OK(qn_compound_add_property(c, "ID", ""));
    CHECK_OK(qn_compound_add_property(c, "text", "one\n\ntwo\n one\ntwo two one two one two one two one two one two"));
    return c;
}

/* In the layout, atomic numbers follow the checksum (4 bytes), the flags and four counts (1 byte each). */
static void elements_are_stored_by_atomic_number(void)
{
    static const struct {
        const char *symbol;
        unsigned char number;
    } cases[] = {{"X", 0},   {"H", 1},   {"C", 6},  {"CL", 17},  {"ZN", 30},  {"BR", 35}, {"I", 53},
                 {"LU", 71}, {"AU", 79}, {"U", 92}, {"LR", 103}, {"OG", 118}, {"D", 119}, {"T", 120}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_compound *c;
        qn_text bytes = {0};
        if (!CHECK_OK(qn_compound_create("", 1, 0, 1, &c))) return;
        strcpy(c->atoms[0].element, cases[i].symbol);
        CHECK_OK(qn_compound_pack(c, &bytes));
        CHECK((unsigned char)bytes.data[9] == cases[i].number);
        qn_text_clear(&bytes);
        qn_compound_destroy(&c);
    }
}

static qn_status unpack(const char *bytes, size_t size, qn_compound **compound)
{
    qn_compound_record record = {
        .format = QN_COMPOUND_PACKED, .index = 4, .path = "lib.qlib", .text = (char *)bytes, .size = size};
    return qn_compound_read(&record, compound);
}

static void compounds_are_packed_and_unpacked_unchanged(void)
{
    qn_compound *c = make_full_compound(), *back;
    qn_text bytes = {0};
    for (int flat = 0; flat < 2; flat++) {
        c->flat = flat != 0;
        bytes.length = 0;
        CHECK_OK(qn_compound_pack(c, &bytes));
        if (!CHECK_OK(unpack(bytes.data, bytes.length, &back))) return;
        check_same(c, back, 0);
        qn_compound_destroy(&back);
    }
    /* Digits below 1e-4 Å are rounded. */
    c->positions_angstrom[5] = 1.23456;
    bytes.length = 0;
    CHECK_OK(qn_compound_pack(c, &bytes));
    if (CHECK_OK(unpack(bytes.data, bytes.length, &back))) CHECK(back->positions_angstrom[5] == 1.2346);
    qn_compound_destroy(&back);
    bytes.length = 0;
    c->positions_angstrom[5] = NAN;
    CHECK_FAILS(qn_compound_pack(c, &bytes), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "a name, äöü: atom 2 has no position within 100000 Å");
    c->positions_angstrom[5] = 0;
    strcpy(c->atoms[6].element, "Cl");
    CHECK_FAILS(qn_compound_pack(c, &bytes), QN_INVALID_ARGUMENT);
    CHECK_TEXT(qn_error_message(), "a name, äöü: atom 7 is \"Cl\"; expected the symbol of an element in capitals");
    CHECK(bytes.length == 0);
    qn_text_clear(&bytes);
    qn_compound_destroy(&c);
}

/* 48 kinase inhibitors with their data items: the library gives the molecules of the SDF file, in any order, in at most
 * a quarter of its size. */
static void real_molecules_are_kept_in_a_quarter_of_the_size(void)
{
    const char *source = check_data("../../examples/1iep/kinase_inhibitors.sdf");
    char *text;
    size_t text_size, packed_size, count;
    qn_compound **compounds;
    qn_packed_writer *writer;
    qn_packed_library *library;
    CHECK_OK(qn_file_read(source, &text, &text_size));
    qn_release(&text);
    if (!CHECK_OK(qn_compound_read_file(source, &compounds, &count)) || !CHECK(count == 48)) return;
    if (!CHECK_OK(qn_packed_writer_create(scratch("kinase.qlib"), &writer))) return;
    for (size_t i = 0; i < count; i++) CHECK_OK(qn_packed_writer_append(writer, compounds[i]));
    CHECK(qn_packed_writer_count(writer) == 48 && !qn_file_exists(scratch("kinase.qlib")));
    CHECK_OK(qn_packed_writer_finish(&writer));
    CHECK(writer == NULL);
    CHECK_OK(qn_file_read(scratch("kinase.qlib"), &text, &packed_size));
    qn_release(&text);
    printf("packed: %.1f %% of %zu bytes\n", 100.0 * (double)packed_size / (double)text_size, text_size);
    CHECK((double)packed_size <= 0.25 * (double)text_size);
    if (!CHECK_OK(qn_packed_library_open(scratch("kinase.qlib"), &library))) return;
    CHECK(qn_packed_library_count(library) == count && qn_packed_library_size(library) == packed_size);
    for (size_t i = 0; i < count; i++) {
        qn_compound *back;
        size_t index = i * 29 % count;
        if (!CHECK_OK(qn_packed_library_read(library, index, &back))) continue;
        check_same(compounds[index], back, 0);
        qn_compound_destroy(&back);
        qn_compound_destroy(&compounds[index]);
    }
    const char *bytes;
    CHECK_FAILS(qn_packed_library_bytes(library, count, &bytes, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("kinase.qlib: there is no molecule 49; the packed library has 48");
    qn_packed_library_close(&library);
    qn_release(&compounds);
}

/* The same molecules packed into memory give the bytes of the file, and are read in place. */
static void a_library_in_memory_has_the_bytes_of_the_file(void)
{
    qn_compound **compounds;
    qn_packed_writer *writer;
    qn_packed_library *library;
    qn_text bytes = {0};
    char *file;
    size_t count, size;
    CHECK_OK(qn_file_read(scratch("kinase.qlib"), &file, &size));
    if (!CHECK_OK(qn_compound_read_file(check_data("../../examples/1iep/kinase_inhibitors.sdf"), &compounds, &count)))
        return;
    if (!CHECK_OK(qn_packed_writer_create(NULL, &writer))) return;
    for (size_t i = 0; i < count; i++) CHECK_OK(qn_packed_writer_append(writer, compounds[i]));
    CHECK_OK(qn_packed_writer_finish_memory(&writer, &bytes));
    CHECK(bytes.length == size && memcmp(bytes.data, file, size) == 0);
    if (CHECK_OK(qn_packed_library_open_memory("kinase", bytes.data, bytes.length, &library))) {
        qn_compound *back;
        CHECK(qn_packed_library_count(library) == count);
        if (CHECK_OK(qn_packed_library_read(library, 7, &back))) check_same(compounds[7], back, 0);
        qn_compound_destroy(&back);
        qn_packed_library_close(&library);
    }
    CHECK_FAILS(qn_packed_library_open_memory("kinase", bytes.data, 20, &library), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("kinase: has 20 bytes; expected a packed library");
    bytes.data[bytes.length - 1] ^= 1;
    CHECK_FAILS(qn_packed_library_open_memory("kinase", bytes.data, bytes.length, &library), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("kinase: the packed library's index is damaged");
    CHECK(library == NULL);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    qn_release(&file);
    qn_text_clear(&bytes);
}

/* Write a library of three molecules. */
static void make_small_library(const char *path)
{
    qn_packed_writer *writer;
    qn_compound *c = make_full_compound();
    qn_text bytes = {0};
    if (!CHECK_OK(qn_packed_writer_create(path, &writer))) return;
    CHECK_OK(qn_packed_writer_append(writer, c));
    c->name[0] = 'b';
    CHECK_OK(qn_compound_pack(c, &bytes));
    CHECK_OK(qn_packed_writer_append_bytes(writer, bytes.data, bytes.length));
    c->positions_angstrom[7] = NAN; /* a refused molecule changes nothing */
    CHECK_FAILS(qn_packed_writer_append(writer, c), QN_INVALID_ARGUMENT);
    c->positions_angstrom[7] = 0;
    c->name[0] = 'c';
    CHECK_OK(qn_packed_writer_append(writer, c));
    CHECK_OK(qn_packed_writer_finish(&writer));
    qn_text_clear(&bytes);
    qn_compound_destroy(&c);
}

static void streams_read_packed_libraries(void)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    uint64_t done, all;
    make_small_library(scratch("small.any"));
    if (!CHECK_OK(qn_compound_stream_open(scratch("small.any"), &stream))) return;
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.format == QN_COMPOUND_PACKED && record.index == 0 && record.line == 0 && record.size > 100);
    CHECK_OK(qn_compound_stream_skip(stream, &record));
    CHECK(record.index == 1 && record.size > 100 && record.text[0] == '\0');
    qn_compound_stream_progress(stream, &done, &all);
    CHECK(done == all * 2 / 3 && all > 300);
    CHECK_OK(qn_compound_stream_next(stream, &record));
    qn_compound *c;
    if (CHECK_OK(qn_compound_read(&record, &c))) CHECK(c->name[0] == 'c' && record.index == 2);
    qn_compound_destroy(&c);
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.size == 0);
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
}

static void unfinished_libraries_are_removed(void)
{
    qn_packed_writer *writer;
    bool empty;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/new", check_scratch_folder());
    CHECK_FAILS(qn_packed_writer_create(scratch("new/x.qlib"), &writer), QN_NOT_FOUND);
    CHECK(writer == NULL);
    CHECK_OK(qn_folder_create(folder));
    CHECK_OK(qn_packed_writer_create(scratch("new/x.qlib"), &writer));
    qn_packed_writer_discard(&writer);
    CHECK_OK(qn_folder_is_empty(folder, &empty));
    CHECK(empty && writer == NULL);
    CHECK_OK(qn_packed_writer_create(scratch("new/x.qlib"), &writer));
    CHECK_OK(qn_packed_writer_finish(&writer)); /* without molecules */
    qn_packed_library *library;
    if (CHECK_OK(qn_packed_library_open(scratch("new/x.qlib"), &library))) CHECK(qn_packed_library_count(library) == 0);
    qn_packed_library_close(&library);
}

static qn_status read_whole_library(const char *path)
{
    qn_compound **compounds;
    size_t count;
    qn_status status = qn_compound_read_file(path, &compounds, &count);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
    qn_release(&compounds);
    return status;
}

/* Files with one changed byte, and cut files, are refused with a message that names the file. */
static void damaged_libraries_are_refused(void)
{
    char *data;
    size_t size;
    char path[600];
    make_small_library(scratch("whole.qlib"));
    CHECK_OK(qn_file_read(scratch("whole.qlib"), &data, &size));
    snprintf(path, sizeof path, "%s", scratch("damaged.qlib"));
    for (size_t i = 0; i < size; i += i < QN_PACKED_HEADER_BYTES ? 1 : 7) {
        data[i] ^= 0x10;
        CHECK_OK(qn_file_write(path, data, size));
        data[i] ^= 0x10;
        CHECK_FAILS(read_whole_library(path), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("damaged.qlib: ");
    }
    for (size_t i = 1; i < size; i += i < 20 ? 1 : 17) {
        CHECK_OK(qn_file_write(path, data, size - i));
        CHECK_FAILS(read_whole_library(path), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("damaged.qlib: ");
    }
    qn_release(&data);
}

/* Change a byte of the header and correct its checksum. */
static void write_with_header_byte(const char *data, size_t size, size_t at, char value)
{
    char *copy = malloc(size);
    memcpy(copy, data, size);
    copy[at] = value;
    uLong sum = crc32(0, (const Bytef *)copy, 60);
    for (int i = 0; i < 4; i++) copy[60 + i] = (char)(sum >> 8 * i);
    CHECK_OK(qn_file_write(scratch("damaged.qlib"), copy, size));
    free(copy);
}

static void errors_are_reported(void)
{
    char *data, expected[800], path[600];
    size_t size;
    qn_packed_library *library;
    make_small_library(scratch("whole.qlib"));
    CHECK_OK(qn_file_read(scratch("whole.qlib"), &data, &size));
    snprintf(path, sizeof path, "%s", scratch("damaged.qlib"));
    write_with_header_byte(data, size, 8, 2);
    CHECK_FAILS(qn_packed_library_open(path, &library), QN_BAD_FORMAT);
    snprintf(expected, sizeof expected, "%s: is a packed library of version 2; expected version 1", path);
    CHECK_TEXT(qn_error_message(), expected);
    write_with_header_byte(data, size, 16, 9);
    CHECK_FAILS(qn_packed_library_open(path, &library), QN_BAD_FORMAT);
    snprintf(expected, sizeof expected,
             "%s: has %zu bytes, which are not those of a packed library of 9 molecules; expected a whole file", path,
             size);
    CHECK_TEXT(qn_error_message(), expected);
    write_with_header_byte(data, size, 12, (char)(data[12] + 1));
    CHECK_FAILS(qn_packed_library_open(path, &library), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("damaged.qlib: the packed library's index is damaged: its checksum does not match");
    CHECK_OK(qn_file_write(path, "QUERNLIB", 8));
    CHECK_FAILS(qn_packed_library_open(path, &library), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("damaged.qlib: has 8 bytes; expected a packed library, whose header has 64");
    CHECK_FAILS(qn_packed_library_open(scratch("absent.qlib"), &library), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("absent.qlib: cannot open: No such file");
    for (size_t i = 0; i < size; i++) data[i] = 'x';
    CHECK_OK(qn_file_write(path, data, size));
    CHECK_FAILS(read_whole_library(path), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("damaged.qlib: does not begin with QUERNLIB; expected a packed library");
    qn_release(&data);
    qn_compound *c;
    CHECK_FAILS(unpack("abcdefgh", 8, &c), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(),
               "lib.qlib: molecule 5 of the packed library is damaged: its checksum does not match its bytes");
}

/* The packed bytes of one carbon with `text_size` zero bytes of text and the stated number of data items. */
static qn_status unpack_bomb(uLong text_size, uint64_t items)
{
    qn_text bytes = {0};
    qn_compound *c = NULL;
    const unsigned char atom[] = {6, 0, 0, 0, 0, 0, 0};
    void *text = calloc(text_size, 1), *packed = malloc(compressBound(text_size));
    z_stream z = {.next_in = text, .avail_in = (uInt)text_size, .next_out = packed, .avail_out = 1 << 20};
    CHECK(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&z);
    CHECK_OK(qn_packed_put(&bytes, 0, 4));
    CHECK_OK(qn_packed_put(&bytes, 64, 1));                                    /* the text is packed */
    for (int i = 0; i < 3; i++) CHECK_OK(qn_packed_put_whole(&bytes, i != 1)); /* atoms, bonds, conformers */
    CHECK_OK(qn_packed_put_whole(&bytes, items));
    CHECK_OK(qn_text_append_bytes(&bytes, atom, sizeof atom));
    CHECK_OK(qn_packed_put_whole(&bytes, text_size));
    CHECK_OK(qn_text_append_bytes(&bytes, packed, z.total_out));
    qn_packed_store(crc32_z(0, (unsigned char *)bytes.data + 4, bytes.length - 4), 4, (unsigned char *)bytes.data);
    qn_status status = unpack(bytes.data, bytes.length, &c);
    qn_compound_destroy(&c);
    qn_text_clear(&bytes);
    free(text);
    free(packed);
    return status;
}

static void unpacked_size_is_limited(void)
{
    CHECK_OK(unpack_bomb(1000, 400));
    CHECK_FAILS(unpack_bomb((uLong)65 << 20, 1), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("it has more text than a molecule may have");
    CHECK_FAILS(unpack_bomb((uLong)8 << 20, 2 << 20), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("it has more data items than a molecule may have");
}

static void gzipped_libraries_are_refused(void)
{
    make_small_library(scratch("small.qlib"));
    char *data;
    size_t size;
    CHECK_OK(qn_file_read(scratch("small.qlib"), &data, &size));
    gzFile packed = gzopen(scratch("small.qlib.gz"), "wb");
    CHECK(gzwrite(packed, data, (unsigned)size) == (int)size && gzclose(packed) == Z_OK);
    qn_release(&data);
    CHECK_FAILS(read_whole_library(scratch("small.qlib.gz")), QN_UNSUPPORTED);
    CHECK_MESSAGE_HAS("small.qlib.gz: is a packed library that is gzipped; expected one that is a file of its own");
}

int main(void)
{
    RUN(elements_are_stored_by_atomic_number);
    RUN(compounds_are_packed_and_unpacked_unchanged);
    RUN(real_molecules_are_kept_in_a_quarter_of_the_size);
    RUN(a_library_in_memory_has_the_bytes_of_the_file);
    RUN(streams_read_packed_libraries);
    RUN(unfinished_libraries_are_removed);
    RUN(damaged_libraries_are_refused);
    RUN(errors_are_reported);
    RUN(unpacked_size_is_limited);
    RUN(gzipped_libraries_are_refused);
    return check_finish();
}

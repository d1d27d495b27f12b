#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "format/tests/compounds.h"

#define ONE_ATOM(name, element) \
    name "\n\n\n  1  0  0  0  0  0            999 V2000\n    0.0000    0.0000    1.0000 " element " 0  0\nM  END\n"

static const char *write_plain(const char *name, const char *data, size_t size)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, data, size));
    return path;
}

/* `cut`: number of bytes removed from the end; `members`: the text is divided into two gzip members. */
static const char *write_packed(const char *name, const char *text, size_t cut, bool members)
{
    char *packed = malloc(1 << 20);
    size_t length = strlen(text), first = members ? length / 3 : length, size = 0;
    for (size_t from = 0; from < length;) {
        size_t count = from == 0 ? first : length - from;
        z_stream z = {.next_in = (Bytef *)text + from,
                      .avail_in = (uInt)count,
                      .next_out = (Bytef *)packed + size,
                      .avail_out = (uInt)((1 << 20) - size)};
        CHECK(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
        CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
        size += z.total_out;
        deflateEnd(&z);
        from += count;
    }
    const char *path = write_plain(name, packed, size - cut);
    free(packed);
    return path;
}

static void list_stream(qn_compound_stream *stream, const char *path, char *names)
{
    qn_compound_record record = {0};
    qn_status status;
    uint64_t index = 0;
    while ((status = qn_compound_stream_next(stream, &record)) == QN_OK && record.size > 0) {
        qn_compound *compound;
        CHECK(record.index == index++ && record.text[record.size] == '\0' && strcmp(record.path, path) == 0);
        sprintf(names + strlen(names), "%zu:%s ", record.line,
                qn_compound_read(&record, &compound) == QN_OK ? compound->name : "!");
        qn_compound_destroy(&compound);
    }
    if (status != QN_OK) sprintf(names + strlen(names), "; %s", qn_status_name(status));
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
}

/* Names of all molecules, "!" for one that cannot be read, then "; status" when the stream fails. The file's bytes in
 * memory must give the same names. */
static void list(const char *path, char *names)
{
    qn_compound_stream *stream;
    char *data, in_memory[400] = "";
    size_t size;
    names[0] = '\0';
    if (!CHECK_OK(qn_file_read(path, &data, &size))) return;
    if (CHECK_OK(qn_compound_stream_open_memory(path, data, size, &stream))) list_stream(stream, path, in_memory);
    if (CHECK_OK(qn_compound_stream_open(path, &stream))) list_stream(stream, path, names);
    CHECK_TEXT(in_memory, names);
    qn_release(&data);
}

static void records_are_cut_where_they_end(void)
{
    char names[400];
    const char text[] = ONE_ATOM("a", "C  ") "$$$$\n" ONE_ATOM("b", "R# ") "$$$$\r\n" ONE_ATOM("c", "N  ");
    list(write_plain("three.sdf", text, strlen(text)), names); /* the last record has no end line */
    CHECK_TEXT(names, "1:a 8:! 15:c ");
    const char blank[] = "\n\n\n$$$$\n" ONE_ATOM("b", "C  ") "$$$$\n\n \n";
    list(write_plain("blank.sdf", blank, strlen(blank)), names); /* an empty record, and blank lines at the end */
    CHECK_TEXT(names, "1:! 5:b ");
    const char marked[] = "\xEF\xBB\xBF" ONE_ATOM("a", "C  ");
    list(write_plain("any.name", marked, strlen(marked)), names);
    CHECK_TEXT(names, "1:a ");
}

static void gzipped_files_give_the_same_records(void)
{
    char names[400];
    const char text[] = ONE_ATOM("a", "C  ") "$$$$\n" ONE_ATOM("b", "O  ") "$$$$\n";
    list(write_packed("two.sdf.gz", text, 0, false), names);
    CHECK_TEXT(names, "1:a 8:b ");
    list(write_packed("two.sdf.gz", text, 0, true), names);
    CHECK_TEXT(names, "1:a 8:b ");
    list(write_packed("two.sdf.gz", text, 9, true), names);
    CHECK_TEXT(names, "1:a 8:b ; bad format"); /* molecules before the damage are read */
    CHECK_MESSAGE_HAS("two.sdf.gz: the gzipped data is cut off (after ");
    const char *path = write_packed("two.sdf.gz", text, 0, false);
    char *data;
    size_t size;
    CHECK_OK(qn_file_read(path, &data, &size));
    data[size - 6] ^= 1; /* of the checksum at the end */
    list(write_plain("two.sdf.gz", data, size), names);
    CHECK_TEXT(names, "1:a 8:b ; bad format");
    CHECK_MESSAGE_HAS("two.sdf.gz: the gzipped data is damaged");
    qn_release(&data);
}

static void records_can_be_skipped(void)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    uint64_t done, all;
    const char text[] = ONE_ATOM("a", "C  ") "$$$$\n" ONE_ATOM("b", "O  ") "$$$$\n";
    const char *path = write_plain("two.sdf", text, strlen(text));
    if (!CHECK_OK(qn_compound_stream_open(path, &stream))) return;
    CHECK_OK(qn_compound_stream_skip(stream, &record));
    CHECK(record.size == (strlen(text)) / 2 && (!record.text || record.text[0] == '\0') && record.index == 0);
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.index == 1 && record.line == 8 && record.text[0] == 'b');
    CHECK_OK(qn_compound_stream_skip(stream, &record));
    CHECK(record.size == 0 && record.text[0] == '\0');
    CHECK_OK(qn_compound_stream_next(stream, &record));
    CHECK(record.size == 0);
    qn_compound_stream_progress(stream, &done, &all);
    CHECK(done == strlen(text) && all == strlen(text));
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
    CHECK(stream == NULL);
}

/* Callers estimate the number of molecules from the progress, so it must count records returned, not bytes read
 * ahead. */
static void progress_counts_returned_records(void)
{
    const char text[] = ONE_ATOM("a", "C  ") "$$$$\n" ONE_ATOM("b", "O  ") "$$$$\n" ONE_ATOM("c", "N  ") "$$$$\n";
    for (int packed = 0; packed < 2; packed++) {
        qn_compound_stream *stream;
        qn_compound_record record = {0};
        uint64_t done, all;
        const char *path =
            packed ? write_packed("three.sdf.gz", text, 0, false) : write_plain("three.sdf", text, strlen(text));
        if (!CHECK_OK(qn_compound_stream_open(path, &stream))) return;
        CHECK_OK(qn_compound_stream_next(stream, &record));
        qn_compound_stream_progress(stream, &done, &all);
        CHECK_NEAR((double)done / (double)all, 1.0 / 3, packed ? 0.15 : 1e-12); /* a gzip file has a head and a tail */
        qn_compound_record_clear(&record);
        qn_compound_stream_close(&stream);
    }
}

/* Lines and records that are longer than any buffer; a record of over 64 MiB is refused without being stored. */
static void long_records_are_read_and_oversized_records_refused(void)
{
    const size_t large = (size_t)3 << 20, endless = (size_t)66 << 20;
    const char head[] = ONE_ATOM("a", "C  ") "> <x>\n", tail[] = "\n\n$$$$\n" ONE_ATOM("b", "C  ") "$$$$\n";
    char *text = malloc(endless + 1000), names[100];
    strcpy(text, head);
    memset(text + strlen(head), 'y', large);
    strcpy(text + strlen(head) + large, tail);
    const char *path = write_plain("long.sdf", text, strlen(text));
    list(path, names);
    CHECK_TEXT(names, "1:a 11:b ");
    qn_compound **compounds;
    size_t count;
    if (CHECK_OK(qn_compound_read_file(path, &compounds, &count))) {
        CHECK(count == 2 && strlen(qn_compound_property_value(compounds[0], "x")) == large);
        for (size_t i = 0; i < count; i++) qn_compound_destroy(&compounds[i]);
        qn_release(&compounds);
    }
    memset(text + strlen(head), 'y', endless);
    strcpy(text + strlen(head) + endless, tail);
    path = write_plain("endless.sdf", text, strlen(text));
    list(path, names);
    CHECK_TEXT(names, "1:! 11:b ");
    CHECK_FAILS(qn_compound_read_file(path, &compounds, &count), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("endless.sdf:1: the record of molecule 1 has over 64 MiB; expected a small molecule");
    free(text);
}

static void files_without_molecules_are_refused(void)
{
    qn_compound_stream *stream;
    qn_compound **compounds;
    size_t count;
    CHECK_FAILS(qn_compound_stream_open("/nowhere/x.sdf", &stream), QN_NOT_FOUND);
    CHECK(stream == NULL);
    CHECK_MESSAGE_HAS("/nowhere/x.sdf: cannot open: No such file");
    CHECK_FAILS(qn_compound_stream_open(check_scratch_folder(), &stream), QN_IO_ERROR);
    CHECK_FAILS(qn_compound_stream_open(write_plain("blank.sdf", " \n\n", 3), &stream), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("blank.sdf: is empty; expected SDF, MOL2 or PDBQT records");
    CHECK_FAILS(qn_compound_stream_open(write_plain("letter", "Dear all,\n", 10), &stream), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(
        "letter: holds no small molecules in a known format; expected SDF, MOL2 or PDBQT records, or a packed "
        "library");
    CHECK_FAILS(qn_compound_read_file(write_plain("letter.SDF.gz", "Dear all,\n", 10), &compounds, &count),
                QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("letter.SDF.gz:2: the record ends within its header");
    CHECK(compounds == NULL && count == 0);
}

static void unknown_bytes_in_memory_are_refused(void)
{
    qn_compound_stream *stream;
    CHECK_FAILS(qn_compound_stream_open_memory("the library", NULL, 0, &stream), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the library: is empty; expected SDF, MOL2 or PDBQT records");
    CHECK_FAILS(qn_compound_stream_open_memory("the library", "Tuesday\n", 8, &stream), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("the library: holds no small molecules in a known format");
    CHECK(stream == NULL);
}

static void standard_input_is_read(void)
{
    char names[100];
    const char text[] = ONE_ATOM("a", "C  ") "$$$$\n";
    int saved = dup(STDIN_FILENO);
    if (!CHECK(freopen(write_plain("in.sdf", text, strlen(text)), "r", stdin) != NULL)) return;
    qn_compound **compounds;
    size_t count;
    (void)names;
    if (CHECK_OK(qn_compound_read_file("-", &compounds, &count))) {
        CHECK(count == 1);
        CHECK_TEXT(compounds[0]->name, "a");
        qn_compound_destroy(&compounds[0]);
        qn_release(&compounds);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
}

/* The crystal poses of imatinib and biotin. Counts are those that the files' count lines state. */
static void real_ligands_are_read(void)
{
    static const struct {
        const char *file, *name;
        size_t atoms, bonds, properties;
    } cases[] = {{"docking/ligand/1iep/1iep_ligand.sdf", "STI", 69, 73, 0},
                 {"docking/ligand/1stp/1stp_ligand_crystal.sdf", "1STP_BTN_A_300", 16, 17, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = check_reference_data(cases[i].file);
        qn_compound **c;
        size_t count;
        if (!path) {
            CHECK(true); /* check_reference_data has printed the reason */
            return;
        }
        if (!CHECK_OK(qn_compound_read_file(path, &c, &count))) return;
        CHECK(count == 1 && c[0]->atom_count == cases[i].atoms && c[0]->bond_count == cases[i].bonds && !c[0]->flat);
        CHECK_TEXT(c[0]->name, cases[i].name);
        qn_compound_destroy(&c[0]);
        qn_release(&c);
    }
}

int main(void)
{
    RUN(records_are_cut_where_they_end);
    RUN(gzipped_files_give_the_same_records);
    RUN(records_can_be_skipped);
    RUN(progress_counts_returned_records);
    RUN(long_records_are_read_and_oversized_records_refused);
    RUN(files_without_molecules_are_refused);
    RUN(unknown_bytes_in_memory_are_refused);
    RUN(standard_input_is_read);
    RUN(real_ligands_are_read);
    return check_finish();
}

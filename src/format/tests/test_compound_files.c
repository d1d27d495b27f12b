#include "check.h"

#include "format/tests/compounds.h"

/* The expected result of reading a record: name, atoms, bonds and conformers of the molecule, or a message that follows
 * the file's path. */
typedef struct expected_record {
    const char *name;
    size_t atoms, bonds, conformers;
    const char *message;
} expected_record;

static void check_record(const qn_compound_record *record, const expected_record *expected)
{
    qn_compound *c;
    qn_status status = qn_compound_read(record, &c);
    if (expected->message) {
        size_t path = strlen(record->path);
        CHECK(status == QN_BAD_FORMAT && strncmp(qn_error_message(), record->path, path) == 0);
        CHECK_TEXT(qn_error_message() + path, expected->message);
    } else if (CHECK_OK(status)) {
        CHECK_TEXT(c->name, expected->name);
        CHECK(c->atom_count == expected->atoms && c->bond_count == expected->bonds);
        CHECK(c->conformer_count == expected->conformers && !c->flat);
    }
    qn_compound_destroy(&c);
}

static void check_file(const char *name, const expected_record *expected, size_t count)
{
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    if (!CHECK_OK(qn_compound_stream_open(check_data(name), &stream))) return;
    for (size_t i = 0; CHECK_OK(qn_compound_stream_next(stream, &record)) && record.size > 0; i++) {
        if (!CHECK(i < count && record.index == i)) break;
        check_record(&record, &expected[i]);
    }
    CHECK(record.index == count);
    qn_compound_record_clear(&record);
    qn_compound_stream_close(&stream);
}

static void bad_records_do_not_affect_other_records(void)
{
    static const expected_record of_sdf[] = {
        {"water", 3, 2, 1, NULL},
        {.message = ":24: z coordinate \"   -0.46x6\" is not a number"},
        {.message = ":35: atom 2 is \"R#\"; expected the symbol of an element"},
        {.message = ":47: the molecule ends after 3 of its 3 atoms and 1 of its 2 bonds"},
        {.message = ":56: a bond names atom 4; expected 1 to 3"},
        {"ammonium", 5, 4, 1, NULL},
        {"large", 2, 1, 1, NULL},
    };
    static const expected_record of_mol2[] = {{"formate", 4, 3, 1, NULL}, {"ethanol", 3, 2, 3, NULL}};
    static const expected_record of_pdbqt[] = {
        {"poses", 2, 0, 1, NULL},
        {.message = ":16: atom 2 has type \"OQ\"; expected one of AutoDock's (columns 78-80)"}};
    check_file("format/mixed.sdf", of_sdf, 7);
    check_file("format/two.mol2", of_mol2, 2);
    check_file("format/poses.pdbqt", of_pdbqt, 2);
}

static void reading_a_whole_file_fails_at_its_first_bad_record(void)
{
    qn_compound **c;
    size_t count;
    CHECK_FAILS(qn_compound_read_file(check_data("format/mixed.sdf"), &c, &count), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("mixed.sdf:24: z coordinate");
    CHECK(c == NULL && count == 0);
    if (!CHECK_OK(qn_compound_read_file(check_data("format/two.mol2"), &c, &count)) || !CHECK(count == 2)) return;
    CHECK(c[0]->atoms[2].charge_e == -1 && c[0]->bonds[0].order == QN_BOND_DOUBLE);
    CHECK(qn_compound_positions(c[1], 2)[8] == 1.3 && qn_compound_positions(c[1], 1)[7] == -1.3);
    for (size_t i = 0; i < count; i++) qn_compound_destroy(&c[i]);
    qn_release(&c);
}

int main(void)
{
    RUN(bad_records_do_not_affect_other_records);
    RUN(reading_a_whole_file_fails_at_its_first_bad_record);
    return check_finish();
}

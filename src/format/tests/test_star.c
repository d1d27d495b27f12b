/* STAR tables: peculiarities of the dialect, lines and rows, refused files, real files compared with an independent
 * parser. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "check.h"
#include "format/image/star.h"
#include "format/image/star_write.h"
#include "format/number.h"

static const char *save(const char *text)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/table.star", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

/* Format every table as "block|column,column|line:value,value|…" on a line; then the error, if there is one. */
static char *dump(const char *text)
{
    qn_star_reader *reader;
    const qn_star_table *table;
    const qn_star_value *values;
    static char shown[4096];
    qn_text out = {0};
    CHECK_OK(qn_star_open(save(text), &reader));
    qn_status status;
    while ((status = qn_star_next_table(reader, &table)) == QN_OK && table) {
        CHECK_OK(qn_text_append(&out, "%s|", table->block));
        for (size_t i = 0; i < table->column_count; i++)
            CHECK_OK(qn_text_append(&out, "%s%s", i ? "," : "", table->columns[i]));
        while ((status = qn_star_next_row(reader, &values)) == QN_OK && values) {
            CHECK_OK(qn_text_append(&out, "|%llu:", (unsigned long long)qn_star_line(reader)));
            for (size_t i = 0; i < table->column_count; i++)
                CHECK_OK(qn_text_append(&out, "%s%.*s", i ? "," : "", (int)values[i].length, values[i].text));
        }
        if (status != QN_OK) break;
        CHECK_OK(qn_text_append(&out, "\n"));
    }
    if (status != QN_OK) CHECK_OK(qn_text_append(&out, "\n%s", qn_error_message()));
    snprintf(shown, sizeof shown, "%s", out.data ? out.data : "");
    qn_text_clear(&out);
    qn_star_close(&reader);
    return shown;
}

static void loops_and_single_values_are_read(void)
{
    CHECK_TEXT(
        dump("# head\n\ndata_a\n\nloop_ \n_x #1 \n_y #2 [unit]\n 1 2 \n\t3\t4\n\ndata_\n_name  value # c\n_n 'a b'\n"
             "\n_other 5\n"),
        "a|x,y|8:1,2|9:3,4\n|name,n|12:value,a b\n|other|15:5\n");
}

static void line_ends_of_other_systems_are_read(void)
{
    CHECK_TEXT(dump("\xef\xbb\xbf"
                    "data_a\r\nloop_\r\n_x #1\r\n1\r\n2\r\n\r\n"),
               "a|x|4:1|5:2\n");
    CHECK_TEXT(dump("data_a\nloop_\n_x\n1\n2"), "a|x|4:1|5:2\n");
}

/* As Xmipp writes: an empty loop, keywords directly after rows, leading blanks. */
static void empty_loops_are_read(void)
{
    CHECK_TEXT(
        dump(
            "# XMIPP_STAR_1 * \n# \ndata_extra\n _rate 0.05\ndata_n\nloop_\ndata_p\nloop_\n _a\n _b\n   0 2.6\ndata_q\n"
            "loop_\n_c\n"),
        "extra|rate|4:0.05\nn|\np|a,b|11:0,2.6\nq|c\n");
}

static void quotes_comments_and_keywords_as_values_are_read(void)
{
    CHECK_TEXT(dump("data_a\nloop_\n_x\n_y\n'a b' \"c 'd\"\n# a comment within\nit's 5\"\n'' \"\"\ndata_x.mrc 1\nloop_ "
                    "2\n_z 3 # c\n"),
               "a|x,y|5:a b,c 'd|7:it's,5\"|8:,|9:data_x.mrc,1|10:loop_,2|11:_z,3\n");
}

static void empty_lines_between_head_and_rows_are_skipped(void)
{
    CHECK_TEXT(dump("data_a\n\nloop_\n\n_x #1\n\n_y #2\n\n\n1 2\n  \ndata_b\nloop_\n_z\n1\n"),
               "a|x,y|10:1,2\nb|z|15:1\n");
}

static void files_that_are_not_star_are_refused(void)
{
    static const char *const faults[][2] = {
        {"hello world\n", "line 1 is \"hello world\", which is not STAR"},
        {"data_a\nloop_\n_x\n_y\n1 2\n3\n", "line 6 (row 2 of data_a) has 1 values; expected 2"},
        {"data_a\nloop_\n_x\n_y\n1 2 3\n", "line 5 (row 1 of data_a) has 3 values; expected 2"},
        {"data_a\nloop_\n_x\n1\n\n2\n",
         "line 6 goes on with rows (\"2\") after the empty line that ended table data_a"},
        {"data_a\nloop_\n_x\n_y\n_x\n", "line 5 names column _x again"},
        {"data_a\nloop_\n_x\n'a b\n", "line 4 has a quote that is not closed"},
        {"data_a\n'a b\n", "line 2 is \"'a b\""},
        {"data_a\n_x 1 2\n", "line 2 has 2 values after the name _x; expected 1"},
        {"data_a\n_x\n", "line 2 has 0 values after the name _x; expected 1"},
        {"data_a\nloop_\n1 2\n", "line 3 (row 1 of data_a) has 2 values; expected 0"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        dump(faults[i][0]);
        CHECK_MESSAGE_HAS(faults[i][1]);
        CHECK_MESSAGE_HAS("table.star: line ");
    }
}

static void long_lines_and_many_columns_are_read_up_to_a_limit(void)
{
    qn_text text = {0};
    CHECK_OK(qn_text_append(&text, "data_a\nloop_\n"));
    for (int i = 0; i < QN_STAR_COLUMNS_MAX; i++) CHECK_OK(qn_text_append(&text, "_c%d #%d\n", i, i + 1));
    for (int i = 0; i < QN_STAR_COLUMNS_MAX; i++) CHECK_OK(qn_text_append(&text, "%d%0700d ", i, 0));
    CHECK_OK(qn_text_append(&text, "\n"));
    qn_star_reader *reader;
    const qn_star_table *table;
    const qn_star_value *values;
    CHECK_OK(qn_star_open(save(text.data), &reader));
    CHECK_OK(qn_star_next_table(reader, &table));
    CHECK(table && table->column_count == QN_STAR_COLUMNS_MAX && qn_star_column(table, "c1000") == 1000);
    CHECK(qn_star_column(table, "c") == -1 && qn_star_column(table, "c10000") == -1);
    CHECK_OK(qn_star_next_row(reader, &values));
    CHECK(values && values[777].length == 703 && memcmp(values[777].text, "7770", 4) == 0);
    qn_star_close(&reader);
    text.length = 0;
    CHECK_OK(qn_text_append(&text, "data_a\nloop_\n_x\n1\n%01100000d\n", 0));
    dump(text.data);
    CHECK_MESSAGE_HAS("line 5 is longer than 1048576 bytes");
    text.length = 0;
    CHECK_OK(qn_text_append(&text, "data_a\nloop_\n"));
    for (int i = 0; i <= QN_STAR_COLUMNS_MAX; i++) CHECK_OK(qn_text_append(&text, "_c%d\n", i));
    dump(text.data);
    CHECK_MESSAGE_HAS("more columns than the 1024");
    qn_text_clear(&text);
    CHECK_FAILS(qn_star_open("/nowhere/at/all.star", &reader), QN_NOT_FOUND);
    CHECK(reader == NULL);
}

/* Rows that are not read are skipped. */
static void unread_rows_are_skipped(void)
{
    qn_star_reader *reader;
    const qn_star_table *table;
    CHECK_OK(qn_star_open(save("data_a\nloop_\n_x\n1\n2\n3\n\ndata_b\n_y 1\n\ndata_c\nloop_\n_z\n"), &reader));
    for (int i = 0; i < 3; i++) {
        CHECK_OK(qn_star_next_table(reader, &table));
        CHECK(table && table->block[0] == 'a' + i);
    }
    CHECK_OK(qn_star_next_table(reader, &table));
    CHECK(table == NULL);
    CHECK_OK(qn_star_next_table(reader, &table));
    CHECK(table == NULL);
    qn_star_close(&reader);
}

/* Tables, columns, rows, and sums of one column, computed by a few lines of Python (str.split). */
static const struct {
    const char *name, *block;
    size_t columns;
    uint64_t rows;
    const char *column;
    double sum;
} real[] = {
    {"star/mtf_k2_300kV.star", "mtf_k2_300kv", 2, 1001, NULL, 0},
    {"star/xmipp_ref_i3h_sampling.xmd", "projectionDirections", 7, 30, NULL, 0},
    {"star/xmipp_ref_i3h_sampling.xmd", "projectionDirectionsSphere", 6, 4412, NULL, 0},
    {"star/relion31.6opticsgroups.star", "optics", 18, 6, NULL, 0},
    {"star/relion31.6opticsgroups.star", "particles", 23, 139, "rlnAngleTilt", 12145.479420999998},
    {"star/sample_particles_relion30.star", "model_class_1", 29, 17, "rlnMagnification", 635276.5195269999},
    {"star/sample_particles_relion31.star", "optics", 8, 2, NULL, 0},
    {"particles/empiar10076_7/empiar_10076_7.star", "", 10, 7, "rlnDefocusU", 106785.9},
    {"synthetic/c1_48_400/particles.star", "particles", 12, 400, "rlnAnglePsi", 16.064910000000197},
};

static void real_tables_are_read(void)
{
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        char name[128];
        qn_star_reader *reader;
        const qn_star_table *table;
        const qn_star_value *values;
        double sum = 0, number = 0;
        snprintf(name, sizeof name, "cryoem/%s", real[i].name);
        const char *path = check_reference_data(name);
        CHECK(1); /* nothing to read without the reference data */
        if (!path || !CHECK_OK(qn_star_open(path, &reader))) return;
        do CHECK_OK(qn_star_next_table(reader, &table));
        while (table && strcmp(table->block, real[i].block) != 0);
        if (CHECK(table != NULL)) {
            CHECK(table->column_count == real[i].columns);
            const int column = real[i].column ? qn_star_column(table, real[i].column) : 0;
            while (CHECK_OK(qn_star_next_row(reader, &values)) && values) {
                const bool is_number = qn_number_parse(values[column].text, values[column].length, &number);
                CHECK(!real[i].column || is_number);
                sum += number;
            }
            CHECK(qn_star_row(reader) == real[i].rows);
            if (real[i].column) CHECK_NEAR(sum, real[i].sum, 1e-6);
        }
        qn_star_close(&reader);
    }
}

static void written_tables_are_read_back(void)
{
    static const char *const columns[] = {"rlnName", "rlnValue"};
    char path[700];
    qn_star_writer writer = {.path = path};
    char *text;
    size_t size;
    snprintf(path, sizeof path, "%s/written.star", check_scratch_folder());
    CHECK_OK(qn_star_begin_values(&writer, "general"));
    CHECK_OK(qn_star_put_name(&writer, "rlnSize"));
    CHECK_OK(qn_star_put_whole(&writer, -12));
    CHECK_OK(qn_star_put_name(&writer, "rlnName"));
    CHECK_OK(qn_star_put_text(&writer, "a b"));
    CHECK_OK(qn_star_begin_loop(&writer, "rows", columns, 2));
    CHECK_OK(qn_star_put_text(&writer, "_it's"));
    CHECK_OK(qn_star_put_number(&writer, -0.1234567));
    CHECK_OK(qn_star_end_row(&writer));
    CHECK_OK(qn_star_put_text(&writer, ""));
    CHECK_OK(qn_star_put_exact(&writer, 1.0 / 3, 9));
    CHECK_OK(qn_star_end_row(&writer));
    CHECK_FAILS(qn_star_put_text(&writer, "a\nb"), QN_INVALID_ARGUMENT);
    CHECK_FAILS(qn_star_put_exact(&writer, INFINITY, 9), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_star_write(&writer));
    qn_star_writer_clear(&writer);
    if (!CHECK_OK(qn_file_read(path, &text, &size))) return;
    CHECK_TEXT(dump(text), "general|rlnSize,rlnName|6:-12,a b\n"
                           "rows|rlnName,rlnValue|17:_it's,-0.123457|18:,0.333333333\n");
    qn_release(&text);
}

int main(void)
{
    RUN(loops_and_single_values_are_read);
    RUN(line_ends_of_other_systems_are_read);
    RUN(empty_loops_are_read);
    RUN(quotes_comments_and_keywords_as_values_are_read);
    RUN(empty_lines_between_head_and_rows_are_skipped);
    RUN(files_that_are_not_star_are_refused);
    RUN(long_lines_and_many_columns_are_read_up_to_a_limit);
    RUN(unread_rows_are_skipped);
    RUN(real_tables_are_read);
    RUN(written_tables_are_read_back);
    return check_finish();
}

/* labels: threads */
/* Tables of particles that are parsed in parts: the set and the first failure are the same for every number of
 * threads, wherever parts end. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <quern/particles.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "format/image/particle_file.h"

enum { ROWS = 30000, STACKS = 7, NONE = -1 };

static const int thread_counts[] = {1, 2, 3, 8};
static qn_pool *pools[sizeof thread_counts / sizeof *thread_counts];
enum { POOLS = sizeof thread_counts / sizeof *thread_counts };

/* A made table: what is unusual in it. */
typedef struct made {
    int rows;
    const char *line_end;
    int comments;           /* a comment after each so many rows; 0: none */
    int bad[2];             /* rows whose psi is no number */
    int short_row;          /* a row that lacks a value */
    bool optics_last, open; /* data_optics comes after an empty line; the last line has no end */
    bool classes;
} made;

static const made plain = {.rows = ROWS, .line_end = "\n", .bad = {NONE, NONE}, .short_row = NONE};

static const char *path_of_table(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/parts.star", check_scratch_folder());
    return path;
}

/* Stack 0 in the first rows; the others are first mentioned in descending order, far apart. */
static int stack_of(int row)
{
    const int latest = row / (ROWS / STACKS + 1);
    return row % 5 == 0 ? 0 : (STACKS - latest) % STACKS;
}

static void write_optics(FILE *file, const char *end)
{
    fprintf(file, "data_optics%s%sloop_%s_rlnOpticsGroup%s_rlnImagePixelSize%s1 1.5%s2 2.5%s%s", end, end, end, end,
            end, end, end, end);
}

/* Returns the number of lines before the first row. */
static int write_table(const made *table)
{
    FILE *file = fopen(path_of_table(), "wb");
    const char *end = table->line_end;
    if (!CHECK(file != NULL)) return 0;
    if (!table->optics_last) write_optics(file, end);
    fprintf(file,
            "data_particles%s%sloop_%s_rlnImageName%s_rlnOpticsGroup%s_rlnAngleRot%s_rlnAngleTilt%s_rlnAnglePsi%s", end,
            end, end, end, end, end, end, end);
    if (table->classes) fprintf(file, "_rlnClassNumber%s", end);
    for (int row = 0; row < table->rows; row++) {
        const bool is_bad = row == table->bad[0] || row == table->bad[1];
        if (row == table->short_row) {
            fprintf(file, "000001@stack0.mrcs 1%s", end);
            continue;
        }
        fprintf(file, "%06d@stack%d.mrcs %d %.3f %.2f %s", row + 1, stack_of(row), 1 + row % 2, row * 0.001,
                row % 180 + 0.25, is_bad ? "wrong" : "-7.5");
        if (table->classes) fprintf(file, " %d", row % 11);
        if (row + 1 < table->rows || !table->open) fputs(end, file);
        if (table->comments && row % table->comments == 0) fprintf(file, "# %0*d%s", row % 70, row, end);
    }
    if (table->optics_last) {
        fputs(end, file);
        write_optics(file, end);
    }
    fclose(file);
    return (table->optics_last ? 0 : 8) + 8 + table->classes;
}

static int comments_before(const made *table, int row)
{
    return table->comments && row > 0 ? (row - 1) / table->comments + 1 : 0;
}

static void check_set(const made *table, int head, const qn_particle_set *set)
{
    int wrong = 0, order[STACKS], known = 0;
    if (!CHECK(set->particle_count == (size_t)table->rows && set->optics_count == 2)) return;
    for (int row = 0; row < table->rows; row++) {
        const qn_particle *p = &set->particles[row];
        int place = 0;
        while (place < known && order[place] != stack_of(row)) place++;
        if (place == known) order[known++] = stack_of(row);
        wrong += p->stack != (uint32_t)place || p->image != (uint64_t)row || p->row != (uint64_t)row + 1;
        wrong += p->line != (uint64_t)(head + row + comments_before(table, row) + 1);
        wrong += p->optics != (uint32_t)(row % 2) || p->psi_degrees != -7.5;
        wrong += !(p->rot_degrees > row * 0.001 - 1e-9 && p->rot_degrees < row * 0.001 + 1e-9);
        wrong += p->tilt_degrees != row % 180 + 0.25;
        if (table->classes) wrong += !set->classes || set->classes[row] != row % 11;
    }
    CHECK(wrong == 0);
    CHECK(set->stack_count == (size_t)known && (set->classes != NULL) == table->classes);
    for (int s = 0; s < known && (size_t)s < set->stack_count; s++) {
        char name[32];
        snprintf(name, sizeof name, "stack%d.mrcs", order[s]);
        CHECK_TEXT(strrchr(set->stacks[s], '/') + 1, name);
    }
}

static void check_table(const made *table)
{
    const int head = write_table(table);
    for (int p = 0; p < POOLS; p++) {
        qn_particle_set *set;
        if (CHECK_OK(qn_particle_file_read(path_of_table(), pools[p], &set))) check_set(table, head, set);
        qn_particle_set_destroy(&set);
    }
}

static void every_row_has_its_place(void)
{
    made table = plain;
    check_table(&table);
    table.line_end = "\r\n";
    table.comments = 3;
    check_table(&table);
    table.classes = true;
    table.optics_last = true;
    check_table(&table);
    table = plain;
    table.open = true;
    table.comments = 1000;
    check_table(&table);
}

/* Fewer rows than parts, so that some parts are empty. */
static void short_tables_are_read(void)
{
    for (int rows = 1; rows < 40; rows += rows < 4 ? 1 : 7)
        for (int open = 0; open < 2; open++) {
            made table = plain;
            table.rows = rows;
            table.open = open == 1;
            table.optics_last = open == 0;
            table.line_end = rows % 2 ? "\n" : "\r\n";
            check_table(&table);
        }
}

static void check_failure(const made *table, const char *expected)
{
    write_table(table);
    for (int p = 0; p < POOLS; p++) {
        qn_particle_set *set = NULL;
        CHECK_FAILS(qn_particle_file_read(path_of_table(), pools[p], &set), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(expected);
        CHECK(set == NULL);
    }
}

/* The head has 16 lines. */
static void the_first_bad_row_is_named(void)
{
    made table = plain;
    table.bad[0] = 3, table.bad[1] = 29000;
    check_failure(&table, "line 20 (row 4 of data_particles): _rlnAnglePsi is \"wrong\"");
    table.bad[0] = 29999, table.bad[1] = 29998;
    check_failure(&table, "line 30015 (row 29999 of data_particles): _rlnAnglePsi is \"wrong\"");
    table.bad[0] = 15000, table.bad[1] = 15001;
    table.short_row = 20000;
    table.line_end = "\r\n";
    check_failure(&table, "line 15017 (row 15001 of data_particles): _rlnAnglePsi is \"wrong\"");
    table.short_row = 14999;
    check_failure(&table, "line 15016 (row 15000 of data_particles) has 2 values; expected 5");
    table.short_row = NONE;
    table.comments = 2; /* 7500 comments are before row 15001 */
    check_failure(&table, "line 22517 (row 15001 of data_particles): _rlnAnglePsi is \"wrong\"");
}

/* Lines behind the table are read from its block. */
static void rows_behind_an_empty_line_are_refused(void)
{
    made table = plain;
    table.rows = 100;
    write_table(&table);
    FILE *file = fopen(path_of_table(), "ab");
    if (!CHECK(file != NULL)) return;
    fputs("\n000001@stack0.mrcs 1 0 0 0\n", file);
    fclose(file);
    for (int p = 0; p < POOLS; p++) {
        qn_particle_set *set;
        CHECK_FAILS(qn_particle_file_read(path_of_table(), pools[p], &set), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("line 118 goes on with rows");
    }
}

static void a_line_that_is_too_long_is_refused(void)
{
    for (int extra = 0; extra < 2; extra++) {
        made table = plain;
        table.rows = 20000;
        write_table(&table);
        FILE *file = fopen(path_of_table(), "ab");
        if (!CHECK(file != NULL)) return;
        const int text = fprintf(file, "000001@stack0.mrcs 1 0 0 0 #");
        for (int i = text + 1; i < (1 << 20) + extra; i++) fputc('x', file);
        fputs("\n000001@stack0.mrcs 1 0 0 wrong\n", file);
        fclose(file);
        for (int p = 0; p < POOLS; p++) {
            qn_particle_set *set;
            CHECK_FAILS(qn_particle_file_read(path_of_table(), pools[p], &set), QN_BAD_FORMAT);
            CHECK_MESSAGE_HAS(extra ? "line 20017 is longer than 1048576 bytes" : "line 20018 (row 20002 of");
        }
    }
}

/* Gzip the table, and leave out the last bytes. */
static void pack_and_cut(const char *packed)
{
    static char text[1 << 16];
    FILE *table = fopen(path_of_table(), "rb");
    gzFile file = gzopen(packed, "wb1");
    if (!CHECK(table && file)) return;
    for (size_t got; (got = fread(text, 1, sizeof text, table)) > 0;)
        CHECK(gzwrite(file, text, (unsigned)got) == (int)got);
    fclose(table);
    CHECK(gzclose(file) == Z_OK);
    FILE *whole = fopen(packed, "rb");
    if (!CHECK(whole && fseek(whole, 0, SEEK_END) == 0)) return;
    CHECK(truncate(packed, ftell(whole) - 2000) == 0);
    fclose(whole);
}

/* The rows before the cut come first; the line that the cut divides is not taken for a short row. */
static void a_cut_file_is_told_after_its_rows(void)
{
    char packed[512];
    snprintf(packed, sizeof packed, "%s/parts.star.gz", check_scratch_folder());
    for (int bad = 0; bad < 2; bad++) {
        made table = plain;
        if (bad) table.bad[0] = 29500;
        write_table(&table);
        pack_and_cut(packed);
        for (int p = 0; p < POOLS; p++) {
            qn_particle_set *set;
            CHECK_FAILS(qn_particle_file_read(packed, pools[p], &set), QN_BAD_FORMAT);
            CHECK_MESSAGE_HAS(bad ? "line 29517 (row 29501 of data_particles): _rlnAnglePsi"
                                  : "the gzipped data is cut off");
        }
    }
}

int main(void)
{
    for (int p = 0; p < POOLS; p++)
        if (!CHECK_OK(qn_pool_create(thread_counts[p], &pools[p]))) return check_finish();
    RUN(every_row_has_its_place);
    RUN(short_tables_are_read);
    RUN(the_first_bad_row_is_named);
    RUN(rows_behind_an_empty_line_are_refused);
    RUN(a_line_that_is_too_long_is_refused);
    RUN(a_cut_file_is_told_after_its_rows);
    for (int p = 0; p < POOLS; p++) qn_pool_destroy(&pools[p]);
    return check_finish();
}

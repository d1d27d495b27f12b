/* Any bytes as a STAR file: its tables are read, and a particle set, which must be the same after it was written and
 * read again. */
#define _GNU_SOURCE
#include <math.h>
#include <quern/particles.h>
#include <string.h>

#include "format/image/star.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_tables(const char *path)
{
    qn_star_reader *reader;
    const qn_star_table *table;
    const qn_star_value *values;
    uint64_t line = 0, touched = 0;
    demand(qn_star_open(path, &reader) == QN_OK);
    qn_status status;
    while ((status = qn_star_next_table(reader, &table)) == QN_OK && table) {
        demand(table->column_count <= QN_STAR_COLUMNS_MAX && table->line > 0);
        for (size_t i = 0; i < table->column_count; i++)
            demand(qn_star_column(table, table->columns[i]) >= 0 && qn_star_column(table, table->columns[i]) <= (int)i);
        if (table->line % 3 == 0) continue; /* skip the rows of some tables */
        while ((status = qn_star_next_row(reader, &values)) == QN_OK && values) {
            demand(qn_star_line(reader) > line || qn_star_row(reader) == 1);
            line = qn_star_line(reader);
            for (size_t i = 0; i < table->column_count; i++)
                for (size_t c = 0; c < values[i].length; c++) touched += (unsigned char)values[i].text[c];
        }
        if (status != QN_OK) break;
    }
    demand(status == QN_OK || (status == QN_BAD_FORMAT && qn_error_message()[0]));
    demand(touched < UINT64_MAX);
    qn_star_close(&reader);
}

static void try_round_trip(const qn_particle_set *set)
{
    char path[64];
    qn_particle_set *back;
    snprintf(path, sizeof path, "/tmp/fuzz_star.%ld.star", (long)getpid());
    const qn_status status = qn_particle_set_write(set, path);
    demand(status == QN_OK || (status == QN_INVALID_ARGUMENT && qn_error_message()[0]));
    if (status != QN_OK) return;
    const qn_status again = qn_particle_set_read(path, &back);
    unlink(path);
    if (again != QN_OK) fprintf(stderr, "%s\n", qn_error_message());
    demand(again == QN_OK);
    demand(back->particle_count == set->particle_count && back->optics_count == set->optics_count);
    for (size_t i = 0; i < set->particle_count; i++) {
        const qn_particle *p = &set->particles[i], *q = &back->particles[i];
        demand(p->image == q->image && p->subset == q->subset && p->optics == q->optics);
        if (set->has_angles) demand(fabs(p->rot_degrees - q->rot_degrees) <= 1e-6 + 1e-15 * fabs(p->rot_degrees));
    }
    qn_particle_set_destroy(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    qn_particle_set *set;
    const int descriptor = open_bytes(data, size, path);
    try_tables(path);
    const qn_status status = qn_particle_set_read(path, &set);
    demand(status == QN_OK ? set != NULL : set == NULL && qn_error_message()[0]);
    if (status == QN_OK) {
        demand(set->particle_count > 0 && set->optics_count > 0 && set->stack_count > 0);
        for (size_t i = 0; i < set->particle_count; i++)
            demand(set->particles[i].stack < set->stack_count && set->particles[i].optics < set->optics_count);
        for (size_t i = 0; i < set->optics_count; i++) demand(set->optics[i].pixel_angstrom > 0);
        if (data[size - 1] % 8 == '\n' % 8) try_round_trip(set);
        qn_particle_set_destroy(&set);
    }
    close(descriptor);
    return 0;
}

/* Properties of every small molecule that a reader accepts. Each target that reads small molecules includes this
 * file. */
#ifndef QN_TESTS_FUZZ_COMPOUND_TRIP_H
#define QN_TESTS_FUZZ_COMPOUND_TRIP_H

#ifndef _GNU_SOURCE
#error "memfd_create: define _GNU_SOURCE before the first include"
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/compound/compound_stream.h"
#include "format/compound/packed_library.h"

static inline void demand(bool holds)
{
    if (!holds) abort();
}

static inline bool is_text(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

static inline void demand_compound(const qn_compound *c)
{
    demand(c->name != NULL && c->atom_count > 0 && c->conformer_count > 0);
    for (size_t i = 0; i < c->atom_count; i++) {
        const qn_compound_atom *atom = &c->atoms[i];
        demand(is_text(atom->element, 4) && is_text(atom->name, 8) && is_text(atom->type, 8) && atom->element[0]);
        demand(atom->hydrogens >= -1 && isfinite(atom->partial_charge_e));
    }
    for (size_t b = 0; b < c->bond_count; b++) {
        const qn_compound_bond *bond = &c->bonds[b];
        demand(bond->first >= 0 && bond->second >= 0 && bond->first != bond->second);
        demand((size_t)bond->first < c->atom_count && (size_t)bond->second < c->atom_count);
        demand(bond->order >= QN_BOND_UNKNOWN && bond->order <= QN_BOND_AROMATIC);
    }
    for (size_t i = 0; i < 3 * c->atom_count * c->conformer_count; i++) demand(fabs(c->positions_angstrom[i]) <= 1e5);
    for (size_t i = 0; i < c->property_count; i++) demand(c->properties[i].name && c->properties[i].value);
}

/* Demand that two molecules are the same. `text`: one was written as SDF, which holds fewer facts. */
static inline void demand_same(const qn_compound *a, const qn_compound *b, bool text)
{
    const double rounding = 5.001e-5;
    demand(a->atom_count == b->atom_count && a->bond_count == b->bond_count && a->flat == b->flat);
    demand(a->property_count == b->property_count);
    for (size_t i = 0; i < a->atom_count; i++) {
        const qn_compound_atom *x = &a->atoms[i], *y = &b->atoms[i];
        demand(strcmp(x->element, y->element) == 0 && x->charge_e == y->charge_e);
        if (text) continue;
        demand(strcmp(x->name, y->name) == 0 && strcmp(x->type, y->type) == 0 && x->hydrogens == y->hydrogens);
        demand(x->has_partial_charge == y->has_partial_charge && x->partial_charge_e == y->partial_charge_e);
    }
    for (size_t i = 0; i < a->bond_count; i++)
        demand(a->bonds[i].first == b->bonds[i].first && a->bonds[i].second == b->bonds[i].second &&
               a->bonds[i].order == b->bonds[i].order);
    for (size_t i = 0; i < 3 * a->atom_count * (text ? 1 : a->conformer_count); i++)
        demand(fabs(a->positions_angstrom[i] - b->positions_angstrom[i]) <= rounding);
    if (text) return;
    demand(strcmp(a->name, b->name) == 0 && a->conformer_count == b->conformer_count);
    for (size_t i = 0; i < a->property_count; i++)
        demand(strcmp(a->properties[i].name, b->properties[i].name) == 0 &&
               strcmp(a->properties[i].value, b->properties[i].value) == 0);
}

/* Demand that a molecule is the same after it was written and read again. */
static inline void round_trip(const qn_compound *c, qn_compound_format format)
{
    qn_text text = {0};
    qn_compound *back = NULL;
    demand((format == QN_COMPOUND_SDF ? qn_compound_write_sdf(c, NULL, &text) : qn_compound_pack(c, &text)) == QN_OK);
    qn_compound_record record = {.format = format, .line = 1, .path = "back", .text = text.data, .size = text.length};
    bool has_x = false; /* SDF writes X as '*', which readers refuse */
    for (size_t i = 0; i < c->atom_count; i++) has_x = has_x || strcmp(c->atoms[i].element, "X") == 0;
    if (!has_x || format != QN_COMPOUND_SDF) {
        demand(qn_compound_read(&record, &back) == QN_OK);
        demand_same(c, back, format == QN_COMPOUND_SDF);
    }
    qn_compound_destroy(&back);
    qn_text_clear(&text);
}

/* Read one record and check the molecule. `unique`: no two bonds join the same atoms, which only text formats
 * ensure. */
static inline void try_record(const qn_compound_record *record, bool unique)
{
    qn_compound *c = NULL;
    qn_status status = qn_compound_read(record, &c);
    demand(status == QN_OK ? c != NULL : c == NULL);
    demand(status == QN_OK || (status == QN_BAD_FORMAT && qn_error_message()[0] != '\0'));
    if (status != QN_OK) return;
    demand_compound(c);
    if (unique) round_trip(c, QN_COMPOUND_SDF);
    round_trip(c, QN_COMPOUND_PACKED);
    qn_compound_destroy(&c);
}

/* Read the whole data as one record. */
static inline void try_text(qn_compound_format format, const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    demand(copy != NULL);
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    qn_compound_record record = {.format = format, .line = 1, .path = "in", .text = copy, .size = size};
    try_record(&record, true);
    free(copy);
}

/* Read the data as a file that is cut into records; some records are skipped. */
static inline void try_file(const uint8_t *data, size_t size)
{
    char path[64];
    int file = memfd_create("in", 0);
    demand(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    qn_compound_stream *stream;
    qn_compound_record record = {0};
    if (qn_compound_stream_open(path, &stream) == QN_OK) {
        for (uint64_t index = 0;; index++) {
            bool skip = index % 4 == 3;
            qn_status status =
                skip ? qn_compound_stream_skip(stream, &record) : qn_compound_stream_next(stream, &record);
            demand(status == QN_OK || (record.size == 0 && qn_error_message()[0] != '\0'));
            if (status != QN_OK || record.size == 0) break;
            demand(record.index == index && (skip || record.text[record.size] == '\0'));
            if (!skip) try_record(&record, record.format != QN_COMPOUND_PACKED);
        }
        qn_compound_record_clear(&record);
        qn_compound_stream_close(&stream);
    }
    close(file);
}

#endif

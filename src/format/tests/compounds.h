/* Helpers for the tests of small-molecule formats. */
#ifndef QN_FORMAT_TESTS_COMPOUNDS_H
#define QN_FORMAT_TESTS_COMPOUNDS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "format/compound/compound_stream.h"

/* Read one record from a text that begins on line 11 of the file "lib". */
static inline qn_status read_record(qn_compound_format format, const char *text, qn_compound **compound)
{
    qn_compound_record record = {
        .format = format, .line = 11, .path = "lib", .text = (char *)text, .size = strlen(text)};
    return qn_compound_read(&record, compound);
}

/* A malformed record and the message that it causes. */
typedef struct bad_record {
    const char *text, *message;
} bad_record;

static inline void check_refusals(qn_compound_format format, const bad_record *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        qn_compound *compound = NULL;
        CHECK_FAILS(read_record(format, cases[i].text, &compound), QN_BAD_FORMAT);
        CHECK(compound == NULL);
        CHECK_TEXT(qn_error_message(), cases[i].message);
        qn_compound_destroy(&compound);
    }
}

/* Compare two compounds; positions may differ by `tolerance`. */
static inline void check_same(const qn_compound *a, const qn_compound *b, double tolerance)
{
    CHECK_TEXT(a->name, b->name);
    if (!CHECK(a->atom_count == b->atom_count && a->bond_count == b->bond_count &&
               a->conformer_count == b->conformer_count && a->property_count == b->property_count &&
               a->flat == b->flat))
        return;
    for (size_t i = 0; i < a->atom_count; i++) {
        const qn_compound_atom *x = &a->atoms[i], *y = &b->atoms[i];
        CHECK(strcmp(x->element, y->element) == 0 && x->charge_e == y->charge_e && x->hydrogens == y->hydrogens);
        CHECK(x->has_partial_charge == y->has_partial_charge && x->partial_charge_e == y->partial_charge_e);
        CHECK(strcmp(x->name, y->name) == 0 && strcmp(x->type, y->type) == 0);
    }
    for (size_t i = 0; i < a->bond_count; i++)
        CHECK(a->bonds[i].first == b->bonds[i].first && a->bonds[i].second == b->bonds[i].second &&
              a->bonds[i].order == b->bonds[i].order);
    for (size_t i = 0; i < a->conformer_count * a->atom_count * 3; i++)
        CHECK(fabs(a->positions_angstrom[i] - b->positions_angstrom[i]) <= tolerance);
    for (size_t i = 0; i < a->property_count; i++) {
        CHECK_TEXT(a->properties[i].name, b->properties[i].name);
        CHECK_TEXT(a->properties[i].value, b->properties[i].value);
    }
}

#endif

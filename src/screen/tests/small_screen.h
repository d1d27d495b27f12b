/* A small screen: a pocket of Abl kinase and eleven inhibitors, one of them broken. */
#ifndef QN_SCREEN_TESTS_SMALL_SCREEN_H
#define QN_SCREEN_TESTS_SMALL_SCREEN_H

#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/screen.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { MOLECULES = 11, BROKEN = 4, KEEP = 3 };

static const double box_centre[3] = {15.2, 53.9, 16.9}, box_side = 4, diversity = 1.5;
static const char *device;
static qn_context *context;
static char receptor_path[700], library_path[700];
static const char *libraries[] = {library_path};

/* Write the atoms of Abl kinase within 9 Å of the centre of the box. */
static inline void write_receptor(void)
{
    char *data;
    size_t size;
    qn_text text = {0};
    CHECK_OK(qn_file_read(check_data("../../examples/1iep/1iep_receptor.pdb"), &data, &size));
    for (char *line = strtok(data, "\n"); line; line = strtok(NULL, "\n")) {
        double x, y, z;
        if (strncmp(line, "ATOM", 4) != 0 || sscanf(line + 30, "%8lf%8lf%8lf", &x, &y, &z) != 3) continue;
        if (hypot(hypot(x - box_centre[0], y - box_centre[1]), z - box_centre[2]) < 9)
            CHECK_OK(qn_text_append(&text, "%s\n", line));
    }
    snprintf(receptor_path, sizeof receptor_path, "%s/pocket.pdb", check_scratch_folder());
    CHECK_OK(qn_file_write(receptor_path, text.data, text.length));
    qn_release(&data);
    qn_text_clear(&text);
}

/* Write the first inhibitors of the example; one record has no atoms. */
static inline void write_library(void)
{
    char *data;
    size_t size;
    qn_text text = {0};
    CHECK_OK(qn_file_read(check_data("../../examples/1iep/kinase_inhibitors.sdf"), &data, &size));
    const char *at = data;
    for (int i = 0; i < MOLECULES; i++) {
        const char *end = strstr(at, "$$$$\n");
        if (!CHECK(end != NULL)) break;
        if (i == BROKEN)
            CHECK_OK(qn_text_append(&text, "broken\n\n\n  5  4  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n"));
        else
            CHECK_OK(qn_text_append_bytes(&text, at, (size_t)(end + 5 - at)));
        at = end + 5;
    }
    snprintf(library_path, sizeof library_path, "%s/library.sdf", check_scratch_folder());
    CHECK_OK(qn_file_write(library_path, text.data, text.length));
    qn_release(&data);
    qn_text_clear(&text);
}

static inline qn_screen_options options_for(const char *name)
{
    static char folder[700];
    qn_screen_options options = qn_screen_default_options();
    snprintf(folder, sizeof folder, "%s/%s", check_scratch_folder(), name);
    options.receptor = receptor_path;
    options.libraries = libraries;
    options.library_count = 1;
    options.output = folder;
    options.run.device = device;
    options.keep = KEEP;
    options.diversity_angstrom = diversity;
    options.run.tune = QN_TUNE_OFF;
    for (int d = 0; d < 3; d++) {
        options.box_centre_angstrom[d] = box_centre[d];
        options.box_side_angstrom[d] = box_side;
    }
    return options;
}

/* The search of rigid molecules with BUDE's score, in a few steps. */
static inline qn_screen_options rigid_options_for(const char *name)
{
    qn_screen_options options = options_for(name);
    options.rigid = true;
    options.score = QN_SCREEN_BUDE;
    options.poses = 64;
    options.generations = 2;
    options.rounds = 5;
    return options;
}

static inline char *read_result(const char *folder, const char *name)
{
    char path[1500], *data = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(qn_file_read(path, &data, &size));
    return data;
}

static inline void check_same(const char *folder, const char *other)
{
    static const char *const names[] = {"scores.csv", "hits.sdf", "rejected.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *first = read_result(folder, names[i]), *second = read_result(other, names[i]);
        CHECK(first && second && strcmp(first, second) == 0);
        qn_release(&first);
        qn_release(&second);
    }
}

#endif

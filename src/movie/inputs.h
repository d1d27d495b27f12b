/* The movies of a run and their optics: from a STAR file, from names of files, or added one by one.
 *
 * Life cycle: read or add → use → clear. Thread rule: one thread at a time; a movie does not move once it is added. */
#ifndef QN_MOVIE_INPUTS_H
#define QN_MOVIE_INPUTS_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "format/image/stack_names.h"

typedef struct qn_movie_input {
    char *path;    /* of the movie, from the working folder */
    char *name;    /* of its files in the output, without ending; dots are replaced by _ */
    size_t optics; /* row of the optics */
    bool is_old;   /* a later entry is of the same file, which has changed */
    char *refusal; /* a sentence: a file of it would have the name of another file in the output; NULL: none would */
} qn_movie_input;

/* The optics table: the columns and values of the file, and those values that are used. */
typedef struct qn_movie_optics {
    char **columns;
    size_t column_count;
    char **values; /* [row][column] */
    size_t count, value_capacity, column_capacity;
} qn_movie_optics;

typedef struct qn_movie_inputs {
    qn_movie_input **movies;
    size_t count, capacity;
    qn_movie_optics optics;
    bool of_star;
    qn_stack_names *names; /* of images in the output, without ".mrc": index i is a name of movie owners[i] */
    size_t *owners;
    size_t owner_count, owner_capacity;
} qn_movie_inputs;

/* Read `paths`: one STAR file with a table of movies, or names of movies. Nothing is opened besides the STAR file.
 * QN_NOT_FOUND, QN_BAD_FORMAT, QN_INVALID_ARGUMENT (a STAR file beside other files). `inputs` must be cleared after a
 * failure too. */
QN_MUST_CHECK qn_status qn_movie_inputs_read(const char *const *paths, size_t count, qn_movie_inputs *inputs);

/* Add a movie by its path. Its files are named after `named`, with its folders. */
QN_MUST_CHECK qn_status qn_movie_inputs_add(qn_movie_inputs *inputs, const char *path, const char *named);
/* Add a movie once more, whose file has changed since. */
QN_MUST_CHECK qn_status qn_movie_inputs_add_again(qn_movie_inputs *inputs, const char *path, const char *named);
void qn_movie_inputs_clear(qn_movie_inputs *inputs);

/* Value of a column in row `row` of the optics; NULL: no such column or row. */
const char *qn_movie_optics_value(const qn_movie_optics *optics, size_t row, const char *column);

/* The same as a number above 0; 0: not stated. QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_movie_optics_number(const qn_movie_optics *optics, size_t row, const char *column,
                                               double *number);

/* Pixel size in Å of the frames and voltage in kV, each 0 where the optics do not state it. QN_BAD_FORMAT. */
QN_MUST_CHECK qn_status qn_movie_optics_get(const qn_movie_optics *optics, size_t row, double *pixel_angstrom,
                                            double *voltage_kv);

/* Name in the output of a movie that is named `path`: without "/" at its beginning, without parts "." and ".." and
 * without its ending; dots in the last part are replaced by _, as RELION does. Released with qn_release. */
QN_MUST_CHECK qn_status qn_movie_output_name(const char *path, char **name);

#endif

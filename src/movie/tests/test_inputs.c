/* Lists of movies: names in the output, STAR files of both dialects, optics, and refused files. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "movie/inputs.h"

static const char *save(const char *name, const char *text)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

/* RELION names files of sub/x.y.mrcs in out/: out/sub/x_y.mrc, and those of /data/x.tif: out/data/x.mrc. */
static void names_are_those_of_relion(void)
{
    static const char *const cases[][2] = {{"sub/x.y.mrcs", "sub/x_y"},
                                           {"/data/x.tif", "data/x"},
                                           {"../a.b/./x.eer", "a.b/x"},
                                           {"movie", "movie"},
                                           {"dir//x.y.z.tiff", "dir/x_y_z"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name;
        CHECK_OK(qn_movie_output_name(cases[i][0], &name));
        CHECK_TEXT(name, cases[i][1]);
        qn_release(&name);
    }
}

static void files_are_listed_by_their_names(void)
{
    const char *const paths[] = {"data/a.mrcs", "more/b.c.tif", "other/a.eer"};
    qn_movie_inputs inputs;
    CHECK_OK(qn_movie_inputs_read(paths, 3, &inputs));
    CHECK(inputs.count == 3);
    CHECK_TEXT(inputs.movies[0]->path, "data/a.mrcs");
    CHECK_TEXT(inputs.movies[0]->name, "a");
    CHECK_TEXT(inputs.movies[1]->name, "b_c");
    CHECK(!inputs.movies[0]->refusal && !inputs.movies[1]->refusal);
    CHECK_TEXT(inputs.movies[2]->refusal,
               "other/a.eer: its files would be named a, as those of data/a.mrcs; expected different names");
    qn_movie_inputs_clear(&inputs);
}

/* a_PS.mrc is the spectrum of a.tif and the micrograph of a_PS.tif; whichever movie comes later is refused. */
static void no_file_of_the_output_has_two_meanings(void)
{
    static const struct {
        const char *paths[2], *refusal;
    } cases[] = {{{"a.tif", "a_PS.tif"}, "a_PS.tif: a file of it would be named a_PS.mrc, as one of a.tif"},
                 {{"a_EVN.tif", "a.tif"}, "a.tif: a file of it would be named a_EVN.mrc, as one of a_EVN.tif"},
                 {{"a.tif", "a.tif"}, "a.tif: is named twice"},
                 {{"b.tif", "corrected_micrographs.tif"}, "as one of the run; expected another name"},
                 {{"b.tif", "gain_4096x4096.mrc"}, "as one of the run"},
                 {{"b.tif", "gain_40x40_eer.mrc"}, "as one of the run"},
                 {{"a.tif", "a_noDW_PS.tif"}, NULL},
                 {{"b.tif", "gain_4096x.mrc"}, NULL},
                 {{"b.tif", "gain_1x1x1.mrc"}, NULL},
                 {{"gain_x5.mrc", "gain.mrc"}, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        qn_movie_inputs inputs;
        CHECK_OK(qn_movie_inputs_read(cases[i].paths, 2, &inputs));
        const char *refusal = inputs.movies[1]->refusal;
        CHECK(!inputs.movies[0]->refusal && !refusal == !cases[i].refusal);
        if (refusal && cases[i].refusal) CHECK(strstr(refusal, cases[i].refusal) != NULL);
        qn_movie_inputs_clear(&inputs);
    }
}

static void movies_that_changed_are_added_again(void)
{
    const char *const paths[] = {"a.tif", "b.tif"};
    qn_movie_inputs inputs;
    CHECK_OK(qn_movie_inputs_read(paths, 2, &inputs));
    CHECK_OK(qn_movie_inputs_add_again(&inputs, "a.tif", "a.tif"));
    CHECK(inputs.count == 3 && inputs.movies[0]->is_old && !inputs.movies[1]->is_old && !inputs.movies[2]->is_old);
    CHECK(!inputs.movies[2]->refusal);
    CHECK_OK(qn_movie_inputs_add(&inputs, "c/a_PS.tif", "a_PS.tif"));
    CHECK(inputs.movies[3]->refusal && strstr(inputs.movies[3]->refusal, "as one of a.tif"));
    CHECK_OK(qn_movie_inputs_add_again(&inputs, "d/b.tif", "b.tif")); /* another file */
    CHECK(inputs.movies[4]->refusal && !inputs.movies[1]->is_old);
    qn_movie_inputs_clear(&inputs);
}

static void tables_of_relion_are_read(void)
{
    const char *path =
        save("movies.star", "# version 30001\n\ndata_optics\n\nloop_\n_rlnOpticsGroupName #1\n"
                            "_rlnOpticsGroup #2\n_rlnMicrographOriginalPixelSize #3\n_rlnVoltage #4\n"
                            "_rlnMtfFileName #5\nfirst 1 0.83 300 mtf.star\nsecond 7 1.05 200.0 mtf.star\n"
                            "\n\ndata_movies\n\nloop_\n_rlnOpticsGroup #1\n_rlnMicrographMovieName #2\n"
                            "7 sub/m.1.tif\n1 m2.tif\n\n");
    qn_movie_inputs inputs;
    double pixel, voltage;
    CHECK_OK(qn_movie_inputs_read(&path, 1, &inputs));
    CHECK(inputs.count == 2 && inputs.of_star);
    CHECK_TEXT(inputs.movies[0]->name, "sub/m_1");
    CHECK(inputs.movies[0]->optics == 1 && inputs.movies[1]->optics == 0);
    CHECK_OK(qn_movie_optics_get(&inputs.optics, 1, &pixel, &voltage));
    CHECK(pixel == 1.05 && voltage == 200);
    CHECK_TEXT(qn_movie_optics_value(&inputs.optics, 0, "rlnMtfFileName"), "mtf.star");
    CHECK(qn_movie_optics_value(&inputs.optics, 0, "rlnNothing") == NULL);
    qn_movie_inputs_clear(&inputs);
}

/* Pixel size of RELION 3.0: 10000 · 5 µm / 50000. */
static void older_tables_have_optics_in_their_rows(void)
{
    const char *path =
        save("old.star", "data_\nloop_\n_rlnMicrographMovieName\n_rlnVoltage\n_rlnDetectorPixelSize\n"
                         "_rlnMagnification\na.mrcs 300 5 50000\nb.mrcs 300 5 50000\nc.mrcs 200 5 25000\n");
    qn_movie_inputs inputs;
    double pixel, voltage;
    CHECK_OK(qn_movie_inputs_read(&path, 1, &inputs));
    CHECK(inputs.count == 3 && inputs.optics.count == 2);
    CHECK(inputs.movies[1]->optics == 0 && inputs.movies[2]->optics == 1);
    CHECK_OK(qn_movie_optics_get(&inputs.optics, 0, &pixel, &voltage));
    CHECK_NEAR(pixel, 1, 1e-12);
    CHECK_OK(qn_movie_optics_get(&inputs.optics, 1, &pixel, &voltage));
    CHECK_NEAR(pixel, 2, 1e-12);
    CHECK(voltage == 200);
    qn_movie_inputs_clear(&inputs);
}

/* A path of a STAR file begins beside it, if the movie is there. */
static void movies_are_found_beside_the_table(void)
{
    char expected[800];
    qn_movie_inputs inputs;
    (void)save("here.mrcs", "x");
    const char *path = save("here.star", "data_movies\n_rlnMicrographMovieName here.mrcs\n");
    snprintf(expected, sizeof expected, "%s/here.mrcs", check_scratch_folder());
    CHECK_OK(qn_movie_inputs_read(&path, 1, &inputs));
    CHECK_TEXT(inputs.movies[0]->path, expected);
    CHECK_TEXT(inputs.movies[0]->name, "here");
    qn_movie_inputs_clear(&inputs);
}

static void refuse(const char *text, const char *part)
{
    const char *path = save("bad.star", text);
    qn_movie_inputs inputs;
    CHECK_FAILS(qn_movie_inputs_read(&path, 1, &inputs), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(part);
    qn_movie_inputs_clear(&inputs);
}

static void tables_without_movies_are_refused(void)
{
    refuse("data_micrographs\nloop_\n_rlnMicrographName\na.mrc\n", "no movies, but micrographs");
    refuse("data_movies\nloop_\n_rlnMicrographMovieName\n_rlnOpticsGroup\na.mrc 1\n", "no table data_optics");
    refuse("data_optics\nloop_\n_rlnOpticsGroup\n1\n\ndata_movies\nloop_\n_rlnMicrographMovieName\n_rlnOpticsGroup\n"
           "a.mrc 2\n",
           "line 10: _rlnOpticsGroup is \"2\"");
    refuse("data_optics\nloop_\n_rlnVoltage\n300\n", "has no column _rlnOpticsGroup");
    const char *const paths[] = {"a.star", "b.mrcs"};
    qn_movie_inputs inputs;
    CHECK_FAILS(qn_movie_inputs_read(paths, 2, &inputs), QN_INVALID_ARGUMENT);
    qn_movie_inputs_clear(&inputs);
}

static void bad_pixel_sizes_are_refused(void)
{
    const char *path =
        save("pixel.star", "data_optics\nloop_\n_rlnOpticsGroup\n_rlnMicrographOriginalPixelSize\n1 -2\n\n"
                           "data_movies\nloop_\n_rlnMicrographMovieName\n_rlnOpticsGroup\na.mrc 1\n");
    qn_movie_inputs inputs;
    double pixel, voltage;
    CHECK_OK(qn_movie_inputs_read(&path, 1, &inputs));
    CHECK_FAILS(qn_movie_optics_get(&inputs.optics, 0, &pixel, &voltage), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("_rlnMicrographOriginalPixelSize is \"-2\"");
    qn_movie_inputs_clear(&inputs);
}

int main(void)
{
    RUN(names_are_those_of_relion);
    RUN(files_are_listed_by_their_names);
    RUN(no_file_of_the_output_has_two_meanings);
    RUN(movies_that_changed_are_added_again);
    RUN(tables_of_relion_are_read);
    RUN(older_tables_have_optics_in_their_rows);
    RUN(movies_are_found_beside_the_table);
    RUN(tables_without_movies_are_refused);
    RUN(bad_pixel_sizes_are_refused);
    return check_finish();
}

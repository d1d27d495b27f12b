/* Runs by a grid parameter file: which files they write, how outputs name them, and lines of the file that matter not.
 */
#include "check.h"

#include <quern/potential.h>

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static qn_context *context;

/* Path of a file in the scratch folder; it lives until the fourth call after. */
static const char *scratch(const char *name)
{
    static char paths[4][700];
    static int turn;
    char *path = paths[turn = (turn + 1) % 4];
    snprintf(path, sizeof paths[0], "%s/%s", check_scratch_folder(), name);
    return path;
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = scratch(name);
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

static bool file_has(const char *path, const char *part)
{
    char *text = NULL;
    size_t size;
    if (!CHECK_OK(qn_file_read(path, &text, &size))) return false;
    const bool has = strstr(text, part) != NULL;
    qn_release(&text);
    return has;
}

/* A run by the file "stem.gpf", whose maps begin with the stem. `map`: the ending of the map of OA. */
static qn_potential_options options_of(const char *stem, const char *map, const char *more)
{
    static char text[4096], path[700];
    char beginning[600], name[128];
    qn_potential_options options = qn_potential_default_options();
    snprintf(beginning, sizeof beginning, "%s/%s", check_scratch_folder(), stem);
    snprintf(text, sizeof text,
             "npts 16 16 16\ngridfld %s.maps.fld\nligand_types OA\nreceptor %s\ngridcenter 15.19 53.903 16.917\n"
             "map %s.%s\nelecmap %s.e.map\ndsolvmap %s.d.map\n%s",
             beginning, check_data("potential/pocket.pdbqt"), beginning, map, beginning, beginning, more);
    snprintf(name, sizeof name, "%s.gpf", stem);
    snprintf(path, sizeof path, "%s", write_file(name, text));
    options.gpf = path;
    options.run.device = "host";
    options.run.quiet = true;
    return options;
}

static void files_of_viewers_are_not_overwritten(void)
{
    qn_potential_options options = options_of("own", "OA.map", "");
    const char *own = write_file("own.e.dx", "mine");
    options.format = "map,dx";
    CHECK_FAILS(qn_potential_run(context, &options, NULL), QN_ALREADY_EXISTS);
    CHECK(file_has(own, "mine"));
    options.format = "mrc";
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(file_has(own, "mine"));
}

/* Without AutoGrid's maps, .fld and .xyz are not written either. */
static void files_that_are_not_written_are_not_in_the_way(void)
{
    qn_potential_options options = options_of("free", "OA.map", "");
    const char *field = write_file("free.maps.fld", "mine"), *extrema = write_file("free.maps.xyz", "mine");
    options.format = "dx";
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(file_has(field, "mine") && file_has(extrema, "mine"));
    CHECK(qn_file_exists(scratch("free.OA.dx")));
    options.run.overwrite = true;
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(file_has(field, "mine") && file_has(extrema, "mine"));
}

static void run_json_names_files_that_exist(void)
{
    qn_potential_options options = options_of("json", "OA.map", "");
    options.output = scratch("json");
    options.format = "dx";
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(file_has(scratch("json/run.json"), "\"file\": \"json.OA.dx\""));
    CHECK(!file_has(scratch("json/run.json"), "OA.map"));
}

/* The name of a map in a grid parameter file may have any ending. */
static void scripts_load_files_that_exist(void)
{
    qn_potential_options options = options_of("view", "OA.grid", "");
    options.output = scratch("view");
    options.format = "mrc";
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(qn_file_exists(scratch("view/view.OA.grid.mrc")));
    CHECK(file_has(scratch("view/view.pml"), "load view.OA.grid.mrc, map_OA"));
    CHECK(file_has(scratch("view/view.cxc"), "open view.OA.grid.mrc"));
    CHECK(file_has(scratch("view/view.pml"), "\nset_view (") &&
          file_has(scratch("view/view.cxc"), "\nview matrix camera "));
}

static void pairs_without_effect_are_named(void)
{
    qn_potential_options options =
        options_of("pair", "OA.map", "nbp_r_eps 3 0.5 12 6 OA HD\nnbp_r_eps 3 0.5 12 6 C Zn\n");
    options.output = scratch("pair");
    CHECK_OK(qn_potential_run(context, &options, NULL));
    CHECK(file_has(scratch("pair/run.json"), "pair.gpf:10: no map is of C or Zn around atoms of the other type"));
    CHECK(!file_has(scratch("pair/run.json"), "pair.gpf:9:"));
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    RUN(files_of_viewers_are_not_overwritten);
    RUN(files_that_are_not_written_are_not_in_the_way);
    RUN(run_json_names_files_that_exist);
    RUN(scripts_load_files_that_exist);
    RUN(pairs_without_effect_are_named);
    qn_context_destroy(&context);
    return check_finish();
}

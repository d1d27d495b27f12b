/* Scripts that show the tunnels in PyMOL and ChimeraX. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <quern/file.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "job/input.h"
#include "tunnel/run.h"

enum { SHOWN_MOST = 60 }; /* clusters that a script shows */

/* Path of the structure for the scripts, which viewers start in the output folder. */
static qn_status structure_of(const qn_tunnel_state *run, qn_text *path)
{
    char *file;
    if (!run->options->structure) return qn_text_append(path, "%s", "");
    QN_TRY(qn_input_file(run->options->structure, &file));
    char *absolute = realpath(file, NULL);
    const qn_status status = qn_text_append(path, "%s", absolute ? absolute : file);
    free(absolute);
    qn_release(&file);
    return status;
}

static const char *colour_of(size_t cluster)
{
    static const char *const colours[] = {"blue", "green", "red", "cyan", "magenta", "yellow", "orange"};
    return colours[cluster % (sizeof colours / sizeof *colours)];
}

static qn_status describe_pymol(const qn_tunnel_state *run, const char *structure, qn_text *text)
{
    QN_TRY(qn_text_append(text, "# PyMOL: the structure with the cheapest tunnel of each cluster; spheres have the "
                                "radii of the tunnels\n"));
    if (structure[0])
        QN_TRY(qn_text_append(text, "load %s, structure\nhide everything, structure\nshow cartoon, structure\n",
                              structure));
    for (size_t c = 0; c < run->cluster_count && c < SHOWN_MOST; c++)
        QN_TRY(qn_text_append(text,
                              "load %s, tunnel_%02zu\nalter tunnel_%02zu, vdw=b\nhide everything, tunnel_%02zu\n"
                              "show spheres, tunnel_%02zu\ncolor %s, tunnel_%02zu\n",
                              qn_tunnel_name_of(qn_tunnel_best_of(run, c), "pdb").text, c + 1, c + 1, c + 1, c + 1,
                              colour_of(c), c + 1));
    return qn_text_append(text, "rebuild\nset sphere_transparency, 0.3, tunnel_*\nzoom tunnel_*, 8\n");
}

static qn_status describe_chimerax(const qn_tunnel_state *run, const char *structure, qn_text *text)
{
    size_t model = 1;
    QN_TRY(qn_text_append(text, "# ChimeraX: the structure with the cheapest tunnel of each cluster; spheres have the "
                                "radii of the tunnels\n"));
    if (structure[0]) {
        QN_TRY(qn_text_append(text, "open \"%s\"\nhide #1 atoms\nshow #1 cartoons\n", structure));
        model++;
    }
    const size_t first = model;
    for (size_t c = 0; c < run->cluster_count && c < SHOWN_MOST; c++, model++) {
        const qn_found_tunnel *tunnel = qn_tunnel_best_of(run, c);
        const qn_line *line = &tunnel->line;
        QN_TRY(qn_text_append(text, "open %s\nstyle #%zu sphere\ncolor #%zu %s\n",
                              qn_tunnel_name_of(tunnel, "pdb").text, model, model, colour_of(c)));
        const size_t last = line->count - 1;
        for (size_t number = 1, place = 0;; number++) {
            QN_TRY(qn_text_append(text, "size #%zu@@serial_number=%zu atomRadius %.2f\n", model, number,
                                  line->radii[place]));
            if (place == last) break;
            place = place + QN_TUNNEL_SPHERE_EVERY < last ? place + QN_TUNNEL_SPHERE_EVERY : last;
        }
    }
    return qn_text_append(text, "view #%zu-%zu\n", first, model - 1);
}

static qn_status write_script(qn_tunnel_state *run, const char *name,
                              qn_status (*describe)(const qn_tunnel_state *, const char *, qn_text *))
{
    qn_text structure = {0}, text = {0};
    char *path = NULL;
    qn_status status = structure_of(run, &structure);
    if (status == QN_OK) status = describe(run, structure.data, &text);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    qn_text_clear(&structure);
    return status;
}

qn_status qn_tunnel_write_views(qn_tunnel_state *run)
{
    QN_TRY(write_script(run, "view.pml", describe_pymol));
    return write_script(run, "view.cxc", describe_chimerax);
}

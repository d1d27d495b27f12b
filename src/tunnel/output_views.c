/* Scripts that show the structure and its tunnels in PyMOL and ChimeraX. */
#include <quern/file.h>

#include "base/error.h"
#include "base/memory.h"
#include "math/view.h"
#include "tunnel/run.h"

enum { SHOWN_MOST = 60 }; /* clusters that a script shows */

/* The structure is written as it was searched: with one location of each atom, in a format that viewers read. */
static const char *structure_name(const qn_tunnel_state *run)
{
    return qn_molecule_fits_pdb(run->structure.molecule) ? "structure.pdb" : "structure.cif";
}

static qn_status write_structure(qn_tunnel_state *run)
{
    const qn_molecule *molecule = run->structure.molecule;
    const bool fits = qn_molecule_fits_pdb(molecule);
    char *path;
    QN_TRY(qn_job_path(run->job, structure_name(run), &path));
    const qn_status status = qn_molecule_write(path, fits ? QN_STRUCTURE_PDB : QN_STRUCTURE_MMCIF, &molecule, 1,
                                               "STRUCTURE WHOSE TUNNELS WERE FOUND");
    qn_release(&path);
    return status;
}

/* Colours like those of the report's series. */
static const char *colour_of(size_t cluster)
{
    static const char *const colours[] = {"blue", "orange", "green", "yellow", "magenta", "cyan", "grey"};
    return colours[cluster % (sizeof colours / sizeof *colours)];
}

/* Look at the cheapest tunnel from the side on which it is nearest to the surface of the structure: along the direction
 * from the middle of the walls to the middle of the tunnel, without its part along the tunnel, which lies flat then. */
static void find_view(const qn_tunnel_state *run, qn_view *view)
{
    const qn_tunnel_structure *structure = &run->structure;
    const qn_line *line = &qn_tunnel_best_of(run, 0)->line;
    const double *first = line->places[0], *last = line->places[line->count - 1];
    double towards[3], along = 0, length2 = 0;
    for (int axis = 0; axis < 3; axis++) {
        towards[axis] = 0.5 * (first[axis] + last[axis]);
        for (size_t i = 0; i < structure->wall_count; i++)
            towards[axis] -=
                structure->molecule->atoms[structure->walls[i]].position_angstrom[axis] / (double)structure->wall_count;
        along += towards[axis] * (last[axis] - first[axis]);
        length2 += (last[axis] - first[axis]) * (last[axis] - first[axis]);
    }
    for (int axis = 0; axis < 3 && length2 > 0; axis++) towards[axis] -= along / length2 * (last[axis] - first[axis]);
    qn_view_from(line->places[0], line->count, towards, view);
}

static qn_status describe_pymol(const qn_tunnel_state *run, qn_text *text)
{
    QN_TRY(qn_text_append(text, "# PyMOL: the structure with the cheapest tunnel of each cluster; spheres have the "
                                "radii of the tunnels\n"));
    QN_TRY(qn_text_append(text, "load %s, structure\nhide everything, structure\nshow cartoon, structure\n",
                          structure_name(run)));
    for (size_t c = 0; c < run->cluster_count && c < SHOWN_MOST; c++)
        QN_TRY(qn_text_append(text,
                              "load %s, tunnel_%02zu\nalter tunnel_%02zu, vdw=b\nhide everything, tunnel_%02zu\n"
                              "show spheres, tunnel_%02zu\ncolor %s, tunnel_%02zu\n",
                              qn_tunnel_name_of(qn_tunnel_best_of(run, c), "pdb").text, c + 1, c + 1, c + 1, c + 1,
                              colour_of(c), c + 1));
    QN_TRY(qn_text_append(text, "rebuild\nset sphere_transparency, 0.3, tunnel_*\n"));
    if (run->cluster_count > 0) {
        qn_view view;
        find_view(run, &view);
        QN_TRY(qn_view_append_pymol(&view, text));
    }
    return qn_text_append(text, "zoom tunnel_*, 8\n");
}

static qn_status describe_chimerax(const qn_tunnel_state *run, qn_text *text)
{
    size_t model = 2; /* after the structure */
    QN_TRY(qn_text_append(text,
                          "# ChimeraX: the structure with the cheapest tunnel of each cluster; spheres have the "
                          "radii of the tunnels\nopen %s\nhide #1 atoms\nshow #1 cartoons\n",
                          structure_name(run)));
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
    if (run->cluster_count > 0) {
        qn_view view;
        find_view(run, &view);
        QN_TRY(qn_view_append_chimerax(&view, text));
    }
    return qn_text_append(text, "view #2-%zu\n", model - 1);
}

static qn_status write_script(qn_tunnel_state *run, const char *name,
                              qn_status (*describe)(const qn_tunnel_state *, qn_text *))
{
    qn_text text = {0};
    char *path = NULL;
    qn_status status = describe(run, &text);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    return status;
}

qn_status qn_tunnel_write_views(qn_tunnel_state *run)
{
    QN_TRY(write_structure(run));
    QN_TRY(write_script(run, "view.pml", describe_pymol));
    return write_script(run, "view.cxc", describe_chimerax);
}

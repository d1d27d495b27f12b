/* Hot spots as pseudo-atoms, and scripts that show them in PyMOL and ChimeraX. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <quern/molecule.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "format/structure/autodock_types.h"
#include "math/view.h"
#include "potential/run.h"

/* Element by which viewers colour the hot spots of a map. */
static void element_of(const qn_potential_run_state *run, int map, char element[4])
{
    const char *name = run->map_names[map];
    const size_t length = map < run->field_count ? strlen(name) : strcspn(name, "_");
    if (strncmp(name, "Met", 3) == 0 || !qn_autodock_element(name, length, element) || element[0] == '\0')
        memcpy(element, "X", 2);
}

/* A residue for each map, named after it, with an atom for each hot spot whose B factor is the energy. */
static qn_status add_spots(const qn_potential_run_state *run, int map, qn_molecule *spots)
{
    const qn_map_summary *summary = &run->summaries[map];
    qn_residue residue = {.number = map + 1, .hetero = true, .chain = "A"};
    if (!qn_potential_is_probe(run, map) || summary->spot_count == 0) return QN_OK;
    snprintf(residue.name, sizeof residue.name, "%.3s", run->map_names[map]);
    QN_TRY(qn_molecule_append_residue(spots, &residue));
    for (int i = 0; i < summary->spot_count; i++) {
        qn_atom atom = {.occupancy = 1, .b_factor_angstrom2 = summary->spots[i].energy};
        memcpy(atom.position_angstrom, summary->spots[i].position_angstrom, sizeof atom.position_angstrom);
        element_of(run, map, atom.element);
        snprintf(atom.name, sizeof atom.name, "%.2s%d", atom.element, i + 1);
        QN_TRY(qn_molecule_append_atom(spots, &atom));
    }
    return QN_OK;
}

static qn_status write_spots(qn_potential_run_state *run)
{
    static const char remarks[] =
        "HOT SPOTS OF POTENTIAL MAPS: A RESIDUE A MAP, THE B FACTOR IS THE ENERGY IN KCAL/MOL";
    qn_molecule *spots;
    char *path = NULL;
    QN_TRY(qn_molecule_create("hot_spots", &spots));
    qn_status status = QN_OK;
    for (int map = 0; map < run->map_count && status == QN_OK; map++) status = add_spots(run, map, spots);
    if (status == QN_OK) status = qn_job_path(run->job, "hot_spots.pdb", &path);
    if (status == QN_OK)
        status = qn_molecule_write(path, QN_STRUCTURE_PDB, (const qn_molecule *const[]){spots}, 1, remarks);
    qn_release(&path);
    qn_molecule_destroy(&spots);
    return status;
}

/* ---- scripts ---- */

/* Path of the receptor for the scripts, which viewers start in the output folder. */
static qn_status receptor_of(const qn_potential_run_state *run, qn_text *path)
{
    if (run->names.prepared) return qn_text_append(path, "%s", run->names.prepared);
    char *absolute = realpath(run->receptor_path, NULL);
    const qn_status status = qn_text_append(path, "%s", absolute ? absolute : run->receptor_path);
    free(absolute);
    return status;
}

/* Surfaces at half of the least energy show the cores of the favourable regions. */
static double level_of(const qn_potential_run_state *run, int map)
{
    const double half = 0.5 * (double)run->summaries[map].least.energy;
    return half < QN_FAVOURABLE_ENERGY ? half : QN_FAVOURABLE_ENERGY;
}

static qn_status append_maps(const qn_potential_run_state *run, bool pymol, qn_text *text)
{
    int model = 3; /* of ChimeraX: after the receptor and the hot spots */
    for (int map = 0; map < run->map_count; map++) {
        const char *file = run->names.dx[map] ? run->names.dx[map] : run->names.mrc[map], *name = run->map_names[map];
        if (!qn_potential_is_probe(run, map) || !file) continue; /* viewers do not read AutoGrid's maps */
        if (pymol)
            QN_TRY(qn_text_append(text, "load %s, map_%s\nisomesh mesh_%s, map_%s, %.3f\n", file, name, name, name,
                                  level_of(run, map)));
        else
            QN_TRY(
                qn_text_append(text, "open %s\nvolume #%d style mesh level %.3f\n", file, model++, level_of(run, map)));
    }
    return QN_OK;
}

/* Look from the side of the hot spots: along the direction from the middle of the receptor to theirs. */
static qn_status find_view(const qn_potential_run_state *run, qn_view *view)
{
    const qn_potential_receptor *receptor = &run->receptor;
    double spots[3] = {0}, count = 0, towards[3];
    void *memory;
    QN_TRY(qn_allocate(3 * receptor->atom_count, sizeof(double), &memory));
    double *points = memory;
    for (size_t i = 0; i < receptor->atom_count; i++)
        for (size_t axis = 0; axis < 3; axis++) points[3 * i + axis] = receptor->atoms[i].position_angstrom[axis];
    qn_view_from(points, receptor->atom_count, spots, view); /* for the middle of the receptor */
    for (int map = 0; map < run->map_count; map++)
        for (int i = 0; qn_potential_is_probe(run, map) && i < run->summaries[map].spot_count; i++, count++)
            for (int axis = 0; axis < 3; axis++) spots[axis] += run->summaries[map].spots[i].position_angstrom[axis];
    for (int axis = 0; axis < 3; axis++) towards[axis] = spots[axis] / count - view->centre[axis];
    qn_view_from(points, receptor->atom_count, towards, view);
    qn_release(&memory);
    return QN_OK;
}

static qn_status describe_pymol(const qn_potential_run_state *run, const char *receptor, qn_text *text)
{
    QN_TRY(qn_text_append(
        text,
        "# PyMOL: the receptor with the hot spots of its potential maps; meshes are at half of "
        "the least energy\nset normalize_ccp4_maps, off\nload %s, receptor\nload hot_spots.pdb, hot_spots\n",
        receptor));
    qn_view view;
    QN_TRY(append_maps(run, true, text));
    QN_TRY(qn_text_append(text, "hide everything\nshow cartoon, receptor\nshow lines, receptor within 5 of hot_spots\n"
                                "show spheres, hot_spots\nset sphere_scale, 0.3, hot_spots\n"
                                "label hot_spots, resn\nshow mesh\ndisable map_*\n"));
    QN_TRY(find_view(run, &view));
    QN_TRY(qn_view_append_pymol(&view, text));
    return qn_text_append(text, "zoom hot_spots, 4\n");
}

static qn_status describe_chimerax(const qn_potential_run_state *run, const char *receptor, qn_text *text)
{
    QN_TRY(qn_text_append(text,
                          "# ChimeraX: the receptor with the hot spots of its potential maps; meshes are at half of "
                          "the least energy\nopen \"%s\"%s\n"
                          "open hot_spots.pdb\nhide #1 atoms\nshow #1 cartoons\nstyle #2 ball\nshow #2 atoms\n"
                          "label #2 residues text {0.name}\n",
                          receptor, strstr(receptor, ".pdbqt") ? " format pdb" : ""));
    qn_view view;
    QN_TRY(append_maps(run, false, text));
    QN_TRY(find_view(run, &view));
    QN_TRY(qn_view_append_chimerax(&view, text));
    return qn_text_append(text, "view #2\n");
}

static qn_status write_script(qn_potential_run_state *run, const char *name,
                              qn_status (*describe)(const qn_potential_run_state *, const char *, qn_text *))
{
    qn_text receptor = {0}, text = {0};
    char *path = NULL;
    qn_status status = receptor_of(run, &receptor);
    if (status == QN_OK) status = describe(run, receptor.data, &text);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&text);
    qn_text_clear(&receptor);
    return status;
}

qn_status qn_potential_write_views(qn_potential_run_state *run)
{
    int spots = 0;
    for (int map = 0; map < run->map_count; map++)
        spots += qn_potential_is_probe(run, map) ? run->summaries[map].spot_count : 0;
    if (spots == 0) return QN_OK; /* a PDB file needs atoms, and the scripts load it */
    QN_TRY(write_spots(run));
    QN_TRY(write_script(run, "view.pml", describe_pymol));
    return write_script(run, "view.cxc", describe_chimerax);
}

/* A system of the reference data, whose frames are pushed through queries one by one. */
#ifndef QN_TRAJECTORY_TESTS_REFERENCE_SYSTEM_H
#define QN_TRAJECTORY_TESTS_REFERENCE_SYSTEM_H

#include <stdio.h>

#include "format/trajectory/trajectory_stream.h"
#include "frames/whole.h"
#include "selection/selection.h"
#include "trajectory/tests/query_run.h"

typedef struct reference_system {
    char folder[512]; /* "": the data are absent */
    qn_topology *topology;
    qn_trajectory_stream *stream;
    qn_selections *selections;
    qn_whole_plan *plan; /* NULL: frames as in the file */
    qn_frame_bytes bytes;
    qn_trajectory_frame frame;
    bool open;
} reference_system;

static inline const char *system_path(const reference_system *system, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", system->folder, name);
    return path;
}

/* Open a system. Returns false if the data are absent, without a failed check, or cannot be opened, after a failed one.
 */
static inline bool system_open(reference_system *system, const char *folder, const char *topology,
                               const char *trajectory, bool whole)
{
    char name[256];
    *system = (reference_system){0};
    snprintf(name, sizeof name, "trajectory/%s", folder);
    const char *path = check_reference_data(name);
    if (!path) {
        CHECK(1);
        return false;
    }
    snprintf(system->folder, sizeof system->folder, "%s", path);
    if (!CHECK_OK(qn_topology_read(NULL, system_path(system, topology), &system->topology))) return false;
    if (whole && !CHECK_OK(qn_whole_plan_create(system->topology, &system->plan))) return false;
    if (!CHECK_OK(qn_selections_create(system->topology, 1, true, &system->selections))) return false;
    const size_t atom_count = system->topology->atom_count;
    if (!CHECK_OK(qn_trajectory_stream_open(system_path(system, trajectory), atom_count, &system->stream)))
        return false;
    system->frame.positions_nm = calloc(3 * atom_count, sizeof(float));
    system->frame.atom_count = atom_count;
    return CHECK(system->frame.positions_nm != NULL);
}

static inline void system_close(reference_system *system)
{
    free(system->frame.positions_nm);
    qn_frame_bytes_clear(&system->bytes);
    if (system->stream) qn_trajectory_stream_close(&system->stream);
    if (system->selections) qn_selections_destroy(&system->selections);
    qn_whole_plan_destroy(&system->plan);
    qn_topology_destroy(&system->topology);
}

/* Read the next frame; false after the last one. */
static inline bool system_next(reference_system *system)
{
    bool end = true;
    if (!CHECK_OK(qn_trajectory_stream_read(system->stream, &system->bytes, &end)) || end) return false;
    if (!CHECK_OK(qn_trajectory_stream_decode(system->stream, &system->bytes, &system->frame))) return false;
    system->frame.number = system->bytes.number;
    return !system->plan || CHECK_OK(qn_whole_apply(system->plan, &system->frame));
}

/* Create a query for the atoms of a selection. A frame must have been read before. */
static inline query_run system_query(const reference_system *system, const qn_query_class *query_class,
                                     const char *selection, const char *parameters)
{
    query_run run = {.query_class = query_class, .topology = system->topology, .first_frame = &system->frame};
    int node = 0;
    CHECK_OK(qn_selections_add(system->selections, selection, &node));
    run.atoms[0].fixed = true;
    qn_selections_fixed_atoms(system->selections, node, &run.atoms[0].indices, &run.atoms[0].count);
    CHECK_OK(query_create(&run, parameters));
    return run;
}

#endif

/* Files of single tunnels: spheres as CAVER writes them, and discs for CaverDock. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "format/tunnel/tunnel_file.h"
#include "tunnel/run.h"

enum { DISC_EVERY = 3 }; /* places of a line to the next disc */

qn_tunnel_name qn_tunnel_name_of(const qn_found_tunnel *tunnel, const char *ending)
{
    qn_tunnel_name name;
    snprintf(name.text, sizeof name.text, "tunnel_%02zu_%llu.%s", tunnel->cluster + 1,
             (unsigned long long)tunnel->frame + 1, ending);
    return name;
}

/* Places of the line of which every `step`-th is written: the last one always is. */
static size_t count_every(const qn_line *line, size_t step)
{
    return (line->count - 1 + step - 1) / step + 1;
}

static size_t place_of(const qn_line *line, size_t i, size_t step)
{
    return i * step < line->count - 1 ? i * step : line->count - 1;
}

/* Spheres from the start to the mouth, 1 Å apart. */
static qn_status write_spheres(const qn_found_tunnel *tunnel, const char *path)
{
    const qn_line *line = &tunnel->line;
    const size_t count = count_every(line, QN_TUNNEL_SPHERE_EVERY);
    qn_tunnel_sphere *spheres;
    QN_TRY(qn_allocate(count, sizeof *spheres, (void **)&spheres));
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_of(line, i, QN_TUNNEL_SPHERE_EVERY);
        memcpy(spheres[i].place, line->places[place], sizeof spheres[i].place);
        spheres[i].radius = line->radii[place];
    }
    const qn_status status = qn_tunnel_spheres_write(path, (int)(tunnel->cluster % 9999) + 1, spheres, (int)count);
    qn_release(&spheres);
    return status;
}

/* Direction of the line at a place, from start to mouth. */
static void direction_at(const qn_line *line, size_t place, double direction[3])
{
    const size_t before = place > 0 ? place - 1 : 0, after = place + 1 < line->count ? place + 1 : place;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        direction[k] = line->places[after][k] - line->places[before][k];
        square += direction[k] * direction[k];
    }
    for (int k = 0; k < 3; k++) direction[k] = square > 0 ? direction[k] / sqrt(square) : k == 0;
}

/* Discs across the line, 0.3 Å apart, as CaverDock orders them: from the mouth on, with normals that point outwards. */
static qn_status write_discs(const qn_found_tunnel *tunnel, const char *path)
{
    const qn_line *line = &tunnel->line;
    const size_t count = count_every(line, DISC_EVERY);
    qn_tunnel_disc *discs;
    QN_TRY(qn_allocate(count, sizeof *discs, (void **)&discs));
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_of(line, count - 1 - i, DISC_EVERY);
        memcpy(discs[i].centre, line->places[place], sizeof discs[i].centre);
        direction_at(line, place, discs[i].normal);
        discs[i].radius = line->radii[place];
    }
    const qn_status status = qn_tunnel_discs_write(path, discs, (int)count);
    qn_release(&discs);
    return status;
}

static qn_status write_as(qn_tunnel_state *run, const qn_found_tunnel *tunnel, const char *ending,
                          qn_status (*write)(const qn_found_tunnel *, const char *))
{
    char *path;
    QN_TRY(qn_job_path(run->job, qn_tunnel_name_of(tunnel, ending).text, &path));
    const qn_status status = write(tunnel, path);
    qn_release(&path);
    return status;
}

qn_status qn_tunnel_write_tunnels(qn_tunnel_state *run)
{
    for (size_t i = 0; i < run->tunnel_count; i++) {
        if (!run->tunnels[i].first) continue;
        QN_TRY(write_as(run, &run->tunnels[i], "pdb", write_spheres));
        QN_TRY(write_as(run, &run->tunnels[i], "dsd", write_discs));
    }
    return QN_OK;
}

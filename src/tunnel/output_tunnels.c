/* Files of single tunnels: spheres as CAVER writes them, and discs for CaverDock. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "discs/discs.h"
#include "format/tunnel/tunnel_file.h"
#include "tunnel/run.h"

static const double delta_angstrom = 0.3; /* between the rims of neighbouring discs, at most */

qn_tunnel_name qn_tunnel_name_of(const qn_found_tunnel *tunnel, const char *ending)
{
    qn_tunnel_name name;
    snprintf(name.text, sizeof name.text, "tunnel_%02zu_%llu.%s", tunnel->cluster + 1,
             (unsigned long long)tunnel->frame + 1, ending);
    return name;
}

/* Spheres from the start to the mouth, 1 Å apart; the last place of the line always has one. */
static qn_status make_spheres(const qn_found_tunnel *tunnel, qn_tunnel_sphere **spheres, int *count)
{
    const qn_line *line = &tunnel->line;
    const size_t last = line->count - 1, needed = (last + QN_TUNNEL_SPHERE_EVERY - 1) / QN_TUNNEL_SPHERE_EVERY + 1;
    QN_TRY(qn_allocate(needed, sizeof **spheres, (void **)spheres));
    for (size_t i = 0; i < needed; i++) {
        const size_t place = i * QN_TUNNEL_SPHERE_EVERY < last ? i * QN_TUNNEL_SPHERE_EVERY : last;
        memcpy((*spheres)[i].place, line->places[place], sizeof(*spheres)[i].place);
        (*spheres)[i].radius = line->radii[place];
    }
    *count = (int)needed;
    return QN_OK;
}

static qn_status write_spheres(const qn_found_tunnel *tunnel, const char *path)
{
    qn_tunnel_sphere *spheres;
    int count;
    QN_TRY(make_spheres(tunnel, &spheres, &count));
    const qn_status status = qn_tunnel_spheres_write(path, (int)(tunnel->cluster % 9999) + 1, spheres, count);
    qn_release(&spheres);
    return status;
}

/* Discs across the spheres, as CaverDock orders them: from the mouth on, with normals that point outwards. */
static qn_status write_discs(const qn_found_tunnel *tunnel, const char *path)
{
    qn_tunnel_sphere *spheres;
    int count;
    qn_discs discs = {0};
    QN_TRY(make_spheres(tunnel, &spheres, &count));
    qn_status status = qn_discs_from_spheres(spheres, count, delta_angstrom, &discs);
    qn_release(&spheres);
    QN_TRY(status);
    qn_discs_reverse(&discs);
    for (int i = 0; i < discs.count; i++)
        for (int k = 0; k < 3; k++) discs.discs[i].normal[k] = -discs.discs[i].normal[k];
    status = qn_tunnel_discs_write(path, discs.discs, discs.count);
    qn_discs_release(&discs);
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

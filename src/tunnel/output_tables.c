/* tunnels.csv, clusters.csv and profiles.csv. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/residue_text.h"
#include "report/csv.h"
#include "tunnel/run.h"

double qn_tunnel_curvature(const qn_line *line)
{
    const double *from = line->places[0], *to = line->places[line->count - 1];
    const double distance = sqrt(pow(to[0] - from[0], 2) + pow(to[1] - from[1], 2) + pow(to[2] - from[2], 2));
    return distance > 0 ? line->length / distance : NAN;
}

qn_status qn_tunnel_list_lining(const qn_tunnel_state *run, const qn_found_tunnel *tunnel, size_t place, qn_text *text)
{
    const size_t begin = place > 0 ? tunnel->lining_end[place - 1] : 0, end = tunnel->lining_end[place];
    QN_TRY(qn_text_append(text, "%s", ""));
    for (size_t i = begin; i < end; i++)
        QN_TRY(qn_text_append(text, "%s%s", i > begin ? " " : "",
                              qn_residue_label(&run->structure.molecule->residues[tunnel->lining[i]]).text));
    return QN_OK;
}

static qn_status add_lining(const qn_tunnel_state *run, const qn_found_tunnel *tunnel, size_t place, qn_text *csv)
{
    qn_text list = {0};
    qn_status status = qn_tunnel_list_lining(run, tunnel, place, &list);
    if (status == QN_OK) status = qn_csv_text(csv, list.data);
    qn_text_clear(&list);
    return status;
}

static qn_status add_place(const double place[3], qn_text *csv)
{
    for (int k = 0; k < 3; k++) QN_TRY(qn_csv_number(csv, place[k], 3));
    return QN_OK;
}

/* ---- tables ---- */

static qn_status add_tunnel(const qn_tunnel_state *run, const qn_found_tunnel *tunnel, qn_text *csv)
{
    const qn_line *line = &tunnel->line;
    QN_TRY(qn_csv_integer(csv, (long long)tunnel->cluster + 1));
    QN_TRY(qn_csv_integer(csv, (long long)tunnel->frame + 1));
    QN_TRY(qn_csv_text(csv, tunnel->first ? qn_tunnel_name_of(tunnel, "pdb").text : NULL));
    QN_TRY(qn_csv_number(csv, line->length, 2));
    QN_TRY(qn_csv_number(csv, line->radii[line->narrowest], 3));
    QN_TRY(add_place(line->places[line->narrowest], csv));
    QN_TRY(qn_csv_number(csv, line->radii[line->widest], 3));
    QN_TRY(qn_csv_number(csv, line->cost, 4));
    QN_TRY(qn_csv_general(csv, exp(-line->cost), 5));
    QN_TRY(qn_csv_number(csv, qn_tunnel_curvature(line), 3));
    QN_TRY(add_lining(run, tunnel, line->narrowest, csv));
    return qn_csv_end_row(csv);
}

static qn_status fill_tunnels(const qn_tunnel_state *run, qn_text *csv)
{
    static const char *const head[] = {"cluster",
                                       "frame",
                                       "file",
                                       "length_angstrom",
                                       "bottleneck_angstrom",
                                       "bottleneck_x_angstrom",
                                       "bottleneck_y_angstrom",
                                       "bottleneck_z_angstrom",
                                       "widest_angstrom",
                                       "cost_per_angstrom",
                                       "throughput",
                                       "curvature",
                                       "bottleneck_residues"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->tunnel_count; i++) QN_TRY(add_tunnel(run, &run->tunnels[i], csv));
    return QN_OK;
}

static qn_status fill_clusters(const qn_tunnel_state *run, qn_text *csv)
{
    static const char *const head[] = {"cluster",
                                       "tunnels",
                                       "frames",
                                       "occupancy",
                                       "priority",
                                       "mean_bottleneck_angstrom",
                                       "best_bottleneck_angstrom",
                                       "mean_length_angstrom",
                                       "mean_cost_per_angstrom"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t c = 0; c < run->cluster_count; c++) {
        const qn_tunnel_cluster *cluster = &run->clusters[c];
        QN_TRY(qn_csv_integer(csv, (long long)c + 1));
        QN_TRY(qn_csv_integer(csv, (long long)cluster->tunnel_count));
        QN_TRY(qn_csv_integer(csv, (long long)cluster->frame_count));
        QN_TRY(qn_csv_number(csv, cluster->occupancy, 4));
        QN_TRY(qn_csv_general(csv, cluster->priority, 5));
        QN_TRY(qn_csv_number(csv, cluster->mean_bottleneck_angstrom, 3));
        QN_TRY(qn_csv_number(csv, cluster->best_bottleneck_angstrom, 3));
        QN_TRY(qn_csv_number(csv, cluster->mean_length_angstrom, 2));
        QN_TRY(qn_csv_number(csv, cluster->mean_cost, 4));
        QN_TRY(qn_csv_end_row(csv));
    }
    return QN_OK;
}

/* A row for each place of the tunnels that have files. */
static qn_status fill_profiles(const qn_tunnel_state *run, qn_text *csv)
{
    static const char *const head[] = {"cluster",    "frame",      "distance_angstrom", "radius_angstrom",
                                       "x_angstrom", "y_angstrom", "z_angstrom",        "residues"};
    QN_TRY(qn_csv_row(csv, sizeof head / sizeof *head, head));
    for (size_t i = 0; i < run->tunnel_count; i++) {
        const qn_found_tunnel *tunnel = &run->tunnels[i];
        const qn_line *line = &tunnel->line;
        for (size_t place = 0; place < line->count && tunnel->first; place++) {
            QN_TRY(qn_csv_integer(csv, (long long)tunnel->cluster + 1));
            QN_TRY(qn_csv_integer(csv, (long long)tunnel->frame + 1));
            QN_TRY(qn_csv_number(csv, line->length * (double)place / (double)(line->count - 1), 3));
            QN_TRY(qn_csv_number(csv, line->radii[place], 3));
            QN_TRY(add_place(line->places[place], csv));
            QN_TRY(add_lining(run, tunnel, place, csv));
            QN_TRY(qn_csv_end_row(csv));
        }
    }
    return QN_OK;
}

static qn_status write_table(qn_tunnel_state *run, const char *name,
                             qn_status (*fill)(const qn_tunnel_state *, qn_text *))
{
    qn_text csv = {0};
    char *path = NULL;
    qn_status status = fill(run, &csv);
    if (status == QN_OK) status = qn_job_path(run->job, name, &path);
    if (status == QN_OK) status = qn_csv_write(&csv, path);
    qn_release(&path);
    qn_text_clear(&csv);
    return status;
}

qn_status qn_tunnel_write_tables(qn_tunnel_state *run)
{
    QN_TRY(write_table(run, "tunnels.csv", fill_tunnels));
    QN_TRY(write_table(run, "clusters.csv", fill_clusters));
    return write_table(run, "profiles.csv", fill_profiles);
}

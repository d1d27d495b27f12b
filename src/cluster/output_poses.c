/* The medoids of the largest clusters of poses, as SDF files. */
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "chemistry/bonds.h"
#include "cluster/run.h"
#include "format/compound/compound_stream.h"

/* PDBQT files have no bonds, but viewers need them. */
static qn_status complete_bonds(qn_compound *pose)
{
    if (pose->bond_count > 0) return QN_OK;
    QN_TRY(qn_bonds_connect(pose));
    return qn_bonds_find_orders(pose);
}

static qn_status write_pose(qn_clustering *run, size_t cluster)
{
    qn_compound *pose = run->models->poses[run->result->clusters[cluster].medoid];
    qn_text text = {0}, name = {0};
    char *path = NULL;
    run->endings[cluster] = ".sdf";
    QN_TRY(complete_bonds(pose));
    qn_status status =
        qn_text_append(&name, "representatives/%s", qn_clustering_representative(run, cluster, true).text);
    if (status == QN_OK) status = qn_job_path(run->job, name.data, &path);
    if (status == QN_OK) status = qn_compound_write_sdf(pose, NULL, &text);
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_release(&path);
    qn_text_clear(&name);
    qn_text_clear(&text);
    return status;
}

qn_status qn_clustering_write_poses(qn_clustering *run)
{
    for (size_t c = 0; c < run->represented; c++) QN_TRY(write_pose(run, c));
    return QN_OK;
}

/* The options of quern cluster. */
#include <quern/cluster.h>

#include <string.h>

#include "base/error.h"
#include "cluster/matrix/input_rows.h"
#include "cluster/matrix/measure_rows.h"
#include "cluster/measure/measure.h"
#include "cluster/run.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_cluster_options, name)
#define RUN FIELD(run)
#define STRUCTURES FIELD(structures)
#define MEASURING FIELD(measuring)

static const qn_option rows[] = {
    {.like = &qn_structure_rows[QN_STRUCTURE_FILES], .offset = STRUCTURES},
    {.name = "output",
     .is_output = true,
     .letter = 'o',
     .kind = QN_OPTION_PATH,
     .argument = "FOLDER",
     .offset = FIELD(output),
     .required = true,
     .by_commands = true,
     .meaning = "folder for the results: report.html, assignments.csv, clusters.csv, representatives, run.json; for "
                "hierarchical methods the tree"},
    {.name = "measure",
     .letter = 'm',
     .kind = QN_OPTION_ENUM,
     .argument = "MEASURE",
     .offset = FIELD(measure),
     .choices = QN_MEASURE_NAMES,
     .fallback = "drmsd",
     .meaning = QN_MEASURE_MEANINGS ". The distance of a measure of likeness is 1 − value"},
    {.name = "method",
     .kind = QN_OPTION_ENUM,
     .argument = "METHOD",
     .offset = FIELD(method),
     .choices = "average complete single ward gromos kmedoids dbscan",
     .fallback = "average",
     .meaning = "average, complete, single, ward: merge the two closest clusters until one is left, by their mean, "
                "largest or smallest distance, or by the growth of the sum of squares; gromos: take the structure with "
                "most neighbours and these, again and again; kmedoids: least sum of distances to the clusters' "
                "centres; dbscan: connected dense regions, the rest is noise"},
    {.name = "clusters",
     .letter = 'k',
     .kind = QN_OPTION_WHOLE,
     .argument = "COUNT",
     .offset = FIELD(clusters),
     .least = 0,
     .most = 1e9,
     .fallback_meaning = "",
     .meaning =
         "number of clusters, for kmedoids and hierarchical methods; merges at equal heights are not torn apart, "
         "so there may be fewer"},
    {.name = "cutoff",
     .letter = 'c',
     .kind = QN_OPTION_NUMBER,
     .argument = "DISTANCE",
     .offset = FIELD(cutoff),
     .least = 0,
     .most = 1e9,
     .fallback_meaning = "",
     .meaning = "hierarchical methods: height up to which clusters are merged; dbscan: largest distance of neighbours; "
                "gromos: neighbours are nearer than this"},
    {.name = "units",
     .kind = QN_OPTION_ENUM,
     .argument = "UNIT",
     .offset = FIELD(units),
     .choices = "angstrom nm",
     .fallback = "angstrom",
     .meaning = "unit of the cut-off; results are in Å"},
    {.name = "least-items",
     .kind = QN_OPTION_WHOLE,
     .argument = "COUNT",
     .offset = FIELD(least_items),
     .least = 1,
     .most = 1e9,
     .fallback = "5",
     .meaning = "dbscan: structures within the cut-off, itself included, that make a structure part of a dense region"},
    {.name = "start",
     .kind = QN_OPTION_ENUM,
     .argument = "WAY",
     .offset = FIELD(start),
     .choices = "build sample",
     .fallback = "build",
     .meaning = "kmedoids: choose the first centres among all structures, or faster among random samples"},
    {.name = "distances",
     .kind = QN_OPTION_PATH,
     .argument = "FILE",
     .offset = FIELD(distances),
     .meaning = "take the distances from this .npy file, of quern distance or of scipy's pdist, instead of measuring "
                "them; models are needed only for their names and for representatives then"},
    {.name = "matrix",
     .kind = QN_OPTION_ENUM,
     .argument = "TYPE",
     .offset = FIELD(matrix),
     .choices = "auto float32 uint16 none",
     .fallback = "auto",
     .meaning =
         "how distances are stored; uint16 takes half of the space, as multiples of 0.001 Å, or of 0.0001 for "
         "scores; none: not at all, for rmsd with gromos, dbscan or kmedoids: measures of clusters that need all "
         "distances are left out; auto: none for more than 10,000 structures where that is possible, else "
         "float32"},
    {.name = "write-matrix",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(write_matrix),
     .meaning = "write the distances to matrix.npy, too, in the order of scipy's pdist"},
    {.name = "representatives",
     .kind = QN_OPTION_WHOLE,
     .argument = "COUNT",
     .offset = FIELD(representatives),
     .least = 0,
     .most = 1e6,
     .fallback = "50",
     .meaning = "write the medoids of this many clusters, the largest first, with all their atoms"},
    {.like = &qn_structure_rows[QN_STRUCTURE_SELECT], .offset = STRUCTURES},
    {.like = &qn_measure_rows[QN_MEASURE_ALIGN], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_WEIGHTS], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_CONTACT_CUTOFF], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_CONTACT_SEPARATION], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_CONTACT_SHARE], .offset = MEASURING},
    {.like = &qn_measure_rows[QN_MEASURE_DRMSD_FORM], .offset = MEASURING},
    {.like = &qn_structure_rows[QN_STRUCTURE_INDEX], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_LIST], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_BEGIN], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_END], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_FIRST], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_LAST], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_STRIDE], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_WHOLE], .offset = STRUCTURES},
    {.like = &qn_structure_rows[QN_STRUCTURE_MOLECULE], .offset = STRUCTURES},
    {.like = &qn_run_rows[QN_RUN_SEED], .offset = RUN, .fallback = "0", .meaning = "seed of random samples"},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .offset = RUN,
     .fallback_meaning = "no limit",
     .meaning = "largest memory of the structures' positions; with --matrix none also of the neighbours that are kept, "
                "half of the machine's memory if no limit is given"},
    {.like = &qn_run_rows[QN_RUN_RESUME], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_OVERWRITE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_DEVICES], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_THREADS], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_TUNE_BUDGET], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_EXPLAIN], .offset = RUN},
    {.like = &qn_run_rows[QN_RUN_QUIET], .offset = RUN},
    {0}};

static bool has_structures(const qn_structure_input *input)
{
    return input->file_count > 0 || input->list || input->topology || input->frames;
}

static qn_status check_aim(const qn_cluster_options *options)
{
    const bool by_count = options->clusters > 0, by_cutoff = options->cutoff > 0;
    switch (options->method) {
    case QN_CLUSTER_KMEDOIDS:
        if (!by_count || by_cutoff)
            return QN_FAIL(QN_INVALID_ARGUMENT, "--method kmedoids needs --clusters, and takes no --cutoff");
        break;
    case QN_CLUSTER_GROMOS:
    case QN_CLUSTER_DBSCAN:
        if (by_count || !by_cutoff)
            return QN_FAIL(QN_INVALID_ARGUMENT, "--method %s needs a --cutoff above 0, and takes no --clusters",
                           options->method == QN_CLUSTER_GROMOS ? "gromos" : "dbscan");
        break;
    default:
        if (by_count == by_cutoff)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s; expected one of them, which says where the tree is cut",
                           by_count ? "--clusters and --cutoff are both given"
                                    : "neither --clusters nor a --cutoff above 0 is given");
    }
    return QN_OK;
}

static qn_status check(const void *memory)
{
    const qn_cluster_options *options = memory;
    if (has_structures(&options->structures) || !options->distances)
        QN_TRY(qn_structure_input_check(&options->structures));
    QN_TRY(qn_measure_options_check(&options->measuring, &options->structures, options->measure, false));
    QN_TRY(check_aim(options));
    if (options->distances && options->measuring.weights && strcmp(options->measuring.weights, "none") != 0)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "--weights is \"%s\", and --distances names distances that are measured already; expected one of "
            "them",
            options->measuring.weights);
    if (options->matrix == QN_CLUSTER_WITHOUT && !qn_clustering_may_be_large(options))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--matrix is \"none\"; expected --measure rmsd with --method gromos, kmedoids or dbscan, and "
                       "neither --distances nor --write-matrix");
    if (options->distances && options->write_matrix)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--distances and --write-matrix are both given; expected one, since the file is there already");
    return QN_OK;
}

static const qn_option_table table = {"cluster", sizeof(qn_cluster_options), rows, check};

const qn_option_table *qn_cluster_option_table(void)
{
    return &table;
}

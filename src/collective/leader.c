#include "collective/leader.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collective/loops.h"
#include "collective/references.h"
#include "math/superpose.h"

struct qn_leader {
    const qn_collective_loops *loops;
    size_t atom_count, stride;
    double *weights, weight_sum, cutoff;
    bool nearest;
    double *frame, *weighted; /* three rows each */
    double frame_size;        /* √(Σ w |x|² / Σ w) */
    double *centres;          /* three rows of each cluster */
    double *sizes;            /* as frame_size */
    qn_leader_cluster *clusters;
    size_t count, centre_capacity, size_capacity, capacity;
    uint64_t structures;
};

void qn_leader_destroy(qn_leader **pointer)
{
    qn_leader *leader = *pointer;
    if (!leader) return;
    qn_release(&leader->weights);
    qn_release(&leader->frame);
    qn_release(&leader->weighted);
    qn_release(&leader->centres);
    qn_release(&leader->sizes);
    qn_release(&leader->clusters);
    qn_release(pointer);
}

static qn_status fill(const double *weights, qn_leader *leader)
{
    void *memory;
    QN_TRY(qn_allocate(leader->stride, sizeof(double), &memory));
    leader->weights = memory;
    memcpy(leader->weights, weights, leader->atom_count * sizeof *weights);
    for (size_t i = 0; i < leader->atom_count; i++) leader->weight_sum += weights[i];
    QN_TRY(qn_allocate(3 * leader->stride, sizeof(double), &memory));
    leader->frame = memory;
    QN_TRY(qn_allocate(3 * leader->stride, sizeof(double), &memory));
    leader->weighted = memory;
    return QN_OK;
}

qn_status qn_leader_create(size_t atom_count, const double *weights, double cutoff, bool nearest, qn_leader **out)
{
    void *memory;
    *out = NULL;
    if (!(cutoff >= 0)) return QN_FAIL(QN_INVALID_ARGUMENT, "the cut-off is %g; expected at least 0", cutoff);
    QN_TRY(qn_allocate(1, sizeof(qn_leader), &memory));
    qn_leader *leader = memory;
    leader->loops = QN_HOST_SELECT(qn_collective_loops_host);
    leader->atom_count = atom_count;
    leader->stride = qn_collective_pair_row(atom_count);
    leader->cutoff = cutoff;
    leader->nearest = nearest;
    const qn_status status = fill(weights, leader);
    *out = leader;
    if (status != QN_OK) qn_leader_destroy(out);
    return status;
}

static qn_status take_frame(qn_leader *leader, const double *positions)
{
    double squares = 0;
    QN_TRY(qn_collective_centre(positions, leader->weights, leader->weight_sum, leader->atom_count, leader->stride,
                                "the frame", leader->frame));
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < leader->stride; i++) {
            const double x = leader->frame[k * leader->stride + i];
            leader->weighted[k * leader->stride + i] = leader->weights[i] * x;
            squares += leader->weights[i] * x * x;
        }
    leader->frame_size = sqrt(squares / leader->weight_sum);
    return QN_OK;
}

/* RMSD to a centre, or a number above `limit` as soon as it is known to exceed that. Two bounds come before the
 * superposition: RMSD ≥ |size − size'|, and RMSD² ≥ size² + size'² − 2 √3 |S| / W with the correlation S, because the
 * singular values of S add up to at most √3 |S|. The margin covers rounding. */
static double rmsd_within(const qn_leader *leader, size_t place, double limit)
{
    const double margin = 1e-9 * (leader->frame_size + leader->sizes[place]), bound = limit + margin;
    const double *centre = leader->centres + place * 3 * leader->stride, size = leader->sizes[place];
    double s[9], rotation[9], squares = 0;
    if (fabs(leader->frame_size - size) > bound) return INFINITY;
    leader->loops->correlate(centre, leader->weighted, leader->stride, s);
    for (int k = 0; k < 9; k++) squares += s[k] * s[k];
    const double least =
        leader->frame_size * leader->frame_size + size * size - 2 * sqrt(3 * squares) / leader->weight_sum;
    if (least > bound * bound) return INFINITY;
    qn_superpose_correlation(s, rotation);
    return sqrt(leader->loops->displace(centre, leader->frame, leader->weights, leader->stride, rotation, NULL) /
                leader->weight_sum);
}

static qn_status add_centre(qn_leader *leader)
{
    const size_t numbers = 3 * leader->stride;
    void *memory = leader->centres;
    QN_TRY(qn_grow(&memory, &leader->centre_capacity, leader->count + 1, numbers * sizeof(double)));
    leader->centres = memory;
    memory = leader->sizes;
    QN_TRY(qn_grow(&memory, &leader->size_capacity, leader->count + 1, sizeof(double)));
    leader->sizes = memory;
    memory = leader->clusters;
    QN_TRY(qn_grow(&memory, &leader->capacity, leader->count + 1, sizeof(qn_leader_cluster)));
    leader->clusters = memory;
    memcpy(leader->centres + leader->count * numbers, leader->frame, numbers * sizeof(double));
    leader->sizes[leader->count] = leader->frame_size;
    leader->clusters[leader->count++] = (qn_leader_cluster){.centre = leader->structures};
    return QN_OK;
}

qn_status qn_leader_add(qn_leader *leader, const double *positions, size_t *cluster, double *rmsd)
{
    QN_TRY(take_frame(leader, positions));
    *cluster = leader->count;
    *rmsd = 0;
    double limit = leader->cutoff;
    for (size_t place = 0; place < leader->count; place++) {
        const double distance = rmsd_within(leader, place, limit);
        if (!(distance <= limit) || (*cluster < leader->count && distance == limit)) continue;
        *cluster = place;
        *rmsd = limit = distance;
        if (!leader->nearest) break;
    }
    if (*cluster == leader->count) QN_TRY(add_centre(leader));
    qn_leader_cluster *joined = &leader->clusters[*cluster];
    joined->size++;
    joined->rmsd_sum += *rmsd;
    joined->largest_rmsd = fmax(joined->largest_rmsd, *rmsd);
    leader->structures++;
    return QN_OK;
}

const qn_leader_cluster *qn_leader_clusters(const qn_leader *leader, size_t *count)
{
    *count = leader->count;
    return leader->clusters;
}

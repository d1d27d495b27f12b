/* Box volume, edges and angles. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/box.h"
#include "trajectory/query/queries.h"
#include "trajectory/query/series.h"

static const qn_query_column columns[] = {{"volume", "nm³", 3},  {"a", "nm", 1},         {"b", "nm", 1},
                                          {"c", "nm", 1},        {"alpha", "degree", 0}, {"beta", "degree", 0},
                                          {"gamma", "degree", 0}};
static const qn_series_layout layout = {{{"", "Box volume and edges", columns, 7, 1, NULL}}};

static qn_status create(const qn_query_setup *setup, void **state)
{
    (void)setup;
    QN_TRY(qn_allocate(1, sizeof(qn_series), state));
    qn_series_start(*state, &layout);
    return QN_OK;
}

static void destroy(void *state)
{
    qn_series_clear(state);
    qn_release(&state);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Edges and angles of the cell as stored in the file; the volume is the same for every cell of the lattice. */
static qn_status measure(const void *state, const qn_query_frame *frame, double *partial)
{
    const double *vectors = frame->frame->box_nm, degrees = 180 / acos(-1);
    qn_box box;
    (void)state;
    QN_TRY(qn_box_from_vectors(vectors, &box));
    partial[0] = box.volume_nm3;
    for (int k = 0; k < 3; k++) partial[1 + k] = sqrt(dot(vectors + 3 * k, vectors + 3 * k));
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double cosine = dot(vectors + 3 * i, vectors + 3 * j) / (partial[1 + i] * partial[1 + j]);
        partial[4 + k] = acos(cosine) * degrees;
    }
    return QN_OK;
}

const qn_query_class qn_query_volume = {
    .size = sizeof(qn_query_class),
    .name = "volume",
    .meaning = "volume, edges and angles of the periodic box",
    .needs = QN_QUERY_BOX,
    .create = create,
    .partial_count = qn_series_partial_count,
    .measure = measure,
    .collect = qn_series_collect,
    .finish = qn_series_finish,
    .destroy = destroy,
};

/* Grids as OpenDX. VMD, PyMOL and ChimeraX read this format, and take its lengths as Å. */
#include <quern/version.h>

#include "base/error.h"
#include "trajectory/output.h"

static const double angstrom_per_nm = 10;

static qn_status append_header(const qn_trajectory_results *results, const qn_query_result *query,
                               const qn_query_grid *grid, qn_text *dx)
{
    const int *counts = grid->counts;
    char numbers[3][32];
    QN_TRY(qn_text_append(dx, "# "));
    QN_TRY(qn_output_label(results, grid->title, grid->unit, true, dx));
    QN_TRY(qn_text_append(dx, "; lengths of the grid in Å; made by Quern %s\n# ", QN_VERSION));
    QN_TRY(qn_output_describe(results, query, dx));
    QN_TRY(qn_text_append(dx, "\nobject 1 class gridpositions counts %d %d %d\n", counts[0], counts[1], counts[2]));
    for (int i = 0; i < 3; i++) /* positions are the middles of cells */
        qn_output_number(angstrom_per_nm * (grid->origin_nm[i] + 0.5 * grid->step_nm[i]), numbers[i]);
    QN_TRY(qn_text_append(dx, "origin %s %s %s\n", numbers[0], numbers[1], numbers[2]));
    for (int i = 0; i < 3; i++) {
        char step[32];
        qn_output_number(angstrom_per_nm * grid->step_nm[i], step);
        QN_TRY(qn_text_append(dx, "delta %s %s %s\n", i == 0 ? step : "0", i == 1 ? step : "0", i == 2 ? step : "0"));
    }
    QN_TRY(qn_text_append(dx, "object 2 class gridconnections counts %d %d %d\n", counts[0], counts[1], counts[2]));
    return qn_text_append(dx, "object 3 class array type double rank 0 items %zu data follows\n",
                          (size_t)counts[0] * (size_t)counts[1] * (size_t)counts[2]);
}

static qn_status append_values(const qn_trajectory_results *results, const qn_query_grid *grid, qn_text *dx)
{
    const size_t count = (size_t)grid->counts[0] * (size_t)grid->counts[1] * (size_t)grid->counts[2];
    const double factor = qn_output_factor(results, grid->length_power);
    for (size_t i = 0; i < count; i++) {
        char number[32];
        qn_output_number(factor * grid->values[i], number);
        QN_TRY(qn_text_append(dx, "%s%s", number, i % 3 == 2 || i + 1 == count ? "\n" : " "));
    }
    return QN_OK;
}

qn_status qn_output_write_grid(const qn_trajectory_results *results, const qn_query_result *query,
                               const qn_query_grid *grid)
{
    qn_text dx = {0}, name = {0};
    qn_status status = append_header(results, query, grid, &dx);
    if (status == QN_OK) status = append_values(results, grid, &dx);
    if (status == QN_OK)
        status = qn_text_append(&dx, "attribute \"dep\" string \"positions\"\nobject \"density\" class field\n"
                                     "component \"positions\" value 1\ncomponent \"connections\" value 2\n"
                                     "component \"data\" value 3\n");
    if (status == QN_OK) status = qn_output_name(query, grid->name, "dx", &name);
    if (status == QN_OK) status = qn_output_write_file(results, name.data, &dx);
    qn_text_clear(&name);
    qn_text_clear(&dx);
    return status;
}

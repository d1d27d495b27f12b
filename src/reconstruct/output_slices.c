/* Central slices of maps, as pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "reconstruct/output_parts.h"

/* The slices through the centre across x, y and z. */
typedef struct map_slices {
    float *values[3];
    qn_report_picture pictures[3];
} map_slices;

static void clear_slices(map_slices *slices)
{
    for (int k = 0; k < 3; k++) qn_release(&slices->values[k]);
}

/* Cut a slice across `axis`. The other two axes, in their order, point to the right and upwards. */
static void cut(const qn_volume *map, int axis, float *values)
{
    const int right = axis == 0 ? 1 : 0, up = axis == 2 ? 1 : 2;
    const size_t steps[3] = {1, (size_t)map->counts[0], (size_t)map->counts[0] * (size_t)map->counts[1]};
    const size_t start = (size_t)(map->counts[axis] / 2) * steps[axis];
    for (int y = 0; y < map->counts[up]; y++)
        for (int x = 0; x < map->counts[right]; x++)
            values[(size_t)y * (size_t)map->counts[right] + (size_t)x] =
                map->values[start + (size_t)y * steps[up] + (size_t)x * steps[right]];
}

static qn_status cut_slices(const qn_volume *map, map_slices *slices)
{
    static const char *const titles[] = {"x = 0", "y = 0", "z = 0"};
    static const char *const texts[] = {"y → z ↑", "x → z ↑", "x → y ↑"};
    *slices = (map_slices){0};
    for (int axis = 0; axis < 3; axis++) {
        const int columns = map->counts[axis == 0 ? 1 : 0], rows = map->counts[axis == 2 ? 1 : 2];
        void *memory;
        qn_status status = qn_allocate((size_t)columns * (size_t)rows, sizeof(float), &memory);
        if (status != QN_OK) {
            clear_slices(slices);
            return status;
        }
        slices->values[axis] = memory;
        cut(map, axis, memory);
        slices->pictures[axis] = (qn_report_picture){
            titles[axis], texts[axis], memory, columns, rows, map->voxel_angstrom[axis == 0 ? 1 : 0], "Å"};
    }
    return QN_OK;
}

static int compare_floats(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Find the values of black and white: the darkest and the lightest 0.2 % of the values of the three slices lie beyond
 * them. */
static qn_status find_limits(const map_slices *slices, double limits[2])
{
    size_t count = 0, finite = 0;
    void *memory;
    for (int k = 0; k < 3; k++) count += (size_t)slices->pictures[k].columns * (size_t)slices->pictures[k].rows;
    QN_TRY(qn_allocate(count, sizeof(float), &memory));
    float *sorted = memory;
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < (size_t)slices->pictures[k].columns * (size_t)slices->pictures[k].rows; i++)
            if (isfinite(slices->values[k][i])) sorted[finite++] = slices->values[k][i];
    qsort(sorted, finite, sizeof *sorted, compare_floats);
    limits[0] = finite ? sorted[(size_t)(0.002 * (double)(finite - 1))] : 0;
    limits[1] = finite ? sorted[(size_t)(0.998 * (double)(finite - 1))] : 0;
    if (!(limits[1] > limits[0])) limits[1] = limits[0] + 1;
    qn_release(&memory);
    return QN_OK;
}

static qn_status add_volume(qn_report *report, const char *title, const char *caption, const qn_volume *volume,
                            const double limits[2])
{
    map_slices slices;
    if (!volume) return QN_OK;
    QN_TRY(cut_slices(volume, &slices));
    qn_status status = qn_report_pictures(report, title, caption, slices.pictures, 3, limits[0], limits[1]);
    clear_slices(&slices);
    return status;
}

static qn_status limits_of_map(const qn_reconstruction *run, double limits[2])
{
    map_slices slices;
    QN_TRY(cut_slices(run->map, &slices));
    qn_status status = find_limits(&slices, limits);
    clear_slices(&slices);
    return status;
}

qn_status qn_reconstruct_add_slices(qn_report *report, const qn_reconstruction *run)
{
    double limits[2];
    if (!run->map) return QN_OK;
    QN_TRY(limits_of_map(run, limits));
    QN_TRY(qn_report_heading(report, "Map"));
    QN_TRY(qn_reconstruct_add_surface(report, run));
    return add_volume(report, "Slices through the centre", "Light is dense.", run->map, limits);
}

qn_status qn_reconstruct_add_half_slices(qn_report *report, const qn_reconstruction *run)
{
    static const double share[2] = {0, 1};
    double limits[2];
    if (!run->map) return QN_OK;
    QN_TRY(limits_of_map(run, limits));
    QN_TRY(add_volume(report, "First half map", "In the map's shades of grey.", run->half[0], limits));
    QN_TRY(add_volume(report, "Second half map", "In the map's shades of grey.", run->half[1], limits));
    return add_volume(report, "Mask", "From 0, black, to 1, white. The half maps are correlated within the mask.",
                      run->mask, share);
}

/* devices: host opencl:0 cuda:0 checking:host */
/* Maps of probes and of desolvation on one device, compared with the double precision reference. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check_workload.h"
#include "potential/maps/kernels/short_range.h"
#include "potential/maps/map_text.h"
#include "potential/maps/short_range.h"
#include "runtime/configuration.h"
#include "tune/workload_inputs.h"

enum { ATOMS = 150, PROBES_MAX = 22, CORNERS_MAX = 20 };

static qn_device *device;
static qn_queue *queue;
static qn_potential_parameters parameters;
static qn_potential_atom atoms[ATOMS];
static const qn_potential_receptor receptor = {.atoms = atoms, .atom_count = ATOMS};

/* All roles; the first six are those of a usual run. */
static char names[PROBES_MAX][QN_POTENTIAL_NAME_MAX] = {"A",  "C", "HD", "N",  "NA", "OA", "HS", "NS", "OS", "SA", "Z",
                                                        "Zn", "H", "F",  "Mg", "P",  "S",  "Cl", "Ca", "Mn", "Br", "I"};

/* A chain of atoms with usual bond lengths, positions of three decimals, and many polar hydrogens and acceptors. */
static void make_receptor(void)
{
    static const char *const types[] = {"C", "OA", "N",  "HD", "SA", "NA", "HD",
                                        "C", "OS", "HS", "OA", "HD", "NS", "Zn"};
    static const double lengths[] = {0.96, 1.01, 1.23, 1.34, 1.47, 1.53, 1.81};
    double place[3] = {0};
    for (uint64_t i = 0; i < ATOMS; i++) {
        qn_potential_atom *atom = &atoms[i];
        double step[3], length = 0;
        for (int k = 0; k < 3; k++) {
            step[k] = qn_workload_input(3, 3 * i + (uint64_t)k) - 0.08 * place[k];
            length += step[k] * step[k];
        }
        for (int k = 0; k < 3; k++) {
            place[k] += step[k] / sqrt(length) * lengths[i % 7];
            atom->position_angstrom[k] = round(place[k] * 1000) / 1000;
        }
        atom->charge_e = 0.4 * qn_workload_input(4, i);
        strcpy(atom->type, types[i % (sizeof types / sizeof *types)]);
    }
}

static qn_potential_model *make_model(const int points[3], double spacing, const double centre[3], int probes)
{
    qn_potential_settings settings = qn_potential_settings_default();
    qn_potential_model *model;
    settings.probes = names;
    settings.probe_count = probes;
    settings.grid.spacing_angstrom = spacing;
    for (int k = 0; k < 3; k++) settings.grid.points[k] = points[k], settings.grid.centre_angstrom[k] = centre[k];
    return CHECK_OK(qn_potential_model_create(&settings, &parameters, &receptor, &model)) ? model : NULL;
}

static size_t points_of(const qn_potential_model *model)
{
    return qn_potential_grid_size(&model->settings.grid);
}

/* All maps in slabs of `planes` planes: [probe, then desolvation][points]. */
static float *compute(const qn_potential_model *model, const qn_configuration *configuration, int planes)
{
    const int *points = model->settings.grid.points, probes = model->settings.probe_count;
    const size_t plane = (size_t)points[0] * (size_t)points[1], all = points_of(model);
    const qn_short_range_input input = {.model = model, .planes_max = planes, .configuration = configuration};
    qn_short_range *short_range = NULL;
    float *maps, *slab, *places[PROBES_MAX + 1];
    CHECK_OK(qn_allocate((size_t)(probes + 1) * all, sizeof *maps, (void **)&maps));
    CHECK_OK(qn_allocate((size_t)(probes + 1) * plane * (size_t)planes, sizeof *slab, (void **)&slab));
    CHECK_OK(qn_short_range_create(queue, &input, &short_range));
    for (int first = 0; short_range && first < points[2]; first += planes) {
        const int count = points[2] - first < planes ? points[2] - first : planes;
        const size_t size = plane * (size_t)count;
        for (int map = 0; map <= probes; map++) places[map] = slab + (size_t)map * size;
        CHECK_OK(qn_short_range_planes(short_range, first, count, places));
        CHECK_OK(qn_queue_finish(queue));
        for (int map = 0; map <= probes; map++)
            memcpy(maps + (size_t)map * all + plane * (size_t)first, slab + (size_t)map * size, size * sizeof *maps);
    }
    qn_short_range_destroy(&short_range);
    qn_release(&slab);
    return maps;
}

/* Number of values that are beyond the tolerance. */
static int count_wrong(const qn_potential_model *model, const float *maps)
{
    const int *points = model->settings.grid.points, probes = model->settings.probe_count;
    const size_t all = points_of(model);
    int wrong = 0;
    double expected[PROBES_MAX + 3];
    for (size_t i = 0; i < all; i++) {
        const int point[3] = {(int)(i % (size_t)points[0]), (int)(i / (size_t)points[0] % (size_t)points[1]),
                              (int)(i / (size_t)points[0] / (size_t)points[1])};
        qn_potential_reference_point(model, point, expected);
        expected[probes] = expected[probes + 1]; /* desolvation follows electrostatics there */
        for (int map = 0; map <= probes; map++) {
            const double value = (double)maps[(size_t)map * all + i];
            if (map == model->covalent_probe || fabs(value - expected[map]) <= 0.00051 + 3e-7 * fabs(expected[map]))
                continue;
            if (wrong++ < 3) printf("  map %d, point %zu: %.6f, expected %.6f\n", map, i, value, expected[map]);
        }
    }
    return wrong;
}

static const double centre[3] = {0.5, -0.25, 0.125}, odd_centre[3] = {0.1234567, -1.0 / 3, 2.71828};

static void check_grid(const int points[3], double spacing, const double at[3], int probes,
                       const qn_configuration *configuration)
{
    qn_potential_model *model = make_model(points, spacing, at, probes);
    if (!model) return;
    float *maps = compute(model, configuration, 8);
    CHECK(count_wrong(model, maps) == 0);
    qn_release(&maps);
    qn_potential_model_destroy(&model);
}

/* Multiples of 0.001 Å, where many distances are multiples of 0.01 Å, and other positions; points inside atoms. */
static void maps_are_those_of_the_reference(void)
{
    check_grid((int[]){17, 11, 13}, 0.375, centre, 6, NULL);
    check_grid((int[]){9, 9, 9}, 0.1, centre, 3, NULL);
    check_grid((int[]){11, 9, 17}, 0.2345678, odd_centre, 6, NULL);
    check_grid((int[]){3, 21, 1}, 1.5, odd_centre, 6, NULL);
    check_grid((int[]){5, 5, 5}, 30, centre, 6, NULL); /* units of positions are coarser than usual */
}

/* Two launches: 14 probes, and the others. */
static void many_probes_take_several_launches(void)
{
    check_grid((int[]){9, 11, 9}, 0.5, centre, PROBES_MAX, NULL);
    check_grid((int[]){9, 5, 3}, 0.5, centre, 9, NULL);
    check_grid((int[]){9, 5, 3}, 0.5, centre, 1, NULL);
}

static qn_status check_corner(const qn_configuration *configuration, void *user)
{
    ++*(int *)user;
    check_grid((int[]){11, 9, 9}, 0.4, centre, 6, configuration);
    return QN_OK;
}

static void maps_are_right_in_sampled_corners(void)
{
    int corners = 0;
    CHECK_OK(qn_family_sample_corners(&qn_potential_short_range_family, qn_device_get_info(device),
                                      corners_to_visit(qn_device_get_info(device), CORNERS_MAX), check_corner,
                                      &corners));
    CHECK(corners >= 1);
}

static void slabs_have_the_bits_of_the_whole(void)
{
    qn_potential_model *model = make_model((int[]){11, 13, 27}, 0.375, centre, 6);
    if (!model) return;
    float *parts = compute(model, NULL, 8), *whole = compute(model, NULL, 32);
    CHECK(memcmp(parts, whole, 7 * points_of(model) * sizeof *whole) == 0);
    qn_release(&parts);
    qn_release(&whole);
    qn_potential_model_destroy(&model);
}

/* No atom is near: every value is 0. */
static void maps_far_away_are_empty(void)
{
    const double far[3] = {500, 0, 0};
    qn_potential_model *model = make_model((int[]){9, 9, 9}, 0.375, far, 6);
    if (!model) return;
    float *maps = compute(model, NULL, 8);
    int others = 0;
    for (size_t i = 0; i < 7 * points_of(model); i++) others += maps[i] != 0;
    CHECK(others == 0);
    qn_release(&maps);
    qn_potential_model_destroy(&model);
}

static void workload_passes_its_check(void)
{
    qn_work work;
    check_workload(queue, "potential/short_range", (const int[]){25, 500, 0}, &work);
    CHECK(work.bytes_written == 4.0 * 7 * 25 * 25 * 25 && work.multiply_adds > 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    qn_context *context = NULL;
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL) || !CHECK_OK(qn_queue_create(device, &queue))) return check_finish();
    CHECK_OK(qn_potential_parameters_start(&parameters));
    make_receptor();
    RUN(maps_are_those_of_the_reference);
    RUN(many_probes_take_several_launches);
    RUN(slabs_have_the_bits_of_the_whole);
    RUN(maps_far_away_are_empty);
    RUN(workload_passes_its_check);
    RUN(maps_are_right_in_sampled_corners);
    qn_potential_parameters_clear(&parameters);
    qn_queue_destroy(&queue);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

/* devices: host opencl:0 cuda:0 checking:host */
/* Collective variables of many references with a device, compared with those without. */
#include <math.h>
#include <quern/collective.h>
#include <string.h>

#include "check.h"
#include "math/random.h"

enum { ATOMS = 50, REFERENCES = 700, NUMBERS = 3 * ATOMS };

static qn_context *context;
static qn_device *device;
static double references[REFERENCES * NUMBERS], frame[NUMBERS], weights[ATOMS];

static double uniform(uint64_t stream, uint64_t index)
{
    return 2 * qn_random_uniform(31, stream, index) - 1;
}

/* A path that bends slowly, each reference somewhere else. */
static void make_structures(void)
{
    for (size_t i = 0; i < ATOMS; i++) weights[i] = 1.5 + uniform(0, i);
    for (size_t n = 0; n < REFERENCES; n++)
        for (size_t i = 0; i < NUMBERS; i++)
            references[n * NUMBERS + i] =
                uniform(1, i) + 0.004 * (double)n * uniform(2, i) + 0.01 * uniform(10 + n, i) + (double)n * 0.1;
    for (size_t i = 0; i < NUMBERS; i++) frame[i] = references[333 * NUMBERS + i] + 0.05 * uniform(3, i);
}

typedef struct results {
    double rmsd[REFERENCES], drmsd[REFERENCES], s_gradient[NUMBERS], z_gradient[NUMBERS];
    qn_collective_values values;
} results;

static void evaluate(const qn_collective_options *options, int calls, results *all)
{
    qn_collective *collective;
    all->values = (qn_collective_values){
        .size = sizeof all->values, .rmsd = all->rmsd, .s_gradient = all->s_gradient, .z_gradient = all->z_gradient};
    if (options->drmsd) all->values.drmsd = all->drmsd;
    if (!CHECK_OK(qn_collective_create(context, options, &collective))) return;
    for (int call = 0; call < calls; call++) CHECK_OK(qn_collective_evaluate(collective, frame, &all->values));
    qn_collective_destroy(&collective);
}

static void check_agreement(qn_collective_options options, int calls)
{
    static results with, without;
    evaluate(&options, calls, &without);
    options.device = device;
    evaluate(&options, calls, &with);
    CHECK_NEAR(with.values.s, without.values.s, 1e-8);
    CHECK_NEAR(with.values.z, without.values.z, 1e-10);
    for (size_t i = 0; i < NUMBERS; i++) {
        CHECK_NEAR(with.s_gradient[i], without.s_gradient[i], 1e-8);
        CHECK_NEAR(with.z_gradient[i], without.z_gradient[i], 1e-10);
    }
    for (size_t n = 0; n < REFERENCES; n++) {
        CHECK(isnan(with.rmsd[n]) == isnan(without.rmsd[n]));
        if (!isnan(with.rmsd[n])) CHECK_NEAR(with.rmsd[n], without.rmsd[n], 3e-6);
        if (options.drmsd && !isnan(with.drmsd[n])) CHECK_NEAR(with.drmsd[n], without.drmsd[n], 3e-6);
    }
}

static void values_agree_with_those_without_a_device(void)
{
    qn_collective_options options = qn_collective_default_options();
    options.references = references;
    options.reference_count = REFERENCES;
    options.atom_count = ATOMS;
    options.weights = weights;
    options.lambda = 2000;
    check_agreement(options, 1);
    options.path = QN_PATH_RMSD;
    options.lambda = 60;
    check_agreement(options, 1);
    options.lambda = 0; /* chosen from the references */
    check_agreement(options, 2);
    options.lambda = 1e-3; /* every reference matters */
    check_agreement(options, 1);
    options.path = QN_PATH_DRMSD;
    options.drmsd = true;
    options.lambda = 60;
    check_agreement(options, 1);
    options.path = QN_PATH_DRMSD_SQUARED;
    options.lambda = 0;
    check_agreement(options, 2);
    options.path = QN_PATH_RMSD_SQUARED;
    options.lambda = 2000;
    options.neighbours = 20;
    options.neighbour_stride = 2;
    for (int calls = 1; calls <= 3; calls++) check_agreement(options, calls);
}

/* Gradients of all distances are computed without the device, in double precision. */
static void all_gradients_are_exact(void)
{
    static double gradients[2][2][REFERENCES * NUMBERS], distances[2][2][REFERENCES];
    for (int with = 0; with < 2; with++) {
        qn_collective_options options = qn_collective_default_options();
        qn_collective *collective;
        qn_collective_values values = {.size = sizeof values,
                                       .rmsd = distances[with][0],
                                       .drmsd = distances[with][1],
                                       .rmsd_gradients = gradients[with][0],
                                       .drmsd_gradients = gradients[with][1]};
        options.references = references;
        options.reference_count = REFERENCES;
        options.atom_count = ATOMS;
        options.path = QN_PATH_NONE;
        options.drmsd = true;
        options.device = with ? device : NULL;
        if (!CHECK_OK(qn_collective_create(context, &options, &collective))) return;
        CHECK_OK(qn_collective_evaluate(collective, frame, &values));
        qn_collective_destroy(&collective);
    }
    CHECK(memcmp(distances[0], distances[1], sizeof distances[0]) == 0);
    CHECK(memcmp(gradients[0], gradients[1], sizeof gradients[0]) == 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "host";
    if (!CHECK_OK(qn_context_create(NULL, &context))) return check_finish();
    if (qn_device_open(context, name, &device) == QN_NO_DEVICE) check_skip(name, qn_error_message());
    if (!CHECK(device != NULL)) return check_finish();
    make_structures();
    RUN(values_agree_with_those_without_a_device);
    RUN(all_gradients_are_exact);
    qn_device_release(&device);
    qn_context_destroy(&context);
    return check_finish();
}

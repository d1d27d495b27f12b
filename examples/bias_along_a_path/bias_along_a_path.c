/* Metadynamics of a toy molecule along a path of structures, with the variables of <quern/collective.h>.
 *
 * The molecule is a chain of beads with two stable forms, an open and a closed one: its energy is the lower of two
 * elastic networks, smoothed where they meet. The straight way between them has a barrier of about 20 kT. The path
 * leads from one to the other in even steps. Every hundred steps of Brownian dynamics a Gaussian is added to the energy
 * at the present s (Laio and Parrinello 2002), until the molecule crosses the barrier again and again. Without the
 * Gaussians it stays.
 *
 *     bias_along_a_path [STEPS]
 *
 * Energies are in kT, lengths in nm.
 */
#include <math.h>
#include <quern/collective.h>
#include <stdio.h>
#include <stdlib.h>

enum { BEADS = 12, NUMBERS = 3 * BEADS, REFERENCES = 9, HILLS_MAX = 10000, STEPS_PER_HILL = 100 };
static const double pi = 3.14159265358979323846, stiffness = 8, mobility_step = 2e-4; /* D Δt / kT, nm²/kT */
static const double hill_height = 0.5, hill_width = 0.35;

typedef struct simulation {
    double positions[NUMBERS], forces[NUMBERS], s_gradient[NUMBERS];
    double hills[HILLS_MAX]; /* their places s */
    int hill_count;
    double forms[2][NUMBERS];
} simulation;

/* Draw a normally distributed number (Box and Muller 1958). */
static double normal(void)
{
    const double one = (rand() + 1.0) / (RAND_MAX + 1.0), two = (rand() + 1.0) / (RAND_MAX + 1.0);
    return sqrt(-2 * log(one)) * cos(2 * pi * two);
}

/* An arc that is bent by `share` of the way from the open form, 0, to the closed one, 1. */
static void make_form(double share, double *positions)
{
    const double angle = (0.12 + 0.15 * share) * pi / 2, radius = 0.38 / (2 * sin(angle / 2));
    for (int i = 0; i < BEADS; i++) {
        positions[3 * i] = radius * cos(angle * i);
        positions[3 * i + 1] = radius * sin(angle * i);
        positions[3 * i + 2] = 0.08 * i;
    }
}

static double distance(const double *positions, int a, int b)
{
    const double *p = positions + 3 * a, *q = positions + 3 * b;
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

/* Energy of the elastic network around a form; its forces are added with a factor. */
static double stretch(const simulation *all, int form, double factor, double *forces)
{
    double energy = 0;
    for (int a = 0; a < BEADS; a++)
        for (int b = 0; b < a; b++) {
            const double d = distance(all->positions, a, b), excess = d - distance(all->forms[form], a, b);
            const double pull = factor * stiffness * excess / d;
            energy += 0.5 * stiffness * excess * excess;
            for (int k = 0; k < 3 && factor != 0; k++) {
                const double force = pull * (all->positions[3 * a + k] - all->positions[3 * b + k]);
                forces[3 * a + k] -= force;
                forces[3 * b + k] += force;
            }
        }
    return energy;
}

/* Forces of −ln(exp(−E_open) + exp(−E_closed)). */
static void add_molecule(simulation *all)
{
    const double open = stretch(all, 0, 0, all->forces), closed = stretch(all, 1, 0, all->forces);
    const double share = 1 / (1 + exp(closed - open));
    stretch(all, 0, 1 - share, all->forces);
    stretch(all, 1, share, all->forces);
}

/* Forces of the Gaussians: −dV/ds ∂s/∂x. */
static void add_bias(simulation *all, double s)
{
    double slope = 0;
    for (int i = 0; i < all->hill_count; i++) {
        const double x = (s - all->hills[i]) / hill_width;
        slope -= hill_height * x / hill_width * exp(-0.5 * x * x);
    }
    for (int i = 0; i < NUMBERS; i++) all->forces[i] -= slope * all->s_gradient[i];
}

static qn_status step(simulation *all, qn_collective *path, bool biased, bool adds_hill, double *s)
{
    qn_collective_values values = {.size = sizeof values, .s_gradient = all->s_gradient};
    const qn_status status = qn_collective_evaluate(path, all->positions, &values);
    if (status != QN_OK) return status;
    for (int i = 0; i < NUMBERS; i++) all->forces[i] = 0;
    add_molecule(all);
    if (biased) add_bias(all, values.s);
    if (biased && adds_hill && all->hill_count < HILLS_MAX) all->hills[all->hill_count++] = values.s;
    for (int i = 0; i < NUMBERS; i++)
        all->positions[i] += mobility_step * all->forces[i] + sqrt(2 * mobility_step) * normal();
    *s = values.s;
    return QN_OK;
}

/* Simulate from the open form, and count how often the molecule goes from one end of the path to the other. */
static qn_status simulate(qn_collective *path, int steps, bool biased)
{
    static simulation all;
    int end = 0, crossings = 0;
    double s = 0, least = REFERENCES, most = 1;
    all.hill_count = 0;
    make_form(0, all.forms[0]);
    make_form(1, all.forms[1]);
    make_form(0, all.positions);
    srand(1);
    for (int i = 0; i < steps; i++) {
        const qn_status status = step(&all, path, biased, i % STEPS_PER_HILL == 0, &s);
        if (status != QN_OK) return status;
        const int now = s < 2.5 ? 0 : s > REFERENCES - 1.5 ? 1 : end;
        crossings += now != end;
        end = now;
        least = fmin(least, s);
        most = fmax(most, s);
    }
    printf("%s: s from %.1f to %.1f, %d crossings, %d Gaussians\n", biased ? "with bias" : "without bias", least, most,
           crossings, all.hill_count);
    return QN_OK;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 100000;
    double references[REFERENCES][NUMBERS];
    qn_collective_options options = qn_collective_default_options();
    qn_collective *path = NULL;
    if (steps < 1) {
        fprintf(stderr, "usage: bias_along_a_path [STEPS]\n");
        return 2;
    }
    for (int n = 0; n < REFERENCES; n++) make_form(n / (REFERENCES - 1.0), references[n]);
    options.references = &references[0][0];
    options.reference_count = REFERENCES;
    options.atom_count = BEADS;
    qn_status status = qn_collective_create(NULL, &options, &path);
    if (status == QN_OK) status = simulate(path, steps, false);
    if (status == QN_OK) status = simulate(path, steps, true);
    if (status != QN_OK) fprintf(stderr, "bias_along_a_path: %s\n", qn_error_message());
    qn_collective_destroy(&path);
    return status == QN_OK ? 0 : 1;
}

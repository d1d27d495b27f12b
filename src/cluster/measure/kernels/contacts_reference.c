#include "cluster/measure/kernels/contacts.h"

static int in_contact(int atoms, double square_cutoff, const float *structure, int a, int b)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double step = (double)structure[axis * atoms + a] - (double)structure[axis * atoms + b];
        square += step * step;
    }
    return square <= square_cutoff;
}

void qn_contact_reference(int atoms, int separation, double cutoff_angstrom, const float *a, const float *b,
                          size_t *of_a, size_t *of_b, size_t *shared)
{
    *of_a = *of_b = *shared = 0;
    for (int first = 0; first < atoms; first++)
        for (int second = first + separation; second < atoms; second++) {
            const int in_a = in_contact(atoms, cutoff_angstrom * cutoff_angstrom, a, first, second);
            const int in_b = in_contact(atoms, cutoff_angstrom * cutoff_angstrom, b, first, second);
            *of_a += (size_t)in_a;
            *of_b += (size_t)in_b;
            *shared += (size_t)(in_a && in_b);
        }
}

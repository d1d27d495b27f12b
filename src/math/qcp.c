#include "math/qcp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "math/symmetric.h"

enum { STEPS_MAX = 50 };
#define TOLERATED_ERROR 1e-13 /* of the root of the scaled polynomial, which is at most 1 */

/* Horn's matrix N for a·b (Horn 1987, J. Opt. Soc. Am. A 4, 629); its largest eigenvalue in full. */
static double largest_eigenvalue(const double m[9])
{
    const double n[16] = {
        m[0] + m[4] + m[8], m[5] - m[7],        m[6] - m[2],         m[1] - m[3],        /* row 0 */
        m[5] - m[7],        m[0] - m[4] - m[8], m[1] + m[3],         m[6] + m[2],        /* row 1 */
        m[6] - m[2],        m[1] + m[3],        -m[0] + m[4] - m[8], m[5] + m[7],        /* row 2 */
        m[1] - m[3],        m[6] + m[2],        m[5] + m[7],         -m[0] - m[4] + m[8] /* row 3 */
    };
    double values[4], vectors[16];
    qn_symmetric_eigen(n, 4, values, vectors);
    return values[3];
}

/* x⁴ + c2 x² + c1 x + c0 with the eigenvalues of Horn's matrix as roots. In the singular values s of the products,
 * c2 = −2 Σ s², c1 = −8 det, c0 = (Σ s²)² − 4 Σ_{a<b} s_a² s_b². The sums are the squares of the elements and of the
 * cofactors. `size` bounds the terms of c0, for the error of the polynomial. */
typedef struct polynomial {
    double c2, c1, c0, size;
} polynomial;

static polynomial polynomial_of(const double m[9], double scale)
{
    double a[9], squares = 0, cofactors = 0, determinant = 0;
    for (int k = 0; k < 9; k++) {
        a[k] = m[k] * scale;
        squares += a[k] * a[k];
    }
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            const double *low = a + 3 * ((row + 1) % 3), *high = a + 3 * ((row + 2) % 3);
            const int left = (column + 1) % 3, right = (column + 2) % 3;
            const double cofactor = low[left] * high[right] - low[right] * high[left];
            cofactors += cofactor * cofactor;
            if (row == 0) determinant += a[column] * cofactor;
        }
    return (polynomial){-2 * squares, -8 * determinant, squares * squares - 4 * cofactors,
                        squares * squares + 4 * cofactors};
}

/* Find the largest root from above, where the polynomial is convex, so that each step stays above it. Returns false if
 * the root is not certain to TOLERATED_ERROR. */
static bool find_root(const polynomial *p, double *root)
{
    double x = 1, step = 1;
    for (int k = 0; k < STEPS_MAX && fabs(step) > 1e-15; k++) {
        const double square = x * x, slope = (4 * square + 2 * p->c2) * x + p->c1;
        if (!(slope > 0)) return false;
        step = ((square + p->c2) * square + p->c1 * x + p->c0) / slope;
        x -= step;
    }
    const double square = x * x, slope = (4 * square + 2 * p->c2) * x + p->c1;
    const double size = square * square - p->c2 * square + fabs(p->c1 * x) + p->size;
    *root = x;
    return fabs(step) <= 1e-15 && 4 * DBL_EPSILON * size < TOLERATED_ERROR * slope;
}

double qn_qcp_overlap(const double products[9], double half_sum)
{
    if (!(half_sum > DBL_MIN)) return 0;
    const polynomial p = polynomial_of(products, 1 / half_sum);
    double root;
    return find_root(&p, &root) ? root * half_sum : largest_eigenvalue(products);
}

double qn_qcp_rmsd(const double products[9], double half_sum, double weight_sum)
{
    const double rest = half_sum - qn_qcp_overlap(products, half_sum);
    return rest > 0 ? sqrt(2 * rest / weight_sum) : 0;
}

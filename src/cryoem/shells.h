/* Spherical shells of the half spectra of N³ real grids, packed [N][N][N/2 + 1][2] as <quern/fft.h> packs them: index i
 * of y and z stands for the frequency i where i ≤ N/2 and i − N above.
 *
 * Shell s holds the voxels with rint(|k|) = s, which in whole numbers is s² − s < |k|² ≤ s² + s: s² ± s + ¼ are the
 * squared limits. Sums go over the whole sphere: voxels with 0 < x < N/2 stand for their mirror images too.
 *
 * Thread rule: any thread.
 */
#ifndef QN_CRYOEM_SHELLS_H
#define QN_CRYOEM_SHELLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/thread_pool.h"

/* Number of shells, 0 … N/2. */
int qn_shell_count(int side);

/* Correlate two spectra: correlation[s] = Σ Re(F conj(G)) / √(Σ |F|² Σ |G|²) for every shell s, 0 if one of the spectra
 * is 0 all over the shell. The result does not depend on the number of threads. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_shells_correlate(qn_pool *pool, int side, const float *first, const float *second,
                                            double *correlation);

/* Find the mean of |F|² in every shell. The result does not depend on the number of threads. QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_shells_power(qn_pool *pool, int side, const float *spectrum, double *power);

/* Randomise the phases of all voxels from shell `from` ≥ 1 on, including the cube's corners. The two
 * spectra get different angles, so their correlation is lost. Both remain spectra of real grids. The angles are a
 * function of seed and voxel. */
QN_MUST_CHECK qn_status qn_shells_randomise(qn_pool *pool, int side, int from, uint64_t seed, float *first,
                                            float *second);

#endif

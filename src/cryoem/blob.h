/* The Kaiser-Bessel blob of order 0 that slices are spread with, b(d²) = I₀(α √(1 − d² / r²)) / I₀(α) within its radius
 * r and 0 beyond, α = 15 (Lewitt 1990, doi 10.1364/JOSAA.7.001834).
 *
 * Thread rule: any thread. */
#ifndef QN_CRYOEM_BLOB_H
#define QN_CRYOEM_BLOB_H

enum { QN_BLOB_INTERVALS = 4096, QN_BLOB_ENTRIES = QN_BLOB_INTERVALS + 2 };

#define QN_BLOB_RADIUS 1.9 /* voxels of the padded volume */
#define QN_BLOB_ALPHA 15.0

/* b at a squared distance in voxels². */
double qn_blob_at(double radius, double squared);

/* table[i] = b(i r² / QN_BLOB_INTERVALS): even in the squared distance, for interpolation between neighbours. The last
 * entry repeats the one before. Linear interpolation is off by less than 5e-7. The table is the same for every radius.
 */
void qn_blob_table(float table[QN_BLOB_ENTRIES]);

/* The blob's transform in three dimensions ∫ b(|x|²) exp(−2πi k·x) dx at |k| = `frequency` (cycles per voxel), in
 * voxels³. A volume whose Fourier transform was gathered with blobs is multiplied with transform(R / P) at R voxels
 * from its middle, P the padded side: divide by transform(R / P) / transform(0). */
double qn_blob_transform(double radius, double frequency);

#endif

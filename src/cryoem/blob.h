/* The Kaiser-Bessel blob of order 0, with which slices are spread over voxels: b(d²) = I₀(α √(1 − d² / r²)) / I₀(α)
 * within its radius r and 0 beyond, α = 15 (Lewitt 1990, doi 10.1364/JOSAA.7.001834).
 *
 * Thread rule: any thread. */
#ifndef QN_CRYOEM_BLOB_H
#define QN_CRYOEM_BLOB_H

enum { QN_BLOB_INTERVALS = 4096, QN_BLOB_ENTRIES = QN_BLOB_INTERVALS + 2 };

#define QN_BLOB_RADIUS 1.9 /* voxels of the padded volume */
#define QN_BLOB_ALPHA 15.0

/* Value of b at a squared distance in voxels². */
double qn_blob_at(double radius, double squared);

/* Fill a table: table[i] = b(i r² / QN_BLOB_INTERVALS), equidistant in the squared distance, for linear interpolation,
 * which is off by less than 5e-7. The last entry repeats the one before. The table is the same for every radius. */
void qn_blob_table(float table[QN_BLOB_ENTRIES]);

/* Transform of the blob in three dimensions, ∫ b(|x|²) exp(−2πi k·x) dx at |k| = `frequency` (cycles per voxel), in
 * voxels³. Gathering with blobs multiplies a map with transform(R / P) at R voxels from its middle, where P is the
 * padded side; to undo that, divide by transform(R / P) / transform(0). */
double qn_blob_transform(double radius, double frequency);

#endif

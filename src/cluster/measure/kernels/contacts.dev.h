/* The interface between the kernels of contacts and the code that launches them. */
#ifndef QN_CLUSTER_CONTACTS_DEV_H
#define QN_CLUSTER_CONTACTS_DEV_H

/* Arguments of `find_contacts` and `count_shared`, in order. */
enum { FIND_POSITIONS, FIND_PLACES, FIND_BITS, FIND_COUNTS, FIND_SCALARS, FIND_ARGUMENTS };
enum { SHARED_ROWS, SHARED_COLUMNS, SHARED_COUNTS, SHARED_SCALARS, SHARED_ARGUMENTS };

typedef struct find_scalars {
    int structures, atoms, words;
    float square_cutoff; /* A^2 */
} find_scalars;

typedef struct shared_scalars {
    int rows, columns, words;
    int triangle; /* 1: rows and columns are the same structures; tiles below the diagonal are left out */
} shared_scalars;

#define CONTACT_WORD 32 /* pairs of atoms in a word */

/* Whether two atoms are in contact: 1 or 0. */
DEVICE_FN qn_uint32 contact_of(float x, float y, float z, float square_cutoff)
{
    return FMA(x, x, FMA(y, y, z * z)) <= square_cutoff ? 1u : 0u;
}

#endif

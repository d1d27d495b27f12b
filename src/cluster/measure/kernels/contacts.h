/* Contacts of structures as rows of bits, and how many of them two structures share.
 *
 * Two atoms are in contact that are at least `separation` places apart in the list of atoms, and at most a cut-off
 * apart in space. A row has a word for each atom a and each run of 32 atoms b ≥ a + separation; `places` has a and the
 * first b of each word. Bits of atoms that do not exist are 0. */
#ifndef QN_CLUSTER_CONTACTS_H
#define QN_CLUSTER_CONTACTS_H

#include <quern/family.h>
#include <stdbool.h>

extern const qn_family qn_cluster_contacts_family;

enum { QN_CONTACT_ATOMS_MAX = 16384 };

typedef struct qn_contact_problem {
    int structures, columns; /* of count_shared: `structures` rows */
    int atoms, words;
    float square_cutoff; /* Å² */
    bool triangle;       /* rows and columns are the same structures: only pairs row ≤ column are needed */
} qn_contact_problem;

/* Number of words of a row. With `places` not NULL: fill it, two numbers for each word. */
int qn_contact_places(int atoms, int separation, int32_t *places);

/* Find the contacts of `structures` structures. positions: [structure][3][atoms]; bits: [structure][words]; counts: one
 * number for each structure, 0 before. `configuration` NULL: chosen as for any family. */
QN_MUST_CHECK qn_status qn_contact_find(qn_queue *queue, const qn_configuration *configuration,
                                        const qn_contact_problem *problem, qn_buffer *positions, qn_buffer *places,
                                        qn_buffer *bits, qn_buffer *counts, qn_event **event);

/* Count shared contacts: counts[row][column]. Of a triangle, pairs row > column are undefined. */
QN_MUST_CHECK qn_status qn_contact_share(qn_queue *queue, const qn_configuration *configuration,
                                         const qn_contact_problem *problem, qn_buffer *rows, qn_buffer *columns,
                                         qn_buffer *counts, qn_event **event);

/* Reference: contacts of two structures, [3][atoms] each, and those that they share, in double precision. */
void qn_contact_reference(int atoms, int separation, double cutoff_angstrom, const float *a, const float *b,
                          size_t *of_a, size_t *of_b, size_t *shared);

#endif

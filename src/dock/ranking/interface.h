/* Measures of the interface that a pose makes: contacts, overlaps, hydrogen bonds, salt bridges, buried area, pairs of
 * residues.
 *
 * Life cycle: surface create (one for each partner) → interface measure for any number of poses → destroy. Thread rule:
 * surfaces are read-only after creation; each thread has a scratch of its own.
 */
#ifndef QN_DOCK_RANKING_INTERFACE_H
#define QN_DOCK_RANKING_INTERFACE_H

#include <stdint.h>

#include "dock/search/partner.h"
#include "model/neighbour_grid.h"

/* Kinds of heavy atoms. */
typedef enum qn_surface_kind {
    QN_SURFACE_APOLAR,
    QN_SURFACE_AROMATIC, /* carbon of an aromatic ring */
    QN_SURFACE_POLAR,
    QN_SURFACE_POSITIVE,
    QN_SURFACE_NEGATIVE,
    QN_SURFACE_KINDS
} qn_surface_kind;

/* A heavy atom of a partner. */
typedef struct qn_surface_atom {
    double position_angstrom[3];
    double radius_angstrom;
    double area_angstrom2; /* accessible to solvent in the partner alone */
    int type;              /* of the pair potential, 0 … 17; −1: none */
    qn_surface_kind kind;
    bool donor, acceptor, backbone;
    size_t residue;
} qn_surface_atom;

typedef struct qn_surface {
    qn_surface_atom *atoms;
    size_t atom_count, residue_count;
    int *amino; /* of each residue: 0 … 19 in the order of QN_SURFACE_AMINO_ACIDS; −1: none */
    bool *loop; /* residues in complementarity-determining regions; NULL: not an antibody */
    qn_neighbour_grid *near;
} qn_surface;

#define QN_SURFACE_AMINO_ACIDS "ACDEFGHIKLMNPQRSTVWY"

QN_MUST_CHECK qn_status qn_surface_create(const qn_dock_partner *partner, qn_surface *surface);
void qn_surface_clear(qn_surface *surface);

/* Radius of a water molecule, for areas. */
#define QN_SURFACE_PROBE_ANGSTROM 1.4

/* Share of an atom's accessible area that another atom at this distance leaves, by the approximation of Hasel,
 * Hendrickson and Still (1988): 1 − scale · b / S, with the area b of the atom's sphere (radius + probe, area S) inside
 * the other's. The scale is 0.8875 for bonded atoms and 0.3516 for all others. */
double qn_surface_share_left(const qn_surface_atom *atom, const qn_surface_atom *other, double distance, double scale);

enum { QN_AMINO_ACIDS = 20, QN_AMINO_PAIRS = 210, QN_TYPE_PAIRS = 171 };

/* Index of an unordered pair of numbers 0 …: (b, b) is the last of those with numbers up to b. */
static inline int qn_pair_index(int a, int b)
{
    return a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/* Measures of an interface; docs/design/docking.md, "Ranking", defines them. */
typedef enum qn_interface_measure {
    QN_INTERFACE_CONTACTS,
    QN_INTERFACE_NEAR_CONTACTS,
    QN_INTERFACE_OVERLAPS_SLIGHT,
    QN_INTERFACE_OVERLAPS_MODERATE,
    QN_INTERFACE_OVERLAPS_DEEP,
    QN_INTERFACE_DISPERSION,
    QN_INTERFACE_REPULSION,
    QN_INTERFACE_PAIR,
    QN_INTERFACE_PAIR_NEAR,
    QN_INTERFACE_BONDS_BACKBONE,
    QN_INTERFACE_BONDS_MIXED,
    QN_INTERFACE_BONDS_SIDE,
    QN_INTERFACE_BRIDGES,
    QN_INTERFACE_BRIDGES_FAR,
    QN_INTERFACE_LIKE_CHARGES,
    QN_INTERFACE_UNSATISFIED_POLAR,
    QN_INTERFACE_UNSATISFIED_CHARGED,
    QN_INTERFACE_AREA_APOLAR,
    QN_INTERFACE_AREA_AROMATIC,
    QN_INTERFACE_AREA_POLAR,
    QN_INTERFACE_AREA_POSITIVE,
    QN_INTERFACE_AREA_NEGATIVE,
    QN_INTERFACE_RESIDUES_RECEPTOR,
    QN_INTERFACE_RESIDUES_LIGAND,
    QN_INTERFACE_RESIDUE_PAIRS,
    QN_INTERFACE_LOOP_SHARE,
    QN_INTERFACE_MEASURES
} qn_interface_measure;

extern const char *const qn_interface_measure_names[QN_INTERFACE_MEASURES];

/* A pair of residues in contact. */
typedef struct qn_residue_pair {
    uint32_t receptor, ligand;
} qn_residue_pair;

typedef struct qn_interface {
    double measures[QN_INTERFACE_MEASURES];
    uint16_t amino_pairs[QN_AMINO_PAIRS];  /* residues in contact by their amino acids */
    uint16_t type_pairs[QN_TYPE_PAIRS];    /* atoms closer than 6.5 Å by their types */
    uint16_t amino_counts[QN_AMINO_ACIDS]; /* residues in the interface, of both sides */
    qn_residue_pair *pairs;                /* residues in contact; owned, grows */
    size_t pair_count, pair_capacity;
} qn_interface;

/* Memory of a thread. */
typedef struct qn_interface_scratch qn_interface_scratch;

QN_MUST_CHECK qn_status qn_interface_scratch_create(const qn_surface *receptor, const qn_surface *ligand,
                                                    qn_interface_scratch **scratch);
void qn_interface_scratch_destroy(qn_interface_scratch **scratch);

/* Measure the interface of the pose x' = R·x + t of the ligand. */
QN_MUST_CHECK qn_status qn_interface_measure_pose(const qn_surface *receptor, const qn_surface *ligand,
                                                  const double matrix[9], const double translation_angstrom[3],
                                                  qn_interface_scratch *scratch, qn_interface *interface);
void qn_interface_clear(qn_interface *interface);

#endif

#include "score/ligand_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/atom.h"
#include "score/vina.h"

int qn_ligand_type_of(const qn_ligand_score *score, const char *element, qn_sybyl_type type,
                      const qn_surroundings *around)
{
    if (score->kind == QN_SCORE_VINA) return qn_vina_type_of(element, type, around);
    if (qn_element_is_hydrogen(element)) return -1;
    if (strcmp(element, "N") == 0 && around->anion) {
        int anionic = qn_bude_type_named(score->force_field, "N.ani");
        if (anionic >= 0) return anionic;
    }
    return qn_bude_type_of(score->force_field, type, around->hydrogen);
}

double qn_ligand_radius_angstrom(const qn_ligand_score *score, int type)
{
    int count;
    if (score->kind == QN_SCORE_VINA) return (double)qn_vina_type_table(&count)[type].radius_angstrom;
    return (double)score->force_field->types[type].radius_angstrom;
}

double qn_ligand_largest_radius_angstrom(const qn_ligand_score *score)
{
    int count = score->kind == QN_SCORE_VINA ? 0 : score->force_field->type_count;
    double largest = 0;
    if (score->kind == QN_SCORE_VINA) (void)qn_vina_type_table(&count);
    for (int type = 0; type < count; type++) largest = fmax(largest, qn_ligand_radius_angstrom(score, type));
    return largest;
}

/* Vina's radii of metals are for atoms beside them. Bonds that coordinate a metal are shorter: of zinc 1.9 to 2.1 Å to
 * O and N, and 2.3 Å to S, where 0.7 of the radii are 2.0 to 2.2 Å. BUDE's force field of 2016 has radii of ions that
 * need no exception. */
double qn_ligand_clash_angstrom(const qn_ligand_score *score, int a, int b)
{
    const double coordination_share = 0.55;
    const bool coordinates = score->kind == QN_SCORE_VINA && qn_vina_coordinates(a, b);
    return (coordinates ? coordination_share : QN_LIGAND_CLASH_SHARE) *
           (qn_ligand_radius_angstrom(score, a) + qn_ligand_radius_angstrom(score, b));
}

uint64_t qn_ligand_hash(const void *types, size_t types_bytes, const void *positions, size_t positions_bytes)
{
    qn_hash hash;
    char digest[65];
    qn_hash_start(&hash);
    qn_hash_add(&hash, types, types_bytes);
    qn_hash_add(&hash, positions, positions_bytes);
    qn_hash_finish(&hash, digest);
    digest[16] = '\0';
    return strtoull(digest, NULL, 16);
}

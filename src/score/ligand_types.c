#include "score/ligand_types.h"

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

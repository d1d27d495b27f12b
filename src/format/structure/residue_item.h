/* Residues and atoms as users name them: chain, residue and perhaps an atom.
 *
 *     A:ASP108    residue 108 of chain A, which must be an ASP
 *     A:52A       residue 52 with insertion code A
 *     A:HEM       the only HEM of chain A
 *     A:145:SG    one of its atoms
 */
#ifndef QN_FORMAT_STRUCTURE_RESIDUE_ITEM_H
#define QN_FORMAT_STRUCTURE_RESIDUE_ITEM_H

#include <quern/molecule.h>

typedef struct qn_residue_item {
    char text[64]; /* for messages */
    char chain[8];
    char residue[16];
    char atom[8]; /* "": the whole residue */
} qn_residue_item;

/* Take an item apart; false: it is malformed, and only its text is set. */
bool qn_residue_item_read(const char *text, size_t length, qn_residue_item *item);

/* Find the residue of an item: by its number, where a name before it must agree; or by its name, if no other residue of
 * the chain has it. `option` and `file` begin the messages. QN_INVALID_ARGUMENT: there is none, or another name. */
QN_MUST_CHECK qn_status qn_residue_item_find(const qn_residue_item *item, const qn_molecule *molecule,
                                             const char *option, const char *file, size_t *found);

#endif

/* Compare the energies of a miniBUDE deck with those that its authors computed. */
#ifndef QN_SCREEN_DECK_H
#define QN_SCREEN_DECK_H

#include <quern/screen.h>

#include "score/deck.h"

/* Set the fields of `result` that follow from energies: the best pose, and the comparison with the reference energies.
 */
void qn_screen_deck_check(const qn_deck *deck, int poses, const float *energies, qn_screen_deck_result *result);

#endif

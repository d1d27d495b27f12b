/* Scoring a miniBUDE deck and comparing it with the energies that its authors got. */
#ifndef QN_SCREEN_DECK_H
#define QN_SCREEN_DECK_H

#include <quern/screen.h>

#include "score/deck.h"

/* Sets the fields of `summary` that tell of energies: best pose, how many were compared, how many failed. */
void qn_screen_deck_check(const qn_deck *deck, int poses, const float *energies, qn_screen_deck_summary *summary);

#endif

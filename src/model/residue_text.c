#include "model/residue_text.h"

#include <stdio.h>

qn_residue_text qn_residue_say(const qn_residue *residue)
{
    qn_residue_text said;
    const char insertion[2] = {residue->insertion, '\0'};
    snprintf(said.text, sizeof said.text, "%s %d%s%s%s", residue->name, residue->number, insertion,
             residue->chain[0] ? " of chain " : "", residue->chain);
    return said;
}

qn_residue_text qn_residue_label(const qn_residue *residue)
{
    qn_residue_text said;
    const char insertion[2] = {residue->insertion, '\0'};
    snprintf(said.text, sizeof said.text, "%s%d%s%s%s", residue->name, residue->number, insertion,
             residue->chain[0] ? ":" : "", residue->chain);
    return said;
}

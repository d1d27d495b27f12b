/* Pieces of side chains. Bonds that turn only hydrogens are rigid, and so are guanidinium and amide groups. */
#include <string.h>

#include "flexible/sides.h"

/* Names of residues as in src/chemistry/residue_templates.c, with blanks between them. */
typedef struct side_row {
    const char *residues, *pieces;
} side_row;

static const side_row rows[] = {
    {"ARG ARN DAR", "CB|CG|CD|NE CZ NH1 NH2"},
    {"ASN DSG", "CB|CG OD1 ND2"},
    {"ASP ASH ASPP DAS", "CB|CG OD1 OD2"},
    {"CYS CYX CYM CYS2 DCY", "CB SG"},
    {"GLN DGN", "CB|CG|CD OE1 NE2"},
    {"GLU GLH GLUP DGL", "CB|CG|CD OE1 OE2"},
    {"HIS HID HIE HIP HSD HSE HSP HISD HISE HISA HISB HISH DHI", "CB|CG ND1 CD2 CE1 NE2"},
    {"ILE DIL", "CB CG2|CG1 CD1/CD"},
    {"LEU DLE", "CB|CG CD1 CD2"},
    {"LYS LYN LSN DLY", "CB|CG|CD|CE NZ"},
    {"MET MED", "CB|CG|SD CE"},
    {"MSE", "CB|CG|SE CE"},
    {"PHE DPN", "CB|CG CD1 CD2 CE1 CE2 CZ"},
    {"SEC", "CB SE"},
    {"SER DSN", "CB OG"},
    {"THR DTH", "CB OG1 CG2"},
    {"TRP DTR", "CB|CG CD1 CD2 NE1 CE2 CE3 CZ2 CZ3 CH2"},
    {"TYR TYM DTY", "CB|CG CD1 CD2 CE1 CE2 CZ OH"},
    {"VAL DVA", "CB CG1 CG2"},
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at;) {
        const size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0) return true;
        at += here + strspn(at + here, " ");
    }
    return false;
}

const char *qn_flexible_side_pieces(const char *residue_name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has_word(rows[i].residues, residue_name)) return rows[i].pieces;
    return NULL;
}

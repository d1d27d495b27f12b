#include "format/element.h"

#include <ctype.h>
#include <string.h>

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) != 0;
}

/* By atomic number; D is added. */
static const char symbols[] =
    " H D HE LI BE B C N O F NE NA MG AL SI P S CL AR K CA SC TI V CR MN FE CO NI CU ZN GA GE AS SE BR KR RB SR Y "
    "ZR "
    "NB MO TC RU RH PD AG CD IN SN SB TE I XE CS BA LA CE PR ND PM SM EU GD TB DY HO ER TM YB LU HF TA W RE OS IR "
    "PT "
    "AU HG TL PB BI PO AT RN FR RA AC TH PA U NP PU AM CM BK CF ES FM MD NO LR RF DB SG BH HS MT DS RG CN NH FL MC "
    "LV TS OG ";

bool qn_element_find(const char *text, size_t length, char symbol[4])
{
    char padded[5] = " ";
    if (length < 1 || length > 2) return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_letter(text[i])) return false;
        padded[1 + i] = (char)toupper((unsigned char)text[i]);
    }
    padded[1 + length] = ' ';
    if (!strstr(symbols, padded)) return false;
    memcpy(symbol, padded + 1, length);
    symbol[length] = '\0';
    return true;
}

int qn_element_number(const char *symbol)
{
    const size_t length = strlen(symbol);
    int number = 0;
    if (strcmp(symbol, "D") == 0) return 1;
    for (const char *word = symbols + 1; *word; word += strcspn(word, " ") + 1) {
        if (strncmp(word, "D ", 2) != 0) number++;
        if (strncmp(word, symbol, length) == 0 && word[length] == ' ') return number;
    }
    return 0;
}

static bool is_polymer_residue(const char *name)
{
    static const char names[] =
        " ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL ASX GLX "
        "HSD HSE HSP HID HIE HIP CYX ASH GLH LYN A C G U I DA DC DG DT DU DI ";
    char padded[12] = " ";
    if (!*name || strlen(name) > 4) return false;
    strcat(padded, name);
    strcat(padded, " ");
    return strstr(names, padded) != NULL;
}

/* Symbols that a left-aligned name probably does not mean: CA is an alpha carbon, CD a delta carbon, … */
static bool reads_like_a_position(const char *symbol)
{
    return strstr(" CA CD CE CF CM CN CO CS HE HF HG HO HS NA NB ND NE NH NO NP OG OS PA PB PM PO SB SC SG SM SN IN ",
                  symbol) != NULL;
}

/* A single ion: atom and residue are named after the element, apart from a charge or count. */
static bool is_ion(const char *name, int letters_and_blanks, const char *symbol, const char *residue_name)
{
    for (int i = 2; i < letters_and_blanks; i++)
        if (is_letter(name[i])) return false;
    for (int i = 0; i < 2; i++)
        if (toupper((unsigned char)residue_name[i]) != symbol[i]) return false;
    return !is_letter(residue_name[2]);
}

/* A dummy atom, such as DM, DM1 or DUM: deuterium is named like hydrogens, and none of them has such a name. */
static bool is_dummy(const char *name)
{
    return toupper((unsigned char)name[0]) == 'D' && strchr("MU", toupper((unsigned char)name[1]));
}

void qn_element_deduce(const char columns[4], const char *residue_name, char symbol[4])
{
    int first = 0;
    char two[4] = "", one[4] = "", padded[6];
    while (first < 4 && !is_letter(columns[first])) first++;
    strcpy(symbol, "X");
    if (first == 4 || (first < 3 && is_dummy(columns + first))) return;
    bool have_one = qn_element_find(columns + first, 1, one);
    bool have_two = first < 3 && qn_element_find(columns + first, 2, two);
    bool ion = have_two && is_ion(columns + first, 4 - first, two, residue_name);
    if (!have_two || (first > 0 && !ion)) {
        strcpy(symbol, have_one ? one : have_two ? two : "X");
        return;
    }
    padded[0] = padded[3] = ' ';
    memcpy(padded + 1, two, 2);
    padded[4] = '\0';
    bool second_is_small = isupper((unsigned char)columns[first]) && islower((unsigned char)columns[first + 1]);
    bool full = columns[3] != ' ';
    bool single = have_one && !second_is_small && !ion &&
                  (is_polymer_residue(residue_name) || reads_like_a_position(padded) || (full && two[0] == 'H'));
    strcpy(symbol, single ? one : two);
}

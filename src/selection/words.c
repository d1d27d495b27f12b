#include "selection/words.h"

#include <string.h>
#include <strings.h>

#include "base/nearest_word.h"
#include "selection/residue_classes.h"

const qn_selection_word qn_selection_words[] = {
    {.word = "all", .role = QN_ROLE_ALL},
    {.word = "none", .role = QN_ROLE_NONE},
    {.word = "protein", .role = QN_ROLE_CLASS, .what = QN_CLASS_PROTEIN},
    {.word = "backbone", .role = QN_ROLE_CLASS, .what = QN_CLASS_BACKBONE},
    {.word = "nucleic", .role = QN_ROLE_CLASS, .what = QN_CLASS_NUCLEIC},
    {.word = "nucleicbackbone", .role = QN_ROLE_CLASS, .what = QN_CLASS_NUCLEIC_BACKBONE},
    {.word = "water", .role = QN_ROLE_CLASS, .what = QN_CLASS_WATER},
    {.word = "waters", .role = QN_ROLE_CLASS, .what = QN_CLASS_WATER},
    {.word = "ion", .role = QN_ROLE_CLASS, .what = QN_CLASS_ION},
    {.word = "ions", .role = QN_ROLE_CLASS, .what = QN_CLASS_ION},
    {.word = "hydrogen", .role = QN_ROLE_CLASS, .what = QN_CLASS_HYDROGEN},
    {.word = "noh", .role = QN_ROLE_NO_CLASS, .what = QN_CLASS_HYDROGEN},
    {.word = "name", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_NAME},
    {.word = "atomname", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_NAME},
    {.word = "type", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_TYPE},
    {.word = "atomtype", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_TYPE},
    {.word = "element", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_ELEMENT},
    {.word = "resname", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_RESNAME},
    {.word = "chain", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_CHAIN},
    {.word = "chainID", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_CHAIN},
    {.word = "chainid", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_CHAIN},
    {.word = "segment", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_SEGMENT},
    {.word = "segid", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_SEGMENT},
    {.word = "segname", .role = QN_ROLE_TEXT, .what = QN_PROPERTY_SEGMENT},
    {.word = "resid", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_RESID},
    {.word = "resnr", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_RESID},
    {.word = "resnum", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_RESID},
    {.word = "resindex", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_RESIDUE},
    {.word = "molecule", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_MOLECULE},
    {.word = "molnum", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_MOLECULE},
    {.word = "molindex", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_MOLECULE, .first = 1},
    {.word = "fragment", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_FRAGMENT},
    {.word = "index", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_INDEX},
    {.word = "serial", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_INDEX, .first = 1},
    {.word = "bynum", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_INDEX, .first = 1},
    {.word = "atomnr", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_INDEX, .first = 1},
    {.word = "mass", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_MASS},
    {.word = "charge", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_CHARGE},
    {.word = "x", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_X},
    {.word = "y", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_Y},
    {.word = "z", .role = QN_ROLE_NUMBER, .what = QN_PROPERTY_Z},
    {.word = "prop", .role = QN_ROLE_PROPERTY_NEXT},
    {.word = "abs", .role = QN_ROLE_ABSOLUTE},
    {.word = "group", .role = QN_ROLE_GROUP},
    {.word = "within", .role = QN_ROLE_WITHIN},
    {.word = "exwithin", .role = QN_ROLE_AROUND_OF},
    {.word = "around", .role = QN_ROLE_AROUND},
    {.word = "same", .role = QN_ROLE_SAME},
    {.word = "byres", .role = QN_ROLE_SAME_SHORT, .what = QN_PROPERTY_RESIDUE},
    {.word = "bonded", .role = QN_ROLE_BONDED},
    {.word = "and", .role = QN_ROLE_AND},
    {.word = "or", .role = QN_ROLE_OR},
    {.word = "not", .role = QN_ROLE_NOT},
    {.word = "to", .role = QN_ROLE_TO},
    {.word = "of", .role = QN_ROLE_OF},
    {.word = "as", .role = QN_ROLE_AS},
    /* Words whose meaning differs between programs, or that have no counterpart here. */
    {.word = "residue",
     .role = QN_ROLE_FOREIGN,
     .hint = "resid for the numbers of the file or resindex for numbers from 0"},
    {.word = "mol", .role = QN_ROLE_FOREIGN, .hint = "molecule for numbers from 0 or molindex for numbers from 1"},
    {.word = "sidechain", .role = QN_ROLE_FOREIGN, .hint = "\"protein and not backbone\""},
    {.word = "distance", .role = QN_ROLE_FOREIGN, .hint = "\"within R of …\""},
};

const size_t qn_selection_word_count = sizeof qn_selection_words / sizeof qn_selection_words[0];

static const struct {
    const char *word;
    qn_selection_property property;
} same_words[] = {
    {"residue", QN_PROPERTY_RESIDUE},   {"resindex", QN_PROPERTY_RESIDUE},  {"molecule", QN_PROPERTY_MOLECULE},
    {"mol", QN_PROPERTY_MOLECULE},      {"molindex", QN_PROPERTY_MOLECULE}, {"molnum", QN_PROPERTY_MOLECULE},
    {"fragment", QN_PROPERTY_FRAGMENT},
};

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

const qn_selection_word *qn_selection_word_find(const char *text, size_t length)
{
    for (size_t i = 0; i < qn_selection_word_count; i++)
        if (is_word(text, length, qn_selection_words[i].word)) return &qn_selection_words[i];
    return NULL;
}

int qn_selection_same_find(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof same_words / sizeof same_words[0]; i++)
        if (is_word(text, length, same_words[i].word)) return (int)same_words[i].property;
    const qn_selection_word *word = qn_selection_word_find(text, length);
    bool known = word && (word->role == QN_ROLE_TEXT || word->role == QN_ROLE_NUMBER);
    return known && word->what < QN_PROPERTY_X ? word->what : -1;
}

const char *qn_selection_word_nearest(const char *text, size_t length)
{
    const char *words[sizeof qn_selection_words / sizeof qn_selection_words[0]];
    char copy[48];
    size_t count = 0;
    if (length == 0 || length >= sizeof copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    for (size_t i = 0; i < qn_selection_word_count; i++) {
        if (qn_selection_words[i].role == QN_ROLE_FOREIGN) continue;
        if (strcasecmp(copy, qn_selection_words[i].word) == 0) return qn_selection_words[i].word;
        words[count++] = qn_selection_words[i].word;
    }
    return qn_nearest_word(copy, words, count);
}

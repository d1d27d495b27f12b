/* The words of the language of selections, with the spellings of other programs. */
#ifndef QN_SELECTION_WORDS_H
#define QN_SELECTION_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "selection/tree.h"

typedef enum qn_selection_role {
    QN_ROLE_ALL,
    QN_ROLE_NONE,
    QN_ROLE_CLASS,    /* what: a qn_residue_class */
    QN_ROLE_NO_CLASS, /* what: a qn_residue_class; atoms that do not belong to it */
    QN_ROLE_TEXT,     /* what: a property; patterns follow */
    QN_ROLE_NUMBER,   /* what: a property; numbers or a comparison follow */
    QN_ROLE_GROUP,
    QN_ROLE_WITHIN,
    QN_ROLE_AROUND,    /* as within, but without the atoms of the child */
    QN_ROLE_AROUND_OF, /* the same, with `of` after the radius */
    QN_ROLE_SAME,
    QN_ROLE_SAME_SHORT, /* what: a property; `same … as` in one word */
    QN_ROLE_BONDED,
    QN_ROLE_PROPERTY_NEXT, /* `prop` before a property: no effect */
    QN_ROLE_ABSOLUTE,
    QN_ROLE_AND,
    QN_ROLE_OR,
    QN_ROLE_NOT,
    QN_ROLE_TO,
    QN_ROLE_OF,
    QN_ROLE_AS,
    QN_ROLE_FOREIGN /* a word of other programs; `hint` says what to write instead */
} qn_selection_role;

typedef struct qn_selection_word {
    const char *word;
    qn_selection_role role;
    int what;
    int first; /* number of the first atom or molecule: 1 where other programs count from 1 */
    const char *hint;
} qn_selection_word;

extern const qn_selection_word qn_selection_words[];
extern const size_t qn_selection_word_count;

/* Find a word of the language; NULL: there is no such word. */
const qn_selection_word *qn_selection_word_find(const char *text, size_t length);

/* Find a property that may stand between `same` and `as`; -1: none. */
int qn_selection_same_find(const char *text, size_t length);

/* The known word that equals `text` apart from letter case, or else is most similar; NULL: no word is similar. */
const char *qn_selection_word_nearest(const char *text, size_t length);

#endif

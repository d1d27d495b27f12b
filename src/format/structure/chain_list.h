/* The chains of a file, and the chains that the user asked for. */
#ifndef QN_FORMAT_STRUCTURE_CHAIN_LIST_H
#define QN_FORMAT_STRUCTURE_CHAIN_LIST_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>

/* Zero-initialise; release with qn_chain_list_clear. */
typedef struct qn_chain_list {
    char (*names)[8];
    size_t count, capacity;
} qn_chain_list;

bool qn_chain_list_has(const qn_chain_list *list, const char *name);
/* Add a name that is not in the list yet; other names change nothing. */
QN_MUST_CHECK qn_status qn_chain_list_add(qn_chain_list *list, const char *name);
void qn_chain_list_clear(qn_chain_list *list);

typedef struct qn_chain_selection {
    qn_chain_list wanted; /* empty: all */
    char whole[8];        /* a text such as "AB", which may be one name or two; else "" */
} qn_chain_selection;

/* "A,BB" and ",BB" are names; "AB" is one name when the file has such a chain, else letters. NULL selects all. */
QN_MUST_CHECK qn_status qn_chain_selection_parse(const char *file, const char *text, qn_chain_selection *selection);
void qn_chain_selection_clear(qn_chain_selection *selection);

bool qn_chain_selection_has(const qn_chain_selection *selection, const char *chain);

/* QN_NOT_FOUND when a wanted chain is not in `present`; the message lists the chains in `present`. */
QN_MUST_CHECK qn_status qn_chain_selection_check(const char *file, const qn_chain_selection *selection,
                                                 const qn_chain_list *present);

#endif

/* Written pages of HTML read back. */
#ifndef QN_TESTS_HTML_PAGE_H
#define QN_TESTS_HTML_PAGE_H

#include <stddef.h>

/* Every element closed in order, every attribute quoted, no stray < > & between. */
int html_is_balanced(const char *page);

size_t html_occurrences(const char *text, const char *part);

/* The number that an attribute of the tag that `tag` begins with has; NaN: none. */
double html_attribute(const char *tag, const char *name);

#endif

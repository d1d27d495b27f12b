/* Reads HTML pages, to check those that a program wrote. */
#ifndef QN_TESTS_HTML_PAGE_H
#define QN_TESTS_HTML_PAGE_H

#include <stddef.h>

/* Returns nonzero if elements are closed in order, attributes are quoted and no stray < > & stands between them. */
int html_is_balanced(const char *page);

size_t html_occurrences(const char *text, const char *part);

/* Value of the attribute `name` of the tag at `tag`, as a number; NaN: none. */
double html_attribute(const char *tag, const char *name);

/* The text of the attribute, without the quote before it; "": none. */
const char *html_value(const char *tag, const char *name);

/* A byte, or a 16-bit integer with its sign, of base64 text (RFC 4648); -1 or 65536: there is none. */
int html_byte(const char *text, size_t index);
int html_integer(const char *text, size_t index);

#endif

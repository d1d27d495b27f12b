/* Text and numbers for HTML and SVG. Every text of a caller goes through qn_markup_text. */
#ifndef QN_REPORT_MARKUP_H
#define QN_REPORT_MARKUP_H

#include "base/text.h"

/* Append `string` with < > & " ' as references, so it is safe between tags and inside quoted attributes. Control
 * characters are dropped (tab and line break stay) and bytes that are not UTF-8 become U+FFFD. NULL is empty. */
QN_MUST_CHECK qn_status qn_markup_text(qn_text *markup, const char *string);

/* qn_markup_text, with text between `back quotes` set as code. */
QN_MUST_CHECK qn_status qn_markup_prose(qn_text *markup, const char *string);

/* Begin <figcaption>: a title in bold, and a caption for qn_markup_prose, or NULL. The caller ends the tag. */
QN_MUST_CHECK qn_status qn_markup_caption(qn_text *markup, const char *title, const char *caption);

/* Bytes of the well-formed UTF-8 character at `text`; 0 when it is not one (RFC 3629: no overlong form, no surrogate,
 * nothing above U+10FFFF). */
size_t qn_markup_character_bytes(const unsigned char *text);

/* Append a coordinate with at most `decimals` (0 … 6) decimals and no superfluous zero: "12.5", ".5", "-3". |value| <
 * 1e9. */
QN_MUST_CHECK qn_status qn_markup_coordinate(qn_text *markup, double value, int decimals);

/* ` name="value"` with a coordinate of one decimal. */
QN_MUST_CHECK qn_status qn_markup_position(qn_text *markup, const char *name, double value);

/* Append a value for readers, with `digits` significant digits and a minus sign; "–" if it is not finite. */
QN_MUST_CHECK qn_status qn_markup_value(qn_text *markup, double value, int digits);

/* Bytes as base64 (RFC 4648), for data URLs. */
QN_MUST_CHECK qn_status qn_markup_base64(qn_text *markup, const void *bytes, size_t size);

/* Characters (not bytes) of a UTF-8 text. */
size_t qn_markup_length(const char *string);

#endif

/* Words, numbers and signs of the script and the library language. `#` begins a comment up to the end of its line.
 *
 * The end of a line is a token, because it ends an item of a script; between parentheses it is not. Thread rule: one
 * thread for each lexer. */
#ifndef QN_FUSE_LANGUAGE_LEXER_H
#define QN_FUSE_LANGUAGE_LEXER_H

#include <stdbool.h>

#include "fuse/language/arena.h"
#include "fuse/language/source.h"

typedef enum qn_token_kind {
    QN_TOKEN_END,
    QN_TOKEN_LINE_END, /* also ";" */
    QN_TOKEN_NAME,
    QN_TOKEN_NUMBER,
    QN_TOKEN_SIGN
} qn_token_kind;

typedef struct qn_token {
    qn_token_kind kind;
    size_t offset, length;
    const char *text; /* of a name or a sign; in the arena */
    double number;
} qn_token;

typedef struct qn_lexer {
    const qn_source *source;
    qn_arena *arena;
    size_t next;
    int depth;         /* of open parentheses */
    bool skip_lines;   /* the library language: lines have no meaning */
    qn_token token;    /* the present one */
    qn_token previous; /* the one before it */
} qn_lexer;

/* Begin, at the first token. */
QN_MUST_CHECK qn_status qn_lexer_start(const qn_source *source, bool skip_lines, qn_arena *arena, qn_lexer *lexer);

/* Go on to the next token. */
QN_MUST_CHECK qn_status qn_lexer_advance(qn_lexer *lexer);

/* Whether the present token is the sign or the name. */
bool qn_lexer_is(const qn_lexer *lexer, const char *text);

/* If it is, go on, and set *taken. */
QN_MUST_CHECK qn_status qn_lexer_take(qn_lexer *lexer, const char *text, bool *taken);

/* Go past the sign or name; a failure if it is another one. */
QN_MUST_CHECK qn_status qn_lexer_expect(qn_lexer *lexer, const char *text);

/* Fail at the present token: found it; expected `expected`. */
qn_status qn_lexer_fail(const qn_lexer *lexer, const char *expected);

/* Take a name. `meaning` says what it names, for the message. */
QN_MUST_CHECK qn_status qn_lexer_take_name(qn_lexer *lexer, const char *meaning, qn_token *name);

/* With the present token "{": take all text up to the brace that closes it, and go past it. */
QN_MUST_CHECK qn_status qn_lexer_take_body(qn_lexer *lexer, size_t *begin, size_t *end);

/* Take the text from the present token up to the end of its line. */
QN_MUST_CHECK qn_status qn_lexer_take_line(qn_lexer *lexer, size_t *begin, size_t *end);

#endif

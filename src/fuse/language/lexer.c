#include "fuse/language/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static void skip_blanks(qn_lexer *lexer)
{
    const char *text = lexer->source->text;
    const bool lines_too = lexer->skip_lines || lexer->depth > 0;
    for (;; lexer->next++) {
        const char c = text[lexer->next];
        if (c == '#')
            while (lexer->next + 1 < lexer->source->length && text[lexer->next + 1] != '\n') lexer->next++;
        else if (!(c == ' ' || c == '\t' || c == '\r' || (lines_too && c == '\n')))
            return;
    }
}

/* A number has digits, at most one point, and an exponent; no sign, and no "inf" or "0x". */
static qn_status read_number(qn_lexer *lexer, qn_token *token)
{
    const char *begin = lexer->source->text + lexer->next, *end = begin;
    char digits[64];
    while (isdigit((unsigned char)*end)) end++;
    if (*end == '.' && end[1] != '*') end++;
    while (isdigit((unsigned char)*end)) end++;
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1 + (end[1] == '-' || end[1] == '+');
        if (isdigit((unsigned char)*exponent)) {
            end = exponent;
            while (isdigit((unsigned char)*end)) end++;
        }
    }
    const bool has_f = lexer->skip_lines && *end == 'f'; /* kernels write float constants so */
    token->kind = QN_TOKEN_NUMBER;
    token->length = (size_t)(end - begin) + has_f;
    if (has_f) end++;
    if (is_name_start(*end))
        return QN_SOURCE_FAIL(lexer->source, lexer->next + token->length,
                              "found \"%c\" after a number; expected an operator", *end);
    if (token->length >= sizeof digits)
        return QN_SOURCE_FAIL(lexer->source, lexer->next, "found a number of %zu digits; expected at most %zu",
                              token->length, sizeof digits - 1);
    memcpy(digits, begin, token->length);
    digits[token->length] = '\0';
    token->number = strtod(digits, NULL);
    if (token->number > 3.402823466e38)
        return QN_SOURCE_FAIL(lexer->source, lexer->next, "found %s; expected a number that float32 holds", digits);
    return QN_OK;
}

static qn_status read_sign(qn_lexer *lexer, qn_token *token)
{
    static const char *const signs[] = {".*", "+=", "->", "+", "-", "*", "/", "'", "=",
                                        "<",  ">",  "(",  ")", "{", "}", ",", ":"};
    const char *at = lexer->source->text + lexer->next;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        token->length = strlen(signs[i]);
        if (strncmp(at, signs[i], token->length) != 0) continue;
        token->kind = QN_TOKEN_SIGN;
        token->text = signs[i];
        return QN_OK;
    }
    if (*at >= ' ' && *at <= '~')
        return QN_SOURCE_FAIL(lexer->source, lexer->next, "found \"%c\"; expected a name, a number or an operator",
                              *at);
    return QN_SOURCE_FAIL(lexer->source, lexer->next, "found the byte 0x%02x; expected a name, a number or an operator",
                          (unsigned char)*at);
}

qn_status qn_lexer_advance(qn_lexer *lexer)
{
    const char *text = lexer->source->text;
    lexer->previous = lexer->token;
    skip_blanks(lexer);
    qn_token token = {.offset = lexer->next};
    const char c = text[lexer->next];
    if (lexer->next >= lexer->source->length) {
        token.kind = QN_TOKEN_END;
    } else if (c == '\n' || c == ';') {
        token.kind = QN_TOKEN_LINE_END;
        token.length = 1;
        token.text = c == ';' ? ";" : "";
    } else if (isdigit((unsigned char)c)) {
        QN_TRY(read_number(lexer, &token));
    } else if (is_name_start(c)) {
        token.kind = QN_TOKEN_NAME;
        while (is_name_start(text[lexer->next + token.length]) ||
               isdigit((unsigned char)text[lexer->next + token.length]))
            token.length++;
        QN_TRY(qn_arena_copy_text(lexer->arena, text + lexer->next, token.length, &token.text));
    } else {
        QN_TRY(read_sign(lexer, &token));
    }
    if (token.kind == QN_TOKEN_SIGN && token.text[0] == '(') lexer->depth++;
    if (token.kind == QN_TOKEN_SIGN && token.text[0] == ')' && lexer->depth > 0) lexer->depth--;
    lexer->next += token.length;
    lexer->token = token;
    return QN_OK;
}

qn_status qn_lexer_start(const qn_source *source, bool skip_lines, qn_arena *arena, qn_lexer *lexer)
{
    *lexer = (qn_lexer){.source = source, .arena = arena, .skip_lines = skip_lines};
    return qn_lexer_advance(lexer);
}

bool qn_lexer_is(const qn_lexer *lexer, const char *text)
{
    const qn_token *token = &lexer->token;
    return token->text &&
           (token->kind == QN_TOKEN_NAME || token->kind == QN_TOKEN_SIGN || token->kind == QN_TOKEN_LINE_END) &&
           strcmp(token->text, text) == 0;
}

qn_status qn_lexer_take(qn_lexer *lexer, const char *text, bool *taken)
{
    *taken = qn_lexer_is(lexer, text);
    return *taken ? qn_lexer_advance(lexer) : QN_OK;
}

qn_status qn_lexer_fail(const qn_lexer *lexer, const char *expected)
{
    const qn_token *token = &lexer->token;
    if (token->kind == QN_TOKEN_END)
        return QN_SOURCE_FAIL(lexer->source, token->offset, "found the end of the file; expected %s", expected);
    if (token->kind == QN_TOKEN_LINE_END && !token->text[0])
        return QN_SOURCE_FAIL(lexer->source, token->offset, "found the end of the line; expected %s", expected);
    return QN_SOURCE_FAIL(lexer->source, token->offset, "found \"%.*s\"; expected %s",
                          token->length > 60 ? 60 : (int)token->length, lexer->source->text + token->offset, expected);
}

qn_status qn_lexer_expect(qn_lexer *lexer, const char *text)
{
    char expected[32];
    if (qn_lexer_is(lexer, text)) return qn_lexer_advance(lexer);
    snprintf(expected, sizeof expected, "\"%s\"", text);
    return qn_lexer_fail(lexer, expected);
}

qn_status qn_lexer_take_name(qn_lexer *lexer, const char *meaning, qn_token *name)
{
    if (lexer->token.kind != QN_TOKEN_NAME) return qn_lexer_fail(lexer, meaning);
    *name = lexer->token;
    return qn_lexer_advance(lexer);
}

qn_status qn_lexer_take_body(qn_lexer *lexer, size_t *begin, size_t *end)
{
    const char *text = lexer->source->text;
    size_t at = lexer->next;
    int depth = 1;
    if (!qn_lexer_is(lexer, "{")) return qn_lexer_fail(lexer, "\"{\"");
    for (; depth > 0; at++) {
        if (at >= lexer->source->length)
            return QN_SOURCE_FAIL(lexer->source, lexer->token.offset,
                                  "found a \"{\" without its end; expected \"}\" before the end of the file");
        depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    }
    *begin = lexer->next;
    *end = at - 1;
    lexer->next = at;
    return qn_lexer_advance(lexer);
}

qn_status qn_lexer_take_line(qn_lexer *lexer, size_t *begin, size_t *end)
{
    const char *text = lexer->source->text;
    *begin = *end = lexer->token.offset;
    while (*end < lexer->source->length && text[*end] != '\n' && text[*end] != '#') ++*end;
    lexer->next = *end;
    lexer->depth = 0;
    while (*end > *begin && (text[*end - 1] == ' ' || text[*end - 1] == ';' || text[*end - 1] == '\r')) --*end;
    return qn_lexer_advance(lexer);
}

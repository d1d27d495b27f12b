#include "base/nearest_word.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 48 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Number of edits that turn one word into the other; swapping two neighbours is one edit (Damerau 1964). Both words are
 * shorter than WORD_MAX. Three rows of the dynamic programming table are used in turn. */
static size_t edit_distance(const char *from, const char *to)
{
    size_t rows[3][WORD_MAX];
    const size_t height = strlen(from), width = strlen(to);
    for (size_t column = 0; column <= width; column++) rows[0][column] = column;
    for (size_t row = 1; row <= height; row++) {
        const size_t *two_above = rows[(row + 1) % 3], *above = rows[(row - 1) % 3];
        size_t *here = rows[row % 3];
        here[0] = row;
        for (size_t column = 1; column <= width; column++) {
            const bool differ = from[row - 1] != to[column - 1];
            const bool swapped =
                row > 1 && column > 1 && from[row - 1] == to[column - 2] && from[row - 2] == to[column - 1];
            here[column] = least(above[column - 1] + differ, least(above[column], here[column - 1]) + 1);
            if (swapped) here[column] = least(here[column], two_above[column - 2] + 1);
        }
    }
    return rows[height % 3][width];
}

const char *qn_nearest_word(const char *text, const char *const *words, size_t count)
{
    const size_t length = strlen(text);
    const char *nearest = NULL;
    size_t fewest = WORD_MAX;
    if (length == 0 || length >= WORD_MAX) return NULL;
    for (size_t i = 0; i < count; i++) {
        const size_t other = strlen(words[i]), longer = other > length ? other : length;
        if (other >= WORD_MAX) continue;
        const bool begins = length >= 3 && strncmp(text, words[i], length) == 0;
        const size_t distance = begins ? 0 : edit_distance(text, words[i]);
        if (distance > longer / 3 || distance >= fewest) continue;
        nearest = words[i];
        fewest = distance;
    }
    return nearest;
}

qn_expected_words qn_expect_words(const char *text, const char *const *words, size_t count)
{
    enum { ROOM_BEHIND = 96 }; /* for the dots and the hint */
    qn_expected_words expected = {"expected one of:"};
    const char *nearest = qn_nearest_word(text, words, count);
    size_t used = strlen(expected.text);
    for (size_t i = 0; i < count; i++) {
        const bool fits = used + 1 + strlen(words[i]) + ROOM_BEHIND < sizeof expected.text;
        used += (size_t)snprintf(expected.text + used, sizeof expected.text - used, " %s", fits ? words[i] : "...");
        if (!fits) break;
    }
    if (nearest) snprintf(expected.text + used, sizeof expected.text - used, " (did you mean \"%s\"?)", nearest);
    return expected;
}

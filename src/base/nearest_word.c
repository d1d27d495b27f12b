#include "base/nearest_word.h"

#include <stdbool.h>
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
    size_t fewest = 1 + length / 3; /* words that need more edits are not similar */
    if (length == 0 || length >= WORD_MAX) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) >= WORD_MAX) continue;
        const size_t distance = edit_distance(text, words[i]);
        if (distance > fewest || (nearest && distance == fewest)) continue;
        nearest = words[i];
        fewest = distance;
    }
    return nearest;
}

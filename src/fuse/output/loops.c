/* Kernels as loops of C. A group is one work-item, so the numbers of work-items are 0, their counts 1, and barriers
 * have nothing to wait for. What is replaced here makes the text shorter; it means the same without. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuse/output/code.h"
#include "fuse/output/words.h"

/* ---- replacing ---- */

typedef struct replacement {
    const char *from, *to;
} replacement;

static const replacement replacements[] = {
    {"KERNEL GROUP_LIMIT(GROUP_X, GROUP_Y, 1)", "static"},
    {"KERNEL GROUP_LIMIT(ITEMS, 1, 1)", "static"},
    {"GLOBAL ", ""},
    {"LOCAL ", ""},
    {"LOCAL_PTR ", ""},
    {"RESTRICT", "restrict"},
    {"qn_int64", "int64_t"},
    {"GROUP_ID(0)", "group"},
    {"GROUP_COUNT(0)", "groups"},
    {"t = y;", "t = 0;"},
    {"t = item;", "t = 0;"},
    {"t += GROUP_Y", "t++"},
    {"t += ITEMS", "t++"},
    {"part = item;", "part = 0;"},
    {"part += ITEMS", "part++"},
    {"e * GROUP_X + x;", "e;"},
    {"GROUP_X * ELEMENTS", "ELEMENTS"},
    {" - item + ITEMS - 1) / ITEMS", ")"},
    {" && item == 0", ""},
    {"if (item == 0) ", ""},
    {" && y == 0", ""},
};

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* Whether `from` is at a place, and not a part of a longer word. */
static bool is_at(const char *begin, const char *at, const char *from)
{
    const size_t length = strlen(from);
    if (strncmp(at, from, length) != 0) return false;
    if (is_letter(from[0]) && at > begin && is_letter(at[-1])) return false;
    return !is_letter(from[length - 1]) || !is_letter(at[length]);
}

static qn_status replace(const char *all, const replacement *one, qn_text *text)
{
    for (const char *at = all; *at;) {
        if (is_at(all, at, one->from)) {
            QN_TRY(qn_text_append(text, "%s", one->to));
            at += strlen(one->from);
        } else {
            QN_TRY(qn_text_append_bytes(text, at++, 1));
        }
    }
    return QN_OK;
}

static qn_status replace_all(qn_text *text)
{
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
        qn_text next = {0};
        const qn_status status = replace(text->data, &replacements[i], &next);
        qn_text_clear(text);
        *text = next;
        QN_TRY(status);
    }
    return QN_OK;
}

/* ---- leaving out ---- */

static size_t line_length(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? (size_t)(end + 1 - line) : strlen(line);
}

/* Where the block ends that a line is in: at a brace that is further to the left. */
static const char *block_end(const char *line)
{
    const size_t indent = strspn(line, " ");
    const char *at = line + line_length(line);
    while (*at && !(strspn(at, " ") < indent && at[strspn(at, " ")] == '}')) at += line_length(at);
    return at;
}

/* A variable that nothing reads. */
static bool is_unused(const char *line)
{
    static const char *const types[] = {"const int64_t ", "const qn_int64 ", "const int ", "const float "};
    const char *word = line + strspn(line, " ");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *name = word + strlen(types[i]);
        if (strncmp(word, types[i], strlen(types[i])) != 0 || !is_letter(*name)) continue;
        const char *after = line + line_length(line);
        size_t length = 0;
        while (is_letter(name[length])) length++;
        return strncmp(name + length, " = ", 3) == 0 &&
               !qn_words_occur(after, (size_t)(block_end(line) - after), name, length);
    }
    return false;
}

/* "a = sum_of_group(share, item, a);" and the like, which one work-item need not do. */
static bool is_group_sum(const char *line)
{
    static const char *const names[] = {" = sum_of_group(", " = least_of_group(", " = greatest_of_group("};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *found = strstr(line, names[i]);
        if (found && found < line + line_length(line)) return true;
    }
    return false;
}

static bool is_left_out(const char *line)
{
    const char *word = line + strspn(line, " ");
    if (is_group_sum(line) || strncmp(word, "float share[ITEMS];", 19) == 0) return true;
    return strncmp(word, "const int x = LOCAL_ID", 22) == 0 || strncmp(word, "const int group = ", 18) == 0 ||
           strncmp(word, "const int item = LOCAL_ID", 25) == 0 || strncmp(word, "LOCAL_BARRIER();", 16) == 0 ||
           strncmp(word, "UNROLL\n", 7) == 0;
}

static qn_status leave_out(bool (*is_out)(const char *line), qn_text *text)
{
    qn_text kept = {0};
    qn_status status = QN_OK;
    for (const char *line = text->data; *line && status == QN_OK; line += line_length(line))
        if (!is_out(line)) status = qn_text_append_bytes(&kept, line, line_length(line));
    qn_text_clear(text);
    *text = kept;
    return status;
}

/* ---- vectors ---- */

/* "LANES_SUM_2(a, b)", a line of its own, is OpenMP's pragma, and "EACH_ELEMENT(count)" is a loop. */
static qn_status write_line(const char *line, qn_text *text)
{
    static const char each[] = "EACH_ELEMENT(";
    const char *word = line + strspn(line, " "), *end = line + line_length(line);
    if (strncmp(word, "LANES\n", 6) == 0) return qn_text_append(text, "#pragma omp simd\n");
    if (strncmp(word, "QN_SIMD(", 8) == 0)
        return qn_text_append(text, "#pragma %.*s\n", (int)(end - word) - 10, word + 8); /* up to ")", and a line end */
    if (strncmp(word, "LANES_SUM_", 10) == 0) {
        const char *sums = strchr(word, '(') + 1;
        return qn_text_append(text, "#pragma omp simd reduction(+ : %.*s)\n", (int)strcspn(sums, ")"), sums);
    }
    const char *found = strstr(line, each), *count = found ? found + strlen(each) : NULL;
    if (!found || found >= end || *line == '#') return qn_text_append_bytes(text, line, (size_t)(end - line));
    const size_t length = strcspn(count, ")");
    QN_TRY(qn_text_append(text, "%.*sfor (int e = 0; e < %.*s; e++)", (int)(found - line), line, (int)length, count));
    return qn_text_append_bytes(text, count + length + 1, (size_t)(end - (count + length + 1)));
}

static qn_status make_vectors(qn_text *text)
{
    qn_text made = {0};
    qn_status status = QN_OK;
    for (const char *line = text->data; *line && status == QN_OK; line += line_length(line))
        status = write_line(line, &made);
    qn_text_clear(text);
    *text = made;
    return status;
}

/* Lines that declare several numbers, and what they are without one that nothing reads. */
static const struct {
    const char *all, *less, *name;
} numbers[] = {
    {"const int x = LOCAL_ID(0), y = LOCAL_ID(1), item = y * GROUP_X + x;\n",
     "const int x = LOCAL_ID(0), y = LOCAL_ID(1);\n", "item"},
    {"const int group = GROUP_ID(0), groups = GROUP_COUNT(0);\n", "const int group = GROUP_ID(0);\n", "groups"},
    {"const int group = GROUP_ID(0), groups = GROUP_COUNT(0), item = LOCAL_ID(0);\n",
     "const int group = GROUP_ID(0), item = LOCAL_ID(0);\n", "groups"},
};

static qn_status shorten_line(const char *line, qn_text *text)
{
    const char *word = line + strspn(line, " "), *after = line + line_length(line);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strncmp(word, numbers[i].all, strlen(numbers[i].all)) == 0 &&
            !qn_words_occur(after, (size_t)(block_end(line) - after), numbers[i].name, strlen(numbers[i].name)))
            return qn_text_append(text, "%.*s%s", (int)(word - line), line, numbers[i].less);
    return qn_text_append_bytes(text, line, line_length(line));
}

static qn_status shorten_numbers(qn_text *text)
{
    qn_text kept = {0};
    qn_status status = QN_OK;
    for (const char *line = text->data; *line && status == QN_OK; line += line_length(line))
        status = shorten_line(line, &kept);
    qn_text_clear(text);
    *text = kept;
    return status;
}

qn_status qn_code_leave_out_unused(qn_text *text)
{
    QN_TRY(shorten_numbers(text));
    /* a variable may be the last reader of another one */
    for (size_t before = text->length + 1; text->length < before;) {
        before = text->length;
        QN_TRY(leave_out(is_unused, text));
    }
    return QN_OK;
}

/* ---- functions of a group ---- */

bool qn_code_counts_groups(const char *kernels, const char *kernel)
{
    char begin[QN_CODE_NAME_MAX + 16];
    snprintf(begin, sizeof begin, " void %s(", kernel);
    const char *found = strstr(kernels, begin), *end = found ? strstr(found, "\n}\n") : NULL;
    return end && qn_words_occur(found, (size_t)(end - found), "groups", 6);
}

/* Kernels get the number of their group, and the count of groups where they need it. */
static qn_status add_group_arguments(const qn_code *code, const char *kernels, qn_text *text)
{
    const char *at = kernels;
    for (int kernel = 0; kernel < code->plan->kernel_count; kernel++) {
        char begin[QN_CODE_NAME_MAX + 16];
        snprintf(begin, sizeof begin, " void %s(", code->kernels[kernel].name);
        const char *found = strstr(at, begin);
        if (!found) continue;
        found += strlen(begin);
        QN_TRY(qn_text_append_bytes(text, at, (size_t)(found - at)));
        QN_TRY(qn_text_append(text, qn_code_counts_groups(kernels, code->kernels[kernel].name)
                                        ? "int group, int groups,"
                                        : "int group,"));
        at = found;
    }
    return qn_text_append(text, "%s", at);
}

qn_status qn_code_make_loops(const qn_code *code, const char *kernels, qn_text *text)
{
    qn_text loops = {0};
    qn_status status = qn_text_append(&loops, "%s", kernels);
    if (status == QN_OK) status = replace_all(&loops);
    if (status == QN_OK) status = make_vectors(&loops);
    if (status == QN_OK) status = leave_out(is_left_out, &loops);
    if (status == QN_OK) status = qn_code_leave_out_unused(&loops);
    if (status == QN_OK) status = add_group_arguments(code, loops.data, text);
    qn_text_clear(&loops);
    return status;
}

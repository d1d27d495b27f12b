/* Every result that comes with the library matches the present source of its family: a stale result is never used. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "tune/session.h"
#include "tune/shipped.h"

static const qn_family *find_family(const char *name)
{
    size_t count;
    const qn_family *const *families = qn_family_list(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

/* scripts/restamp-tuned reads the lines that this prints. */
static int count_results(const char *text)
{
    char driver[32] = "", name[128], source[QN_TUNE_SOURCE_DIGITS + 1], today[QN_TUNE_SOURCE_DIGITS + 1];
    int results = 0;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (*line == '#' || *line == '\n' || sscanf(line, "device %31[^\t]", driver) == 1) continue;
        results++;
        if (!CHECK(sscanf(line, "%127[^\t]\t%16[0-9a-f]\t", name, source) == 2)) continue;
        const qn_family *family = find_family(name);
        if (!CHECK(family != NULL)) fprintf(stderr, "  %s is not a family\n", name);
        if (!family || !CHECK_OK(qn_tune_source_hash(family, NULL, driver, today))) continue;
        if (!CHECK(strcmp(source, today) == 0)) printf("stale %s %s %s\n", name, source, today);
    }
    return results;
}

static void shipped_results_match_the_present_sources(void)
{
    int results = 0;
    for (size_t i = 0; qn_tuned_texts[i]; i++) results += count_results(qn_tuned_texts[i]);
    CHECK(results > 0);
}

/* The hash of a family with this text. */
static void hash_of(const char *text, char digits[QN_TUNE_SOURCE_DIGITS + 1])
{
    const qn_family family = {
        .name = "test/hash", .source = text, .source_path = "test/kernels/hash.cl", .without_prelude = true};
    CHECK_OK(qn_tune_source_hash(&family, NULL, "opencl", digits));
}

static bool is_same(const char *first, const char *second)
{
    char a[QN_TUNE_SOURCE_DIGITS + 1], b[QN_TUNE_SOURCE_DIGITS + 1];
    hash_of(first, a);
    hash_of(second, b);
    return strcmp(a, b) == 0;
}

static void comments_and_blanks_do_not_change_a_hash(void)
{
    const char *code = "#define N 4\nvoid f(int a)\n{\n    g(a + 1);\n}\n";
    CHECK(is_same(code,
                  "#line 1 \"a.cl\"\n#define N 4\n\n/* Add\n one. */\nvoid f(int a)\n{ // begin\n\tg(a  +  1);\n}\n"));
    CHECK(is_same("a b", "a/* and */b"));
    CHECK(!is_same(code, "#define N 5\nvoid f(int a)\n{\n    g(a + 1);\n}\n"));
    CHECK(!is_same("a b", "ab"));
    CHECK(!is_same("g(\"a//b\")", "g(\"a//c\")"));
    CHECK(!is_same("g(\"a  b\")", "g(\"a b\")"));
    CHECK(!is_same("a / b", "a b"));
    CHECK(!is_same("a /* b", "a /* c")); /* a comment without an end is code that does not compile */
}

int main(void)
{
    RUN(comments_and_blanks_do_not_change_a_hash);
    RUN(shipped_results_match_the_present_sources);
    return check_finish();
}

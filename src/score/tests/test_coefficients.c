/* Coefficient sets by name and from files: values that are read, and messages for malformed files. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "score/coefficients.h"

static const char *const plain_names[] = {"balanced", "electrostatic", "neutral"};

static qn_status write_to(const char *name, const char *text, size_t size, char path[1100])
{
    snprintf(path, 1100, "%s/%s", check_scratch_folder(), name);
    return qn_file_write(path, text, size);
}

static void shipped_sets_are_found_by_name(void)
{
    for (size_t i = 0; i < sizeof plain_names / sizeof *plain_names; i++) {
        qn_coefficients *sets;
        size_t count;
        if (!CHECK_OK(qn_coefficients_find(plain_names[i], &sets, &count))) continue;
        CHECK(count == 1);
        CHECK_TEXT(sets[0].name, plain_names[i]);
        CHECK(!sets[0].cdrs_only);
        /* overlap has a positive energy, contact a negative one, and opposite charges attract */
        CHECK(sets[0].repulsion * sets[0].core > 0 && sets[0].attraction < 0 && sets[0].electrostatic > 0);
        CHECK(sets[0].reach_angstrom > 0 && sets[0].length_angstrom > 0 && sets[0].cap > 0);
        qn_release(&sets);
    }
}

/* Whether `sets` has a set with this name that equals the shipped one, except for cdrs_only. */
static bool holds(const qn_coefficients *sets, size_t count, const char *name, bool cdrs_only)
{
    qn_coefficients *shipped;
    size_t one;
    bool found = false;
    if (!CHECK_OK(qn_coefficients_find(name, &shipped, &one))) return false;
    for (size_t i = 0; i < count; i++)
        if (strcmp(sets[i].name, name) == 0)
            found = sets[i].cdrs_only == cdrs_only && sets[i].repulsion == shipped->repulsion &&
                    sets[i].attraction == shipped->attraction && sets[i].electrostatic == shipped->electrostatic &&
                    sets[i].pair == shipped->pair && sets[i].core == shipped->core;
    qn_release(&shipped);
    return found;
}

static void families_are_found_by_name(void)
{
    qn_coefficients *sets;
    size_t count;
    if (CHECK_OK(qn_coefficients_find("others", &sets, &count))) {
        for (size_t i = 0; i < sizeof plain_names / sizeof *plain_names; i++)
            CHECK(holds(sets, count, plain_names[i], false));
        qn_release(&sets);
    }
    if (CHECK_OK(qn_coefficients_find("antibody", &sets, &count))) {
        CHECK(count > 0);
        for (size_t i = 0; i < count; i++) CHECK(sets[i].cdrs_only);
        qn_release(&sets);
    }
}

static void lists_keep_their_order(void)
{
    qn_coefficients *sets;
    size_t count;
    static const char text[] = "z 1 2 3 4 5 6 7 8\na 1 2 3 4 5 6 7 8";
    char path[1100], list[1200];
    CHECK_OK(write_to("order.txt", text, sizeof text - 1, path));
    snprintf(list, sizeof list, "neutral,%s,balanced", path);
    if (!CHECK_OK(qn_coefficients_find(list, &sets, &count))) return;
    CHECK(count == 4);
    CHECK_TEXT(sets[0].name, "neutral");
    CHECK_TEXT(sets[1].name, "z");
    CHECK_TEXT(sets[2].name, "a");
    CHECK_TEXT(sets[3].name, "balanced");
    qn_release(&sets);
}

static void files_are_read(void)
{
    static const char text[] = "# name w_rep w_attr w_elec w_pair reach D core cap\r\n"
                               "\r\n"
                               "   \t \r\n"
                               "\tfirst-set_1  0.40\t-0.5 2.5e2 +1 4.8 4.0 125 none # all\r\n"
                               "#second 1 1 1 1 1 1 1 1\r\n"
                               "2 -1e6 1000000 0 .5 0 100 0 17.5#no blank";
    qn_coefficients *sets;
    size_t count;
    char path[1100];
    CHECK_OK(write_to("good.txt", text, sizeof text - 1, path));
    if (!CHECK_OK(qn_coefficients_read(path, &sets, &count)) || !CHECK(count == 2)) return;
    CHECK_TEXT(sets[0].name, "first-set_1");
    CHECK(sets[0].repulsion == 0.4 && sets[0].attraction == -0.5 && sets[0].electrostatic == 250 && sets[0].pair == 1);
    CHECK(sets[0].reach_angstrom == 4.8 && sets[0].length_angstrom == 4 && sets[0].core == 125);
    CHECK(sets[0].cap == (double)INFINITY && !sets[0].cdrs_only);
    CHECK_TEXT(sets[1].name, "2");
    CHECK(sets[1].repulsion == -1e6 && sets[1].attraction == 1e6 && sets[1].electrostatic == 0 && sets[1].pair == 0.5);
    CHECK(sets[1].reach_angstrom == 0 && sets[1].length_angstrom == 100 && sets[1].core == 0 && sets[1].cap == 17.5);
    qn_release(&sets);
}

/* The second line of a file, and parts of its message. The path is checked separately, as the folder is not known
 * here. */
static const struct {
    const char *line, *says[3];
} malformed[] = {
    {"a 1 -1 250 1 4.8 4 125", {"ends before cap", "expected name w_rep w_attr"}},
    {"a", {"ends before w_rep"}},
    {"a 1 -1 250 1 4.8 4 # 125 none", {"ends before core"}},
    {"a 1 -1 250 1 4.8 4 125 none 7", {"\"7\" follows cap", "expected nothing after the nine fields"}},
    {"a 1 -1 25o 1 4.8 4 125 none", {"w_elec is \"25o\"", "expected a number from -1e+06 to 1e+06"}},
    {"a 1 -1 250 1, 4.8 4 125 none", {"w_pair is \"1,\"", "expected a number"}},
    {"a nan -1 250 1 4.8 4 125 none", {"w_rep is \"nan\"", "expected a number"}},
    {"a 1 -inf 250 1 4.8 4 125 none", {"w_attr is \"-inf\"", "expected a number"}},
    {"a 1 -1 1e999 1 4.8 4 125 none", {"w_elec is \"1e999\"", "expected a number"}},
    {"a 1 -1 250 0x1p3 4.8 4 125 none", {"w_pair is \"0x1p3\"", "expected a number"}},
    {"a none -1 250 1 4.8 4 125 none", {"w_rep is \"none\"", "expected a number from -1e+06 to 1e+06"}},
    {"a 1 -1 250 1 -0.1 4 125 none", {"reach is \"-0.1\"", "expected a number from 0 to 12"}},
    {"a 1 -1 250 1 12.5 4 125 none", {"reach is \"12.5\"", "expected a number from 0 to 12"}},
    {"a 1 -1 250 1 4.8 0 125 none", {"D is \"0\"", "expected a number from 0.1 to 100"}},
    {"a 1 -1 250 1 4.8 4 -1 none", {"core is \"-1\"", "expected a number from 0 to 1e+06"}},
    {"a 1 -1 250 1 4.8 4 125 None", {"cap is \"None\"", "expected a number from 1 to 1e+06 or none"}},
    /* "none" means no cap; a cap of 0 is refused */
    {"a 1 -1 250 1 4.8 4 125 0", {"cap is \"0\"", "expected a number from 1 to 1e+06 or none"}},
    {"a 1 -1 250 1 4.8 4 125 0.000000000000000000000000000000000000000000000001", {"cap is \"0.0000"}},
    {"../a 1 -1 250 1 4.8 4 125 none", {"the name of the set is \"../a\"", "expected at most 31 letters"}},
    {"-a 1 -1 250 1 4.8 4 125 none", {"the name of the set is \"-a\"", "the first not -"}},
    {"\xc3\xa4 1 -1 250 1 4.8 4 125 none", {"the name of the set is", "expected at most 31 letters"}},
    {"abcdefghijklmnopqrstuvwxyz123456 1 -1 250 1 4.8 4 125 none", {"abcdefghijklmnopqrstuvwxyz123456", "at most 31"}},
    {"first 1 -1 250 1 4.8 4 125 none", {"\"first\" is given twice", "expected each name once"}},
};

static void malformed_lines_are_reported(void)
{
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char path[1100], text[300], place[1200];
        qn_coefficients *sets = NULL;
        size_t count = 77;
        snprintf(text, sizeof text, "first 1 -1 250 1 4.8 4 125 none\n%s\nlast 1 -1 250 1 4.8 4 125 none\n",
                 malformed[i].line);
        CHECK_OK(write_to("malformed.txt", text, strlen(text), path));
        qn_status status = qn_coefficients_read(path, &sets, &count);
        if (!CHECK(status == QN_BAD_FORMAT || status == QN_INVALID_ARGUMENT)) printf("  line: %s\n", malformed[i].line);
        CHECK(sets == NULL && count == 77);
        snprintf(place, sizeof place, "%s:2: ", path);
        CHECK_MESSAGE_HAS(place);
        for (int part = 0; part < 3 && malformed[i].says[part]; part++) CHECK_MESSAGE_HAS(malformed[i].says[part]);
    }
}

static void empty_and_absent_files_are_refused(void)
{
    static const char with_zero[] = "a\0 1 -1 250 1 4.8 4 125 none\n";
    static const char *const texts[] = {"", "\n\n", "# a 1 2 3 4 5 6 7 8\n \t\r\n"};
    char path[1100];
    qn_coefficients *sets;
    size_t count;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_OK(write_to("empty.txt", texts[i], strlen(texts[i]), path));
        CHECK_FAILS(qn_coefficients_read(path, &sets, &count), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("empty.txt: no coefficient set; expected lines of name w_rep");
        /* the same in a list, after other sets */
        char list[1200];
        snprintf(list, sizeof list, "balanced,%s", path);
        CHECK_FAILS(qn_coefficients_find(list, &sets, &count), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("empty.txt: no coefficient set");
    }
    CHECK_OK(write_to("zero.txt", with_zero, sizeof with_zero - 1, path));
    CHECK_FAILS(qn_coefficients_read(path, &sets, &count), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("zero.txt: it holds a zero byte; expected a text file");
    snprintf(path, sizeof path, "%s/absent.txt", check_scratch_folder());
    CHECK_FAILS(qn_coefficients_read(path, &sets, &count), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("absent.txt");
    CHECK_FAILS(qn_coefficients_find(path, &sets, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("absent.txt\"; expected balanced");
}

static void bad_lists_are_refused(void)
{
    static const struct {
        const char *list, *says;
    } lists[] = {
        {"balnced", "coefficients are \"balnced\"; expected balanced, electrostatic, neutral, others, antibody or"},
        {"Balanced", "\"Balanced\""},
        {"balanced,neutrl", "\"neutrl\""},
        {"", "expected names or a file, separated by single commas"},
        {",", "expected names or a file"},
        {"balanced,", "\"balanced,\"; expected names or a file"},
        {",balanced", "\",balanced\"; expected names or a file"},
        {"balanced,,neutral", "\"balanced,,neutral\"; expected names or a file"},
        {"balanced, neutral", "\" neutral\""},
        {"balanced,neutral,balanced", "\"balanced\" is given twice; expected each name once"},
        {"others,neutral", "\"neutral\" is given twice"},
        {"others,antibody", "is given twice"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        qn_coefficients *sets;
        size_t count;
        CHECK_FAILS(qn_coefficients_find(lists[i].list, &sets, &count), QN_INVALID_ARGUMENT);
        CHECK_MESSAGE_HAS(lists[i].says);
    }
}

static void at_most_64_sets_are_accepted(void)
{
    char text[4096], path[1100], list[1200];
    size_t length = 0, count;
    qn_coefficients *sets;
    for (int i = 0; i < QN_COEFFICIENTS_MAX; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "set%d 1 -1 250 1 4.8 4 125 none\n", i);
    CHECK_OK(write_to("many.txt", text, length, path));
    if (CHECK_OK(qn_coefficients_read(path, &sets, &count))) {
        CHECK(count == 64);
        CHECK_TEXT(sets[63].name, "set63");
        qn_release(&sets);
    }
    snprintf(list, sizeof list, "%s,balanced", path);
    CHECK_FAILS(qn_coefficients_find(list, &sets, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("more than 64 coefficient sets; expected at most that many");
    length += (size_t)snprintf(text + length, sizeof text - length, "# and\nonemore 1 -1 250 1 4.8 4 125 none\n");
    CHECK_OK(write_to("many.txt", text, length, path));
    CHECK_FAILS(qn_coefficients_read(path, &sets, &count), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("many.txt:66: more than 64 coefficient sets");
}

int main(void)
{
    RUN(shipped_sets_are_found_by_name);
    RUN(families_are_found_by_name);
    RUN(lists_keep_their_order);
    RUN(files_are_read);
    RUN(malformed_lines_are_reported);
    RUN(empty_and_absent_files_are_refused);
    RUN(bad_lists_are_refused);
    RUN(at_most_64_sets_are_accepted);
    return check_finish();
}

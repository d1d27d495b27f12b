#include "selection/index_file.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char *write_text(const char *text)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/groups.ndx", check_scratch_folder());
    CHECK_OK(qn_file_write(path, text, strlen(text)));
    return path;
}

static void groups_are_read_in_order(void)
{
    static const char text[] = "; made by hand\n"
                               "[ System ]\n"
                               "   1    2    3    4    5\n"
                               "   6\n"
                               "\n"
                               "[ two  words ] ; with a comment\r\n"
                               "6 2\t2 ; 3\r\n";
    qn_index_file *file;
    if (!CHECK_OK(qn_index_file_read(write_text(text), 6, &file))) return;
    CHECK(file->count == 2);
    CHECK_TEXT(file->groups[0].name, "System");
    CHECK(file->groups[0].count == 6 && file->groups[0].line == 2);
    for (uint32_t i = 0; i < 6; i++) CHECK(file->groups[0].atoms[i] == i);
    CHECK_TEXT(file->groups[1].name, "two  words");
    CHECK(file->groups[1].line == 6 && file->groups[1].count == 3);
    CHECK(file->groups[1].atoms[0] == 5 && file->groups[1].atoms[1] == 1 && file->groups[1].atoms[2] == 1);
    qn_index_file_destroy(&file);
    CHECK(!file);
}

static void malformed_files_are_refused_with_their_line(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "groups.ndx: no group; expected an index file with names such as [ Protein ]"},
        {"; nothing\n\n", "groups.ndx: no group"},
        {"1 2 3\n", "groups.ndx: line 1: \"1\" before the first group; expected its name"},
        {"[ A ]\n1\n\n2 x3\n", "groups.ndx: line 4: \"x3\" is not an atom number; expected 1 to 6"},
        {"[ A ]\n0\n", "line 2: \"0\" is not an atom number; expected 1 to 6"},
        {"[ A ]\n-1\n", "line 2: \"-1\" is not an atom number"},
        {"[ A ]\n1.5\n", "line 2: \"1.5\" is not an atom number"},
        {"[ A ]\n99999999999\n", "line 2: \"99999999999\" is not an atom number"},
        {"[ A ]\n5 6\n7\n", "line 3: there is no atom 7; expected 1 to 6, the topology's number of atoms"},
        {"[ A\n1\n", "line 1: \"[ A\" has no ]; expected the name of a group"},
        {"[ A ] 1 2\n", "line 1: \"1 2\" after the name of a group; expected the end of the line"},
        {"[ A ]\n[  ]\n", "line 2: a group without a name"},
        {"[ A ]\n1 \x01\n", "line 2: \"?\" is not an atom number"},
    };
    qn_index_file *file;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_FAILS(qn_index_file_read(write_text(cases[i].text), 6, &file), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS(cases[i].message);
        CHECK(!file);
    }
    CHECK_FAILS(qn_index_file_read("/nonexistent/groups.ndx", 6, &file), QN_NOT_FOUND);
    CHECK_MESSAGE_HAS("/nonexistent/groups.ndx");
}

static void very_long_lines_are_refused(void)
{
    size_t size = 3 << 20;
    char *text = malloc(size + 1);
    qn_index_file *file;
    if (!CHECK(text != NULL)) return;
    memset(text, ' ', size);
    memcpy(text, "[ A ]\n1", 7);
    text[size] = '\0';
    CHECK_FAILS(qn_index_file_read(write_text(text), 6, &file), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("line 2 is longer than");
    free(text);
}

int main(void)
{
    RUN(groups_are_read_in_order);
    RUN(malformed_files_are_refused_with_their_line);
    RUN(very_long_lines_are_refused);
    return check_finish();
}

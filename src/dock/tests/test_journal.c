#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "dock/journal.h"

enum { ROTATIONS = 50, PER_ROTATION = 2 };

static qn_dock_hit hits[ROTATIONS * PER_ROTATION], read_back[ROTATIONS * PER_ROTATION];
static unsigned char done[ROTATIONS];

static const qn_dock_known known = {ROTATIONS, PER_ROTATION, done, read_back};

static const char *journal_path(int rank)
{
    static char path[700];
    snprintf(path, sizeof path, "%s/journal.%d", check_scratch_folder(), rank);
    return path;
}

static void forget(void)
{
    memset(done, 0, sizeof done);
    memset(read_back, 0, sizeof read_back);
}

static qn_status open_again(const char *key, qn_dock_journal **journal)
{
    forget();
    return qn_dock_journal_open(check_scratch_folder(), 0, key, true, &known, journal);
}

static void write_two_records(void)
{
    qn_dock_journal *journal;
    for (int i = 0; i < ROTATIONS * PER_ROTATION; i++) hits[i] = (qn_dock_hit){-1.5f * (float)i, 1000 + i};
    CHECK_OK(qn_dock_journal_open(check_scratch_folder(), 0, "a=1\nb=2\n", false, &known, &journal));
    CHECK_OK(qn_dock_journal_append(journal, 10, 7, hits + 10 * PER_ROTATION));
    CHECK_OK(qn_dock_journal_append(journal, 30, 5, hits + 30 * PER_ROTATION));
    qn_dock_journal_close(&journal);
}

static void what_was_appended_comes_back(void)
{
    qn_dock_journal *journal;
    write_two_records();
    CHECK_OK(open_again("a=1\nb=2\n", &journal));
    CHECK(qn_dock_known_count(&known) == 12 && done[10] && done[16] && !done[17] && done[30] && done[34]);
    CHECK(memcmp(read_back + 30 * PER_ROTATION, hits + 30 * PER_ROTATION, 5 * PER_ROTATION * sizeof *hits) == 0);
    CHECK_OK(qn_dock_journal_append(journal, 0, 3, hits));
    qn_dock_journal_close(&journal);
    CHECK_OK(open_again("a=1\nb=2\n", &journal));
    CHECK(qn_dock_known_count(&known) == 15);
    qn_dock_journal_close(&journal);
    char value[16];
    CHECK_OK(qn_dock_journals_value(check_scratch_folder(), "b", value, sizeof value));
    CHECK_TEXT(value, "2");
    CHECK_OK(qn_dock_journals_value(check_scratch_folder(), "c", value, sizeof value));
    CHECK_TEXT(value, "");
}

/* Cut the file at every length: whole records are kept, the cut one is dropped, and appending goes on. */
static void a_kill_at_any_byte_loses_one_record_at_most(void)
{
    char *data;
    size_t size, record = 24 + 7 * PER_ROTATION * sizeof *hits, last = 24 + 5 * PER_ROTATION * sizeof *hits;
    write_two_records();
    CHECK_OK(qn_file_read(journal_path(0), &data, &size));
    for (size_t length = 0; length < size; length++) {
        qn_dock_journal *journal;
        int expected = length >= size - last ? 7 : 0;
        CHECK_OK(qn_file_write(journal_path(0), data, length));
        CHECK_OK(open_again("a=1\nb=2\n", &journal));
        CHECK(qn_dock_known_count(&known) == expected);
        CHECK_OK(qn_dock_journal_append(journal, 40, 2, hits));
        qn_dock_journal_close(&journal);
        CHECK_OK(open_again("a=1\nb=2\n", &journal));
        CHECK(qn_dock_known_count(&known) == expected + 2);
        qn_dock_journal_close(&journal);
    }
    CHECK(size > record + last);
    qn_release(&data);
}

static void a_flipped_bit_ends_the_journal_there(void)
{
    char *data;
    size_t size;
    qn_dock_journal *journal;
    write_two_records();
    CHECK_OK(qn_file_read(journal_path(0), &data, &size));
    data[size - 3] ^= 4;
    CHECK_OK(qn_file_write(journal_path(0), data, size));
    CHECK_OK(open_again("a=1\nb=2\n", &journal));
    CHECK(qn_dock_known_count(&known) == 7);
    qn_dock_journal_close(&journal);
    qn_release(&data);
}

static void another_run_is_refused_by_name(void)
{
    qn_dock_journal *journal;
    write_two_records();
    CHECK_FAILS(open_again("a=1\nb=3\n", &journal), QN_INVALID_ARGUMENT);
    CHECK_MESSAGE_HAS("there b=2, here b=3");
}

/* Journals of ranks 0 and 7: what either has, also with no journal of one's own, and of the hits only if wanted. */
static void journals_of_all_ranks_are_read(void)
{
    const qn_dock_known only_done = {ROTATIONS, PER_ROTATION, done, NULL};
    qn_dock_journal *journal;
    char value[16];
    write_two_records();
    forget();
    CHECK_OK(qn_dock_journal_open(check_scratch_folder(), 7, "a=1\nb=2\n", true, &known, &journal));
    CHECK(qn_dock_known_count(&known) == 0);
    CHECK_OK(qn_dock_journal_append(journal, 14, 6, hits + 14 * PER_ROTATION)); /* 10 … 16 the other has */
    qn_dock_journal_close(&journal);
    CHECK_OK(qn_dock_journals_read(check_scratch_folder(), "a=1\nb=2\n", &known));
    CHECK(qn_dock_known_count(&known) == 15 && done[10] && done[19] && !done[20] && done[34]);
    CHECK(memcmp(read_back + 10 * PER_ROTATION, hits + 10 * PER_ROTATION, 10 * PER_ROTATION * sizeof *hits) == 0);
    forget();
    CHECK_OK(qn_dock_journals_read(check_scratch_folder(), "a=1\nb=2\n", &only_done));
    CHECK(qn_dock_known_count(&known) == 15 && read_back[10 * PER_ROTATION].cell == 0);
    CHECK_FAILS(qn_dock_journals_read(check_scratch_folder(), "a=1\nb=5\n", &known), QN_INVALID_ARGUMENT);
    CHECK_OK(qn_file_write(journal_path(0), "", 0)); /* as a kill left it */
    CHECK_OK(qn_dock_journals_value(check_scratch_folder(), "b", value, sizeof value));
    CHECK_TEXT(value, "2");
}

int main(void)
{
    RUN(what_was_appended_comes_back);
    RUN(a_kill_at_any_byte_loses_one_record_at_most);
    RUN(a_flipped_bit_ends_the_journal_there);
    RUN(another_run_is_refused_by_name);
    RUN(journals_of_all_ranks_are_read);
    return check_finish();
}

#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "screen/pipeline.h"
#include "screen/queue.h"
#include "screen/results.h"

static qn_context *context;
static qn_job job;
static qn_screen_state run;
static qn_screen_options options;
static char folder[700], library[700];
static const char *libraries[] = {library};

/* Begin a run of one small library on the host. Its inputs are used for the key only. */
static void begin(const char *name)
{
    snprintf(folder, sizeof folder, "%s/%s", check_scratch_folder(), name);
    snprintf(library, sizeof library, "%s/library.sdf", check_scratch_folder());
    CHECK_OK(qn_folder_create(folder));
    CHECK_OK(qn_file_write(library, "nothing", 7));
    options = qn_screen_default_options();
    options.rigid = true;
    options.score = QN_SCREEN_BUDE;
    options.output = folder;
    options.libraries = libraries;
    options.library_count = 1;
    options.receptor = library;
    options.run.device = "host";
    run = (qn_screen_state){.options = &options, .job = &job};
    CHECK_OK(qn_job_open(context, "screen", &options.run, &job));
    CHECK_OK(qn_job_devices(&job));
    CHECK_OK(qn_screen_make_key(&run));
    CHECK_OK(qn_text_copy(folder, &job.journal_folder)); /* as in a real run */
}

static void end(void)
{
    qn_screen_results_clear(&run);
    CHECK_OK(qn_job_close(&job, QN_OK));
}

/* Energies of the molecules of a library: five values in turn. */
static double energy_of(uint64_t index)
{
    return -10.0 - (double)(index * 7 % 5);
}

static qn_status add_molecule(uint64_t index, qn_text *record)
{
    char name[32];
    qn_screen_kept poses[2] = {{.energy = energy_of(index), .clashes = 3, .conformer = 1, .number = {1, 2, 3, 4, 5, 6}},
                               {.energy = -1, .least_distance_angstrom = 2.5}};
    snprintf(name, sizeof name, "molecule, %d", (int)index);
    const qn_screen_entry entry = {.index = index,
                                   .line = 10 * index + 1,
                                   .heavy_atoms = 20,
                                   .conformers = 4,
                                   .name = name,
                                   .reason = index % 3 == 2 ? "no reason at all" : NULL,
                                   .made = index % 4 == 0 && index % 3 != 2 ? "a record\nof two lines\n" : NULL,
                                   .made_size = 22,
                                   .poses = poses,
                                   .pose_count = 2};
    return qn_screen_record_add(&entry, record);
}

static void make_record(uint64_t number, uint32_t count, qn_text *record)
{
    const qn_screen_piece piece = {.number = number, .molecule_count = count, .interactions = 100};
    CHECK_OK(qn_screen_record_begin(&piece, record));
    for (uint32_t i = 0; i < count; i++) CHECK_OK(add_molecule(number * QN_SCREEN_PIECE + i, record));
}

static int entries;

static qn_status see_entry(const qn_screen_entry *entry, void *user)
{
    char name[32];
    (void)user;
    snprintf(name, sizeof name, "molecule, %d", (int)entry->index);
    CHECK_TEXT(entry->name, name);
    CHECK(entry->line == 10 * entry->index + 1);
    if (entry->index % 3 == 2) {
        CHECK_TEXT(entry->reason ? entry->reason : "", "no reason at all");
        CHECK(entry->pose_count == 0);
    } else {
        CHECK(!entry->reason && entry->pose_count == 2 && entry->heavy_atoms == 20 && entry->conformers == 4);
        CHECK(entry->poses[0].energy == energy_of(entry->index) && entry->poses[0].number[5] == 6);
        CHECK((entry->made != NULL) == (entry->index % 4 == 0));
        if (entry->made) CHECK_TEXT(entry->made, "a record\nof two lines\n");
        CHECK(entry->poses[0].clashes == 3 && entry->poses[1].least_distance_angstrom == 2.5);
    }
    entries++;
    return QN_OK;
}

static void a_record_is_read_as_it_was_written(void)
{
    qn_text record = {0};
    qn_screen_piece piece;
    make_record(3, 7, &record);
    entries = 0;
    CHECK_OK(qn_screen_record_read(3, record.data, record.length, &piece, see_entry, NULL));
    CHECK(entries == 7 && piece.number == 3 && piece.molecule_count == 7 && piece.interactions == 100);
    CHECK_FAILS(qn_screen_record_read(4, record.data, record.length, &piece, see_entry, NULL), QN_BAD_FORMAT);
    qn_text_clear(&record);
}

/* Checksums have already detected damaged bytes. A record of another kind may still be read; no byte beyond its end may
 * be read. */
static void a_record_cut_anywhere_is_refused(void)
{
    qn_text record = {0};
    qn_screen_piece piece;
    make_record(0, 3, &record);
    for (size_t length = 0; length < record.length; length++) {
        void *copy; /* an allocation of its own, so that sanitizers see a read beyond it */
        CHECK_OK(qn_allocate(length ? length : 1, 1, &copy));
        memcpy(copy, record.data, length);
        CHECK_FAILS(qn_screen_record_read(0, copy, length, &piece, see_entry, NULL), QN_BAD_FORMAT);
        qn_release(&copy);
    }
    CHECK_OK(qn_text_append(&record, "x"));
    CHECK_FAILS(qn_screen_record_read(0, record.data, record.length, &piece, see_entry, NULL), QN_BAD_FORMAT);
    qn_text_clear(&record);
}

static void a_piece_set_has_exactly_the_added_pieces(void)
{
    static const uint64_t members[] = {0, 7, 8, 1000, 999, 7};
    qn_piece_set set = {0};
    CHECK(!qn_piece_set_has(&set, 0) && !qn_piece_set_has(&set, (uint64_t)1 << 60));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) CHECK_OK(qn_piece_set_add(&set, members[i]));
    CHECK(set.count == 5);
    for (uint64_t piece = 0; piece < 2000; piece++)
        CHECK(qn_piece_set_has(&set, piece) ==
              (piece == 0 || piece == 7 || piece == 8 || piece == 999 || piece == 1000));
    qn_release(&set.bits);
}

static void write_journal(int rank, const uint64_t *pieces, size_t count)
{
    qn_journal *journal;
    qn_text record = {0};
    char *path;
    CHECK_OK(qn_rank_journal_path(run.options->output, rank, &path));
    CHECK_OK(qn_journal_open(path, job.key.data, false, NULL, NULL, &journal));
    for (size_t i = 0; i < count; i++) {
        make_record(pieces[i], pieces[i] == 4 ? 5 : QN_SCREEN_PIECE, &record); /* piece 4 is the last of the library */
        CHECK_OK(qn_journal_append(journal, pieces[i], record.data, record.length));
    }
    qn_journal_close(&journal);
    qn_release(&path);
    qn_text_clear(&record);
}

/* Three journals with five pieces, one of them twice, and a file that is not a journal. */
static void results_of_ranks_are_gathered_in_order(void)
{
    begin("gathered");
    const int molecules = 4 * QN_SCREEN_PIECE + 5;
    write_journal(0, (const uint64_t[]){2, 4}, 2);
    write_journal(2, (const uint64_t[]){0, 2, 3}, 3);
    write_journal(10, (const uint64_t[]){1}, 1);
    char path[800];
    snprintf(path, sizeof path, "%s/journal.03", folder);
    CHECK_OK(qn_file_write(path, "no journal", 10));
    CHECK_OK(qn_piece_set_add(&job.done, 4));
    if (!CHECK_OK(qn_screen_results_gather(&run))) return;
    size_t rejected = 0;
    for (int i = 0; i < molecules; i++) rejected += i % 3 == 2;
    CHECK(run.molecules == (uint64_t)molecules && run.rejection_count == rejected);
    CHECK(run.row_count == (size_t)molecules - rejected && run.conformers == 4 * run.row_count);
    CHECK(run.interactions == 500 && run.interactions_here == 400 && run.resumed == 5);
    for (size_t i = 0; i < run.row_count; i++) {
        const qn_screen_row *row = &run.rows[i], *before = i ? row - 1 : NULL;
        char name[32];
        snprintf(name, sizeof name, "molecule, %d", (int)row->index);
        CHECK_TEXT(row->name, name);
        CHECK(row->energy == energy_of(row->index));
        if (before)
            CHECK(before->energy < row->energy || (before->energy == row->energy && before->index < row->index));
    }
    for (size_t i = 0; i < rejected; i++) {
        CHECK(run.rejections[i].index == 3 * i + 2 && run.rejections[i].line == 10 * (3 * i + 2) + 1);
        CHECK_TEXT(run.rejections[i].path, library);
    }
    end();
}

static void expect_incomplete(const char *part)
{
    run.molecules = 0;
    CHECK_FAILS(qn_screen_results_gather(&run), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(part);
    CHECK(run.row_count == 0);
}

/* A journal may be lost, or be of a library that has grown since. */
static void incomplete_results_are_refused(void)
{
    begin("part");
    write_journal(0, (const uint64_t[]){0, 1, 3}, 3);
    write_journal(1, (const uint64_t[]){5, 4}, 2); /* piece 4 is cut though 5 follows it */
    expect_incomplete("lack piece 2, the molecules from number 16");
    write_journal(2, (const uint64_t[]){2}, 1);
    expect_incomplete("piece 4 of its journals does not have 8 molecules");
    write_journal(1, (const uint64_t[]){4}, 1);
    run.library_molecules = 6 * QN_SCREEN_PIECE;
    expect_incomplete("lack piece 5");
    run.library_molecules = 4 * QN_SCREEN_PIECE + 6;
    expect_incomplete("have 37 molecules; expected the libraries' 38");
    run.library_molecules = 4 * QN_SCREEN_PIECE + 5;
    run.molecules = 0;
    CHECK_OK(qn_screen_results_gather(&run));
    end();
}

/* Failures before the search, such as too little device memory, happen before any piece is dealt. */
static void a_rank_that_fails_early_ends_the_dealing(void)
{
    uint64_t first = 0;
    begin("early");
    CHECK_FAILS(qn_screen_pipeline_run(&run), QN_INVALID_ARGUMENT); /* of 0 poses */
    CHECK_OK(qn_ranks_fetch_add(job.ranks, 1, &first));
    CHECK(first >= (uint64_t)1 << 40);
    end();
}

static void make_key_again(void)
{
    qn_text_clear(&job.key);
    CHECK_OK(qn_screen_make_key(&run));
}

static void other_options_make_another_key(void)
{
    char *first;
    begin("keys");
    CHECK_OK(qn_text_copy(strchr(job.key.data, '\n') + 1, &first)); /* after the lines of the program and */
    const char *own = strchr(first, '\n') + 1;                      /* its version */
    options.top = 7;                                                /* affects the files only */
    options.cull = run.search.cull = !options.cull;
    make_key_again();
    CHECK_TEXT(job.key.data, own);
    for (int change = 0; change < 6; change++) {
        const qn_screen_state before = run;
        const qn_screen_options options_before = options;
        if (change == 0) run.search.seed++;
        if (change == 1) run.search.box_side_angstrom[2] += 1e-12;
        if (change == 2) options.conformers = 3;
        if (change == 3) options.score = QN_SCREEN_VINA;
        if (change == 4) options.keep++;
        if (change == 5) CHECK_OK(qn_file_write(library, "nothinG", 7));
        make_key_again();
        CHECK(strcmp(job.key.data, own) != 0);
        run = before;
        options = options_before;
    }
    qn_release(&first);
    end();
}

static qn_screen_batch *batch_of(uint64_t number, size_t jobs)
{
    void *memory;
    if (!CHECK_OK(qn_allocate(1, sizeof(qn_screen_batch), &memory))) return NULL;
    qn_screen_batch *batch = memory;
    batch->number = number;
    batch->jobs = jobs;
    return batch;
}

static void a_queue_keeps_its_order_and_ends(void)
{
    qn_screen_queue queue;
    qn_screen_queue_create(10, &queue);
    CHECK(qn_screen_queue_pop(&queue, false) == NULL);
    for (uint64_t i = 0; i < 3; i++) {
        CHECK(qn_screen_queue_has_room(&queue));
        qn_screen_queue_push(&queue, batch_of(i, 4));
    }
    for (uint64_t i = 0; i < 2; i++) {
        qn_screen_batch *batch = qn_screen_queue_pop(&queue, true);
        if (CHECK(batch != NULL)) CHECK(batch->number == i);
        qn_screen_batch_destroy(&batch);
    }
    qn_screen_queue_end(&queue);
    qn_screen_batch *last = qn_screen_queue_pop(&queue, true);
    CHECK(last && last->number == 2);
    qn_screen_batch_destroy(&last);
    CHECK(qn_screen_queue_pop(&queue, true) == NULL);
    qn_screen_queue_push(&queue, batch_of(9, 1000)); /* destroyed with the queue */
    qn_screen_queue_fail(&queue);
    CHECK(qn_screen_queue_failed(&queue) && !qn_screen_queue_has_room(&queue));
    CHECK(qn_screen_queue_pop(&queue, true) == NULL);
    qn_screen_queue_destroy(&queue);
}

int main(void)
{
    if (!CHECK_OK(qn_context_create(&(qn_context_options){.size = sizeof(qn_context_options), .threads = 1}, &context)))
        return check_finish();
    RUN(a_record_is_read_as_it_was_written);
    RUN(a_record_cut_anywhere_is_refused);
    RUN(a_piece_set_has_exactly_the_added_pieces);
    RUN(results_of_ranks_are_gathered_in_order);
    RUN(incomplete_results_are_refused);
    RUN(a_rank_that_fails_early_ends_the_dealing);
    RUN(other_options_make_another_key);
    RUN(a_queue_keeps_its_order_and_ends);
    qn_context_destroy(&context);
    return check_finish();
}

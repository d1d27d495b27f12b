/* A folder whose movies are added as they come. */
#define _DEFAULT_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "movie/run.h"

enum { DEPTH_MAX = 8 };

static const double settled_s = 10; /* a file is complete when its size stood still for so long */
static const double tables_s = 30;  /* between two versions of the tables */

/* A file in the folder. */
typedef struct watched_file {
    char *path;
    uint64_t bytes;
    double since_s; /* when it was first seen with this size */
    bool added;
    bool again; /* it changed after it was added */
} watched_file;

/* A folder that is being looked at, and those that it lies in. */
typedef struct watched_folder {
    const struct watched_folder *parent;
    dev_t device;
    ino_t inode;
} watched_folder;

typedef struct movie_watch {
    qn_movie_state *run;
    qn_stack_names *names; /* index i is the path of files[i] */
    watched_file *files;
    size_t count, capacity;
    double changed_s, written_s; /* when a file was last seen to change, and when tables were last written */
    size_t written_count;        /* of results in the tables */
} movie_watch;

/* Whether a file may be a movie: by its ending, unless it is another input. */
static bool is_movie(const qn_movie_run_options *options, const char *path)
{
    static const char *const endings[] = {".mrc", ".mrcs", ".tif", ".tiff", ".eer"};
    const char *const others[] = {options->gain, options->dark, options->defects};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] && qn_file_is_same(others[i], path)) return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (qn_text_ends_in(path, endings[i])) return true;
    return false;
}

static qn_status see_file(movie_watch *watch, const char *path, uint64_t bytes)
{
    uint32_t index;
    void *memory = watch->files;
    QN_TRY(qn_stack_names_find(watch->names, path, strlen(path), &index));
    if (index == watch->count) {
        qn_status status = qn_grow(&memory, &watch->capacity, watch->count + 1, sizeof *watch->files);
        watch->files = memory;
        QN_TRY(status);
        watch->files[index] = (watched_file){.bytes = bytes, .since_s = qn_clock_s()};
        QN_TRY(qn_text_copy(path, &watch->files[index].path));
        watch->count++;
        watch->changed_s = qn_clock_s();
    }
    watched_file *file = &watch->files[index];
    if (file->bytes != bytes) {
        file->bytes = bytes;
        file->since_s = watch->changed_s = qn_clock_s();
        file->again |= file->added;
        file->added = false;
    }
    return QN_OK;
}

/* Whether a link leads back to a folder in which it lies. */
static bool is_loop(const watched_folder *parent, const struct stat *information)
{
    while (parent && (parent->inode != information->st_ino || parent->device != information->st_dev))
        parent = parent->parent;
    return parent != NULL;
}

/* Look at a folder and the folders in it, except the output. Names that begin with a dot are of files being copied. */
static qn_status look(movie_watch *watch, const char *folder, const watched_folder *parent, int depth)
{
    struct stat information;
    watched_folder this = {.parent = parent};
    DIR *entries = opendir(folder);
    qn_status status = QN_OK;
    if (!entries) return QN_FAIL(QN_NOT_FOUND, "%s: cannot open the folder: %s", folder, strerror(errno));
    if (fstat(dirfd(entries), &information) == 0) this.device = information.st_dev, this.inode = information.st_ino;
    for (struct dirent *entry; status == QN_OK && (entry = readdir(entries));) {
        char *path;
        if (entry->d_name[0] == '.') continue;
        status = qn_path_join(folder, entry->d_name, &path);
        if (status != QN_OK) break;
        if (stat(path, &information) == 0 && S_ISDIR(information.st_mode)) {
            if (depth < DEPTH_MAX && !is_loop(&this, &information) &&
                !qn_file_is_same(path, watch->run->options->output))
                status = look(watch, path, &this, depth + 1);
        } else if (S_ISREG(information.st_mode) && information.st_size > 0 && is_movie(watch->run->options, path)) {
            status = see_file(watch, path, (uint64_t)information.st_size);
        }
        qn_release(&path);
    }
    closedir(entries);
    return status;
}

static int compare_files(const void *a, const void *b)
{
    const watched_file *first = *(watched_file *const *)a, *second = *(watched_file *const *)b;
    return strcmp(first->path, second->path);
}

/* Whether the movie of this name was processed, with success or not. */
static qn_status is_recorded(qn_movie_state *run, const char *named, bool *recorded)
{
    qn_movie_facts *facts;
    char *name;
    QN_TRY(qn_movie_output_name(named, &name));
    const qn_status status = qn_movie_results_find(&run->results, name, &facts);
    *recorded = status == QN_OK && facts;
    qn_release(&name);
    return status;
}

/* Add a movie, or add it again if the work on it is done: it was incomplete before. */
static qn_status add_movie(qn_movie_state *run, watched_file *file)
{
    const char *named = file->path + strlen(run->options->watch);
    bool is_done = true;
    if (!file->again) {
        file->added = true;
        return qn_movie_inputs_add(&run->inputs, file->path, named);
    }
    QN_TRY(is_recorded(run, named, &is_done));
    if (!is_done) return QN_OK;
    file->added = true;
    return qn_movie_inputs_add_again(&run->inputs, file->path, named);
}

/* Add the files that are complete, by name. */
static qn_status add_settled(movie_watch *watch)
{
    qn_movie_state *run = watch->run;
    void *memory;
    size_t count = 0;
    qn_status status = QN_OK;
    QN_TRY(qn_allocate(watch->count, sizeof(watched_file *), &memory));
    watched_file **settled = memory;
    for (size_t i = 0; i < watch->count; i++)
        if (!watch->files[i].added && qn_clock_s() - watch->files[i].since_s >= settled_s)
            settled[count++] = &watch->files[i];
    if (count > 1) qsort(settled, count, sizeof *settled, compare_files);
    pthread_mutex_lock(&run->mutex);
    for (size_t i = 0; i < count && status == QN_OK; i++) status = add_movie(run, settled[i]);
    if (count > 0) pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    qn_release(&memory);
    if (count > 0) watch->changed_s = qn_clock_s();
    return status;
}

/* Write the tables of the movies so far. */
static qn_status write_tables(movie_watch *watch)
{
    qn_movie_state *run = watch->run;
    qn_status status = QN_OK;
    if (qn_clock_s() - watch->written_s < tables_s) return QN_OK;
    watch->written_s = qn_clock_s();
    pthread_mutex_lock(&run->mutex);
    if (run->results.count != watch->written_count) {
        watch->written_count = run->results.count;
        status = qn_movie_rows_collect(run);
        if (status == QN_OK) status = qn_movie_write_table(run);
        if (status == QN_OK && run->row_failed < run->row_count) status = qn_movie_write_micrographs(run);
    }
    pthread_mutex_unlock(&run->mutex);
    return status;
}

/* Whether the watch is over; if not, wait a second. */
static bool is_over(movie_watch *watch)
{
    qn_movie_state *run = watch->run;
    const double idle_s = run->options->idle_s;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&run->mutex);
    if (run->at_work > 0 || run->dealt < run->inputs.count) watch->changed_s = qn_clock_s();
    if (idle_s > 0 && qn_clock_s() - watch->changed_s > idle_s) run->watching = false;
    if (run->watching) pthread_cond_timedwait(&run->changed, &run->mutex, &until);
    const bool over = !run->watching;
    if (over) pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    return over;
}

static qn_status go_on(movie_watch *watch)
{
    const char *folder = watch->run->options->watch;
    bool lost = false;
    QN_TRY(qn_stack_names_create("", &watch->names));
    while (!is_over(watch)) {
        qn_status status = look(watch, folder, NULL, 0);
        if (status == QN_NOT_FOUND) { /* a file server may come back */
            if (!lost) qn_log(QN_LOG_WARNING, "%s", qn_error_message());
            lost = true;
            qn_error_clear();
            continue;
        }
        lost = false;
        if (status == QN_OK) status = add_settled(watch);
        if (status == QN_OK) status = write_tables(watch);
        QN_TRY(status);
    }
    return QN_OK;
}

/* After a failure no more movies come. */
qn_status qn_movie_watch(void *user)
{
    qn_movie_state *run = user;
    movie_watch watch = {.run = run, .changed_s = qn_clock_s(), .written_s = qn_clock_s()};
    qn_status status = go_on(&watch);
    pthread_mutex_lock(&run->mutex);
    run->watching = false;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
    for (size_t i = 0; i < watch.count; i++) qn_release(&watch.files[i].path);
    qn_release(&watch.files);
    qn_stack_names_destroy(&watch.names);
    return status;
}

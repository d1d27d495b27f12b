#define _POSIX_C_SOURCE 200809L

#include "screen/depictions.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/compound/compound_stream.h"

extern char **environ;

enum { EXIT_TIMED_OUT = 124, EXIT_NOT_THERE = 127 }; /* of coreutils' timeout */

/* Run "timeout 60 obabel …" with input and output at /dev/null. Returns the exit status; −1: no start or no normal end.
 */
static int run_obabel(const char *input, const char *output)
{
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%d", QN_DEPICTION_TIMEOUT_S);
    const char *const arguments[] = {"timeout", seconds, "obabel", input, "-osvg", "-d", "-m", "-O", output, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int wait_status = 0, failed = posix_spawn_file_actions_init(&actions);
    if (failed) return -1;
    failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed) failed = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return -1;
    while (waitpid(child, &wait_status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

/* Write the first conformer of each compound with its number as title, since a drawing shows the title. */
static qn_status write_input(qn_compound *const *compounds, size_t count, const char *path)
{
    qn_text text = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; i < count && status == QN_OK; i++) {
        char title[24];
        qn_compound numbered = *compounds[i];
        snprintf(title, sizeof title, "%zu", i);
        numbered.name = title;
        numbered.property_count = 0;
        status = qn_compound_write_sdf(&numbered, NULL, &text);
    }
    if (status == QN_OK) status = qn_file_write(path, text.data, text.length);
    qn_text_clear(&text);
    return status;
}

/* Find the inner of the two nested drawings that Open Babel writes; *number gets its title. Returns NULL when there are
 * no nested drawings. */
static const char *find_drawing(const char *page, size_t *number, size_t *length)
{
    const char *title = strstr(page, "<title>");
    const char *outer = strstr(page, "<svg ");
    const char *inner = outer ? strstr(outer + 1, "<svg ") : NULL;
    const char *box = inner ? strstr(inner, "viewBox=\"") : NULL;
    const char *end = box ? strstr(box, "</svg>") : NULL;
    char *after;
    if (!title || !end) return NULL;
    title += strlen("<title>");
    *number = strtoul(title, &after, 10);
    *length = (size_t)(end - box) + strlen("</svg>");
    return after > title ? box : NULL;
}

static qn_status take_drawing(const char *path, size_t count, char **svg)
{
    char *page;
    size_t size, number, length;
    qn_text text = {0};
    QN_TRY(qn_file_read(path, &page, &size));
    const char *drawing = find_drawing(page, &number, &length);
    qn_status status = QN_OK;
    if (drawing && number < count && !svg[number]) {
        status = qn_text_append(&text, "<svg xmlns=\"http://www.w3.org/2000/svg\" ");
        if (status == QN_OK) status = qn_text_append_bytes(&text, drawing, length);
        if (status == QN_OK) status = qn_text_copy(text.data, &svg[number]);
    }
    qn_text_clear(&text);
    qn_release(&page);
    return status;
}

static qn_status draw_in_folder(const char *folder, qn_compound *const *compounds, size_t count, char **svg,
                                const char **why)
{
    char input[512], output[512], path[512];
    snprintf(input, sizeof input, "%s/hits.sdf", folder);
    snprintf(output, sizeof output, "%s/hit.svg", folder); /* -m makes hit1.svg, hit2.svg … */
    qn_status status = write_input(compounds, count, input);
    const int code = status == QN_OK ? run_obabel(input, output) : 0;
    if (code == EXIT_NOT_THERE)
        *why = "is not installed";
    else if (code == EXIT_TIMED_OUT)
        *why = "took too long";
    else if (code != 0)
        *why = "failed";
    size_t drawn = 0;
    for (size_t i = 1; i <= count && status == QN_OK; i++) {
        snprintf(path, sizeof path, "%s/hit%zu.svg", folder, i);
        if (!qn_file_exists(path)) break;
        if (!*why) status = take_drawing(path, count, svg);
        drawn++;
        unlink(path);
    }
    unlink(input);
    if (status == QN_OK && drawn == 0 && !*why) *why = "drew nothing";
    return status;
}

qn_status qn_screen_depict(qn_compound *const *compounds, size_t count, char **svg, const char **why)
{
    char folder[256];
    const char *temporary = getenv("TMPDIR");
    for (size_t i = 0; i < count; i++) svg[i] = NULL;
    *why = NULL;
    if (count == 0) return QN_OK;
    if (!temporary || !*temporary) temporary = "/tmp";
    snprintf(folder, sizeof folder, "%s/quern-depictions-XXXXXX", temporary);
    if (strlen(temporary) > sizeof folder - 32 || !mkdtemp(folder)) {
        *why = "was not run, because no temporary folder could be made";
        return QN_OK;
    }
    const qn_status status = draw_in_folder(folder, compounds, count, svg, why);
    rmdir(folder);
    if (status != QN_OK)
        for (size_t i = 0; i < count; i++) qn_release(&svg[i]);
    return status;
}

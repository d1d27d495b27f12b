/* Kernels made at run time, for the host: the C compiler makes a library of their text, which this process loads. */
#define _GNU_SOURCE /* environ, mkdtemp */
#include <dlfcn.h>
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
#include "fuse/program/program.h"

struct qn_native {
    void *library;
};

/* The files of one compilation, in a folder of its own. */
typedef struct workshop {
    char folder[512];
    char source[544], library[544], messages[544];
} workshop;

static qn_status open_workshop(workshop *shop)
{
    const char *parent = getenv("TMPDIR");
    snprintf(shop->folder, sizeof shop->folder, "%.480s/quern-fuse-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(shop->folder))
        return QN_FAIL(QN_IO_ERROR, "%s: cannot be made for a compilation: %s", shop->folder, strerror(errno));
    snprintf(shop->source, sizeof shop->source, "%s/kernels.c", shop->folder);
    snprintf(shop->library, sizeof shop->library, "%s/kernels.so", shop->folder);
    snprintf(shop->messages, sizeof shop->messages, "%s/messages", shop->folder);
    return QN_OK;
}

static void close_workshop(const workshop *shop)
{
    unlink(shop->source), unlink(shop->library), unlink(shop->messages), rmdir(shop->folder);
}

static qn_status write_source(const workshop *shop, const char *text)
{
    const int file = open(shop->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return QN_FAIL(QN_IO_ERROR, "%s: %s", shop->source, strerror(errno));
    const qn_status status = qn_descriptor_write(file, shop->source, text, strlen(text));
    close(file);
    return status;
}

static int spawn(const workshop *shop, const char *compiler, pid_t *process)
{
    const char *const command[] = {compiler,
                                   "-std=c17",
                                   "-O3",
                                   "-march=native",
                                   "-ffp-contract=off",
                                   "-fno-math-errno",
                                   "-fno-trapping-math",
                                   "-fopenmp-simd",
                                   "-fPIC",
                                   "-shared",
                                   "-w",
                                   "-o",
                                   shop->library,
                                   shop->source,
                                   "-lm",
                                   NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, shop->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int error = posix_spawnp(process, compiler, &actions, NULL, (char *const *)command, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The first message of a compiler that failed. */
static qn_status report_failure(const workshop *shop, const char *compiler, const char *name)
{
    char *text = NULL;
    size_t size;
    const qn_status read = qn_file_read(shop->messages, &text, &size);
    char *error = read == QN_OK ? strstr(text, "error") : NULL;
    if (error && strchr(error, '\n')) *strchr(error, '\n') = '\0';
    /* a place in a library is kept, one in the kernels' text is of no use */
    char *line = error;
    while (error && line > text && line[-1] != '\n') line--;
    if (error && strncmp(line, QN_BODY_FILE, strlen(QN_BODY_FILE)) == 0) error = line;
    const qn_status status = QN_FAIL(QN_BUILD_FAILED, "%s: %s cannot compile the kernels for the host: %s", name,
                                     compiler, error ? error : "it names no error");
    qn_release(&text);
    return status;
}

static qn_status compile(const workshop *shop, const char *text, const char *name)
{
    const char *wanted = getenv("QUERN_CC"), *compiler = wanted && *wanted ? wanted : "cc";
    pid_t process;
    int ended;
    QN_TRY(write_source(shop, text));
    const int error = spawn(shop, compiler, &process);
    if (error != 0)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: the host's kernels need a C compiler, and %s cannot be run (%s); install one, name it in "
                       "QUERN_CC, or use another device",
                       name, compiler, strerror(error));
    while (waitpid(process, &ended, 0) < 0)
        if (errno != EINTR) return QN_FAIL(QN_IO_ERROR, "%s: cannot wait for %s: %s", name, compiler, strerror(errno));
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 127)
        return QN_FAIL(QN_UNSUPPORTED,
                       "%s: the host's kernels need a C compiler, and %s cannot be run; install one, name "
                       "it in QUERN_CC, or use another device",
                       name, compiler);
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? QN_OK : report_failure(shop, compiler, name);
}

static qn_status load(const workshop *shop, const char *name, qn_native *native)
{
    native->library = dlopen(shop->library, RTLD_NOW | RTLD_LOCAL);
    if (native->library) return QN_OK;
    return QN_FAIL(QN_BUILD_FAILED, "%s: the compiled kernels cannot be loaded: %s", name, dlerror());
}

qn_status qn_native_open(const char *text, const char *name, qn_native **native)
{
    workshop shop;
    QN_TRY(open_workshop(&shop));
    qn_status status = qn_allocate(1, sizeof **native, (void **)native);
    if (status == QN_OK) status = compile(&shop, text, name);
    if (status == QN_OK) status = load(&shop, name, *native);
    close_workshop(&shop);
    if (status != QN_OK) qn_native_close(native);
    return status;
}

qn_status qn_native_find(const qn_native *native, const char *symbol, void **address)
{
    *address = dlsym(native->library, symbol);
    return *address ? QN_OK : QN_FAIL(QN_INTERNAL, "the compiled kernels lack %s", symbol);
}

void qn_native_close(qn_native **native)
{
    if (!*native) return;
    if ((*native)->library) dlclose((*native)->library);
    qn_release(native);
}

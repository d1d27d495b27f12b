#define _GNU_SOURCE /* dladdr */
#include "base/module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/* Load the file "folder of `beside`/relative/name". */
static void *load_beside(const char *beside, const char *relative, const char *name, int mode)
{
    const char *slash = strrchr(beside, '/');
    qn_text path = {0};
    void *library = NULL;
    if (slash && qn_text_append(&path, "%.*s/%s%s", (int)(slash - beside), beside, relative, name) == QN_OK &&
        qn_file_exists(path.data))
        library = dlopen(path.data, mode);
    qn_text_clear(&path);
    return library;
}

void *qn_module_load(const char *name, const char *variable, int mode)
{
    static const char own_address;
    Dl_info here;
    void *library = NULL;
    const char *chosen = getenv(variable);
    if (chosen && *chosen) return dlopen(chosen, mode);
    if (dladdr(&own_address, &here) && here.dli_fname) {
        char program[4096] = "";
        const char *self = here.dli_fname; /* for a program the name by which it was called, without a folder if the
                                              shell found it by PATH */
        if (!strchr(self, '/') && readlink("/proc/self/exe", program, sizeof program - 1) > 0) self = program;
        library = load_beside(self, "", name, mode);
        if (!library) library = load_beside(self, "quern/", name, mode);
        if (!library) library = load_beside(self, QN_COMMAND_TO_LIBRARY "/quern/", name, mode);
    }
    return library ? library : dlopen(name, mode);
}

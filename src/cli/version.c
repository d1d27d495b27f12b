/* quern --version: the version, how it was built, and which libraries that are loaded when they are needed are here. */
#include "cli/commands.h"

#include <dlfcn.h>
#include <quern/version.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <quern_commit.h> /* made by cmake/Commit.cmake */

enum { NAMES = 5 };

/* Libraries that open when a run needs them, by their first name that is found. */
static const struct {
    const char *meaning, *names[NAMES];
} libraries[] = {
    {"OpenCL", {"libOpenCL.so.1"}},
    {"CUDA driver", {"libcuda.so.1"}},
    {"FFTW", {"libfftw3f.so.3"}},
    {"HDF5", {"libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so.310", "libhdf5.so.310", "libhdf5.so.200"}}};

static bool is_library_here(size_t number)
{
    for (size_t i = 0; i < NAMES && libraries[number].names[i]; i++) {
        void *handle = dlopen(libraries[number].names[i], RTLD_LAZY | RTLD_LOCAL);
        if (!handle) continue;
        dlclose(handle);
        return true;
    }
    return false;
}

/* Whether a program is in a folder of $PATH. */
static bool is_program_here(const char *name)
{
    char path[4096];
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        const size_t length = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, folders, name);
        if (length > 0 && access(path, X_OK) == 0) return true;
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

/* Print the names of those that are here, or of those that are not. */
static void print_found(const char *title, bool here)
{
    size_t printed = 0;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (is_library_here(i) == here) printf("%s%s", printed++ ? ", " : title, libraries[i].meaning);
    if (is_program_here("obabel") == here) printf("%sOpen Babel", printed++ ? ", " : title);
    if (printed) putchar('\n');
}

void cli_print_version(void)
{
    printf("quern %s\n", qn_version());
    printf("commit:     %s\n", QN_COMMIT[0] ? QN_COMMIT : "not known, built outside a Git repository");
    printf("compiler:   %s, %s, %s\n", QN_COMPILER, QN_MACHINE, QN_BUILD_TYPE);
    printf("built with: %s\n", QN_BUILT_WITH);
    print_found("found:      ", true);
    print_found("not found:  ", false);
    printf("quern devices lists the devices, and why others cannot be used.\n");
}

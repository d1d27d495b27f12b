#include "fuse/blas/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

const qn_blas_library *qn_blas_library_of(const qn_device *device)
{
    const char *driver = qn_device_inner_driver(device);
    if (strcmp(driver, "cuda") == 0) return &qn_blas_cublas;
    return strcmp(driver, "opencl") == 0 ? &qn_blas_clblast : &qn_blas_openblas;
}

qn_status qn_blas_load(const char *title, const char *const *paths, void **library)
{
    for (size_t i = 0; paths[i]; i++) {
        *library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (*library) return QN_OK;
    }
    return QN_FAIL(QN_UNSUPPORTED, "%s is not installed: %s cannot be loaded", title, paths[0]);
}

qn_status qn_blas_find(void *library, const char *title, const qn_blas_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) return QN_FAIL(QN_UNSUPPORTED, "%s has no function %s", title, symbols[i].name);
        memcpy(symbols[i].slot, &symbol, sizeof symbol);
    }
    return QN_OK;
}

#include "format/trajectory/hdf5_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"

static pthread_mutex_t hdf5_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Names of the library on Debian ("_serial") and elsewhere, in the order in which they are tried. Interface versions:
 * HDF5 1.10 has 103 (earlier 100 and 101), 1.12 has 200, 1.14 has 310. */
static const char *const libraries[] = {
    "libhdf5_serial.so.103", "libhdf5.so.103",        "libhdf5_serial.so.310", "libhdf5.so.310", "libhdf5.so.200",
    "libhdf5_serial.so.101", "libhdf5_serial.so.100", "libhdf5.so.101",        "libhdf5.so",
};

#define SYMBOL(name)                       \
    {                                      \
#name, offsetof(qn_hdf5_api, name) \
    }
static const struct symbol {
    const char *name;
    size_t place;
} symbols[] = {
    SYMBOL(H5open),
    SYMBOL(H5get_libversion),
    SYMBOL(H5free_memory),
    SYMBOL(H5Eget_auto2),
    SYMBOL(H5Eset_auto2),
    SYMBOL(H5Fopen),
    SYMBOL(H5Fclose),
    SYMBOL(H5Oopen),
    SYMBOL(H5Oclose),
    SYMBOL(H5Lexists),
    SYMBOL(H5Lget_name_by_idx),
    SYMBOL(H5Dopen2),
    SYMBOL(H5Dclose),
    SYMBOL(H5Dget_space),
    SYMBOL(H5Dget_type),
    SYMBOL(H5Dread),
    SYMBOL(H5Screate_simple),
    SYMBOL(H5Sget_simple_extent_ndims),
    SYMBOL(H5Sget_simple_extent_dims),
    SYMBOL(H5Sget_simple_extent_npoints),
    SYMBOL(H5Sselect_hyperslab),
    SYMBOL(H5Sclose),
    SYMBOL(H5Tget_class),
    SYMBOL(H5Tget_size),
    SYMBOL(H5Tis_variable_str),
    SYMBOL(H5Tclose),
    SYMBOL(H5Aexists),
    SYMBOL(H5Aopen),
    SYMBOL(H5Aget_space),
    SYMBOL(H5Aget_type),
    SYMBOL(H5Aread),
    SYMBOL(H5Aclose),
};

static qn_status find_symbols(qn_hdf5_api *api)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(api->library, symbols[i].name);
        if (!address) return QN_FAIL(QN_UNSUPPORTED, "the HDF5 that is installed has no function %s", symbols[i].name);
        memcpy((char *)api + symbols[i].place, &address, sizeof address);
    }
    return QN_OK;
}

/* Predefined types are variables that H5open fills. */
static qn_status start(qn_hdf5_api *api)
{
    unsigned major = 0, minor = 0, release = 0;
    QN_TRY(find_symbols(api));
    if (api->H5open() < 0 || api->H5get_libversion(&major, &minor, &release) < 0)
        return QN_FAIL(QN_UNSUPPORTED, "the HDF5 that is installed does not start");
    if (major != 1 || minor < 10)
        return QN_FAIL(QN_UNSUPPORTED, "the HDF5 that is installed is version %u.%u.%u; expected 1.10 or newer", major,
                       minor, release);
    const hid_t *single = dlsym(api->library, "H5T_NATIVE_FLOAT_g"), *both = dlsym(api->library, "H5T_NATIVE_DOUBLE_g");
    if (!single || !both)
        return QN_FAIL(QN_UNSUPPORTED, "the HDF5 that is installed has no native floating-point types");
    api->native_float = *single;
    api->native_double = *both;
    return QN_OK;
}

qn_status qn_hdf5_load(qn_hdf5_api *api)
{
    memset(api, 0, sizeof *api);
    /* NODELETE: HDF5 has an exit handler, whose code must stay loaded. */
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0] && !api->library; i++)
        api->library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!api->library)
        return QN_FAIL(QN_UNSUPPORTED,
                       "reading H5MD needs the HDF5 library: install libhdf5-103-1 (Debian 12) or libhdf5 of "
                       "version 1.10 or newer");
    pthread_mutex_lock(&hdf5_mutex);
    const qn_status status = start(api);
    pthread_mutex_unlock(&hdf5_mutex);
    if (status != QN_OK) qn_hdf5_unload(api);
    return status;
}

void qn_hdf5_unload(qn_hdf5_api *api)
{
    if (api->library) dlclose(api->library);
    api->library = NULL;
}

qn_hdf5_quiet qn_hdf5_enter(const qn_hdf5_api *api)
{
    qn_hdf5_quiet before = {NULL, NULL};
    pthread_mutex_lock(&hdf5_mutex);
    api->H5Eget_auto2(QN_H5E_DEFAULT, &before.function, &before.data);
    api->H5Eset_auto2(QN_H5E_DEFAULT, NULL, NULL);
    return before;
}

void qn_hdf5_leave(const qn_hdf5_api *api, qn_hdf5_quiet before)
{
    api->H5Eset_auto2(QN_H5E_DEFAULT, before.function, before.data);
    pthread_mutex_unlock(&hdf5_mutex);
}

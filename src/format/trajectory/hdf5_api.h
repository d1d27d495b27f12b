/* The part of HDF5 that reading H5MD needs, declared here and loaded by dlopen. HDF5 depends on 30 libraries. If they
 * were linked, every start of quern would take 8 ms instead of 2 ms, and a static libquern.a would need them all, for
 * files that few users have. tests/drivers/test_declarations.c compares this file with HDF5's own
 * headers where they are installed.
 *
 * HDF5 as distributed allows one thread at a time, whatever the file, and prints its errors unless that is turned off:
 * all calls stand between qn_hdf5_enter and qn_hdf5_leave.
 */
#ifndef QN_FORMAT_TRAJECTORY_HDF5_API_H
#define QN_FORMAT_TRAJECTORY_HDF5_API_H

#include <quern/status.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifndef H5_VERS_MAJOR  /* HDF5's headers are not included */
typedef int64_t hid_t; /* from version 1.10 on */
typedef int herr_t, htri_t;
typedef unsigned long long hsize_t;
typedef long long hssize_t;
typedef herr_t (*H5E_auto2_t)(hid_t stack, void *data);
typedef int H5_index_t, H5_iter_order_t, H5S_seloper_t, H5T_class_t;
#endif

/* Values from HDF5's headers; the part of the name after QN_ is HDF5's. */
enum {
    QN_H5P_DEFAULT = 0,
    QN_H5E_DEFAULT = 0,
    QN_H5S_ALL = 0,
    QN_H5F_ACC_RDONLY = 0,
    QN_H5_INDEX_NAME = 0,
    QN_H5_ITER_INC = 0,
    QN_H5S_SELECT_SET = 0,
    QN_H5T_INTEGER = 0,
    QN_H5T_FLOAT = 1,
    QN_H5T_STRING = 3
};

typedef struct qn_hdf5_api {
    void *library;
    hid_t native_float, native_double;
    herr_t (*H5open)(void);
    herr_t (*H5get_libversion)(unsigned *major, unsigned *minor, unsigned *release);
    herr_t (*H5free_memory)(void *memory);
    herr_t (*H5Eget_auto2)(hid_t stack, H5E_auto2_t *function, void **data);
    herr_t (*H5Eset_auto2)(hid_t stack, H5E_auto2_t function, void *data);
    hid_t (*H5Fopen)(const char *name, unsigned flags, hid_t access);
    herr_t (*H5Fclose)(hid_t file);
    hid_t (*H5Oopen)(hid_t place, const char *name, hid_t access);
    herr_t (*H5Oclose)(hid_t object);
    htri_t (*H5Lexists)(hid_t place, const char *name, hid_t access);
    ssize_t (*H5Lget_name_by_idx)(hid_t place, const char *group, H5_index_t index, H5_iter_order_t order,
                                  hsize_t number, char *name, size_t size, hid_t access);
    hid_t (*H5Dopen2)(hid_t place, const char *name, hid_t access);
    herr_t (*H5Dclose)(hid_t dataset);
    hid_t (*H5Dget_space)(hid_t dataset);
    hid_t (*H5Dget_type)(hid_t dataset);
    herr_t (*H5Dread)(hid_t dataset, hid_t memory_type, hid_t memory_space, hid_t file_space, hid_t transfer,
                      void *data);
    hid_t (*H5Screate_simple)(int rank, const hsize_t *sizes, const hsize_t *most);
    int (*H5Sget_simple_extent_ndims)(hid_t space);
    int (*H5Sget_simple_extent_dims)(hid_t space, hsize_t *sizes, hsize_t *most);
    hssize_t (*H5Sget_simple_extent_npoints)(hid_t space);
    herr_t (*H5Sselect_hyperslab)(hid_t space, H5S_seloper_t operation, const hsize_t *start, const hsize_t *stride,
                                  const hsize_t *count, const hsize_t *block);
    herr_t (*H5Sclose)(hid_t space);
    H5T_class_t (*H5Tget_class)(hid_t type);
    size_t (*H5Tget_size)(hid_t type);
    htri_t (*H5Tis_variable_str)(hid_t type);
    herr_t (*H5Tclose)(hid_t type);
    htri_t (*H5Aexists)(hid_t object, const char *name);
    hid_t (*H5Aopen)(hid_t object, const char *name, hid_t access);
    hid_t (*H5Aget_space)(hid_t attribute);
    hid_t (*H5Aget_type)(hid_t attribute);
    herr_t (*H5Aread)(hid_t attribute, hid_t memory_type, void *data);
    herr_t (*H5Aclose)(hid_t attribute);
} qn_hdf5_api;

/* QN_UNSUPPORTED when no HDF5 of version 1.10 or newer is installed; the message says what to install. */
QN_MUST_CHECK qn_status qn_hdf5_load(qn_hdf5_api *api);
void qn_hdf5_unload(qn_hdf5_api *api);

/* HDF5's error handling before the call, restored afterwards for programs that use HDF5 too. */
typedef struct qn_hdf5_quiet {
    H5E_auto2_t function;
    void *data;
} qn_hdf5_quiet;

qn_hdf5_quiet qn_hdf5_enter(const qn_hdf5_api *api);
void qn_hdf5_leave(const qn_hdf5_api *api, qn_hdf5_quiet before);

#endif

/* The runtime's own objects, for the files of this folder. */
#ifndef QN_RUNTIME_OBJECTS_H
#define QN_RUNTIME_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "runtime/device.h"
#include "runtime/trace.h"

/* A program that a thread is building, in the list of its context. */
typedef struct qn_program_build {
    struct qn_program_build *next;
    const char *key; /* of the cache */
} qn_program_build;

struct qn_context {
    qn_pool *pool;
    qn_log_target log;
    bool use_cache;
    bool explain;
    char *kernel_folder; /* NULL: embedded sources */
    qn_trace *trace;     /* NULL: none */
    qn_configuration_source source;
    pthread_mutex_t build_mutex; /* protects `builds` */
    pthread_cond_t built;        /* a build has ended */
    qn_program_build *builds;
};

/* identifier.c: open the driver's device behind an identifier, "auto" included. */
QN_MUST_CHECK qn_status qn_identifier_open(qn_context *context, const char *identifier, const qn_driver **driver,
                                           qn_driver_device *handle, qn_device_info *info);

/* Remove the prefix "checking:": "checking:opencl:0" → "opencl:0"; other identifiers stay the same. */
const char *qn_identifier_of_inner(const char *identifier);

/* A built program of a device. */
typedef struct qn_program_entry {
    struct qn_program_entry *next;
    const qn_family *family;
    qn_configuration configuration;
    char *definitions;
    bool explained; /* the origin of this configuration was logged */
    int users;      /* calls of qn_program_acquire without their qn_program_done */
    bool forgotten; /* removed from the list; the last user destroys it */
    qn_driver_program program;
    qn_driver_kernel kernels[QN_KERNEL_MAX];
} qn_program_entry;

struct qn_device {
    atomic_int references;
    qn_context *context;
    const qn_driver *driver;
    qn_driver_device handle;
    qn_device_info info;
    pthread_mutex_t mutex; /* protects `programs` */
    qn_program_entry *programs;
};

struct qn_buffer {
    atomic_int references;
    qn_device *device;
    qn_driver_buffer handle;
    size_t bytes;
};

struct qn_queue {
    qn_device *device;
    qn_driver_queue handle;
};

struct qn_event {
    atomic_int references;
    qn_device *device;
    qn_driver_event handle;
};

/* Wrap a driver's event for the caller; `event` NULL: the caller wants none, and nothing is done. */
qn_status qn_event_wrap(qn_device *device, qn_driver_event handle, qn_event **event);

/* Add a reference to an event; qn_event_destroy removes one. */
qn_event *qn_event_retain(qn_event *event);

/* programs.c: destroy the programs of a device. */
void qn_device_drop_programs(qn_device *device);

/* Find a program or build it. It is kept until qn_program_done is called. */
QN_MUST_CHECK qn_status qn_program_acquire(qn_device *device, const qn_family *family,
                                           const qn_configuration *configuration, const char *definitions,
                                           qn_program_entry **entry);
void qn_program_done(qn_device *device, qn_program_entry *entry);
bool qn_program_matches(const qn_program_entry *entry, const qn_family *family, const qn_configuration *configuration);

#endif

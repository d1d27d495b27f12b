/* Build of OpenCL programs from source or from their cached binary. */
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/opencl/opencl_driver.h"

/* Get the compiler's messages; "": none. The caller releases them with qn_release. */
static qn_status get_build_log(qn_opencl_device *device, cl_program program, char **log)
{
    size_t length = 0;
    if (device->api.clGetProgramBuildInfo(program, device->id, QN_CL_PROGRAM_BUILD_LOG, 0, NULL, &length) !=
        QN_CL_SUCCESS)
        length = 0;
    QN_TRY(qn_allocate(length + 1, 1, (void **)log));
    if (length > 0 && device->api.clGetProgramBuildInfo(program, device->id, QN_CL_PROGRAM_BUILD_LOG, length, *log,
                                                        NULL) != QN_CL_SUCCESS)
        (*log)[0] = 0;
    return QN_OK;
}

static qn_status build_from_source(qn_opencl_device *device, const qn_program_source *source, const char *options,
                                   cl_program *built)
{
    const char *text = source->text;
    char *log = NULL;
    cl_int error;
    cl_program program = device->api.clCreateProgramWithSource(device->context, 1, &text, NULL, &error);
    QN_TRY(qn_opencl_check(device, error, "creating a program"));
    error = device->api.clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    qn_status status = get_build_log(device, program, &log);
    if (status == QN_OK && error != QN_CL_SUCCESS) {
        const char *first = strstr(log, "error");
        while (first && first > log && first[-1] != '\n') first--;
        qn_log(QN_LOG_DEBUG, "opencl:%d: building %s: %s", device->number, source->family->name, log);
        status = qn_opencl_check(device, error, "building");
        if (status == QN_INTERNAL) status = QN_BUILD_FAILED; /* compilers return various codes for bad source */
        /* NVIDIA's assembler: "uses too much shared data", and likewise for registers and parameters */
        if (strstr(log, "uses too much ")) status = QN_UNSUPPORTED;
        status = qn_error_set(status, __FILE__, __LINE__, "opencl:%d: building %s failed with %s: %.700s",
                              device->number, source->family->name, qn_opencl_error_name(error), first ? first : log);
    }
    qn_release(&log);
    if (status != QN_OK) device->api.clReleaseProgram(program);
    *built = status == QN_OK ? program : NULL;
    return status;
}

static qn_status build_from_binary(qn_opencl_device *device, const qn_program_source *source, const char *options,
                                   const unsigned char *binary, size_t bytes, cl_program *built)
{
    cl_int error, loaded = QN_CL_SUCCESS;
    cl_program program =
        device->api.clCreateProgramWithBinary(device->context, 1, &device->id, &bytes, &binary, &loaded, &error);
    if (error == QN_CL_SUCCESS && loaded == QN_CL_SUCCESS)
        error = device->api.clBuildProgram(program, 1, &device->id, options, NULL, NULL);
    else if (error == QN_CL_SUCCESS)
        error = loaded;
    if (error != QN_CL_SUCCESS) {
        if (program) device->api.clReleaseProgram(program);
        return QN_FAIL(QN_BUILD_FAILED, "opencl:%d: the cached binary of %s does not load (%s)", device->number,
                       source->family->name, qn_opencl_error_name(error));
    }
    *built = program;
    return QN_OK;
}

qn_status qn_opencl_program_build(qn_driver_device opaque, const qn_program_source *source, const void *binary,
                                  size_t binary_bytes, qn_driver_program *program)
{
    qn_opencl_device *device = opaque;
    qn_text options = {0};
    QN_TRY(qn_opencl_alive(device));
    /* Without -w some compilers print warnings to the user's terminal. The test that compiles every kernel with -Werror
     * keeps them. */
    const char *more = source->options ? source->options : "";
    qn_status status = qn_text_append(&options, "-cl-std=CL1.2%s%s %s",
                                      device->rounds_divide_and_root ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
                                      strstr(more, "-Werror") ? "" : " -w", more);
    if (status == QN_OK)
        status = binary ? build_from_binary(device, source, options.data, binary, binary_bytes, (cl_program *)program)
                        : build_from_source(device, source, options.data, (cl_program *)program);
    qn_text_clear(&options);
    return status;
}

qn_status qn_opencl_program_binary(qn_driver_device opaque, qn_driver_program program, void **binary, size_t *bytes)
{
    qn_opencl_device *device = opaque;
    QN_TRY(qn_opencl_alive(device));
    *binary = NULL;
    *bytes = 0;
    /* The program was built for one device, so each of these lists has one entry. */
    QN_TRY(qn_opencl_check(
        device, device->api.clGetProgramInfo(program, QN_CL_PROGRAM_BINARY_SIZES, sizeof *bytes, bytes, NULL),
        "asking for a binary's size"));
    if (*bytes == 0) return QN_OK;
    QN_TRY(qn_allocate(*bytes, 1, binary));
    qn_status status = qn_opencl_check(
        device, device->api.clGetProgramInfo(program, QN_CL_PROGRAM_BINARIES, sizeof *binary, binary, NULL),
        "reading a binary");
    if (status != QN_OK) {
        qn_release(binary);
        *bytes = 0;
    }
    return status;
}

void qn_opencl_program_destroy(qn_driver_device opaque, qn_driver_program program)
{
    qn_opencl_device *device = opaque;
    if (program) device->api.clReleaseProgram(program);
}

/* The part of NVRTC's <nvrtc.h> that written launchers use, for machines without it; see cuda.h. */
#ifndef STUB_NVRTC_H
#define STUB_NVRTC_H

#include <stddef.h>

typedef enum nvrtcResult { NVRTC_SUCCESS = 0 } nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

nvrtcResult nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *,
                               const char *const *);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *);
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t *);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char *);

#endif

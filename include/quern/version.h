/* The library's version. */
#ifndef QUERN_VERSION_H
#define QUERN_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
const char *qn_version(void);

#ifdef __cplusplus
}
#endif
#endif

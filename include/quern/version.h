/* The version of this header, and that of the library that a program runs with.
 *
 *     printf("compiled with %d.%d.%d\n", QN_VERSION_MAJOR, QN_VERSION_MINOR, QN_VERSION_PATCH);
 *     printf("runs with %s\n", qn_version());
 */
#ifndef QUERN_VERSION_H
#define QUERN_VERSION_H

#define QN_VERSION_MAJOR 0
#define QN_VERSION_MINOR 1
#define QN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Version of the library, "0.1.0". A constant text. */
const char *qn_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

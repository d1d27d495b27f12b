/* Libraries of ours that are loaded at run time, because they need libraries of others: libquern_mpi.so,
 * libquern_mumps.so. */
#ifndef QN_BASE_MODULE_H
#define QN_BASE_MODULE_H

/* Load a library and return dlopen's handle; NULL if there is none, and dlerror has the reason. It is the file that the
 * environment variable `variable` names; else file `name` in the folder of this library or of the program, in the
 * folder quern beside it, or in the folder quern of the place where libraries are installed. mode: of dlopen. */
void *qn_module_load(const char *name, const char *variable, int mode);

#endif

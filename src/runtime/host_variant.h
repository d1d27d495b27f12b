/* Selection of the build of a host kernel that fits this processor.
 *
 * Every *_host.c is compiled once per instruction set level (x86-64-v2, v3, v4). Its functions are static; it exports
 * one table, named with QN_HOST_VARIANT:
 *
 *     const qn_host_kernel QN_HOST_VARIANT(qn_dock_ligand_grids_host)[] = {spread, convert};       // in *_host.c
 *     QN_HOST_DECLARE(const qn_host_kernel, qn_dock_ligand_grids_host);                            // in .h or .c
 *     qn_host_kernel spread = QN_HOST_SELECT(qn_dock_ligand_grids_host)[0];
 */
#ifndef QN_RUNTIME_HOST_VARIANT_H
#define QN_RUNTIME_HOST_VARIANT_H

#define QN_PASTE_(a, b) a##_##b
#define QN_PASTE(a, b) QN_PASTE_(a, b)
#define QN_HOST_VARIANT(name) QN_PASTE(name, QN_HOST_VARIANT_SUFFIX)

/* Return the highest level that this processor runs: 2, 3 or 4. QUERN_HOST_LEVEL=2|3|4 lowers it, for tests, unless the
 * kernels were built for one level only. */
int qn_host_level(void);
/* The same without QUERN_HOST_LEVEL: the level that OpenCL's CPU compilers use. */
int qn_processor_level(void);

#ifdef QN_HOST_BASELINE_ONLY
#define QN_HOST_DECLARE(type, name) extern type name##_baseline[]
#define QN_HOST_SELECT(name) (name##_baseline)
#else
#define QN_HOST_DECLARE(type, name) extern type name##_v2[], name##_v3[], name##_v4[]
#define QN_HOST_SELECT(name) (qn_host_level() == 4 ? name##_v4 : qn_host_level() == 3 ? name##_v3 : name##_v2)
#endif

#endif

/* Tunnels through a molecule, as files: spheres (CAVER's PDB) or discs (CaverDock's .dsd).
 *
 *     qn_tunnel_file file;
 *     QN_TRY(qn_tunnel_file_read("tunnel.pdb", &file));
 *     for (int i = 0; i < file.sphere_count; i++) use(file.spheres[i]);
 *     qn_tunnel_file_release(&file);
 */
#ifndef QN_FORMAT_TUNNEL_TUNNEL_FILE_H
#define QN_FORMAT_TUNNEL_TUNNEL_FILE_H

#include <quern/status.h>

/* Å */
typedef struct qn_tunnel_sphere {
    double place[3], radius;
} qn_tunnel_sphere;

/* Å; the normal has length 1 */
typedef struct qn_tunnel_disc {
    double centre[3], normal[3], radius;
} qn_tunnel_disc;

/* Either spheres or discs, in the order of the file; the other count is 0. */
typedef struct qn_tunnel_file {
    int sphere_count;
    qn_tunnel_sphere *spheres;
    int disc_count;
    qn_tunnel_disc *discs;
} qn_tunnel_file;

enum { QN_TUNNEL_MOST = 100000 }; /* spheres or discs of a file */

/* Read CAVER's PDB or CaverDock's .dsd, whichever the content is; gzipped or not, "-" for standard input. After a
 * failure nothing needs to be released. Errors: those of qn_file_open; QN_BAD_FORMAT naming line and value: a number
 * missing, no number or out of range, a radius that is not positive, a normal whose length is not 1, spheres that do
 * not touch, several tunnels. */
QN_MUST_CHECK qn_status qn_tunnel_file_read(const char *path, qn_tunnel_file *file);
void qn_tunnel_file_release(qn_tunnel_file *file);

/* Write spheres as CAVER does, with three digits after the point: `tunnel` (1 to 9999) is their residue number,
 * neighbours are joined by CONECT records. QN_INVALID_ARGUMENT for numbers that do not fit into the columns. */
QN_MUST_CHECK qn_status qn_tunnel_spheres_write(const char *path, int tunnel, const qn_tunnel_sphere *spheres,
                                                int count);

/* Write discs, a line each: centre, normal, radius, with 15 digits. QN_INVALID_ARGUMENT for what the reader refuses. */
QN_MUST_CHECK qn_status qn_tunnel_discs_write(const char *path, const qn_tunnel_disc *discs, int count);

#endif

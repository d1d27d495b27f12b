/* Properties of every tunnel that the reader accepts. */
#ifndef QN_TESTS_FUZZ_TUNNEL_TRIP_H
#define QN_TESTS_FUZZ_TUNNEL_TRIP_H

#include <math.h>
#include <string.h>

#include "format/tunnel/tunnel_file.h"
#include "memory_file.h"

/* Read bytes as a tunnel; what is read is written, and read again without change. Spheres beyond the columns of a PDB
 * may be refused by the writer, and rounding may part spheres that touch. */
static inline void try_tunnel(const uint8_t *data, size_t size)
{
    char path[64];
    qn_tunnel_file file, back;
    const int descriptor = open_bytes(data, size, path);
    qn_status status = qn_tunnel_file_read(path, &file);
    demand(status == QN_OK || (status == QN_BAD_FORMAT && qn_error_message()[0] && !file.spheres && !file.discs));
    if (status == QN_OK) {
        demand((file.sphere_count > 0) != (file.disc_count > 0));
        for (int i = 0; i < file.sphere_count; i++)
            demand(file.spheres[i].radius > 0 && fabs(file.spheres[i].place[0]) <= 1e5);
        snprintf(path, sizeof path, "/tmp/fuzz_tunnel.%ld", (long)getpid());
        status = file.disc_count ? qn_tunnel_discs_write(path, file.discs, file.disc_count)
                                 : qn_tunnel_spheres_write(path, 1, file.spheres, file.sphere_count);
        demand(status == QN_OK || (file.sphere_count > 0 && status == QN_INVALID_ARGUMENT));
        if (status == QN_OK) {
            demand(qn_tunnel_file_read(path, &back) == QN_OK);
            demand(back.sphere_count == file.sphere_count && back.disc_count == file.disc_count);
            for (int i = 0; i < file.sphere_count; i++)
                demand(fabs(back.spheres[i].radius - file.spheres[i].radius) <= 0.00051);
            for (int i = 0; i < file.disc_count; i++)
                demand(fabs(back.discs[i].normal[2] - file.discs[i].normal[2]) <= 1e-12);
            qn_tunnel_file_release(&back);
            unlink(path);
        }
        qn_tunnel_file_release(&file);
    }
    close(descriptor);
}

#endif

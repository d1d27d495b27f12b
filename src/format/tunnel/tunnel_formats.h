/* The forms of files with tunnels. */
#ifndef QN_FORMAT_TUNNEL_TUNNEL_FORMATS_H
#define QN_FORMAT_TUNNEL_TUNNEL_FORMATS_H

#include "format/record_lines.h"
#include "format/tunnel/tunnel_file.h"

enum { QN_TUNNEL_RADIUS_MOST = 1000 }; /* Å */

/* Whether a line is an ATOM or HETATM record. `lines` stands before the first line, here and below. */
bool qn_caver_recognise(qn_record_lines lines);

/* Spheres or discs that were read before a failure are in `file`; the caller releases them. */
QN_MUST_CHECK qn_status qn_caver_read(qn_record_lines lines, qn_tunnel_file *file);
QN_MUST_CHECK qn_status qn_tunnel_discs_read(qn_record_lines lines, qn_tunnel_file *file);

QN_MUST_CHECK qn_status qn_tunnel_radius(const qn_record_lines *lines, qn_word word, double *radius);

#endif

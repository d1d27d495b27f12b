/* The lines of a small molecule's record, and a check that holds for all record formats. */
#ifndef QN_FORMAT_COMPOUND_COMPOUND_LINES_H
#define QN_FORMAT_COMPOUND_COMPOUND_LINES_H

#include "format/compound/compound_stream.h"
#include "format/record_lines.h"

/* Lines of a record, before the first line. */
qn_record_lines qn_compound_lines_start(const qn_compound_record *record);

/* QN_BAD_FORMAT for two bonds between the same two atoms. */
QN_MUST_CHECK qn_status qn_compound_lines_check(const qn_compound_record *record, const qn_compound *compound);

#endif

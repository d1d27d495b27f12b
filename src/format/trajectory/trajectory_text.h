/* Functions that the text formats of trajectories share. The bytes of a frame are a head of fixed size, filled while
 * reading (box, columns, units), followed by the lines of its atoms, which any thread parses. */
#ifndef QN_FORMAT_TRAJECTORY_TRAJECTORY_TEXT_H
#define QN_FORMAT_TRAJECTORY_TRAJECTORY_TEXT_H

#include "format/record_lines.h"
#include "format/trajectory/trajectory_format.h"

enum { QN_TEXT_SHOWN_BYTES = 65536 }; /* bytes that a byte source shows at once */

/* The next line of the file, not taken yet. */
typedef struct qn_text_line {
    qn_record_lines line;
    size_t size; /* with its end; 0 after the last line */
    bool open;   /* the file ends within the line or right after it, so the line has no end */
} qn_text_line;

/* Valid until the next call on the stream. QN_BAD_FORMAT for a line of over a MiB. */
QN_MUST_CHECK qn_status qn_text_line_next(qn_trajectory_stream *stream, qn_text_line *line);
void qn_text_line_take(qn_trajectory_stream *stream, const qn_text_line *line);

/* The same, after taking any blank lines before it. */
QN_MUST_CHECK qn_status qn_text_line_next_filled(qn_trajectory_stream *stream, qn_text_line *line);

bool qn_text_is_blank(const qn_text_line *line);

/* Of the bytes that a byte source shows, the line after the first `skipped` lines; false after their end. */
bool qn_text_shown_line(const char *head, size_t size, int skipped, qn_record_lines *line);

/* Whether a line is a number of atoms alone: at least 1. */
bool qn_text_is_count(const qn_record_lines *line, int *count);

/* QN_BAD_FORMAT: this line of the frame is not what was expected. */
QN_MUST_CHECK qn_status qn_text_unexpected(const qn_record_lines *line, uint64_t frame, const char *expected);

/* Make room for the head; lines follow. */
QN_MUST_CHECK qn_status qn_text_frame_begin(qn_frame_bytes *bytes, size_t head_size);
QN_MUST_CHECK qn_status qn_text_frame_keep(qn_frame_bytes *bytes, const qn_text_line *line);
/* Take and store up to `count` lines, fewer at the end of the file; *last_is_open: the last one has no line end. */
QN_MUST_CHECK qn_status qn_text_frame_keep_lines(qn_trajectory_stream *stream, qn_frame_bytes *bytes, size_t count,
                                                 size_t *kept, bool *last_is_open);

/* The lines after the head, before the first one, which has number `first_line` in the file. */
qn_record_lines qn_text_frame_lines(const qn_trajectory_stream *stream, const qn_frame_bytes *bytes, size_t head_size,
                                    size_t first_line);

/* Check that the frame has as many atoms as the stream; a stream whose number is not known yet takes it over. */
QN_MUST_CHECK qn_status qn_text_frame_count(qn_trajectory_stream *stream, const qn_record_lines *line, size_t count);

/* One of x, y, z (`axis`) as nm, `unit_nm` being the file's unit: a number of at most 1e6 nm. */
QN_MUST_CHECK qn_status qn_text_coordinate(const qn_record_lines *line, const qn_frame_bytes *bytes, int axis,
                                           qn_word word, double unit_nm, float *position_nm);

/* Whether the last word of the line, at which the file ends, has fewer decimals than the word before it, so that it is
 * a cut number. */
bool qn_text_is_cut(const qn_record_lines *line);

/* The number after the last `key` ("t=") that begins a word; false when there is none. */
bool qn_text_find_number(const qn_record_lines *line, const char *key, double *value);

/* Turn a crystallographic cell, Å and degrees, into box vectors; none for a cell of 0 or 1 Å in all directions, which
 * structures without a crystal have. */
QN_MUST_CHECK qn_status qn_text_cell(const double lengths_angstrom[3], const double angles_degrees[3],
                                     double box_nm[9]);

#endif

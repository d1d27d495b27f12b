/* Micrographs as MRC files. */
#include "base/error.h"
#include "format/image/mrc_write.h"
#include "movie/output.h"

qn_status qn_movie_image_write(const char *path, const float *values, int width, int height, double pixel_angstrom,
                               bool half)
{
    const qn_mrc_description description = {.counts = {width, height, 1},
                                            .voxel_angstrom = {pixel_angstrom, pixel_angstrom, pixel_angstrom},
                                            .is_stack = true,
                                            .label = "quern movie"};
    qn_mrc_writer *writer;
    QN_TRY(qn_mrc_writer_create(path, half, &writer));
    qn_status status = qn_mrc_writer_append(writer, values, (size_t)width * (size_t)height);
    if (status == QN_OK) return qn_mrc_writer_finish(&writer, &description);
    qn_mrc_writer_discard(&writer);
    return status;
}

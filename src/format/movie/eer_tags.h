/* Numbers of EER files: compressions of frames, and private tags of TIFF. */
#ifndef QN_FORMAT_MOVIE_EER_TAGS_H
#define QN_FORMAT_MOVIE_EER_TAGS_H

#include <stdbool.h>

enum {
    QN_EER_RUNS_OF_8 = 65000, /* compression: 8 bits a run, 2 + 2 bits a place, also after the largest run */
    QN_EER_RUNS_OF_7 = 65001, /* compression: 7 bits a run, 2 + 2 bits a place */
    QN_EER_BITS_IN_TAGS = 65002,
    QN_EER_TAG_METADATA = 65001, /* XML with an item for each fact of the exposure */
    QN_EER_TAG_RUN_BITS = 65007,
    QN_EER_TAG_X_BITS = 65008,
    QN_EER_TAG_Y_BITS = 65009
};

static inline bool qn_eer_is_compression(int compression)
{
    return compression >= QN_EER_RUNS_OF_8 && compression <= QN_EER_BITS_IN_TAGS;
}

#endif

/* The rows of BUDE's force fields. */
#ifndef QN_SCORE_BUDE_TABLE_H
#define QN_SCORE_BUDE_TABLE_H

#include "score/bude.h"

enum { QN_BUDE_TYPES_2013 = 34, QN_BUDE_TYPES_2016 = 44 };

extern const qn_bude_type qn_bude_types_2013[QN_BUDE_TYPES_2013];
extern const qn_bude_type qn_bude_types_2016[QN_BUDE_TYPES_2016];

#endif

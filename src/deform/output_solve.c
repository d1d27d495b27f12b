/* The files of quern deform solve. */
#include "base/error.h"
#include "deform/solve.h"

qn_status qn_deform_write_solution(qn_deform_solution *solution)
{
    (void)solution;
    return QN_OK;
}

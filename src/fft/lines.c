#include "fft/lines.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846;

qn_status qn_row_plan_create(qn_row_kind kind, int length, bool inverse, int filled, qn_row_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    const bool halved = kind != QN_ROW_COMPLEX && length % 2 == 0 && length > 0;
    QN_TRY(qn_line_plan_create(halved ? length / 2 : length, inverse, &plan->line));
    plan->kind = kind;
    plan->length = length;
    if (filled <= 0 || filled > length) filled = length;
    const int half_floats = 2 * (length / 2 + 1);
    plan->input_floats = kind == QN_ROW_COMPLEX ? 2 * filled : kind == QN_ROW_REAL_TO_HALF ? filled : half_floats;
    plan->output_floats = kind == QN_ROW_COMPLEX ? 2 * length : kind == QN_ROW_REAL_TO_HALF ? half_floats : length;
    if (!halved) return QN_OK;
    void *memory;
    qn_status status = qn_allocate(2 * ((size_t)length / 4 + 1), sizeof(float), &memory);
    if (status != QN_OK) {
        qn_row_plan_clear(plan);
        return status;
    }
    plan->factors = memory;
    for (int k = 0; k <= length / 4; k++) {
        plan->factors[2 * k] = (float)cos(2 * pi * k / length);
        plan->factors[2 * k + 1] = (float)-sin(2 * pi * k / length);
    }
    return QN_OK;
}

void qn_row_plan_clear(qn_row_plan *plan)
{
    qn_line_plan_clear(&plan->line);
    qn_release(&plan->factors);
}

size_t qn_line_scratch_floats(const qn_line_plan *plan, int lanes)
{
    const size_t points = 2 * ((size_t)plan->length + 1) + 2 * ((size_t)plan->largest_prime / 2 + 1);
    return (2 * (size_t)lanes * points + 15) & ~(size_t)15;
}

void qn_line_columns(const qn_line_functions *lines, const qn_line_plan *plan, const float *in, ptrdiff_t in_step,
                     int filled, float *out, ptrdiff_t out_step, int first, int end, int width, float *scratch)
{
    for (int x = first; x < end; x += lines->lanes) {
        int count = width - x < lines->lanes ? width - x : lines->lanes, from = x;
        if (count < lines->lanes && in != out && width >= lines->lanes) {
            from = width - lines->lanes;
            count = lines->lanes;
        }
        lines->columns(plan, in + 2 * from, in_step, filled, out + 2 * from, out_step, count, scratch);
    }
}

int qn_line_plane_step(int width)
{
    const int floats = (2 * width + 15) / 16 * 16;
    return floats % 1024 == 0 ? floats + 16 : floats;
}

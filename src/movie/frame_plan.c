#include "movie/frame_plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static qn_status add_frame(qn_movie_frame_plan *plan, qn_movie_frame frame)
{
    size_t capacity = (size_t)plan->capacity;
    void *memory = plan->frames;
    qn_status status = qn_grow(&memory, &capacity, (size_t)plan->count + 1, sizeof *plan->frames);
    plan->frames = memory;
    plan->capacity = (int)capacity;
    if (status == QN_OK) plan->frames[plan->count++] = frame;
    return status;
}

/* Groups of a file's frames. The rest of a line, too few for a group, is left out; its dose goes to the next group. */
static qn_status add_groups(const qn_movie_fractions *fractions, int file_frames, qn_movie_frame_plan *plan)
{
    double left_out = 0;
    int at = 0;
    for (size_t i = 0; i < fractions->count; i++) {
        const qn_movie_fraction *line = &fractions->lines[i];
        const int end = line->frames > file_frames - at ? file_frames : at + line->frames;
        plan->has_dose |= line->dose > 0;
        plan->adds |= line->group > 1;
        for (; end - at >= line->group; at += line->group, left_out = 0)
            QN_TRY(add_frame(plan, (qn_movie_frame){at, line->group, left_out + line->group * line->dose}));
        left_out += (end - at) * line->dose;
        at = end;
    }
    if (at < file_frames)
        return QN_FAIL(QN_BAD_FORMAT, "has %d frames, but the fractions are of %d; expected a line for each frame",
                       file_frames, at);
    return QN_OK;
}

/* Keep the frames of the options' range. */
static void cut(const qn_movie_run_options *options, qn_movie_frame_plan *plan)
{
    const int count = plan->count;
    const int first = options->frames[0] - 1 < (uint64_t)count ? (int)options->frames[0] - 1 : count;
    const int end = options->frames[1] < (uint64_t)count ? (int)options->frames[1] : count;
    plan->all = count;
    plan->start = first;
    plan->pre_dose = options->pre_dose;
    plan->count = 0;
    for (int i = 0; i < first; i++) plan->pre_dose += plan->frames[i].dose;
    for (int i = first; i < end; i++) plan->frames[plan->count++] = plan->frames[i];
    for (int i = 0; i < plan->count; i++) plan->dose += plan->frames[i].dose;
}

qn_status qn_movie_frame_plan_make(const qn_movie_run_options *options, const qn_movie_fractions *fractions,
                                   int file_frames, double total_share, qn_movie_frame_plan *plan)
{
    const double dose = options->total_dose > 0 ? options->total_dose * total_share : options->dose;
    *plan = (qn_movie_frame_plan){.has_dose = !fractions && dose > 0};
    if (fractions)
        QN_TRY(add_groups(fractions, file_frames, plan));
    else
        for (int i = 0; i < file_frames; i++) QN_TRY(add_frame(plan, (qn_movie_frame){i, 1, dose}));
    cut(options, plan);
    if (plan->count >= QN_MOVIE_FRAMES_LEAST) return QN_OK;
    if (fractions && plan->count == plan->all)
        return QN_FAIL(QN_BAD_FORMAT, "has %s in the fractions of its %d; expected at least %d",
                       qn_count_of((unsigned long long)plan->all, "frame").text, file_frames, QN_MOVIE_FRAMES_LEAST);
    if (plan->count == plan->all)
        return QN_FAIL(QN_BAD_FORMAT, "has %s; expected at least %d",
                       qn_count_of((unsigned long long)plan->all, "frame").text, QN_MOVIE_FRAMES_LEAST);
    return QN_FAIL(QN_BAD_FORMAT, "has %s, of which --frames keeps %d; expected at least %d",
                   qn_count_of((unsigned long long)plan->all, "frame").text, plan->count, QN_MOVIE_FRAMES_LEAST);
}

void qn_movie_frame_plan_clear(qn_movie_frame_plan *plan)
{
    qn_release(&plan->frames);
    *plan = (qn_movie_frame_plan){.count = 0};
}

double qn_movie_dose_after(const qn_movie_frame_plan *plan, int frame)
{
    double dose = plan->pre_dose;
    for (int i = 0; i <= frame; i++) dose += plan->frames[i].dose;
    return dose;
}

/* The options of quern fft advise. */
#include <math.h>
#include <quern/fft.h>

#include "base/error.h"
#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_fft_advice_options, name)

static const qn_option rows[] = {
    {.name = "size",
     .kind = QN_OPTION_SIZES,
     .group = QN_OPTION_ARGUMENT,
     .argument = "SIZE",
     .offset = FIELD(size),
     .least = 1,
     .most = QN_FFT_SIZE_MAX,
     .count = 3,
     .required = true,
     .meaning = "wanted size in points along x, y and z: 4096, 4096x4092 or 180x168x180; x is contiguous in "
                "memory"},
    {.name = "crop",
     .letter = 'c',
     .kind = QN_OPTION_PERCENTS,
     .argument = "PERCENT",
     .offset = FIELD(crop_percent),
     .least = 0,
     .most = 99.9,
     .fallback = "0",
     .unit = "percent",
     .meaning = "how much the size may shrink: 10% on every axis, or one for each axis: 10%,0,5%"},
    {.name = "grow",
     .letter = 'g',
     .kind = QN_OPTION_PERCENTS,
     .argument = "PERCENT",
     .offset = FIELD(grow_percent),
     .least = 0,
     .most = 400,
     .fallback = "20%",
     .unit = "percent",
     .meaning = "how much the size may grow, in the same form"},
    {.name = "kind",
     .letter = 'k',
     .kind = QN_OPTION_ENUM,
     .argument = "KIND",
     .offset = FIELD(kind),
     .choices = "complex complex-inverse real real-inverse",
     .fallback = "real",
     .meaning =
         "the transform, in single precision: real to half spectrum, complex to complex, or the inverse of either"},
    {.name = "batch",
     .letter = 'b',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(batch),
     .least = 1,
     .most = 1 << 24,
     .fallback = "1",
     .meaning = "transforms computed together"},
    {.name = "swap-axes",
     .letter = 's',
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(swap_axes),
     .meaning = "axes may change places"},
    {.name = "engine",
     .letter = 'e',
     .kind = QN_OPTION_ENUM,
     .argument = "ENGINE",
     .offset = FIELD(engine),
     .choices = "auto own fftw vkfft cufft",
     .fallback = "auto",
     .meaning = "engine that computes the transforms; auto: the one that other commands use"},
    {.name = "candidates",
     .letter = 'n',
     .kind = QN_OPTION_INTEGER,
     .argument = "COUNT",
     .offset = FIELD(candidates),
     .least = 1,
     .most = QN_FFT_ADVICE_ROWS_MAX - 1,
     .fallback = "8",
     .meaning = "sizes shown, and measured in turns with the wanted size: the best by estimate"},
    {.name = "no-measure", .kind = QN_OPTION_FLAG, .offset = FIELD(without_measuring), .meaning = "use only estimates"},
    {.name = "fresh",
     .letter = 'f',
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(measure_again),
     .meaning = "measure even if an answer for this device is stored"},
    {.name = "no-cache",
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(without_cache),
     .meaning = "neither read nor store answers"},
    {.like = &qn_run_rows[QN_RUN_MEMORY],
     .letter = 'M',
     .offset = FIELD(run),
     .unit = "MiB",
     .fallback_meaning = "the device's memory",
     .meaning = "limit of data and work memory together"},
    {.like = &qn_run_rows[QN_RUN_DEVICE], .offset = FIELD(run)},
    {.like = &qn_run_rows[QN_RUN_THREADS],
     .offset = FIELD(run),
     .fallback_meaning = "every processor this process may use",
     .meaning = "CPU threads of the host device"},
    {0}};

/* Check percentages: one stands for all axes, otherwise there is one for each axis of the size. */
static qn_status check_percents(const char *name, const double percents[3], int axes)
{
    int told = 3;
    while (told > 0 && isnan(percents[told - 1])) told--;
    if (told == axes || (told == 3 && percents[0] == percents[1] && percents[0] == percents[2])) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "--%s has %d percentages, but the size has %d %s; expected one for all axes or one for each", name,
                   told, axes, axes == 1 ? "axis" : "axes");
}

static qn_status check(const void *memory)
{
    const qn_fft_advice_options *options = memory;
    int axes = 3;
    while (axes > 1 && options->size[axes - 1] == 0) axes--;
    QN_TRY(check_percents("crop", options->crop_percent, axes));
    return check_percents("grow", options->grow_percent, axes);
}

static const qn_option_table table = {"fft advise", sizeof(qn_fft_advice_options), rows, check};

const qn_option_table *qn_fft_advice_option_table(void)
{
    return &table;
}

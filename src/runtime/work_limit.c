/* The time of a launch that a device's rates allow. */
#include <math.h>
#include <quern/family.h>

double qn_work_limit_seconds(const qn_work *work, const qn_device_rates *rates, const char **pipe)
{
    const double both = work->bytes_read < work->bytes_written ? work->bytes_read : work->bytes_written;
    const struct {
        const char *name;
        double amount, rate, also; /* also: seconds that the same pipe needs for work with a different rate */
    } pipes[] = {
        {"memory", work->bytes_read - both, rates->read_bytes_per_s,
         work->bytes_written > 0 ? (work->bytes_written + both) / rates->copy_bytes_per_s : 0},
        {"multiply-add", work->multiply_adds, rates->multiply_adds_per_s, 0},
        {"reciprocal root", work->reciprocal_roots, rates->reciprocal_roots_per_s, 0},
        {"local atomics", work->local_atomics, rates->local_atomics_per_s, 0},
    };
    double longest = 0;
    const char *slowest = pipes[0].name;
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++) {
        double seconds = (pipes[i].amount > 0 ? pipes[i].amount / pipes[i].rate : 0) + pipes[i].also;
        if (seconds <= longest) continue;
        longest = seconds;
        slowest = pipes[i].name;
    }
    if (pipe) *pipe = slowest;
    return isfinite(longest) ? longest : 0;
}

#include "tune/model/nominal.h"

/* About those of a GPU of 2022. They must never change, because stored results are scaled by them. */
const qn_device_rates qn_tune_nominal_rates = {3e12, 3e12, 2e13, 4e12, 1e12};

double qn_tune_nominal_seconds(const qn_work *work)
{
    return qn_work_limit_seconds(work, &qn_tune_nominal_rates, NULL);
}

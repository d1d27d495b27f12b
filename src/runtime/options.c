/* The options of quern devices. */
#include <quern/device.h>

#include "option/run_rows.h"

#define FIELD(name) offsetof(qn_devices_options, name)

static const qn_option rows[] = {
    {.name = "measure",
     .letter = 'm',
     .kind = QN_OPTION_FLAG,
     .offset = FIELD(measure),
     .meaning = "measure memory bandwidth and arithmetic rates of each usable device (some seconds per device)"},
    {.like = &qn_run_rows[QN_RUN_DEVICE],
     .offset = FIELD(run),
     .fallback = "",
     .meaning = "list only this device: host, opencl:N or cuda:N"},
    {.like = &qn_run_rows[QN_RUN_THREADS],
     .offset = FIELD(run),
     .fallback_meaning = "every processor this process may use",
     .meaning = "CPU threads of the host device"},
    {0}};

static const qn_option_table table = {"devices", sizeof(qn_devices_options), rows, NULL};

const qn_option_table *qn_devices_option_table(void)
{
    return &table;
}

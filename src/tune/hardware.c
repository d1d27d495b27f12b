#include "tune/hardware.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6 };

static const double gib = 1024.0 * 1024 * 1024;

/* Copy a field without tabs, which separate the fields of a line. */
static void copy_field(const char *text, char *field, size_t capacity)
{
    snprintf(field, capacity, "%s", text);
    for (char *at = field; *at; at++)
        if (*at == '\t' || *at == '\n') *at = ' ';
}

void qn_hardware_of(const qn_device_info *info, const char *inner_driver, qn_hardware *hardware)
{
    const bool checking = strcmp(info->driver, "checking") == 0;
    *hardware = (qn_hardware){.is_cpu = info->kind == QN_DEVICE_CPU,
                              .units = info->compute_units,
                              .memory_gib = (double)info->memory_bytes / gib};
    snprintf(hardware->driver, sizeof hardware->driver, "%s%s", checking ? "checking:" : "",
             checking ? inner_driver : info->driver);
    copy_field(info->name, hardware->name, sizeof hardware->name);
    copy_field(info->architecture, hardware->architecture, sizeof hardware->architecture);
    copy_field(info->vendor, hardware->vendor, sizeof hardware->vendor);
}

void qn_hardware_name(const qn_hardware *hardware, char name[QN_HARDWARE_NAME])
{
    if (hardware->is_cpu) /* several kinds share a name; a process may have only some threads */
        snprintf(name, QN_HARDWARE_NAME, "%s, %s, %d threads", hardware->name, hardware->architecture, hardware->units);
    else
        snprintf(name, QN_HARDWARE_NAME, "%s", hardware->name);
}

void qn_hardware_line(const qn_hardware *hardware, char line[QN_HARDWARE_LINE])
{
    snprintf(line, QN_HARDWARE_LINE, "%s\t%s\t%s\t%s\t%d %s\t%.1f GiB", hardware->driver, hardware->name,
             hardware->architecture, hardware->vendor, hardware->units, hardware->is_cpu ? "threads" : "units",
             hardware->memory_gib);
}

/* Read a field that consists of a number above 0 and a word. */
static bool read_measure(const char *field, const char *word, double *value)
{
    char *end;
    *value = strtod(field, &end);
    return end > field && *value > 0 && isfinite(*value) && *end == ' ' && strcmp(end + 1, word) == 0;
}

bool qn_hardware_read(const char *line, qn_hardware *hardware)
{
    char copy[QN_HARDWARE_LINE], *fields[FIELDS];
    double units;
    int count = 0;
    *hardware = (qn_hardware){.units = 0};
    if (strlen(line) >= sizeof copy) return false;
    strcpy(copy, line);
    for (char *at = copy; at; count++) {
        char *tab = strchr(at, '\t');
        if (tab) *tab++ = '\0';
        if (count < FIELDS) fields[count] = at;
        at = tab;
    }
    if (count != FIELDS || !fields[0][0] || !fields[1][0]) return false;
    if (strlen(fields[0]) >= sizeof hardware->driver || strlen(fields[1]) >= sizeof hardware->name ||
        strlen(fields[2]) >= sizeof hardware->architecture || strlen(fields[3]) >= sizeof hardware->vendor)
        return false;
    strcpy(hardware->driver, fields[0]);
    strcpy(hardware->name, fields[1]);
    strcpy(hardware->architecture, fields[2]);
    strcpy(hardware->vendor, fields[3]);
    hardware->is_cpu = read_measure(fields[4], "threads", &units);
    if (!hardware->is_cpu && !read_measure(fields[4], "units", &units)) return false;
    if (units > 1e6) return false;
    hardware->units = (int)units;
    return read_measure(fields[5], "GiB", &hardware->memory_gib);
}

qn_tune_nearness qn_hardware_nearness(const qn_hardware *a, const qn_hardware *b)
{
    char first[QN_HARDWARE_NAME], second[QN_HARDWARE_NAME];
    if (strcmp(a->driver, b->driver) != 0 || a->is_cpu != b->is_cpu) return QN_TUNE_UNRELATED;
    qn_hardware_name(a, first);
    qn_hardware_name(b, second);
    if (strcmp(first, second) == 0) return QN_TUNE_THIS_DEVICE;
    if (a->architecture[0] && strcmp(a->architecture, b->architecture) == 0) return QN_TUNE_SAME_ARCHITECTURE;
    if (a->vendor[0] && strcmp(a->vendor, b->vendor) == 0) return QN_TUNE_SAME_VENDOR;
    return QN_TUNE_UNRELATED;
}

static double log_ratio(double a, double b)
{
    return a > 0 && b > 0 ? fabs(log(a / b)) : log(2);
}

double qn_hardware_distance(const qn_hardware *a, const qn_hardware *b)
{
    return log_ratio(a->units, b->units) + log_ratio(a->memory_gib, b->memory_gib);
}

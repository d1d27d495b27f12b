/* Names of devices in tuning results, and the similarity of two devices.
 *
 * Results of one device are a first guess for another device of the same architecture, else of the same vendor. Of
 * several such results, those of the device with the most similar compute units and memory come first.
 */
#ifndef QN_TUNE_HARDWARE_H
#define QN_TUNE_HARDWARE_H

#include <quern/tune.h>

#include "base/text.h"

enum { QN_HARDWARE_NAME = 192, QN_HARDWARE_LINE = 512 };

typedef struct qn_hardware {
    char driver[24]; /* "cuda", "checking:host"; results are not used by another driver */
    char name[128], architecture[32], vendor[64];
    bool is_cpu;
    int units; /* compute units of a GPU, threads on a CPU */
    double memory_gib;
} qn_hardware;

void qn_hardware_of(const qn_device_info *info, const char *inner_driver, qn_hardware *hardware);

/* "NVIDIA H200", "AMD EPYC, x86-64-v4, 2 threads": devices of one driver and one name count as the same. */
void qn_hardware_name(const qn_hardware *hardware, char name[QN_HARDWARE_NAME]);

/* Write driver, name, architecture, vendor, units and memory, separated by tabs: "cuda\tNVIDIA H200\tcuda
 * 9.0\tNVIDIA\t132 units\t139.8 GiB"; of a CPU "2 threads". Read such a line; false if it has another form. */
void qn_hardware_line(const qn_hardware *hardware, char line[QN_HARDWARE_LINE]);
bool qn_hardware_read(const char *line, qn_hardware *hardware);

qn_tune_nearness qn_hardware_nearness(const qn_hardware *a, const qn_hardware *b);

/* Difference of two devices: the sum of |log(ratio)| of the compute units and of the memory; 0 if both are equal. If a
 * number is not known, its ratio counts as 2. */
double qn_hardware_distance(const qn_hardware *a, const qn_hardware *b);

#endif

/* Static models of kernels whose spaces were recorded, from facts that the files do not contain. */
#ifndef QN_TUNE_MODEL_STATIC_RECORDED_H
#define QN_TUNE_MODEL_STATIC_RECORDED_H

#include "tune/model/static_model.h"

/* Kernels are recognised by their parameters: KTT's 2-D convolution and direct Coulomb sum, the autotuning community's
 * convolution. Errors: QN_NOT_FOUND for any other space. */
QN_MUST_CHECK qn_status qn_static_model_of_record(const qn_recorded_space *record, const qn_static_limits *limits,
                                                  qn_tuning_model **model);

/* Get facts of the device that a space was recorded on, by the device's or the file's name. Rates come from its data
 * sheet, the memory rate from what copies reach. Returns false for a device that is not in the table; rates and limits
 * are then 0. */
bool qn_recorded_device(const char *name, qn_device_info *device, qn_device_rates *rates, qn_static_limits *limits);

#endif

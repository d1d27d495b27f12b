/* A sequence suited to its device: measured rates, and the implementations that calls use. */
#ifndef QN_FUSE_SUIT_H
#define QN_FUSE_SUIT_H

#include "fuse/rates/rates.h"
#include "fuse/sequence.h"

/* Suit a sequence to a device, and choose kernels again if that changes anything. `device` NULL: rates are assumed, and
 * kernels suit the device that `info` describes; the host tries implementations of users. Implementations that cannot
 * be used are told by warnings. Errors: QN_BAD_FORMAT (a body does not compile), with the place in the library. */
QN_MUST_CHECK qn_status qn_sequence_suit(qn_sequence *sequence, qn_context *context, qn_device *device,
                                         const qn_device_info *info);

/* The device that kernels suit if none is named: its limits are those of an H100. */
qn_device_info qn_device_of_large_gpu(void);

#endif

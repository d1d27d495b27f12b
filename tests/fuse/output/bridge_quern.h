/* Memory for a family of libquern: the device that QUERN_TEST_DEVICE names. */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <quern/queue.h>

#include "common.h"

typedef qn_buffer *array;
typedef qn_queue *queue_type;

static qn_device *bridge_device;
static qn_queue *bridge_queue;

static inline queue_type open_queue(void)
{
    qn_context *context;
    if (qn_context_create(NULL, &context) != QN_OK) exit(1);
    if (qn_device_open(context, getenv("QUERN_TEST_DEVICE"), &bridge_device) != QN_OK) exit(77);
    if (qn_queue_create(bridge_device, &bridge_queue) != QN_OK) exit(1);
    return bridge_queue;
}

static inline qn_buffer *put_bytes(const void *from, size_t bytes)
{
    qn_buffer *to = NULL;
    if (qn_buffer_create(bridge_device, bytes, &to) != QN_OK ||
        qn_queue_write(bridge_queue, to, 0, from, bytes, NULL) != QN_OK || qn_queue_finish(bridge_queue) != QN_OK)
        exit(1);
    return to;
}
#define put(from, count) put_bytes((from), (count) * sizeof(float))
#define put_integers(from, count) put_bytes((from), (count) * sizeof(int32_t))

static inline void get(qn_buffer *from, float *to, size_t count)
{
    if (qn_queue_read(bridge_queue, from, 0, to, count * sizeof *to, NULL) != QN_OK ||
        qn_queue_finish(bridge_queue) != QN_OK)
        exit(1);
}

#endif

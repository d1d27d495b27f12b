/* Any bytes as an MRC file: as a volume and as a stack of images. Where both readers accept the file, their values must
 * agree, and a volume must be the same after it was written and read again. */
#define _GNU_SOURCE
#include <quern/volume.h>
#include <string.h>

#include "base/memory.h"
#include "format/image/image_stack.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Sum of the values' bits, which does not depend on their order: the file's axes may permute them. */
static uint64_t sum_of_bits(const float *values, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        sum += bits;
    }
    return sum;
}

static int try_stack(const char *path, uint64_t *sum)
{
    qn_image_stack *stack;
    void *scratch = NULL, *values;
    size_t scratch_bytes = 0;
    uint64_t images;
    int width, height;
    *sum = 0;
    const qn_status status = qn_image_stack_open(path, &stack);
    demand(status == QN_OK ? stack != NULL : stack == NULL && qn_error_message()[0]);
    if (status != QN_OK) return 0;
    qn_image_stack_shape(stack, &images, &width, &height);
    demand(images > 0 && width > 0 && height > 0 && qn_image_stack_pixel_angstrom(stack) >= 0);
    const size_t pixels = (size_t)width * (size_t)height;
    demand(qn_allocate(pixels, sizeof(float), &values) == QN_OK);
    for (uint64_t i = 0; i < images; i++) {
        demand(qn_image_stack_read(stack, i, &scratch, &scratch_bytes, values) == QN_OK);
        *sum += sum_of_bits(values, pixels);
    }
    demand(qn_image_stack_read(stack, images, &scratch, &scratch_bytes, values) == QN_BAD_FORMAT);
    qn_release(&values);
    qn_release(&scratch);
    qn_image_stack_close(&stack);
    return 1;
}

static void try_round_trip(const qn_volume *volume)
{
    char path[64];
    qn_volume *back;
    snprintf(path, sizeof path, "/tmp/fuzz_mrc.%ld.mrc", (long)getpid());
    demand(qn_volume_write(volume, "a label", path) == QN_OK && qn_volume_read(path, &back) == QN_OK);
    unlink(path);
    const size_t count = (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
    demand(memcmp(back->counts, volume->counts, sizeof back->counts) == 0);
    demand(memcmp(back->start, volume->start, sizeof back->start) == 0);
    demand(memcmp(back->values, volume->values, count * sizeof(float)) == 0);
    qn_volume_destroy(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    qn_volume *volume;
    uint64_t sum;
    const int descriptor = open_bytes(data, size, path);
    const int is_stack = try_stack(path, &sum);
    const qn_status status = qn_volume_read(path, &volume);
    demand(status == QN_OK ? volume != NULL : volume == NULL && qn_error_message()[0]);
    if (status == QN_OK) {
        const size_t count = (size_t)volume->counts[0] * (size_t)volume->counts[1] * (size_t)volume->counts[2];
        for (int k = 0; k < 3; k++) demand(volume->voxel_angstrom[k] > 0);
        if (is_stack) demand(sum_of_bits(volume->values, count) == sum);
        if (data[size - 1] % 16 == 0)
            try_round_trip(volume); /* writing flushes to disk, which is slow: only sometimes */
        qn_volume_destroy(&volume);
    }
    close(descriptor);
    return 0;
}

/* quern fuse: a sequence as files of another language. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/written_file.h"
#include "fuse/choice.h"
#include "fuse/output/output.h"
#include "fuse/suit.h"
#include "runtime/device.h"

typedef struct owned_files {
    qn_fuse_written written;
    char *paths[QN_CODE_FILES_MAX];
} owned_files;

/* The kernels known to be fastest on a device, else those of the planner in a fitted shape. */
static qn_status choose_on(qn_device *device, qn_sequence *sequence, qn_shape *shape)
{
    qn_choice *choice;
    qn_chosen chosen;
    QN_TRY(qn_choice_open(sequence, device, QN_CHOICE_CANDIDATES, false, &choice));
    qn_choice_get(choice, &chosen);
    sequence->plan = *chosen.plan;
    *shape = chosen.is_measured ? chosen.shape
                                : qn_program_fitted_shape(&sequence->plan, qn_device_get_info(device), &sequence->sizes,
                                                          sequence->stored);
    qn_choice_close(&choice);
    return QN_OK;
}

/* Without a device, the shape of a large GPU, or of a processor. */
static qn_status choose(qn_context *context, const qn_fuse_options *options, qn_sequence *sequence, qn_shape *shape)
{
    static const qn_device_info processor = {.identifier = "a processor",
                                             .driver = "host",
                                             .kind = QN_DEVICE_CPU,
                                             .compute_units = 16,
                                             .local_memory_bytes = 1 << 20,
                                             .local_room_bytes = 1 << 20,
                                             .largest_group = 1,
                                             .subgroup_size = 1};
    const qn_device_info gpu = qn_device_of_large_gpu();
    const char *wanted = options->run.device;
    const bool is_c = options->language == QN_FUSE_C;
    qn_device *device = NULL;
    if (wanted && strcmp(wanted, "auto") != 0) QN_TRY(qn_device_open(context, wanted, &device));
    /* in C a group is one work-item, as on the host */
    const bool fits = device && (!is_c || strcmp(qn_device_get_info(device)->driver, "host") == 0);
    const qn_device_info *info = is_c ? &processor : &gpu;
    qn_status status = qn_sequence_suit(sequence, context, fits ? device : NULL, fits ? NULL : info);
    if (status == QN_OK && fits)
        status = choose_on(device, sequence, shape);
    else if (status == QN_OK)
        *shape = qn_program_fitted_shape(&sequence->plan, info, &sequence->sizes, sequence->stored);
    qn_device_release(&device);
    return status;
}

/* All files are refused before the first is written. */
static qn_status name_files(const qn_fuse_options *options, const qn_code_files *files, owned_files *own)
{
    for (int i = 0; i < files->count; i++) {
        QN_TRY(qn_path_join(options->output, files->files[i].name, &own->paths[i]));
        own->written.file_count++;
        if (!options->run.overwrite && qn_file_exists(own->paths[i]))
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s exists; --overwrite replaces it", own->paths[i]);
    }
    return qn_folder_create(options->output);
}

static qn_status write_file(const char *path, const qn_text *text)
{
    qn_written_file file;
    QN_TRY(qn_written_file_open(path, false, &file));
    qn_status status = qn_written_file_write(&file, text->data, text->length);
    if (status == QN_OK) status = qn_written_file_finish(&file);
    qn_written_file_discard(&file);
    return status;
}

static qn_status write_files(const qn_fuse_options *options, const qn_code_files *files, owned_files *own)
{
    QN_TRY(name_files(options, files, own));
    for (int i = 0; i < files->count; i++) QN_TRY(write_file(own->paths[i], &files->files[i].text));
    return QN_OK;
}

static qn_status write_sequence(qn_context *context, const qn_fuse_options *options, owned_files *own)
{
    static const qn_code_language languages[] = {[QN_FUSE_QUERN] = QN_CODE_QUERN,
                                                 [QN_FUSE_OPENCL] = QN_CODE_OPENCL,
                                                 [QN_FUSE_CUDA] = QN_CODE_CUDA,
                                                 [QN_FUSE_C] = QN_CODE_C};
    qn_sequence *sequence;
    qn_code_files files = {.count = 0};
    qn_shape shape;
    QN_TRY(qn_option_check_command(qn_fuse_write_option_table(), options));
    QN_TRY(qn_sequence_open(options, &sequence));
    qn_status status = choose(context, options, sequence, &shape);
    own->written.kernel_count = sequence->plan.kernel_count;
    if (status == QN_OK) status = qn_code_make(&sequence->plan, &shape, languages[options->language], &files);
    if (status == QN_OK) status = write_files(options, &files, own);
    qn_code_clear(&files);
    qn_sequence_close(&sequence);
    return status;
}

qn_status qn_fuse_write(qn_context *context, const qn_fuse_options *options, qn_fuse_written **written)
{
    qn_fuse_options own_options;
    owned_files *own;
    *written = NULL;
    QN_TRY(qn_option_take(qn_fuse_write_option_table(), options, &own_options));
    QN_TRY(qn_allocate(1, sizeof *own, (void **)&own));
    *written = &own->written;
    own->written.files = (const char *const *)own->paths;
    const qn_log_scope outer = qn_context_enter_log(context);
    const qn_status status = write_sequence(context, &own_options, own);
    qn_log_return(outer);
    if (status != QN_OK) qn_fuse_written_destroy(written);
    return status;
}

void qn_fuse_written_destroy(qn_fuse_written **pointer)
{
    owned_files *own = (owned_files *)*pointer;
    if (!own) return;
    for (int i = 0; i < QN_CODE_FILES_MAX; i++) qn_release(&own->paths[i]);
    qn_release(pointer);
}

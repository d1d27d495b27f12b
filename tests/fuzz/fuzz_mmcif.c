/* Any bytes handed to the mmCIF reader. */
#include "format/structure/formats.h"
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const qn_molecule_options choices[] = {{.keep_alternates = true}, {.drop_water = true}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        qn_structure_builder builder;
        qn_molecule *molecule = NULL;
        qn_status status = qn_structure_builder_start(&builder, "in", i ? "A,BB" : NULL, &choices[i]);
        if (status == QN_OK) status = qn_mmcif_read(&builder, (const char *)data, size);
        if (status == QN_OK) status = qn_structure_builder_finish(&builder, &molecule);
        qn_structure_builder_clear(&builder);
        check_outcome(status, i == 0, &molecule);
    }
    return 0;
}

/* Any bytes as a structure file whose format is detected by content: mostly PDB. */
#include "round_trip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const qn_molecule_options choices[] = {
        {.keep_alternates = true}, {.drop_water = true, .drop_hydrogens = true}, {.model = 2}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        qn_molecule *molecule = NULL;
        const char *chains = i == 2 ? "AB" : NULL;
        check_outcome(qn_structure_read_memory("in", (const char *)data, size, chains, &choices[i], &molecule), i == 0,
                      &molecule);
    }
    return 0;
}

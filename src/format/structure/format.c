#include "format/structure/autodock_types.h"
#include "format/structure/formats.h"

static bool recognise_anything(const char *data, size_t size)
{
    (void)data, (void)size;
    return true;
}

static const qn_structure_reader readers[] = {
    {"mmCIF", qn_mmcif_recognise, qn_mmcif_read},
    {"PDBQT", qn_pdbqt_recognise, qn_pdbqt_structure_read},
    {"PDB", recognise_anything, qn_pdb_read},
};

const qn_structure_reader *qn_structure_reader_for(const char *data, size_t size)
{
    const qn_structure_reader *reader = readers;
    while (!reader->recognise(data, size)) reader++;
    return reader;
}

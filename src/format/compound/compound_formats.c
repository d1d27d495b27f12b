#include "format/compound/compound_formats.h"

#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "format/compound/packed_library.h"
#include "format/structure/autodock_types.h"

static const qn_compound_format_entry entries[] = {
    [QN_COMPOUND_SDF] = {"SDF", " .sdf .sd .mol ", qn_sdf_recognise, qn_sdf_cut, qn_sdf_read},
    [QN_COMPOUND_MOL2] = {"MOL2", " .mol2 ", qn_mol2_recognise, qn_mol2_cut, qn_mol2_read},
    [QN_COMPOUND_PDBQT] = {"PDBQT", " .pdbqt ", qn_pdbqt_recognise, qn_pdbqt_cut, qn_pdbqt_read},
    [QN_COMPOUND_PACKED] = {"packed library", " .qlib ", NULL, NULL, qn_compound_unpack},
    [QN_COMPOUND_SMILES] = {"SMILES", " .smi .smiles .ism ", NULL, qn_sdf_cut, qn_smiles_read},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

const qn_compound_format_entry *qn_compound_format_entry_of(qn_compound_format format)
{
    return (size_t)format < ENTRIES && entries[format].read ? &entries[format] : NULL;
}

/* The file name's ending from its last point, in lower case and without ".gz", enclosed in blanks. */
static void find_ending(const char *path, char ending[16])
{
    char name[256] = "";
    const char *last = qn_path_name(path);
    size_t length = strlen(last);
    if (length >= sizeof name) last += length - sizeof name + 1;
    for (size_t i = 0; last[i]; i++) name[i] = (char)tolower((unsigned char)last[i]);
    char *point = strrchr(name, '.');
    if (point && strcmp(point, ".gz") == 0) {
        *point = '\0';
        point = strrchr(name, '.');
    }
    ending[0] = '\0';
    if (!point || strlen(point) > 12) return;
    strcpy(ending, " ");
    strcat(ending, point);
    strcat(ending, " ");
}

qn_status qn_compound_format_find(const char *path, const char *text, size_t size, qn_compound_format *format)
{
    char ending[16];
    size_t blank = 0;
    while (blank < size && isspace((unsigned char)text[blank])) blank++;
    if (blank == size) return QN_FAIL(QN_BAD_FORMAT, "%s: is empty; expected SDF, MOL2 or PDBQT records", path);
    for (size_t i = 0; i < ENTRIES; i++) {
        *format = (qn_compound_format)i;
        if (entries[i].recognise && entries[i].recognise(text, size)) return QN_OK;
    }
    find_ending(path, ending);
    for (size_t i = 0; i < ENTRIES && ending[0]; i++) {
        *format = (qn_compound_format)i;
        if (entries[i].endings && strstr(entries[i].endings, ending)) return QN_OK;
    }
    return QN_FAIL(QN_BAD_FORMAT,
                   "%s: holds no small molecules in a known format; expected SDF, MOL2 or PDBQT records, or a "
                   "packed library",
                   path);
}

#include "format/compound/compound_lines.h"

#include "base/error.h"
#include "base/memory.h"

qn_record_lines qn_compound_lines_start(const qn_compound_record *record)
{
    size_t step = record->format != QN_COMPOUND_SMILES;
    return (qn_record_lines){.path = record->path,
                             .number = record->line - step,
                             .step = step,
                             .next = record->text,
                             .end = record->text + record->size};
}

qn_status qn_compound_lines_check(const qn_compound_record *record, const qn_compound *compound)
{
    qn_compound_neighbours neighbours;
    void *memory = NULL;
    QN_TRY(qn_compound_find_neighbours(compound, &neighbours));
    qn_status status = qn_allocate(compound->atom_count, sizeof(size_t), &memory);
    size_t *seen = memory; /* 1 + the latest atom that had this one as a neighbour */
    for (size_t i = 0; i < compound->atom_count && status == QN_OK; i++) {
        for (size_t n = neighbours.start[i]; n < neighbours.start[i + 1] && status == QN_OK; n++) {
            size_t other = (size_t)neighbours.neighbour[n];
            if (seen[other] == i + 1)
                status = qn_error_set(QN_BAD_FORMAT, __FILE__, __LINE__,
                                      "%s:%zu: atoms %zu and %zu of the record are joined by two bonds; expected one",
                                      record->path, record->line, i + 1, other + 1);
            seen[other] = i + 1;
        }
    }
    qn_release(&memory);
    qn_compound_neighbours_clear(&neighbours);
    return status;
}

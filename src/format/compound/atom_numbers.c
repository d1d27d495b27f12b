#include "format/compound/atom_numbers.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

qn_status qn_atom_numbers_start(qn_atom_numbers *numbers, size_t count)
{
    void *memory;
    QN_TRY(qn_allocate(count, sizeof *numbers->atoms, &memory));
    numbers->atoms = memory;
    numbers->count = count;
    return QN_OK;
}

void qn_atom_numbers_set(qn_atom_numbers *numbers, size_t index, int number)
{
    numbers->atoms[index] = (qn_numbered_atom){number, (int)index};
}

void qn_atom_numbers_clear(qn_atom_numbers *numbers)
{
    qn_release(&numbers->atoms);
    numbers->count = 0;
}

static int compare(const void *a, const void *b)
{
    const qn_numbered_atom *first = a, *second = b;
    return (first->number > second->number) - (first->number < second->number);
}

qn_status qn_atom_numbers_finish(qn_atom_numbers *numbers, const qn_record_lines *lines)
{
    qsort(numbers->atoms, numbers->count, sizeof *numbers->atoms, compare);
    for (size_t i = 1; i < numbers->count; i++)
        if (numbers->atoms[i].number == numbers->atoms[i - 1].number)
            return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: two atoms have the number %d; expected all different", lines->path,
                           lines->number, numbers->atoms[i].number);
    return QN_OK;
}

qn_status qn_atom_numbers_find(const qn_atom_numbers *numbers, const qn_record_lines *lines, int number, int *index)
{
    const qn_numbered_atom wanted = {number, 0};
    const qn_numbered_atom *found =
        numbers->count ? bsearch(&wanted, numbers->atoms, numbers->count, sizeof wanted, compare) : NULL;
    if (!found)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%zu: a bond names atom %d; expected one of the list", lines->path,
                       lines->number, number);
    *index = found->index;
    return QN_OK;
}

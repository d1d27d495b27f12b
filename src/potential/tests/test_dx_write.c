/* OpenDX text of a small grid, line by line. */
#include "check.h"

#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "potential/dx_write.h"

/* Value (i, j, k) is 100 i + 10 j + k + 0.5: z runs fastest in the file. */
static void lines_are_those_of_the_format(void)
{
    static const char expected[] =
        "# probe\nobject 1 class gridpositions counts 3 1 3\norigin 0.5 2 2.5\ndelta 0.5 0 0\n"
        "delta 0 0.5 0\ndelta 0 0 0.5\nobject 2 class gridconnections counts 3 1 3\n"
        "object 3 class array type double rank 0 items 9 data follows\n"
        "0.5 1.5 2.5\n100.5 101.5 102.5\n200.5 201.5 -1.23457e+06\n"
        "attribute \"dep\" string \"positions\"\nobject \"map\" class field\n"
        "component \"positions\" value 1\ncomponent \"connections\" value 2\n"
        "component \"data\" value 3\n";
    const qn_potential_grid grid = {{3, 1, 3}, 0.5, {1, 2, 3}};
    float values[9];
    char path[512], *text = NULL;
    size_t size = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) values[3 * k + i] = (float)(100 * i + k) + 0.5F;
    values[8] = -1234567;
    snprintf(path, sizeof path, "%s/map.dx", check_scratch_folder());
    if (!CHECK_OK(qn_dx_write(path, "probe", &grid, values)) || !CHECK_OK(qn_file_read(path, &text, &size))) return;
    CHECK_TEXT(text, expected);
    qn_release(&text);
    CHECK_FAILS(qn_dx_write("/nowhere/map.dx", "probe", &grid, values), QN_NOT_FOUND);
}

int main(void)
{
    RUN(lines_are_those_of_the_format);
    return check_finish();
}

/* Coordinate records of a PDB file, counted line by line without the reader under test. */
#ifndef QN_FORMAT_TESTS_RECORDS_H
#define QN_FORMAT_TESTS_RECORDS_H

#include <stdio.h>
#include <string.h>

static size_t count_records(const char *path)
{
    char line[512];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        count += strncmp(line, "ATOM  ", 6) == 0 || strncmp(line, "HETATM", 6) == 0;
    if (file) fclose(file);
    return count;
}

#endif

/* Texts as mesh files for the tests of readers. */
#ifndef QN_FORMAT_MESH_TESTS_MESH_TEXT_H
#define QN_FORMAT_MESH_TESTS_MESH_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "model/mesh.h"

/* Write bytes to a file of the scratch folder; the path is in a static buffer. */
static inline const char *bytes_file(const char *name, const void *data, size_t size)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", check_scratch_folder(), name);
    FILE *file = fopen(path, "wb");
    fwrite(data, 1, size, file);
    fclose(file);
    return path;
}

static inline const char *text_file(const char *name, const char *text)
{
    return bytes_file(name, text, strlen(text));
}

/* The whole file; released with free. */
static inline char *whole_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    *size = fread(data, 1, *size, file);
    data[*size] = '\0';
    fclose(file);
    return data;
}

/* A text and a part of the message with which it is refused. */
typedef struct refusal {
    const char *text, *message;
} refusal;

static inline void check_refusals(const char *name, const refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        qn_mesh *mesh;
        if (!CHECK_FAILS(qn_mesh_read(text_file(name, refusals[i].text), 1, &mesh), QN_BAD_FORMAT))
            printf("  of %s\n", refusals[i].message);
        CHECK_MESSAGE_HAS(refusals[i].message);
        CHECK_MESSAGE_HAS(name);
        CHECK(mesh == NULL);
    }
}

#endif

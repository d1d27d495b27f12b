/* Particles of single-particle cryo-EM: which image shows each, from which direction, and the optics of the microscope;
 * and images in memory.
 *
 * Life cycle: create, read or make from columns → fill in and use → destroy. Thread rule: a set that no thread changes
 * may be read by all.
 *
 *     qn_particle_set *set;
 *     if (qn_particle_set_read("particles.star", &set) != QN_OK) return 1;
 *     printf("%zu particles, %g Å a pixel\n", set->particle_count, set->optics[0].pixel_angstrom);
 *     qn_particle_set_destroy(&set);
 */
#ifndef QUERN_PARTICLES_H
#define QUERN_PARTICLES_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct qn_optics_group {
    char name[64];
    int number;            /* number of the group, rlnOpticsGroup */
    double pixel_angstrom; /* pixel size of the images; 0: unknown, which programs refuse */
    bool pixel_of_stack;   /* the file does not state the pixel size; it is from the first stack's header */
    bool pixel_assumed;    /* neither the file nor the first stack's header states the pixel size; 1 Å is assumed */
    int image_size;        /* side of the images in pixels; 0: unknown */
    double voltage_kv, spherical_aberration_mm, amplitude_contrast; /* amplitude_contrast: a share, 0 … 1 */
} qn_optics_group;

typedef struct qn_particle {
    uint32_t stack;                                /* index into the set's stacks */
    uint64_t image;                                /* index of the image in the stack or the array, from 0 */
    uint64_t row;                                  /* row of the particles' table, from 1 */
    uint64_t line;                                 /* line of the file; 0: no file */
    double rot_degrees, tilt_degrees, psi_degrees; /* as in RELION: image = A · volume, A = Rz(psi) Ry(tilt) Rz(rot) of
                                                      passive rotations */
    double origin_angstrom[2];                     /* x, y: the image's content is displaced by −origin */
    bool flipped;                                  /* Xmipp: mirrored along x before everything else */
    uint32_t optics;                               /* index into the set's optics groups */
    int subset;                                    /* half set 1 or 2; 0: none */
    double weight;                                 /* weight, 1 by default; particles of 0 or less are left out */
    double defocus_u_angstrom, defocus_v_angstrom, defocus_angle_degrees; /* positive for underfocus */
    double phase_shift_degrees, b_factor_angstrom2;
} qn_particle;

typedef struct qn_particle_set {
    qn_particle *particles;
    size_t particle_count;
    qn_optics_group *optics;
    size_t optics_count;
    char **stacks; /* paths as they can be opened from here */
    size_t stack_count;
    bool has_ctf, has_subsets, has_angles;
    bool has_images;         /* each particle says which image shows it; otherwise image i shows particle i */
    char *name;              /* file that the set was read from; NULL: none */
    int *classes;            /* [particle_count] class of each particle, rlnClassNumber; NULL: the file states none */
    bool origins_in_pixels;  /* the file states origins in pixels; they were converted with pixel_angstrom */
    char lacking_angles[64]; /* columns that the file lacks for has_angles; empty: none, or no file */
    char lacking_ctf[128];   /* likewise for has_ctf */
} qn_particle_set;

/* Make a set of particles of weight 1 in the first of `optics_count` optics groups, which are numbered from 1.
 * has_angles is set, everything else is 0. QN_INVALID_ARGUMENT for counts of 0; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_particle_set_create(size_t particle_count, size_t optics_count, qn_particle_set **set);

/* Read RELION STAR (3.0, and 3.1 and later with optics groups) or Xmipp metadata (.xmd). Stacks are searched beside the
 * file, then from the working folder, then in the folders above the file's folder (RELION projects name stacks from the
 * project's root). A missing stack is reported when it is opened, not here. Disabled rows of Xmipp are left out. Errors
 * name file, line, row, column, value and what was expected: QN_NOT_FOUND, QN_BAD_FORMAT (missing columns, NaN angles,
 * index 0), QN_UNSUPPORTED (beam tilt, Zernike, MagMat that are not zero). */
QN_MUST_CHECK qn_status qn_particle_set_read(const char *path, qn_particle_set **set);

/* Write RELION 3.1 STAR: images are named "000001@stack" with stack paths relative to the file's folder, and flips are
 * written as the equivalent rotations. The file appears complete or not at all. QN_INVALID_ARGUMENT (a set that STAR
 * cannot hold, such as one without stacks, whose images are in memory alone), QN_IO_ERROR. */
QN_MUST_CHECK qn_status qn_particle_set_write(const qn_particle_set *set, const char *path);

void qn_particle_set_destroy(qn_particle_set **set);

/* ---- from columns ---- */

/* A column: one number for each particle. */
typedef struct qn_column {
    const double *values;   /* number of the first particle; NULL: not given */
    ptrdiff_t stride_bytes; /* distance from one particle to the next; 0: the numbers are packed */
} qn_column;

/* Particles of one optics group as columns. Columns may lie in one table or in several. */
typedef struct qn_particle_columns {
    size_t count;
    double pixel_angstrom; /* must be given */
    double voltage_kv, spherical_aberration_mm, amplitude_contrast;
    qn_column rot_degrees, tilt_degrees, psi_degrees; /* angles: either these three */
    qn_column matrices; /* or nine numbers for each particle, A row by row; a stride of 0: 72 bytes */
    qn_column origin_x_angstrom, origin_y_angstrom;   /* origins; 0 if not given */
    qn_column defocus_u_angstrom, defocus_v_angstrom; /* defocus; V if not given: U */
    qn_column defocus_angle_degrees, phase_shift_degrees, b_factor_angstrom2;
    qn_column weight; /* weights; 1 if not given */
    qn_column subset; /* half set 1 or 2; 0: none */
} qn_particle_columns;

/* Make a set from columns. It has a CTF if defocus U is given. QN_INVALID_ARGUMENT naming the particle and the column:
 * numbers that are not finite, matrices that are not rotations, both angles and matrices or neither, no pixel size, a
 * defocus without a voltage; QN_OUT_OF_MEMORY. */
QN_MUST_CHECK qn_status qn_particle_set_from_columns(const qn_particle_columns *columns, qn_particle_set **set);

/* ---- images in memory ---- */

/* Square images in memory. Strides may have any sign, so that a view of a larger array can be given. */
typedef struct qn_image_array {
    const float *values; /* pixel x = 0, y = 0 of the first image */
    size_t count;
    int side;                                                           /* pixels along x and along y */
    ptrdiff_t image_stride_bytes, row_stride_bytes, pixel_stride_bytes; /* along images, y, x; all 0: packed */
} qn_image_array;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

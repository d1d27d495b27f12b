/* Particles of single-particle cryo-EM: which image, how it is turned and shifted, and its optics. Plain data. */
#ifndef QN_MODEL_PARTICLE_SET_H
#define QN_MODEL_PARTICLE_SET_H

#include <quern/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct qn_optics_group {
    char name[64];
    int number; /* rlnOpticsGroup */
    double pixel_angstrom;
    bool pixel_of_stack; /* what the first stack's header says, since the file does not say it */
    bool pixel_assumed;  /* 1 Å, since neither the file nor the first stack's header says it */
    int image_size;      /* pixels; 0: not said */
    double voltage_kv, spherical_aberration_mm, amplitude_contrast;
} qn_optics_group;

typedef struct qn_particle {
    uint32_t stack; /* index into stacks */
    uint64_t image; /* from 0 */
    uint64_t row;   /* of the particle's table, from 1; `line` of the file */
    uint64_t line;
    double rot_degrees, tilt_degrees, psi_degrees; /* image = A · volume, A = Rz(psi) Ry(tilt) Rz(rot), passive */
    double origin_angstrom[2];                     /* the content is displaced by −origin */
    bool flipped;                                  /* Xmipp: mirrored along x before everything else */
    uint32_t optics;                               /* index into optics */
    int subset;                                    /* 1, 2; 0: none */
    double weight;                                 /* 1 where none is said */
    double defocus_u_angstrom, defocus_v_angstrom, defocus_angle_degrees;
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
    char *name; /* file it came from */
} qn_particle_set;

void qn_particle_set_destroy(qn_particle_set **set);

#endif

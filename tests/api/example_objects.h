/* The objects that the examples at the head of public headers use by name, as a program would have made them before.
 * header_examples.c makes them. */
#ifndef QN_TESTS_EXAMPLE_OBJECTS_H
#define QN_TESTS_EXAMPLE_OBJECTS_H

#include <quern/collective.h>
#include <quern/dock.h>
#include <quern/evaluate.h>
#include <quern/fft.h>
#include <quern/fsc.h>
#include <quern/log.h>
#include <quern/potential.h>
#include <quern/project.h>
#include <quern/reconstruct.h>
#include <quern/screen.h>
#include <quern/trajectory.h>
#include <quern/tune.h>
#include <quern/version.h>
#include <stdio.h>

enum { NUMBERS = 256, SPHERE_SIDE = 32 };

extern qn_context *context;
extern qn_device *device;
extern qn_queue *queue;

extern const qn_family add_family; /* y[i] = x[i] + y[i] */
extern qn_buffer *x, *y;           /* NUMBERS floats, 0, 1, 2 … */
extern const int n;                /* NUMBERS */
extern float values[NUMBERS];

extern const float data[NUMBERS];
extern const size_t bytes; /* sizeof data */

extern qn_buffer *grid, *spectrum;       /* 16 × 16 × 16 floats; 9 × 16 × 16 complex numbers */
extern qn_volume *half_1, *half_2;       /* a sphere with noise, SPHERE_SIDE voxels a side */
extern const qn_volume *mask;            /* none */
extern const double references[2][4][3]; /* two structures of 4 atoms */
extern qn_space *space;                  /* TILE: 8, 16, 32 */
double time_it(qn_point point);          /* seconds */
void print_message(qn_log_level level, const char *message, void *user);
void print_table(const qn_trajectory_result_table *table);

/* The example that is compiled with this program. Returns 0 if it succeeded. */
int example(void);

#endif

/* The interface between the kernels of correct_frames and the code that launches them. */
#ifndef QN_MOVIE_CORRECT_FRAMES_DEV_H
#define QN_MOVIE_CORRECT_FRAMES_DEV_H

/* Kinds of samples, numbered as qn_sample_kind is. */
#define SAMPLES_UINT8 0
#define SAMPLES_INT8 1
#define SAMPLES_UINT16 2
#define SAMPLES_INT16 3
#define SAMPLES_FLOAT32 4

/* Sums have one order on every device. A frame is cut into blocks of CORRECT_COLUMNS by CORRECT_ROWS pixels. Lane l of
 * a block adds the columns l, l + CORRECT_LANES … of its rows, row after row; then lanes are added in pairs, the upper
 * half to the lower half. The blocks' sums are added likewise: lane l adds every CORRECT_LANES-th. */
#define CORRECT_LANES 64
#define CORRECT_COLUMNS 1024
#define CORRECT_ROWS 4

/* Arguments of the kernels, in order. */
enum { SUM_SAMPLES, SUM_SUMS, SUM_SCALARS, SUM_ARGUMENTS };
enum { CORRECT_SAMPLES, CORRECT_GAIN, CORRECT_DARK, CORRECT_FRAME, CORRECT_SUMS, CORRECT_SCALARS, CORRECT_ARGUMENTS };
enum { MEAN_SUMS, MEAN_MEAN, MEAN_SCALARS, MEAN_ARGUMENTS };
enum { SET_PIXELS, SET_VALUES, SET_GAIN, SET_SCALARS, SET_ARGUMENTS };
enum { FILL_MOVES, FILL_MEAN, FILL_FRAME, FILL_SCALARS, FILL_ARGUMENTS };

typedef struct correct_scalars {
    int kind;
    int has_dark;
    int width, height;               /* of a frame of samples */
    int padded_width, padded_height; /* of a corrected frame */
    int blocks_x, blocks_y;
    int move_count;    /* bad pixels, or pixels whose gain is set */
    float mean_of_sum; /* 1 / number of good pixels */
    int frame_count;   /* sum_frames: frames that are added */
    int frame_words;   /* sum_frames: words of 4 bytes from one frame to the next */
} correct_scalars;

#endif

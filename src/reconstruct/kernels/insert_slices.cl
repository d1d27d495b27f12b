/* Insertion of slices into a Fourier volume by gathering; insert_slices.h describes the arrays.
 *
 * A slice is walked: for each point of the plane on which its projection is largest, a work-item goes along the third
 * axis through the layer |z| ≤ radius around the slice. Each voxel on this way gathers the pixels within the radius.
 *
 * BRICK > 0: a group sums a brick of BRICK × BRICK × BRICK_DEPTH voxels in local memory over all slices that hit it and
 * adds it to the volume at the end. It takes slices in three turns, one for each walked axis: in a turn a column of
 * the brick belongs to one work-item, so no addition to the brick is atomic. Most slices hit the bricks near the
 * origin: up to GRID_DIM_Z groups share the slices of such a brick, and add to the volume atomically if they are two or
 * more. BRICK = 0: the slices are dealt in turn to GRID_DIM_Z sets of groups, which walk whole slices and add each
 * voxel to the volume atomically. */
#include "reconstruct/kernels/insert_slices.dev.h"

#ifndef BLOCK_DIM_X
#error "BLOCK_DIM_X: work-items of a group along the first axis of the plane"
#endif
#ifndef BLOCK_DIM_Y
#error "BLOCK_DIM_Y: work-items of a group along its second axis"
#endif
#ifndef GRID_DIM_Z
#error "GRID_DIM_Z: groups that share the slices"
#endif
#ifndef BRICK
#error "BRICK: voxels of a group's brick along x and y; 0: sums are in global memory only"
#endif
#ifndef BRICK_DEPTH
#error "BRICK_DEPTH: voxels of a brick along z"
#endif
#ifndef PRECOMPUTE_BLOB
#error "PRECOMPUTE_BLOB: whether the blob is read from a table"
#endif
#ifndef SHARED_BLOB
#error "SHARED_BLOB: whether that table is in local memory"
#endif
#ifndef UNROLL_ROWS
#error "UNROLL_ROWS: rows of pixels unrolled"
#endif
#ifndef SKIP_PIXELS
#error "SKIP_PIXELS: whether pixels beyond the radius are not read"
#endif
#ifndef SHARED_IMAGE
#error "SHARED_IMAGE: whether the pixels around a brick are copied to local memory first"
#endif

#ifndef REACH
#define REACH 4 /* pixels within the radius, along a line: at most 2 radii / spacing, rounded up */
#endif
#ifndef SPACING_HALVES
#define SPACING_HALVES 2 /* distance between pixels in half voxels, rounded down */
#endif
#if SPACING_HALVES < 2 /* so many pixels would not fit into local memory */
#undef SHARED_IMAGE
#define SHARED_IMAGE 0
#endif

#define ITEMS (BLOCK_DIM_X * BLOCK_DIM_Y)
#define ITEM (LOCAL_ID(1) * BLOCK_DIM_X + LOCAL_ID(0))

#if SHARED_BLOB
#define TABLE_SPACE LOCAL_PTR const
#else
#define TABLE_SPACE GLOBAL const
#endif

/* Values that all slices of a launch share. Lengths are in pixels; `reach` is in voxels. */
typedef struct insertion {
    int side, columns, low;       /* of the volume; low: −index of the first row */
    int first_plane, end_plane;   /* z of the first plane in the buffers, and of the plane after the last */
    int image_columns, image_low; /* of an image */
    qn_int64 image_pixels;
    int most_2; /* voxels with x² + y² + z² ≤ most_2 are computed */
    int kept;   /* pixels with |x| and |y| ≤ kept are read */
    float spacing, inverse_spacing;
    float radius, inverse_radius, half_slab;
    float reach; /* the radius */
    bool fast;   /* a voxel takes its nearest pixel instead of the blob */
} insertion;

/* A slice in the order of its walk. Rows 0 and 1 of its matrix (from voxels to pixels) belong to the axes of the plane,
 * row 2 to the walked axis. Component 2 of a row is the height above the slice. */
typedef struct slice_walk {
    float coarse[3][3], fine[3][3];
    GLOBAL const qn_complex *image;
    GLOBAL const float *weights;
    int axis;
    int patch_x, patch_y; /* the first pixel in local memory */
} slice_walk;

/* DIAGONAL: a brick's diagonal in voxels, rounded up. PATCH: number of pixels along a line that the brick's voxels may
 * gather: those within half the diagonal plus the radius of the brick's middle. PATCH is odd, so that rows begin in
 * different banks. */
#if BRICK == 16
#define DIAGONAL (BRICK_DEPTH == 4 ? 22 : (BRICK_DEPTH == 8 ? 23 : 24))
#else
#define DIAGONAL (BRICK_DEPTH == 4 ? 11 : (BRICK_DEPTH == 8 ? 13 : 15))
#endif
#define PATCH (((2 * DIAGONAL + SPACING_HALVES - 1) / SPACING_HALVES + REACH) | 1)
#define PATCH_PIXELS (PATCH * PATCH + REACH) /* the last row's pixels beyond the radius are read and not used */

/* A column of voxels. `coarse` and `fine` are the parts of image coordinates that are the same for all its voxels. */
typedef struct slice_column {
    float coarse[3], fine[3];
    int first, last; /* voxels along the walked axis */
} slice_column;

DEVICE_FN insertion make_insertion(const insert_scalars s)
{
    insertion all;
    all.side = s.side;
    all.columns = s.side / 2 + 1;
    all.low = s.side / 2;
    all.first_plane = s.first_plane - all.low;
    all.end_plane = all.first_plane + s.planes;
    all.image_columns = s.image_side / 2 + 1;
    all.image_low = s.image_side / 2;
    all.image_pixels = (qn_int64)s.image_side * all.image_columns;
    all.most_2 = s.most_squared;
    all.kept = s.kept;
    all.spacing = s.spacing;
    all.inverse_spacing = 1.0f / s.spacing;
    all.reach = s.radius;
    all.radius = s.radius * all.inverse_spacing;
    all.inverse_radius = s.spacing / s.radius;
    all.half_slab = (s.fast != 0 ? 0.5f * all.inverse_spacing : all.radius);
    all.fast = s.fast != 0;
    return all;
}

DEVICE_FN void load_slice(slice_walk *slice, const insertion *all, GLOBAL const qn_complex *images,
                          GLOBAL const float *image_weights, GLOBAL const float *matrices, int index, int operators)
{
    GLOBAL const float *matrix = matrices + 9 * index;
    const qn_int64 pixels = (qn_int64)(index / operators) * all->image_pixels;
    slice->axis = walked_axis(matrix[2], matrix[5], matrix[8]);
    slice->image = images + pixels;
    slice->weights = image_weights + pixels;
    UNROLL
    for (int row = 0; row < 3; row++) {
        const int from = row == 2 ? slice->axis : row + (slice->axis <= row ? 1 : 0);
        UNROLL
        for (int i = 0; i < 3; i++) {
            const float entry = matrix[3 * from + i];
            slice->coarse[row][i] = coarse_part(entry * all->inverse_spacing);
            slice->fine[row][i] = FMA(-slice->coarse[row][i], all->spacing, entry) * all->inverse_spacing;
        }
    }
}

/* True if pixel (x, y) of the full plane is read. */
DEVICE_FN bool is_kept(const insertion *all, int x, int y)
{
    return MAX(x, -x) <= all->kept && MAX(y, -y) <= all->kept;
}

/* Largest integer whose square is at most `square`, 0 … 2^24. */
DEVICE_FN int whole_root(int square)
{
    const int root = (int)SQRT((float)square); /* may be rounded up or down */
    return root * root > square ? root - 1 : ((root + 1) * (root + 1) <= square ? root + 1 : root);
}

/* Find the voxels from `begin` to `end` − 1 along the walked axis that are in the layer around the slice and in the
 * sphere of the limit. */
DEVICE_FN void load_column(slice_column *column, const slice_walk *slice, const insertion *all, int first, int second,
                           int begin, int end)
{
    const float a = (float)first, b = (float)second;
    UNROLL
    for (int i = 0; i < 3; i++) {
        column->coarse[i] = FMA(slice->coarse[0][i], a, slice->coarse[1][i] * b);
        column->fine[i] = FMA(slice->fine[0][i], a, slice->fine[1][i] * b);
    }
    const int left = all->most_2 - first * first - second * second;
    if (left < 0) {
        column->first = 0;
        column->last = -1;
        return;
    }
    const int half_chord = whole_root(left);
    const float slope = 1.0f / (slice->coarse[2][2] + slice->fine[2][2]);
    const float middle = -(column->coarse[2] + column->fine[2]) * slope;
    const float half_slab = FMA(0.01f, all->inverse_spacing, all->half_slab) * ABS(slope);
    column->first = MAX(begin, -MIN((int)FLOOR(half_slab - middle), half_chord));
    column->last = MIN(end - 1, MIN((int)FLOOR(half_slab + middle), half_chord));
}

DEVICE_FN float blob_at(TABLE_SPACE float *table, float inside)
{
#if PRECOMPUTE_BLOB
    const float place = FMIN(FMA(inside, -BLOB_TABLE_INTERVALS, BLOB_TABLE_INTERVALS), BLOB_TABLE_INTERVALS);
    const int index = (int)place;
    const float low = table[index], high = table[index + 1];
    return inside > 0.0f ? FMA(place - (float)index, high - low, low) : 0.0f;
#else
    return blob_polynomial(inside);
#endif
}

/* Gather the pixels around (x, y) + (part_x, part_y), x ≥ 0, for a voxel with 1 − height² / radius² = inside.
 * `turned`: the plane was turned by 180°, so pixels are conjugate, and column 0 is read from the mates. */
DEVICE_FN void gather(float *sum, const slice_walk *slice, const insertion *all, TABLE_SPACE float *table, int x, int y,
                      float part_x, float part_y, float inside, bool turned)
{
    const float before_x = FLOOR(part_x - all->radius) + 1.0f, before_y = FLOOR(part_y - all->radius) + 1.0f;
    const int first_x = x + (int)before_x, first_y = y + (int)before_y;
    const float dx = (before_x - part_x) * all->inverse_radius, dy = (before_y - part_y) * all->inverse_radius;
    const bool plain = first_x >= 1 && is_kept(all, x + REACH, MAX(y, -y) + REACH);
    float dx_2[REACH];
    UNROLL
    for (int i = 0; i < REACH; i++) {
        const float d = FMA((float)i, all->inverse_radius, dx);
        dx_2[i] = d * d;
    }
    if (plain) {
        qn_int32 place = (first_y + all->image_low) * all->image_columns + first_x;
        UNROLL_BY(UNROLL_ROWS)
        for (int j = 0; j < REACH; j++, place += all->image_columns) {
            const float d = FMA((float)j, all->inverse_radius, dy), row_inside = FMA(-d, d, inside);
            if (row_inside <= 0.0f) continue;
            UNROLL
            for (int i = 0; i < REACH; i++) {
#if SKIP_PIXELS
                if (row_inside <= dx_2[i]) continue;
#endif
                const float blob = blob_at(table, row_inside - dx_2[i]);
                const qn_complex pixel = slice->image[place + i];
                sum[0] = FMA(blob, pixel.x, sum[0]);
                sum[1] = FMA(blob, pixel.y, sum[1]);
                sum[2] = FMA(blob, slice->weights[place + i], sum[2]);
            }
        }
        return;
    }
    for (int j = 0; j < REACH; j++) {
        const float d = FMA((float)j, all->inverse_radius, dy), row_inside = FMA(-d, d, inside);
        UNROLL
        for (int i = 0; i < REACH; i++) {
            const int column = first_x + i, row = first_y + j;
            if (!is_kept(all, column, row)) continue;
            const float blob = blob_at(table, row_inside - dx_2[i]);
            const bool mirrored = column < 0 || (column == 0 && turned);
            const int place =
                ((mirrored ? -row : row) + all->image_low) * all->image_columns + (mirrored ? -column : column);
            const qn_complex pixel = slice->image[place];
            sum[0] = FMA(blob, pixel.x, sum[0]);
            sum[1] = FMA(blob, mirrored ? -pixel.y : pixel.y, sum[1]);
            sum[2] = FMA(blob, slice->weights[place], sum[2]);
        }
    }
}

#if SHARED_IMAGE
/* Gather from local memory, which has pixels of the full plane, and zeros for pixels that are not kept. (x, y) is
 * counted from the first pixel there. */
DEVICE_FN void gather_from_patch(float *sum, LOCAL_PTR const qn_float4 *patch, const insertion *all,
                                 TABLE_SPACE float *table, int x, int y, float part_x, float part_y, float inside)
{
    const float before_x = FLOOR(part_x - all->radius) + 1.0f, before_y = FLOOR(part_y - all->radius) + 1.0f;
    const float dx = (before_x - part_x) * all->inverse_radius, dy = (before_y - part_y) * all->inverse_radius;
    LOCAL_PTR const qn_float4 *row = patch + (y + (int)before_y) * PATCH + x + (int)before_x;
    float dx_2[REACH];
    UNROLL
    for (int i = 0; i < REACH; i++) {
        const float d = FMA((float)i, all->inverse_radius, dx);
        dx_2[i] = d * d;
    }
    UNROLL_BY(UNROLL_ROWS)
    for (int j = 0; j < REACH; j++, row += PATCH) {
        const float d = FMA((float)j, all->inverse_radius, dy), row_inside = FMA(-d, d, inside);
        if (row_inside <= 0.0f) continue;
        UNROLL
        for (int i = 0; i < REACH; i++) {
#if SKIP_PIXELS
            if (row_inside <= dx_2[i]) continue;
#endif
            const float blob = blob_at(table, row_inside - dx_2[i]);
            const qn_float4 pixel = row[i];
            sum[0] = FMA(blob, pixel.x, sum[0]);
            sum[1] = FMA(blob, pixel.y, sum[1]);
            sum[2] = FMA(blob, pixel.z, sum[2]);
        }
    }
}

/* Copy the pixels around the middle of a brick to local memory, with all work-items of the group. */
DEVICE_FN void load_patch(LOCAL_PTR qn_float4 *patch, slice_walk *slice, const insertion *all,
                          GLOBAL const float *matrix, int corner_x, int corner_y, int corner_z)
{
    const float x = (float)corner_x + 0.5f * (BRICK - 1), y = (float)corner_y + 0.5f * (BRICK - 1);
    const float z = (float)corner_z + 0.5f * (BRICK_DEPTH - 1), around = FMA(0.5f, (float)DIAGONAL, all->reach);
    slice->patch_x =
        (int)FLOOR((FMA(matrix[0], x, FMA(matrix[3], y, matrix[6] * z)) - around) * all->inverse_spacing) + 1;
    slice->patch_y =
        (int)FLOOR((FMA(matrix[1], x, FMA(matrix[4], y, matrix[7] * z)) - around) * all->inverse_spacing) + 1;
    if (ITEM < REACH) patch[PATCH * PATCH + ITEM] = FLOAT4_MAKE(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = ITEM; i < PATCH * PATCH; i += ITEMS) {
        const int column = slice->patch_x + i % PATCH, row = slice->patch_y + i / PATCH;
        const bool kept = is_kept(all, column, row), mirrored = column < 0;
        const int place =
            ((mirrored ? -row : row) + all->image_low) * all->image_columns + (mirrored ? -column : column);
        qn_float4 pixel = FLOAT4_MAKE(0.0f, 0.0f, 0.0f, 0.0f);
        if (kept) {
            const qn_complex value = slice->image[place];
            pixel = FLOAT4_MAKE(value.x, mirrored ? -value.y : value.y, slice->weights[place], 0.0f);
        }
        patch[i] = pixel;
    }
}
#endif

/* Contribution of a slice to voxel `along` of a column: real part, imaginary part and weight. */
DEVICE_FN void gather_voxel(float *sum, const slice_walk *slice, const slice_column *column, const insertion *all,
                            TABLE_SPACE float *table, LOCAL_PTR const qn_float4 *patch, int along)
{
    const float w = (float)along;
    const float height = FMA(slice->coarse[2][2], w, column->coarse[2]) + FMA(slice->fine[2][2], w, column->fine[2]);
    const float coarse_x = FMA(slice->coarse[2][0], w, column->coarse[0]), round_x = ROUND(coarse_x);
    const float coarse_y = FMA(slice->coarse[2][1], w, column->coarse[1]), round_y = ROUND(coarse_y);
    const float part_x = (coarse_x - round_x) + FMA(slice->fine[2][0], w, column->fine[0]);
    const float part_y = (coarse_y - round_y) + FMA(slice->fine[2][1], w, column->fine[1]);
    sum[0] = sum[1] = sum[2] = 0.0f;
    if (all->fast) {
        const int x = (int)(round_x + ROUND(part_x)), y = (int)(round_y + ROUND(part_y)), mirror = x < 0 ? -1 : 1;
        if (ABS(height) > all->half_slab || !is_kept(all, x, y)) return;
        const int place = (mirror * y + all->image_low) * all->image_columns + mirror * x;
        const qn_complex pixel = slice->image[place];
        sum[0] = pixel.x;
        sum[1] = (float)mirror * pixel.y;
        sum[2] = slice->weights[place];
        return;
    }
    const float scaled = height * all->inverse_radius, inside = FMA(-scaled, scaled, 1.0f);
    if (inside <= 0.0f) return;
#if SHARED_IMAGE
    gather_from_patch(sum, patch, all, table, (int)round_x - slice->patch_x, (int)round_y - slice->patch_y, part_x,
                      part_y, inside);
#else
    const bool turned = round_x + part_x < 0.0f;
    const float turn = turned ? -1.0f : 1.0f;
    gather(sum, slice, all, table, (int)(turn * round_x), (int)(turn * round_y), turn * part_x, turn * part_y, inside,
           turned);
    sum[1] *= turn;
#endif
}

DEVICE_FN void add_to_volume(GLOBAL float *numerator, GLOBAL float *weight, qn_int64 place, const float *sum,
                             bool atomically)
{
    if (atomically) {
        ATOMIC_ADD_FLOAT(numerator + 2 * place, sum[0]);
        ATOMIC_ADD_FLOAT(numerator + 2 * place + 1, sum[1]);
        ATOMIC_ADD_FLOAT(weight + place, sum[2]);
        return;
    }
    numerator[2 * place] += sum[0];
    numerator[2 * place + 1] += sum[1];
    weight[place] += sum[2];
}

#if BRICK
#define LAYER (BRICK * BRICK + 1) /* padded, so that neighbours along z are in different banks */
#define BRICK_SUMS (LAYER * BRICK_DEPTH)
#define HIT_WORDS ((ITEMS + 31) / 32)

/* Find the slices that hit the group's brick: each work-item tests one of the slices from `first` on. `hits` has a bit
 * for each work-item, in HIT_WORDS words for each walked axis. */
DEVICE_FN void find_hits(LOCAL_PTR qn_uint32 *hits, const insertion *all, GLOBAL const float *matrices, int first,
                         int slices, int corner_x, int corner_y, int corner_z)
{
    for (int i = ITEM; i < 3 * HIT_WORDS; i += ITEMS) hits[i] = 0;
    LOCAL_BARRIER();
    const int slice = first + ITEM;
    if (slice < slices) {
        const float nx = matrices[9 * slice + 2], ny = matrices[9 * slice + 5], nz = matrices[9 * slice + 8];
        const float half_xy = 0.5f * (BRICK - 1), half_z = 0.5f * (BRICK_DEPTH - 1);
        const float height =
            FMA(nx, (float)corner_x + half_xy, FMA(ny, (float)corner_y + half_xy, nz * ((float)corner_z + half_z)));
        const float reach = FMA(half_xy, ABS(nx) + ABS(ny), FMA(half_z, ABS(nz), all->reach + 0.02f));
        if (ABS(height) <= reach)
            LOCAL_ATOMIC_OR_INT(&hits[walked_axis(nx, ny, nz) * HIT_WORDS + ITEM / 32], 0x80000000u >> (ITEM % 32));
    }
    LOCAL_BARRIER();
}

/* Insert one slice into the brick whose corner is corner_…. `sums`: BRICK_SUMS real parts, then as many imaginary parts
 * and weights. */
DEVICE_FN void insert_into_brick(LOCAL_PTR float *sums, const slice_walk *slice, const insertion *all,
                                 TABLE_SPACE float *table, LOCAL_PTR const qn_float4 *patch, int corner_x, int corner_y,
                                 int corner_z)
{
    const int axis = slice->axis;
    const int corner_first = axis == 0 ? corner_y : corner_x, corner_second = axis == 2 ? corner_y : corner_z;
    const int begin = axis == 0 ? corner_x : (axis == 1 ? corner_y : corner_z);
    const int limit = axis == 0 ? all->columns : (axis == 1 ? all->side - all->low : all->end_plane);
    const int end = MIN(limit, begin + (axis == 2 ? BRICK_DEPTH : BRICK));
    const int step = axis == 0 ? 1 : (axis == 1 ? BRICK : LAYER);
    const int step_first = axis == 0 ? BRICK : 1, step_second = axis == 2 ? BRICK : LAYER;
    const int points = BRICK * (axis == 2 ? BRICK : BRICK_DEPTH);
    for (int point = ITEM; point < points; point += ITEMS) {
        /* 32 neighbours take 8 × 4 points, since these share pixels */
        const int first = point % 8 + point / 32 % (BRICK / 8) * 8, second = point / 8 % 4 + point / (4 * BRICK) * 4;
        slice_column column;
        load_column(&column, slice, all, corner_first + first, corner_second + second, begin, end);
        LOCAL_PTR float *at = sums + first * step_first + second * step_second - begin * step;
        for (int along = column.first; along <= column.last; along++) {
            float sum[3];
            gather_voxel(sum, slice, &column, all, table, patch, along);
            at[along * step] += sum[0];
            at[along * step + BRICK_SUMS] += sum[1];
            at[along * step + 2 * BRICK_SUMS] += sum[2];
        }
    }
}

DEVICE_FN void add_brick(GLOBAL float *numerator, GLOBAL float *weight, LOCAL_PTR const float *sums,
                         const insertion *all, int corner_x, int corner_y, int corner_z, bool atomically)
{
    for (int i = ITEM; i < BRICK * BRICK * BRICK_DEPTH; i += ITEMS) {
        const int dx = i % BRICK, dy = i / BRICK % BRICK, dz = i / (BRICK * BRICK);
        const int x = corner_x + dx, y = corner_y + dy + all->low, z = corner_z + dz - all->first_plane;
        const int from = dz * LAYER + dy * BRICK + dx;
        const float sum[3] = {sums[from], sums[from + BRICK_SUMS], sums[from + 2 * BRICK_SUMS]};
        if (x >= all->columns || y >= all->side || corner_z + dz >= all->end_plane) continue;
        if (sum[0] == 0.0f && sum[1] == 0.0f && sum[2] == 0.0f) continue;
        add_to_volume(numerator, weight, ((qn_int64)z * all->side + y) * all->columns + x, sum, atomically);
    }
}

/* Distance from 0 to the nearest of corner … corner + length − 1. */
DEVICE_FN float distance_along(int corner, int length)
{
    return (float)MAX(0, MAX(corner, 1 - corner - length));
}

/* Number of groups that share the slices of a brick: GRID_DIM_Z times the share of random slices that hit the brick. */
DEVICE_FN int groups_of_brick(const insertion *all, int corner_x, int corner_y, int corner_z)
{
    const float half_xy = 0.5f * (BRICK - 1), half_z = 0.5f * (BRICK_DEPTH - 1);
    const float x = (float)corner_x + half_xy, y = (float)corner_y + half_xy, z = (float)corner_z + half_z;
    const float reach = all->reach + SQRT(FMA(2.0f * half_xy, half_xy, half_z * half_z));
    const float distance = SQRT(FMA(x, x, FMA(y, y, z * z)));
    return MAX(1, (int)(GRID_DIM_Z * FMIN(1.0f, reach / FMAX(distance, reach))));
}

/* Insert slices first … end − 1 into the brick, in turns. */
DEVICE_FN void insert_range(LOCAL_PTR float *sums, LOCAL_PTR qn_uint32 *hits, LOCAL_PTR qn_float4 *patch,
                            const insertion *all, GLOBAL const qn_complex *images, GLOBAL const float *image_weights,
                            GLOBAL const float *matrices, TABLE_SPACE float *table, int operators, int first, int end,
                            int corner_x, int corner_y, int corner_z)
{
    for (; first < end; first += ITEMS) {
        find_hits(hits, all, matrices, first, end, corner_x, corner_y, corner_z);
        for (int turn = 0; turn < 3; turn++) {
            for (int word = 0; word < HIT_WORDS; word++) {
                qn_uint32 left = hits[turn * HIT_WORDS + word];
                while (left != 0) {
                    const int bit = LEADING_ZEROS(left), index = first + 32 * word + bit;
                    slice_walk slice;
                    left ^= 0x80000000u >> bit;
                    load_slice(&slice, all, images, image_weights, matrices, index, operators);
#if SHARED_IMAGE
                    LOCAL_BARRIER(); /* no work-item still reads the patch of the last slice */
                    load_patch(patch, &slice, all, matrices + 9 * index, corner_x, corner_y, corner_z);
                    LOCAL_BARRIER();
#endif
                    insert_into_brick(sums, &slice, all, table, patch, corner_x, corner_y, corner_z);
                }
            }
            LOCAL_BARRIER();
        }
    }
    LOCAL_BARRIER();
}
#else
/* Insert the work-item's column of a slice into the volume. */
DEVICE_FN void insert_into_volume(GLOBAL float *numerator, GLOBAL float *weight, const slice_walk *slice,
                                  const insertion *all, TABLE_SPACE float *table, LOCAL_PTR const qn_float4 *patch)
{
    slice_column column;
    const int axis = slice->axis, low = all->low, end = all->side - low;
    const int first = GLOBAL_ID(0) - (axis == 0 ? low : 0);
    const int second = GLOBAL_ID(1) + (axis == 2 ? -low : all->first_plane);
    if (first >= (axis == 0 ? end : all->columns) || second >= (axis == 2 ? end : all->end_plane)) return;
    load_column(&column, slice, all, first, second, axis == 0 ? 0 : (axis == 1 ? -low : all->first_plane),
                axis == 0 ? all->columns : (axis == 1 ? end : all->end_plane));
    for (int along = column.first; along <= column.last; along++) {
        const int x = axis == 0 ? along : first, y = axis == 0 ? first : (axis == 1 ? along : second);
        const int z = axis == 2 ? along : second;
        const qn_int64 place = ((qn_int64)(z - all->first_plane) * all->side + (y + low)) * all->columns + x;
        float sum[3];
        gather_voxel(sum, slice, &column, all, table, patch, along);
        if (sum[0] != 0.0f || sum[1] != 0.0f || sum[2] != 0.0f) add_to_volume(numerator, weight, place, sum, true);
    }
}
#endif

KERNEL GROUP_LIMIT(BLOCK_DIM_X, BLOCK_DIM_Y, 1) void insert_slices(
    GLOBAL const qn_complex *RESTRICT images, GLOBAL const float *RESTRICT image_weights,
    GLOBAL const float *RESTRICT matrices, GLOBAL const float *RESTRICT blob_table, GLOBAL float *RESTRICT numerator,
    GLOBAL float *RESTRICT weight, const insert_scalars s)
{
    const insertion all = make_insertion(s);
#if SHARED_BLOB
    LOCAL float table[4098];
    for (int i = ITEM; i < 4098; i += ITEMS) table[i] = blob_table[i];
    LOCAL_BARRIER();
#else
    TABLE_SPACE float *table = blob_table;
#endif
#if SHARED_IMAGE
    LOCAL qn_float4 patch[PATCH_PIXELS];
#else
    LOCAL qn_float4 patch[1]; /* not used */
#endif
#if BRICK
    LOCAL float sums[3 * BRICK_SUMS];
    LOCAL qn_uint32 hits[3 * HIT_WORDS];
    const int corner_x = GROUP_ID(0) * BRICK, corner_y = GROUP_ID(1) * BRICK - all.low;
    const int corner_z = GROUP_ID(2) / GRID_DIM_Z * BRICK_DEPTH + all.first_plane;
    const float near_x = distance_along(corner_x, BRICK), near_y = distance_along(corner_y, BRICK);
    const float near_z = distance_along(corner_z, BRICK_DEPTH);
    if (FMA(near_x, near_x, FMA(near_y, near_y, near_z * near_z)) > (float)s.most_squared) return;
    const int groups = groups_of_brick(&all, corner_x, corner_y, corner_z), group = GROUP_ID(2) % GRID_DIM_Z;
    if (group >= groups) return;
    const int end = (int)((qn_int64)s.slices * (group + 1) / groups);
    for (int i = ITEM; i < 3 * BRICK_SUMS; i += ITEMS) sums[i] = 0.0f;
    insert_range(sums, hits, patch, &all, images, image_weights, matrices, table, s.operators,
                 (int)((qn_int64)s.slices * group / groups), end, corner_x, corner_y, corner_z);
    add_brick(numerator, weight, sums, &all, corner_x, corner_y, corner_z, groups > 1);
#else
    for (int index = GROUP_ID(2); index < s.slices; index += GRID_DIM_Z) {
        slice_walk slice;
        load_slice(&slice, &all, images, image_weights, matrices, index, s.operators);
        insert_into_volume(numerator, weight, &slice, &all, table, patch);
    }
#endif
}

/* total + low_part += partial, where only the low part is rounded; partial = 0. */
KERNEL GROUP_LIMIT(256, 1, 1) void settle(GLOBAL float *RESTRICT partial, GLOBAL float *RESTRICT total,
                                          GLOBAL float *RESTRICT low_part, qn_int64 count)
{
    for (qn_int64 i = GLOBAL_ID(0); i < count; i += GLOBAL_SIZE(0)) {
        float error;
        total[i] = two_sum(total[i], partial[i], &error);
        low_part[i] += error;
        partial[i] = 0.0f;
    }
}

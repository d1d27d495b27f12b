/* Interface between the kernels of electrostatics and their launch functions, and the parts of a pair's energy. Lengths
 * are in mÅ unless a name states another unit; energies are in kcal/mol/e for a charge of 1 e. */
#ifndef QN_POTENTIAL_ELECTROSTATICS_DEV_H
#define QN_POTENTIAL_ELECTROSTATICS_DEV_H

enum {
    ELECTROSTATICS_INNER_TERMS = 7, /* of the polynomials of electrostatics_model */
    ELECTROSTATICS_OUTER_TERMS = 13,
    ELECTROSTATICS_MEAN_TERMS = 10,
    ELECTROSTATICS_RISE_TERMS = 5,
    ELECTROSTATICS_ORDER = 8,     /* nodes along an axis that a point is interpolated from */
    ELECTROSTATICS_ENTRIES = 502, /* of the table */
    ELECTROSTATICS_BLOCK = 32,    /* atoms whose terms are added before their sum joins the sum of all */
};

#define ELECTROSTATICS_NEAR 5000.0f /* pairs below this distance take the table */
#define ELECTROSTATICS_FAR 12000.0f /* pairs above this distance are in the smooth part only */
#define ELECTROSTATICS_NODE 1500.0f /* spacing of the nodes */
#define ELECTROSTATICS_HALF 500.0f  /* AutoGrid's least distance */
#define ELECTROSTATICS_TINY 1e-6f   /* squared: NORMAL_SQRT takes no 0 */

/* The pair energy is E(r) = S(r) + D(r). S is smooth everywhere; D is 0 beyond FAR. Polynomials have their lowest power
 * first; x is a distance in Å. */
typedef struct electrostatics_model {
    float inner[ELECTROSTATICS_INNER_TERMS]; /* S below FAR: powers of x² − 144 */
    float outer[ELECTROSTATICS_OUTER_TERMS]; /* S · x / 12 above FAR: powers of 24 / x − 1 */
    float mean[ELECTROSTATICS_MEAN_TERMS];   /* D / (12 − x) between NEAR and FAR without the table's steps: powers of
                                                12 − x */
    float rise[ELECTROSTATICS_RISE_TERMS];   /* fall of E over a step of the table, divided and in powers likewise */
} electrostatics_model;

enum { NODES_ATOMS, NODES_VALUES, NODES_SCALARS, NODES_ARGUMENTS };

typedef struct nodes_scalars {
    int atom_count;
    int nx, ny;     /* nodes */
    int first_node; /* of this launch, along z */
    float x, y, z;  /* position of node (0, 0, 0) */
    electrostatics_model model;
} nodes_scalars;

enum { EXPAND_NODES, EXPAND_WEIGHTS, EXPAND_FIRST, EXPAND_VALUES, EXPAND_SCALARS, EXPAND_ARGUMENTS };

/* Values lie as [outer][nodes or points][inner]. */
typedef struct expand_scalars {
    int outer, nodes, points, inner;
    int first_outer; /* of the nodes; values begin with it */
    int first_place; /* of the axis, in the arrays of weights and first nodes */
} expand_scalars;

enum {
    POINTS_ATOMS,
    POINTS_EXACT,
    POINTS_STARTS,
    POINTS_TABLE,
    POINTS_LIMITS,
    POINTS_PLACES,
    POINTS_PLACES_EXACT,
    POINTS_COLUMNS,
    POINTS_WEIGHTS,
    POINTS_FIRST,
    POINTS_POTENTIAL,
    POINTS_SCALARS,
    POINTS_ARGUMENTS
};

/* Cells of atoms: cubes of equal edges; the atoms of a row of cells along x follow each other. */
typedef struct electrostatics_cells {
    int nx, ny, nz;
    float x, y, z, edge; /* corner of the first cell */
} electrostatics_cells;

typedef struct points_scalars {
    int nx, ny, nz;       /* points of this launch */
    int place_y, place_z; /* first coordinate of the axis in the arrays of places; that of x is 0 */
    int first_node;       /* first plane of `columns` */
    float guard;          /* entries of the table: distances in single precision are right to this */
    electrostatics_cells cells;
    electrostatics_model model;
} points_scalars;

/* Polynomials, written out because compilers vectorise no loop that has a loop inside. Even and odd powers are summed
 * apart, so that a term waits for half the others only. */
DEVICE_FN float electrostatics_inner(const electrostatics_model *model, float u)
{
    const float *t = model->inner, u2 = u * u;
    const float even = FMA(FMA(FMA(t[6], u2, t[4]), u2, t[2]), u2, t[0]), odd = FMA(FMA(t[5], u2, t[3]), u2, t[1]);
    return FMA(odd, u, even);
}

DEVICE_FN float electrostatics_outer(const electrostatics_model *model, float v)
{
    const float *t = model->outer, v2 = v * v;
    const float high = FMA(FMA(t[12], v2, t[10]), v2, t[8]);
    const float even = FMA(FMA(FMA(FMA(high, v2, t[6]), v2, t[4]), v2, t[2]), v2, t[0]);
    const float odd = FMA(FMA(FMA(FMA(FMA(t[11], v2, t[9]), v2, t[7]), v2, t[5]), v2, t[3]), v2, t[1]);
    return FMA(odd, v, even);
}

/* S(r) below FAR, and above it. */
DEVICE_FN float electrostatics_smooth_inner(const electrostatics_model *model, float squared)
{
    return electrostatics_inner(model, FMA(squared, 1e-6f, -144.0f));
}

DEVICE_FN float electrostatics_smooth_outer(const electrostatics_model *model, float squared)
{
    const float far = ELECTROSTATICS_FAR * ELECTROSTATICS_FAR;
    const float ratio = ELECTROSTATICS_FAR / NORMAL_SQRT(FMAX(squared, far));
    return electrostatics_outer(model, FMA(2.0f, ratio, -1.0f)) * ratio;
}

/* D(r) from NEAR on: the mean and, by the place of r in a step of the table, the difference from the mean. 0 from FAR
 * on. */
DEVICE_FN float electrostatics_middle(const electrostatics_model *model, float squared)
{
    const float root = NORMAL_SQRT(squared), entry = root * 0.1f, place = (entry - FLOOR(entry)) - 0.5f;
    const float x = FMAX(FMA(root, -1e-3f, 12.0f), 0.0f), x2 = x * x, *t = model->mean, *s = model->rise;
    const float even = FMA(FMA(FMA(FMA(t[8], x2, t[6]), x2, t[4]), x2, t[2]), x2, t[0]);
    const float odd = FMA(FMA(FMA(FMA(t[9], x2, t[7]), x2, t[5]), x2, t[3]), x2, t[1]);
    const float rise = FMA(FMA(s[3], x2, s[1]), x, FMA(FMA(s[4], x2, s[2]), x2, s[0]));
    return x * FMA(place, rise, FMA(odd, x, even));
}

/* Whether the entry (int)(100 r) of the table is uncertain; `scaled` is 100 r in single precision. */
DEVICE_FN int electrostatics_is_doubtful(float scaled, float guard)
{
    return (int)(scaled - guard) != (int)(scaled + guard);
}

/* D(r) below NEAR. energy: the table's entry, E · r with r in mÅ */
DEVICE_FN float electrostatics_close(const electrostatics_model *model, float energy, float squared, float root)
{
    return energy / FMAX(root, ELECTROSTATICS_HALF) - electrostatics_smooth_inner(model, squared);
}

/* Range of the cells along one axis that are less than `reach` from the interval [low, high]. */
DEVICE_FN void electrostatics_cell_range(float low, float high, float reach, float origin, float edge, int count,
                                         int *first, int *end)
{
    const float from = FLOOR((low - reach - origin) / edge), to = FLOOR((high + reach - origin) / edge);
    *first = (int)CLAMP(from, 0.0f, (float)count);
    *end = (int)CLAMP(to + 1.0f, 0.0f, (float)count);
}

/* Distance between the interval [low, high] and cell `index` of an axis; 0 if they overlap. */
DEVICE_FN float electrostatics_cell_gap(float low, float high, float origin, float edge, int index)
{
    const float begin = origin + (float)index * edge, end = begin + edge;
    return FMAX(FMAX(begin - high, low - end), 0.0f);
}

/* First and end atom of the part of cell row (y, z) that can be nearer than FAR to the box low … high. */
DEVICE_FN void electrostatics_cell_row(electrostatics_cells cells, GLOBAL const int *starts, const float *low,
                                       const float *high, int y, int z, int *first, int *end)
{
    const float gap_y = electrostatics_cell_gap(low[1], high[1], cells.y, cells.edge, y);
    const float gap_z = electrostatics_cell_gap(low[2], high[2], cells.z, cells.edge, z);
    const float left = ELECTROSTATICS_FAR * ELECTROSTATICS_FAR - gap_y * gap_y - gap_z * gap_z;
    int first_x = 0, end_x = 0;
    if (left > 0.0f)
        electrostatics_cell_range(low[0], high[0], SQRT(left) + 1.0f, cells.x, cells.edge, cells.nx, &first_x, &end_x);
    const int row = (z * cells.ny + y) * cells.nx;
    *first = starts[row + first_x];
    *end = starts[row + (first_x < end_x ? end_x : first_x)];
}

/* Add `value` to a sum and its rounding error to `error`. Adding 0 changes neither. */
DEVICE_FN void electrostatics_add(float *sum, float *error, float value)
{
    const float next = *sum + value, part = next - *sum;
    *error += (*sum - (next - part)) + (value - part);
    *sum = next;
}

#endif

/* Interface between the short_range kernel and its launch function, and the arithmetic of one pair. Energies are in
 * kcal/mol, lengths in Å unless a name says otherwise.
 *
 * Atoms are sorted: donors of hydrogen bonds, then acceptors, then all others, each by cell. A point adds the atoms of
 * its brick's list in this order, so that sums have the same bits for every device, slab and configuration. */
#ifndef QN_POTENTIAL_SHORT_RANGE_DEV_H
#define QN_POTENTIAL_SHORT_RANGE_DEV_H

#include "potential/maps/kernels/soft_double.dev.h"

enum {
    SHORT_BRICK = 8,     /* points along an edge of a brick */
    SHORT_ENTRIES = 801, /* of a table: 0 … 8 Å */
    SHORT_DIRECTION = 3  /* qn_float4 of a direction: axis and code, normal, normal × axis */
};

/* `w` of a direction's axis */
#define SHORT_SPHERICAL 0.0f /* no direction counts */
#define SHORT_SQUARE 2.0f    /* cos² */
#define SHORT_FOURTH 4.0f    /* cos⁴ */
#define SHORT_LONE_PAIRS 5.0f

enum {
    SHORT_ATOMS,        /* qn_int4 an atom: position in units relative to the centre, first row of its table */
    SHORT_SOLVATION,    /* qn_float2 an atom: volume; solvation parameter with that of the charge */
    SHORT_EXACT,        /* 3 doubles an atom: position relative to the centre */
    SHORT_DIRECTIONS,   /* SHORT_DIRECTION qn_float4 an atom, donors and acceptors only */
    SHORT_LISTS,        /* atoms of bricks */
    SHORT_STARTS,       /* 4 a brick: first donor, first acceptor, first other atom, end */
    SHORT_TABLE,        /* [kind][SHORT_ENTRIES][LANES]: energies of the probes, then desolvation twice */
    SHORT_LIMITS,       /* doubles: entry n begins at squared distance limits[n]; beyond the last one: nothing */
    SHORT_PLACES,       /* positions of the points along x, then y, then z, in units */
    SHORT_PLACES_EXACT, /* the same as doubles in Å */
    SHORT_PROBES,       /* qn_float2 a probe: solvation parameter and volume */
    SHORT_VALUES,       /* [probe][planes][ny][nx] */
    SHORT_CHARGES,      /* [planes][ny][nx]: desolvation of charges */
    SHORT_SCALARS,
    SHORT_ARGUMENTS
};

typedef struct short_scalars {
    int nx, ny, planes;     /* points of the launch */
    int first_plane;        /* in the grid, a multiple of SHORT_BRICK */
    int places_y, places_z; /* first element of an axis in the arrays of places */
    int probe_count;
    int scaled;            /* bit mask of probes: hydrogen bonds to them share the closest donor */
    int extreme_of_donors; /* of probes: of their bonds to donors the least and the most count */
    int extreme_of_acceptors;
    float unit;         /* of positions in Å */
    float reach2;       /* squared distance beyond which atoms are surely too far */
    float guard, slope; /* 100 r is right to guard + slope · 100 r */
    float tie;          /* squared distances to donors are right to this */
    float charge_solvation;
} short_scalars;

/* Distance of a squared distance that may be 0. The number is small enough, and compilers keep vectors. */
DEVICE_FN float short_root(float square)
{
    return SQRT(square + 1e-12f);
}

/* ---- angular factors; u: unit vector from the atom to the point ---- */

DEVICE_FN float short_power(float cosine, float code)
{
    const float square = cosine * cosine;
    return cosine <= 0.0f ? 0.0f : code == SHORT_FOURTH ? square * square : square;
}

/* Lone pairs of an acceptor with two: cosines of u with axis, normal and normal × axis. */
DEVICE_FN float short_lone_pairs(float cosine, float out, float side)
{
    /* cosine of the angle out of the plane; rounding may make the square negative */
    const float flat = SQRT(ABS(FMA(-out, out, 1.0f)));
    const float sine = FMIN(ABS(side) / (flat + 1e-20f), 1.0f);
    const float front = FMA(0.2f * sine, SQRT(FMA(-sine, sine, 1.0f)), 0.9f);
    const float rest = FMA(-cosine, cosine, 0.116978f);
    return (cosine >= 0.0f ? front : cosine >= -0.34202f ? 562.25f * (rest * rest * rest) : 0.0f) * flat;
}

/* Share of a donor that is not the closest: 0.5 − 0.5 cos(4/3 acos c) for the cosine c between both axes. The cosine is
 * a polynomial in (1 − |c|) / 2, fitted at Chebyshev's nodes; below 0 acos c = π − acos |c|. Error below 3e-7. */
DEVICE_FN float short_share(float c)
{
    const float x = ABS(FMA(ABS(c), -0.5f, 0.5f));
    float even = 3.660982411e-01f, odd = -1.954023700e-01f;
    even = FMA(even, x, -3.888297958e-01f), odd = FMA(odd, x, 2.099164718e-01f);
    even = FMA(even, x, 3.237666548e-01f), odd = FMA(odd, x, -1.714272268e-01f);
    even = FMA(even, x, 4.001316464e-03f), odd = FMA(odd, x, 3.025842041e-03f);
    even = FMA(even, x, 1.566012034e-01f), odd = FMA(odd, x, -7.200793116e-02f);
    even = FMA(even, x, 2.715371199e-01f), odd = FMA(odd, x, -1.084003899e-01f);
    even = FMA(even, x, 9.218902897e-01f), odd = FMA(odd, x, -2.565585941e-01f);
    even = FMA(even, x, -3.555557069e+00f), odd = FMA(odd, x, -2.716048569e+00f);
    even = FMA(even, x, 1.000000005e+00f), odd = FMA(odd, x, 2.666666664e+00f) * SQRT(x);
    /* cos(4π/3) = −0.5, sin(4π/3) = −0.8660254 */
    const float cosine = c >= 0.0f ? even : FMA(-0.8660254f, odd, -0.5f * even);
    return FMA(-0.5f, cosine, 0.5f);
}

/* Weight of a bond's energy: the angular factor, or 1 for energies of 100 kcal/mol and more. */
DEVICE_FN float short_weight(float factor, float energy)
{
    return FMA(1.0f - factor, SATURATE(energy * 0.01f), factor);
}

/* ---- values ---- */

DEVICE_FN qn_int64 short_fixed(float value)
{
    return (qn_int64)(FMIN(FMAX(value, -2e6f), 2e6f) * 1073741824.0f); /* 2^30 a kcal/mol */
}

/* A sum in units of 2^-30 as maps hold it: rounded to 0.001 as qn_map_value_round does. The quotient is corrected by
 * its remainder, so it is rounded correctly. */
DEVICE_FN float short_round(qn_int64 fixed)
{
    const qn_int64 bounded = MIN(MAX(fixed, -(qn_int64)2000000 * 1073741824), (qn_int64)2000000 * 1073741824);
    const int thousandths = (int)((bounded * 1000 + 536870912) >> 30);
    const float rounded = (float)thousandths, rest = (float)(thousandths - (int)rounded), guess = rounded * 0.001f;
    const float value = FMA(FMA(-guess, 1000.0f, rounded) + rest, 0.001f, guess);
    const int is_zero = bounded < 107374 && bounded > -107374; /* 0.0001 */
    return thousandths != 0 ? value : is_zero ? 0.0f : bounded < 0 ? -0.0001f : 0.0001f;
}

/* The value of a probe: the compensated sum, the extreme bonds (least > most: none) and the desolvation. */
DEVICE_FN float short_value(float sum, float error, float least, float most, float desolvation)
{
    qn_int64 fixed = short_fixed(sum) + short_fixed(error) + short_fixed(desolvation);
    if (least <= most) fixed += short_fixed(least) + short_fixed(most);
    return short_round(fixed);
}

#endif

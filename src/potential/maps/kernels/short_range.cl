/* Energies of probes by dispersion, hydrogen bonds and desolvation: everything but electrostatics.
 *
 * A group computes a part of a brick of 8 × 8 × 8 points, a work-item a point. The atoms of the brick's list pass
 * through local memory in chunks. The list is read twice: first its donors, to find the closest one; then all atoms. */

#include "potential/maps/kernels/short_range.dev.h"

#ifndef GROUP_Z
#error "GROUP_Z: planes of a brick that a group computes"
#endif
#ifndef CHUNK
#error "CHUNK: atoms in local memory"
#endif
#ifndef LANES
#error "LANES: probes of a launch, and two for desolvation"
#endif

#define GROUP_ITEMS (SHORT_BRICK * SHORT_BRICK * GROUP_Z)

/* Parts of a list, in order; starts[kind − 1] and starts[kind] are its beginning and end. */
enum { CLASS_CLOSEST, CLASS_DONOR, CLASS_ACCEPTOR, CLASS_OTHER };

/* Chunk of a brick's list. */
typedef struct short_chunk {
    LOCAL_PTR qn_float4 *places; /* relative to the brick; the table's first row in bits */
    LOCAL_PTR qn_float2 *solvation;
    LOCAL_PTR int *atoms;
} short_chunk;

typedef struct short_input {
    GLOBAL const qn_int4 *atoms;
    GLOBAL const qn_float2 *solvation;
    GLOBAL const qn_uint64 *exact;
    GLOBAL const qn_float4 *directions;
    GLOBAL const int *lists;
    GLOBAL const qn_float4 *table;
    GLOBAL const qn_uint64 *limits;
    int origin[3]; /* of the brick, in units */
    qn_uint64 point[3];
    float x, y, z; /* the point relative to the brick */
    int closest;   /* donor, −1: none */
} short_input;

typedef struct short_sums {
    float sum[LANES], error[LANES], least[LANES], most[LANES];
} short_sums;

/* Copy atoms first … first + count − 1 of the list to local memory. */
DEVICE_FN void load_chunk(const short_input *in, const short_chunk *chunk, int first, int count, float unit)
{
    const int item = (LOCAL_ID(2) * SHORT_BRICK + LOCAL_ID(1)) * SHORT_BRICK + LOCAL_ID(0);
    LOCAL_BARRIER();
    for (int i = item; i < count; i += GROUP_ITEMS) {
        const int index = in->lists[first + i];
        const qn_int4 atom = in->atoms[index];
        chunk->places[i] = FLOAT4_MAKE((float)(atom.x - in->origin[0]) * unit, (float)(atom.y - in->origin[1]) * unit,
                                       (float)(atom.z - in->origin[2]) * unit, BITS_FLOAT((qn_uint32)atom.w));
        chunk->solvation[i] = in->solvation[index];
        chunk->atoms[i] = index;
    }
    LOCAL_BARRIER();
}

/* Squared distance of an atom as a double. */
DEVICE_FN qn_uint64 exact_square(const short_input *in, int atom)
{
    const qn_uint64 x = soft_square(soft_difference(in->point[0], in->exact[3 * atom]));
    const qn_uint64 y = soft_square(soft_difference(in->point[1], in->exact[3 * atom + 1]));
    const qn_uint64 z = soft_square(soft_difference(in->point[2], in->exact[3 * atom + 2]));
    return soft_sum(soft_sum(x, y), z);
}

/* Entry of the table for a distance; SHORT_ENTRIES: too far. */
DEVICE_FN int find_entry(const short_input *in, const short_scalars *s, float root, int atom)
{
    const float scaled = root * 100.0f;
    const int entry = (int)scaled;
    const float rest = scaled - (float)entry, guard = FMA(s->slope, scaled, s->guard);
    if (rest > guard && rest < 1.0f - guard) return entry < SHORT_ENTRIES - 1 ? entry : SHORT_ENTRIES;
    const int nearest = (int)(scaled + 0.5f); /* the entry that begins here, or the one before */
    if (nearest > SHORT_ENTRIES - 1) return SHORT_ENTRIES;
    const qn_uint64 exact = exact_square(in, atom);
    if (exact < in->limits[nearest]) return nearest - 1;
    return nearest == SHORT_ENTRIES - 1 && exact >= in->limits[SHORT_ENTRIES] ? SHORT_ENTRIES : nearest;
}

DEVICE_FN void load_row(GLOBAL const qn_float4 *from, float *row)
{
    UNROLL
    for (int i = 0; i < LANES / 4; i++) {
        const qn_float4 four = from[i];
        row[4 * i] = four.x, row[4 * i + 1] = four.y, row[4 * i + 2] = four.z, row[4 * i + 3] = four.w;
    }
}

DEVICE_FN void add(short_sums *sums, int lane, float value)
{
    const float next = sums->sum[lane] + value;
    sums->error[lane] += value - (next - sums->sum[lane]);
    sums->sum[lane] = next;
}

DEVICE_FN float square_of(const short_input *in, qn_float4 place, float *x, float *y, float *z)
{
    *x = in->x - place.x, *y = in->y - place.y, *z = in->z - place.z;
    return FMA(*z, *z, FMA(*y, *y, *x * *x));
}

DEVICE_FN void find_closest(short_input *in, const short_scalars *s, const short_chunk *chunk, int count, float *best)
{
    for (int i = 0; i < count; i++) {
        float x, y, z;
        const float square = square_of(in, chunk->places[i], &x, &y, &z);
        if (square > FMIN(*best + s->tie, s->reach2)) continue;
        const int atom = chunk->atoms[i];
        int is_closer = square < *best - s->tie || in->closest < 0;
        if (!is_closer) { /* one call in a loop, so that compilers inline exact_square once */
            qn_uint64 squares[2];
            for (int k = 0; k < 2; k++) squares[k] = exact_square(in, k ? in->closest : atom);
            is_closer = squares[0] < squares[1];
        }
        if (is_closer) {
            *best = square;
            in->closest = atom;
        }
    }
}

/* Angular factor of a bond between a directed atom and the point: (x, y, z) · inverse is the unit vector from the
 * atom. */
DEVICE_FN float find_factor(const short_input *in, int atom, float x, float y, float z, float inverse, int is_donor,
                            float *share)
{
    const qn_float4 axis = in->directions[SHORT_DIRECTION * atom];
    const float cosine = FMA(axis.z, z, FMA(axis.y, y, axis.x * x)) * inverse;
    float factor = axis.w == SHORT_SPHERICAL ? 1.0f : short_power(cosine, axis.w);
    if (axis.w == SHORT_LONE_PAIRS) {
        const qn_float4 normal = in->directions[SHORT_DIRECTION * atom + 1];
        const qn_float4 side = in->directions[SHORT_DIRECTION * atom + 2];
        factor = short_lone_pairs(cosine, FMA(normal.z, z, FMA(normal.y, y, normal.x * x)) * inverse,
                                  FMA(side.z, z, FMA(side.y, y, side.x * x)) * inverse);
    }
    if (is_donor && axis.w != SHORT_SPHERICAL && factor > 0.0f && in->closest >= 0 && atom != in->closest) {
        const qn_float4 other = in->directions[SHORT_DIRECTION * in->closest];
        *share = short_share(FMA(axis.z, other.z, FMA(axis.y, other.y, axis.x * other.x)));
    }
    return factor;
}

/* Add the row of a directed atom. Bonds to the probes of `scaled` add up; of those to the probes of `extreme` the least
 * and the most count. */
DEVICE_FN void add_bonds(const float *row, float factor, float share, int scaled, int extreme, short_sums *sums)
{
    UNROLL
    for (int lane = 0; lane < LANES - 2; lane++) {
        const float energy = row[lane], weighted = energy * short_weight(factor, energy);
        const int is_scaled = scaled >> lane & 1, is_extreme = extreme >> lane & 1;
        sums->least[lane] = FMIN(sums->least[lane], is_extreme ? weighted : FLOAT_MAXIMUM);
        sums->most[lane] = FMAX(sums->most[lane], is_extreme ? weighted : -FLOAT_MAXIMUM);
        add(sums, lane, is_extreme ? 0.0f : is_scaled ? weighted * share : energy);
    }
}

/* Add a chunk of atoms of one kind. */
DEVICE_FN void add_atoms(const short_input *in, const short_scalars *s, const short_chunk *chunk, int count, int kind,
                         short_sums *sums)
{
    const int scaled = kind == CLASS_DONOR ? s->scaled : 0;
    const int extreme = kind == CLASS_DONOR      ? s->extreme_of_donors
                        : kind == CLASS_ACCEPTOR ? s->extreme_of_acceptors
                                                 : 0;
    for (int i = 0; i < count; i++) {
        float x, y, z, share = 1.0f;
        const qn_float4 place = chunk->places[i];
        const float square = square_of(in, place, &x, &y, &z);
        if (square > s->reach2) continue;
        const float root = short_root(square);
        const int entry = find_entry(in, s, root, chunk->atoms[i]);
        if (entry == SHORT_ENTRIES) continue;
        float row[LANES];
        load_row(in->table + ((int)FLOAT_BITS(place.w) + entry) * (LANES / 4), row);
        const qn_float2 solvation = chunk->solvation[i];
        if (scaled | extreme) {
            const float factor = find_factor(in, chunk->atoms[i], x, y, z, 1.0f / root, kind == CLASS_DONOR, &share);
            add_bonds(row, factor, share, scaled, extreme, sums);
        } else {
            UNROLL
            for (int lane = 0; lane < LANES - 2; lane++) add(sums, lane, row[lane]);
        }
        add(sums, LANES - 2, row[LANES - 2] * solvation.x);
        add(sums, LANES - 1, row[LANES - 1] * solvation.y);
    }
}

/* Pass the list of a brick chunk by chunk; a chunk has atoms of one kind. Its donors pass first, to find the closest
 * one, if probes need it. */
DEVICE_FN void add_list(short_input *in, const short_scalars *s, const short_chunk *chunk, GLOBAL const int *starts,
                        short_sums *sums)
{
    float best = s->reach2;
    int kind = s->scaled ? CLASS_CLOSEST : CLASS_DONOR, first = starts[0];
    while (kind <= CLASS_OTHER) {
        const int end = starts[kind == CLASS_CLOSEST ? 1 : kind];
        const int count = MIN(CHUNK, end - first);
        if (count > 0) {
            load_chunk(in, chunk, first, count, s->unit);
            if (kind == CLASS_CLOSEST)
                find_closest(in, s, chunk, count, &best);
            else
                add_atoms(in, s, chunk, count, kind, sums);
        }
        first += count;
        if (first >= end) {
            first = kind == CLASS_CLOSEST ? starts[0] : end;
            kind++;
        }
    }
}

DEVICE_FN void store(const short_scalars *s, const short_sums *sums, GLOBAL const qn_float2 *probes,
                     GLOBAL float *values, GLOBAL float *charges, int x, int y, int z)
{
    if (x >= s->nx || y >= s->ny || z >= s->planes) return;
    const qn_int64 place = ((qn_int64)z * s->ny + y) * s->nx + x, stride = (qn_int64)s->planes * s->ny * s->nx;
    const float volume = sums->sum[LANES - 2] + sums->error[LANES - 2];
    const float solvation = sums->sum[LANES - 1] + sums->error[LANES - 1];
    charges[place] = short_round(short_fixed(s->charge_solvation * volume));
    UNROLL
    for (int lane = 0; lane < LANES - 2; lane++) {
        if (lane >= s->probe_count) continue;
        const qn_float2 probe = probes[lane];
        values[lane * stride + place] = short_value(sums->sum[lane], sums->error[lane], sums->least[lane],
                                                    sums->most[lane], FMA(probe.x, volume, probe.y * solvation));
    }
}

KERNEL GROUP_LIMIT(SHORT_BRICK, SHORT_BRICK, GROUP_Z) void short_range(
    GLOBAL const qn_int4 *RESTRICT atoms, GLOBAL const qn_float2 *RESTRICT solvation,
    GLOBAL const qn_uint64 *RESTRICT exact, GLOBAL const qn_float4 *RESTRICT directions,
    GLOBAL const int *RESTRICT lists, GLOBAL const int *RESTRICT starts, GLOBAL const qn_float4 *RESTRICT table,
    GLOBAL const qn_uint64 *RESTRICT limits, GLOBAL const int *RESTRICT places,
    GLOBAL const qn_uint64 *RESTRICT places_exact, GLOBAL const qn_float2 *RESTRICT probes,
    GLOBAL float *RESTRICT values, GLOBAL float *RESTRICT charges, const short_scalars s)
{
    LOCAL qn_float4 local_places[CHUNK];
    LOCAL qn_float2 local_solvation[CHUNK];
    LOCAL int local_atoms[CHUNK];
    const short_chunk chunk = {local_places, local_solvation, local_atoms};
    const int x = GLOBAL_ID(0), y = GLOBAL_ID(1), z = GLOBAL_ID(2);
    const int brick = (z / SHORT_BRICK * GROUP_COUNT(1) + GROUP_ID(1)) * GROUP_COUNT(0) + GROUP_ID(0);
    /* points beyond the grid compute the last point again, and store nothing */
    const int px = MIN(x, s.nx - 1), py = s.places_y + MIN(y, s.ny - 1),
              pz = s.places_z + s.first_plane + MIN(z, s.planes - 1);
    const int bx = GROUP_ID(0) * SHORT_BRICK, by = s.places_y + GROUP_ID(1) * SHORT_BRICK,
              bz = s.places_z + s.first_plane + z / SHORT_BRICK * SHORT_BRICK;
    short_input in = {atoms,
                      solvation,
                      exact,
                      directions,
                      lists,
                      table,
                      limits,
                      {places[bx], places[by], places[bz]},
                      {places_exact[px], places_exact[py], places_exact[pz]},
                      0.0f,
                      0.0f,
                      0.0f,
                      -1};
    in.x = (float)(places[px] - in.origin[0]) * s.unit;
    in.y = (float)(places[py] - in.origin[1]) * s.unit;
    in.z = (float)(places[pz] - in.origin[2]) * s.unit;
    short_sums sums;
    UNROLL
    for (int lane = 0; lane < LANES; lane++) {
        sums.sum[lane] = 0.0f, sums.error[lane] = 0.0f;
        sums.least[lane] = FLOAT_MAXIMUM, sums.most[lane] = -FLOAT_MAXIMUM;
    }
    add_list(&in, &s, &chunk, starts + 4 * brick, &sums);
    store(&s, &sums, probes, values, charges, x, y, z);
}

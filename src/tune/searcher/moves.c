#include "tune/searcher/moves.h"

#include <math.h>

#include "math/random.h"

/* Other users of the seed, such as forests, have streams of other numbers. */
static const uint64_t moves_stream = 0x6d6f766573;

void qn_moves_start(qn_moves *moves, const qn_space *space, uint64_t seed)
{
    *moves = (qn_moves){
        .space = space, .size = qn_space_size(space), .parameters = qn_space_parameter_count(space), .seed = seed};
}

double qn_moves_uniform(qn_moves *moves)
{
    return qn_random_uniform(moves->seed, moves_stream, moves->draws++);
}

double qn_moves_normal(qn_moves *moves)
{
    /* Box and Muller; 1 - u is never 0. */
    double radius = sqrt(-2.0 * log(1.0 - qn_moves_uniform(moves)));
    return radius * cos(6.283185307179586 * qn_moves_uniform(moves));
}

uint64_t qn_moves_below(qn_moves *moves, uint64_t count)
{
    return count ? (uint64_t)(qn_moves_uniform(moves) * (double)count) % count : 0;
}

void qn_moves_shuffle(qn_moves *moves, size_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = qn_moves_below(moves, i), kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}

qn_point qn_moves_point(qn_moves *moves)
{
    return qn_moves_below(moves, moves->size);
}

/* Get the k-th change of one parameter; false after the last change. */
static bool change(const qn_moves *moves, const uint16_t *numbers, qn_moves_kind kind, size_t parameter, size_t k,
                   uint16_t *value)
{
    size_t count = qn_space_value_count(moves->space, parameter);
    if (kind == QN_MOVES_HAMMING) {
        *value = (uint16_t)(k < numbers[parameter] ? k : k + 1);
        return k + 1 < count;
    }
    if (k == 0 && numbers[parameter] > 0) {
        *value = (uint16_t)(numbers[parameter] - 1);
        return true;
    }
    *value = (uint16_t)(numbers[parameter] + 1);
    return k == (size_t)(numbers[parameter] > 0) && *value < count;
}

size_t qn_moves_neighbours(const qn_moves *moves, qn_point point, qn_moves_kind kind, qn_point *neighbours,
                           size_t capacity)
{
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX], value;
    size_t count = 0;
    qn_space_get(moves->space, point, numbers);
    for (size_t p = 0; p < moves->parameters; p++) {
        uint16_t kept = numbers[p];
        for (size_t k = 0; count < capacity && change(moves, numbers, kind, p, k, &value); k++) {
            numbers[p] = value;
            if (qn_space_find(moves->space, numbers, &neighbours[count])) count++;
            numbers[p] = kept;
        }
    }
    return count;
}

size_t qn_moves_most_neighbours(const qn_moves *moves)
{
    size_t count = 0;
    for (size_t p = 0; p < moves->parameters; p++) count += qn_space_value_count(moves->space, p) - 1;
    return count;
}

qn_point qn_moves_neighbour(qn_moves *moves, qn_point point, qn_moves_kind kind)
{
    /* Reservoir sampling: one pass, every valid neighbour equally likely, no memory. */
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX], value;
    qn_point found, chosen = point;
    uint64_t count = 0;
    qn_space_get(moves->space, point, numbers);
    for (size_t p = 0; p < moves->parameters; p++) {
        uint16_t kept = numbers[p];
        for (size_t k = 0; change(moves, numbers, kind, p, k, &value); k++) {
            numbers[p] = value;
            if (qn_space_find(moves->space, numbers, &found) && qn_moves_below(moves, ++count) == 0) chosen = found;
            numbers[p] = kept;
        }
    }
    return chosen;
}

qn_point qn_moves_towards(qn_moves *moves, qn_point from, const uint16_t *numbers)
{
    uint16_t here[QN_SPACE_PARAMETERS_MAX];
    size_t order[QN_SPACE_PARAMETERS_MAX];
    qn_point point = from;
    if (qn_space_find(moves->space, numbers, &point)) return point;
    qn_space_get(moves->space, from, here);
    for (size_t p = 0; p < moves->parameters; p++) order[p] = p;
    qn_moves_shuffle(moves, order, moves->parameters);
    point = from;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < moves->parameters; i++) {
            size_t p = order[i];
            uint16_t kept = here[p];
            if (kept == numbers[p]) continue;
            here[p] = numbers[p];
            if (qn_space_find(moves->space, here, &point))
                moved = true;
            else
                here[p] = kept;
        }
    }
    (void)qn_space_find(moves->space, here, &point);
    return point;
}

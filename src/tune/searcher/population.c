#include "tune/searcher/population.h"

#include "base/error.h"
#include "base/memory.h"

qn_status qn_population_start(const qn_space *space, uint64_t seed, size_t capacity, qn_population *population)
{
    *population = (qn_population){.capacity = capacity};
    qn_moves_start(&population->moves, space, seed);
    QN_TRY(qn_allocate(capacity, sizeof(*population->points), (void **)&population->points));
    QN_TRY(qn_allocate(capacity, sizeof(*population->objectives), (void **)&population->objectives));
    QN_TRY(qn_allocate(capacity, sizeof(*population->children), (void **)&population->children));
    return qn_allocate(capacity, sizeof(*population->awaited), (void **)&population->awaited);
}

void qn_population_clear(qn_population *population)
{
    qn_release(&population->points);
    qn_release(&population->objectives);
    qn_release(&population->children);
    qn_release(&population->awaited);
}

size_t qn_population_best(const qn_population *population)
{
    size_t best = 0;
    for (size_t i = 1; i < population->count; i++)
        if (population->objectives[i] < population->objectives[best]) best = i;
    return best;
}

size_t qn_population_await(qn_population *population, qn_point child)
{
    size_t place = population->turn;
    population->turn = (place + 1) % population->capacity;
    population->children[place] = child;
    population->awaited[place] = true;
    return place;
}

size_t qn_population_awaiting(qn_population *population, qn_point point)
{
    for (size_t i = 0; i < population->capacity; i++)
        if (population->awaited[i] && population->children[i] == point) {
            population->awaited[i] = false;
            return i;
        }
    return SIZE_MAX;
}

bool qn_population_add(qn_population *population, qn_point point, double objective)
{
    size_t place = population->count, worst = 0;
    if (place < population->capacity) {
        population->count++;
    } else {
        for (size_t i = 0; i < population->count; i++) {
            if (population->points[i] == point) return false;
            if (population->objectives[i] > population->objectives[worst]) worst = i;
        }
        if (!(objective < population->objectives[worst])) return false;
        place = worst;
    }
    population->points[place] = point;
    population->objectives[place] = objective;
    return true;
}

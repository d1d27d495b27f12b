#include "model/particle_set.h"

#include "base/memory.h"

void qn_particle_set_destroy(qn_particle_set **set)
{
    qn_particle_set *s = *set;
    if (!s) return;
    for (size_t i = 0; i < s->stack_count && s->stacks; i++) qn_release(&s->stacks[i]);
    qn_release(&s->stacks);
    qn_release(&s->particles);
    qn_release(&s->optics);
    qn_release(&s->name);
    qn_release(set);
}

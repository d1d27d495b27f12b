#include "model/particle_set.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static qn_status allocate_set(size_t particle_count, size_t optics_count, qn_particle_set **out)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof **out, &memory));
    qn_particle_set *set = *out = memory;
    QN_TRY(qn_allocate(particle_count, sizeof *set->particles, &memory));
    set->particles = memory;
    set->particle_count = particle_count;
    QN_TRY(qn_allocate(optics_count, sizeof *set->optics, &memory));
    set->optics = memory;
    set->optics_count = optics_count;
    return QN_OK;
}

qn_status qn_particle_set_create(size_t particle_count, size_t optics_count, qn_particle_set **out)
{
    *out = NULL;
    if (particle_count < 1 || optics_count < 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "a set of %zu particles in %zu optics groups; expected at least one of both", particle_count,
                       optics_count);
    const qn_status status = allocate_set(particle_count, optics_count, out);
    if (status != QN_OK) {
        qn_particle_set_destroy(out);
        return status;
    }
    qn_particle_set *set = *out;
    set->has_angles = true;
    for (size_t i = 0; i < particle_count; i++)
        set->particles[i] = (qn_particle){.image = i, .row = i + 1, .weight = 1};
    for (size_t i = 0; i < optics_count; i++) set->optics[i].number = (int)i + 1;
    return QN_OK;
}

static qn_status copy_names(const qn_particle_set *set, qn_particle_set *copy)
{
    void *memory;
    if (set->name) QN_TRY(qn_text_copy(set->name, &copy->name));
    if (set->stack_count == 0) return QN_OK;
    QN_TRY(qn_allocate(set->stack_count, sizeof *copy->stacks, &memory));
    copy->stacks = memory;
    copy->stack_count = set->stack_count;
    for (size_t i = 0; i < set->stack_count; i++) QN_TRY(qn_text_copy(set->stacks[i], &copy->stacks[i]));
    return QN_OK;
}

static qn_status copy_classes(const qn_particle_set *set, qn_particle_set *copy)
{
    void *memory;
    if (!set->classes) return QN_OK;
    QN_TRY(qn_allocate(set->particle_count, sizeof *copy->classes, &memory));
    copy->classes = memory;
    memcpy(copy->classes, set->classes, set->particle_count * sizeof *set->classes);
    return QN_OK;
}

qn_status qn_particle_set_copy(const qn_particle_set *set, qn_particle_set **out)
{
    *out = NULL;
    qn_status status = allocate_set(set->particle_count, set->optics_count, out);
    if (status == QN_OK) {
        qn_particle_set *copy = *out;
        memcpy(copy->particles, set->particles, set->particle_count * sizeof *set->particles);
        memcpy(copy->optics, set->optics, set->optics_count * sizeof *set->optics);
        copy->has_ctf = set->has_ctf;
        copy->has_subsets = set->has_subsets;
        copy->has_angles = set->has_angles;
        copy->has_images = set->has_images;
        copy->origins_in_pixels = set->origins_in_pixels;
        memcpy(copy->lacking_angles, set->lacking_angles, sizeof copy->lacking_angles);
        memcpy(copy->lacking_ctf, set->lacking_ctf, sizeof copy->lacking_ctf);
        status = copy_classes(set, copy);
        if (status == QN_OK) status = copy_names(set, copy);
    }
    if (status != QN_OK) qn_particle_set_destroy(out);
    return status;
}

void qn_particle_set_destroy(qn_particle_set **set)
{
    qn_particle_set *s = *set;
    if (!s) return;
    for (size_t i = 0; i < s->stack_count && s->stacks; i++) qn_release(&s->stacks[i]);
    qn_release(&s->stacks);
    qn_release(&s->particles);
    qn_release(&s->classes);
    qn_release(&s->optics);
    qn_release(&s->name);
    qn_release(set);
}

qn_particle_place qn_particle_place_of(const qn_particle *particle)
{
    qn_particle_place place;
    if (particle->line > 0)
        snprintf(place.text, sizeof place.text, "line %llu (row %llu)", (unsigned long long)particle->line,
                 (unsigned long long)particle->row);
    else
        snprintf(place.text, sizeof place.text, "particle %llu", (unsigned long long)particle->row);
    return place;
}

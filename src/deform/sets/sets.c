#include "deform/sets/sets.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "deform/sets/set_terms.h"

enum { MOST_TERMS = 16 };

typedef struct set {
    qn_set_search search;
    qn_set_term terms[MOST_TERMS];
    size_t term_count;
    bool *marked;
    size_t count;
} set;

/* Split the text at '&', without blanks around the parts. */
static qn_status split(set *s)
{
    const char *at = s->search.text;
    for (bool more = true; more;) {
        size_t length = strcspn(at, "&");
        if (s->term_count == MOST_TERMS)
            return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": more than %d parts; expected fewer '&'", s->search.option,
                           s->search.text, MOST_TERMS);
        more = at[length] == '&';
        const char *next = at + length + more;
        while (length > 0 && *at == ' ') at++, length--;
        while (length > 0 && at[length - 1] == ' ') length--;
        s->terms[s->term_count++] = (qn_set_term){.text = at, .length = length};
        at = next;
    }
    return QN_OK;
}

/* ---- middles ---- */

/* Middles of the surface's triangles whose corners are all in the set. */
static void mark_middles(const qn_mesh_surface *surface, const bool *marked, bool *middles)
{
    for (size_t i = 0; i < surface->triangle_count; i++) {
        const uint32_t *nodes = surface->triangles + 6 * i;
        if (!marked[nodes[0]] || !marked[nodes[1]] || !marked[nodes[2]]) continue;
        for (int side = 3; side < 6; side++) middles[nodes[side]] = true;
    }
}

/* Add the middles that each part by place allows: those of whole triangles of the set. */
static qn_status add_middles(set *s)
{
    const qn_mesh *mesh = s->search.mesh;
    void *memory;
    QN_TRY(qn_allocate(mesh->node_count, sizeof(bool), &memory));
    bool *middles = memory;
    mark_middles(s->search.surface, s->marked, middles);
    for (size_t i = 0; i < mesh->node_count; i++) {
        if (!middles[i]) continue;
        bool in_all = true;
        for (size_t term = 0; term < s->term_count; term++)
            in_all &= s->terms[term].is_place || s->terms[term].marked[i];
        s->marked[i] = in_all;
    }
    qn_release(&memory);
    return QN_OK;
}

/* ---- empty sets ---- */

static qn_status fail_intersection(const set *s)
{
    qn_text parts = {0};
    qn_status status = QN_OK;
    for (size_t i = 0; status == QN_OK && i < s->term_count; i++)
        status = qn_text_append(&parts, "%s\"%.*s\" has %s", i == 0 ? "" : ", ", (int)s->terms[i].length,
                                s->terms[i].text, qn_count_of(s->terms[i].count, "node").text);
    if (status == QN_OK)
        status = QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": no node is in all parts (%s); expected at least one",
                         s->search.option, s->search.text, parts.data);
    qn_text_clear(&parts);
    return status;
}

/* Name the range of the surface along an axis, or the node of the surface that is nearest to the place. */
static qn_status fail_empty(const set *s, const qn_set_term *term)
{
    const qn_mesh_surface *surface = s->search.surface;
    const double *positions = s->search.mesh->positions;
    const int axis = term->text[0] - 'x';
    const bool by_axis = axis >= 0 && axis < 3;
    double low = INFINITY, high = -INFINITY, nearest = INFINITY;
    uint32_t nearest_node = 0;
    for (size_t i = 0; i < surface->node_count; i++) {
        const double *place = positions + 3 * (size_t)surface->nodes[i];
        double square = 0;
        for (int k = 0; k < 3; k++) square += (place[k] - term->centre[k]) * (place[k] - term->centre[k]);
        if (square < nearest) nearest_node = surface->nodes[i];
        nearest = fmin(nearest, square);
        low = fmin(low, place[by_axis ? axis : 0]);
        high = fmax(high, place[by_axis ? axis : 0]);
    }
    if (by_axis)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s \"%s\": no node of the surface has \"%.*s\"; %c of the surface goes from %.4g to %.4g m",
                       s->search.option, s->search.text, (int)term->length, term->text, 'x' + axis, low, high);
    const double *place = positions + 3 * (size_t)nearest_node;
    return QN_FAIL(QN_INVALID_ARGUMENT,
                   "%s \"%s\": no node of the surface is in \"%.*s\"; the nearest to its centre, %" PRIu64
                   " at %.4g,%.4g,%.4g, is %.4g m away",
                   s->search.option, s->search.text, (int)term->length, term->text,
                   s->search.mesh->node_labels[nearest_node], place[0], place[1], place[2], sqrt(nearest));
}

/* ---- all ---- */

static qn_status find_terms(set *s)
{
    const size_t count = s->search.mesh->node_count;
    bool by_place = false;
    void *memory;
    QN_TRY(split(s));
    QN_TRY(qn_allocate(count, sizeof(bool), &memory));
    s->marked = memory;
    memset(s->marked, true, count);
    for (size_t i = 0; i < s->term_count; i++) {
        qn_set_term *term = &s->terms[i];
        QN_TRY(qn_allocate(count, sizeof(bool), &memory));
        term->marked = memory;
        QN_TRY(qn_set_term_find(&s->search, term));
        if (term->count == 0) return fail_empty(s, term);
        for (size_t node = 0; node < count; node++) s->marked[node] &= term->marked[node];
        by_place |= term->is_place;
    }
    if (by_place && s->search.surface->triangle_nodes == 6) QN_TRY(add_middles(s));
    for (size_t i = 0; i < count; i++) s->count += s->marked[i];
    return s->count > 0 ? QN_OK : fail_intersection(s);
}

qn_status qn_node_set_find(const qn_mesh *mesh, const qn_mesh_surface *surface, const char *text, const char *option,
                           uint32_t **nodes, size_t *count)
{
    set s = {.search = {mesh, surface, option, text}};
    qn_mesh_group group = {0};
    *nodes = NULL;
    *count = 0;
    qn_status status = find_terms(&s);
    if (status == QN_OK) status = qn_mesh_group_collect(&group, s.marked, mesh->node_count);
    if (status == QN_OK) {
        *nodes = group.nodes;
        *count = group.node_count;
    }
    for (size_t i = 0; i < s.term_count; i++) qn_release(&s.terms[i].marked);
    qn_release(&s.marked);
    return status;
}

#include "deform/sets/set_terms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "format/number.h"

/* Fail at a place of the text: `--fix "x<a": "a" at character 3 is no …`. */
static qn_status fail_at(const qn_set_search *search, const char *at, size_t length, const char *expected)
{
    if (length == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": nothing stands at character %zu; expected %s", search->option,
                       search->text, (size_t)(at - search->text) + 1, expected);
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": \"%s\" at character %zu; expected %s", search->option, search->text,
                   qn_quote(at, length).text, (size_t)(at - search->text) + 1, expected);
}

/* Length of the text up to one of `ends`, or to the end of the term. */
static size_t length_to(const char *at, const char *end, const char *ends)
{
    size_t length = 0;
    while (at + length < end && !strchr(ends, at[length])) length++;
    return length;
}

/* ---- places ---- */

/* Read numbers between the separators: ":,:,:" for a box, whose last number ends the term. */
static qn_status read_numbers(const qn_set_search *search, const qn_set_term *term, const char *at,
                              const char *separators, const char *expected, double *numbers)
{
    const char *end = term->text + term->length;
    const size_t count = strlen(separators) + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t length = length_to(at, end, ":,");
        if (!qn_number_parse(at, length, &numbers[i])) return fail_at(search, at, length, expected);
        at += length;
        if (i + 1 == count) break;
        if (at == end || *at != separators[i]) return fail_at(search, at, (size_t)(end - at), expected);
        at++;
    }
    return at == end ? QN_OK : fail_at(search, at, (size_t)(end - at), expected);
}

static const double *place_of(const qn_set_search *search, uint32_t node)
{
    return search->mesh->positions + 3 * (size_t)node;
}

/* The corners of the surface, one after the other: `at` counts corners of its triangles. */
static uint32_t corner_of(const qn_mesh_surface *surface, size_t at)
{
    return surface->triangles[at / 3 * (size_t)surface->triangle_nodes + at % 3];
}

static qn_status find_half_space(const qn_set_search *search, qn_set_term *term)
{
    static const char expected[] = "a number, as in x<0.02";
    const int axis = term->text[0] - 'x';
    const char *sign = term->text + 1 + strspn(term->text + 1, " ");
    const bool below = *sign == '<', closed = sign[1] == '=';
    const char *at = sign + 1 + closed;
    double limit;
    QN_TRY(read_numbers(search, term, at, "", expected, &limit));
    term->is_place = true;
    for (size_t i = 0; i < 3 * search->surface->triangle_count; i++) {
        const uint32_t node = corner_of(search->surface, i);
        const double value = place_of(search, node)[axis];
        term->marked[node] = (below ? value < limit : value > limit) || (closed && value == limit);
    }
    return QN_OK;
}

static qn_status find_box(const qn_set_search *search, qn_set_term *term)
{
    double box[6];
    QN_TRY(read_numbers(search, term, term->text + 4, ":,:,:", "box:x0:x1,y0:y1,z0:z1", box));
    for (int axis = 0; axis < 3; axis++) {
        if (box[2 * axis] > box[2 * axis + 1])
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "%s \"%s\": %c of the box goes from %g to %g; expected an ascending range", search->option,
                           search->text, 'x' + axis, box[2 * axis], box[2 * axis + 1]);
        term->centre[axis] = 0.5 * (box[2 * axis] + box[2 * axis + 1]);
    }
    term->is_place = true;
    for (size_t i = 0; i < 3 * search->surface->triangle_count; i++) {
        const uint32_t node = corner_of(search->surface, i);
        const double *place = place_of(search, node);
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) inside &= place[axis] >= box[2 * axis] && place[axis] <= box[2 * axis + 1];
        term->marked[node] = inside;
    }
    return QN_OK;
}

static qn_status find_near(const qn_set_search *search, qn_set_term *term)
{
    double sphere[4];
    QN_TRY(read_numbers(search, term, term->text + 5, ",,,", "near:x,y,z,r", sphere));
    if (!(sphere[3] > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": the radius is %g; expected a length above 0 m", search->option,
                       search->text, sphere[3]);
    memcpy(term->centre, sphere, sizeof term->centre);
    term->is_place = true;
    for (size_t i = 0; i < 3 * search->surface->triangle_count; i++) {
        const uint32_t node = corner_of(search->surface, i);
        const double *place = place_of(search, node);
        double square = 0;
        for (int axis = 0; axis < 3; axis++) square += (place[axis] - sphere[axis]) * (place[axis] - sphere[axis]);
        term->marked[node] = sqrt(square) <= sphere[3];
    }
    return QN_OK;
}

/* ---- numbers of nodes ---- */

typedef struct labelled {
    uint64_t label;
    uint32_t node;
} labelled;

static int compare_labels(const void *a, const void *b)
{
    const uint64_t x = ((const labelled *)a)->label, y = ((const labelled *)b)->label;
    return (x > y) - (x < y);
}

/* The first of the sorted nodes whose number is at least `label`. */
static size_t first_from(const labelled *nodes, size_t count, uint64_t label)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (nodes[middle].label < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool parse_label(const char *at, size_t length, uint64_t *label)
{
    *label = 0;
    if (length == 0 || length > 18) return false;
    for (size_t i = 0; i < length; i++) {
        if (at[i] < '0' || at[i] > '9') return false;
        *label = 10 * *label + (uint64_t)(at[i] - '0');
    }
    return true;
}

/* Mark the nodes of one number, or of a range, which may have gaps. */
static qn_status mark_range(const qn_set_search *search, const labelled *nodes, const char *at, size_t length,
                            bool *marked)
{
    const size_t count = search->mesh->node_count, dash = length_to(at, at + length, "-");
    uint64_t first, last;
    bool good = parse_label(at, dash, &first);
    last = first;
    if (good && dash < length) good = parse_label(at + dash + 1, length - dash - 1, &last) && first <= last;
    if (!good) return fail_at(search, at, length, "numbers of nodes, as in nodes:1,5-9");
    const size_t start = first_from(nodes, count, first);
    if (start == count || nodes[start].label > last)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s \"%s\": no tetrahedron has node %s; the mesh's nodes have numbers from %" PRIu64
                       " to %" PRIu64,
                       search->option, search->text, qn_quote(at, length).text, nodes[0].label, nodes[count - 1].label);
    for (size_t i = start; i < count && nodes[i].label <= last; i++) marked[nodes[i].node] = true;
    return QN_OK;
}

static qn_status find_nodes(const qn_set_search *search, qn_set_term *term)
{
    const qn_mesh *mesh = search->mesh;
    const char *at = term->text + 6, *end = term->text + term->length;
    void *memory;
    QN_TRY(qn_allocate(mesh->node_count, sizeof(labelled), &memory));
    labelled *nodes = memory;
    for (size_t i = 0; i < mesh->node_count; i++) nodes[i] = (labelled){mesh->node_labels[i], (uint32_t)i};
    if (mesh->node_count > 0) qsort(nodes, mesh->node_count, sizeof *nodes, compare_labels);
    qn_status status = QN_OK;
    for (bool more = true; status == QN_OK && more;) {
        const size_t length = length_to(at, end, ",");
        status = mark_range(search, nodes, at, length, term->marked);
        at += length;
        more = at < end;
        at += more;
    }
    qn_release(&memory);
    return status;
}

/* ---- groups ---- */

static bool has_name(const qn_mesh_group *group, const char *name, size_t length)
{
    return strlen(group->name) == length && memcmp(group->name, name, length) == 0;
}

/* The only group of a name, or the only one of a dimension too; group_count: none; *count gets their number. */
static size_t find_group(const qn_mesh *mesh, const char *name, size_t length, int dimension, size_t *count)
{
    size_t found = mesh->group_count;
    *count = 0;
    for (size_t i = 0; i < mesh->group_count; i++) {
        if (!has_name(&mesh->groups[i], name, length)) continue;
        if (dimension >= 0 && mesh->groups[i].dimension != dimension) continue;
        found = i;
        ++*count;
    }
    return found;
}

static qn_status fail_group(const qn_set_search *search, const char *name, size_t length, size_t count)
{
    const qn_mesh *mesh = search->mesh;
    const qn_quotation quotation = qn_quote(name, length);
    void *memory;
    if (mesh->group_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": %s has no groups; expected a set of another kind, as x<0.02",
                       search->option, search->text, qn_mesh_name(mesh));
    if (count > 1)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "%s \"%s\": %zu groups have the name \"%s\"; expected tag:DIMENSION:%s with 0 (points), 1 "
                       "(lines), 2 (triangles) or 3 (tetrahedra)",
                       search->option, search->text, count, quotation.text, quotation.text);
    QN_TRY(qn_allocate(mesh->group_count, sizeof(char *), &memory));
    const char **names = memory;
    for (size_t i = 0; i < mesh->group_count; i++) names[i] = mesh->groups[i].name;
    const qn_expected_words words = qn_expect_words(quotation.text, names, mesh->group_count);
    qn_release(&memory);
    return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": the mesh has no group \"%s\"; %s", search->option, search->text,
                   quotation.text, words.text);
}

static qn_status find_tag(const qn_set_search *search, qn_set_term *term)
{
    const qn_mesh *mesh = search->mesh;
    const char *name = term->text + 4;
    size_t length = term->length - 4, count;
    size_t found = find_group(mesh, name, length, -1, &count);
    if (count == 0 && length > 2 && name[0] >= '0' && name[0] <= '3' && name[1] == ':') {
        const int dimension = name[0] - '0';
        name += 2;
        length -= 2;
        found = find_group(mesh, name, length, dimension, &count);
    }
    if (count != 1) return fail_group(search, name, length, count);
    const qn_mesh_group *group = &mesh->groups[found];
    if (group->node_count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "%s \"%s\": no tetrahedron has a node of group \"%s\"; expected some",
                       search->option, search->text, group->name);
    for (size_t i = 0; i < group->node_count; i++) term->marked[group->nodes[i]] = true;
    return QN_OK;
}

/* ---- all ---- */

static bool begins(const qn_set_term *term, const char *word)
{
    const size_t length = strlen(word);
    return term->length >= length && memcmp(term->text, word, length) == 0;
}

static bool is_half_space(const qn_set_term *term)
{
    size_t sign = 1;
    while (sign < term->length && term->text[sign] == ' ') sign++;
    if (sign >= term->length || term->text[0] < 'x' || term->text[0] > 'z') return false;
    return term->text[sign] == '<' || term->text[sign] == '>';
}

static qn_status find_marks(const qn_set_search *search, qn_set_term *term)
{
    if (begins(term, "nodes:")) return find_nodes(search, term);
    if (begins(term, "box:")) return find_box(search, term);
    if (begins(term, "near:")) return find_near(search, term);
    if (begins(term, "tag:")) return find_tag(search, term);
    if (is_half_space(term)) return find_half_space(search, term);
    return fail_at(search, term->text, term->length,
                   "nodes:1,5-9, x<0.02 (also y, z, >), box:x0:x1,y0:y1,z0:z1, near:x,y,z,r or tag:NAME");
}

qn_status qn_set_term_find(const qn_set_search *search, qn_set_term *term)
{
    QN_TRY(find_marks(search, term));
    term->count = 0;
    for (size_t i = 0; i < search->mesh->node_count; i++) term->count += term->marked[i];
    return QN_OK;
}

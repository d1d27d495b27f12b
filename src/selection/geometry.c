/* Evaluate selections for each frame: coordinates, neighbours, and, or, not. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "selection/network.h"

qn_status qn_selection_atoms_create(const qn_selections *selections, qn_selection_atoms **atoms)
{
    void *memory;
    size_t nodes = selections->node_count, words = qn_atom_set_words(selections->topology->atom_count);
    *atoms = NULL;
    QN_TRY(qn_allocate(1, sizeof **atoms, &memory));
    qn_selection_atoms *made = memory;
    made->selections = selections;
    made->node_count = nodes;
    struct {
        void *array;
        size_t count, size;
    } rooms[] = {{&made->sets, nodes, sizeof *made->sets},
                 {&made->lists, nodes, sizeof *made->lists},
                 {&made->counts, nodes, sizeof *made->counts},
                 {&made->evaluations, nodes, sizeof *made->evaluations},
                 {&made->marks, words, sizeof *made->marks}};
    qn_status status = QN_OK;
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0] && status == QN_OK; i++) {
        status = qn_allocate(rooms[i].count, rooms[i].size, &memory);
        if (status == QN_OK) memcpy(rooms[i].array, &memory, sizeof memory);
    }
    for (size_t i = 0; i < nodes && status == QN_OK; i++) {
        const qn_selection_node *node = &selections->nodes[i];
        if (node->fixed) {
            made->sets[i] = node->set;
            continue;
        }
        status = qn_allocate(words, sizeof **made->sets, &memory);
        if (status == QN_OK) made->sets[i] = memory;
        if (status == QN_OK && node->wanted) {
            status = qn_allocate(selections->topology->atom_count, sizeof **made->lists, &memory);
            if (status == QN_OK) made->lists[i] = memory;
        }
        if (status == QN_OK && node->term.kind == QN_SELECTION_WITHIN && !made->proximity)
            status = qn_proximity_create(selections->topology->atom_count, &made->proximity);
    }
    if (status == QN_OK)
        *atoms = made;
    else
        qn_selection_atoms_destroy(&made);
    return status;
}

void qn_selection_atoms_destroy(qn_selection_atoms **atoms)
{
    qn_selection_atoms *a = *atoms;
    if (!a) return;
    for (size_t i = 0; i < a->node_count; i++) {
        if (a->sets && !a->selections->nodes[i].fixed) qn_release(&a->sets[i]);
        if (a->lists) qn_release(&a->lists[i]);
    }
    qn_release(&a->sets);
    qn_release(&a->lists);
    qn_release(&a->counts);
    qn_release(&a->evaluations);
    qn_release(&a->marks);
    qn_proximity_destroy(&a->proximity);
    qn_release(atoms);
}

static void evaluate_position(const qn_selection_moment *moment, const qn_selection_term *term, uint64_t *set)
{
    const float *positions = moment->frame->positions_nm + (term->what - QN_PROPERTY_X);
    for (size_t atom = 0; atom < moment->frame->atom_count; atom++)
        if (qn_selection_in_ranges(term, positions[3 * atom])) qn_atom_set_add(set, atom);
}

/* Complement of a set; bits after the last atom stay 0. */
static void evaluate_not(const uint64_t *child, size_t atom_count, uint64_t *set)
{
    size_t words = qn_atom_set_words(atom_count);
    for (size_t i = 0; i < words; i++) set[i] = ~child[i];
    if (atom_count % 64) set[words - 1] &= ((uint64_t)1 << (atom_count % 64)) - 1;
}

static void evaluate_joined(const qn_selection_moment *moment, const qn_selection_term *term, size_t words,
                            uint64_t *set)
{
    memcpy(set, moment->sets[term->children[0]], words * sizeof *set);
    for (size_t i = 1; i < term->child_count; i++) {
        const uint64_t *child = moment->sets[term->children[i]];
        if (term->kind == QN_SELECTION_AND)
            for (size_t k = 0; k < words; k++) set[k] &= child[k];
        else
            for (size_t k = 0; k < words; k++) set[k] |= child[k];
    }
}

qn_status qn_selection_evaluate(const qn_selection_moment *moment, int node, uint64_t *set)
{
    const qn_selection_term *term = &moment->selections->nodes[node].term;
    size_t atom_count = moment->selections->topology->atom_count;
    switch (term->kind) {
    case QN_SELECTION_NOT: evaluate_not(moment->sets[term->children[0]], atom_count, set); return QN_OK;
    case QN_SELECTION_AND:
    case QN_SELECTION_OR: evaluate_joined(moment, term, qn_atom_set_words(atom_count), set); return QN_OK;
    case QN_SELECTION_SAME: qn_selection_evaluate_same(moment, term, set); return QN_OK;
    case QN_SELECTION_BONDED: qn_selection_evaluate_bonded(moment, term, set); return QN_OK;
    case QN_SELECTION_WITHIN:
        return qn_proximity_mark(moment->proximity, moment->box, moment->frame->positions_nm,
                                 moment->sets[term->children[0]], term->radius_nm, set);
    case QN_SELECTION_NUMBER:
        if (term->what >= QN_PROPERTY_X) {
            evaluate_position(moment, term, set);
            return QN_OK;
        }
        break;
    default: break;
    }
    qn_selection_evaluate_fixed(moment, term, set);
    return QN_OK;
}

static qn_status evaluate_nodes(qn_selection_atoms *a, const qn_trajectory_frame *frame, const qn_box *box)
{
    const qn_selections *s = a->selections;
    size_t words = qn_atom_set_words(s->topology->atom_count);
    qn_selection_moment moment = {.selections = s,
                                  .sets = (const uint64_t *const *)a->sets,
                                  .marks = a->marks,
                                  .frame = frame,
                                  .box = box,
                                  .proximity = a->proximity};
    for (size_t i = 0; i < a->node_count; i++) {
        if (s->nodes[i].fixed) continue;
        memset(a->sets[i], 0, words * sizeof **a->sets);
        QN_TRY(qn_selection_evaluate(&moment, (int)i, a->sets[i]));
        a->evaluations[i]++;
        if (a->lists[i]) a->counts[i] = qn_atom_set_list(a->sets[i], words, a->lists[i]);
    }
    return QN_OK;
}

qn_status qn_selection_atoms_evaluate(qn_selection_atoms *atoms, const qn_trajectory_frame *frame)
{
    const qn_selections *s = atoms->selections;
    qn_box box = {0};
    if (frame->atom_count != s->topology->atom_count)
        return QN_FAIL(QN_INVALID_ARGUMENT, "frame %llu has %s; expected the %zu of the topology",
                       (unsigned long long)frame->number, qn_count_of(frame->atom_count, "atom").text,
                       s->topology->atom_count);
    qn_status status = QN_OK;
    if (s->periodic && atoms->proximity) status = qn_box_from_vectors(frame->box_nm, &box);
    if (status == QN_OK) status = evaluate_nodes(atoms, frame, &box);
    if (status != QN_OK) return qn_error_add_context(status, "frame %llu", (unsigned long long)frame->number);
    return QN_OK;
}

void qn_selection_atoms_view(const qn_selection_atoms *atoms, int node, const uint32_t **indices, size_t *count)
{
    if (atoms->selections->nodes[node].fixed) {
        qn_selections_fixed_atoms(atoms->selections, node, indices, count);
        return;
    }
    *indices = atoms->lists[node];
    *count = atoms->counts[node];
}

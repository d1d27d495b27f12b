/* What a query is created with: its parameters, read once from their texts by its class's table, and what the run knows
 * before its first frame is measured.
 *
 * Life cycle: read → fill in the facts → the class's create → clear.
 *
 *     qn_query_setup setup;
 *     QN_TRY(qn_query_setup_read("OW-OW", &rdf_class, parameters, count, 1, &setup));
 *     setup.topology = topology;
 *     qn_status status = rdf_class.create(&setup, &state);
 *     qn_query_setup_clear(&setup);
 */
#ifndef QN_TRAJECTORY_QUERY_SETUP_H
#define QN_TRAJECTORY_QUERY_SETUP_H

#include <quern/query.h>

/* The value of a parameter; which member is meant follows from its kind. */
typedef struct qn_query_value {
    double number; /* NaN: was left out and has no fallback but "" */
    int64_t integer;
    bool flag;
    char *text;
} qn_query_value;

typedef struct qn_query_atoms {
    bool fixed; /* the same in every frame */
    const uint32_t *indices;
    size_t count;
} qn_query_atoms;

struct qn_query_setup {
    const qn_query_class *query_class;
    qn_query_value *values; /* one of each parameter of the class, in its order */
    /* Set by whoever creates the query; borrowed. */
    const qn_topology *topology;
    qn_query_atoms atoms[2];
    const qn_trajectory_frame *first_frame;
    qn_device *device;
    struct qn_shared_weights *shared_weights; /* atom_weights.h; NULL: every query has its own */
};

/* `query` is its name in messages. `length_unit_nm`: what one unit of the texts of lengths is (1, or 0.1 for Å); those
 * of fallbacks are in nm. After a failure there is nothing to clear. QN_INVALID_ARGUMENT, naming query, parameter,
 * value, what was expected and the nearest known word. */
QN_MUST_CHECK qn_status qn_query_setup_read(const char *query, const qn_query_class *query_class,
                                            const qn_trajectory_parameter *parameters, size_t count,
                                            double length_unit_nm, qn_query_setup *setup);
void qn_query_setup_clear(qn_query_setup *setup);

/* What the `create` of a class is as a rule: a state of so many bytes, all 0, which `fill` completes. Should that fail,
 * `destroy` is left with what there is of it. */
QN_MUST_CHECK qn_status qn_query_state_create(const qn_query_setup *setup, size_t bytes,
                                              qn_status (*fill)(const qn_query_setup *setup, void *state),
                                              void (*destroy)(void *state), void **state);

#endif

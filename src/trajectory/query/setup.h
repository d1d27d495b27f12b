/* Inputs for creating a query: its parameters, read once from their texts by the table of its class, and the facts that
 * the run has before its first frame.
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

/* The value of a parameter. Its kind says which member holds the value. */
typedef struct qn_query_value {
    double number; /* NaN: left out, and the fallback is "" */
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
    /* Set by the code that creates the query; borrowed. */
    const qn_topology *topology;
    qn_query_atoms atoms[2];
    const qn_trajectory_frame *first_frame;
    qn_device *device;
    struct qn_shared_weights *shared_weights; /* atom_weights.h; NULL: every query has its own */
    const char *wrong; /* after a failure to read: the given name or value that is wrong; NULL: one is missing */
};

/* Read the parameters of a query. `query` is its name in messages. `length_unit_nm` is the unit of lengths in
 * `parameters`, in nm (1, or 0.1 for Å); lengths in fallbacks are in nm. After a failure there is nothing to clear.
 * QN_INVALID_ARGUMENT: the message names the query, the parameter, the value, and what was expected or a similar word.
 */
QN_MUST_CHECK qn_status qn_query_setup_read(const char *query, const qn_query_class *query_class,
                                            const qn_trajectory_parameter *parameters, size_t count,
                                            double length_unit_nm, qn_query_setup *setup);
void qn_query_setup_clear(qn_query_setup *setup);

/* The usual `create` of a class: allocate a state of `bytes` bytes, all 0, and let `fill` complete it. If `fill` fails,
 * the class's `destroy` ends the incomplete state. */
QN_MUST_CHECK qn_status qn_query_state_create(const qn_query_setup *setup, size_t bytes,
                                              qn_status (*fill)(const qn_query_setup *setup, void *state),
                                              void (*destroy)(void *state), void **state);

#endif

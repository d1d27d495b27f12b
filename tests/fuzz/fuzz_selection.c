/* Any text as a selection of a small system: equal selections are one node, and in every frame a selection and its
 * complement together are all atoms. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>

#define CHECK(condition) (condition)
#define CHECK_OK(call) ((call) == QN_OK)

#include "selection/network.h"
#include "trajectory/tests/small_system.h"

enum { LONGEST = 2048 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds) abort();
}

/* Add a selection. Returns its index, −1 if it is refused. */
static int add(qn_selections *selections, const char *format, const char *text)
{
    static char written[3 * LONGEST];
    int node;
    snprintf(written, sizeof written, format, text, text);
    return qn_selections_add(selections, written, &node) == QN_OK ? node : -1;
}

static void demand_complement(qn_selection_atoms *atoms, int node, int complement)
{
    const uint32_t *first, *second;
    size_t first_count, second_count, i = 0, k = 0;
    qn_selection_atoms_view(atoms, node, &first, &first_count);
    qn_selection_atoms_view(atoms, complement, &second, &second_count);
    for (uint32_t atom = 0; atom < SMALL_SYSTEM_ATOMS; atom++) {
        bool in_first = i < first_count && first[i] == atom, in_second = k < second_count && second[k] == atom;
        demand(in_first != in_second);
        i += in_first;
        k += in_second;
    }
    demand(i == first_count && k == second_count);
}

static void try_text(const qn_topology *topology, const char *text, bool periodic)
{
    static float positions[3 * SMALL_SYSTEM_ATOMS];
    qn_trajectory_frame frame = {
        .atom_count = SMALL_SYSTEM_ATOMS, .positions_nm = positions, .box_nm = {3, 0, 0, 1, 2.5, 0, -1, 1, 2}};
    qn_selections *selections;
    qn_selection_atoms *atoms;
    for (int i = 0; i < 3 * SMALL_SYSTEM_ATOMS; i++) positions[i] = (float)(i * 37 % 101) / 20;
    demand(qn_selections_create(topology, 0.1, periodic, &selections) == QN_OK);
    int node = add(selections, "%s", text);
    if (node >= 0) {
        size_t count = qn_selections_node_count(selections);
        int both = add(selections, "(%s) and (%s)", text), twice = add(selections, "not not (%s)", text);
        demand((both < 0 || both == node) && (twice < 0 || twice == node));
        demand(both < 0 || qn_selections_node_count(selections) == count);
        int complement = add(selections, "not (%s)", text);
        demand(qn_selection_atoms_create(selections, &atoms) == QN_OK);
        qn_status status = qn_selection_atoms_evaluate(atoms, &frame);
        demand(status == QN_OK || status == QN_UNSUPPORTED);
        if (status == QN_OK && complement >= 0) demand_complement(atoms, node, complement);
        qn_selection_atoms_destroy(&atoms);
    }
    qn_selections_destroy(&selections);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static qn_topology *topology;
    char text[LONGEST];
    if (!topology) topology = small_system();
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    try_text(topology, text, true);
    try_text(topology, text, false);
    return 0;
}

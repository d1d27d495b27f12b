/* The problem as a deck of CalculiX: *ELASTIC with NLGEOM is St Venant-Kirchhoff there, and D1 of MOONEY-RIVLIN is
 * 2/κ. Its elements C3D4 and C3D10 number nodes as ours do. It reads 20 characters of a number, and leaves the rest
 * out, exponents too: 13 digits are at most 20 characters. */
#include <inttypes.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "deform/solve.h"

enum { NODES_A_LINE = 8, ELEMENT_NODES_A_LINE = 15 };

static qn_status add_mesh(const qn_mesh *mesh, qn_text *deck)
{
    const int nodes = qn_mesh_element_nodes(mesh);
    QN_TRY(qn_text_append(deck, "*NODE, NSET=NALL\n"));
    for (size_t i = 0; i < mesh->node_count; i++)
        QN_TRY(qn_text_append(deck, "%zu, %.13g, %.13g, %.13g\n", i + 1, mesh->positions[3 * i],
                              mesh->positions[3 * i + 1], mesh->positions[3 * i + 2]));
    QN_TRY(qn_text_append(deck, "*ELEMENT, TYPE=C3D%d, ELSET=EALL\n", nodes));
    for (size_t i = 0; i < mesh->element_count; i++) {
        QN_TRY(qn_text_append(deck, "%zu", i + 1));
        for (int k = 0; k < nodes; k++)
            QN_TRY(qn_text_append(deck, ", %" PRIu32, mesh->elements[i * (size_t)nodes + (size_t)k] + 1));
        QN_TRY(qn_text_append(deck, "\n"));
    }
    return QN_OK;
}

static qn_status add_set(const char *name, const qn_node_set *set, qn_text *deck)
{
    QN_TRY(qn_text_append(deck, "*NSET, NSET=%s\n", name));
    for (size_t i = 0; i < set->count; i++)
        QN_TRY(qn_text_append(deck, "%" PRIu32 ",%s", set->nodes[i] + 1,
                              i + 1 == set->count || i % NODES_A_LINE == NODES_A_LINE - 1 ? "\n" : ""));
    return QN_OK;
}

static qn_status add_material(const qn_material *material, qn_text *deck)
{
    QN_TRY(qn_text_append(deck, "*MATERIAL, NAME=TISSUE\n"));
    if (material->kind == QN_MATERIAL_SVK)
        QN_TRY(qn_text_append(deck, "*ELASTIC\n%.13g, %.13g\n", material->young, material->poisson));
    else
        QN_TRY(qn_text_append(deck, "*HYPERELASTIC, MOONEY-RIVLIN\n%.13g, %.13g, %.13g\n", material->c10, material->c01,
                              2 / material->kappa));
    return qn_text_append(deck, "*SOLID SECTION, ELSET=EALL, MATERIAL=TISSUE\n");
}

/* A mean is a constraint of several points: Σ u_i − count · u_TOOL = 0, with a node of its own that is moved. */
static qn_status add_mean(const qn_deform_setup *setup, qn_text *deck)
{
    const size_t count = setup->held.count, tool = setup->mesh->node_count + 1;
    QN_TRY(qn_text_append(deck, "*NODE, NSET=TOOL\n%zu, 0, 0, 0\n", tool));
    for (int axis = 1; axis <= 3; axis++) {
        QN_TRY(qn_text_append(deck, "*EQUATION\n%zu\n", count + 1));
        for (size_t i = 0; i < count; i++)
            QN_TRY(qn_text_append(deck, "%" PRIu32 ", %d, 1\n", setup->held.nodes[i] + 1, axis));
        QN_TRY(qn_text_append(deck, "%zu, %d, -%zu\n", tool, axis, count));
    }
    return QN_OK;
}

/* CalculiX gives no reaction at a node without elements, so with a mean the tool's force is minus the total of the
 * fixed nodes. */
static qn_status add_step(const double place[3], bool mean, qn_text *deck)
{
    QN_TRY(qn_text_append(deck, "*BOUNDARY\nFIXED, 1, 3\n*STEP, NLGEOM, INC=200\n*STATIC\n0.25, 1.\n"));
    QN_TRY(qn_text_append(deck, "*CONTROLS, PARAMETERS=FIELD\n1e-8, 1e-8\n*BOUNDARY\n"));
    for (int axis = 0; axis < 3; axis++)
        QN_TRY(qn_text_append(deck, "TOOL, %d, %d, %.13g\n", axis + 1, axis + 1, place[axis]));
    QN_TRY(qn_text_append(deck, "*NODE PRINT, NSET=FIXED, TOTALS=ONLY\nRF\n"));
    if (!mean) QN_TRY(qn_text_append(deck, "*NODE PRINT, NSET=TOOL, TOTALS=YES\nRF\n"));
    return qn_text_append(deck, "*NODE PRINT, NSET=TOOL\nU\n*END STEP\n");
}

static qn_status fill(const qn_deform_setup *setup, const double place[3], qn_text *deck)
{
    QN_TRY(qn_text_append(deck, "*HEADING\nquern deform solve: %s, m, Pa, N\n", setup->options->material));
    QN_TRY(add_mesh(setup->mesh, deck));
    QN_TRY(add_set("FIXED", &setup->fixed, deck));
    if (setup->mean)
        QN_TRY(add_mean(setup, deck));
    else
        QN_TRY(add_set("TOOL", &setup->held, deck));
    QN_TRY(add_material(&setup->material, deck));
    return add_step(place, setup->mean, deck);
}

qn_status qn_deform_write_deck(const qn_deform_setup *setup, const double place[3], const char *path)
{
    qn_text deck = {0};
    qn_status status = fill(setup, place, &deck);
    if (status == QN_OK) status = qn_file_write(path, deck.data, deck.length);
    qn_text_clear(&deck);
    return status;
}

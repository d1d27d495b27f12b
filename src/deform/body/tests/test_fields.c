/* Stresses, energies and stretches of elements, and reactions of sets of nodes, against closed forms. */
#include "check.h"

#include <math.h>

#include "deform/body/fields.h"
#include "deform/body/tests/box_mesh.h"

static box_mesh box;
static double x[4 * BOX_NODES_MAX], r[4 * BOX_NODES_MAX];

static qn_body *make_body(const char *text, int order, bool mixed)
{
    qn_material material;
    qn_body *body = NULL;
    box_make(&box, (const int[]){2, 2, 2}, 0.02, 0.1, order);
    CHECK_OK(qn_material_parse(text, &material));
    if (!CHECK_OK(qn_body_create(&box.mesh, &material, mixed, &body))) exit(check_finish());
    return body;
}

static void set_affine(const qn_body *body, const double g[9], double pressure)
{
    for (size_t k = 0; k < body->mesh->node_count; k++) {
        double *at = x + body->pattern.first_freedom[k];
        for (int i = 0; i < 3; i++) {
            at[i] = 0.01;
            for (int j = 0; j < 3; j++) at[i] += g[3 * i + j] * body->mesh->positions[3 * k + (size_t)j];
        }
        if (body->pattern.size[k] == 4) at[3] = pressure;
    }
}

/* An incompressible bar: uniaxial σ = 2 (λ² − 1/λ) (c10 + c01/λ). */
static void a_stretched_bar_has_uniaxial_stress(void)
{
    const double stretch = 1.4, across = 1 / sqrt(stretch), square = stretch * stretch;
    const double stress = 2 * (square - 1 / stretch) * (1400 + 280 / stretch);
    const double energy = 1400 * (square + 2 / stretch - 3) + 280 * (2 * stretch + 1 / square - 3);
    const double g[9] = {across - 1, 0, 0, 0, stretch - 1, 0, 0, 0, across - 1};
    for (int order = 1; order <= 2; order++) {
        qn_body *body = make_body("mooney-rivlin:1400,280,inf", order, true);
        qn_body_fields fields = {0};
        set_affine(body, g, stress / 3);
        CHECK_OK(qn_body_fields_make(body, x, &fields));
        for (size_t e = 0; e < box.mesh.element_count; e++) {
            CHECK_NEAR(fields.von_mises[e], stress, 1e-9 * stress);
            CHECK_NEAR(fields.mean_stress[e], stress / 3, 1e-9 * stress);
            CHECK_NEAR(fields.volume_ratio[e], 1, 1e-12);
            CHECK_NEAR(fields.energy_density[e], energy, 1e-9 * energy);
            CHECK_NEAR(fields.least_stretch[e], across, 1e-7);
        }
        qn_body_fields_clear(&fields);
        CHECK(fields.von_mises == NULL);
        qn_body_destroy(&body);
    }
}

/* svk under simple shear γ: E = [0 γ/2; γ/2 γ²/2], S = λ tr E I + 2μE, σ = F S Fᵀ with J = 1. */
static void sheared_svk_has_its_closed_form(void)
{
    const double gamma = 0.3, young = 10000, poisson = 0.3, mu = young / 2 / (1 + poisson);
    const double lambda = young * poisson / (1 + poisson) / (1 - 2 * poisson), trace = gamma * gamma / 2;
    const double s00 = lambda * trace, s11 = s00 + mu * gamma * gamma, s01 = mu * gamma;
    const double xx = s00 + 2 * gamma * s01 + gamma * gamma * s11, yy = s11, zz = s00, xy = s01 + gamma * s11;
    const double mises =
        sqrt(0.5 * ((xx - yy) * (xx - yy) + (yy - zz) * (yy - zz) + (zz - xx) * (zz - xx)) + 3 * xy * xy);
    const double energy = lambda / 2 * trace * trace + mu * (gamma * gamma / 2 + trace * trace);
    const double g[9] = {0, gamma, 0, 0, 0, 0, 0, 0, 0};
    for (int order = 1; order <= 2; order++) {
        qn_body *body = make_body("svk:10000,0.3", order, false);
        qn_body_fields fields = {0};
        set_affine(body, g, 0);
        CHECK_OK(qn_body_fields_make(body, x, &fields));
        for (size_t e = 0; e < box.mesh.element_count; e++) {
            CHECK_NEAR(fields.von_mises[e], mises, 1e-9 * mises);
            CHECK_NEAR(fields.mean_stress[e], (xx + yy + zz) / 3, 1e-9 * mises);
            CHECK_NEAR(fields.energy_density[e], energy, 1e-9 * energy);
        }
        qn_body_fields_clear(&fields);
        qn_body_destroy(&body);
    }
}

/* Compressible Mooney-Rivlin blown up evenly: σ = κ (J − 1) I, W = κ/2 (J − 1)². */
static void an_even_expansion_has_a_mean_stress(void)
{
    const double ratio = 1.1 * 1.1 * 1.1, g[9] = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1};
    for (int form = 0; form < 2; form++) {
        qn_body *body = make_body("mooney-rivlin:1400,280,20000", 1, form == 1);
        qn_body_fields fields = {0};
        set_affine(body, g, 20000 * (ratio - 1));
        CHECK_OK(qn_body_fields_make(body, x, &fields));
        CHECK_NEAR(fields.mean_stress[3], 20000 * (ratio - 1), 1e-8);
        CHECK_NEAR(fields.von_mises[3], 0, 1e-8);
        CHECK_NEAR(fields.volume_ratio[3], ratio, 1e-12);
        CHECK_NEAR(fields.energy_density[3], 10000 * (ratio - 1) * (ratio - 1), 1e-8);
        qn_body_fields_clear(&fields);
        qn_body_destroy(&body);
    }
}

/* The forces of the whole surface balance, in any state; one face of a bar carries σ/λ times its area. */
static void reactions_balance(void)
{
    static uint32_t all[BOX_NODES_MAX], face[BOX_NODES_MAX];
    qn_body *body = make_body("svk:10000,0.3", 2, false);
    size_t count = 0;
    double force[3], moment[3];
    for (size_t k = 0; k < 3 * box.mesh.node_count; k++) x[k] = 0.001 * box_random(3, k);
    qn_body_residual(body, x, r, NULL);
    for (uint32_t k = 0; k < box.mesh.node_count; k++) all[k] = k;
    qn_body_reaction(body, x, r, all, box.mesh.node_count, (const double[]){0.3, 0.1, 0}, force, moment);
    for (int i = 0; i < 3; i++) CHECK_NEAR(force[i], 0, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(moment[i], 0, 1e-12);
    set_affine(body, (const double[9]){0.2}, 0);
    qn_body_residual(body, x, r, NULL);
    for (uint32_t k = 0; k < box.mesh.node_count; k++)
        if (box.grid[3 * k] > 0.04 - 1e-9) face[count++] = k;
    qn_body_reaction(body, x, r, face, count, NULL, force, moment);
    const double lambda = 10000 * 0.3 / 1.3 / 0.4, mu = 5000 / 1.3, stress = 1.2 * (lambda + 2 * mu) * 0.22;
    CHECK_NEAR(force[0], stress * 0.0016, 1e-10);
    CHECK_NEAR(moment[2], -force[0] * 0.03, 1e-10); /* its centre is at y = 0.02 + 0.01 */
    qn_body_destroy(&body);
}

int main(void)
{
    RUN(a_stretched_bar_has_uniaxial_stress);
    RUN(sheared_svk_has_its_closed_form);
    RUN(an_even_expansion_has_a_mean_stress);
    RUN(reactions_balance);
    return check_finish();
}

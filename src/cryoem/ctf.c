#include "cryoem/ctf.h"

#include <math.h>

#include "base/error.h"

static const double PI = 3.14159265358979323846;

/* Largest voltage. Electron microscopes have 1 to 3000 kV; a larger value is probably in volts. */
static const double KILOVOLTS_MAX = 10000;

static qn_status check_optics(const qn_optics_group *optics)
{
    const int number = optics->number;
    const double voltage = optics->voltage_kv, contrast = optics->amplitude_contrast;
    if (!(voltage >= 1 && voltage <= KILOVOLTS_MAX))
        return QN_FAIL(QN_BAD_FORMAT, "optics group %d: a voltage of %g kV; expected 1 to %g", number, voltage,
                       KILOVOLTS_MAX);
    if (!isfinite(optics->spherical_aberration_mm))
        return QN_FAIL(QN_BAD_FORMAT, "optics group %d: a spherical aberration of %g mm; expected a finite number",
                       number, optics->spherical_aberration_mm);
    if (!(contrast >= 0 && contrast <= 1))
        return QN_FAIL(QN_BAD_FORMAT, "optics group %d: an amplitude contrast of %g; expected 0 to 1", number,
                       contrast);
    return QN_OK;
}

static qn_status check_particle(const qn_particle *particle, int number)
{
    const struct {
        const char *name;
        double value;
    } values[] = {{"defocus U", particle->defocus_u_angstrom},
                  {"defocus V", particle->defocus_v_angstrom},
                  {"defocus angle", particle->defocus_angle_degrees},
                  {"phase shift", particle->phase_shift_degrees},
                  {"B-factor", particle->b_factor_angstrom2}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (!isfinite(values[i].value))
            return QN_FAIL(QN_BAD_FORMAT, "%s: a %s of %g in optics group %d; expected a finite number",
                           qn_particle_place_of(particle).text, values[i].name, values[i].value, number);
    return QN_OK;
}

qn_status qn_ctf_of(const qn_particle *particle, const qn_optics_group *optics, qn_ctf *ctf)
{
    const double volts = 1000 * optics->voltage_kv;
    *ctf = (qn_ctf){0};
    QN_TRY(check_optics(optics));
    QN_TRY(check_particle(particle, optics->number));
    *ctf = (qn_ctf){
        .wavelength_angstrom = 12.2643247 / sqrt(volts * (1 + 0.978466e-6 * volts)),
        .spherical_aberration_angstrom = 1e7 * optics->spherical_aberration_mm,
        .amplitude_contrast = optics->amplitude_contrast,
        .defocus_mean_angstrom = 0.5 * particle->defocus_u_angstrom + 0.5 * particle->defocus_v_angstrom,
        .defocus_half_difference_angstrom = 0.5 * particle->defocus_u_angstrom - 0.5 * particle->defocus_v_angstrom,
        .astigmatism_angle_radians = PI / 180 * particle->defocus_angle_degrees,
        .phase_shift_radians = PI / 180 * particle->phase_shift_degrees,
        .b_factor_angstrom2 = particle->b_factor_angstrom2,
    };
    return QN_OK;
}

/* Computed from cos 2 (φ − angle) u² = (x² − y²) cos 2 angle + 2 x y sin 2 angle, which needs no angle φ at u = 0. */
double qn_ctf_at(const qn_ctf *ctf, double frequency_x, double frequency_y)
{
    const double x = frequency_x, y = frequency_y, squared = x * x + y * y, wavelength = ctf->wavelength_angstrom;
    const double twice = 2 * ctf->astigmatism_angle_radians;
    const double defocus =
        ctf->defocus_mean_angstrom * squared +
        ctf->defocus_half_difference_angstrom * ((x * x - y * y) * cos(twice) + 2 * x * y * sin(twice));
    const double aberration =
        0.5 * ctf->spherical_aberration_angstrom * wavelength * wavelength * wavelength * squared * squared;
    return sin(PI * (wavelength * defocus - aberration) + ctf->phase_shift_radians + asin(ctf->amplitude_contrast)) *
           exp(-0.25 * ctf->b_factor_angstrom2 * squared);
}

/* Compare the contrast transfer function with known values and symmetries. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "cryoem/ctf.h"

static const double PI = 3.14159265358979323846;

static qn_optics_group optics_of(double voltage_kv, double aberration_mm, double contrast)
{
    return (qn_optics_group){.number = 3,
                             .voltage_kv = voltage_kv,
                             .spherical_aberration_mm = aberration_mm,
                             .amplitude_contrast = contrast};
}

static qn_particle particle_of(double u, double v, double angle)
{
    return (qn_particle){
        .row = 7, .line = 30, .defocus_u_angstrom = u, .defocus_v_angstrom = v, .defocus_angle_degrees = angle};
}

static qn_ctf ctf_of(qn_optics_group optics, qn_particle particle)
{
    qn_ctf ctf;
    memset(&ctf, 0, sizeof ctf);
    CHECK_OK(qn_ctf_of(&particle, &optics, &ctf));
    return ctf;
}

/* Relativistic wavelengths of electrons as textbooks list them: h / √(2 m e V (1 + e V / 2 m c²)), by CODATA 2018.
 * The constants of the library cause a relative error of 6e-6. */
static void wavelengths_are_those_of_electrons(void)
{
    const double kilovolts[] = {100, 120, 200, 300, 1000}, listed[] = {0.03701, 0.03349, 0.02508, 0.01969, 0.00872};
    for (int i = 0; i < 5; i++) {
        const double h = 6.62607015e-34, m = 9.1093837015e-31, e = 1.602176634e-19, c = 299792458;
        const double energy = 1000 * kilovolts[i] * e;
        const double expected = 1e10 * h / sqrt(2 * m * energy * (1 + energy / (2 * m * c * c)));
        const qn_ctf ctf = ctf_of(optics_of(kilovolts[i], 2.7, 0.1), particle_of(10000, 10000, 0));
        CHECK_NEAR(ctf.wavelength_angstrom, listed[i], 5.1e-6);
        CHECK_NEAR(ctf.wavelength_angstrom, expected, 1e-5 * expected);
    }
}

/* Particles are bright, like projections of their density: the CTF is positive at the origin, and grows with
 * underfocus.
 */
static void origin_shows_amplitude_contrast_and_phase(void)
{
    qn_particle particle = particle_of(12000, 11000, 25);
    qn_ctf ctf = ctf_of(optics_of(300, 2.7, 0.1), particle);
    CHECK_NEAR(qn_ctf_at(&ctf, 0, 0), 0.1, 1e-15);
    CHECK(qn_ctf_at(&ctf, 0.004, 0) > 0.1);
    particle.phase_shift_degrees = 90; /* a phase plate */
    ctf = ctf_of(optics_of(300, 2.7, 0.1), particle);
    CHECK_NEAR(qn_ctf_at(&ctf, 0, 0), sqrt(1 - 0.01), 1e-15);
    ctf = ctf_of(optics_of(300, 2.7, 0.1), particle_of(-12000, -12000, 0)); /* overfocus */
    CHECK(qn_ctf_at(&ctf, 0.004, 0) < 0.1);
}

/* Without aberration and amplitude contrast, sin(π λ Δz u²) is 0 where λ Δz u² is a whole number, and ±1 halfway
 * between. With aberration zero k is at u² = (1 − √(1 − 2 k C_s λ / Δz²)) Δz / (C_s λ²). */
static void zeros_are_at_their_frequencies(void)
{
    const double defocus = 15000, aberration = 2.7e7;
    qn_ctf ctf = ctf_of(optics_of(200, 0, 0), particle_of(defocus, defocus, 0));
    const double wavelength = ctf.wavelength_angstrom;
    for (int k = 1; k < 40; k++) {
        const double u = sqrt(k / (wavelength * defocus)), between = sqrt((k - 0.5) / (wavelength * defocus));
        CHECK_NEAR(qn_ctf_at(&ctf, u, 0), 0, 1e-11);
        CHECK_NEAR(qn_ctf_at(&ctf, 0.6 * between, -0.8 * between), k % 2 ? 1 : -1, 1e-11);
    }
    ctf = ctf_of(optics_of(200, 2.7, 0), particle_of(defocus, defocus, 0));
    for (int k = 1; k < 40; k++) {
        const double root = sqrt(1 - 2 * k * aberration * wavelength / (defocus * defocus));
        const double u = sqrt((1 - root) * defocus / (aberration * wavelength * wavelength));
        if (root > 0) CHECK_NEAR(qn_ctf_at(&ctf, 0, u), 0, 1e-9);
    }
}

/* The defocus is U along the angle and V across it, and the values at f and −f are equal. */
static void astigmatism_is_symmetric(void)
{
    const double angle = 33 * PI / 180;
    const qn_ctf both = ctf_of(optics_of(300, 2.7, 0.07), particle_of(21000, 18000, 33));
    const qn_ctf along = ctf_of(optics_of(300, 2.7, 0.07), particle_of(21000, 21000, 0));
    const qn_ctf across = ctf_of(optics_of(300, 2.7, 0.07), particle_of(18000, 18000, 0));
    const qn_ctf swapped = ctf_of(optics_of(300, 2.7, 0.07), particle_of(18000, 21000, 33 - 90));
    for (int i = 0; i < 60; i++) {
        const double u = 0.006 * i, x = u * cos(1.3 * i), y = u * sin(1.3 * i);
        CHECK_NEAR(qn_ctf_at(&both, u * cos(angle), u * sin(angle)), qn_ctf_at(&along, u, 0), 1e-10);
        CHECK_NEAR(qn_ctf_at(&both, -u * sin(angle), u * cos(angle)), qn_ctf_at(&across, u, 0), 1e-10);
        CHECK_NEAR(qn_ctf_at(&both, x, y), qn_ctf_at(&both, -x, -y), 0);
        CHECK_NEAR(qn_ctf_at(&both, x, y), qn_ctf_at(&swapped, x, y), 1e-10);
        const double mirror_x = x * cos(2 * angle) + y * sin(2 * angle);
        const double mirror_y = x * sin(2 * angle) - y * cos(2 * angle);
        CHECK_NEAR(qn_ctf_at(&both, x, y), qn_ctf_at(&both, mirror_x, mirror_y), 1e-10);
    }
}

static void envelope_is_gaussian(void)
{
    qn_particle particle = particle_of(9000, 8500, 70);
    const qn_ctf plain = ctf_of(optics_of(300, 2.7, 0.1), particle);
    particle.b_factor_angstrom2 = 80;
    const qn_ctf damped = ctf_of(optics_of(300, 2.7, 0.1), particle);
    CHECK_NEAR(qn_ctf_at(&damped, 0.06, 0.08), qn_ctf_at(&plain, 0.06, 0.08) * exp(-0.2), 1e-12);
    CHECK_NEAR(qn_ctf_at(&damped, 0, 0), 0.1, 1e-15);
}

static void bad_optics_are_refused(void)
{
    const double wrong_voltages[] = {0, -300, NAN, 300000}, wrong_contrasts[] = {-0.01, 1.01, NAN, INFINITY};
    const qn_particle particle = particle_of(10000, 10000, 0);
    qn_ctf ctf;
    for (int i = 0; i < 4; i++) {
        qn_optics_group optics = optics_of(wrong_voltages[i], 2.7, 0.1);
        CHECK_FAILS(qn_ctf_of(&particle, &optics, &ctf), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("optics group 3: a voltage of ");
        CHECK_MESSAGE_HAS("kV; expected 1 to 10000");
        optics = optics_of(300, 2.7, wrong_contrasts[i]);
        CHECK_FAILS(qn_ctf_of(&particle, &optics, &ctf), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("optics group 3: an amplitude contrast of ");
        CHECK_MESSAGE_HAS("expected 0 to 1");
    }
    const qn_optics_group optics = optics_of(300, NAN, 0.1);
    CHECK_FAILS(qn_ctf_of(&particle, &optics, &ctf), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("spherical aberration");
}

static void bad_particles_are_refused(void)
{
    const qn_optics_group optics = optics_of(300, 2.7, 0.1);
    static const char *const names[] = {"defocus U", "defocus V", "defocus angle", "phase shift", "B-factor"};
    for (int i = 0; i < 5; i++) {
        qn_particle particle = particle_of(10000, 10000, 0);
        double *values[] = {&particle.defocus_u_angstrom, &particle.defocus_v_angstrom, &particle.defocus_angle_degrees,
                            &particle.phase_shift_degrees, &particle.b_factor_angstrom2};
        qn_ctf ctf;
        *values[i] = i % 2 ? NAN : INFINITY;
        CHECK_FAILS(qn_ctf_of(&particle, &optics, &ctf), QN_BAD_FORMAT);
        CHECK_MESSAGE_HAS("line 30 (row 7): a ");
        CHECK_MESSAGE_HAS("in optics group 3; expected a finite number");
        CHECK_MESSAGE_HAS(names[i]);
    }
}

/* Parameters of random bits give an error or a CTF within ±1 (without a B-factor, which may amplify). */
static void random_bits_give_a_ctf_or_an_error(void)
{
    uint64_t bits = 88172645463325252u; /* Marsaglia's xorshift */
    int refused = 0, taken = 0;
    for (int i = 0; i < 20000; i++) {
        qn_particle particle = particle_of(15000, 14000, 20);
        qn_optics_group optics = optics_of(300, 2.7, 0.1);
        double *values[] = {&optics.voltage_kv,           &optics.spherical_aberration_mm,
                            &optics.amplitude_contrast,   &particle.defocus_u_angstrom,
                            &particle.defocus_v_angstrom, &particle.defocus_angle_degrees,
                            &particle.phase_shift_degrees};
        qn_ctf ctf;
        for (int change = 0; change <= i % 3; change++) {
            bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
            double *value = values[bits % 7];
            if (i % 2)
                memcpy(value, &bits, sizeof bits);
            else
                *value *= (double)(bits % 40000) / 10000 - 2;
        }
        const qn_status status = qn_ctf_of(&particle, &optics, &ctf);
        if (status == QN_OK && fabs(particle.defocus_u_angstrom) < 1e100 && fabs(particle.defocus_v_angstrom) < 1e100 &&
            fabs(optics.spherical_aberration_mm) < 1e100) {
            taken++;
            CHECK(fabs(qn_ctf_at(&ctf, 0.11, -0.2)) <= 1);
        }
        refused += status == QN_BAD_FORMAT;
        CHECK(status == QN_OK || status == QN_BAD_FORMAT);
    }
    CHECK(refused > 1000 && taken > 1000);
}

int main(void)
{
    RUN(wavelengths_are_those_of_electrons);
    RUN(origin_shows_amplitude_contrast_and_phase);
    RUN(zeros_are_at_their_frequencies);
    RUN(astigmatism_is_symmetric);
    RUN(envelope_is_gaussian);
    RUN(bad_optics_are_refused);
    RUN(bad_particles_are_refused);
    RUN(random_bits_give_a_ctf_or_an_error);
    return check_finish();
}

/* Power spectra for the report: pictures and curves of Thon rings. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/movie_work.h"
#include "movie/output.h"

enum { SIDE = 192 }; /* of a picture, at most */

/* Logarithms of the amplitudes of a power spectrum, and their mean by ring: ring r has the pixels whose distance from
 * frequency 0 rounds to r. */
typedef struct spectrum_work {
    const float *amplitudes; /* [side][side], frequency 0 at side / 2 */
    int side, ring_count;
    double *ring, *background, *pixels;
} spectrum_work;

static int ring_of(const spectrum_work *s, double x, double y)
{
    const int ring = (int)lround(hypot(x, y));
    return ring < s->ring_count ? ring : s->ring_count - 1;
}

static double log_of(double amplitude)
{
    return log(fmax(amplitude, FLT_MIN));
}

static void average_rings(spectrum_work *s)
{
    for (int y = 0; y < s->side; y++)
        for (int x = 0; x < s->side; x++) {
            const int ring = (int)lround(hypot(x - s->side / 2, y - s->side / 2));
            if (ring >= s->ring_count) continue;
            s->ring[ring] += log_of((double)s->amplitudes[(size_t)y * (size_t)s->side + (size_t)x]);
            s->pixels[ring]++;
        }
    for (int i = 0; i < s->ring_count; i++) s->ring[i] /= fmax(s->pixels[i], 1);
}

/* The background is the line that fits best to the rings of a window, at its middle. Windows are wider than a Thon
 * ring; the first rings, where the power falls steeply, belong to none. */
static void fit_background(spectrum_work *s)
{
    const int half = s->ring_count / 4 + 1, first = s->ring_count / 24 + 1;
    for (int i = 0; i < s->ring_count; i++) {
        const int low = i - half > first ? i - half : first;
        const int high = i + half < s->ring_count ? i + half : s->ring_count - 1;
        double count = 0, sum = 0, square = 0, value = 0, product = 0;
        for (int k = low; k <= high; k++) {
            const double place = k - i;
            count++, sum += place, square += place * place;
            value += s->ring[k], product += place * s->ring[k];
        }
        const double determinant = count * square - sum * sum;
        s->background[i] = determinant > 0 ? (square * value - sum * product) / determinant : s->ring[i];
    }
}

/* The middle three quarters of the spectrum, averaged over blocks, as logarithms above the background. */
static void fill_picture(const spectrum_work *s, int factor, int side, float *values)
{
    const int begin = s->side / 2 - side / 2 * factor;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++) {
            const int x = begin + column * factor, y = begin + row * factor;
            double sum = 0;
            for (int k = 0; k < factor * factor; k++)
                sum += (double)s->amplitudes[(size_t)(y + k / factor) * (size_t)s->side + (size_t)(x + k % factor)];
            const double middle = (factor - 1) / 2.0 - s->side / 2;
            values[(size_t)row * (size_t)side + (size_t)column] =
                (float)(log_of(sum / (factor * factor)) - s->background[ring_of(s, x + middle, y + middle)]);
        }
}

static qn_status keep_rings(qn_movie_facts *facts, qn_movie_series which, const spectrum_work *s)
{
    QN_TRY(qn_movie_facts_make_series(facts, which, (size_t)s->ring_count));
    for (int i = 0; i < s->ring_count; i++) facts->series[which][i] = (float)(s->ring[i] - s->background[i]);
    return QN_OK;
}

/* `range` is taken from the picture if `aligned`, else used for it. */
static qn_status note_spectrum(qn_movie_facts *facts, const float *amplitudes, int side, bool aligned, double range[2])
{
    static const double shares[2] = {0.02, 0.99};
    const int factor = (3 * side / 4 + SIDE - 1) / SIDE, small = 3 * side / 4 / factor;
    const int size[2] = {small, small};
    spectrum_work s = {.amplitudes = amplitudes, .side = side, .ring_count = side / 2};
    void *memory, *picture;
    QN_TRY(qn_allocate(3 * (size_t)s.ring_count, sizeof(double), &memory));
    s.ring = memory, s.background = s.ring + s.ring_count, s.pixels = s.background + s.ring_count;
    qn_status status = qn_allocate((size_t)small * (size_t)small, sizeof(float), &picture);
    if (status == QN_OK) {
        average_rings(&s);
        fit_background(&s);
        fill_picture(&s, factor, small, picture);
        status = keep_rings(facts, aligned ? QN_MOVIE_POWER_ALIGNED : QN_MOVIE_POWER_RECORDED, &s);
        if (status == QN_OK && aligned)
            status = qn_movie_find_range(picture, (size_t)small * (size_t)small, shares, range);
        if (status == QN_OK)
            status = qn_movie_keep_picture(facts, aligned ? QN_MOVIE_RINGS_ALIGNED : QN_MOVIE_RINGS_BEFORE, picture,
                                           size, range);
        qn_release(&picture);
    }
    qn_release(&memory);
    return status;
}

qn_status qn_movie_note_spectra(qn_movie_facts *facts, const qn_micrographs *m)
{
    enum { LEAST = 32 }; /* smaller spectra have no rings */
    double range[2];
    if (!m->spectrum || m->spectrum_side < LEAST) return QN_OK;
    facts->numbers.spectrum_angstrom = m->spectrum_angstrom;
    QN_TRY(note_spectrum(facts, m->spectrum, m->spectrum_side, true, range));
    return m->recorded ? note_spectrum(facts, m->recorded, m->spectrum_side, false, range) : QN_OK;
}

/* A movie as a picture: thumbnail, arrows of the local motion, track of the global motion. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/output_report.h"
#include "report/markup.h"
#include "report/png.h"

static const double width = 840;   /* of the drawing, in its units */
static const double legend = 56;   /* height of the strip under the picture, in units */
static const double lengthen = 20; /* arrows over the motion */

/* The thumbnail, the topmost row first. */
static qn_status put_thumbnail(const qn_movie_facts *facts, double height, qn_text *svg)
{
    const uint32_t *size = facts->picture_size[QN_MOVIE_THUMBNAIL];
    const unsigned char *grey = facts->pictures[QN_MOVIE_THUMBNAIL];
    qn_text png = {0};
    void *memory;
    QN_TRY(qn_allocate((size_t)size[0] * size[1], 1, &memory));
    unsigned char *turned = memory;
    for (uint32_t y = 0; y < size[1]; y++)
        for (uint32_t x = 0; x < size[0]; x++)
            turned[(size_t)(size[1] - 1 - y) * size[0] + x] = grey[(size_t)y * size[0] + x];
    qn_status status = qn_png_append(&png, turned, (int)size[0], (int)size[1], 1);
    if (status == QN_OK)
        status = qn_text_append(svg,
                                "<image width=\"%.1f\" height=\"%.1f\" preserveAspectRatio=\"none\" "
                                "href=\"data:image/png;base64,",
                                width, height);
    if (status == QN_OK) status = qn_markup_base64(svg, png.data, png.length);
    if (status == QN_OK) status = qn_text_append(svg, "\"/>\n");
    qn_text_clear(&png);
    qn_release(&memory);
    return status;
}

/* Units of the drawing for a pixel of the frames. */
static double scale_of(const qn_movie_facts *facts)
{
    return width / facts->numbers.frame_width;
}

/* Short arrows are dots, as their heads would hide them. */
static qn_status put_arrows(const qn_movie_facts *facts, double height, qn_text *svg)
{
    const double scale = scale_of(facts), least = 6;
    const float *arrow = facts->series[QN_MOVIE_ARROWS];
    QN_TRY(qn_text_append(svg, "<g stroke=\"#35d0ff\" stroke-width=\"2.5\" fill=\"#35d0ff\">\n"));
    for (uint32_t i = 0; i + 4 <= facts->series_count[QN_MOVIE_ARROWS]; i += 4, arrow += 4) {
        const double x = arrow[0] * scale, y = height - arrow[1] * scale;
        const double along = lengthen * arrow[2] * scale, down = -lengthen * arrow[3] * scale;
        QN_TRY(qn_text_append(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" stroke=\"none\"/>", x, y));
        QN_TRY(qn_text_append(svg, "<path d=\"M%.1f %.1fl%.1f %.1f\"%s/>\n", x, y, along, down,
                              hypot(along, down) > least ? " marker-end=\"url(#head)\"" : ""));
    }
    return qn_text_append(svg, "</g>\n");
}

/* Colours of the first and of the last frame. */
static const int colours[2][3] = {{0xc0, 0x4b, 0xff}, {0xff, 0xee, 0x58}};

static void colour_at(double share, int colour[3])
{
    for (int i = 0; i < 3; i++) colour[i] = (int)lround(colours[0][i] + share * (colours[1][i] - colours[0][i]));
}

/* The factor by which the track is lengthened: that of the arrows, or a smaller one with which all of it is inside the
 * picture. */
static double track_factor(const qn_movie_facts *facts, double height)
{
    static const double factors[] = {10, 5, 2, 1, 0.5, 0.2};
    const double scale = scale_of(facts), margin = 10;
    const float *track = facts->series[QN_MOVIE_TRACK];
    double share = 0, factor = lengthen; /* share: of the room, that the track takes where it is not lengthened */
    for (uint32_t i = 0; i < facts->series_count[QN_MOVIE_TRACK]; i++)
        share = fmax(share, fabs((double)track[i]) * scale / ((i % 2 ? height : width) / 2 - margin));
    for (size_t i = 0; i < sizeof factors / sizeof *factors && factor * share > 1; i++) factor = factors[i];
    return factor;
}

/* The track begins in the middle. Dark lines under it set it off from the picture. */
static qn_status put_track(const qn_movie_facts *facts, double height, double factor, qn_text *svg)
{
    const double scale = factor * scale_of(facts), x = width / 2, y = height / 2;
    const float *track = facts->series[QN_MOVIE_TRACK], *dose = facts->series[QN_MOVIE_DOSES];
    const uint32_t frames = facts->series_count[QN_MOVIE_DOSES];
    QN_TRY(qn_text_append(svg,
                          "<g stroke-linecap=\"round\" stroke-linejoin=\"round\" fill=\"none\" stroke-width=\"4\">\n"
                          "<path stroke=\"#000\" stroke-width=\"9\" d=\"M"));
    for (uint32_t t = 0; t < frames; t++)
        QN_TRY(qn_text_append(svg, " %.1f %.1f", x + scale * track[2 * t], y - scale * track[2 * t + 1]));
    QN_TRY(qn_text_append(svg, "\"/>\n"));
    for (uint32_t t = 1; t < frames; t++) {
        const double share = facts->numbers.has_dose ? dose[t] / dose[frames - 1] : (double)t / (frames - 1);
        int colour[3];
        colour_at(share, colour);
        QN_TRY(qn_text_append(svg, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#%02x%02x%02x\"/>\n",
                              x + scale * track[2 * t - 2], y - scale * track[2 * t - 1], x + scale * track[2 * t],
                              y - scale * track[2 * t + 1], colour[0], colour[1], colour[2]));
    }
    return qn_text_append(svg,
                          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" stroke=\"#000\" stroke-width=\"2\" fill=\"#fff\"/>\n"
                          "</g>\n",
                          x, y);
}

/* ---- the legend ---- */

/* The largest of 1, 2, 5, 10, 20 … that is at most `most`. */
static double round_below(double most)
{
    const double power = pow(10, floor(log10(most)));
    return power * (most / power >= 5 ? 5 : most / power >= 2 ? 2 : 1);
}

/* A line of a round length, with a text after it; x is moved behind both. `unit`: units of the drawing for a unit of
 * the text. */
static qn_status put_scale(qn_text *svg, double y, const char *attributes, double unit, const char *text, double *x)
{
    enum { LONGEST = 110, TEXT = 90 };
    const double length = round_below(LONGEST / unit);
    QN_TRY(qn_text_append(svg, "<path d=\"M%.1f %.1fh%.1f\" %s/>", *x, y, length * unit, attributes));
    QN_TRY(qn_text_append(svg, "<text x=\"%.1f\" y=\"%.1f\">%g %s</text>\n", *x + length * unit + 12, y + 7, length,
                          text));
    *x += length * unit + TEXT;
    return QN_OK;
}

static qn_status put_colours(const qn_movie_facts *facts, double y, double *x, qn_text *svg)
{
    enum { LENGTH = 80, TEXT = 140 };
    const qn_movie_numbers *n = &facts->numbers;
    const uint32_t frames = facts->series_count[QN_MOVIE_DOSES];
    QN_TRY(qn_text_append(svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"12\" fill=\"url(#track)\"/>", *x,
                          y - 6, LENGTH));
    if (n->has_dose)
        QN_TRY(qn_text_append(svg, "<text x=\"%.1f\" y=\"%.1f\">to %.3g e/Å²</text>\n", *x + LENGTH + 12, y + 7,
                              facts->series[QN_MOVIE_DOSES][frames - 1]));
    else
        QN_TRY(
            qn_text_append(svg, "<text x=\"%.1f\" y=\"%.1f\">to frame %u</text>\n", *x + LENGTH + 12, y + 7, frames));
    *x += LENGTH + TEXT;
    return QN_OK;
}

static qn_status put_legend(const qn_movie_facts *facts, double height, double factor, qn_text *svg)
{
    const double scale = scale_of(facts), y = height + legend / 2;
    double x = 16;
    QN_TRY(qn_text_append(svg,
                          "<g font-family=\"sans-serif\" font-size=\"20\" fill=\"#fff\" stroke-width=\"0\">"
                          "<rect y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#1b1f24\"/>\n",
                          height, width, legend));
    QN_TRY(put_scale(svg, y, "stroke=\"#fff\" stroke-width=\"5\"", 10 * scale / facts->numbers.frame_pixel_angstrom,
                     "nm", &x));
    if (facts->series[QN_MOVIE_ARROWS])
        QN_TRY(put_scale(svg, y, "stroke=\"#35d0ff\" stroke-width=\"3\" marker-end=\"url(#head)\"", lengthen * scale,
                         "px", &x));
    QN_TRY(put_scale(svg, y, "stroke=\"#c04bff\" stroke-width=\"4\"", factor * scale, "px", &x));
    QN_TRY(put_colours(facts, y, &x, svg));
    return qn_text_append(svg, "</g>\n");
}

static qn_status put_definitions(qn_text *svg)
{
    return qn_text_append(svg,
                          "<defs><marker id=\"head\" viewBox=\"0 0 6 6\" refX=\"4\" refY=\"3\" markerWidth=\"4\" "
                          "markerHeight=\"4\" orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" fill=\"#35d0ff\"/></marker>"
                          "<linearGradient id=\"track\"><stop stop-color=\"#%02x%02x%02x\"/>"
                          "<stop offset=\"1\" stop-color=\"#%02x%02x%02x\"/></linearGradient></defs>\n",
                          colours[0][0], colours[0][1], colours[0][2], colours[1][0], colours[1][1], colours[1][2]);
}

qn_status qn_movie_draw(const qn_movie_facts *facts, qn_text *svg)
{
    const double height = width * facts->numbers.frame_height / facts->numbers.frame_width;
    if (!facts->pictures[QN_MOVIE_THUMBNAIL] || !facts->series[QN_MOVIE_TRACK]) return QN_OK;
    const double factor = track_factor(facts, height);
    QN_TRY(qn_text_append(svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.1f %.1f\" width=\"%.0f\" "
                          "height=\"%.0f\">\n",
                          width, height + legend, width, height + legend));
    QN_TRY(put_definitions(svg));
    QN_TRY(put_thumbnail(facts, height, svg));
    if (facts->series[QN_MOVIE_ARROWS]) QN_TRY(put_arrows(facts, height, svg));
    QN_TRY(put_track(facts, height, factor, svg));
    QN_TRY(put_legend(facts, height, factor, svg));
    return qn_text_append(svg, "</svg>\n");
}

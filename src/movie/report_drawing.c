/* A movie as a picture: thumbnail, arrows of the local motion, track of the global motion. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "movie/output_report.h"
#include "report/markup.h"
#include "report/png.h"

static const double width = 840;   /* of the drawing, in its units */
static const double lengthen = 20; /* arrows and track over the motion */

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

static qn_status put_arrows(const qn_movie_facts *facts, double height, qn_text *svg)
{
    const double scale = scale_of(facts);
    const float *arrow = facts->series[QN_MOVIE_ARROWS];
    QN_TRY(qn_text_append(svg, "<g stroke=\"#ffd23f\" stroke-width=\"2.5\" fill=\"#ffd23f\">\n"));
    for (uint32_t i = 0; i + 4 <= facts->series_count[QN_MOVIE_ARROWS]; i += 4, arrow += 4) {
        const double x = arrow[0] * scale, y = height - arrow[1] * scale;
        const double x2 = x + lengthen * arrow[2] * scale, y2 = y - lengthen * arrow[3] * scale;
        QN_TRY(qn_text_append(svg,
                              "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" stroke=\"none\"/>"
                              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                              x, y, x, y, x2, y2));
    }
    return qn_text_append(svg, "</g>\n");
}

/* From dark violet at the first frame to light yellow at the last. */
static void colour_at(double share, int colour[3])
{
    static const double from[3] = {0x7a, 0x1f, 0xa2}, to[3] = {0xff, 0xf1, 0x76};
    for (int i = 0; i < 3; i++) colour[i] = (int)lround(from[i] + share * (to[i] - from[i]));
}

/* The track begins in the middle. */
static qn_status put_track(const qn_movie_facts *facts, double height, qn_text *svg)
{
    const double scale = lengthen * scale_of(facts);
    const float *track = facts->series[QN_MOVIE_TRACK], *dose = facts->series[QN_MOVIE_DOSES];
    const uint32_t frames = facts->series_count[QN_MOVIE_DOSES];
    QN_TRY(qn_text_append(svg, "<g stroke-width=\"4\" stroke-linecap=\"round\">\n"));
    for (uint32_t t = 1; t < frames; t++) {
        const double share = facts->numbers.has_dose ? dose[t] / dose[frames - 1] : (double)t / (frames - 1);
        int colour[3];
        colour_at(share, colour);
        QN_TRY(qn_text_append(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#%02x%02x%02x\"/>\n",
                              width / 2 + scale * track[2 * t - 2], height / 2 - scale * track[2 * t - 1],
                              width / 2 + scale * track[2 * t], height / 2 - scale * track[2 * t + 1], colour[0],
                              colour[1], colour[2]));
    }
    return qn_text_append(svg, "</g>\n");
}

qn_status qn_movie_draw(const qn_movie_facts *facts, qn_text *svg)
{
    const double height = width * facts->numbers.frame_height / facts->numbers.frame_width;
    if (!facts->pictures[QN_MOVIE_THUMBNAIL] || !facts->series[QN_MOVIE_TRACK]) return QN_OK;
    QN_TRY(qn_text_append(svg,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.1f %.1f\" width=\"%.0f\" "
                          "height=\"%.0f\">\n",
                          width, height, width, height));
    QN_TRY(put_thumbnail(facts, height, svg));
    if (facts->series[QN_MOVIE_ARROWS]) QN_TRY(put_arrows(facts, height, svg));
    QN_TRY(put_track(facts, height, svg));
    return qn_text_append(svg, "</svg>\n");
}

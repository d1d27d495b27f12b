#include "report/scene.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/document.h"
#include "report/markup.h"

char qn_scene_letter(const char *element)
{
    return element[0] && !element[1] && strchr("CNOSP", element[0]) ? element[0] : 'X';
}

static qn_status check_body(const qn_scene_body *body)
{
    size_t atoms = 0;
    for (size_t i = 0; i < body->residue_count; i++) {
        if (body->residues[i].atom_count > QN_SCENE_RESIDUE_ATOMS)
            return QN_FAIL(QN_INVALID_ARGUMENT, "a residue of the view's %s has %zu atoms; expected at most %d",
                           body->name, body->residues[i].atom_count, QN_SCENE_RESIDUE_ATOMS);
        atoms += body->residues[i].atom_count;
    }
    if (body->atom_count < 1 || body->atom_count > QN_SCENE_ATOMS || atoms != body->atom_count)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the view's %s has %zu atoms and %zu in its residues; expected the same number, 1 to %d",
                       body->name, body->atom_count, atoms, QN_SCENE_ATOMS);
    return QN_OK;
}

static void put_16(unsigned char *bytes, unsigned value)
{
    bytes[0] = (unsigned char)(value & 255);
    bytes[1] = (unsigned char)(value >> 8 & 255);
}

/* Write places as 16-bit integers, little-endian, around the middle of the body: attributes origin, step, places. */
static qn_status append_places(qn_text *text, const qn_scene_body *body, unsigned char *bytes)
{
    double low[3], high[3], middle[3], half = 0;
    for (int k = 0; k < 3; k++) low[k] = high[k] = body->places[k];
    for (size_t i = 0; i < 3 * body->atom_count; i++) {
        low[i % 3] = fmin(low[i % 3], body->places[i]);
        high[i % 3] = fmax(high[i % 3], body->places[i]);
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (low[k] + high[k]);
        half = fmax(half, 0.5 * (high[k] - low[k]));
    }
    const double step = fmax(0.001, half / 32767);
    for (size_t i = 0; i < 3 * body->atom_count; i++)
        put_16(bytes + 2 * i, (unsigned)(int)lround((body->places[i] - middle[i % 3]) / step));
    QN_TRY(qn_text_append(text, " data-origin=\"%.6f %.6f %.6f\" data-step=\"%.9g\" data-places=\"", middle[0],
                          middle[1], middle[2], step));
    QN_TRY(qn_markup_base64(text, bytes, 6 * body->atom_count));
    return qn_text_append(text, "\"");
}

/* Write two 16-bit integers for each residue, its atoms and its trace atom (65535: none), and the labels. */
static qn_status append_residues(qn_text *text, const qn_scene_body *body, unsigned char *bytes)
{
    for (size_t i = 0; i < body->residue_count; i++) {
        const qn_scene_residue *residue = &body->residues[i];
        put_16(bytes + 4 * i, (unsigned)residue->atom_count);
        put_16(bytes + 4 * i + 2, residue->trace < residue->atom_count ? (unsigned)residue->trace : 65535);
    }
    QN_TRY(qn_text_append(text, " data-residues=\""));
    QN_TRY(qn_markup_base64(text, bytes, 4 * body->residue_count));
    QN_TRY(qn_text_append(text, "\" data-labels=\""));
    for (size_t i = 0; i < body->residue_count; i++) {
        QN_TRY(qn_text_append(text, "%s", i ? "|" : ""));
        QN_TRY(qn_markup_text(text, body->residues[i].label));
    }
    return qn_text_append(text, "\"");
}

static qn_status append_body(qn_text *text, const qn_scene_body *body)
{
    void *bytes;
    const size_t most = 6 * body->atom_count + 4 * body->residue_count;
    QN_TRY(qn_allocate(most, 1, &bytes));
    qn_status status = qn_text_append(text, "<div class=\"body\" hidden=\"\" data-atoms=\"%zu\" data-coarse=\"%d\"",
                                      body->atom_count, body->coarse);
    if (status == QN_OK) status = append_places(text, body, bytes);
    if (status == QN_OK) status = append_residues(text, body, bytes);
    qn_release(&bytes);
    QN_TRY(status);
    QN_TRY(qn_text_append(text, " data-elements=\""));
    QN_TRY(qn_text_append_bytes(text, body->elements, body->atom_count));
    QN_TRY(qn_text_append(text, "\" data-name=\""));
    QN_TRY(qn_markup_text(text, body->name));
    return qn_text_append(text, "\"></div>\n");
}

static qn_status append_model(qn_text *text, const qn_scene_model *model)
{
    QN_TRY(qn_text_append(text, "<li data-body=\"%zu\" data-name=\"", model->body));
    QN_TRY(qn_markup_text(text, model->name));
    QN_TRY(qn_text_append(text, "\" data-text=\""));
    QN_TRY(qn_markup_text(text, model->text ? model->text : model->name));
    QN_TRY(qn_text_append(text, "\" data-pose=\""));
    for (int i = 0; i < 9; i++) QN_TRY(qn_text_append(text, "%.7g ", model->rotation[i]));
    for (int i = 0; i < 3; i++) QN_TRY(qn_text_append(text, "%s%.4f", i ? " " : "", model->translation_angstrom[i]));
    QN_TRY(qn_text_append(text, "\">"));
    if (model->file) {
        QN_TRY(qn_text_append(text, "<a href=\""));
        QN_TRY(qn_markup_text(text, model->file));
        QN_TRY(qn_text_append(text, "\">"));
    }
    QN_TRY(qn_markup_text(text, model->file ? model->file : model->name));
    return qn_text_append(text, "%s</li>\n", model->file ? "</a>" : "");
}

qn_status qn_report_scene(qn_report *report, const qn_scene *scene)
{
    qn_text *text = &report->body;
    for (size_t i = 0; i < scene->body_count; i++) QN_TRY(check_body(&scene->bodies[i]));
    for (size_t i = 0; i < scene->model_count; i++)
        if (scene->models[i].body < 1 || scene->models[i].body >= scene->body_count)
            return QN_FAIL(QN_INVALID_ARGUMENT, "the view's model \"%s\" places body %zu; expected 1 to %zu",
                           scene->models[i].name, scene->models[i].body, scene->body_count - 1);
    if (scene->model_count == 0) return QN_OK;
    report->scenes++;
    QN_TRY(qn_text_append(text, "<figure class=\"scene\" data-focus=\"%d\" data-label=\"", scene->focus));
    QN_TRY(qn_markup_text(text, scene->title));
    QN_TRY(qn_text_append(text, "\">\n"));
    QN_TRY(qn_markup_caption(text, scene->title, scene->caption));
    QN_TRY(qn_text_append(text, "</figcaption>\n<p class=\"fallback\">The models are not drawn, because this browser "
                                "runs no scripts or has no WebGL 2.</p>\n<ul class=\"models\">\n"));
    for (size_t i = 0; i < scene->model_count; i++) QN_TRY(append_model(text, &scene->models[i]));
    QN_TRY(qn_text_append(text, "</ul>\n"));
    for (size_t i = 0; i < scene->body_count; i++) QN_TRY(append_body(text, &scene->bodies[i]));
    return qn_text_append(text, "</figure>\n");
}

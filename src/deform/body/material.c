#include "deform/body/material.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "format/number.h"

/* Read `count` numbers with commas between; `endless`: the last may be "inf". */
static bool read_numbers(const char *text, int count, bool endless, double *numbers)
{
    for (int k = 0; k < count; k++) {
        const size_t length = strcspn(text, ",");
        const bool last = k == count - 1;
        if ((text[length] == '\0') != last) return false;
        if (last && endless && strcmp(text, "inf") == 0)
            numbers[k] = INFINITY;
        else if (!qn_number_parse(text, length, &numbers[k]))
            return false;
        text += length + 1;
    }
    return true;
}

static qn_status read_svk(const char *text, const char *numbers, qn_material *material)
{
    double value[2];
    const qn_quotation quoted = qn_quote(text, strlen(text));
    if (!read_numbers(numbers, 2, false, value))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--material is \"%s\"; expected two numbers after svk: as in svk:10000,0.45", quoted.text);
    if (!(value[0] > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--material \"%s\" has a Young's modulus of %g Pa; expected more than 0",
                       quoted.text, value[0]);
    if (!(value[1] > -1 && value[1] < 0.5))
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "--material \"%s\" has a Poisson's ratio of %g; expected more than -1 and less than 0.5",
                       quoted.text, value[1]);
    *material = (qn_material){.kind = QN_MATERIAL_SVK, .young = value[0], .poisson = value[1]};
    material->mu = value[0] / 2 / (1 + value[1]);
    material->lambda = value[0] * value[1] / (1 + value[1]) / (1 - 2 * value[1]);
    return QN_OK;
}

static qn_status read_mooney_rivlin(const char *text, const char *numbers, qn_material *material)
{
    double value[3];
    const qn_quotation quoted = qn_quote(text, strlen(text));
    if (!read_numbers(numbers, 3, true, value))
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "--material is \"%s\"; expected three numbers after mooney-rivlin: as in mooney-rivlin:1400,280,1e6",
            quoted.text);
    if (!(value[0] + value[1] > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--material \"%s\" has C10 + C01 = %g Pa; expected more than 0",
                       quoted.text, value[0] + value[1]);
    if (!(value[2] > 0))
        return QN_FAIL(QN_INVALID_ARGUMENT, "--material \"%s\" has a bulk modulus of %g Pa; expected more than 0",
                       quoted.text, value[2]);
    *material = (qn_material){.kind = QN_MATERIAL_MOONEY_RIVLIN, .c10 = value[0], .c01 = value[1], .kappa = value[2]};
    material->mu = 2 * (value[0] + value[1]);
    return QN_OK;
}

qn_status qn_material_parse(const char *text, qn_material *material)
{
    static const char svk[] = "svk:", mooney_rivlin[] = "mooney-rivlin:";
    if (strncmp(text, svk, sizeof svk - 1) == 0) return read_svk(text, text + sizeof svk - 1, material);
    if (strncmp(text, mooney_rivlin, sizeof mooney_rivlin - 1) == 0)
        return read_mooney_rivlin(text, text + sizeof mooney_rivlin - 1, material);
    return QN_FAIL(QN_INVALID_ARGUMENT, "--material is \"%s\"; expected svk:E,NU or mooney-rivlin:C10,C01,KAPPA",
                   qn_quote(text, strlen(text)).text);
}

double qn_material_poisson(const qn_material *material)
{
    if (material->kind == QN_MATERIAL_SVK) return material->poisson;
    if (isinf(material->kappa)) return 0.5;
    return (3 * material->kappa - 2 * material->mu) / (6 * material->kappa + 2 * material->mu);
}

#include "trajectory/query/setup.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "format/number.h"

enum { WORDS_MAX = 64 }; /* most names that are searched for the nearest one */

/* A parameter whose text is being read. */
typedef struct parameter_reading {
    const char *query, *text;
    const qn_query_parameter *parameter;
    double length_unit_nm;
} parameter_reading;

static size_t parameter_count(const qn_query_class *query_class)
{
    size_t count = 0;
    while (query_class->parameters && query_class->parameters[count].name) count++;
    return count;
}

static bool is_bounded(const qn_query_parameter *parameter)
{
    return parameter->least != 0 || parameter->most != 0;
}

/* ---- values ---- */

static qn_status read_number(const parameter_reading *reading, double unit, const char *unit_name, double *value)
{
    const qn_query_parameter *parameter = reading->parameter;
    const char *text = reading->text;
    if (*text == '\0' && parameter->fallback && *parameter->fallback == '\0') {
        *value = NAN;
        return QN_OK;
    }
    const bool is_number = qn_number_parse(text, strlen(text), value);
    *value *= unit;
    if (is_number && (!is_bounded(parameter) || (*value >= parameter->least && *value <= parameter->most)))
        return QN_OK;
    if (!is_bounded(parameter))
        return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is \"%s\"; expected a number%s%s", reading->query,
                       parameter->name, qn_quote(text, strlen(text)).text, *unit_name ? " in" : "", unit_name);
    return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is \"%s\"; expected a number from %g to %g%s", reading->query,
                   parameter->name, qn_quote(text, strlen(text)).text, parameter->least / unit, parameter->most / unit,
                   unit_name);
}

static qn_status read_integer(const parameter_reading *reading, int64_t *value)
{
    const qn_query_parameter *parameter = reading->parameter;
    const char *text = reading->text;
    int whole = 0;
    const bool is_whole = qn_number_parse_whole(text, strlen(text), &whole);
    *value = whole;
    if (*text == '\0' && parameter->fallback && *parameter->fallback == '\0') return QN_OK;
    if (!is_whole || (is_bounded(parameter) && !(whole >= parameter->least && whole <= parameter->most))) {
        if (!is_bounded(parameter))
            return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is \"%s\"; expected a whole number", reading->query,
                           parameter->name, qn_quote(text, strlen(text)).text);
        return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is \"%s\"; expected a whole number from %.0f to %.0f",
                       reading->query, parameter->name, qn_quote(text, strlen(text)).text, parameter->least,
                       parameter->most);
    }
    return QN_OK;
}

static qn_status read_flag(const parameter_reading *reading, bool *value)
{
    static const char *const yes[] = {"yes", "true", "on"}, *const no[] = {"no", "false", "off", ""};
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        if (strcmp(reading->text, yes[i]) == 0) {
            *value = true;
            return QN_OK;
        }
    *value = false;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (strcmp(reading->text, no[i]) == 0) return QN_OK;
    return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is \"%s\"; expected yes or no", reading->query,
                   reading->parameter->name, qn_quote(reading->text, strlen(reading->text)).text);
}

static qn_status check_choice(const parameter_reading *reading)
{
    const qn_query_parameter *parameter = reading->parameter;
    const char *text = reading->text;
    const size_t length = strlen(text);
    if (length == 0 && parameter->fallback && *parameter->fallback == '\0') return QN_OK;
    for (const char *word = parameter->choices; word && *word;) {
        const size_t word_length = strcspn(word, " ");
        if (length == word_length && length > 0 && strncmp(word, text, length) == 0) return QN_OK;
        word += word_length + (word[word_length] == ' ');
    }
    return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is \"%s\"; expected one of: %s", reading->query,
                   parameter->name, qn_quote(text, length).text, parameter->choices ? parameter->choices : "");
}

static qn_status read_value(const parameter_reading *reading, qn_query_value *value)
{
    switch (reading->parameter->kind) {
    case QN_PARAMETER_NUMBER: return read_number(reading, 1, "", &value->number);
    case QN_PARAMETER_LENGTH:
        return read_number(reading, reading->length_unit_nm, reading->length_unit_nm == 1 ? " nm" : " Å",
                           &value->number);
    case QN_PARAMETER_INTEGER: return read_integer(reading, &value->integer);
    case QN_PARAMETER_FLAG: return read_flag(reading, &value->flag);
    case QN_PARAMETER_CHOICE: QN_TRY(check_choice(reading)); break;
    case QN_PARAMETER_TEXT:
    case QN_PARAMETER_FILE: break;
    }
    return qn_text_copy(reading->text, &value->text);
}

/* ---- parameters ---- */

/* Check that every given parameter belongs to the class, and that none is given twice. */
static qn_status check_names(const char *query, const qn_query_class *query_class,
                             const qn_trajectory_parameter *parameters, size_t count, qn_query_setup *setup)
{
    const size_t known = parameter_count(query_class);
    const char *words[WORDS_MAX];
    size_t word_count = 0;
    if (!parameters && count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: the list of parameters is NULL; expected %zu", query, count);
    for (size_t i = 0; i < count; i++)
        if (!parameters[i].name || !parameters[i].value)
            return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: parameter %zu has no name or no value; expected both", query,
                           i + 1);
    for (; word_count < known && word_count < WORDS_MAX; word_count++)
        words[word_count] = query_class->parameters[word_count].name;
    for (size_t i = 0; i < count; i++) {
        const char *name = parameters[i].name;
        size_t place = 0;
        while (place < known && strcmp(query_class->parameters[place].name, name) != 0) place++;
        setup->wrong = name;
        if (place == known)
            return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: \"%s\" is not a parameter of %s%s%s", query,
                           qn_quote(name, strlen(name)).text, query_class->name, known ? "; " : ", which has none",
                           known ? qn_expect_words(name, words, word_count).text : "");
        for (size_t other = 0; other < i; other++)
            if (strcmp(parameters[other].name, name) == 0)
                return QN_FAIL(QN_INVALID_ARGUMENT,
                               "query %s: --%s is given twice, as \"%s\" and \"%s\"; expected once", query, name,
                               parameters[other].value, parameters[i].value);
    }
    setup->wrong = NULL;
    return QN_OK;
}

static qn_status read_parameter(const char *query, const qn_query_parameter *parameter,
                                const qn_trajectory_parameter *given, size_t count, double length_unit_nm,
                                qn_query_setup *setup, qn_query_value *value)
{
    parameter_reading reading = {query, parameter->fallback, parameter, 1};
    for (size_t i = 0; i < count; i++)
        if (strcmp(given[i].name, parameter->name) == 0) {
            setup->wrong = reading.text = given[i].value;
            reading.length_unit_nm = length_unit_nm;
        }
    if (!reading.text)
        return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: --%s is missing; expected %s", query, parameter->name,
                       parameter->meaning);
    QN_TRY(read_value(&reading, value));
    setup->wrong = NULL;
    return QN_OK;
}

qn_status qn_query_setup_read(const char *query, const qn_query_class *query_class,
                              const qn_trajectory_parameter *parameters, size_t count, double length_unit_nm,
                              qn_query_setup *setup)
{
    const size_t known = parameter_count(query_class);
    void *memory;
    *setup = (qn_query_setup){.query_class = query_class};
    QN_TRY(check_names(query, query_class, parameters, count, setup));
    QN_TRY(qn_allocate(known, sizeof *setup->values, &memory));
    setup->values = memory;
    qn_status status = QN_OK;
    for (size_t i = 0; i < known && status == QN_OK; i++)
        status = read_parameter(query, &query_class->parameters[i], parameters, count, length_unit_nm, setup,
                                &setup->values[i]);
    if (status != QN_OK) qn_query_setup_clear(setup);
    return status;
}

void qn_query_setup_clear(qn_query_setup *setup)
{
    const size_t known = setup->values ? parameter_count(setup->query_class) : 0;
    for (size_t i = 0; i < known; i++) qn_release(&setup->values[i].text);
    qn_release(&setup->values);
}

/* ---- values and facts for queries ---- */

/* Find the value of a parameter. A name or kind that the class does not list is a mistake in the class. */
static const qn_query_value *find(const qn_query_setup *setup, const char *name, unsigned kinds)
{
    static const qn_query_value none = {.number = NAN};
    (void)kinds;
    const size_t known = parameter_count(setup->query_class);
    for (size_t i = 0; i < known; i++)
        if (strcmp(setup->query_class->parameters[i].name, name) == 0) {
            assert(kinds & (1u << setup->query_class->parameters[i].kind));
            return &setup->values[i];
        }
    assert(!"a parameter that the class lists");
    return &none;
}

const qn_topology *qn_query_setup_topology(const qn_query_setup *setup)
{
    return setup->topology;
}

double qn_query_setup_number(const qn_query_setup *setup, const char *name)
{
    return find(setup, name, 1u << QN_PARAMETER_NUMBER | 1u << QN_PARAMETER_LENGTH)->number;
}

int64_t qn_query_setup_integer(const qn_query_setup *setup, const char *name)
{
    return find(setup, name, 1u << QN_PARAMETER_INTEGER)->integer;
}

bool qn_query_setup_flag(const qn_query_setup *setup, const char *name)
{
    return find(setup, name, 1u << QN_PARAMETER_FLAG)->flag;
}

const char *qn_query_setup_text(const qn_query_setup *setup, const char *name)
{
    const char *text =
        find(setup, name, 1u << QN_PARAMETER_CHOICE | 1u << QN_PARAMETER_TEXT | 1u << QN_PARAMETER_FILE)->text;
    return text ? text : "";
}

void qn_query_setup_atoms(const qn_query_setup *setup, int selection, bool *fixed, const uint32_t **atoms,
                          size_t *count)
{
    const qn_query_atoms *known = &setup->atoms[selection == 1];
    *fixed = known->fixed;
    *atoms = known->fixed ? known->indices : NULL;
    *count = known->fixed ? known->count : 0;
}

const qn_trajectory_frame *qn_query_setup_first_frame(const qn_query_setup *setup)
{
    return setup->first_frame;
}

qn_device *qn_query_setup_device(const qn_query_setup *setup)
{
    return setup->device;
}

qn_status qn_query_state_create(const qn_query_setup *setup, size_t bytes,
                                qn_status (*fill)(const qn_query_setup *setup, void *state),
                                void (*destroy)(void *state), void **state)
{
    void *memory;
    QN_TRY(qn_allocate(1, bytes, &memory));
    qn_status status = fill(setup, memory);
    if (status == QN_OK)
        *state = memory;
    else
        destroy(memory);
    return status;
}

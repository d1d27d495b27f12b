/* Plans: YAML files that give the options of a run.
 *
 *     topology: topol.tpr
 *     trajectory: [part1.xtc, part2.xtc]
 *     output: results
 *     begin: 100
 *     selections:
 *       oxygens: name OW
 *     queries:
 *       - query: rdf
 *         name: OW-OW
 *         select: oxygens
 *         max: 1.2
 */
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "format/number.h"
#include "trajectory/run.h"

/* Where a text of the plan comes from. */
typedef struct plan_place {
    const char *text; /* the text itself, or the name of an option in the option table */
    unsigned long line;
} plan_place;

struct qn_trajectory_plan {
    qn_trajectory_options options;
    char *path;
    plan_place *places;
    size_t place_count, place_capacity;
    void **owned; /* texts and lists that options point to */
    size_t owned_count, owned_capacity;
};

/* State of reading a plan. */
typedef struct plan_reading {
    const char *path;
    char *folder; /* of the plan, with a final slash; "": the working directory */
    yaml_document_t *document;
    qn_trajectory_plan *plan;
    unsigned long *key_line; /* of the key that is being read */
} plan_reading;

/* ---- YAML nodes ---- */

static unsigned long line_of(const yaml_node_t *node)
{
    return (unsigned long)node->start_mark.line + 1;
}

static yaml_node_t *node_at(const plan_reading *reading, int index)
{
    return yaml_document_get_node(reading->document, index);
}

static qn_status own(qn_trajectory_plan *plan, size_t count, size_t size, void **memory)
{
    void *list = plan->owned;
    QN_TRY(qn_grow(&list, &plan->owned_capacity, plan->owned_count + 1, sizeof *plan->owned));
    plan->owned = list;
    QN_TRY(qn_allocate(count, size, memory));
    plan->owned[plan->owned_count++] = *memory;
    return QN_OK;
}

static qn_status note_place(qn_trajectory_plan *plan, const char *text, const yaml_node_t *node)
{
    void *list = plan->places;
    QN_TRY(qn_grow(&list, &plan->place_capacity, plan->place_count + 1, sizeof *plan->places));
    plan->places = list;
    plan->places[plan->place_count++] = (plan_place){text, line_of(node)};
    return QN_OK;
}

/* The text of a scalar; "" for an empty value. */
static qn_status read_text(const plan_reading *reading, const char *key, const yaml_node_t *node, const char **text)
{
    void *memory;
    if (node->type != YAML_SCALAR_NODE)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s is a %s; expected one value", reading->path, line_of(node), key,
                       node->type == YAML_SEQUENCE_NODE ? "list" : "table");
    const size_t length = node->data.scalar.length;
    if (memchr(node->data.scalar.value, '\0', length))
        return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s holds a zero byte; expected a text", reading->path, line_of(node),
                       key);
    QN_TRY(own(reading->plan, length + 1, 1, &memory));
    memcpy(memory, node->data.scalar.value, length);
    *text = memory;
    return note_place(reading->plan, memory, node);
}

static qn_status bad_value(const plan_reading *reading, const char *key, const yaml_node_t *node, const char *text,
                           const char *expected)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s is \"%s\"; expected %s", reading->path, line_of(node), key,
                   qn_quote(text, strlen(text)).text, expected);
}

static qn_status read_flag(const plan_reading *reading, const char *key, const yaml_node_t *node, bool *value)
{
    static const char *const words[] = {"yes", "true", "on", "no", "false", "off"};
    const char *text;
    QN_TRY(read_text(reading, key, node, &text));
    for (size_t i = 0; i < 6; i++)
        if (strcmp(text, words[i]) == 0) {
            *value = i < 3;
            return QN_OK;
        }
    return bad_value(reading, key, node, text, "yes or no");
}

/* Read a path. It is relative to the plan's folder, unless it is absolute or "-". */
static qn_status read_path(const plan_reading *reading, const char *key, const yaml_node_t *node, const char **path)
{
    const char *text;
    void *memory;
    QN_TRY(read_text(reading, key, node, &text));
    if (*text == '\0') return bad_value(reading, key, node, text, "a path");
    *path = text;
    if (*text == '/' || strcmp(text, "-") == 0) return QN_OK;
    const size_t folder = strlen(reading->folder), length = strlen(text);
    QN_TRY(own(reading->plan, folder + length + 1, 1, &memory));
    memcpy(memory, reading->folder, folder);
    memcpy((char *)memory + folder, text, length);
    *path = memory;
    return note_place(reading->plan, memory, node);
}

/* ---- tables of keys ---- */

/* Callback that reads the value of one key into the struct at `user`. */
typedef qn_status (*key_reader)(const plan_reading *reading, const char *key, const yaml_node_t *node, void *user);

/* Call `read` for each key of a table. A key must not occur twice. */
static qn_status read_keys(const plan_reading *reading, const yaml_node_t *table, const char *what, key_reader read,
                           void *user)
{
    if (table->type != YAML_MAPPING_NODE)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s is not a table; expected lines such as `key: value`", reading->path,
                       line_of(table), what);
    const yaml_node_pair_t *first = table->data.mapping.pairs.start, *behind = table->data.mapping.pairs.top;
    for (const yaml_node_pair_t *pair = first; pair < behind; pair++) {
        const yaml_node_t *name = node_at(reading, pair->key), *value = node_at(reading, pair->value);
        const char *key, *other;
        QN_TRY(read_text(reading, "a key", name, &key));
        for (const yaml_node_pair_t *before = first; before < pair; before++) {
            QN_TRY(read_text(reading, "a key", node_at(reading, before->key), &other));
            if (strcmp(key, other) == 0)
                return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s is given twice, first in line %lu; expected once",
                               reading->path, line_of(name), qn_quote(key, strlen(key)).text,
                               line_of(node_at(reading, before->key)));
        }
        *reading->key_line = line_of(name);
        QN_TRY(read(reading, key, value, user));
    }
    return QN_OK;
}

static qn_status unknown_key(const plan_reading *reading, const char *key, const char *const *words, size_t count)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: there is no key \"%s\"; %s", reading->path, *reading->key_line,
                   qn_quote(key, strlen(key)).text, qn_expect_words(key, words, count).text);
}

static size_t items_of(const yaml_node_t *node)
{
    if (node->type == YAML_SEQUENCE_NODE)
        return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (node->type == YAML_MAPPING_NODE) return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    return 1;
}

/* ---- trajectories and selections ---- */

static qn_status read_trajectories(const plan_reading *reading, const char *key, const yaml_node_t *node)
{
    qn_trajectory_options *options = &reading->plan->options;
    const size_t count = node->type == YAML_MAPPING_NODE ? 1 : items_of(node); /* a table is refused as a path */
    void *memory;
    QN_TRY(own(reading->plan, count, sizeof *options->trajectories, &memory));
    const char **paths = memory;
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t *item =
            node->type == YAML_SEQUENCE_NODE ? node_at(reading, node->data.sequence.items.start[i]) : node;
        QN_TRY(read_path(reading, key, item, &paths[i]));
    }
    options->trajectories = paths;
    options->trajectory_count = count;
    return QN_OK;
}

static qn_status read_selection(const plan_reading *reading, const char *key, const yaml_node_t *node, void *user)
{
    qn_trajectory_selection **next = user;
    (*next)->name = key;
    QN_TRY(read_text(reading, key, node, &(*next)->text));
    ++*next;
    return QN_OK;
}

static qn_status read_selections(const plan_reading *reading, const char *key, const yaml_node_t *node)
{
    qn_trajectory_options *options = &reading->plan->options;
    void *memory;
    QN_TRY(own(reading->plan, items_of(node), sizeof *options->selections, &memory));
    qn_trajectory_selection *next = memory;
    options->selections = memory;
    options->selection_count = items_of(node);
    return read_keys(reading, node, key, read_selection, &next);
}

/* ---- queries ---- */

static const char *const query_words[] = {"query", "name", "select", "with", "whole"};
enum { QUERY_WORDS = sizeof query_words / sizeof query_words[0], WORDS_MAX = 64 };

typedef struct query_reading {
    qn_trajectory_query *query;
    qn_trajectory_parameter *parameters;
    const qn_query_class *query_class; /* NULL: not a class of the library */
} query_reading;

static const qn_query_class *find_class(const char *name)
{
    const qn_query_class *const *classes = qn_query_classes();
    for (size_t i = 0; classes[i]; i++)
        if (strcmp(classes[i]->name, name) == 0) return classes[i];
    return NULL;
}

/* Read a parameter. Its name is checked if the class is one of the library. */
static qn_status read_parameter(const plan_reading *reading, const char *key, const yaml_node_t *node,
                                query_reading *query)
{
    const char *words[WORDS_MAX];
    size_t count = 0;
    bool known = !query->query_class, is_file = false;
    for (; count < QUERY_WORDS; count++) words[count] = query_words[count];
    const qn_query_parameter *parameters = query->query_class ? query->query_class->parameters : NULL;
    for (size_t i = 0; parameters && parameters[i].name; i++) {
        const bool named = strcmp(parameters[i].name, key) == 0;
        known |= named;
        is_file |= named && parameters[i].kind == QN_PARAMETER_FILE;
        if (count < WORDS_MAX) words[count++] = parameters[i].name;
    }
    if (!known) return unknown_key(reading, key, words, count);
    qn_trajectory_parameter *parameter = &query->parameters[query->query->parameter_count];
    parameter->name = key;
    if (is_file)
        QN_TRY(read_path(reading, key, node, &parameter->value));
    else
        QN_TRY(read_text(reading, key, node, &parameter->value));
    query->query->parameter_count++;
    return QN_OK;
}

static qn_status read_query_key(const plan_reading *reading, const char *key, const yaml_node_t *node, void *user)
{
    query_reading *query = user;
    bool whole = false;
    if (strcmp(key, "query") == 0) return QN_OK; /* read_class has read it */
    if (strcmp(key, "name") == 0) return read_text(reading, key, node, &query->query->name);
    if (strcmp(key, "select") == 0) return read_text(reading, key, node, &query->query->select);
    if (strcmp(key, "with") == 0) return read_text(reading, key, node, &query->query->with);
    if (strcmp(key, "whole") != 0) return read_parameter(reading, key, node, query);
    QN_TRY(read_flag(reading, key, node, &whole));
    query->query->whole = whole ? QN_YES : QN_NO;
    return QN_OK;
}

/* Read the key `query` before the others, wherever it is in the table: the class defines the other keys. */
static qn_status read_class(const plan_reading *reading, const yaml_node_t *table, query_reading *query)
{
    for (size_t i = 0; table->type == YAML_MAPPING_NODE && i < items_of(table); i++) {
        const yaml_node_pair_t *pair = &table->data.mapping.pairs.start[i];
        const char *key;
        QN_TRY(read_text(reading, "a key", node_at(reading, pair->key), &key));
        if (strcmp(key, "query") != 0) continue;
        QN_TRY(read_text(reading, key, node_at(reading, pair->value), &query->query->query_class));
        query->query_class = find_class(query->query->query_class);
        return QN_OK;
    }
    return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: a query has no key \"query\"; expected a line such as `query: rdf`",
                   reading->path, line_of(table));
}

static qn_status read_query(const plan_reading *reading, const yaml_node_t *node, qn_trajectory_query *query)
{
    query_reading about = {.query = query};
    void *memory;
    if (node->type == YAML_SCALAR_NODE) return read_text(reading, "query", node, &query->query_class);
    QN_TRY(read_class(reading, node, &about));
    QN_TRY(own(reading->plan, items_of(node), sizeof *about.parameters, &memory));
    about.parameters = memory;
    query->parameters = memory;
    return read_keys(reading, node, "a query", read_query_key, &about);
}

static qn_status read_queries(const plan_reading *reading, const char *key, const yaml_node_t *node)
{
    qn_trajectory_options *options = &reading->plan->options;
    void *memory;
    if (node->type != YAML_SEQUENCE_NODE)
        return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s is not a list; expected items such as `- query: rdf`", reading->path,
                       line_of(node), key);
    QN_TRY(own(reading->plan, items_of(node), sizeof *options->queries, &memory));
    qn_trajectory_query *queries = memory;
    options->queries = queries;
    options->query_count = items_of(node);
    for (size_t i = 0; i < options->query_count; i++) {
        queries[i].size = sizeof queries[i];
        QN_TRY(read_query(reading, node_at(reading, node->data.sequence.items.start[i]), &queries[i]));
    }
    return QN_OK;
}

/* ---- the plan ---- */

/* Keys that are not options of the run by themselves. */
static const char *const other_keys[] = {"selections", "queries"};
enum { OTHER_KEYS = sizeof other_keys / sizeof other_keys[0] };

static qn_status refuse_key(const plan_reading *reading, const char *key)
{
    const char *words[WORDS_MAX];
    const qn_option_table *table = qn_trajectory_option_table();
    size_t count = 0;
    qn_option row;
    for (; count < OTHER_KEYS; count++) words[count] = other_keys[count];
    for (size_t i = 0; count < WORDS_MAX && qn_option_row(table, i, &row); i++) words[count++] = row.name;
    return unknown_key(reading, key, words, count);
}

/* Read the value of an option in the same way as on the command line. */
static qn_status read_option(const plan_reading *reading, const qn_option *row, const yaml_node_t *node)
{
    const char *text;
    QN_TRY(note_place(reading->plan, row->name, node));
    if (row->kind == QN_OPTION_TEXTS) return read_trajectories(reading, row->name, node);
    QN_TRY(row->kind == QN_OPTION_PATH ? read_path(reading, row->name, node, &text)
                                       : read_text(reading, row->name, node, &text));
    const qn_status status = qn_option_set(row, text, &reading->plan->options);
    if (status == QN_OK) return QN_OK;
    qn_error_trail trail;
    qn_error_save(status, &trail);
    return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: %s", reading->path, line_of(node), trail.message);
}

static qn_status read_plan_key(const plan_reading *reading, const char *key, const yaml_node_t *node, void *user)
{
    qn_option row;
    (void)user;
    if (strcmp(key, "selections") == 0) return read_selections(reading, key, node);
    if (strcmp(key, "queries") == 0) return read_queries(reading, key, node);
    if (qn_option_find(qn_trajectory_option_table(), key, &row)) return read_option(reading, &row, node);
    return refuse_key(reading, key);
}

static qn_status read_document(plan_reading *reading)
{
    yaml_node_t *root = yaml_document_get_root_node(reading->document);
    if (!root) return QN_FAIL(QN_BAD_FORMAT, "%s: is empty; expected a plan", reading->path);
    return read_keys(reading, root, "the plan", read_plan_key, NULL);
}

static qn_status refuse_yaml(const plan_reading *reading, const yaml_parser_t *parser)
{
    return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: is not YAML: %s", reading->path,
                   (unsigned long)parser->problem_mark.line + 1, parser->problem ? parser->problem : "");
}

/* Refuse what follows the plan's document, as nothing in it would have an effect. */
static qn_status expect_end(const plan_reading *reading, yaml_parser_t *parser)
{
    yaml_document_t second;
    if (!yaml_parser_load(parser, &second)) return refuse_yaml(reading, parser);
    const unsigned long line = (unsigned long)second.start_mark.line + 1;
    const bool is_end = !yaml_document_get_root_node(&second);
    yaml_document_delete(&second);
    if (is_end) return QN_OK;
    return QN_FAIL(QN_BAD_FORMAT, "%s:%lu: a second document begins here; expected one plan in a file", reading->path,
                   line);
}

static qn_status parse(plan_reading *reading, const char *data, size_t size)
{
    yaml_parser_t parser;
    yaml_document_t document;
    qn_status status;
    if (!yaml_parser_initialize(&parser)) return QN_FAIL(QN_OUT_OF_MEMORY, "%s: cannot be parsed", reading->path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, size);
    if (!yaml_parser_load(&parser, &document)) {
        status = refuse_yaml(reading, &parser);
        yaml_parser_delete(&parser);
        return status;
    }
    reading->document = &document;
    status = read_document(reading);
    yaml_document_delete(&document);
    if (status == QN_OK) status = expect_end(reading, &parser);
    yaml_parser_delete(&parser);
    return status;
}

qn_status qn_trajectory_plan_read(const char *path, qn_trajectory_plan **plan)
{
    unsigned long key_line = 0;
    plan_reading reading = {.path = path, .key_line = &key_line};
    char *data = NULL;
    size_t size;
    void *memory;
    *plan = NULL;
    QN_TRY(qn_file_read(path, &data, &size));
    qn_status status = qn_allocate(1, sizeof **plan, &memory);
    if (status == QN_OK) {
        reading.plan = memory;
        reading.plan->options = qn_trajectory_default_options();
        reading.plan->options.plan = reading.plan;
        status = qn_text_copy(path, &reading.folder);
    }
    if (status == QN_OK) status = qn_text_copy(path, &reading.plan->path);
    if (status == QN_OK) {
        reading.folder[qn_path_name(reading.folder) - reading.folder] = '\0';
        status = parse(&reading, data, size);
    }
    qn_release(&reading.folder);
    qn_release(&data);
    if (status != QN_OK) qn_trajectory_plan_destroy(&reading.plan);
    *plan = reading.plan;
    return status;
}

void qn_trajectory_plan_destroy(qn_trajectory_plan **plan)
{
    qn_trajectory_plan *old = *plan;
    if (!old) return;
    for (size_t i = 0; i < old->owned_count; i++) qn_release(&old->owned[i]);
    qn_release(&old->owned);
    qn_release(&old->places);
    qn_release(&old->path);
    qn_release(plan);
}

void qn_trajectory_plan_options(const qn_trajectory_plan *plan, qn_trajectory_options *options)
{
    const size_t size = options->size;
    memcpy(options, &plan->options, size < sizeof plan->options ? size : sizeof plan->options);
    options->size = size;
}

qn_status qn_trajectory_blame(const qn_trajectory_options *options, const char *text, qn_status status)
{
    const qn_trajectory_plan *plan = options->plan;
    if (status == QN_OK || !plan) return status;
    if (!text) return qn_error_add_context(status, "%s", plan->path);
    for (size_t i = 0; i < plan->place_count; i++)
        if (plan->places[i].text == text)
            return qn_error_add_context(status, "%s:%lu", plan->path, plan->places[i].line);
    return status;
}

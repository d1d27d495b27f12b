/* Clients: the queries of a run, from the caller's options to the states that measure. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest_word.h"
#include "base/sized_struct.h"
#include "base/text.h"
#include "format/number.h"
#include "trajectory/query/setup.h"
#include "trajectory/run.h"

enum { WORDS_MAX = 256 };

/* ---- classes and names ---- */

/* Class number `place`, first of the library's classes, then of the user's; NULL after the last. */
static const qn_query_class *class_at(const qn_trajectory_options *options, size_t place)
{
    const qn_query_class *const *own = qn_query_classes();
    size_t count = 0;
    for (; own && own[count]; count++)
        if (count == place) return own[count];
    const qn_query_class *const *users = options->user_classes;
    for (size_t i = 0; users && users[i]; i++)
        if (count + i == place) return users[i];
    return NULL;
}

/* A class of the user's may lack functions that the engine calls. */
static qn_status check_class(const qn_query_class *query_class)
{
    if (!query_class->create || !query_class->partial_count || !query_class->measure || !query_class->collect ||
        !query_class->finish || !query_class->destroy || query_class->selections < 0 || query_class->selections > 2)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "the query class %s is not complete; expected create, partial_count, measure, collect, finish and "
            "destroy, and 0 to 2 selections",
            query_class->name);
    return QN_OK;
}

/* Copy the members that both the caller's version and the library's version have; the others are 0. */
static qn_status take_class(const qn_query_class *given, qn_query_class *own)
{
    if (given->size < offsetof(qn_query_class, needs_with))
        return QN_FAIL(QN_INVALID_ARGUMENT, "a query class has the size %zu; expected sizeof(qn_query_class), %zu",
                       given->size, sizeof *own);
    *own = (qn_query_class){0};
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    return QN_OK;
}

qn_status qn_trajectory_find_class(const qn_trajectory_options *options, const char *name, qn_query_class *found)
{
    const char *words[WORDS_MAX];
    const qn_query_class *known;
    size_t count = 0;
    if (!name) return QN_FAIL(QN_INVALID_ARGUMENT, "a query has no class; expected one such as gyration or rdf");
    for (size_t i = 0; (known = class_at(options, i)); i++) {
        QN_TRY(take_class(known, found));
        if (strcmp(found->name, name) == 0) return QN_OK;
        if (count < WORDS_MAX) words[count++] = found->name;
    }
    return QN_FAIL(QN_INVALID_ARGUMENT, "there is no query \"%s\"; %s", qn_quote(name, strlen(name)).text,
                   qn_expect_words(name, words, count).text);
}

qn_status qn_trajectory_take_query(const qn_trajectory_options *options, size_t place, qn_trajectory_query *query)
{
    const size_t size = options->queries->size;
    *query = (qn_trajectory_query){0};
    if (size < offsetof(qn_trajectory_query, parameters) || size % _Alignof(qn_trajectory_query) != 0)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "the first query has the size %zu; expected sizeof(qn_trajectory_query), %zu", size,
                       sizeof *query);
    return qn_sized_struct_copy_element(query, sizeof *query, (const char *)options->queries + place * size, size,
                                        "query");
}

/* Refuse a query whose name is that of a table of another query: "dipole_epsilon" is a table of the query dipole, and
 * both would have the same file. */
static qn_status check_tables(const qn_trajectory_client *client, const char *other)
{
    const char *word = client->query_class->tables;
    const size_t own = strlen(client->name);
    if (strncmp(other, client->name, own) != 0 || other[own] != '_') return QN_OK;
    for (size_t length; word && *word; word += length + (word[length] == ' ')) {
        length = strcspn(word, " ");
        if (length == strlen(other + own + 1) && strncmp(word, other + own + 1, length) == 0)
            return QN_FAIL(QN_INVALID_ARGUMENT,
                           "a query is named \"%s\", but the table %.*s of the query %s would have the same file; "
                           "expected another name",
                           other, (int)length, word, client->name);
    }
    return QN_OK;
}

/* Check the name of a query, because it names the query's files. */
static qn_status check_name(const qn_trajectory_state *run, size_t place)
{
    const char *name = run->clients[place].name;
    size_t length = strlen(name);
    bool usable = length > 0 && length < 100 && name[0] != '.' && name[0] != '-';
    for (size_t i = 0; i < length; i++)
        usable &= isalnum((unsigned char)name[i]) || strchr("_-.+", name[i]) || (unsigned char)name[i] >= 128;
    if (!usable)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "query name \"%s\" cannot name a file; expected letters, digits, _ - . +, not . or - in front",
                       qn_quote(name, length).text);
    for (size_t i = 0; i < place; i++) {
        if (strcmp(run->clients[i].name, name) == 0)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "two queries are named \"%s\" and would have the same files; expected a different name for each", name);
        QN_TRY(check_tables(&run->clients[i], name));
        QN_TRY(check_tables(&run->clients[place], run->clients[i].name));
    }
    return QN_OK;
}

/* Name the line of the plan that a refusal of a query is about. */
static qn_status blame(const qn_trajectory_state *run, const qn_trajectory_client *client, qn_status status)
{
    const char *text = client->wrong ? client->wrong : client->query->query_class;
    return text ? qn_trajectory_blame(run->options, text, status) : status;
}

/* ---- selections ---- */

/* Refuse lists of the program that are NULL although their count is not 0, and names that are missing or not unique. */
qn_status qn_trajectory_check_lists(const qn_trajectory_options *options)
{
    const qn_trajectory_selection *selections = options->selections;
    if (!options->queries && options->query_count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the list of queries is NULL; expected %zu", options->query_count);
    if (!selections && options->selection_count > 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "the list of selections is NULL; expected %zu", options->selection_count);
    for (size_t i = 0; i < options->selection_count; i++) {
        if (!selections[i].name || !selections[i].name[0] || !selections[i].text)
            return QN_FAIL(QN_INVALID_ARGUMENT, "selection %zu has no name or no text; expected both", i + 1);
        for (size_t k = 0; k < i; k++)
            if (strcmp(selections[i].name, selections[k].name) == 0)
                return QN_FAIL(QN_INVALID_ARGUMENT, "two selections have the name \"%s\"; expected another name",
                               selections[i].name);
    }
    for (size_t i = 0; options->user_classes && options->user_classes[i]; i++) {
        const qn_query_class *const *own = qn_query_classes();
        const char *name = options->user_classes[i]->name;
        if (!name || !name[0])
            return QN_FAIL(QN_INVALID_ARGUMENT, "query class %zu of the program has no name; expected one", i + 1);
        for (size_t k = 0; own[k]; k++)
            if (strcmp(own[k]->name, name) == 0)
                return QN_FAIL(QN_INVALID_ARGUMENT,
                               "a query class of the program has the name \"%s\" of a class of the library; expected "
                               "another name",
                               name);
    }
    return QN_OK;
}

/* Text of a selection, which may be given by its name in the options. */
static const char *selection_text(const qn_trajectory_options *options, const char *text)
{
    for (size_t i = 0; i < options->selection_count; i++)
        if (strcmp(options->selections[i].name, text) == 0) return options->selections[i].text;
    return text;
}

/* `text` NULL: all atoms. */
static qn_status add_selection(qn_trajectory_state *run, qn_trajectory_client *client, int which, const char *text)
{
    client->texts[which] = text ? selection_text(run->options, text) : "all";
    client->wrong = text ? client->texts[which] : NULL;
    qn_status status = qn_selections_add(run->selections, client->texts[which], &client->nodes[which]);
    if (status != QN_OK) return qn_error_add_context(status, "query %s", client->name);
    qn_query_atoms *atoms = &client->atoms[which];
    atoms->fixed = qn_selections_is_fixed(run->selections, client->nodes[which]);
    if (!atoms->fixed) {
        run->any_geometric = true;
        if (client->needs & QN_QUERY_FIXED_ATOMS)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "query %s: \"%s\" may select different atoms in each frame; expected a selection by names, numbers, "
                "masses or charges alone",
                client->name, client->texts[which]);
        return QN_OK;
    }
    qn_selections_fixed_atoms(run->selections, client->nodes[which], &atoms->indices, &atoms->count);
    if (atoms->count == 0)
        return QN_FAIL(QN_INVALID_ARGUMENT, "query %s: \"%s\" selects none of the %s of %s; expected at least one",
                       client->name, client->texts[which], qn_count_of(run->topology->atom_count, "atom").text,
                       qn_trajectory_topology_name(run));
    return QN_OK;
}

static qn_status add_selections(qn_trajectory_state *run, qn_trajectory_client *client)
{
    const qn_trajectory_query *query = client->query;
    const int most = client->query_class->selections;
    const char *excess = most == 0 && query->select ? query->select : most < 2 && query->with ? query->with : NULL;
    client->nodes[0] = client->nodes[1] = -1;
    client->wrong = excess;
    if (excess)
        return QN_FAIL(QN_INVALID_ARGUMENT, "query %s is given the selection \"%s\" as \"%s\"; %s takes %s",
                       client->name, excess, excess == query->select ? "select" : "with", client->query_class->name,
                       most == 0 ? "none" : "only one");
    if (most >= 1) QN_TRY(add_selection(run, client, 0, query->select));
    if (most == 2 && query->with) QN_TRY(add_selection(run, client, 1, query->with));
    client->wrong = NULL;
    return QN_OK;
}

/* ---- needs of classes ---- */

static qn_status check_needs(const qn_trajectory_state *run, const qn_trajectory_client *client)
{
    const unsigned needs = client->needs;
    const qn_topology *topology = run->topology;
    if ((needs & QN_QUERY_MASSES) && topology->masses == QN_MASSES_ABSENT)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "query %s needs masses, which %s does not have; expected a topology with masses or elements, such as TPR, "
            "PSF or parm7",
            client->name, qn_trajectory_topology_name(run));
    if ((needs & QN_QUERY_CHARGES) && !topology->has_charges)
        return QN_FAIL(
            QN_INVALID_ARGUMENT,
            "query %s needs charges, which %s does not have; expected a topology such as TPR, PSF, parm7 or a table of "
            "atoms",
            client->name, qn_trajectory_topology_name(run));
    if ((needs & QN_QUERY_BONDS) && !topology->has_bonds)
        return QN_FAIL(QN_INVALID_ARGUMENT,
                       "query %s needs bonds, which %s does not have; expected a topology such as TPR, PSF or parm7",
                       client->name, qn_trajectory_topology_name(run));
    return QN_OK;
}

static bool wants_whole(const qn_trajectory_state *run, const qn_trajectory_client *client)
{
    if (client->query->whole != QN_AS_USUAL) return client->query->whole == QN_YES;
    return run->options->whole || (client->needs & QN_QUERY_WHOLE) != 0;
}

static qn_status plan_whole(qn_trajectory_state *run)
{
    for (size_t i = 0; i < run->client_count; i++) {
        const qn_trajectory_client *client = &run->clients[i];
        if (!client->whole) {
            run->any_broken = true;
            continue;
        }
        run->any_whole = true;
        if (run->whole_plan) continue;
        qn_status status = qn_whole_plan_create(run->topology, &run->whole_plan);
        if (status != QN_OK)
            return blame(run, client,
                         qn_error_add_context(
                             status, "query %s needs whole molecules (set `whole: no` if they are whole already)",
                             client->name));
    }
    return QN_OK;
}

/* Read the parameters of a client; qn_query_setup_clear releases them. */
static qn_status read_setup(const qn_trajectory_state *run, const qn_trajectory_client *client, qn_query_setup *setup)
{
    const qn_trajectory_query *query = client->query;
    return qn_query_setup_read(client->name, client->query_class, query->parameters, query->parameter_count,
                               qn_trajectory_unit_nm(run->options), setup);
}

static qn_status check_setup(const qn_trajectory_state *run, qn_trajectory_client *client)
{
    const qn_query_class *query_class = client->query_class;
    qn_query_setup setup;
    QN_TRY(read_setup(run, client, &setup));
    client->needs = query_class->needs | (query_class->needs_with ? query_class->needs_with(&setup) : 0);
    qn_query_setup_clear(&setup);
    return QN_OK;
}

static qn_status prepare_client(qn_trajectory_state *run, size_t place)
{
    qn_trajectory_client *client = &run->clients[place];
    QN_TRY(qn_trajectory_find_class(run->options, client->query->query_class, &client->own_class));
    client->query_class = &client->own_class;
    QN_TRY(check_class(client->query_class));
    client->wrong = client->query->name;
    client->name = client->query->name ? client->query->name : client->query_class->name;
    run->client_count = place + 1;
    QN_TRY(check_name(run, place));
    client->wrong = NULL;
    QN_TRY(check_setup(run, client));
    QN_TRY(check_needs(run, client));
    QN_TRY(add_selections(run, client));
    client->whole = wants_whole(run, client);
    run->any_on_device |= client->query_class->on_device;
    run->any_on_host |= !client->query_class->on_device;
    return QN_OK;
}

qn_status qn_trajectory_clients_prepare(qn_trajectory_state *run)
{
    const qn_trajectory_options *options = run->options;
    void *memory;
    QN_TRY(qn_allocate(options->query_count, sizeof *run->clients, &memory));
    run->clients = memory;
    QN_TRY(qn_allocate(options->query_count, sizeof *run->client_seconds, &memory));
    run->client_seconds = memory;
    for (size_t i = 0; i < options->query_count; i++) {
        qn_trajectory_client *client = &run->clients[i];
        QN_TRY(qn_trajectory_take_query(options, i, &client->own_query));
        client->query = &client->own_query;
        QN_TRY(blame(run, client, prepare_client(run, i)));
    }
    return plan_whole(run);
}

/* ---- states ---- */

static qn_status create_state(qn_trajectory_state *run, qn_trajectory_client *client, int device)
{
    qn_query_setup setup;
    QN_TRY(read_setup(run, client, &setup));
    setup.topology = run->topology;
    memcpy(setup.atoms, client->atoms, sizeof setup.atoms);
    setup.shared_weights = &run->shared_weights;
    setup.first_frame = client->whole ? &run->first_whole : &run->first;
    setup.device = client->query_class->on_device ? run->job->devices[device] : NULL;
    qn_status status = client->query_class->create(&setup, &client->states[device]);
    qn_query_setup_clear(&setup);
    if (status != QN_OK) client->states[device] = NULL; /* a failed create leaves nothing to destroy */
    return status == QN_OK ? QN_OK : qn_error_add_context(status, "query %s", client->name);
}

qn_status qn_trajectory_clients_create(qn_trajectory_state *run)
{
    QN_TRY(qn_trajectory_check_frame(run, &run->first));
    for (size_t i = 0; i < run->client_count; i++) {
        qn_trajectory_client *client = &run->clients[i];
        const int states = client->query_class->on_device ? run->job->device_count : 1;
        for (int device = 0; device < states; device++) QN_TRY(blame(run, client, create_state(run, client, device)));
        client->partial_count = client->query_class->partial_count(client->states[0]);
        client->partial_place = run->partial_count;
        run->partial_count += client->partial_count;
    }
    return QN_OK;
}

void qn_trajectory_clients_clear(qn_trajectory_state *run)
{
    for (size_t i = 0; i < run->client_count; i++)
        for (int device = 0; device < QN_DEVICES_MAX; device++)
            if (run->clients[i].states[device]) run->clients[i].query_class->destroy(run->clients[i].states[device]);
    qn_shared_weights_clear(&run->shared_weights);
    qn_release(&run->clients);
    qn_release(&run->client_seconds);
    run->client_count = 0;
}

/* ---- frames ---- */

qn_frame_name qn_frame_name_of(const qn_trajectory_frame *frame)
{
    qn_frame_name name;
    if (isnan(frame->time_ps))
        snprintf(name.text, sizeof name.text, "frame %llu", (unsigned long long)frame->number);
    else
        snprintf(name.text, sizeof name.text, "frame %llu (%g ps)", (unsigned long long)frame->number, frame->time_ps);
    return name;
}

static bool has_box(const qn_trajectory_frame *frame)
{
    for (int i = 0; i < 9; i++)
        if (frame->box_nm[i] != 0) return true;
    return false;
}

qn_status qn_trajectory_check_frame(const qn_trajectory_state *run, const qn_trajectory_frame *frame)
{
    if (has_box(frame)) return QN_OK;
    for (size_t i = 0; i < run->client_count; i++)
        if (run->clients[i].needs & QN_QUERY_BOX)
            return QN_FAIL(QN_INVALID_ARGUMENT, "query %s needs the periodic box, which %s does not have%s",
                           run->clients[i].name, qn_frame_name_of(frame).text,
                           run->options->periodic ? "; expected a trajectory with boxes"
                                                  : " with periodic: no; expected it to be periodic");
    return QN_OK;
}

qn_status qn_trajectory_collect(qn_trajectory_state *run, const qn_trajectory_frame *frame, const double *partials)
{
    for (size_t i = 0; i < run->client_count; i++) {
        const qn_trajectory_client *client = &run->clients[i];
        qn_status status = client->query_class->collect(client->states[0], frame, partials + client->partial_place);
        if (status != QN_OK)
            return blame(run, client,
                         qn_error_add_context(status, "query %s: %s", client->name, qn_frame_name_of(frame).text));
    }
    if (run->frames++ == 0) run->first_ps = frame->time_ps;
    run->last_ps = frame->time_ps;
    return QN_OK;
}

/* Solving a space: backtracking over the parameters of each group. Every constraint is evaluated as soon as the last of
 * its parameters has a value. Its results are kept in a table if that is small. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expression/expression.h"
#include "tune/space/space.h"

enum {
    TABLE_BYTES = 1 << 22, /* of the results of one check */
    SAMPLES = 512,         /* to estimate how many combinations a check lets pass */
    ROWS_MAX = 200000000   /* of one group: 1.6 GB */
};

typedef enum answer { NOT_ASKED, HOLDS, BROKEN, FAILED } answer;

/* One part of a constraint: parts joined by `and` are evaluated separately. */
typedef struct check {
    const qn_expression *expression;
    size_t constraint, part;
    size_t parameters[QN_SPACE_PARAMETERS_MAX], strides[QN_SPACE_PARAMETERS_MAX];
    size_t count;
    size_t group;
    unsigned char *table; /* results by the value numbers in mixed radix; NULL: too large */
    size_t table_size;
    double log_passing; /* logarithm of the share of its combinations that pass, estimated */
} check;

typedef struct solver {
    qn_space *space;
    qn_expression **expressions;
    check *checks; /* in the order of the constraints */
    size_t check_count, check_capacity;
    qn_value *values; /* of parameters and constants, in the numbering of the expressions */
    uint16_t numbers[QN_SPACE_PARAMETERS_MAX];
    size_t roots[QN_SPACE_PARAMETERS_MAX]; /* parameter → smallest parameter of its group */
} solver;

/* The state of one group's search. */
typedef struct search {
    size_t order[QN_SPACE_PARAMETERS_MAX], members[QN_SPACE_PARAMETERS_MAX]; /* depth → parameter, place in the group */
    size_t depth_count;
    check **checks[QN_SPACE_PARAMETERS_MAX]; /* evaluated at this depth */
    size_t check_counts[QN_SPACE_PARAMETERS_MAX];
    check **list; /* all of them, by depth */
    uint64_t keys[QN_SPACE_PARAMETERS_MAX + 1][QN_SPACE_PARAMETERS_MAX];
    bool failed[QN_SPACE_PARAMETERS_MAX + 1]; /* a check failed to evaluate above this depth */
} search;

/* ---- Reading the constraints ---- */

static qn_status add_checks(solver *s, size_t constraint)
{
    const qn_expression *expression = s->expressions[constraint];
    for (size_t part = 0; part < qn_expression_part_count(expression); part++) {
        void *memory = s->checks;
        qn_status status = qn_grow(&memory, &s->check_capacity, s->check_count + 1, sizeof *s->checks);
        s->checks = memory;
        QN_TRY(status);
        check *added = &s->checks[s->check_count++];
        memset(added, 0, sizeof *added);
        added->expression = expression;
        added->constraint = constraint;
        added->part = part;
        added->table_size = 1;
        for (size_t i = 0; i < s->space->parameter_count; i++) {
            if (!qn_expression_part_uses(expression, part, i)) continue;
            size_t values = s->space->parameters[i].count;
            added->parameters[added->count] = i;
            added->strides[added->count++] = added->table_size;
            added->table_size = added->table_size > TABLE_BYTES / values ? TABLE_BYTES + 1 : added->table_size * values;
        }
        if (added->table_size > TABLE_BYTES) continue;
        QN_TRY(qn_allocate(added->table_size, 1, &memory));
        added->table = memory;
    }
    return QN_OK;
}

static qn_status read_constraints(solver *s)
{
    qn_space *space = s->space;
    size_t name_count = space->parameter_count + space->constant_count;
    void *memory;
    QN_TRY(qn_allocate(name_count, sizeof *s->values, &memory));
    s->values = memory;
    for (size_t i = 0; i < space->constant_count; i++)
        s->values[space->parameter_count + i] = space->constants[i].value;
    QN_TRY(qn_allocate(space->constraint_count, sizeof *s->expressions, &memory));
    s->expressions = memory;
    QN_TRY(qn_allocate(name_count, sizeof(char *), &memory));
    const char **names = memory;
    for (size_t i = 0; i < name_count; i++)
        names[i] =
            i < space->parameter_count ? space->parameters[i].name : space->constants[i - space->parameter_count].name;
    qn_status status = QN_OK;
    for (size_t i = 0; i < space->constraint_count && status == QN_OK; i++) {
        char what[160];
        snprintf(what, sizeof what, "constraint %zu of %s", i + 1, space->name);
        status = qn_expression_create(space->constraints[i], what, names, name_count, &s->expressions[i]);
        if (status == QN_OK) status = add_checks(s, i);
    }
    qn_release(&names);
    return status;
}

static void release(solver *s)
{
    for (size_t i = 0; i < s->check_count; i++) qn_release(&s->checks[i].table);
    for (size_t i = 0; i < s->space->constraint_count && s->expressions; i++) qn_expression_destroy(&s->expressions[i]);
    qn_release(&s->expressions);
    qn_release(&s->checks);
    qn_release(&s->values);
}

/* ---- Evaluating a check ---- */

static void set_number(solver *s, size_t parameter, size_t number)
{
    s->numbers[parameter] = (uint16_t)number;
    s->values[parameter] = s->space->parameters[parameter].values[number];
}

static answer ask(solver *s, check *c)
{
    size_t place = 0;
    bool holds;
    for (size_t i = 0; i < c->count; i++) place += s->numbers[c->parameters[i]] * c->strides[i];
    if (c->table && c->table[place]) return (answer)c->table[place];
    answer given = FAILED;
    if (qn_expression_part_holds(c->expression, c->part, s->values, &holds) == QN_OK) given = holds ? HOLDS : BROKEN;
    if (c->table) c->table[place] = (unsigned char)given;
    return given;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t mixed = *state ^ *state >> 33;
    return mixed * UINT64_C(0xff51afd7ed558ccd) >> 16;
}

static void estimate(solver *s, check *c)
{
    uint64_t state = 1;
    size_t passed = 0;
    bool all = c->table_size <= SAMPLES;
    size_t samples = all ? c->table_size : SAMPLES;
    for (size_t k = 0; k < samples; k++) {
        size_t rest = k;
        for (size_t i = 0; i < c->count; i++) {
            size_t count = s->space->parameters[c->parameters[i]].count;
            set_number(s, c->parameters[i], all ? rest % count : next_random(&state) % count);
            rest /= count;
        }
        passed += ask(s, c) != BROKEN;
    }
    c->log_passing = log(((double)passed + 0.5) / ((double)samples + 0.5));
}

/* ---- The order of the parameters ---- */

static bool is_covered(const check *c, const bool *assigned)
{
    for (size_t i = 0; i < c->count; i++)
        if (!assigned[c->parameters[i]]) return false;
    return true;
}

/* Estimate the logarithm of the factor by which the number of combinations grows when the other parameters of `next`
 * get values. */
static double growth(const solver *s, const check *next, size_t check_count, const bool *assigned)
{
    bool then[QN_SPACE_PARAMETERS_MAX];
    double sum = 0;
    memcpy(then, assigned, sizeof then);
    for (size_t i = 0; i < next->count; i++) {
        if (!assigned[next->parameters[i]]) sum += log((double)s->space->parameters[next->parameters[i]].count);
        then[next->parameters[i]] = true;
    }
    for (size_t i = 0; i < check_count; i++) {
        const check *c = &s->checks[i];
        if (c->group == next->group && !is_covered(c, assigned) && is_covered(c, then)) sum += c->log_passing;
    }
    return sum;
}

/* Choose the order of the parameters: next come those of the check after which the fewest combinations are expected,
 * those with fewer values first. Parameters without a check come last. */
static void choose_order(const solver *s, const qn_space_group *group, size_t check_count, search *f)
{
    bool assigned[QN_SPACE_PARAMETERS_MAX] = {false};
    for (f->depth_count = 0; f->depth_count < group->parameter_count;) {
        const check *best = NULL;
        double best_growth = INFINITY;
        for (size_t i = 0; i < check_count; i++) {
            const check *c = &s->checks[i];
            if (c->count == 0 || c->group != s->roots[group->parameters[0]] || is_covered(c, assigned)) continue;
            double grows = growth(s, c, check_count, assigned);
            if (grows < best_growth) best_growth = grows, best = c;
        }
        const size_t *from = best ? best->parameters : group->parameters;
        size_t count = best ? best->count : group->parameter_count, next = SIZE_MAX;
        do { /* all parameters of the check that have no value */
            next = SIZE_MAX;
            for (size_t i = 0; i < count; i++)
                if (!assigned[from[i]] &&
                    (next == SIZE_MAX || s->space->parameters[from[i]].count < s->space->parameters[next].count))
                    next = from[i];
            if (next == SIZE_MAX) break;
            assigned[next] = true;
            f->order[f->depth_count++] = next;
        } while (true);
    }
}

/* Assign each check to the depth at which its last parameter gets a value. */
static qn_status place_checks(solver *s, const qn_space_group *group, size_t check_count, search *f)
{
    bool assigned[QN_SPACE_PARAMETERS_MAX] = {false};
    void *memory;
    size_t placed = 0;
    QN_TRY(qn_allocate(check_count + 1, sizeof *f->list, &memory));
    f->list = memory;
    for (size_t depth = 0; depth < f->depth_count; depth++) {
        bool before[QN_SPACE_PARAMETERS_MAX];
        memcpy(before, assigned, sizeof before);
        assigned[f->order[depth]] = true;
        f->checks[depth] = f->list + placed;
        for (size_t i = 0; i < check_count; i++) {
            check *c = &s->checks[i];
            if (c->count == 0 || c->group != s->roots[group->parameters[0]]) continue;
            if (is_covered(c, before) || !is_covered(c, assigned)) continue;
            f->list[placed++] = c;
            f->check_counts[depth]++;
        }
        for (size_t i = 0; i < group->parameter_count; i++)
            if (group->parameters[i] == f->order[depth]) f->members[depth] = i;
    }
    return QN_OK;
}

/* ---- The search ---- */

/* After a failed check the combination may still be excluded by an earlier constraint; if none excludes it, return the
 * failure. */
static qn_status decide_failed(solver *s, const qn_space_group *group, size_t check_count, bool *valid)
{
    *valid = true;
    for (size_t i = 0; i < check_count && *valid; i++) {
        const check *c = &s->checks[i];
        if (c->count && c->group == s->roots[group->parameters[0]])
            QN_TRY(qn_expression_part_holds(c->expression, c->part, s->values, valid));
    }
    return QN_OK;
}

static qn_status add_row(solver *s, qn_space_group *group, size_t check_count, const search *f)
{
    if (f->failed[f->depth_count]) {
        bool valid;
        QN_TRY(decide_failed(s, group, check_count, &valid));
        if (!valid) return QN_OK;
    }
    if (group->row_count == ROWS_MAX)
        return QN_FAIL(QN_OUT_OF_MEMORY,
                       "space %s: more than %d valid combinations of the parameters that constraints connect with %s; "
                       "expected fewer values or more constraints",
                       s->space->name, ROWS_MAX, s->space->parameters[group->parameters[0]].name);
    return qn_space_group_add(group, f->keys[f->depth_count]);
}

/* Find the combinations that pass the first `check_count` checks, at most `most`. */
static qn_status find_rows(solver *s, qn_space_group *group, size_t check_count, size_t most, search *f)
{
    size_t tried[QN_SPACE_PARAMETERS_MAX] = {0}, depth = 0;
    while (group->row_count < most) {
        size_t parameter = f->order[depth];
        if (tried[depth] == s->space->parameters[parameter].count) {
            if (depth-- == 0) break;
            continue;
        }
        size_t number = tried[depth]++;
        bool broken = false, failed = f->failed[depth];
        set_number(s, parameter, number);
        for (size_t i = 0; i < f->check_counts[depth] && !broken; i++) {
            answer given = ask(s, f->checks[depth][i]);
            broken = given == BROKEN;
            failed = failed || given == FAILED;
        }
        if (broken) continue;
        memcpy(f->keys[depth + 1], f->keys[depth], group->words * sizeof(uint64_t));
        qn_space_key_add(group, f->members[depth], number, f->keys[depth + 1]);
        f->failed[++depth] = failed;
        if (depth < f->depth_count) {
            tried[depth] = 0;
            continue;
        }
        QN_TRY(add_row(s, group, check_count, f));
        depth--;
    }
    return QN_OK;
}

static qn_status search_group(solver *s, qn_space_group *group, size_t check_count, size_t most)
{
    void *memory;
    QN_TRY(qn_allocate(1, sizeof(search), &memory));
    search *f = memory;
    choose_order(s, group, check_count, f);
    qn_status status = place_checks(s, group, check_count, f);
    if (status == QN_OK) status = find_rows(s, group, check_count, most, f);
    qn_release(&f->list);
    qn_release(&f);
    return status;
}

/* Nothing is valid: fail with the first constraint that leaves no combination. */
static qn_status name_excluding(solver *s, qn_space_group *group)
{
    size_t excluding = s->check_count;
    for (size_t count = 1; count <= s->check_count; count++) {
        const check *c = &s->checks[count - 1];
        if (c->count == 0 || c->group != s->roots[group->parameters[0]]) continue;
        excluding = count;
        QN_TRY(search_group(s, group, count, 1));
        if (group->row_count == 0) break;
        group->row_count = 0;
    }
    const check *c = &s->checks[excluding - 1];
    return QN_FAIL(
        QN_INVALID_ARGUMENT,
        "constraint %zu of %s \"%.300s\" excludes every combination that those before it leave; expected a space "
        "that is not empty",
        c->constraint + 1, s->space->name, s->space->constraints[c->constraint]);
}

static qn_status solve_group(solver *s, qn_space_group *group)
{
    QN_TRY(search_group(s, group, s->check_count, SIZE_MAX));
    if (group->row_count == 0) return name_excluding(s, group);
    return qn_space_group_sort(group);
}

/* ---- Groups ---- */

/* Evaluate the constraints without parameters once. */
static qn_status check_constants(solver *s)
{
    for (size_t i = 0; i < s->check_count; i++) {
        const check *c = &s->checks[i];
        bool holds;
        if (c->count) continue;
        QN_TRY(qn_expression_part_holds(c->expression, c->part, s->values, &holds));
        if (!holds)
            return QN_FAIL(
                QN_INVALID_ARGUMENT,
                "constraint %zu of %s \"%.300s\" does not hold whatever the parameters are; expected a space that "
                "is not empty",
                c->constraint + 1, s->space->name, s->space->constraints[c->constraint]);
    }
    return QN_OK;
}

/* Join the parameters of each check; parameters of one group have the same root. */
static void connect(solver *s)
{
    size_t count = s->space->parameter_count;
    for (size_t i = 0; i < count; i++) s->roots[i] = i;
    for (size_t i = 0; i < s->check_count; i++)
        for (size_t k = 1; k < s->checks[i].count; k++) {
            size_t a = s->roots[s->checks[i].parameters[0]], b = s->roots[s->checks[i].parameters[k]];
            for (size_t p = 0; p < count; p++)
                if (s->roots[p] == (a > b ? a : b)) s->roots[p] = a > b ? b : a;
        }
    for (size_t i = 0; i < s->check_count; i++)
        if (s->checks[i].count) s->checks[i].group = s->roots[s->checks[i].parameters[0]];
}

static qn_status solve_all(solver *s)
{
    qn_space *space = s->space;
    void *memory;
    QN_TRY(read_constraints(s));
    QN_TRY(check_constants(s));
    connect(s);
    for (size_t i = 0; i < s->check_count; i++) estimate(s, &s->checks[i]);
    QN_TRY(qn_allocate(space->parameter_count, sizeof *space->groups, &memory));
    space->groups = memory;
    for (size_t root = 0; root < space->parameter_count; root++) {
        size_t members[QN_SPACE_PARAMETERS_MAX], count = 0;
        for (size_t i = 0; i < space->parameter_count; i++)
            if (s->roots[i] == root) members[count++] = i;
        if (count == 0) continue;
        qn_space_group *group = &space->groups[space->group_count++];
        QN_TRY(qn_space_group_lay_out(space, members, count, group));
        QN_TRY(solve_group(s, group));
    }
    return QN_OK;
}

qn_status qn_space_solve_groups(qn_space *space)
{
    solver s = {.space = space};
    qn_status status = solve_all(&s);
    release(&s);
    return status;
}

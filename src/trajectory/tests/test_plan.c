#include <math.h>
#include <quern/trajectory.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static const char *write_plan(const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/plan.yaml", check_scratch_folder());
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

static void a_plan_sets_the_options(void)
{
    static const char text[] = "topology: topol.tpr\n"
                               "trajectory: [part1.xtc, /data/part2.xtc, '-']\n"
                               "index: groups.ndx\n"
                               "output: results\n"
                               "begin: 100\nend: 2.5e3\nfirst: 3\nlast: 12345678901\nstride: 10\n"
                               "keep-overlaps: yes\nwhole: on\nperiodic: no\nunits: angstrom\nformat: both\n"
                               "device: cuda:0,cuda:1\nmemory: 64\ntune: off\ntune-budget: 5%\n"
                               "selections:\n  oxygens: name OW\n  near: within 5 of (protein)\n"
                               "queries:\n"
                               "  - query: gyration\n    name: Rg\n    select: protein\n    whole: no\n"
                               "  - {with: oxygens, query: mine, max: 12, exclude: yes}\n"
                               "  - volume\n";
    char expected[600];
    qn_trajectory_plan *plan;
    if (!CHECK_OK(qn_trajectory_plan_read(write_plan(text), &plan))) return;
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_plan_options(plan, &options);
    snprintf(expected, sizeof expected, "%s/topol.tpr", check_scratch_folder());
    CHECK_TEXT(options.topology, expected);
    CHECK(options.trajectory_count == 3 && strstr(options.trajectories[0], "/part1.xtc"));
    CHECK_TEXT(options.trajectories[1], "/data/part2.xtc");
    CHECK_TEXT(options.trajectories[2], "-");
    CHECK(strstr(options.index_file, "/groups.ndx") && strstr(options.output, "/results"));
    CHECK(options.begin_ps == 100 && options.end_ps == 2500 && options.first_frame == 3);
    CHECK(options.last_frame == 12345678901 && options.stride == 10 && options.keep_overlaps);
    CHECK(options.whole && !options.periodic && options.units == QN_TRAJECTORY_ANGSTROM &&
          options.run.memory_bytes == 64 << 20);
    CHECK(options.format == QN_TRAJECTORY_BOTH);
    CHECK_TEXT(options.run.device, "cuda:0,cuda:1");
    CHECK(options.run.tune == QN_TUNE_OFF);
    CHECK_TEXT(options.run.tune_budget, "5%");
    CHECK(options.selection_count == 2);
    CHECK_TEXT(options.selections[1].name, "near");
    CHECK_TEXT(options.selections[1].text, "within 5 of (protein)");
    if (CHECK(options.query_count == 3)) {
        const qn_trajectory_query *queries = options.queries;
        CHECK_TEXT(queries[0].query_class, "gyration");
        CHECK_TEXT(queries[0].name, "Rg");
        CHECK_TEXT(queries[0].select, "protein");
        CHECK(queries[0].whole == QN_NO && queries[0].parameter_count == 0 && !queries[0].with);
        CHECK_TEXT(queries[1].query_class, "mine");
        CHECK_TEXT(queries[1].with, "oxygens");
        CHECK(queries[1].whole == QN_AS_USUAL && queries[1].parameter_count == 2);
        CHECK_TEXT(queries[1].parameters[0].name, "max");
        CHECK_TEXT(queries[1].parameters[1].value, "yes");
        CHECK_TEXT(queries[2].query_class, "volume");
    }
    qn_trajectory_plan_destroy(&plan);
    CHECK(!plan);
}

static void options_that_are_left_out_have_defaults(void)
{
    qn_trajectory_plan *plan;
    if (!CHECK_OK(qn_trajectory_plan_read(write_plan("live: localhost:8888\nlive-every: 5\n"), &plan))) return;
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_plan_options(plan, &options);
    CHECK_TEXT(options.live, "localhost:8888");
    CHECK(options.live_every == 5 && options.live_interval_s == 5 && options.stride == 1 && options.periodic);
    CHECK(isinf(options.begin_ps) && isinf(options.end_ps) && options.last_frame == UINT64_MAX);
    CHECK(options.trajectory_count == 0 && options.query_count == 0 && !options.output);
    qn_trajectory_plan_destroy(&plan);
}

static void expect_refusal(const char *text, const char *message)
{
    qn_trajectory_plan *plan;
    CHECK_FAILS(qn_trajectory_plan_read(write_plan(text), &plan), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS(message);
    CHECK(!plan);
}

static void mistakes_name_file_and_line(void)
{
    qn_trajectory_plan *plan;
    expect_refusal("topology: a.gro\ntrajectry: b.xtc\n",
                   "plan.yaml:2: there is no key \"trajectry\"; expected one of: selections queries topology");
    CHECK_MESSAGE_HAS("(did you mean \"trajectory\"?)");
    expect_refusal("top: a.gro\n", "plan.yaml:1: there is no key \"top\"; expected one of: selections");
    CHECK_MESSAGE_HAS("(did you mean \"topology\"?)");
    expect_refusal("colour: blue\n", "quiet");
    CHECK(!strstr(qn_error_message(), "did you mean"));
    expect_refusal("begin: 1\n---\nbegin: 2\n", "plan.yaml:2: a second document begins here; expected one plan");
    expect_refusal("begin: 1\n---\n[", "is not YAML");
    expect_refusal("\n\nqueries:\n  - query: gyration\n    selection: all\n",
                   "plan.yaml:5: there is no key \"selection\"");
    expect_refusal("queries:\n  - query: gyration\n    selct:\n      all\n",
                   "plan.yaml:3: there is no key \"selct\"; expected one of: query name select with whole (did "
                   "you mean \"select\"?)");
    expect_refusal("stride: 1.5\n", "plan.yaml:1: --stride is \"1.5\"; expected a whole number");
    expect_refusal("begin: soon\n", "plan.yaml:1: --begin is \"soon\"; expected a number");
    expect_refusal("periodic: perhaps\n", "plan.yaml:1: --periodic is \"perhaps\"; expected yes or no");
    expect_refusal("units: inch\n", "--units is \"inch\"; expected one of: nm angstrom");
    expect_refusal("begin: 1\nend: 2\nbegin: 3\n", "plan.yaml:3: begin is given twice, first in line 1");
    expect_refusal("topology: [a, b]\n", "plan.yaml:1: topology is a list; expected one value");
    expect_refusal("topology:\n", "topology is \"\"; expected a path");
    expect_refusal("queries: gyration\n", "plan.yaml:1: queries is not a list");
    expect_refusal("queries:\n  - name: a\n", "plan.yaml:2: a query has no key \"query\"");
    expect_refusal("selections: [a]\n", "plan.yaml:1: selections is not a table");
    expect_refusal("begin: [1, 2\nend: 5\n", "is not YAML");
    expect_refusal("trajectory: &all [*all]\n", "trajectory is a list; expected one value"); /* no endless loop */
    expect_refusal("queries: &all [*all]\n", "a query has no key \"query\"");
    expect_refusal("", "is empty");
    expect_refusal("- 1\n", "is not a table");
    CHECK_FAILS(qn_trajectory_plan_read("/nowhere/plan.yaml", &plan), QN_NOT_FOUND);
}

/* Run the plan, which is refused. Lines are those of `text` from 1. */
static void expect_failure(qn_context *context, const char *text, const char *message)
{
    qn_trajectory_plan *plan;
    if (!CHECK_OK(qn_trajectory_plan_read(write_plan(text), &plan))) return;
    qn_trajectory_options options = qn_trajectory_default_options();
    qn_trajectory_plan_options(plan, &options);
    CHECK(qn_trajectory_run(context, &options, NULL) != QN_OK);
    if (!strstr(qn_error_message(), message)) printf("  %s\n", qn_error_message());
    CHECK_MESSAGE_HAS(message);
    qn_trajectory_plan_destroy(&plan);
}

/* Errors that only the run can find have the line of the plan too. */
static void failures_of_the_run_name_file_and_line(void)
{
    qn_context *context;
    char gro[600], text[2000];
    snprintf(gro, sizeof gro, "topology: %s\n", check_data("trajectory/waters.gro"));
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"queries:\n  - query: rdf\n    max: wide\n", "plan.yaml:4: query rdf: --max is \"wide\""},
        {"queries:\n  - volume\n  - sasa\n", "plan.yaml:4: there is no query \"sasa\"; expected one of: mass"},
        {"queries:\n  - query: com\n    select: nmae OW\n", "plan.yaml:4: query com"},
        {"selections:\n  far:\n    name QQ\nqueries:\n  - query: com\n    select: far\n", "plan.yaml:4: query com"},
        {"queries:\n  - query: volume\n    select: all\n", "plan.yaml:4: query volume is given the selection"},
        {"queries:\n  - query: com\n    name: a/b\n", "plan.yaml:4: query name \"a/b\""},
        {"queries:\n  - query: dipole\n", "plan.yaml:3: query dipole needs charges"},
        {"queries: [com]\nbegin: 5\nend: 3\n", "plan.yaml:4: --begin is \"5\" and --end is \"3\""},
        {"queries: [com]\ntrajectory:\n - nowhere.xtc\n", "plan.yaml:4: "},
        {"queries: [com]\nindex: nowhere.ndx\n", "plan.yaml:3: "},
        {"begin: 5\n", "plan.yaml: no query is given"},
    };
    if (!CHECK_OK(qn_context_create(NULL, &context))) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "%s%s", gro, cases[i].text);
        expect_failure(context, text, cases[i].message);
    }
    CHECK(!strstr(qn_error_message(), "did you mean"));
    expect_failure(context, "queries: [com]\ntopology: nowhere.tpr\n", "plan.yaml:2: ");
    qn_context_destroy(&context);
}

int main(void)
{
    RUN(a_plan_sets_the_options);
    RUN(options_that_are_left_out_have_defaults);
    RUN(mistakes_name_file_and_line);
    RUN(failures_of_the_run_name_file_and_line);
    return check_finish();
}

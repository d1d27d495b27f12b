/* labels: unsanitized */
/* The clients of examples/deform: compiled or run as their comments say, against a server. They move along a circle of
 * 5 mm for two seconds, so the largest force that they print is that of the farthest place of the circle. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "deform/live/tests/service.h"

#define EXAMPLES QN_TEST_DATA_FOLDER "/../../examples/deform"

/* The largest force on the circle, from the field. */
static double largest_force(const fake_solver *solver)
{
    double largest = 0;
    for (int i = 0; i < 1000; i++) {
        const double angle = 2 * 3.14159265358979323846 * i / 1000;
        double energy, force[3], stiffness[9];
        field_at(&solver->field, (const double[3]){0.005 * sin(angle), 0.005 * (1 - cos(angle)), 0}, &energy, force,
                 stiffness);
        largest = fmax(largest, sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]));
    }
    return largest;
}

/* Run a command and put its output into `text`; returns its exit status. */
static int run(const char *command, char *text, size_t size)
{
    FILE *const output = popen(command, "r");
    if (!CHECK(output != NULL)) return -1;
    const size_t length = fread(text, 1, size - 1, output);
    text[length] = '\0';
    const int status = pclose(output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_program(const char *name)
{
    char command[100], text[10];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    return run(command, text, sizeof text) == 0;
}

/* The summary of a hand: most answers came, and none of them was late. On a busy machine some ticks are missed. */
static void check_hand(const service *of, const char *text)
{
    unsigned answers = 0, late = 1;
    double force = 0;
    const char *const last = strstr(text, " answers, ");
    const char *begin = last ? last : text;
    while (begin > text && begin[-1] != '\n') begin--;
    CHECK(strstr(text, "\"protocol\"") || strstr(text, "'protocol'"));
    if (!CHECK(sscanf(begin, "%u answers, %u of them late, the largest force %lf N", &answers, &late, &force) == 3)) {
        printf("%s\n", text);
        return;
    }
    CHECK(answers == 2000 && late == 0);
    CHECK_NEAR(force, largest_force(&of->solver), 1e-3 * force);
}

static void the_client_in_c_feels_the_body(void)
{
    char command[2048], text[8192];
    service of = {0};
    const char *const compiler = getenv("CC") ? getenv("CC") : "cc";
    if (!CHECK(has_program(compiler))) return;
    const char *const folder = check_scratch_folder();
    snprintf(command, sizeof command, "%s -Wall -Wextra -Werror -O2 -o %s/client %s/client.c -lm", compiler, folder,
             EXAMPLES);
    CHECK(run(command, text, sizeof text) == 0);
    snprintf(of.address, sizeof of.address, "unix:%.200s/hand", folder);
    if (!service_begin(&of, of.address)) return;
    snprintf(command, sizeof command, "%s/client %s", folder, of.address);
    CHECK(run(command, text, sizeof text) == 0);
    check_hand(&of, text);
    service_end(&of);
}

static void the_client_in_python_feels_and_sees_the_body(void)
{
    char command[2048], text[8192];
    service of = {0};
    if (!has_program("python3")) {
        printf("python3 is not installed: its client is not tested\n");
        CHECK(true);
        return;
    }
    if (!service_begin(&of, "tcp:127.0.0.1:0")) return;
    snprintf(command, sizeof command, "python3 %s/client.py tcp:127.0.0.1:%d", EXAMPLES, qn_server_port(of.server));
    CHECK(run(command, text, sizeof text) == 0);
    check_hand(&of, text);
    snprintf(command, sizeof command, "python3 %s/client.py --shape tcp:127.0.0.1:%d", EXAMPLES,
             qn_server_port(of.server));
    CHECK(run(command, text, sizeof text) == 0);
    CHECK(strstr(text, "shape 50: the largest displacement is 0.000 mm") != NULL);
    service_end(&of);
}

int main(void)
{
    RUN(the_client_in_c_feels_the_body);
    RUN(the_client_in_python_feels_and_sees_the_body);
    return check_finish();
}

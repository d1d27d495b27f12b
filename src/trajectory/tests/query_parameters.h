/* Parameters of queries from one text: "bin=0.1 axis=x". */
#ifndef QN_TRAJECTORY_TESTS_QUERY_PARAMETERS_H
#define QN_TRAJECTORY_TESTS_QUERY_PARAMETERS_H

#include <quern/trajectory.h>
#include <string.h>

/* Split the text in `words`, which the parameters point into. Returns the number of parameters. */
static inline size_t query_parameters(const char *text, char words[512], qn_trajectory_parameter *parameters)
{
    size_t count = 0;
    strncpy(words, text, 511);
    words[511] = '\0';
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        parameters[count++] = (qn_trajectory_parameter){word, equals + 1};
    }
    return count;
}

#endif

/* The latest times of a configuration, and their median. */
#ifndef QN_TUNE_RECENT_H
#define QN_TUNE_RECENT_H

enum { QN_RECENT_MAX = 15 };

typedef struct qn_recent {
    double values[QN_RECENT_MAX]; /* a ring */
    int count;                    /* values ever added; the ring holds the last QN_RECENT_MAX of them */
} qn_recent;

void qn_recent_add(qn_recent *recent, double value);

/* Copy the values in ascending order. Returns their number. */
int qn_recent_sort(const qn_recent *recent, double values[QN_RECENT_MAX]);

/* Infinite if there is no value. */
double qn_recent_median(const qn_recent *recent);

/* Half the distance between the quartiles; 0 for fewer than two values. */
double qn_recent_spread(const qn_recent *recent);

#endif

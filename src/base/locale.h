/* Numbers written as text have a decimal point, whatever locale the program has set. Functions that read or print
 * numbers do so while the calling thread has the locale "C": threads of the library always have it, other threads
 * between qn_log_enter and qn_log_return, or from qn_locale_enter on.
 *
 *     const qn_locale outer = qn_locale_enter();
 *     snprintf(text, sizeof text, "%g", number);
 *     qn_locale_return(outer);
 */
#ifndef QN_BASE_LOCALE_H
#define QN_BASE_LOCALE_H

/* A locale of a thread; 0: none was set. */
typedef struct qn_locale {
    void *handle;
} qn_locale;

/* Give the calling thread the locale "C". Returns the locale that was in effect before. */
qn_locale qn_locale_enter(void);

/* Restore a locale. Nothing happens for a handle of 0. */
void qn_locale_return(qn_locale locale);

#endif

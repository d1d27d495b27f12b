#define _POSIX_C_SOURCE 200809L
#include "base/locale.h"

#include <locale.h>

/* The C library keeps the locale "C" as a constant: newlocale allocates nothing for it, and nothing must be freed. */
qn_locale qn_locale_enter(void)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (qn_locale){c ? (void *)uselocale(c) : 0};
}

void qn_locale_return(qn_locale locale)
{
    if (locale.handle) (void)uselocale((locale_t)locale.handle);
}

/* Three views: each mark is in all of them, in their scale, and the drawing knows the colours of plots. */
#include "report/three_views.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "html_page.h"

/* The box is 10 long, so that 260 pixels are 10 units; the other two axes are in the middle. */
static void marks_are_in_all_views(void)
{
    static const double low[3] = {0, 4, 5}, high[3] = {10, 6, 5}, place[3] = {2.5, 4, 5};
    qn_three_views views;
    qn_text svg = {0};
    qn_three_views_begin(low, high, &views);
    CHECK_OK(qn_three_views_sphere(&views, place, 1, "style=\"fill:var(--c2)\""));
    CHECK_OK(qn_three_views_dot(&views, place, 1.5, "fill=\"#999\""));
    CHECK_OK(qn_text_append(&svg, "<!DOCTYPE html>")); /* for the check of tags */
    CHECK_OK(qn_three_views_end(&views, &svg));
    CHECK(html_is_balanced(svg.data) && html_occurrences(svg.data, "<circle") == 6);
    CHECK(strstr(svg.data, "<circle cx=\"65\" cy=\"156\" r=\"26\" style=\"fill:var(--c2)\"/>") !=
          NULL); /* x 2.5, y 4 */
    CHECK(strstr(svg.data, "<circle cx=\"345\" cy=\"130\" r=\"26\" style=\"fill:var(--c2)\"/>") != NULL); /* x, z 5 */
    CHECK(strstr(svg.data, "<circle cx=\"664\" cy=\"130\" r=\"1.5\" fill=\"#999\"/>") != NULL);           /* y, z */
    const char *light = strstr(svg.data, "--c2:#"), *dark = light ? strstr(light + 1, "--c2:#") : NULL;
    CHECK(light && dark && strncmp(light, dark, 13) != 0 && strstr(svg.data, "prefers-color-scheme:dark"));
    qn_text_clear(&svg);
    qn_three_views_clear(&views);
}

int main(void)
{
    RUN(marks_are_in_all_views);
    return check_finish();
}

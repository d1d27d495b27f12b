/* Each rule is seen to allow and to refuse. Results are named; a set of calls is those that make them. */
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "fuse/graph/tests/graph_of.h"
#include "fuse/plan/rules.h"

static qn_arena arena;
static qn_graph graph;
static qn_scope scope;
static qn_refusal refusal;
static qn_layout layout;

static void make(const char *text)
{
    CHECK_OK(graph_of(text, &arena, &graph));
    qn_scope_make(&graph, 0, &scope);
}

/* The rule that forbids the calls of results "a b c"; 0: none. */
static int rule_of(const char *names)
{
    qn_calls calls = 0;
    for (const char *at = names; *at; at += strcspn(at, " "), at += *at == ' ') {
        const size_t length = strcspn(at, " ");
        qn_calls found = 0;
        for (int value = 0; value < graph.value_count; value++) {
            const char *name = graph.values[value].name;
            if (strncmp(name, "next ", 5) == 0) name += 5;
            if (graph.values[value].producer >= 0 && strlen(name) == length && strncmp(name, at, length) == 0)
                found = qn_calls_one(graph.values[value].producer);
        }
        CHECK(found != 0);
        calls |= found;
    }
    return qn_rules_allow(&scope, calls, &layout, &refusal) ? 0 : refusal.rule;
}

static void r1_one_space(void)
{
    make("sequence s\ninput A: matrix(m, n); input p: vector(n); input r: vector(m); input C: matrix(m, k)\n"
         "q = A*p\ns = A'*r\nw = q + r\nv = C'*r\nz = s + p\n");
    CHECK(rule_of("q s") == 0 && layout.dimensions == 2 && layout.sweeps == 1);
    CHECK(rule_of("q w") == 0); /* the vector's space is a projection of the matrix's */
    CHECK(rule_of("s v") == 1); /* both read r; m × n and m × k */
    CHECK_TEXT(refusal.reason, "the space of s is m × n, that of v is m × k");
}

static void r2_no_way_out_and_back(void)
{
    make("sequence s\ninput x: vector(n)\na = 2*x\nb = 3*a\nc = a + b\n");
    CHECK(rule_of("a c") == 2);
    CHECK_TEXT(refusal.reason, "b is computed between a and c");
    CHECK(rule_of("a b c") == 0);
}

static void r3_sums_are_complete_at_the_end(void)
{
    make("sequence s\ninput A: matrix(m, n); input x, z: vector(n); input y: vector(m)\n"
         "q = A*x\nw = 2*q\nt = A'*q\ns = A'*y\nv = s + z\nb = dot(x, z)\nu = b*x\ne = A*s\n");
    CHECK(rule_of("q w") == 0);                       /* a group holds all of a row */
    CHECK(rule_of("q t") == 0 && layout.sweeps == 2); /* and uses q at its own row in a second sweep */
    CHECK(rule_of("s v") == 3);                       /* but not a sum over rows */
    CHECK_TEXT(
        refusal.reason,
        "s is reduced over m, along which groups divide the work, and is complete at the kernel's end; v reads it");
    CHECK(rule_of("b u") == 3);
    CHECK_TEXT(refusal.reason, "b is reduced to a scalar, which is complete at the kernel's end; u reads it");
    CHECK(rule_of("s e") == 3);
    make("sequence s\ninput A: csr(n, n); input x: vector(n)\nq = A*x\nw = 2*q\nt = A*q\n");
    CHECK(rule_of("q w") == 0);
    CHECK(rule_of("q t") == 3);
    CHECK_TEXT(refusal.reason, "q is reduced over n, so it is known at its own index alone; t reads it at others");
}

static void r4_elements_are_where_they_are_read(void)
{
    make("sequence s\ninput A, C: matrix(n, n); input x: vector(n)\nB = A + C\nq = B*x\nD = 2*B + C'\nE = C + B'\n");
    CHECK(rule_of("B q") == 0);
    CHECK(rule_of("B D") == 0);
    CHECK(rule_of("B E") == 4);
    CHECK_TEXT(refusal.reason, "E reads B transposed, from other work-items");
}

static void r5_maps_are_computed_again(void)
{
    make("sequence s\ninput A: csr(n, n); input x, y: vector(n); inout z: vector(n)\n"
         "p = x + y\nq = A*p\nc = z + x\nd = A*c\nz = z + d\nf = q + x\ng = A*f\n");
    CHECK(rule_of("p q") == 0);   /* p is gathered: x + y is added again */
    CHECK(rule_of("c d z") == 5); /* c is gathered, but z is overwritten meanwhile */
    CHECK_TEXT(refusal.reason,
               "d reads c at another index than its own, and cannot compute it again there, because z is overwritten");
    CHECK(rule_of("q f g") == 5);
    CHECK_TEXT(refusal.reason,
               "g reads f at another index than its own, and cannot compute it again there, because q is "
               "reduced in the same kernel");
}

static void r6_nothing_is_read_after_it_is_overwritten(void)
{
    make("sequence s\ninput A: csr(n, n); input y: vector(n); inout x: vector(n)\n"
         "q = A*x\nb = x + y\nx = x + 2*y\n");
    CHECK(rule_of("b x") == 0);
    CHECK(rule_of("q x") == 6);
    CHECK_TEXT(refusal.reason, "x is overwritten, and read at other indices or later");
    make("sequence s\ninput A: csr(n, n); input y: vector(n); inout x: vector(n)\nrepeat 9 { next x = A*x + y }\n");
    CHECK(rule_of("x") == 0); /* a carried vector gets a second buffer */
    CHECK(!qn_rules_in_place(&scope, scope.all, &layout, 0, 0) ||
          graph.values[graph.calls[0].outputs[0].value].old < 0);
}

/* A vector of lines is overwritten before the sweep that would still read it. */
static void r6_lines_are_overwritten_before_sweeps(void)
{
    make("sequence s\ninput A: matrix(m, n); input y: vector(m); inout v: vector(m)\nr = A'*v\nv = v + y\n");
    CHECK(rule_of("r v") == 6);
    make("sequence s\ninput A: matrix(m, n); input x: vector(n); inout v: vector(m)\nr = A'*v\nv = v + A*x\n");
    CHECK(qn_rules_allow(&scope, scope.all, &layout, &refusal)); /* the product is known after the sweep */
}

static void r7_independent_calls_share_equal_spaces(void)
{
    make("sequence s\ninput x, y: vector(n); input z: vector(k)\na = sum(x)\nb = sum(y)\nc = sum(z)\n");
    CHECK(rule_of("a b") == 0);
    CHECK(rule_of("a c") == 7);
    CHECK_TEXT(refusal.reason, "a (n) and c (k) are independent calls of unequal spaces");
}

static void r8_arguments_have_a_limit(void)
{
    make("sequence s\ninput a, b, c, d, e, f, g, h, i, j, k, l: vector(n)\n"
         "output m, o, p, q, r, t, u, v, w, x, y, z: vector(n)\n"
         "m = a + b + c + d + e + f\no = g + h + i + j + k + l\np = a - b\nq = c - d\nr = e - f\nt = g - h\nu = i - j\n"
         "v = k - l\nw = a - c\nx = a - d\ny = a - e\nz = a - f\n");
    CHECK(rule_of("m p q") == 0);
    CHECK(rule_of("m o p q r t u v w x y") == 0); /* 23 values and the size */
    CHECK(rule_of("m o p q r t u v w x y z") == 8);
    CHECK_TEXT(refusal.reason, "the kernel would have 25 arguments, and can have 24");
}

static void r8_sums_have_a_limit(void)
{
    make("sequence s\ninput A: matrix(m, n); input a, b, c, d, e: vector(n)\noutput f, g, h, i, j: vector(m)\n"
         "f = A*a\ng = A*b\nh = A*c\ni = A*d\nj = A*e\n");
    CHECK(rule_of("f g h i") == 0);
    CHECK(rule_of("f g h i j") == 8);
    CHECK_TEXT(refusal.reason, "the kernel would add up 5 vectors in local memory, which holds 4");
}

static void square_matrices_let_vectors_lie_along_either_axis(void)
{
    make("sequence s\ninput A: matrix(n, n); input x, y: vector(n)\np = x + y\nq = A*p\nb = dot(p, q)\ns = A'*p\n");
    CHECK(rule_of("p q b") == 0); /* p at columns for q, and again at rows for b */
    CHECK(rule_of("p q s b") == 0);
}

int main(void)
{
    RUN(r1_one_space);
    RUN(r2_no_way_out_and_back);
    RUN(r3_sums_are_complete_at_the_end);
    RUN(r4_elements_are_where_they_are_read);
    RUN(r5_maps_are_computed_again);
    RUN(r6_nothing_is_read_after_it_is_overwritten);
    RUN(r6_lines_are_overwritten_before_sweeps);
    RUN(r7_independent_calls_share_equal_spaces);
    RUN(r8_arguments_have_a_limit);
    RUN(r8_sums_have_a_limit);
    RUN(square_matrices_let_vectors_lie_along_either_axis);
    qn_arena_clear(&arena);
    return check_finish();
}

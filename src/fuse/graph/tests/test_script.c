/* Scripts: what they say, and the sentence for each kind of trouble. */
#include <string.h>

#include "base/error.h"
#include "check.h"
#include "fuse/graph/graph.h"
#include "fuse/graph/tests/graph_of.h"

static qn_arena arena;
static qn_graph graph;

static qn_status make(const char *text)
{
    return graph_of(text, &arena, &graph);
}

/* A script that fails with a message at a place. */
static void refused(const char *text, const char *message)
{
    CHECK_FAILS(make(text), QN_BAD_FORMAT);
    CHECK_TEXT(qn_error_message(), message);
}

#define HEAD "sequence s\ninput A: matrix(m, n); input S: csr(n, n); input x, y: vector(n); input u: vector(m)\n"

static void grammar_is_checked(void)
{
    refused("", "s.qf:1:1: found the end of the file; expected \"sequence\" and a name");
    refused("q = A*p", "s.qf:1:1: found \"q\"; expected \"sequence\" and a name");
    refused("sequence s\nq = 2 +\n",
            "s.qf:2:8: found the end of the line; expected a value: a number, a name or \"(\"");
    refused("sequence s\nq = (2 + 3\n", "s.qf:3:1: found the end of the file; expected \")\"");
    refused("sequence s\nq = 2 3\n", "s.qf:2:7: found \"3\"; expected an operator or the end of the line");
    refused("sequence s\nq = 2 $ 3\n", "s.qf:2:7: found \"$\"; expected a name, a number or an operator");
    refused("sequence s\nq = 2e99\n", "s.qf:2:5: found 2e99; expected a number that float32 holds");
    refused("sequence s\nq = 2x\n", "s.qf:2:6: found \"x\" after a number; expected an operator");
    refused("sequence s\ninput x: vektor(n)\n",
            "s.qf:2:10: found \"vektor\"; expected a type: scalar, vector(n), matrix(m, n) or csr(m, n)");
    refused("sequence s\ninput x: vector(0)\n", "s.qf:2:17: found \"0\"; expected a whole number from 1 to 2147483647");
    refused("sequence s\ninput x: vector(n) column\n",
            "s.qf:2:20: found \"column\"; expected the end of the line: only a matrix(m, n) may be stored by columns");
    refused("sequence s\ninput next: scalar\n", "s.qf:2:7: found \"next\"; expected a name to declare");
    refused("sequence s\ninput x: scalar\nrepeat 5 until x = 3 { a = 1 }\n",
            "s.qf:3:18: found \"=\"; expected \"<\" or \">\"");
    refused("sequence s\n", "s.qf:2:1: found no assignment; expected one or more");
    refused("sequence s\nrepeat 5 { }\n", "s.qf:2:1: found a repeat without assignments; expected one or more");
    refused("sequence s # \xc3\xa9\nq = \xc3\xa9\n",
            "s.qf:2:5: found the byte 0xc3; expected a name, a number or an operator");
}

static void names_are_checked(void)
{
    refused(HEAD "z = alpa*x\n", "s.qf:3:5: found the unknown name \"alpa\"; expected a declared or assigned name");
    refused(
        "sequence s\ninput alpha: scalar; input x: vector(n)\nz = alpa*x\n",
        "s.qf:3:5: found the unknown name \"alpa\"; expected a declared or assigned name (did you mean \"alpha\"?)");
    refused(HEAD "z = dto(x, y)\n",
            "s.qf:3:5: found the unknown function \"dto\"; expected one of the library (did you mean \"dot\"?)");
    refused(HEAD "z = x\nz = y\n", "s.qf:4:1: found a second assignment of \"z\", after line 3; expected one");
    refused(HEAD "x = y\n",
            "s.qf:3:1: found an assignment of the input \"x\"; expected an output, an inout or a new name");
    refused(HEAD "input x: scalar\n", "s.qf:3:7: found \"x\" again, after line 2; expected another name");
    refused(HEAD "output q: vector(n)\nz = q\n",
            "s.qf:4:5: found \"q\" before it is assigned; expected its assignment first");
    refused(HEAD "output q: vector(n)\nz = x\n", "s.qf:3:8: found no assignment of the output \"q\"; expected one");
    refused(HEAD "inout w: vector(n)\nnext w = x\n",
            "s.qf:4:6: found \"next w\" outside of repeat; expected \"w\" alone");
    refused(HEAD "inout w: vector(n)\nz = next w\n",
            "s.qf:4:5: found \"next\" outside of repeat; expected \"w\" alone");
    refused(HEAD "inout w: vector(n)\nrepeat 3 { z = next w }\n",
            "s.qf:4:16: found \"next w\" before it is assigned; expected its assignment first");
    refused(HEAD "inout w: vector(n)\nrepeat 3 { w = x }\n",
            "s.qf:4:12: found an assignment of the inout \"w\" in repeat; expected \"next w\"");
    refused(HEAD "repeat 3 { next x = y }\n",
            "s.qf:3:17: found \"next x\" of a name that is no inout; expected an inout");
    refused(HEAD "inout w: vector(n)\nrepeat 3 { next w = x; next w = y }\n",
            "s.qf:4:29: found a second assignment of \"next w\", after line 4; expected one");
}

static void names_are_read_after_their_assignment(void)
{
    refused(HEAD "z = w + x\nw = y\n", "s.qf:3:5: found \"w\" before line 4 assigns it; expected its assignment first");
    refused(HEAD "output q: vector(n)\nz = q\nq = y\n",
            "s.qf:4:5: found \"q\" before line 5 assigns it; expected its assignment first");
    refused(HEAD "z = x + z\n",
            "s.qf:3:9: found \"z\" in its own assignment, a cycle; expected values that are known before");
    refused(HEAD "output q: vector(n)\nq = 2*(x + q)\n",
            "s.qf:4:12: found \"q\" in its own assignment, a cycle; expected values that are known before");
    refused(HEAD "a = x + b; b = 2*a\n",
            "s.qf:3:9: found \"b\", which line 3 makes of \"a\", a cycle; expected values that are known before");
    refused(HEAD "a = x + b\nb = dot(x, c)*y\nc = 2*a\n",
            "s.qf:3:9: found \"b\", which line 4 makes of \"a\", a cycle; expected values that are known before");
    refused(HEAD "inout w: vector(n)\nrepeat 3 { a = next w + x; next w = a + w }\n",
            "s.qf:4:16: found \"next w\", which line 4 makes of \"a\", a cycle; expected values that are known before");
    refused(HEAD "inout w: vector(n)\nrepeat 3 { next w = next w + x }\n",
            "s.qf:4:21: found \"next w\" in its own assignment, a cycle; expected values that are known before");
    refused(HEAD "inout w: vector(n)\nrepeat 3 { a = next w + x; next w = w + y }\n",
            "s.qf:4:16: found \"next w\" before line 4 assigns it; expected its assignment first");
    CHECK_OK(make(HEAD "inout w: vector(n)\nw = 2*w + x\n"));
}

static void shapes_are_checked(void)
{
    refused(HEAD "z = A*u\n", "s.qf:3:6: found matrix(m, n) * vector(m); expected vector(n) on the right");
    refused(HEAD "z = A'*x\n", "s.qf:3:7: found matrix(n, m) * vector(n); expected vector(m) on the right");
    refused(HEAD "z = x + u\n", "s.qf:3:7: found vector(n) and vector(m) in a sum; expected equal shapes or a scalar");
    refused(HEAD "z = x*y\n", "s.qf:3:6: found vector(n) * vector(n); expected dot(x, y), x*y' or x.*y");
    refused(HEAD "z = x'*y\n", "s.qf:3:7: found vector(n)' * vector(n); expected dot(x, y), x*y' or x.*y");
    refused(HEAD "z = x'*A\n", "s.qf:3:7: found vector(n)' * matrix(m, n); expected a scalar on the left, or A'*x");
    refused(HEAD "z = A*A\n", "s.qf:3:6: found matrix(m, n) * matrix(m, n); expected A*x or an element-wise A.*B; "
                              "products of matrices are not fused");
    refused(HEAD "z = S'*x\n", "s.qf:3:5: found csr(n, n) transposed; expected a csr matrix as A*x only");
    refused(HEAD "z = 2*S\n", "s.qf:3:6: found scalar * csr(n, n); expected a csr matrix on the left, as A*x");
    refused(HEAD "z = S + A\n", "s.qf:3:5: found a csr matrix in a sum; expected it as A*x only");
    refused(HEAD "z = dot(x, u)\n", "s.qf:3:12: found vector(m) as y of dot, whose index i is m there; expected n");
    refused(HEAD "z = dot(x, A)\n", "s.qf:3:12: found matrix(m, n) as y of dot; expected a vector");
    refused(HEAD "z = dot(x)\n", "s.qf:3:5: found 1 argument of dot; expected 2");
    refused(HEAD "output q: vector(m)\nq = x\n",
            "s.qf:4:1: found vector(n) assigned to \"q\"; expected vector(m), as line 3 declares it");
    refused(HEAD "z = x'\n", "s.qf:3:1: found the transposed vector(n)' assigned to \"z\"; expected a vector as it is");
    refused(HEAD "a, b = x\n",
            "s.qf:3:1: found 2 names and 1 output; expected a function with as many outputs as names");
    refused(HEAD "inout w: vector(n)\nrepeat 3 until w < 1 { next w = x }\n",
            "s.qf:4:16: found vector(n) in a condition; expected scalars, element-wise");
    refused("sequence s\noutput S: csr(n, n)\n",
            "s.qf:2:1: found a csr matrix that is not an input; expected a matrix or an input");
}

static void bicgk_has_two_calls(void)
{
    CHECK_OK(make("sequence bicgk\ninput A: matrix(m, n); input p: vector(n); input r: vector(m)\n"
                  "output q: vector(m); output s: vector(n)\nq = A*p; s = A'*r\n"));
    CHECK(graph.call_count == 2 && graph.section_count == 1);
    CHECK_TEXT(graph.calls[0].text, "q = gemv(A, p)");
    CHECK_TEXT(graph.calls[1].text, "s = gemtv(A, r)");
    CHECK(graph.calls[1].outputs[0].indices[0] == 1); /* s has the columns' index */
}

static void elements_become_one_map(void)
{
    CHECK_OK(make("sequence g\ninput A: matrix(n, n); input u, v, p, q: vector(n)\noutput B: matrix(n, n)\n"
                  "B = A' + u*v' - 2*p*q'\n"));
    CHECK(graph.call_count == 1);
    CHECK_TEXT(graph.calls[0].text, "B = A + u * v - 2.0f * p * q");
    CHECK(graph.calls[0].inputs[0].indices[0] == 1 && graph.calls[0].inputs[0].indices[1] == 0);
    CHECK_OK(make("sequence g\ninput x: vector(n); input low, high: scalar\noutput y: vector(n)\n"
                  "y = clamp(power(x / high, 2), low, high)\n"));
    CHECK(graph.call_count == 1 && graph.calls[0].input_count == 3);
}

static void parts_get_calls_of_their_own(void)
{
    CHECK_OK(make("sequence a\ninput A: matrix(m, n); input x: vector(n)\noutput y: vector(n); output r: scalar\n"
                  "y = 2*(A'*(A*x)) + x\nr = nrm2(y - x)\n"));
    CHECK(graph.call_count == 6);
    CHECK_TEXT(graph.calls[0].name, "gemv");
    CHECK_TEXT(graph.calls[1].name, "gemtv");
    CHECK_TEXT(graph.calls[2].name, "map");
    CHECK_TEXT(graph.calls[4].name, "nrm2");
    CHECK(graph.calls[5].space_count == 0); /* the root of the sum */
}

static void loops_carry_values(void)
{
    CHECK_OK(make("sequence cg\ninput A: csr(n, n); input limit: scalar\ninout x, r, p: vector(n); inout rr: scalar\n"
                  "repeat 500 until rr < limit every 10 {\n  q = A*p;  a = rr / dot(p, q);  next x = x + a*p\n"
                  "  next r = r - a*q\n  next rr = dot(next r, next r);  next p = next r + (next rr / rr)*p }\n"));
    CHECK(graph.call_count == 7 && graph.section_count == 1 && graph.sections[0].is_loop);
    CHECK(graph.sections[0].every == 10 && graph.sections[0].until.less && graph.sections[0].until.use_count == 2);
    CHECK(graph.calls[0].is_sparse);
    int carried = 0;
    for (int i = 0; i < graph.value_count; i++) carried += graph.values[i].is_carried;
    CHECK(carried == 4);
}

static void deep_scripts_are_refused(void)
{
    static char text[4096];
    strcpy(text, "sequence s\nq = ");
    memset(text + strlen(text), '(', 300);
    CHECK_FAILS(make(text), QN_BAD_FORMAT);
    CHECK_MESSAGE_HAS("expected at most 100 parentheses inside each other");
}

int main(void)
{
    RUN(grammar_is_checked);
    RUN(names_are_checked);
    RUN(names_are_read_after_their_assignment);
    RUN(shapes_are_checked);
    RUN(bicgk_has_two_calls);
    RUN(elements_become_one_map);
    RUN(parts_get_calls_of_their_own);
    RUN(loops_carry_values);
    RUN(deep_scripts_are_refused);
    qn_arena_clear(&arena);
    return check_finish();
}

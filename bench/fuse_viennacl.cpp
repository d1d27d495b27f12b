// ViennaCL's conjugate gradients and BiCGStab on a five-point stencil, for comparison with examples/fuse/cg.qf and
// bicgstab.qf. bench/fuse builds it where the library's headers are installed:
//
//     c++ -O3 -march=native -fopenmp -DVIENNACL_WITH_OPENMP bench/fuse_viennacl.cpp -o viennacl
//     viennacl cg|bicgstab ROWS ITERATIONS
//
// Prints the seconds of an iteration, the least of three solves.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include <viennacl/compressed_matrix.hpp>
#include <viennacl/linalg/bicgstab.hpp>
#include <viennacl/linalg/cg.hpp>
#include <viennacl/vector.hpp>

template <typename Tag>
static double time_solver(const viennacl::compressed_matrix<float> &matrix, const viennacl::vector<float> &right,
                          Tag tag)
{
    double least = 1e30;
    for (int turn = 0; turn < 4; turn++) {
        const auto start = std::chrono::steady_clock::now();
        const viennacl::vector<float> result = viennacl::linalg::solve(matrix, right, tag);
        viennacl::backend::finish();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        if (turn > 0 && seconds.count() / tag.iters() < least) least = seconds.count() / tag.iters();
    }
    return least;
}

int main(int count, char **arguments)
{
    if (count < 4) return 2;
    const unsigned rows = (unsigned)std::atol(arguments[2]), side = (unsigned)std::sqrt((double)rows);
    const unsigned iterations = (unsigned)std::atol(arguments[3]);
    std::vector<std::map<unsigned, float>> stencil(rows);
    for (unsigned row = 0; row < rows; row++) {
        const unsigned offsets[] = {1, rows - 1, side, rows - side};
        stencil[row][row] = 5;
        for (unsigned offset : offsets) stencil[row][(row + offset) % rows] = -1;
    }
    viennacl::compressed_matrix<float> matrix(rows, rows);
    viennacl::copy(stencil, matrix);
    viennacl::vector<float> right(rows);
    std::vector<float> numbers(rows);
    for (unsigned row = 0; row < rows; row++) numbers[row] = (float)(row % 17) - 8;
    viennacl::copy(numbers, right);
    const double seconds = std::strcmp(arguments[1], "cg") == 0
                               ? time_solver(matrix, right, viennacl::linalg::cg_tag(1e-30, iterations))
                               : time_solver(matrix, right, viennacl::linalg::bicgstab_tag(1e-30, iterations));
    std::printf("%.6g\n", seconds);
    return 0;
}

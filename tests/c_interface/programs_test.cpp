// Programs of C, Fortran and Octave with the C interface: those that it ships as examples.

#include <gtest/gtest.h>
#include <sparsecast.h>

#include <cmath>
#include <regex>
#include <sparsecast/generate.hpp>
#include <sparsecast/write.hpp>
#include <sstream>

#include "c_interface/fixture.hpp"
#include "solving/solve.hpp"
#include "support/parts.hpp"

namespace sparsecast::c_interface {
namespace {

struct Solved {
  int iterations = 0;
  double norm = 0;
};

Solved run_of(const std::string& out) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(out, found, std::regex(R"((\d+) iterations.*\|x\| = ([0-9.e+-]+))"))) << out;
  return found.empty() ? Solved{} : Solved{std::stoi(found[1]), std::stod(found[2])};
}

// The library's own solver on the same system.
Solved library_run(const Matrix& matrix, const char* method) {
  solving::SolveTask task{.method = solving::parse_method(method), .kernel = "csr", .threads = 1};
  task.run.tolerance = 1e-10;
  const solving::SolveResult result =
      solving::run_solve(matrix, task, solving::Vector(static_cast<std::size_t>(matrix.rows()), 1.0));
  double square = 0;
  for (const double x : result.x) square += x * x;
  return {static_cast<int>(result.iterations), std::sqrt(square)};
}

// What stands before the promises, indented by three blanks.
TEST(CInterfaceHeader, OpensWithAProgramThatRuns) {
  std::istringstream lines(test::read_text(SPARSECAST_SOURCE_DIR "/include/sparsecast.h"));
  std::string program;
  for (std::string line; std::getline(lines, line) && line != " * What this header guarantees";)
    if (line.starts_with(" *   ")) program += line.substr(5) + "\n";
  const test::TemporaryFolder folder;
  const std::string source = folder.write("example.c", program), built = folder.path() / "example";
  const std::string library = std::filesystem::path(C_LIBRARY).parent_path();
  const test::CommandResult compiled = test::run_program(
      C_COMPILER, {"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I" SPARSECAST_SOURCE_DIR "/include",
                   source, "-o", built, "-L" + library, "-lsparsecast_c", "-Wl,-rpath," + library});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  const test::CommandResult ran = test::run_program(built, {});
  EXPECT_EQ(ran.out, "5 5\n") << ran.err;
}

class CInterfaceProgram : public CInterface {
 protected:
  static std::string file_of(const Matrix& matrix) {
    const auto file = home->path() / "system.mtx";
    write_matrix_market(matrix, file);
    return file.string();
  }
  static void solves_as_the_library(const std::string& program, const Matrix& matrix, const char* method) {
    const test::CommandResult ran = test::run_program(program, {file_of(matrix)});
    ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    const Solved theirs = run_of(ran.out), ours = library_run(matrix, method);
    EXPECT_GT(ours.iterations, 10);
    EXPECT_NEAR(theirs.iterations, ours.iterations, 2);
    EXPECT_NEAR(theirs.norm, ours.norm, 1e-7 * ours.norm);
    const test::CommandResult none = test::run_program(program, {"/no/such/file"});
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_NE((none.out + none.err).find("/no/such/file: cannot read"), std::string::npos) << none.out << none.err;
  }
};

TEST_F(CInterfaceProgram, CgInC) {
  solves_as_the_library(EXAMPLE_CG, generate({.kind = "poisson2d", .parameters = {.size = 50}}), "cg");
}

// A stream through a square of so many points on a side: not symmetric.
Matrix stream(int side) {
  Csr<std::int32_t, std::int32_t> csr{side * side, side * side, {0}, {}, {}};
  for (int row = 0; row < side * side; ++row) {
    const int across = row % side, down = row / side;
    const auto put = [&](bool there, int column, double value) {
      if (there) csr.column_indices.push_back(column), csr.values.push_back(value);
    };
    put(down > 0, row - side, -1.4);
    put(across > 0, row - 1, -1.2);
    put(true, row, 4);
    put(across + 1 < side, row + 1, -0.8);
    put(down + 1 < side, row + side, -0.6);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {Matrix::Storage(std::move(csr)), "stream"};
}

TEST_F(CInterfaceProgram, GmresInFortran) {
#ifdef EXAMPLE_GMRES
  solves_as_the_library(EXAMPLE_GMRES, stream(30), "gmres:30");
#else
  SKIP_OR_FAIL(test::parts::gfortran);
#endif
}

TEST_F(CInterfaceProgram, PowerIterationInOctave) {
#ifdef OCTAVE_PLAN
  const Matrix graph = generate({.kind = "rmat", .seed = 1, .parameters = {.scale = 10, .edges = 8000}});
  const test::CommandResult ran =
      test::run_program(OCTAVE_CLI, {"--no-gui", "--norc", "--quiet", "--path", OCTAVE_PLAN, "--path",
                                     SPARSECAST_SOURCE_DIR "/examples/c_interface", "--eval",
                                     "printf ('%.15g\\n', power_iteration ('" + file_of(graph) + "'))"});
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  solving::SolveTask task{.method = solving::parse_method("power"), .kernel = "csr", .threads = 1};
  const std::vector<double> ours = solving::run_solve(graph, task).eigenvalues;
  ASSERT_EQ(ours.size(), 1U);
  EXPECT_GT(ours[0], 10);
  EXPECT_NEAR(std::stod(ran.out), ours[0], 1e-6 * ours[0]);
#else
  SKIP_OR_FAIL(test::parts::octave_dev);
#endif
}

}  // namespace
}  // namespace sparsecast::c_interface

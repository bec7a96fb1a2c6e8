// The table of methods: names, parameters, and that a run does per iteration exactly what the table says.

#include "solving/method.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "formats/kernels.hpp"
#include "solving/solve.hpp"
#include "solving/step.hpp"

namespace sparsecast::test {
namespace {

using namespace solving;

Matrix small_grid(int size) { return generate({.kind = "poisson2d", .parameters = {.size = size}}); }

SolveTask counting_task(const std::string& method, PreconditionerKind kind, const std::string& kernel,
                        std::int64_t iterations) {
  SolveTask task{.method = parse_method(method), .preconditioner = kind, .kernel = kernel};
  task.run.iterations = iterations;
  task.run.until_tolerance = false;
  return task;
}

TEST(Methods, AreNamedWithTheirParameters) {
  EXPECT_EQ(method_table().size(), 8U);
  EXPECT_EQ(parse_method("cg").name(), "cg");
  EXPECT_EQ(parse_method("gmres").name(), "gmres:30");
  EXPECT_EQ(parse_method("gmres:7").parameter, 7);
  EXPECT_EQ(parse_method("lobpcg:2").name(), "lobpcg:2");
  for (const char* wrong : {"", "sor", "cg:3", "gmres:", "gmres:0", "gmres:1001", "gmres:x", "gmres:3x", "lobpcg:65"})
    EXPECT_THROW((void)parse_method(wrong), Error) << wrong;
}

// Of the iterations between two runs: what comes before the first and after the last falls out.
Amounts counted(const Matrix& matrix, const std::string& method, PreconditionerKind kind, const std::string& kernel,
                std::int64_t from, std::int64_t to) {
  Amounts few = run_solve(matrix, counting_task(method, kind, kernel, from)).counted;
  const Amounts many = run_solve(matrix, counting_task(method, kind, kernel, to)).counted;
  few = few.over(-1);
  few += many;
  return few.over(static_cast<double>(to - from));
}

struct Case {
  const char* method;
  std::vector<PreconditionerKind> kinds;
  std::int64_t from, to;  // of gmres whole restarts
};

TEST(Methods, AnIterationConsistsOfWhatTheTableSays) {
  using enum PreconditionerKind;
  const std::vector<PreconditionerKind> every{none, jacobi, block_jacobi, ic0, ilu0};
  const Matrix matrix = small_grid(60);
  for (const Case& c : {Case{"cg", every, 3, 9}, Case{"bicgstab", every, 3, 7}, Case{"gmres:6", every, 6, 18},
                        Case{"chebyshev", every, 3, 9}, Case{"jacobi", {none}, 3, 9}, Case{"power", {none}, 3, 9},
                        Case{"pagerank", {none}, 3, 9}, Case{"lobpcg:3", every, 3, 9}}) {
    for (const PreconditionerKind kind : c.kinds)
      for (const char* kernel : {"csr", "coo"}) {  // which takes dot products with the product, and which does not
        const Method method = parse_method(c.method);
        const Matrix solved = matrix_to_solve(matrix, method, false);
        const Amounts said = amounts_of(steps_of(method, info_of(kind).applied, dots_taken(kernel, solved.rows(), 1)));
        const Amounts done = counted(solved, c.method, kind, kernel, c.from, c.to);
        const std::string what = method.name() + " with " + std::string(name_of(kind)) + " by " + kernel;
        EXPECT_NEAR(done.products, said.products, 1e-9) << what;
        EXPECT_NEAR(done.transposed, said.transposed, 1e-9) << what;
        EXPECT_NEAR(done.preconditions, said.preconditions, 1e-9) << what;
        EXPECT_NEAR(done.reads, said.reads, 1e-9) << what;
        EXPECT_NEAR(done.writes, said.writes, 1e-9) << what;
        EXPECT_NEAR(done.sums, said.sums, 1e-9) << what;
        EXPECT_NEAR(done.passes, said.passes, 1e-9) << what;
        EXPECT_NEAR(done.dotted, said.dotted, 1e-9) << what;
      }
  }
}

TEST(Methods, DotProductsOfAProductsResultGoIntoTheProduct) {
  const auto both = [](const char* method, Preconditioning with, DotsTaken dots) {
    return amounts_of(steps_of(parse_method(method), with, dots));
  };
  using enum DotsTaken;
  using enum Preconditioning;
  EXPECT_EQ(both("cg", diagonal, in_product).reads, both("cg", diagonal, apart).reads - 2) << "p and q";
  EXPECT_EQ(both("cg", diagonal, in_product).dotted, 1);
  EXPECT_EQ(both("cg", step, in_product).passes, both("cg", step, apart).passes - 1) << "r·z stays a pass";
  EXPECT_EQ(both("bicgstab", none, in_product).reads, both("bicgstab", none, apart).reads - 4) << "g, v, r and t";
  EXPECT_EQ(both("bicgstab", none, in_product).dotted, 2);
  EXPECT_EQ(both("power", none, in_product).passes, 1);
  for (const char* method : {"gmres:1", "gmres", "chebyshev", "jacobi", "pagerank", "lobpcg:3"}) {
    EXPECT_EQ(both(method, none, in_product).dotted, 0) << method;
    EXPECT_EQ(both(method, none, in_product).reads, both(method, none, apart).reads) << method;
  }
  EXPECT_EQ(dots_taken("csr", 100'000, 2), in_product);
  EXPECT_EQ(dots_taken("coo", 100'000, 2), apart);
  EXPECT_EQ(dots_taken("a kernel of another machine", 100'000, 2), apart);
}

TEST(Methods, ConjugateGradientsWithTheDiagonalReadNineVectorsAndWriteThree) {
  const Amounts cg = amounts_of(steps_of(parse_method("cg"), Preconditioning::diagonal));
  EXPECT_EQ(cg.products, 1);
  EXPECT_EQ(cg.reads, 9);
  EXPECT_EQ(cg.writes, 3);
  EXPECT_EQ(cg.sums, 2);
}

}  // namespace
}  // namespace sparsecast::test

// However a program says it, what is read and stored is the same: "x(:)" is x, a field or a cell is a variable, a
// subscript that is computed is one that was computed before.

#include <gtest/gtest.h>

#include "moved.hpp"
#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
namespace {
using test::Bytes;
using test::moved_each;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const std::string given =
    "n = 1000; x = (1:n)'; y = (n:-1:1)'; A = rand(n); V = zeros(n,20); t = 0; z = x; k = 3; b = true;\n"
    "s.a = x; s.b = y; s.V = zeros(n,5); s.f = @(u) A*u; c = {x, y}; h = {@(u) A*u}; S = speye(n);\n";

// Two ways to say the same, the plain one last.
void expect_same(const Pairs& pairs) {
  std::vector<std::string> all;
  for (const auto& [said, plainly] : pairs) all.insert(all.end(), {said, plainly});
  const std::vector<Bytes> found = moved_each(given, all);
  for (std::size_t k = 0; k < all.size(); k += 2) EXPECT_EQ(found[k], found[k + 1]) << all[k];
}

void expect_bytes(const std::vector<std::pair<std::string, Bytes>>& statements) {
  std::vector<std::string> all;
  for (const auto& [statement, bytes] : statements) all.push_back(statement);
  const std::vector<Bytes> found = moved_each(given, all);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(found[k], statements[k].second) << all[k];
}

TEST(Spellings, AllElementsAreTheVariable) {
  NEEDS_OCTAVE();
  expect_same({{"t = sum(sum(A(:,:)));", "t = sum(sum(A));"},
               {"t = norm(x(:));", "t = norm(x);"},
               {"t = x(:)'*y(:);", "t = x'*y;"},
               {"z = A*x(:);", "z = A*x;"},
               {"z = A(:,:)*x;", "z = A*x;"},
               {"if max(x(:)) < 0, t = 1; end", "if max(x) < 0, t = 1; end"},
               {"t = norm(reshape(x, 10, 100));", "t = norm(x);"},
               {"t = vec(x)'*vec(x);", "t = x'*x;"},
               {"z = reshape(x, n, 1)*2;", "z = x*2;"}});
  // More work counts no less.
  expect_bytes({{"t = sum(A(:));", {8e6, 8}}, {"t = sum(x(1:10)) + norm(x(:));", {8000, 8}}});
}

TEST(Spellings, FieldsAndCellsAreVariables) {
  NEEDS_OCTAVE();
  expect_same({{"z = [s.a; s.b];", "z = [x; y];"},
               {"z = [c{:}];", "z = [x, y];"},
               {"z = [c{1}; c{2}];", "z = [x; y];"},
               {"t = norm([s.a; s.b]);", "t = norm([x; y]);"},
               {"s.V(:,2) = x;", "V(:,2) = x;"},
               {"c{1}(1:500) = 3;", "x(1:500) = 3;"},
               {"z = s.f(x);", "z = A*x;"},
               {"z = h{1}(x);", "z = A*x;"},
               {"z = feval(s.f, x);", "z = A*x;"},
               {"z = (@(u) A*u)(x);", "z = A*x;"},
               {"t = feval(@norm, x);", "t = norm(x);"},
               {"t = feval('norm', x);", "t = norm(x);"},
               {"z = feval(@mtimes, A, x);", "z = A*x;"}});
}

TEST(Spellings, SubscriptsMayBeComputedWhereTheyStand) {
  NEEDS_OCTAVE();
  // Numbers that subscripts are computed from are read. A mask is of the values before; one that is handed to a
  // function is stored and loaded.
  expect_bytes({{"V(:, mod(k,5)+1) = x;", {8000 + 8, 8000}},
                {"V(k:min(k+9,n), :) = 0;", {2 * 8, 1600}},
                {"V(:, [3 4]) = 1;", {0, 16000}},
                {"A(sub2ind([n n], 1:n, 1:n)) = 2;", {8, 8000}},
                {"x(end-1:end) = 1;", {0, 16}},
                {"x(x > 3) = 0;", {8000, 8 * 997}},
                {"x(x > 3) = 100;", {8000, 8 * 997}},
                {"x(find(y > 3)) = 0;", {8000 + 1000, 8 * 997 + 1000}},
                {"x(isnan(x)) = 0;", {8000, 0}},
                {"x(2) = [];", {8000, 7992}},
                {"x(x > 5) = [];", {8000, 40}}});
}

TEST(Spellings, ConversionsReadWhatTheyConvert) {
  NEEDS_OCTAVE();
  // A sparse matrix knows how many entries it has.
  expect_bytes({{"z = single(A);", {8e6, 4e6}},
                {"t = sum(double(x));", {8000, 8}},
                {"t = nnz(A);", {8e6, 8}},
                {"t = nnz(S);", {0, 8}},
                {"b = issymmetric(A);", {8e6, 1}}});
}

TEST(Spellings, SizesAreThoseOfTheMomentWhoeverChangedThem) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("longer.m", "x = ones(1000,1);\n");
  files.folder.write("grow.m", "function grow()\nglobal g; g = zeros(1000,1);\nend\n");
  const std::string before = "global g; g = zeros(5,1); x = ones(5,1); y = x;\nlong = ones(1000,1);\n";
  for (const char* change : {"longer", "eval('x = ones(1000,1);');", "assignin('base', 'x', long);"}) {
    const auto done = files.run(before + "%SLM start r;\n" + change + "\ny = x + 1;\n%SLM end r;\n", {"--json"});
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(nlohmann::json::parse(done.out)["regions"][0]["wss_bytes"], 8000) << change << done.out;
  }
  const auto done =
      files.run("%SLM IncFunc grow;\n" + before + "%SLM start r;\ngrow();\ny = g + 1;\n%SLM end r;\n", {"--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_GE(nlohmann::json::parse(done.out)["regions"][0]["wsl_bytes"], 8000) << done.out;
}

TEST(Spellings, ADirectiveMayEndAStatementsLine) {
  NEEDS_OCTAVE();
  const std::string before = "x = ones(1000,1);\n";
  const test::ProgramFiles files;
  const nlohmann::json own = files.region(before + "%SLM start r;\ny = x + 1;\n%SLM end r;\n");
  for (const char* program :
       {"%SLM start r;\ny = x + 1; %SLM end r;\n", "t = 1; %SLM start r;\ny = x + 1; %SLM end r;\n",
        "t = 1; %SLM start r;\ny = x + 1;\n%SLM end r;\n"}) {
    const nlohmann::json region = files.region(before + program);
    EXPECT_EQ(region["wsl_bytes"], own["wsl_bytes"]) << program;
    EXPECT_EQ(region["wss_bytes"], own["wss_bytes"]) << program;
  }
}

TEST(Spellings, WhatAFunctionMovedBeforeItsErrorIsItsAlone) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string program =
      "%SLM IncFunc f;\nx = ones(1000,1); A = ones(1000); w = ones(5,1);\n%SLM start r;\ntry\n  y = f(A, "
      "x);\ncatch\nend\n"
      "w = w + 1;\n%SLM end r;\nfunction r = f(A, a)\nr = A*a;\nr = A*r;\nerror('boo');\nend\n";
  EXPECT_EQ(files.region(program, "f")["wsl_bytes"], 2 * 8'008'000);
  EXPECT_EQ(files.region(program)["wsl_bytes"], 2 * 8'008'000 + 40);
}

// What is only looked at to count it must not run once more, nor become one value where it was several.
TEST(Spellings, ProgramsWithObjectsAndListsStillRun) {
  NEEDS_OCTAVE();
  const std::string before =
      "x = ones(1000,1); V = zeros(1000,3); m = containers.Map(); m('a') = 1; s.m = m; c = {':', 2}; e = {};\n"
      "p = inputParser; p.addParameter('tol', 3); n = 0;\n";
  const std::string body =
      "if m.isKey('a'), n = n + 1; end\nt = m.isKey('b');\nt = s.m.isKey('a');\np.parse('tol', 4);\n"
      "V(c{:}) = x;\nz = [e{:}, 1];\nq = p.Results.tol;\ns.m('b') = 2;\n";
  const test::ProgramFiles files;
  const auto done =
      files.run(before + "%SLM start r;\n" + body + "%SLM end r;\nassert(sum(V(:)) == 1000 && q == 4);\n" +
                "assert(numel(z) == 1 && n == 1 && s.m.isKey('b'));\n");
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST(Spellings, CasesCountByTheText) {
  NEEDS_OCTAVE();
  expect_bytes({{"switch k\n  case sum(sum(A))\n    t = 1;\n  case norm(x)\n    t = 2;\nend", {8e6 + 8000 + 8, 0}}});
}
}  // namespace
}  // namespace sparsecast::memory_traffic

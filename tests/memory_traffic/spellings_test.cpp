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

TEST(Spellings, AnotherNameIsNoCopyHoweverItIsGiven) {
  NEEDS_OCTAVE();
  expect_same({{"z = x(:);", "z = x;"},
               {"z = A(:,:);", "z = A;"},
               {"z = reshape(x, 10, 100);", "z = x;"},
               {"z = reshape(vec(x), [], 10);", "z = x;"},
               {"t = reshape(k, 1, 1);", "t = k;"},
               {"s.c = x(:);", "s.c = x;"},
               {"s.c = s.a;", "z = s.a;"},
               {"d = {x};", "d{1} = x;"},
               {"d = {x, s.a; c{2}, k};", "d{1} = x; d{2} = s.a; d{3} = c{2}; d{4} = k;"},
               {"d = {x, 3};", "d{1} = x; d{2} = 3;"},
               {"q = struct('a', x);", "q.a = x;"},
               {"q = struct('a', x, 'b', s.b);", "q.a = x; q.b = s.b;"},
               {"[z, y] = deal(x, x);", "z = x; y = x;"},
               {"[z, t] = deal(x, k);", "z = x; t = k;"},
               {"[z, y] = deal(x);", "z = x; y = x;"},
               {"z = deal(x);", "z = x;"},
               {"[z, y] = c{:};", "z = c{1}; y = c{2};"},
               {"[z, ~] = c{:};", "z = c{1};"}});
  // A part is one.
  expect_bytes({{"d = {x(1:10)};", {80, 80}}, {"[z, y] = deal(x(1:10), x);", {80, 80 + 8000}}});
}

TEST(Spellings, TransposedByNameOrByMark) {
  NEEDS_OCTAVE();
  expect_same({{"z = ctranspose(A)*x;", "z = A'*x;"},
               {"z = transpose(A)*x;", "z = A.'*x;"},
               {"t = ctranspose(x)*y;", "t = x'*y;"},
               {"z = A*ctranspose(A);", "z = A*A';"},
               {"z = ctranspose(A)*transpose(A);", "z = A'*A.';"},
               {"z = ctranspose(A)*A';", "z = A'*A';"},
               {"z = ctranspose(S)*x;", "z = S'*x;"},
               {"z = ctranspose(A)\\x;", "z = A'\\x;"},
               {"z = norm(ctranspose(A)*x)*x;", "z = norm(A'*x)*x;"}});
  // What is computed stays what it is.
  const test::ProgramFiles files;
  const auto done = files.run(
      "rand('seed', 1); A = rand(40) + 1i*rand(40); B = rand(40, 3); right = {transpose(A)*B, "
      "ctranspose(A)*ctranspose(A)};\n"
      "%SLM start r;\nz = transpose(A)*B;\nw = ctranspose(A)*ctranspose(A);\n%SLM end r;\n"
      "assert(isequal({z, w}, right));\n");
  EXPECT_EQ(done.exit_code, 0) << done.err;
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

// What other statements put into a variable is no matter of those that use it as one number.
TEST(Spellings, SubscriptsThatAreOneNumberAreInARegister) {
  NEEDS_OCTAVE();
  const std::string before = "x = ones(1000,1); y = x; A = ones(100); p = 1:10; i = 3; c = 0;\n";
  for (const char* region :
       {"for k = 1:1000\n  if x(k) > 5, c = c+1; end\nend", "for k = 2:999\n  y(k) = x(k-1) + x(k) + x(k+1);\nend",
        "i = 1;\nwhile i < 100\n  c = c + A(i, 3);\n  y(i) = 2;\n  i = i + 1;\nend", "c = x(i) + i;", "y(p) = x(p);",
        "y(p) = p;", "c = x(p)'*p';"}) {
    const auto in = [&](const std::string& behind) {
      const auto document = test::report(before + "%SLM start r;\n" + region + "\n%SLM end r;\n" + behind);
      const auto& found = document["regions"][0];
      return Bytes{found["wsl_bytes"], found["wss_bytes"]};
    };
    EXPECT_EQ(in("k = numel(find(x)); k = k + sum(x); i = x(1:2); i = i + k;\n"), in("")) << region;
  }
  expect_bytes({{"for m = 1:1000\n  if x(m) > 5, t = t+1; end\nend\nm = sum(x);", {8000 + 995 * 8 + 8000, 995 * 8 + 8}},
                {"p = int32([2 3]); t = sum(x(p));", {8 + 16, 8 + 8}}});
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

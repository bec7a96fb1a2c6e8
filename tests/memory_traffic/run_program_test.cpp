// What a run says of a program: directives for functions, storage, uncertainty, turns of loops, and errors in the
// user's own lines.

#include "memory_traffic/run/run_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
namespace {
using Json = nlohmann::json;

TEST(Directives, FuncNamesWhatMovesNothing) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string marked = "%SLM start r;\ns = sum(x);\n%SLM end r;\n", x = "x = rand(1000,1);\n";
  EXPECT_EQ(files.region(x + marked)["wsl_bytes"], 8000);
  EXPECT_EQ(files.region(x + "%SLM Func sum;\n" + marked)["wsl_bytes"], 0);
  EXPECT_EQ(files.region(x + "%SLM Func sum;\n" + marked)["wss_bytes"], 8);
}

TEST(Directives, IncFuncNamesWhatCountsForItself) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("doubled.m",
                     "function y = doubled(x)\n%SLM FuncStart doubled;\ny = 2*x;\n%SLM FuncEnd doubled;\nend\n");
  const std::string x = "x = rand(1000,1);\n", marked = "%SLM start r;\ny = doubled(x);\n%SLM end r;\n";
  // The function loads its argument and stores its result, and nobody does so again.
  const Json once = files.region(x + "%SLM IncFunc doubled;\n" + marked);
  EXPECT_EQ(once["wsl_bytes"], 8000);
  EXPECT_EQ(once["wss_bytes"], 8000);
  // So does one that is a region from FuncStart to FuncEnd, as it would in the program's own file.
  EXPECT_EQ(files.region(x + marked)["wss_bytes"], 8000);
}

TEST(Storage, IsWhatLivesAtOnceAndNotWhatIsMoved) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  // x and y of 8000 bytes and k, however often they are read.
  EXPECT_EQ(files.region("x = rand(1000,1); y = zeros(1000,1);\n%SLM start r;\nfor k = 1:10\n  y = y + x;\nend\n"
                         "%SLM end r;\n")["sr_bytes"],
            16008);
  // What a called region needs is needed with the caller's own: z inside, x and y outside.
  files.folder.write(
      "inner.m", "function y = inner(x)\n%SLM FuncStart inner;\nz = x + 1;\ny = sum(z);\n%SLM FuncEnd inner;\nend\n");
  const Json outer = files.region("x = rand(1000,1);\n%SLM start r;\ny = inner(x);\n%SLM end r;\n");
  EXPECT_EQ(outer["sr_bytes"].get<double>() -
                files.region("x = rand(1000,1);\n%SLM start r;\ny = sum(x);\n%SLM end r;\n")["sr_bytes"].get<double>(),
            8008);  // z and inner's y
}

TEST(Duplicates, AVariableCountsOnceWhateverPartOfItStandsFirst) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const auto loads = [&](const std::string& statement) {
    return files.region("x = rand(1000,1); y = x; B = rand(20);\n%SLM start r;\n" + statement +
                        "\n%SLM end r;\n")["wsl_bytes"];
  };
  EXPECT_EQ(loads("y = x(1) + x;"), 8000);
  EXPECT_EQ(loads("y = x + x(1);"), 8000);
  EXPECT_EQ(loads("s = sum(x(1:500)) + sum(x);"), 8000);
  EXPECT_EQ(loads("s = sum(x(1:500)./x(2:501));"), 8000);       // two slices, at most the variable
  EXPECT_EQ(loads("y = x(7) + x(1:500)./x(501:1000);"), 8000);  // and an element of one of them
  EXPECT_EQ(loads("s = 0; if x(1) > 2 && sum(x) > 0, s = 1; end"), 8) << "the right side was not evaluated";
}

TEST(Stores, OfAPartThatEndNamesAreThePart) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const auto stores = [&](const std::string& statement) {
    return files.region("A = rand(50); u = rand(50,1); k = [3 1 2]; x = rand(1,20);\n%SLM start r;\n" + statement +
                        "\n%SLM end r;\n")["wss_bytes"];
  };
  EXPECT_EQ(stores("A(:, end) = u;"), 400);
  EXPECT_EQ(stores("A(end, :) = u';"), 400);
  EXPECT_EQ(stores("A(2:end, end-1:end) = 7;"), 49 * 2 * 8);
  EXPECT_EQ(stores("A(:, k(end)) = u;"), 400);
  EXPECT_EQ(stores("A(k(2:end), end) = 1;"), 2 * 8);
  EXPECT_EQ(stores("x(11:end) = 0;"), 80);
  EXPECT_EQ(stores("x(end+1:end+5) = 0;"), 40);  // which grow
  EXPECT_EQ(stores("A(:, end+1) = u;"), 400);
}

TEST(Neighbours, AreNotOfTheProgramWhereAVariableHasTheirName) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  // Of the same region's name, which two files of a program may not have.
  for (const char* const name : {"x.m", "p.m", "k.m", "h.m"})
    files.folder.write(name, "%SLM start r;\nz = ones(9);\n%SLM end r;\n");
  const std::string text =
      "x = rand(1000,1);\n%SLM IncFunc f;\n%SLM start r;\nfor k = 1:2\n  s = f(x);\nend\n"
      "%SLM end r;\ng = @(h) h + 1;\nfunction y = f(p)\n  y = sum(p);\nend\n";
  EXPECT_EQ(files.region(text)["wsl_bytes"], 16000);
}

TEST(Products, OfTwoTransposedMatricesStoreNeither) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  for (const std::string product : {"A*B", "A'*B", "A*B'", "A'*B'", "A.'*B'", "A'*B.'", "A.'*B.'"}) {
    const Json r = files.region("A = rand(30); B = rand(30);\n%SLM start r;\nC = " + product + ";\n%SLM end r;\n");
    EXPECT_EQ(r["wsl_bytes"], 2 * 7200) << product;
    EXPECT_EQ(r["wss_bytes"], 7200) << product;
  }
  // Of sparse ones the first is read by columns as often as the second has entries in the row: A = [1 1; 0 0] by
  // columns of one entry each once; A' has one of two, for a row of B' = [1 1; 0 0] with two: 36 bytes once more.
  const auto doubt = [&](const std::string& product) {
    return files.region("A = sparse([1 1], [1 2], 1, 2, 2); B = A';\n%SLM start r;\nC = " + product +
                        ";\n%SLM end r;\n")["sparse_uncertainty_bytes"];
  };
  EXPECT_EQ(doubt("A*B"), 0);
  EXPECT_EQ(doubt("A'*B'"), 36);
}

TEST(Uncertainty, OfADenseProductIsWhatBlocksReadAgain) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const Json r = files.region("A = rand(200); B = rand(200,100);\n%SLM start r;\nC = A*B;\n%SLM end r;\n");
  EXPECT_EQ(r["dgemm_bytes"], 320000 + 160000);
  // 200 rows and 100 columns of C are 6 and 3 blocks of 36: A is read 3 times, B 6 times.
  EXPECT_EQ(r["dgemm_uncertainty_bytes"], 2 * 320000 + 5 * 160000);
  EXPECT_EQ(r["wsl_uncertainty_bytes"], r["dgemm_uncertainty_bytes"]);
  // One block reads everything once.
  EXPECT_EQ(files.region("A = rand(30);\n%SLM start r;\nC = A*A;\n%SLM end r;\n")["dgemm_uncertainty_bytes"], 0);
}

TEST(Uncertainty, OfSolvesAndSortsIsInTheTotal) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  // 216 rows: a factorization in blocks of 36 reads the matrix twice.
  const Json solve = files.region("A = rand(216); b = rand(216,1);\n%SLM start r;\nx = A\\b;\n%SLM end r;\n");
  EXPECT_EQ(solve["wsl_uncertainty_bytes"], 8 * 216 * 216);
  EXPECT_EQ(solve["dgemm_uncertainty_bytes"], 0);
  // 128 KB are four times 32 KB: two passes.
  EXPECT_EQ(files.region("x = rand(16384,1);\n%SLM start r;\ny = sort(x);\n%SLM end r;\n")["wsl_uncertainty_bytes"],
            131072);
  EXPECT_EQ(files.region("x = rand(1000,1);\n%SLM start r;\ny = x + 1;\n%SLM end r;\n")["wsl_uncertainty_bytes"], 0);
}

TEST(Iterations, AreTheTurnsOfTheOnlyOuterLoop) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string x = "x = rand(1000,1); y = x;\n";
  const Json loop =
      files.region(x +
                   "%SLM start r;\nfor k = 1:25\n  for j = 1:2, y = y + x; end\n  if k == 20, break; end\n"
                   "end\n%SLM end r;\n");
  EXPECT_EQ(loop["per_iteration"]["iterations"], 20);
  EXPECT_EQ(loop["per_iteration"]["loop_line"], 3);
  EXPECT_DOUBLE_EQ(loop["per_iteration"]["wsl_bytes"].get<double>(), 2 * 2 * 8000 + 8);  // and k, to be compared
  for (const char* const head : {"k = 0;\nwhile k < 7\nk = k + 1;", "k = 0;\ndo\nk = k + 1;"}) {
    const bool until = std::string(head).find("do\n") != std::string::npos;
    const Json other = files.region(x + "%SLM start r;\n" + head + "\ny = y + x;\n" + (until ? "until k == 7" : "end") +
                                    "\n%SLM end r;\n");
    EXPECT_EQ(other["per_iteration"]["iterations"], 7) << head;
  }
  // A region inside a loop: of a call. Two loops: of neither.
  const Json called = files.region(x + "for k = 1:3\n%SLM start r;\ny = y + x;\n%SLM end r;\nend\n");
  EXPECT_EQ(called["per_iteration"]["iterations"], 3);
  EXPECT_EQ(called["per_iteration"]["loop_line"], 0);
  EXPECT_FALSE(
      files.region(x + "%SLM start r;\nfor k = 1:3, y = y + x; end\nfor k = 1:4, y = y + x; end\n%SLM end r;\n")
          .contains("per_iteration"));
}

TEST(Errors, StandInTheUsersOwnLineOnce) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const auto complaint = [&](const std::string& program) {
    const auto done = files.run(program);
    EXPECT_NE(done.exit_code, 0);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(done.err.find("near line"), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("slm_"), std::string::npos) << done.err;
    return done.err;
  };
  const std::string head = "n = 10;\nx = ones(n,1); A = ones(3);\n%SLM start a;\n",
                    tail = "%SLM end a;\n%SLM print a;\n";
  EXPECT_NE(complaint(head + "y = x*(1 + 2;\nz = 3;\n" + tail).find("program.m:4:"), std::string::npos);
  EXPECT_NE(complaint(head + "y = [1 2\n" + tail).find("program.m:4:"), std::string::npos);
  EXPECT_NE(complaint(head + "y = f(1, 2\nfor k = 1:3\nend\n" + tail).find("program.m:4:"), std::string::npos);
  EXPECT_NE(complaint(head + "for k = 1:3\n  x = x + betta;\nend\n" + tail).find("program.m:5: 'betta' undefined"),
            std::string::npos);
  EXPECT_NE(complaint(head + "y = A*x;\n" + tail).find("program.m:4: "), std::string::npos);
  EXPECT_NE(complaint(head + "y = x(11);\n" + tail).find("program.m:4: "), std::string::npos);
  EXPECT_NE(complaint(head + "if n > 3\n  y = 1;\n  error('no luck');\nend\n" + tail).find("program.m:6: no luck"),
            std::string::npos);
}

TEST(Help, SaysThatTheProgramRuns) {
  const std::string help = test::sparsecast({"traffic", "--help"}).out;
  for (const char* const word : {"runs", "Octave", "--no-run", "SR", "WSL", "WSS"})
    EXPECT_NE(help.find(word), std::string::npos) << word;
}

}  // namespace
}  // namespace sparsecast::memory_traffic

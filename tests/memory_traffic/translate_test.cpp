// The translation: counts that a person can check, results that stay bit for bit, functions that keep their manners.

#include "memory_traffic/translate/translate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sparsecast/error.hpp>

#include "moved.hpp"
#include "octave.hpp"
#include "support/schema.hpp"

namespace sparsecast::memory_traffic {
namespace {

using test::Bytes;
using test::CommandResult;
using test::moved;
using test::report;
using test::TemporaryFolder;
using Json = nlohmann::json;

std::string translated(const std::string& text) { return translate(SourceText("test.m", text), "test").text; }

TEST(Translation, SplitsProfiledFunctionsOverTemporariesNamedByPlace) {
  // Dennis, Jessup, Waite 2010, section 2.3.
  const std::string text = translated("%SLM start a;\nt=sin(r)+cos(z);\n%SLM end a;\nr=rand(3);z=r;");
  EXPECT_NE(text.find("[slm_L2C3, slm_sin_L2C3] = "), std::string::npos) << text;
  EXPECT_NE(text.find("[slm_L2C10, slm_cos_L2C10] = "), std::string::npos) << text;
}

TEST(Translation, KeepsWhatItDoesNotChange) {
  const std::string text =
      translated("% head\nx = 1;   % tail\n%SLM start a;\n  y = x ... more\n    + 1; # end\n%SLM end a;\n%! test\n");
  for (const char* part : {"% head\n", "x = 1;   % tail\n", "y = x ... more\n    + 1; # end\n", "%! test\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Translation, RefusesDirectivesThatDoNotMatch) {
  for (const char* text :
       {"%SLM start a;\nx=1;\n", "%SLM end a;\n", "%SLM start a;\n%SLM start b;\n%SLM end a;\n%SLM end b;\n",
        "if 1\n%SLM start a;\nend\n%SLM end a;\n", "%SLM begin a;\n", "%SLM start a;\n%SLM end a;\n%SLM print b;\n",
        "x = 1;\n", "%SLM start a;\nslm_x = 1;\n%SLM end a;\n"}) {
    try {
      translated(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << text;
      EXPECT_GT(error.place().line, 0) << text;
    }
  }
}

TEST(Translation, RefusesCommentsThatWereMeantAsDirectives) {
  const std::string region = "%SLM start a;\nx = 1;\n%SLM end a;\n";
  for (const char* text : {"#SLM start b;", "# SLM end b", "% slm start b;", "%SLMprint b;", "%Slm incfunc b, c;",
                           "%SLMFuncStart b;", "x = 2; # SLM Func b;"})
    EXPECT_THROW(translated(region + text + "\n"), Error) << text;
  // Prose, names, and what was made a comment by a second mark.
  for (const char* text : {"% SLMs are counters", "# slm start of the loop", "%%SLM start b;", "% %SLM end b;",
                           "# slm print; then more", "% slm", "%slm_start b;", "x = 'a'; # slm: start b;"})
    EXPECT_NO_THROW(translated(region + text + "\n")) << text;
}

TEST(Translation, AnEmptyMatrixInACellIsNoDeletion) {
  // What is stored is not known here; what remains of an array is.
  const std::string text = translated("%SLM start a;\nfor k = 1:3\n c{k} = [];\n x(k) = [];\nend\n%SLM end a;\n");
  EXPECT_NE(text.find("c{k} = [];"), std::string::npos) << text;
  EXPECT_NE(text.find("slm_x"), std::string::npos) << text;
}

TEST(Translation, RefusesToClearItsOwnCounters) {
  for (const char* text : {"%SLM start a;\nclear all\n%SLM end a;\n", "%SLM start a;\nclear('all');\n%SLM end a;\n",
                           "%SLM start a;\nclear;\n%SLM end a;\n", "%SLM start a;\nclearvars\n%SLM end a;\n"})
    EXPECT_THROW(translated(text), Error) << text;
}

TEST(Counting, GoesOnWhenEvaluatedTextClearsAllGlobalVariables) {
  NEEDS_OCTAVE();
  const std::string x = "x = rand(1000,1); text = 'clear -global';";
  const auto [loads, stores] = moved(x, "s = sum(x);\neval(text);\ns = sum(x);");
  EXPECT_EQ(loads, 16000);
  EXPECT_EQ(stores, 16);
}

TEST(Counting, OneStatementAtATime) {
  NEEDS_OCTAVE();
  const std::string x = "x = rand(1000,1); y = rand(1000,1); A = rand(100); a = rand; n = 7;";
  EXPECT_EQ(moved(x, "y = y + x;"), Bytes(16000, 8000));
  EXPECT_EQ(moved(x, "s = x'*x;"), Bytes(8000, 8));     // the duplicate correction
  EXPECT_EQ(moved(x, "m = size(A, 1);"), Bytes(0, 8));  // the function call correction
  EXPECT_EQ(moved(x, "m = size(x'*y);"), Bytes(16000, 16));
  EXPECT_EQ(moved(x, "q = x;"), Bytes(0, 0));  // the copy correction
  EXPECT_EQ(moved(x, "m = n;"), Bytes(8, 8));
  EXPECT_EQ(moved(x, "y = x(1:10);"), Bytes(80, 80));
  EXPECT_EQ(moved(x, "x(11:30) = 0;"), Bytes(0, 160));
  EXPECT_EQ(moved(x, "w = A*A(:,1);"), Bytes(80000, 800));  // a part of what is read anyway
  EXPECT_EQ(moved(x, "z = single(x) > 0;"), Bytes(8000, 1000));
}

TEST(Counting, OnlyWhatRunsAndAsOftenAsItRuns) {
  NEEDS_OCTAVE();
  const std::string x = "x = rand(1000,1); k = 0;";
  EXPECT_EQ(moved(x, "for i = 1:10\n s = sum(x);\nend"), Bytes(80000, 80));
  EXPECT_EQ(moved(x, "for i = 1:10\n if i > 3, break; end\n s = sum(x);\nend"), Bytes(24000 + 4 * 8, 24));
  // Three turns, four tests; the test that break takes no notice of is not counted.
  EXPECT_EQ(moved(x, "while k < 3\n k = k + 1;\nend"), Bytes(7 * 8, 3 * 8));
  EXPECT_EQ(moved(x, "while k < 9\n k = k + 1; if k == 2, break; end\nend"), Bytes(2 * 3 * 8, 2 * 8));
  EXPECT_EQ(moved(x, "try\n s = sum(x); error('e'); s = sum(x);\ncatch\n s = 1;\nend"), Bytes(8000, 16));
  EXPECT_EQ(moved(x, "if k == 1\n s = 1;\nelseif sum(x) > 0\n s = 2;\nend"), Bytes(8 + 8000, 8));
}

TEST(Counting, FunctionsCountOnEveryWayOut) {
  NEEDS_OCTAVE();
  const std::string program =
      "1;\nfunction y = f(x, k)\n%SLM FuncStart f;\n  y = sum(x);\n  if k == 1, return; end\n  if k == 2, error('no'); "
      "end\n  y = y + sum(x);\n%SLM FuncEnd f;\nend\n"
      "x = rand(100, 1);\n%SLM start all;\nfor k = 1:3\n  try\n    f(x, k);\n  catch\n  end\nend\n%SLM end all;\n";
  const Json document = report(program);
  ASSERT_EQ(document["regions"].size(), 2u);
  for (const Json& region : document["regions"]) {
    // sum(x) four times, k tested five times, y read and added once.
    EXPECT_EQ(region["wsl_bytes"].get<double>(), 4 * 800 + 5 * 8 + 8) << region;
    EXPECT_EQ(region["calls"].get<int>(), region["name"] == "f" ? 3 : 1);
  }
}

TEST(Counting, SparseProductsTellTheirUncertainty) {
  NEEDS_OCTAVE();
  const Json region = report(
      "n = 1000; A = spdiags(ones(n,3), -1:1, n, n); x = rand(n,1);\n%SLM start p;\ny = A*x;\n%SLM end p;\n")["regions"]
                                                                                                             [0];
  const double matrix = 2998 * 12 + 1001 * 4;
  EXPECT_EQ(region["sparse_bytes"].get<double>(), matrix + 8000);
  EXPECT_EQ(region["sparse_uncertainty_bytes"].get<double>(), 8000);
  EXPECT_EQ(region["dgemm_bytes"].get<double>(), 0);
}

class Programs : public ::testing::TestWithParam<const char*> {};

TEST_P(Programs, LeaveTheSameVariablesWhenTranslated) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  const std::filesystem::path program = std::filesystem::path(SPARSECAST_SOURCE_DIR) / GetParam();
  const auto copy = folder.path() / program.filename();
  std::ofstream(copy)
      << translate(SourceText(program.string(), test::read_text(program)), program.stem().string()).text;
  EXPECT_TRUE(test::leave_the_same(program, copy, test::library(folder)));
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         ::testing::Values("tests/memory_traffic/programs/language.m",
                                           "tests/memory_traffic/programs/numerics.m", "examples/traffic/cg.m",
                                           "examples/traffic/bicgstab_proto.m", "examples/traffic/gmres_proto.m",
                                           "examples/traffic/blgmres.m", "examples/traffic/jacobi.m",
                                           "examples/traffic/power_iteration.m", "examples/traffic/vcycle.m",
                                           "examples/traffic/pcg2d.m", "examples/traffic/pcg1d.m"));

// Octave's own functions carry their own tests: translated, they pass as many.
class OctaveFunctions : public ::testing::TestWithParam<const char*> {
 protected:
  // Marks the whole body of the first function, as a user would.
  static std::string annotated(const std::string& text, const std::string& name) {
    std::istringstream in(text);
    std::string out, line, signature;
    enum { before, head, body, behind } state = before;
    while (std::getline(in, line)) {
      if (state == before && line.starts_with("function")) state = head;
      if (state == body && std::regex_search(line, std::regex("^end(function)?\\s*([%#].*)?$"))) {
        out += "%SLM FuncEnd " + name + ";\n";
        state = behind;
      }
      out += line + "\n";
      if (state == head) {
        signature += line;
        const auto count = [&](char c) { return std::count(signature.begin(), signature.end(), c); };
        if (!line.ends_with("...") && count('(') <= count(')')) {
          out += "%SLM FuncStart " + name + ";\n";
          state = body;
        }
      }
    }
    return out;
  }
};

TEST_P(OctaveFunctions, PassTheirOwnTestsWhenTranslated) {
  NEEDS_OCTAVE();
  const std::string name = GetParam();
  std::string original = test::octave("disp(which('" + name + "'))").out;
  original = original.substr(0, original.find('\n'));
  const TemporaryFolder folder;
  const std::filesystem::path beside = std::filesystem::path(original).parent_path() / "private";
  std::filesystem::create_directory(folder.path() / "here");
  if (std::filesystem::is_directory(beside)) std::filesystem::copy(beside, folder.path() / "here/private");
  const auto copy = folder.path() / "here" / (name + ".m");
  std::ofstream(copy) << translate(SourceText(name + ".m", annotated(test::read_text(original), name)), name).text;
  const auto passed = [&](const std::string& path, const std::string& file) {
    const std::string out = test::octave("warning('off', 'all'); " + path + " [a, b] = test('" + file +
                                         "', 'quiet', '/dev/null'); printf('passed %d of %d\\n', a, b);")
                                .out;
    std::smatch match;
    return std::regex_search(out, match, std::regex("passed (\\d+) of (\\d+)")) ? std::stoi(match[1]) : -1;
  };
  const int before = passed("", original);
  const int after = passed(
      "addpath('" + test::library(folder) + "'); addpath('" + (folder.path() / "here").string() + "');", copy.string());
  EXPECT_GT(before, 0);
  EXPECT_GE(after, before);
}

INSTANTIATE_TEST_SUITE_P(All, OctaveFunctions,
                         ::testing::Values("pcg", "gmres", "bicgstab", "bicg", "cgs", "expm", "null", "orth", "polyfit",
                                           "polyval", "roots", "cond", "normest1", "cross", "trapz", "circshift"));

TEST(Counting, PcgMovesWhatACountByHandGives) {
  NEEDS_OCTAVE();
  // The statements of one turn of Octave's pcg that move vectors, as they stand there.
  const std::string program =
      "n = 1000; A = spdiags([-ones(n,1), 4*ones(n,1), -ones(n,1)], -1:1, n, n); r = ones(n,1); p = zeros(n,1); x = p; "
      "Afun = @(v) A*v; tau = 1; old_tau = 1;\n"
      "%SLM start turn;\ntau = r' * r;\nbeta = tau / old_tau;\np = r + beta * p;\nw = feval (Afun, p);\nden = p' * "
      "w;\nalpha = tau / den;\n"
      "x += alpha * p;\nr -= alpha * w;\n%SLM end turn;\n";
  const Json region = report(program)["regions"][0];
  const double v = 8000, matrix = 2998 * 12 + 1001 * 4;
  // r; tau, old_tau; r, beta, p; A and p; p, w; tau, den; x, alpha, p; r, alpha, w
  EXPECT_EQ(region["wsl_bytes"].get<double>(),
            v + 16 + (2 * v + 8) + (matrix + v) + 2 * v + 16 + (2 * v + 8) + (2 * v + 8));
  EXPECT_EQ(region["wss_bytes"].get<double>(), 8 + 8 + v + v + 8 + 8 + v + v);
  EXPECT_EQ(region["sparse_bytes"].get<double>(), matrix + v);
}

TEST(Command, TellsWhereAProgramFails) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  const auto run = [&](const std::string& text, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"traffic", folder.write("bad.m", text).string()});
    return test::sparsecast(more, {"SPARSECAST_HOME=" + folder.path().string()});
  };
  CommandResult result = run("x = rand(3);\n%SLM start a;\ny = x*x;\nz = nowhere + 1;\n%SLM end a;\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("bad.m:4: 'nowhere' undefined"), std::string::npos) << result.err;
  result = run("%SLM start a;\nwhile true\n x = 1;\nend\n%SLM end a;\n", {"--time-limit", "2"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("did not finish within 2 s"), std::string::npos) << result.err;
  result = run("%SLM start a;\nexit(0);\n%SLM end a;\n");
  EXPECT_EQ(result.exit_code, 1);
  result = run("%SLM start a;\nx = 1;\n%SLM end a;\n", {"--machine", "no-such-machine"});
  EXPECT_NE(result.exit_code, 0);
}

TEST(Command, SaysHowToGetOctave) {
  const TemporaryFolder folder;
  const auto program = folder.write("a.m", "%SLM start a;\nx = 1;\n%SLM end a;\n");
  const CommandResult result = test::sparsecast({"traffic", program.string()},
                                                {"PATH=/nonexistent", "SPARSECAST_HOME=" + folder.path().string()});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_NE(result.err.find("install"), std::string::npos) << result.err;
}

TEST(Command, ComparesTwoPrograms) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  const auto first = folder.write("a.m", "x = rand(1000,1);\n%SLM start r;\ny = x + 1;\nz = x + y;\n%SLM end r;\n");
  const auto second = folder.write("b.m", "x = rand(1000,1);\n%SLM start r;\nz = 2*x + 1;\n%SLM end r;\n");
  const CommandResult run = test::sparsecast({"traffic", "--compare", first.string(), second.string(), "--json"},
                                             {"SPARSECAST_HOME=" + folder.path().string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(test::fits_its_schema(run.out));
  const Json document = Json::parse(run.out);
  EXPECT_EQ(document["regions"][0]["wsl_difference_bytes"].get<int>(), -16000);
  EXPECT_EQ(document["lines"].size(), 3u);
}

TEST(Command, WritesPagesOfOneProgramAndOfTwo) {
  NEEDS_OCTAVE();
  const TemporaryFolder folder;
  const auto first = folder.write("a.m", "x = rand(1000,1); s = '<&>';\n%SLM start r;\ny = x + 1;\n%SLM end r;\n");
  const auto second = folder.write("b.m", "x = rand(1000,1);\n%SLM start r;\nz = 2*x;\n%SLM end r;\n");
  const auto page = folder.path() / "page.html";
  const std::vector<std::string> store{"SPARSECAST_HOME=" + folder.path().string()};
  ASSERT_EQ(test::sparsecast({"traffic", first.string(), "--html", page.string()}, store).exit_code, 0);
  // The data that the page draws (tests/pages draws it in a browser): nothing of a program can end it.
  std::string text = test::read_text(page);
  EXPECT_NE(text.find("s = '\\u003c&>';"), std::string::npos);
  EXPECT_EQ(text.find("s = '<&>';"), std::string::npos);
  ASSERT_EQ(test::sparsecast({"traffic", "--compare", first.string(), second.string(), "--html", page.string()}, store)
                .exit_code,
            0);
  text = test::read_text(page);
  for (const char* line : {"y = x + 1;", "z = 2*x;", "sparsecast/traffic-compare/1"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(Command, FindsItsLibraryWhereverTheExecutableLies) {
  const TemporaryFolder folder;
  const auto moved_command = folder.path() / "elsewhere";
  std::filesystem::copy_file(SPARSECAST_COMMAND, moved_command);
  const CommandResult run = test::run_program(moved_command.string(), {"traffic", "--library"},
                                              {"SPARSECAST_HOME=" + (folder.path() / "store").string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::filesystem::path library = run.out.substr(0, run.out.find('\n'));
  EXPECT_TRUE(library.string().starts_with((folder.path() / "store").string())) << library;
  for (const char* file : {"SLMenter.m", "SLMmtimes.m", "SLMsin.m"})
    EXPECT_TRUE(std::filesystem::exists(library / file)) << file;
}

}  // namespace
}  // namespace sparsecast::memory_traffic

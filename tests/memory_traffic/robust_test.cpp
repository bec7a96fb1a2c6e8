// What surrounds a program leaves its bytes alone: line ends, nested functions, names that are also functions, errors
// that somebody catches, the file in which a function stands.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "memory_traffic/run/run_program.hpp"
#include "memory_traffic/translate/translate.hpp"
#include "moved.hpp"
#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
namespace {
using Json = nlohmann::json;
using test::Bytes;

Json report(const test::ProgramFiles& files, const std::string& program) {
  const auto done = files.run(program, {"--json"});
  EXPECT_EQ(done.exit_code, 0) << program << done.err;
  EXPECT_TRUE(test::fits_its_schema(done.out));
  return done.exit_code == 0 ? Json::parse(done.out) : Json();
}
Bytes bytes_of(const Json& document, const std::string& name = "r") {
  for (const Json& region : document["regions"])
    if (region["name"] == name) return {region["wsl_bytes"], region["wss_bytes"]};
  return {-1, -1};
}

TEST(LineEnds, AreLineEndsHoweverTheyAreWritten) {
  NEEDS_OCTAVE();
  const std::string program =
      "x = ones(1000,1); % a note\n%{\ny = x + 1;\n%}\n# another: \xc3\xa4\n%SLM start r;\nfor k = 1:3 % turns\n\ty = "
      "x "
      "+ ... goes on\n\t    k;\nendfor\nif norm(y) != 3, t = 'a%b'; end\n%SLM end r;";
  const test::ProgramFiles files;
  const Bytes plain = bytes_of(report(files, program));
  EXPECT_EQ(plain.first, 3 * (8000 + 8) + 8000);
  for (const char* const end : {"\r\n", "\r"})
    for (const char* const mark : {"", "\xEF\xBB\xBF"})
      for (const char* const last : {"", "\n"})
        EXPECT_EQ(bytes_of(report(files, mark + base::replaced(program, "\n", end) + last)), plain) << end;
  // One among others: a comment ends there.
  EXPECT_EQ(bytes_of(report(files, base::replaced(program, "note\n", "note\r"))), plain);
  EXPECT_EQ(bytes_of(report(files, base::replaced(program, "turns\n", "turns\r"))), plain);
}

TEST(NestedFunctions, ShareVariablesWithWhatIsAround) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const auto nested = [&](const std::string& call, const std::string& inside) {
    return report(files, "function out = program()\nx = ones(5,1); out = 0; k = 2;\n%SLM start r;\n" + call +
                             "\nout = x + 1;\n%SLM end r;\n" + inside + "end\n");
  };
  const std::string grow = "  function t = grow(a)\n    x = ones(1000,1); t = a;\n  end\n";
  // Whoever calls it and wherever: x has another size behind it.
  for (const char* const call :
       {"grow(1);", "grow(1)", "t = grow(1);", "t = 1 + grow(2);", "f = @grow; f(1);", "f = @grow; t = f(1);",
        "t = feval(@grow, 1);", "f = @(k) grow(k); t = f(3);", "t = cellfun(@grow, {1});", "if grow(1), k = 3; end",
        "while grow(1) > 1, k = 3; end", "switch grow(1), case 1, k = 3; end", "for j = grow(1), k = j; end",
        "do, k = 3; until grow(1)", "if k == 3, elseif grow(1), end", "try, grow(1); catch, end"})
    EXPECT_GE(bytes_of(nested(call, grow)).first, 8000) << call;
  // A number of the parent's that becomes an array, and one that it only mentions.
  EXPECT_GE(bytes_of(nested("k(1);grow(1); t = k + 1;", "  function grow(a)\n    k = ones(1000,1);\n  end\n")).first,
            8000);
  EXPECT_GE(bytes_of(nested("grow(1); t = z + 1;", "  function grow(a)\n    z = ones(1000,1);\n  end\n")).first, 8000);
  // One that counts for itself knows the variables around it, and leaves the sizes of those that it has for itself.
  const std::string whole =
      "  function t = sums(y)\n%SLM FuncStart sums;\n    t = sum(big);\n    x = 3*y;\n%SLM FuncEnd sums;\n  end\n";
  const Json document = nested("big = ones(1000,1); t = sums(4); z = 2*big;", whole);
  EXPECT_EQ(bytes_of(document, "sums"), Bytes(8000 + 8, 8 + 8)) << document;
  EXPECT_TRUE(document["unanalysed"].empty()) << document["unanalysed"];
  const std::string own =
      "  function t = size_of(x)\n%SLM FuncStart size_of;\n    t = sum(x);\n%SLM FuncEnd size_of;\n  end\n";
  EXPECT_EQ(bytes_of(nested("x = ones(1000,1); t = size_of(3);", own)).first, 8 + 8000);
}

TEST(SharedVariables, HaveTheirSizesWhoeverChangesThem) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("grow.m", "function t = grow(k)\nglobal g; g = zeros(1000,1); t = 1;\nend\n");
  files.folder.write("longer.m", "g = ones(1000,1);\n");
  for (const char* const call :
       {"f = @grow; f(1);", "f = @(k) grow(k); t = f(1);", "t = feval('grow', 1);", "t = cellfun(@grow, {1});",
        "s.f = @grow; s.f(1);", "c = {@grow}; c{1}(1);", "if grow(1), t = 2; end", "while grow(1) > 1, t = 2; end",
        "for k = grow(1), t = 2; end", "switch grow(1), case 1, t = 2; end", "do, t = 1; until grow(1)", "run longer.m",
        "grow 1", "source longer.m"}) {
    const Json document =
        report(files, std::string("global g; g = ones(5,1);\n%SLM start r;\n") + call + "\ny = g + 1;\n%SLM end r;\n");
    EXPECT_GE(bytes_of(document).first, 8000) << call;
    EXPECT_FALSE(document["unanalysed"].empty()) << call;
  }
}

TEST(Directives, WithNamesOfNothingSaySo) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("loud.m", "function y = loud(x)\ny = 2*x;\nend\n");
  const std::string program = "x = ones(1000,1);\n%SLM start r;\ny = loud(x); z = feval('quiet', 1);\n%SLM end r;\n";
  files.folder.write("quiet.m", "function y = quiet(x)\ny = 1;\nend\n");
  const auto remarks = [&](const std::string& directive) {
    return report(files, "1;\n" + directive + "\n" + program)["remarks"].dump();
  };
  for (const char* const directive : {"%SLM IncFunc luod;", "%SLM Func luod;", "%SLM IncFunc loud, luod;"}) {
    const std::string said = remarks(directive);
    EXPECT_NE(said.find("'luod' ("), std::string::npos) << said;
    EXPECT_NE(said.find("program.m:2), which nothing"), std::string::npos) << said;
  }
  EXPECT_EQ(remarks("%SLM IncFunc loud;\n%SLM Func quiet;").find("spelling"), std::string::npos);
}

TEST(Elements, AreAsManyLoadsAsThereAre) {
  NEEDS_OCTAVE();
  const std::string given =
      "n = 1000; x = (1:n)'; A = rand(n); t = 0; k = 3; j = 4; q = @(u) sum(u); s = struct(); c = {};\n";
  const std::vector<std::pair<std::string, Bytes>> statements = {
      {"t = x(1) + x(2);", {16, 8}},
      {"t = x(1) + x(1);", {8, 8}},
      {"t = x(1) - x(500)*x(end);", {24, 8}},
      {"t = x(k) + x(j);", {16, 8}},
      {"t = A(1,1)*A(2,2) - A(1,2)*A(2,1);", {32, 8}},
      {"t = A(k,j)*A(j,k);", {16, 8}},
      {"t = x(2*k) + x(2*k+1);", {16 + 8, 8}},
      // Neighbours along a variable load one element anew; k is read to compute subscripts.
      {"t = x(k-1) + x(k) + x(1+k);", {8 + 8, 8}},
      {"t = A(k-1,j) + A(k,j) + A(k,j+1);", {8 + 16, 8}},
      {"t = x(1) + sum(x);", {8000, 8}},
      {"t = x(1) + x(2) + sum(x(1:3));", {40, 8}},
      // Handed to a function they are no less.
      {"t = sqrt(x(3)) + sqrt(x(4));", {16, 8}},
      {"t = max(x(3), x(4));", {16, 8}},
      {"t = mod(x(3), 2);", {8, 8}},
      // A part is made anew wherever it goes; a variable is renamed.
      {"c = {x(1:10)};", {80, 80}},
      {"t = reshape(x(1:10), 2, 5);", {80, 80}},
      {"s = struct('a', x(1:10));", {80, 80}},
      {"c = {q(x)};", {8000, 8}},
      {"c = {x(:)};", {0, 8000}}};
  std::vector<std::string> all;
  for (const auto& [statement, bytes] : statements) all.push_back(statement);
  const std::vector<Bytes> found = test::moved_each(given, all);
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(found[k], statements[k].second) << all[k];
}

TEST(Names, OfFunctionsMayBeVariables) {
  NEEDS_OCTAVE();
  const auto program = [](const std::string& name) {
    return name + " = [7 8]; n = 100; x = (1:n)'; y = [x;1]; A = rand(n); V = rand(n,3); t = 0;\n" +
           "%SLM start r;\nz = A*x + y(2:n+1); y(3) = 4; x(x>4) = 1; V(:,end) = x; q = A(:,1)'*A(:,2) + x(end);\n" +
           "for k_ = 1:3, t = t + " + name + "(1); end\neval('t = 3;');\n%SLM end r;\n";
  };
  const test::ProgramFiles files;
  const Bytes plain = bytes_of(report(files, program("mine")));
  for (const char* const name : {"exist", "size", "numel", "max", "isempty", "builtin", "sum", "any", "fopen", "fflush",
                                 "stdout", "exit", "strrep", "warning", "addpath", "source", "strcmp", "zeros"}) {
    const auto done = files.run(program(name), {"--json", "--scopes"});
    ASSERT_EQ(done.exit_code, 0) << name << done.err;
    EXPECT_EQ(bytes_of(Json::parse(done.out)), plain) << name;
  }
  // An error is told all the same.
  const auto failed = files.run(program("numel") + "fopen = 1; exit = 2;\nerror('no luck');\n");
  EXPECT_NE(failed.err.find("program.m:8: no luck"), std::string::npos) << failed.err;
  const auto both = files.run(program("exist") + "builtin = 3;\n");
  EXPECT_EQ(both.exit_code, 3) << both.err;
}

TEST(Errors, LeaveWhatMovedBeforeThem) {
  NEEDS_OCTAVE();
  const std::string given = "x = ones(1000,1); A = ones(1000); w = ones(5,1); y = 0;\n";
  const double product = 8'008'000;
  const test::ProgramFiles files;
  files.folder.write("plain.m", "function plain(x)\nerror('there');\nend\n");
  const std::vector<const char*> raises{"q = a(numel(a)+1);",
                                        "q = not_there;",
                                        "q = r*r;",
                                        "c = {1}; c{3};",
                                        "assert(false);",
                                        "chol(-1);",
                                        "me = MException('a:b', 'c'); throw(me);",
                                        "me = MException('a:b', 'c'); me.rethrow();",
                                        "plain(3);",
                                        "print_usage();",
                                        "if not_there(1), q = 1; end",
                                        "try, error('a'); catch err, rethrow(err); end",
                                        "validateattributes(3, {'char'}, {});",
                                        "unwind_protect, error('a'); unwind_protect_cleanup, end"};
  const std::vector<const char*> calls{"try\n  y = f(A, x);\ncatch\nend", "try, y = f(A, x); catch err, w(1) = 2; end",
                                       "try; y = f(A, x); catch err; end"};
  for (std::size_t k = 0; k < raises.size(); ++k) {
    const std::string text = std::string("function r = f(A, a)\n%SLM FuncStart f;\nr = A*a;\nr = A*r;\n") + raises[k] +
                             "\nr = A*r;\n%SLM FuncEnd f;\nend\n";
    files.folder.write("f.m", text);
    for (std::size_t c = 0; c < calls.size(); ++c) {
      // Around the region or within it: of f is counted what it did, and what follows is not its.
      for (const bool within : {true, false}) {
        // The first error every way, the others one way each.
        if (k > 0 && (k % calls.size() != c || within != (k % 2 == 0))) continue;
        const std::string start = "%SLM start r;\n";
        const Json document = report(files, given + (within ? start : "") + calls[c] + "\n" + (within ? "" : start) +
                                                "w = w + 1;\n%SLM end r;\n");
        EXPECT_EQ(bytes_of(document, "f").first, 2 * product) << raises[k] << calls[c];
        EXPECT_EQ(bytes_of(document).first, (within ? 2 * product : 0) + 40) << raises[k] << calls[c];
      }
    }
  }
}

TEST(Terminals, AreNotWaitedFor) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string program = "x = ones(1000,1);\n%SLM start r;\ny = x + 1;\n%SLM end r;\n";
  EXPECT_EQ(bytes_of(report(files, program + "pause\npause;\npause(0);\n")), Bytes(8000, 8000));
  for (const char* const asks : {"keyboard;", "keyboard", "z = input('how many? ');"}) {
    const auto done = files.run(program + asks + "\n", {"--time-limit", "30"});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_NE(done.err.find("program.m:5: "), std::string::npos) << done.err;
  }
}

TEST(Functions, CountTheSameInWhicheverFileTheyStand) {
  NEEDS_OCTAVE();
  const test::ProgramFiles apart, together;
  const std::string function = "function r = f(A, a)\n%SLM FuncStart f;\nr = A*a;\n%SLM FuncEnd f;\nend\n";
  const std::string program =
      "x = ones(100,1); A = ones(100);\n%SLM start r;\ny = f(A, x);\nz = f(A, y) + 1;\n%SLM end r;\n";
  apart.folder.write("f.m", function);
  EXPECT_EQ(bytes_of(report(apart, program)), bytes_of(report(together, program + function)));
  // Nor does a handle read what the function reads.
  for (const char* const call : {"q = @f; y = q(A, x);", "q = @f; [y] = q(A, x);", "q = @(A, x) f(A, x); y = q(A, x);",
                                 "q = @(u) f(A, u); y = q(x);", "q = @f; y = feval(q, A, x);"})
    EXPECT_EQ(bytes_of(report(apart, base::replaced(program, "y = f(A, x);", call))).first,
              bytes_of(report(apart, program)).first)
        << call;
}

TEST(Handles, ThatAreGivenHandlesAreNamed) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string given = "x = ones(100,1); A = ones(100); g = @(u) A*u; k = @(f, u) f(f(u)); s = 'a';\n";
  for (const char* const call : {"y = k(g, x);", "[y] = k(g, x);", "k(g, x);", "y = 1 + k(g, x);"}) {
    const Json document = report(files, given + "%SLM start r;\n" + call + "\n%SLM end r;\n");
    ASSERT_EQ(document["unanalysed"].size(), 1u) << call << document["unanalysed"];
    EXPECT_EQ(document["unanalysed"][0]["line"], 3);
  }
  EXPECT_TRUE(
      report(files, given + "%SLM start r;\nh = @(t, u) sum(u); y = h(s, x);\n%SLM end r;\n")["unanalysed"].empty());
}

TEST(Handles, ThatMayNotBeThereAreNotAskedFor) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string function =
      "function y = f(x, opt)\n%SLM FuncStart f;\ny = 2*x;\nif nargin > 1 && opt(x), y = x; end\nif nargin < 2 || "
      "opt(y), y = x; end\nt = nargin > 1 && opt(y);\n%SLM FuncEnd f;\nend\n";
  report(files, "x = ones(100,1);\n%SLM start r;\ny = f(x); y = f(x, @(v) any(v));\n%SLM end r;\n" + function);
}

TEST(Scripts, FindTheVariablesOfTheScriptThatCallsThem) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("part.m", "%SLM start part;\ny = A*x;\nz = y + x(3);\n%SLM end part;\n");
  const Json document =
      report(files,
             "x = ones(100,1); A = ones(100);\n%SLM start r;\npart\n%SLM end r;\n%SLM start s;\ny = A*x;\nz = y + "
             "x(3);\n%SLM end s;\n");
  EXPECT_EQ(bytes_of(document, "part"), bytes_of(document, "s"));
  EXPECT_EQ(bytes_of(document, "r"), bytes_of(document, "s"));
  EXPECT_TRUE(document["unanalysed"].empty()) << document["unanalysed"];
}
}  // namespace
}  // namespace sparsecast::memory_traffic

// What a program calls is counted where its work is known and named where it is not: nothing counts 0 in silence.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
namespace {
using Json = nlohmann::json;

constexpr double vector = 8000;
const std::string vectors = "x = ones(1000,1); y = 2*x; c = {x, y};\n";

Json report(const test::ProgramFiles& files, const std::string& before, const std::string& body) {
  const auto done = files.run(before + "%SLM start r;\n" + body + "\n%SLM end r;\n", {"--json"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(test::fits_its_schema(done.out));
  return done.exit_code == 0 ? Json::parse(done.out) : Json();
}
double loads(const Json& document) { return document["regions"][0]["wsl_bytes"].get<double>(); }

TEST(Unanalysed, IsNamedWithItsPlaceAndHowOftenItRan) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("plain.m", "function s = plain(x)\ns = x'*x;\nend\n");
  const Json document = report(files, vectors,
                               "for k = 1:4\n  s = plain(x) + plain(y);\nend\nif s > 0, t = 1; else, "
                               "t = plain(x); end");
  ASSERT_EQ(document["unanalysed"].size(), 1u) << document["unanalysed"];
  EXPECT_EQ(document["unanalysed"][0]["name"], "plain");
  EXPECT_EQ(document["unanalysed"][0]["line"], 4);
  EXPECT_EQ(document["unanalysed"][0]["calls"], 8);
  EXPECT_NE(document["remarks"].dump().find("'plain'"), std::string::npos);
  const auto text = files.run(vectors + "%SLM start r;\ns = plain(x);\n%SLM end r;\n").out;
  EXPECT_NE(text.find("Remark: 'plain'"), std::string::npos) << text;
}

TEST(Unanalysed, IsWhateverRunsOtherCode) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  for (const auto& [name, statement] : std::initializer_list<std::pair<std::string, std::string>>{
           {"eval", "eval('q = x + y;');"},
           {"evalc", "t = evalc('q = x + y;');"},
           {"fzero", "q = fzero(@(t) t - 1, [0 3]);"},
           {"quad", "q = quad(@(t) t, 0, 1);"},
           {"structfun", "q = structfun(@(t) 1, struct('a', 1));"},
           {"cellfun", "q = sum(cellfun(@(t) sum(t), c));"},
           {"interpft", "q = interpft(x, 2000);"},
           {"feval's own", "q = 1; while feval('rosenbrock', q) > 2, q = 2; end"}}) {
    files.folder.write("rosenbrock.m", "function y = rosenbrock(x)\ny = 1;\nend\n");
    const Json document = report(files, vectors, statement);
    ASSERT_EQ(document["unanalysed"].size(), 1u) << statement << document["unanalysed"];
    EXPECT_EQ(document["unanalysed"][0]["name"], name == "feval's own" ? "rosenbrock" : name);
    EXPECT_EQ(document["unanalysed"][0]["calls"], 1) << statement;
  }
  // What is known, moves nothing or is declared so is not named.
  const Json known = report(files, "%SLM Func rosenbrock;\n" + vectors,
                            "n = numel(x); disp(n); s = sum(x); q = rosenbrock(x); z = ones(3); p = s > pi;");
  EXPECT_TRUE(known["unanalysed"].empty()) << known["unanalysed"];
}

TEST(IncFunc, OfAFunctionOfMatlabsOwnKeepsItsLoads) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  EXPECT_EQ(loads(report(files, vectors, "s = norm(x);")), vector);
  const Json included = report(files, "%SLM IncFunc norm;\n" + vectors, "s = norm(x);");
  EXPECT_EQ(loads(included), vector);
  EXPECT_EQ(included["regions"][0]["wss_bytes"], 8);
}

TEST(IncFunc, CountsAFunctionWithoutAnnotationsWhole) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  files.folder.write("quiet.m", "function s = quiet(x)\ns = sum(x.*x);\nend\n");
  files.folder.write("loud.m",
                     "function s = loud(x)\nif isempty(x), s = 0; return; end\ns = part(x.*x);\nend\n"
                     "function s = part(z)\ns = sum(z);\nend\n");
  const Json document =
      report(files, "%SLM Func quiet;\n%SLM IncFunc loud;\n" + vectors, "p = quiet(x);\nq = loud(x);");
  EXPECT_TRUE(document["unanalysed"].empty()) << document["unanalysed"];
  // x for the square, the square for its sum.
  EXPECT_EQ(loads(document), 2 * vector);
  // In the file of the program, too.
  const Json inside =
      report(files, "1;\n%SLM IncFunc twice;\nfunction y = twice(x)\n  y = 2*x;\nend\n" + vectors, "s = twice(x);");
  for (const Json& region : inside["regions"]) EXPECT_EQ(region["wsl_bytes"], vector) << region;
  EXPECT_EQ(inside["regions"].size(), 2u);
}

TEST(Solvers, CountTheirOperandOnceAnIteration) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string grid = "n = 400; e = ones(n,1); A = spdiags([-e 4*e -e], -1:1, n, n); b = (1:n)';\n";
  const double matrix = 12 * (3 * 400 - 2) + 4 * 401, v = 8 * 400;
  const auto sparse = [&](int turns) {
    const Json document = report(files, grid, "[z, flag] = pcg(A, b, 1e-30, " + std::to_string(turns) + ");");
    EXPECT_EQ(document["regions"][0]["name"], "r");
    return document["regions"][0]["sparse_bytes"].get<double>();
  };
  // A and the vector that it is multiplied with.
  EXPECT_EQ(sparse(7) - sparse(4), 3 * (matrix + v));
  EXPECT_GE(sparse(4), 4 * (matrix + v));
  // One of the program's own by that name is the one that runs.
  files.folder.write("pcg.m",
                     "function [z, flag] = pcg(A, b)\n%SLM FuncStart own;\nz = b; flag = 0;\n%SLM FuncEnd own;\n"
                     "end\n");
  EXPECT_EQ(report(files, grid, "[z, flag] = pcg(A, b);")["regions"][0]["sparse_bytes"], 0);
}

TEST(Handles, AreCodeWhoeverCallsThem) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const Json each = report(files, vectors, "m = cellfun(@(q) sum(q), c);");
  EXPECT_EQ(loads(each), 2 * vector);
  EXPECT_TRUE(each["unanalysed"].empty()) << each["unanalysed"];
  // What it holds is read for each element.
  EXPECT_EQ(loads(report(files, vectors, "m = arrayfun(@(k) sum(x)*k, y(1:1));")), 0)
      << "arguments that are no variables are not looked at";
  EXPECT_EQ(loads(report(files, vectors + "w = [1 2 3];\n", "m = arrayfun(@(k) sum(x)*k, w);")), 3 * vector + 24);
  // Several outputs, and a call by name.
  EXPECT_EQ(loads(report(files, vectors + "f = @(k) max(x*k);\n", "[m, at] = f(2);")), vector);
  EXPECT_EQ(loads(report(files, vectors + "f = @sum;\n", "m = feval(f, x);")), vector);
  // What nobody counts inside is named.
  files.folder.write("plain.m", "function s = plain(x)\ns = x'*x;\nend\n");
  for (const char* const code : {"f = @(k) plain(x)*k;\n", "f = @plain;\n", "f = 'plain';\n"}) {
    const Json inside = report(files, vectors + code, "m = feval(f, x);");
    ASSERT_EQ(inside["unanalysed"].size(), 1u) << code;
    EXPECT_EQ(inside["unanalysed"][0]["line"], 4);
  }
}

TEST(SparseOperations, OfWhichTheLeastIsCountedSaySo) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string grid = "n = 100; e = ones(n,1); A = spdiags([-e 4*e -e], -1:1, n, n); L = tril(A); b = e;\n";
  // Every column of A has three entries but for the first and last: they are read for each entry of the rows.
  const Json product = report(files, grid, "B = A*A;")["regions"][0];
  const double matrix = 12 * 298 + 4 * 101, reads = 98 * 9 + 2 * 4;
  EXPECT_EQ(product["sparse_bytes"], matrix);
  EXPECT_NEAR(product["sparse_uncertainty_bytes"].get<double>(), matrix / 298 * reads - matrix, 1);
  const Json solve = report(files, grid, "z = A\\b;");
  EXPECT_GT(solve["regions"][0]["sparse_uncertainty_bytes"].get<double>(), 0);
  EXPECT_NE(solve["remarks"].dump().find("program.m:3"), std::string::npos) << solve["remarks"];
  EXPECT_FALSE(report(files, grid, "R = chol(A);")["remarks"].empty());
  EXPECT_FALSE(report(files, grid, "R = A^3;")["remarks"].empty());
  // A triangular system reads its matrix once.
  EXPECT_TRUE(report(files, grid, "z = L\\b;")["remarks"].empty());
  EXPECT_TRUE(report(files, grid, "z = A*b;")["remarks"].empty());
}

TEST(ShownVariables, AreReadAsInThePapersFigures) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  // Dennis, Jessup, Waite 2010, figures 2 and 3: b for the condition, "new" on a line of its own, and the branch.
  const auto figure = [&](const std::string& b) {
    return files.region("r=1;\n%SLM start foo;\nb=rand(1,1)*0+" + b +
                            "\nif b<.5\nnew=[r,b,3];\nelse\nnew=-3;\nend\nnew\n%SLM end foo;\n%SLM print foo;\n",
                        "foo");
  };
  const Json first = figure("0.25"), second = figure("0.75");
  EXPECT_EQ(first["wsl_bytes"], 24 + 8 + 16);
  EXPECT_EQ(first["wss_bytes"], 8 + 24);
  EXPECT_EQ(second["wsl_bytes"], 8 + 8);
  EXPECT_EQ(second["wss_bytes"], 8 + 8);
  // An assignment without semicolon reads no more; a name with one reads nothing.
  EXPECT_EQ(files.region("x = ones(1000,1);\n%SLM start r;\nt = x'*x\n%SLM end r;\n")["wsl_bytes"], vector);
  EXPECT_EQ(files.region("x = ones(1000,1);\n%SLM start r;\nx;\n%SLM end r;\n")["wsl_bytes"], 0);
}

TEST(Scopes, AreBranchesAndLoopsByThemselves) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  // The paper's figure 2: ifLn5 and elseLn7 are B2 and B3.
  const std::string figure =
      "r=1;\n%SLM start foo;\nb=rand(1,1)*0+.25;\nx = ones(10,1);\nif b<.5\nnew=[r,b,3];\nelse\nnew=-3;\nend\nnew\n"
      "for k = 1:5\n  x = x + 1;\n  if k == 4, y = 2*x; break; end\nend\n%SLM end foo;\n";
  const auto done = files.run(figure, {"--scopes", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(test::fits_its_schema(done.out));
  std::map<std::string, Json> scopes;
  const Json document = Json::parse(done.out);
  for (const Json& scope : document["scopes"]) scopes[scope["name"]] = scope;
  const auto is = [&](const std::string& name, double runs, double storage, double loaded, double stored) {
    ASSERT_TRUE(scopes.contains(name)) << done.out;
    EXPECT_EQ(scopes[name]["region"], "foo");
    EXPECT_EQ(scopes[name]["runs"], runs) << name;
    EXPECT_EQ(scopes[name]["sr_bytes"], storage) << name;
    EXPECT_EQ(scopes[name]["wsl_bytes"], loaded) << name;
    EXPECT_EQ(scopes[name]["wss_bytes"], stored) << name;
  };
  EXPECT_EQ(scopes.size(), 4u);
  is("ifLn5", 1, 8 + 8 + 24, 16, 24);
  is("elseLn7", 0, 0, 0, 0);
  is("forLn11", 4, 80 + 8 + 80, 4 * (80 + 8), 4 * 80);  // x; k, to be compared; y has its place there, too
  is("ifLn13", 1, 160, 80, 80);
  EXPECT_FALSE(Json::parse(files.run(figure, {"--json"}).out).contains("scopes"));
}

TEST(Scripts, MayHaveTheirFunctionsAtTheEnd) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string script = "x = ones(1000,1);\n%SLM start r;\ns = twice(x);\n%SLM end r;\n";
  const std::string function = "function y = twice(x)\n%SLM FuncStart twice;\ny = 2*x;\n%SLM FuncEnd twice;\nend\n";
  EXPECT_EQ(files.region(script + function)["wsl_bytes"], vector);
  // An error there stands in its own line.
  const auto failed = files.run(script + "function y = twice(x)\n  y = 2*x;\n  error('no luck');\nend\n");
  EXPECT_NE(failed.err.find("program.m:7: no luck"), std::string::npos) << failed.err;
}

TEST(Scripts, WithDeclaredArgumentsAreRefusedByName) {
  const test::ProgramFiles files;
  for (const char* const head : {"arguments", "arguments (Input)", "\n% first\narguments (Repeating)"}) {
    const auto done =
        files.run(std::string("function out = program(n)\n") + head +
                  "\n  n (1,1) double {mustBeInteger} = 12\nend\n%SLM start r;\nout = n;\n%SLM end r;\nend\n");
    EXPECT_EQ(done.exit_code, 3) << done.err;
    EXPECT_NE(done.err.find("'arguments'"), std::string::npos) << done.err;
  }
}

}  // namespace
}  // namespace sparsecast::memory_traffic

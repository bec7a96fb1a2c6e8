// A program counts the same wherever the command is started, whatever its names are, and as often as it is asked; what
// did not run, or ran without being counted, is said.

#include "memory_traffic/run/program_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
namespace {
using Json = nlohmann::json;
using Loads = std::map<std::string, double>;
using Files = std::map<std::string, std::string>;  // names and texts

constexpr double column = 8000;

// A folder of a program's, "prog", in a folder of the test's.
class ProgramInFolder {
 public:
  explicit ProgramInFolder(const Files& files) {
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((folder() / name).parent_path());
      above_.write("prog/" + name, text);
    }
  }
  [[nodiscard]] std::filesystem::path folder() const { return above_.path() / "prog"; }
  [[nodiscard]] const std::filesystem::path& above() const { return above_.path(); }
  // Started in a folder.
  [[nodiscard]] Json report(const std::filesystem::path& cwd, const std::string& program,
                            std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"-C", cwd.string(), SPARSECAST_COMMAND, "traffic", program, "--json", "--quiet"});
    const auto done = test::run_program("env", more, {"SPARSECAST_HOME=" + (above_.path() / "store").string()});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.exit_code == 0 ? Json::parse(done.out) : Json();
  }
  [[nodiscard]] Loads loads(const std::filesystem::path& cwd, const std::string& program,
                            const std::vector<std::string>& more = {}) const {
    Loads found;
    const Json document = report(cwd, program, more);
    for (const Json& region : document.value("regions", Json::array()))
      found[region["name"]] = region["wsl_bytes"].get<double>();
    return found;
  }
  // From the program's own folder, the one above, and one that has nothing to do with it.
  void expect_everywhere(const std::string& program, const Loads& wanted,
                         const std::vector<std::string>& more = {}) const {
    EXPECT_EQ(loads(folder(), program, more), wanted) << "in the program's own folder";
    EXPECT_EQ(loads(above(), "prog/" + program, more), wanted) << "in the folder above";
    EXPECT_EQ(loads("/", (folder() / program).string(), more), wanted) << "elsewhere";
  }

 private:
  test::TemporaryFolder above_;
};

TEST(WorkingFolders, DoNotChangeWhatAFunctionFileCounts) {
  NEEDS_OCTAVE();
  ProgramInFolder(Files{{"g.m", "function s = g(n)\nx = ones(n,1);\n%SLM start r;\ns = x'*x;\n%SLM end r;\nend\n"}})
      .expect_everywhere("g.m", {{"r", column}}, {"--call", "s = g(1000)"});
  ProgramInFolder(Files{{"g.m",
                         "function s = g(n)\nx = ones(n,1);\n%SLM start r;\ns = dp(x);\n%SLM end r;\nend\n"
                         "function s = dp(x)\n%SLM FuncStart dp;\ns = x'*x;\n%SLM FuncEnd dp;\nend\n"}})
      .expect_everywhere("g.m", {{"r", column}, {"dp", column}}, {"--call", "s = g(1000)"});
}

TEST(WorkingFolders, DoNotChangeWhatFunctionsBesideTheProgramCount) {
  NEEDS_OCTAVE();
  const std::string step = "function s = step(x)\n%SLM FuncStart step;\ns = x'*x;\n%SLM FuncEnd step;\nend\n";
  const std::string call = "x = ones(1000,1);\n%SLM start r;\nfor k = 1:10, s = step(x); end\n%SLM end r;\n";
  const Loads ten{{"r", 10 * column}, {"step", 10 * column}};
  ProgramInFolder(Files{{"p.m", call}, {"step.m", step}}).expect_everywhere("p.m", ten);
  ProgramInFolder(Files{{"p.m", call}, {"private/step.m", step}}).expect_everywhere("p.m", ten);
  // By its name, and through a function that is not annotated itself.
  const std::string named = std::regex_replace(call, std::regex("step\\(x\\)"), "feval('step', x)");
  ProgramInFolder(Files{{"p.m", named}, {"step.m", step}}).expect_everywhere("p.m", ten);
  const std::string handed = std::regex_replace(call, std::regex("step\\(x\\)"), "hand(@step, x)");
  ProgramInFolder(Files{{"p.m", handed}, {"step.m", step}, {"hand.m", "function s = hand(f, x)\ns = f(x);\nend\n"}})
      .expect_everywhere("p.m", ten);
}

TEST(WorkingFolders, DoNotChangeWhatFilesAProgramReadsAndWrites) {
  NEEDS_OCTAVE();
  const ProgramInFolder program(
      {{"p.m",
        "x = load('-ascii', 'data/x.txt'); y = load('-ascii', './y.txt');\n%SLM start r;\nz = x + y;\n"
        "%SLM end r;\nout = fopen('made.txt', 'a'); fputs(out, 'z'); fclose(out);\n"
        "out = fopen('y.txt', 'a'); fprintf(out, '4\\n'); fclose(out); mkdir('there');\n"
        "out = fopen('there/z.txt', 'w'); fputs(out, 'deep'); fclose(out);\n"},
       {"data/x.txt", "1\n2\n3\n"},
       {"y.txt", "1\n2\n3\n"}});
  EXPECT_EQ(program.loads("/", (program.folder() / "p.m").string()), (Loads{{"r", 48}}));
  EXPECT_EQ(test::read_text(program.folder() / "made.txt"), "z");
  EXPECT_EQ(test::read_text(program.folder() / "y.txt"), "1\n2\n3\n4\n");
  EXPECT_EQ(test::read_text(program.folder() / "there/z.txt"), "deep");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(program.folder()))
    EXPECT_FALSE(entry.is_symlink()) << entry.path();
}

TEST(Relations, NamesDoNotChangeWhatIsCounted) {
  NEEDS_OCTAVE();
  const std::string text =
      "v = ones(1000,1); A = ones(30);\n%SLM IncFunc work;\n%SLM start r;\nfor k = 1:3\n  w = work(v) + v(k);\nend\n"
      "B = A*A; t = norm(v)\n%SLM end r;\n";
  const std::string work = "function y = work(x)\nif x(1) > 0\n  y = 2*x;\nelse\n  y = x;\nend\nend\n";
  const auto renamed = [](std::string from) {
    for (const auto& [name, other] : std::map<std::string, std::string>{{"v", "sum_of_all"},
                                                                        {"w", "zz"},
                                                                        {"A", "a"},
                                                                        {"B", "b1"},
                                                                        {"k", "index"},
                                                                        {"t", "e1"},
                                                                        {"work", "labour"}})
      from = std::regex_replace(from, std::regex("\\b" + name + "\\b"), other);
    return from;
  };
  const ProgramInFolder first(Files{{"p.m", text}, {"work.m", work}});
  const ProgramInFolder second(Files{{"p.m", renamed(text)}, {"labour.m", renamed(work)}});
  const Json a = first.report("/", (first.folder() / "p.m").string())["regions"];
  const Json b = second.report("/", (second.folder() / "p.m").string())["regions"];
  ASSERT_EQ(a.size(), 2u);
  ASSERT_EQ(b.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k)
    for (const char* const key :
         {"calls", "sr_bytes", "wsl_bytes", "wss_bytes", "dgemm_bytes", "wsl_uncertainty_bytes"})
      EXPECT_EQ(a[k][key], b[k][key]) << key;
  EXPECT_GT(a[0]["wsl_bytes"].get<double>(), 4 * column);
}

TEST(Relations, ASecondTranslationIsTheFirst) {
  const test::TemporaryFolder folder;
  const auto program = folder.write("p.m", "x = 1;\n%SLM start r;\ny = other(x);\n%SLM end r;\n");
  folder.write("other.m", "function y = other(x)\ny = x;\nend\n");
  const auto once = test::sparsecast({"traffic", program.string(), "--translate-only"});
  ASSERT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(test::sparsecast({"traffic", program.string(), "--translate-only"}).out, once.out);
}

TEST(Remarks, NameARegionThatNeverRan) {
  NEEDS_OCTAVE();
  const ProgramInFolder program(Files{{"p.m", "x = 1;\nif x > 2\n%SLM start never;\ny = x;\n%SLM end never;\nend\n"}});
  const Json report = program.report("/", (program.folder() / "p.m").string());
  ASSERT_EQ(report["remarks"].size(), 1u);
  EXPECT_NE(report["remarks"][0].get<std::string>().find("'never'"), std::string::npos);
  EXPECT_NE(report["remarks"][0].get<std::string>().find("p.m:3"), std::string::npos);
  const auto text = test::sparsecast({"traffic", (program.folder() / "p.m").string()},
                                     {"SPARSECAST_HOME=" + program.above().string()});
  EXPECT_NE(text.out.find("'never'"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace sparsecast::memory_traffic

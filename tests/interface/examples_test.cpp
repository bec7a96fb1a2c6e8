// Every example that stands in a public header or in the library part of the README is taken from there, built by a
// project that finds the installed library, and run where it is a whole program.

#include "interface/examples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sparsecast/generate.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/write.hpp>

#include "interface/measured_host.hpp"
#include "support/command.hpp"

namespace sparsecast {
namespace {

using test::Example;

constexpr const char* library_part = "## As a library";

std::vector<Example> header_examples() {
  std::vector<Example> examples;
  for (const auto& header : test::public_headers())
    std::ranges::move(test::examples_in_header(header.stem().string(), test::read_text(header)),
                      std::back_inserter(examples));
  return examples;
}

// A page of the documents whose blocks are one program, in order: those before its first heading, then the others.
Example page_of(const std::string& name) {
  Example page{"page_" + name, {}};
  const std::string text = test::read_text(std::string(SPARSECAST_SOURCE_DIR "/docs/") + name + ".md");
  for (const std::string& block : test::blocks_in_section("\n## \n" + text, "## ", "cpp")) page.code += block;
  for (std::size_t at = text.find("\n## "); at != std::string::npos; at = text.find("\n## ", at + 1)) {
    const std::string heading = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    for (const std::string& block : test::blocks_in_section(text, heading, "cpp")) page.code += block;
  }
  return page;
}

bool has(const std::vector<Example>& examples, const std::string& name) {
  return std::ranges::find(examples, name, &Example::name) != examples.end();
}

// A project of a user's: the README's CMakeLists.txt and program, and a target for every other example.
class Project {
 public:
  Project(const std::string& cmake, const std::string& program, const std::vector<Example>& others) {
    std::smatch target;
    EXPECT_TRUE(std::regex_search(cmake, target, std::regex("add_executable\\((\\w+) (\\S+)\\)"))) << cmake;
    folder_.write(target[2], program);
    programs_.push_back(target[1]);
    std::string lists = cmake;
    for (const Example& example : others) {
      folder_.write(example.name + ".cpp", example.code);
      lists += (example.is_program() ? "add_executable(" : "add_library(") + example.name +
               (example.is_program() ? " " : " OBJECT ") + example.name + ".cpp)\n" + "target_link_libraries(" +
               example.name + " PRIVATE sparsecast::sparsecast)\n";
      if (example.is_program()) programs_.push_back(example.name);
    }
    folder_.write("CMakeLists.txt", lists);
  }

  [[nodiscard]] ::testing::AssertionResult builds_against(const std::filesystem::path& prefix) const {
    const std::string folder = folder_.path().string();
    const auto configured = test::run_program(
        CMAKE_PROGRAM, {"-S", folder, "-B", folder + "/build", "-DCMAKE_PREFIX_PATH=" + prefix.string(),
                        "-DCMAKE_CXX_COMPILER=" CONSUMER_COMPILER,
                        "-DCMAKE_CXX_FLAGS=" CONSUMER_FLAGS " -Wall -Wextra -Wpedantic -Werror"});
    if (configured.exit_code != 0) return ::testing::AssertionFailure() << configured.out << configured.err;
    const auto built = test::run_program(CMAKE_PROGRAM, {"--build", folder + "/build"});
    if (built.exit_code != 0) return ::testing::AssertionFailure() << built.out << built.err;
    return ::testing::AssertionSuccess();
  }

  /// Runs every program in the project's folder, where system.mtx is a matrix and the host was measured.
  void run_programs() const {
    const test::TemporaryFolder home;
    test::store_measured_host(home.path(), default_threads());
    write_matrix_market(generate({.kind = "poisson2d", .parameters = {.size = 40}}), folder_.path() / "system.mtx");
    for (const std::string& program : programs_) {
      const auto ran = test::run_program("/bin/sh", {"-c", "cd '" + folder_.path().string() + "' && build/" + program},
                                         {"SPARSECAST_HOME=" + home.path().string()});
      EXPECT_EQ(ran.exit_code, 0) << program << ": " << ran.err;
      EXPECT_NE(ran.out, "") << program << " says nothing";
    }
  }

 private:
  test::TemporaryFolder folder_;
  std::vector<std::string> programs_;
};

TEST(Examples, AreFoundInComments) {
  const auto examples =
      test::examples_in_header("a",
                               "// Text.\n//\n//   int f();\n//\n//     int g();\n//\n// More text.\n"
                               "int x;  ///< of\n         ///< nothing\n  /// - an item\n  ///   of a list\n  ///\n"
                               "  ///   int main() {}\n");
  ASSERT_EQ(examples.size(), 2U);
  EXPECT_EQ(examples[0].code, "int f();\n\n  int g();\n");
  EXPECT_FALSE(examples[0].is_program());
  EXPECT_EQ(examples[1].name, "a_2");
  EXPECT_TRUE(examples[1].is_program());
}

TEST(Examples, AreBuiltAgainstTheInstalledLibraryAndRun) {
  const std::string readme = test::read_text(SPARSECAST_SOURCE_DIR "/README.md");
  const auto cmake = test::blocks_in_section(readme, library_part, "cmake");
  const auto programs = test::blocks_in_section(readme, library_part, "cpp");
  ASSERT_EQ(cmake.size(), 1U);
  ASSERT_EQ(programs.size(), 1U);
  std::vector<Example> others = header_examples();
  EXPECT_TRUE(has(others, "plan_1"));
  std::string pages;
  for (const char* name : {"plan", "plan-values"}) {
    others.push_back(page_of(name));
    ASSERT_TRUE(others.back().is_program()) << name;
    pages += others.back().code;
  }
  for (const char* call : {"plan.apply(", "plan.apply_transposed(", "plan.apply_block(", "plan.apply_transposed_block(",
                           ".update_values(", ".apply_powers(", "one_kernel("})
    EXPECT_NE(pages.find(call), std::string::npos) << call;

  const test::TemporaryFolder prefix;
  const auto installed =
      test::run_program(CMAKE_PROGRAM, {"--install", SPARSECAST_BUILD_DIR, "--prefix", prefix.path().string()});
  ASSERT_EQ(installed.exit_code, 0) << installed.err;
  const Project project(cmake.front(), programs.front(), others);
  ASSERT_TRUE(project.builds_against(prefix.path()));
  project.run_programs();
}

}  // namespace
}  // namespace sparsecast

// scripts/check-layers: what it refuses, each in a small project of its own, and that this project is as it says.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/command.hpp"

namespace sparsecast {
namespace {

namespace fs = std::filesystem;

const fs::path source = SPARSECAST_SOURCE_DIR;

test::CommandResult check(const fs::path& project) {
  return test::run_program("python3", {(source / "scripts/check-layers").string(), project.string()});
}

struct File {
  std::string name, text;
};

// What the check says of a project of these files.
test::CommandResult check(const std::vector<File>& files) {
  const test::TemporaryFolder folder;
  fs::create_directories(folder.path() / "src");
  for (const File& file : files) {
    fs::create_directories((folder.path() / file.name).parent_path());
    (void)folder.write(file.name, file.text);
  }
  return check(folder.path());
}

void expect_refused(const std::vector<File>& files, const std::string& line) {
  const test::CommandResult said = check(files);
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_EQ(said.out, line + "\n");
}

TEST(Layers, OfThisProjectHold) {
  const test::CommandResult said = check(source);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

TEST(Layers, OneIncludeUpwardInACopyOfThisProjectIsFound) {
  const test::TemporaryFolder copy;
  for (const char* const folder : {"src", "include"})
    fs::copy(source / folder, copy.path() / folder, fs::copy_options::recursive);
  const std::string text = test::read_text(copy.path() / "src/base/curve.cpp");
  (void)copy.write("src/base/curve.cpp", "#include \"app/inputs.hpp\"\n" + text);
  const test::CommandResult said = check(copy.path());
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_EQ(said.out.rfind("src/base/curve.cpp:1: base includes app/inputs.hpp of app", 0), 0U) << said.out;
}

TEST(Layers, AnIncludeMayPointDownward) {
  const test::CommandResult said = check({{"src/base/text.hpp", "#include <string>\n"},
                                          {"src/matrix/rows.cpp", "#include \"base/text.hpp\"\n"},
                                          {"include/sparsecast/matrix.hpp", "#include <sparsecast/array.hpp>\n"},
                                          {"include/sparsecast/array.hpp", "#include <vector>\n"}});
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.exit_code, 0) << said.err;
}

// Within a namespace or a function its declarations would be others', and a precompiled header hides that.
TEST(Layers, AHeaderBehindTheFirstCodeIsRefused) {
  const File header{"src/base/text.hpp", "#pragma once\n"};
  expect_refused({header, {"src/base/a.cpp", "// Rows.\nnamespace b {\n#include \"base/text.hpp\"\n}\n"}},
                 "src/base/a.cpp:3: base/text.hpp stands behind the first code (line 2): headers come before it");
  const test::CommandResult said =
      check({header,
             {"src/base/rows.def", "ROW(1)\n"},
             {"src/base/a.cpp",
              "/* Rows,\n   all of them. */\n#define ROW(n) \\\n  n,\n#include \"base/text.hpp\"\n"
              "int rows[] = {\n#include \"base/rows.def\"\n};\n"}});
  EXPECT_EQ(said.out, "") << "a table of rows stands where the rows belong";
}

TEST(Layers, UpwardThroughAPrivateHeaderIsRefused) {
  expect_refused({{"src/planning/cut.hpp", ""}, {"src/matrix/rows.cpp", "\n#include \"planning/cut.hpp\"\n"}},
                 "src/matrix/rows.cpp:2: matrix includes planning/cut.hpp of planning, which stands above it");
}

TEST(Layers, UpwardThroughAPublicHeaderIsRefused) {
  expect_refused(
      {{"include/sparsecast/profile.hpp", ""}, {"src/hardware/a.hpp", "#include <sparsecast/profile.hpp>\n"}},
      "src/hardware/a.hpp:1: hardware includes sparsecast/profile.hpp of calibration, which stands above it");
  expect_refused(
      {{"include/sparsecast/plan.hpp", ""}, {"include/sparsecast/read.hpp", "#include <sparsecast/plan.hpp>\n"}},
      "include/sparsecast/read.hpp:1: matrix includes sparsecast/plan.hpp of planning, which stands above it");
}

TEST(Layers, WhatStandsBesideIsRefused) {
  expect_refused(
      {{"src/cluster/a.hpp", ""}, {"src/memory_traffic/b.cpp", "#include \"cluster/a.hpp\"\n"}},
      "src/memory_traffic/b.cpp:1: memory_traffic includes cluster/a.hpp of cluster, which stands beside it");
}

TEST(Layers, CirclesOfFilesAndOfFoldersAreRefused) {
  expect_refused({{"src/base/a.hpp", "#include \"base/b.hpp\"\n"}, {"src/base/b.hpp", "\n#include \"base/a.hpp\"\n"}},
                 "src/base/b.hpp:2: a circle of files: src/base/a.hpp → src/base/b.hpp → src/base/a.hpp");
  expect_refused({{"src/planning/run/a.hpp", ""},
                  {"src/planning/run/b.cpp", "#include \"planning/search/d.hpp\"\n"},
                  {"src/planning/search/c.cpp", "#include \"planning/run/a.hpp\"\n"},
                  {"src/planning/search/d.hpp", ""}},
                 "src/planning/search/c.cpp:1: a circle of folders: planning/run → planning/search → planning/run");
}

TEST(Layers, AFileIncludesWhatItsLibraryStandsOn) {
  const char* const libraries =
      "set(core_folders base answers)\nset(core_needs \"\")\nset(solve_folders solving)\nset(solve_needs core)\n"
      "set(solve_answers solve)\n";
  expect_refused({{"cmake/SparsecastComponents.cmake", libraries},
                  {"src/solving/a.hpp", ""},
                  {"src/answers/solve.cpp", "#include \"solving/a.hpp\"\n"},
                  {"src/answers/plan.cpp", "#include \"solving/a.hpp\"\n"}},
                 "src/answers/plan.cpp:1: answers/plan.cpp is of the library core, which does not stand on solve");
}

TEST(Layers, APublicHeaderShowsWhatItDeclares) {
  expect_refused(
      {{"include/sparsecast/error.hpp", "\nnamespace sparsecast {\nvoid a();\n}\n"}},
      "include/sparsecast/error.hpp:1: a shared library would hide it: put its namespace between #pragma GCC "
      "visibility push(default) and pop");
}

TEST(Layers, APublicHeaderIncludesNoPrivateOne) {
  expect_refused({{"src/base/a.hpp", ""}, {"include/sparsecast/error.hpp", "#include \"base/a.hpp\"\n"}},
                 "include/sparsecast/error.hpp:1: a public header includes the private base/a.hpp");
}

TEST(Layers, APrivateHeaderIsNamedWithItsFolder) {
  expect_refused({{"src/base/a.hpp", ""}, {"src/base/a.cpp", "#include \"a.hpp\"\n"}},
                 "src/base/a.cpp:1: a.hpp is included without its folder: write it from src/ or as sparsecast/a.hpp");
  expect_refused({{"src/base/a.hpp", ""}, {"src/matrix/b.cpp", "#include \"../base/a.hpp\"\n"}},
                 "src/matrix/b.cpp:1: ../base/a.hpp is not named from src/ or include/");
}

TEST(Layers, ATableOfFieldsStandsWhereItsPublicHeaderDoes) {
  const File header{"include/sparsecast/profile.hpp", ""}, table{"src/fields/profile.hpp", ""};
  expect_refused({header, table, {"src/hardware/a.cpp", "#include \"fields/profile.hpp\"\n"}},
                 "src/hardware/a.cpp:1: hardware includes fields/profile.hpp of calibration, which stands above it");
  expect_refused(
      {header, {"src/calibration/a.hpp", ""}, {table.name, "#include \"calibration/a.hpp\"\n"}},
      "src/fields/profile.hpp:1: a table of fields includes calibration/a.hpp; it may include public headers "
      "and other tables");
  expect_refused({table},
                 "src/fields/profile.hpp:1: a table of fields is called as the public header that it describes, and "
                 "there is no include/sparsecast/profile.hpp");
}

TEST(Layers, ABindingStandsOnPublicHeadersAndTables) {
  const std::vector<File> below{{"include/sparsecast/plan.hpp", ""},
                                {"src/fields/plan.hpp", ""},
                                {"src/planning/a.hpp", ""},
                                {"integrations/c_interface/b.hpp", ""}};
  const auto with = [&](File binding) {
    std::vector<File> all = below;
    all.push_back(std::move(binding));
    return all;
  };
  const test::CommandResult said =
      check(with({"integrations/c_interface/b.cpp",
                  "#include <sparsecast/plan.hpp>\n#include \"c_interface/b.hpp\"\n#include \"fields/plan.hpp\"\n"}));
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const std::string reason =
      ": a binding includes the private planning/a.hpp: it stands on public headers (include/sparsecast/) and the "
      "tables of fields (src/fields/); what they do not offer is to become a public function";
  expect_refused(with({"integrations/c_interface/b.cpp", "\n#include \"planning/a.hpp\"\n"}),
                 "integrations/c_interface/b.cpp:2" + reason);
  expect_refused(with({"python/src/b.hpp", "#include <planning/a.hpp>\n"}), "python/src/b.hpp:1" + reason);
  expect_refused(
      with({"python/src/b.cpp", "#include \"../../src/planning/a.hpp\"\n"}),
      "python/src/b.cpp:1: ../../src/planning/a.hpp is not named from src/fields/, include/ or the binding's "
      "own folder");
}

TEST(Layers, AnExampleIncludesNoPrivateHeader) {
  expect_refused({{"src/base/a.hpp", ""}, {"examples/b.cpp", "#include \"base/a.hpp\"\n"}},
                 "examples/b.cpp:1: an example includes the private base/a.hpp");
}

TEST(Layers, PagesNameFilesThatAreThere) {
  const File source{"src/solving/run/krylov.cpp", ""}, header{"src/solving/solve.hpp", ""};
  const test::CommandResult said =
      check({source,
             header,
             {"docs/design/solve.md",
              "| file (`src/solving/`) | idea |\n| --- | --- |\n| `solve`, `run/` | `other` |\n\n"
              "See `run/krylov`, `src/solving/*.hpp`, `src/<name>.cpp` and `build/release`.\n"}});
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  expect_refused({source, {"HACKING.md", "See `run/krylov.hpp`.\n"}}, "HACKING.md:1: there is no run/krylov.hpp");
  expect_refused({source,
                  header,
                  {"docs/design/run.md", "| folder of `src/solving/run/` | idea |\n| --- | --- |\n| `solve` | |\n"}},
                 "docs/design/run.md:3: there is no solve in src/solving/run");
}

TEST(Layers, ANewPublicHeaderOrFolderAsksForItsPlace) {
  expect_refused({{"include/sparsecast/novel.hpp", ""}},
                 "include/sparsecast/novel.hpp:1: no layer is known for it: give novel a row in PUBLIC of "
                 "scripts/check-layers");
  expect_refused({{"src/novel/a.cpp", ""}},
                 "src/novel/a.cpp:1: no layer is known for it: give its folder a place in LAYERS of "
                 "scripts/check-layers");
}

}  // namespace
}  // namespace sparsecast

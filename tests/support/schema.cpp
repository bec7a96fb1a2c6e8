#include "support/schema.hpp"

#include <filesystem>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
const std::filesystem::path source = SPARSECAST_SOURCE_DIR;
const std::filesystem::path python = source / ".venv/bin/python";
constexpr int no_python = 127, no_module = 4;  // of the shell, and of validate_document.py
}  // namespace

bool can_validate() { return run_program(python.string(), {"-c", "import jsonschema"}).exit_code == 0; }

::testing::AssertionResult fits_its_schema(const std::string& document) {
  const TemporaryFolder folder;
  const auto file = folder.write("document.json", document);
  const CommandResult result =
      run_program("sh", {"-c", python.string() + " " + (source / "tests/app/validate_document.py").string() + " " +
                                   (source / "docs/schemas").string() + " < " + file.string()});
  if (result.exit_code == 0) return ::testing::AssertionSuccess();
  if (result.exit_code == no_python || result.exit_code == no_module) {
    if (parts_are_required()) return ::testing::AssertionFailure() << without(parts::schemas);
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << result.err << document.substr(0, 400);
}

nlohmann::json document_of(const std::vector<std::string>& arguments) {
  const CommandResult result = sparsecast(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fits_its_schema(result.out));
  return nlohmann::json::parse(result.out);
}

}  // namespace sparsecast::test

#pragma once
// Programs in a folder of their own, analysed by the command.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
struct ProgramFiles {
  TemporaryFolder folder;
  CommandResult run(const std::string& program, std::vector<std::string> more = {}) const {
    const auto file = folder.write("program.m", program);
    more.insert(more.begin(), {"traffic", file.string()});
    return sparsecast(more, {"SPARSECAST_HOME=" + folder.path().string()});
  }
  // A region by its name.
  nlohmann::json region(const std::string& program, const std::string& name = "r") const {
    const auto done = run(program, {"--json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_TRUE(fits_its_schema(done.out));
    if (done.exit_code != 0) return {};
    const nlohmann::json document = nlohmann::json::parse(done.out);
    for (const nlohmann::json& one : document["regions"])
      if (one["name"] == name) return one;
    return {};
  }
};
}  // namespace sparsecast::test

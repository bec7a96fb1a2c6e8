#pragma once
// What a few lines of MATLAB load and store.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
using Bytes = std::pair<double, double>;  // loaded, stored

inline nlohmann::json report(const std::string& text, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> words{"traffic", folder.write("program.m", text).string(), "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const CommandResult run = sparsecast(words, {"SPARSECAST_HOME=" + folder.path().string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(fits_its_schema(run.out));
  return run.exit_code == 0 ? nlohmann::json::parse(run.out) : nlohmann::json();
}

/// Loads and stores of the one region of a program: `before` stands in front of it.
inline Bytes moved(const std::string& before, const std::string& region) {
  const nlohmann::json document = report(before + "\n%SLM start r;\n" + region + "\n%SLM end r;\n");
  if (document.is_null()) return {-1, -1};
  return {document["regions"][0]["wsl_bytes"].get<double>(), document["regions"][0]["wss_bytes"].get<double>()};
}

/// The same of each of some, each with `before` in front of it, in one run.
inline std::vector<Bytes> moved_each(const std::string& before, const std::vector<std::string>& regions) {
  std::string text;
  for (std::size_t k = 0; k < regions.size(); ++k)
    text +=
        before + "\n%SLM start r" + std::to_string(k) + ";\n" + regions[k] + "\n%SLM end r" + std::to_string(k) + ";\n";
  const nlohmann::json document = report(text);
  std::vector<Bytes> all(regions.size(), Bytes(-1, -1));
  if (document.is_null()) return all;
  for (const nlohmann::json& region : document["regions"])
    all[std::stoul(region["name"].get<std::string>().substr(1))] = {region["wsl_bytes"], region["wss_bytes"]};
  return all;
}
}  // namespace sparsecast::test

#pragma once
// A store that was calibrated through the command, and a matrix beside it.

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibration/neighbours.hpp"
#include "calibration/store.hpp"
#include "support/command.hpp"
#include "support/measured_home.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
using nlohmann::json;

class Pipeline : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    setenv("SPARSECAST_HOME", (folder->path() / "home").c_str(), 1);
    ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix()}).exit_code, 0);
    calibration = calibrated_home(folder->path() / "home");
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string matrix() { return (folder->path() / "p60.mtx").string(); }
  static json document(const std::vector<std::string>& arguments) { return document_of(arguments); }

  // Whether the calibration is so fresh that nobody looks whether it still holds. Half of that hour is for the test.
  static bool within_the_hour() {
    const auto profile = calibration::Store(folder->path() / "home" / "store.sqlite").profile("host");
    return profile && calibration::days_since(profile->taken) < 0.5 / 24;
  }

  // Forecasts of two processes agree up to rounding: another process may take the sums of a fit in another order.
  static void expect_same_seconds(const json& one, const json& other) {
    ASSERT_TRUE(one.is_number() && other.is_number()) << one << ' ' << other;
    EXPECT_NEAR(one.get<double>(), other.get<double>(), 1e-9 * other.get<double>());
  }
  static void expect_same_forecasts(const json& some, const json& others) {
    ASSERT_EQ(some.size(), others.size());
    for (std::size_t k = 0; k < some.size(); ++k) {
      EXPECT_EQ(some[k]["kernel"], others[k]["kernel"]);
      for (const char* const time : {"seconds", "low_s", "high_s"}) expect_same_seconds(some[k][time], others[k][time]);
    }
  }

  inline static std::unique_ptr<TemporaryFolder> folder;
  inline static std::string calibration;  // what calibrating said
};
}  // namespace sparsecast::test

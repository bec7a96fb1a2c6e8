
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "calibration/profile_json.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

Profile small_profile() {
  Profile profile = test::empty_host_profile(2);
  profile.software = "test 1";
  profile.taken = "2026-01-01T00:00:00Z";
  test::add_grid(profile, "constant", "csr", 2, [](double i, double p) { return 1e-6 * i * p; });
  profile.matrices[0].twin_of = "cant";
  profile.curves.push_back({"read_bandwidth", 2, {8192, 16384}, {1e11, 9e10}});
  profile.micro_benchmarks.push_back({"load-l2", true, 80, 256, {320, 1e5, 7e-5}, {960, 3e5, 2e-4}, 1 << 20});
  return profile;
}

TEST(ProfileJson, GoesToAFileAndBack) {
  const test::TemporaryFolder folder;
  const Profile profile = small_profile();
  write_profile(profile, folder.path() / "p.json");
  const Profile read = read_profile(folder.path() / "p.json");
  EXPECT_EQ(calibration::profile_to_json(read), calibration::profile_to_json(profile));
  EXPECT_EQ(read.matrices[0].twin_of, "cant");
  EXPECT_EQ(read.records.size(), profile.records.size());
  ASSERT_EQ(read.micro_benchmarks.size(), 1U);
  EXPECT_EQ(read.micro_benchmarks[0].bytes, 1 << 20);
  EXPECT_EQ(read.micro_benchmarks[0].longer.steps, 960);
}

// Every way in which a file can be wrong is one Error bad_input that names the file and what is wrong.
TEST(ProfileJson, WrongFilesAreRefusedWithAReason) {
  const test::TemporaryFolder folder;
  const auto reason = [&](nlohmann::ordered_json document) -> std::string {
    const auto file = folder.write("wrong.json", document.dump());
    try {
      (void)read_profile(file);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.place().file, file.string());
      return error.reason();
    }
    return "accepted";
  };
  const nlohmann::ordered_json good = calibration::profile_to_json(small_profile());
  EXPECT_EQ(reason(good), "accepted");

  auto wrong = good;
  wrong["schema"] = "sparsecast/profile/9";
  EXPECT_NE(reason(wrong).find("schema"), std::string::npos);
  wrong = good;
  wrong.erase("records");
  EXPECT_NE(reason(wrong).find("records"), std::string::npos);
  wrong = good;
  wrong["records"][0]["seconds"] = -1;
  EXPECT_NE(reason(wrong).find("seconds"), std::string::npos);
  wrong = good;
  wrong["records"][0]["matrix"] = 1000000;
  EXPECT_NE(reason(wrong).find("1000000"), std::string::npos);
  wrong = good;
  wrong["records"][0]["precision"] = "half";
  EXPECT_NE(reason(wrong).find("precision is not one of the allowed words"), std::string::npos) << reason(wrong);
  wrong = good;
  wrong["curves"][0]["y"] = {1};
  EXPECT_NE(reason(wrong).find("read_bandwidth"), std::string::npos);
  wrong = good;
  wrong["micro_benchmarks"][0]["mode"] = "speed";
  EXPECT_NE(reason(wrong).find("speed"), std::string::npos);
  wrong = good;
  wrong["micro_benchmarks"][0]["groups"] = 0;
  EXPECT_NE(reason(wrong).find("groups"), std::string::npos);
  wrong = good;
  wrong["micro_benchmarks"][0]["longer"]["cycles"] = -5;
  EXPECT_NE(reason(wrong).find("cycles"), std::string::npos);
  EXPECT_NE(reason(nlohmann::ordered_json::array()), "accepted");
}

TEST(ProfileJson, NoFileAndNoJsonAreRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THROW((void)read_profile(folder.path() / "absent.json"), Error);
  EXPECT_THROW((void)read_profile(folder.path()), Error);
  EXPECT_THROW((void)read_profile(folder.write("half.json", R"({"schema": )")), Error);
}

}  // namespace
}  // namespace sparsecast

// A kernel that is not in the product, csr-pairs, made known by one line of kernel_list.hpp: everything that asks the
// table of kernels finds it there. The tests of host_kernels_test.cpp are in this program as well and run over it.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sparsecast/forecast.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <sstream>

#include "forecast/physical/workload.hpp"
#include "formats/kernels.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

// A host on which csr-pairs takes half of the time of csr.
Profile measured_host() {
  Profile profile = test::empty_host_profile(1);
  test::add_grid(profile, "constant", "csr", 1,
                 [](double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); });
  test::add_grid(profile, "constant", "csr-pairs", 1,
                 [](double strips, double length) { return 1e-6 + strips * 1024 * (1e-9 + 0.5e-9 * length); });
  return profile;
}

Matrix even_rows(std::int64_t row_length) {
  MatrixSpec spec;
  spec.kind = "constant";
  spec.rows = spec.cols = 8192;
  spec.row_length = static_cast<double>(row_length);
  return generate(spec);
}

class ANewKernel : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", folder_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  test::TemporaryFolder folder_;
};

TEST_F(ANewKernel, IsInTheTableAndHasAStrip) {
  const formats::KernelInfo* found = formats::find_kernel("csr-pairs");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->on_host);
  EXPECT_FALSE(found->on_gpu);
  EXPECT_EQ(test::empty_host_profile(2).properties.strip("csr-pairs"), 2048);
  EXPECT_NE(formats::kernel_names(true).find("csr-pairs"), std::string::npos);
}

TEST_F(ANewKernel, HasAWorkloadOfItsOwn) {
  const Structure s = analyze(even_rows(100));
  const DeviceProperties host = test::empty_host_profile(1).properties;
  const auto of = [&](const char* kernel) { return forecast::workload(s, kernel, host, Precision::double_, 1); };
  EXPECT_EQ(of("csr-pairs").chained, 8192 * (100 - 2 * forecast::Workload::chain_free));
  EXPECT_EQ(of("csr").chained, 0);
  EXPECT_EQ(of("csr-pairs").format_bytes, of("csr").format_bytes);
}

TEST_F(ANewKernel, IsForecastByEveryModelThatKnowsItsForm) {
  const Profile profile = measured_host();
  const Matrix matrix = even_rows(24);
  const Structure s = analyze(matrix);
  for (const char* name : {"sparsecast", "guo"}) {
    const auto model = fit_model(name, profile, {Precision::double_, 1});
    const auto forecast = model->forecast(s, "csr-pairs"), plain = model->forecast(s, "csr");
    ASSERT_TRUE(forecast && plain) << name;
    EXPECT_LT(forecast->seconds, 0.75 * plain->seconds) << name;
    EXPECT_EQ(forecast->bytes, plain->bytes) << name;
  }
}

TEST_F(ANewKernel, IsPlannedFor) {
  const Strategy strategy = Planner(measured_host(), Precision::double_, 1).strategy(even_rows(24));
  EXPECT_EQ(strategy.best_single.kernel, "csr-pairs");
  ASSERT_EQ(strategy.singles.size(), 2U);
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(SPARSECAST_SOURCE_DIR) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(ANewKernel, IsWhatTheDocumentShows) {
  const std::string document = text_of("docs/extending-kernel.md");
  for (const char* file : {"kernel_list.diff", "csr_pairs.cpp"}) {
    const std::string text = text_of(std::string("tests/formats/new_kernel/") + file);
    ASSERT_FALSE(text.empty()) << file;
    EXPECT_NE(document.find(text), std::string::npos) << "docs/extending-kernel.md shows another " << file;
  }
}

}  // namespace
}  // namespace sparsecast

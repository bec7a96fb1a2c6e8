// Strategies of Ginkgo's CSR by the forecast: the names without Ginkgo, the objects where it is installed.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/ginkgo_strategies.hpp>
#include <vector>

#include "support/parts.hpp"
#ifdef SPARSECAST_HAS_GINKGO
#include <sparsecast/ginkgo.hpp>
#endif

namespace sparsecast::test {
namespace {

std::vector<Forecast> forecasts_for(const char* device) {
  PredictRequest request;
  request.matrix = generate({.kind = "poisson2d", .parameters = {.size = 300}});
  request.device = device;
  return predict(request).forecasts;
}

TEST(GinkgoStrategies, AreThoseOfKernelsThatAreForecast) {
  std::set<std::string_view> seen;
  for (const char* device : {"nvidia-h100", "amd-mi250"})
    for (const Forecast& forecast : forecasts_for(device))
      for (const auto& [kernel, strategy] : ginkgo::strategies)
        if (forecast.kernel == kernel) seen.insert(kernel);
  EXPECT_EQ(seen.size(), ginkgo::strategies.size());
}

TEST(GinkgoStrategies, TheFastestKernelThatIsOneCounts) {
  const auto named = [](const char* kernel) {
    Forecast forecast;
    forecast.kernel = kernel;
    return forecast;
  };
  EXPECT_EQ(ginkgo::strategy_of({named("sell"), named("ginkgo-csr-merge"), named("ginkgo-csr-classical")}),
            "merge_path");
  EXPECT_EQ(ginkgo::strategy_of({named("cusparse-csr"), named("ginkgo-csr-load-balance")}), "sparselib");
  EXPECT_EQ(ginkgo::strategy_of({named("sell")}), "");
  EXPECT_EQ(ginkgo::strategy_of({}), "");
}

// On a V100 cuSPARSE gains more by single precision than Ginkgo's classical kernel does.
TEST(GinkgoStrategies, AreForThePrecisionOfTheValues) {
  const Matrix matrix = generate({.kind = "poisson2d", .parameters = {.size = 300}});
  const std::vector<float> values(static_cast<std::size_t>(matrix.nonzeros()), 1.0F);
  const CsrView view = matrix.visit_pattern([&](const auto& csr) {
    return CsrView{csr.rows, csr.cols, csr.row_pointers, csr.column_indices, std::span<const float>(values)};
  });
  const Matrix single(view, "single");
  EXPECT_EQ(ginkgo::strategy_for(matrix, "nvidia-v100"), "classical");
  EXPECT_EQ(ginkgo::strategy_for(single, "nvidia-v100"), "sparselib");
}

TEST(GinkgoStrategies, AreGinkgosOwn) {
#ifdef SPARSECAST_HAS_GINKGO
  using Csr = gko::matrix::Csr<double, int>;
  const auto executor = gko::ReferenceExecutor::create();
  auto csr = gko::share(Csr::create(executor));
  csr->read(gko::matrix_data<double, int>(gko::dim<2>(2, 2), {{0, 0, 2.0}, {1, 0, 1.0}, {1, 1, 3.0}}));
  const auto strategy = ginkgo_strategy(*csr, "nvidia-h100");
  ASSERT_NE(strategy, nullptr);
  EXPECT_NE((std::set<std::string>{"classical", "merge_path", "sparselib"}).count(strategy->get_name()), 0u);
  csr->set_strategy(strategy);
  using Dense = gko::matrix::Dense<double>;
  auto x = gko::initialize<Dense>({1.0, 1.0}, executor), y = gko::initialize<Dense>({0.0, 0.0}, executor);
  csr->apply(x.get(), y.get());
  EXPECT_EQ(y->at(0, 0), 2.0);
  EXPECT_EQ(y->at(1, 0), 4.0);
#else
  SKIP_OR_FAIL(parts::ginkgo);
#endif
}

}  // namespace
}  // namespace sparsecast::test

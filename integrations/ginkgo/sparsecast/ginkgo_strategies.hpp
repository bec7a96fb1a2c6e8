#pragma once
// Which of Ginkgo's strategies for CSR runs which of our kernels, without Ginkgo. ginkgo.hpp makes the strategy.

#include <array>
#include <span>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/precision.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sparsecast::ginkgo {
/// Our kernels and the strategies that run them.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 6> strategies{{
    {"ginkgo-csr-classical", "classical"},
    {"ginkgo-csr-load-balance", "load_balance"},
    {"ginkgo-csr-merge", "merge_path"},
    {"cusparse-csr", "sparselib"},
    {"rocsparse-csr", "sparselib"},
    {"hipsparse-csr", "sparselib"},
}};

/// The strategy of the fastest kernel of forecasts that are fastest first; empty where none is a strategy's.
inline std::string_view strategy_of(const std::vector<Forecast>& forecasts) {
  for (const Forecast& forecast : forecasts)
    for (const auto& [kernel, strategy] : strategies)
      if (forecast.kernel == kernel) return strategy;
  return {};
}

/// The same for products with the matrix on a device, whose vectors have the precision of its values.
inline std::string_view strategy_for(const Matrix& matrix, const std::string& device) {
  const auto precision = []<class Value>(std::span<const Value>) { return precision_of<Value>; };
  PredictRequest request;
  request.matrix = matrix;
  request.device = device;
  request.product.precision =
      is_single(std::visit(precision, matrix.values())) ? Precision::single_ : Precision::double_;
  return strategy_of(predict(request).forecasts);
}

}  // namespace sparsecast::ginkgo

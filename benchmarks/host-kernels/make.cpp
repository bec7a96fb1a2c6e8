#include "make.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/read.hpp>

#include "peers.hpp"

namespace sparsecast::bench {
namespace {

// CSR arrays that a Matrix borrows.
struct Rows {
  std::vector<std::int32_t> pointers{0}, columns;
  std::vector<double> values;
};

Matrix matrix_of(std::shared_ptr<Rows> rows, std::int64_t cols, const std::string& name) {
  const auto count = static_cast<std::int64_t>(rows->pointers.size()) - 1;
  return {CsrView{.rows = count,
                  .cols = cols,
                  .row_pointers = std::span<const std::int32_t>(rows->pointers),
                  .column_indices = std::span<const std::int32_t>(rows->columns),
                  .values = std::span<const double>(rows->values),
                  .owner = rows},
          name};
}

// 8 on the diagonal, −1 at the eight neighbours.
Matrix stencil9(int size, const std::string& name) {
  auto rows = std::make_shared<Rows>();
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      for (int a = std::max(0, i - 1); a <= std::min(size - 1, i + 1); ++a)
        for (int b = std::max(0, j - 1); b <= std::min(size - 1, j + 1); ++b) {
          rows->columns.push_back(a * size + b);
          rows->values.push_back(a == i && b == j ? 8 : -1);
        }
      rows->pointers.push_back(static_cast<std::int32_t>(rows->columns.size()));
    }
  return matrix_of(rows, std::int64_t{size} * size, name);
}

// Every entry of a 7-point stencil becomes a dense block. Values depend on both unknowns alike.
Matrix fem(double size, int block, int threads, const std::string& name) {
  MatrixSpec spec;
  spec.kind = "poisson3d";
  spec.parameters = {.size = size};
  const Matrix nodes = generate(spec, threads);
  auto rows = std::make_shared<Rows>();
  nodes.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows * block; ++row) {
      for (auto k = csr.row_pointers[row / block]; k < csr.row_pointers[row / block + 1]; ++k)
        for (int j = 0; j < block; ++j) {
          const std::int64_t col = std::int64_t{csr.column_indices[k]} * block + j;
          rows->columns.push_back(static_cast<std::int32_t>(col));
          rows->values.push_back(row == col ? 8.0 * block : -1.0 / static_cast<double>(1 + (row + col) % 7));
        }
      rows->pointers.push_back(static_cast<std::int32_t>(rows->columns.size()));
    }
  });
  return matrix_of(rows, nodes.cols() * block, name);
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Matrix make(const std::string& text, int threads) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return read_matrix(text);
  std::map<std::string, double> given;
  for (std::size_t at = colon; at != std::string::npos;) {
    const auto equals = text.find('=', at), next = text.find(',', at + 1);
    given[text.substr(at + 1, equals - at - 1)] = std::stod(text.substr(equals + 1, next - equals - 1));
    at = next;
  }
  const std::string kind = text.substr(0, colon);
  const std::size_t taken = kind == "stencil9" ? 1 : kind == "fem" ? 2 : given.size();
  if (given.size() != taken) throw Error(ErrorCode::usage, "\"" + text + "\" has other parameters than its kind takes");
  if (kind == "stencil9") return stencil9(static_cast<int>(given.at("size")), text);
  if (kind == "fem") return fem(given.at("size"), static_cast<int>(given.at("block")), threads, text);
  MatrixSpec spec;
  spec.kind = kind;
  spec.seed = 1;
  nlohmann::json parameters = nlohmann::json::object();
  for (const auto& [key, value] : given) {
    if (key == "rows") {
      spec.rows = static_cast<std::int64_t>(value);
    } else if (key == "cols") {
      spec.cols = static_cast<std::int64_t>(value);
    } else if (key == "row_mean") {
      spec.row_length = value;
    } else {
      parameters[key] = value;
    }
  }
  if (!parameters.empty()) spec.parameters = MatrixParameters::from_json(parameters.dump());
  return generate(spec, threads);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace sparsecast::bench

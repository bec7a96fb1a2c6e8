// Reads Matrix Market texts for scripts/compare-readers: from stdin the length (32 bits) and the bytes of each; to
// stdout a byte (1: refused), else rows, columns, non-zeros, row pointers and columns (64 bits each), real and
// imaginary parts.

#include <cstdio>
#include <limits>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

#include "matrix/io/read_market.hpp"
#include "next_text.hpp"

namespace {
template <class T>
void put(const std::vector<T>& values) {
  std::fwrite(values.data(), sizeof(T), values.size(), stdout);
}
}  // namespace

int main() {
  using namespace sparsecast;
  while (const auto text = next_text()) {
    try {
      std::visit(
          [](const auto& csr) {
            put(std::vector<std::uint8_t>{0});
            put(std::vector<std::int64_t>{csr.rows, csr.cols, static_cast<std::int64_t>(csr.values.size())});
            put(std::vector<std::int64_t>(csr.row_pointers.begin(), csr.row_pointers.end()));
            put(std::vector<std::int64_t>(csr.column_indices.begin(), csr.column_indices.end()));
            put(std::vector<double>(csr.values.begin(), csr.values.end()));
            std::vector<double> imaginary(csr.imaginary.begin(), csr.imaginary.end());
            imaginary.resize(csr.values.size());
            put(imaginary);
          },
          matrix::read_market(*text, "input", {.threads = 1, .memory_bytes = 64 << 20}));
    } catch (const Error&) {
      put(std::vector<std::uint8_t>{1});
    }
    std::fflush(stdout);
  }
  return 0;
}

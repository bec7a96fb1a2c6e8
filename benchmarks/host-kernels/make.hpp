#pragma once
// Matrices of the benchmarks by a line of text, and two small tools that they share.

#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

namespace sparsecast::bench {

/// A file, or a recipe kind:key=value,…: the kinds of `sparsecast generate`, and
///   stencil9:size=N        9-point stencil of a square grid
///   fem:size=N,block=B     7-point neighbours of a cubic grid with B unknowns a node, symmetric
[[nodiscard]] Matrix make(const std::string& text, int threads);

[[nodiscard]] double median(std::vector<double> values);

}  // namespace sparsecast::bench

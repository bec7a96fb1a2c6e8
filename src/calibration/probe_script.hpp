#pragma once
// A shell script that times products on a machine without Sparsecast: CSR on its processor, or a library's CSR and COO
// on its GPU, of matrices that it makes itself. What it writes is a table for --anchors.

#include <sparsecast/device.hpp>
#include <sparsecast/structure.hpp>

namespace sparsecast::calibration {
/// Rows of one length about the diagonal, every stride-th column.
struct BandMatrix {
  std::int64_t rows = 0, length = 1, stride = 1;
  [[nodiscard]] std::string name() const;
  /// Sizes and row lengths, as a table tells them; nothing that only the matrix has.
  [[nodiscard]] Structure shape() const;
};

/// Sixteen, from small to as large as the largest given and at most 8·10⁶ non-zeros, with their mean rows among others.
std::vector<BandMatrix> bands_like(const std::vector<Structure>& given);

/// What the script times of each on such a machine.
std::vector<std::string> scripted_kernels(const DeviceProperties& properties);

std::string probe_script(const std::vector<BandMatrix>& matrices);
}  // namespace sparsecast::calibration

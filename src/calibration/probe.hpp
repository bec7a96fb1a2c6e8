#pragma once
// A minute on a machine instead of a calibration: the machine's description, its memory's bandwidth and its launch, and
// some dozen products of chosen matrices. What comes out is a profile of tier "probe".

#include <sparsecast/profile.hpp>

#include "devices/device.hpp"

namespace sparsecast::calibration {
struct ProbeOptions {
  Precision precision = Precision::double_;
  int matrices = 16;
  double max_s = 45;                ///< no new matrix is begun beyond it
  base::ProgressFunction progress;  ///< told before every matrix
};

/// Nothing is written to a store. Error bad_input where the device does not tell what a forecast needs.
Profile probe_device(hardware::Device& device, const ProbeOptions& options);

// A shell script that times products on a machine without Sparsecast: CSR on its processor, or a library's CSR and COO
// on its GPU, of matrices that it makes itself. What it writes is a table for --anchors.

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

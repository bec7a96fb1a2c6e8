#pragma once
// Phase one: measures a device on its benchmark matrices and curves and keeps every record at once, so that a killed
// calibration resumes where it was.

#include "calibration/store.hpp"

namespace sparsecast::calibration {
struct CalibrateOptions {
  bool quick = false;              ///< a first look within a minute
  bool few = false;                ///< the matrices of a quick calibration, with the care of a full one
  bool only_instructions = false;  ///< nothing but the micro-benchmarks of instructions and memory
  bool papers = false;             ///< nothing but the papers' grids, whole
  Precision precision = Precision::double_;
  double max_s = 0;                 ///< stop starting new matrices after so many seconds; 0: no bound
  base::ProgressFunction progress;  ///< told before every matrix
};

struct CalibrationResult {
  int measured = 0;          ///< records taken now
  int present = 0;           ///< records that were there already
  int micro_benchmarks = 0;  ///< taken now
  int damaged = 0;           ///< that were in the store with a checksum that does not hold, removed and taken anew
};

/// Measures what the store does not have yet. Error interrupted after Ctrl-C, with everything so far in the store.
CalibrationResult calibrate(hardware::Device& device, Store& store, const CalibrateOptions& options);

/// How long products are timed, of a calibration of some seconds or a full one.
[[nodiscard]] TimingOptions timing_options(const hardware::Device& device, bool quick);

/// "sparsecast 0.1.0, compiler 12.2.0": what a profile names as the software that took it.
std::string software_text();

// The curves of a profile: measured where they are missing, and again where they do not speak of the machine.

/// Whether a curve of so many threads tells of waiting for another program rather than of the machine: a pass takes ten
/// times as long as one thread needs for it alone and the start of the threads together.
[[nodiscard]] bool waited_for_cores(const Profile& profile, int threads);

/// Measures the curves that the stored profile lacks, and all of the device's threads where they waited for cores. What
/// was measured before Ctrl-C is in the store. Errors: interrupted, those of the device and the store.
void complete_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);

/// The curves are to speak of the same state as the records: taken again where the fork-join latency was another, and
/// never coarser than they were.
void match_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);

// The truth on a user's matrix: every kernel of a device timed in turns. A format that would not fit is not attempted.

/// One Measurement per kernel, in the order given; status the reason, "too large: …" with the figure for one, where
/// there is no time. Nothing is written to a store. (A store is for y = A·x: times of another task do not belong
/// there.) `conversions`: they are timed several times and on fresh memory; otherwise preprocess_s is of one conversion
/// as it came.
std::vector<Measurement> measure_kernels(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                         const std::vector<std::string>& kernels, Precision precision,
                                         const TimingOptions& options, const ProductKind& task = {},
                                         bool conversions = true);

// How long a conversion takes as users meet it: once, into memory that nobody has touched yet. The system's work of
// giving out the pages is part of it, and more than half of it as a rule; a program that converts again and again finds
// the pages of the format before and is told a tenth of the time.

struct Conversion {
  std::unique_ptr<hardware::Product> product;
  double seconds = 0;  ///< from CSR to the format, upload included; 0 exactly where the Matrix's own arrays are used
};

/// Converts into fresh memory. Short conversions are made several times, each in fresh memory, and the median counts.
/// Not `timed`: once, for a product whose memory is as fresh as that of the round before; small products take longer in
/// memory that was used. Errors of Device::prepare.
[[nodiscard]] Conversion convert_fresh(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                       const std::string& kernel, Precision precision, const ProductKind& task = {},
                                       bool timed = true);

// Twenty seconds on a machine instead of a calibration: its description and the beginning of a quick calibration, of a
// processor on one thread and on all. What comes out is a profile of tier "probe".

struct ProbeOptions {
  Precision precision = Precision::double_;
  double max_s = 16;                ///< no new matrix is begun beyond it
  base::ProgressFunction progress;  ///< told before every matrix
};

/// Nothing is written to the user's store. Error bad_input where the device does not tell what a forecast needs.
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

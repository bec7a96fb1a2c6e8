#pragma once
// What answers read before they start: the matrices that are meant.

#include <sparsecast/answers/request.hpp>

#include "calibration/feature_table.hpp"
#include "calibration/ginkgo_results.hpp"
#include "fields/wording.hpp"
#include "matrix/collection/collection.hpp"

namespace sparsecast::answers {
/// What begins the name of a matrix of the collection: "ss:HB/bcsstk01".
inline constexpr std::string_view collection_prefix = "ss:";

/// How matrices are fetched: with the listener's progress, and remarks where there is a wait. The listener must outlive
/// what is done with it.
[[nodiscard]] matrix::CollectionOptions collection_options(const std::string& url, const Listener& listener);

/// The file that is meant: a path as it is; of ss:GROUP/NAME the one in the store, fetched where it is not there.
[[nodiscard]] std::filesystem::path matrix_file(const std::filesystem::path& given, const Listener& listener);

/// Whether a file of a folder is taken for a matrix: by the ending of a format that can be read, in letters of any
/// case.
[[nodiscard]] bool is_matrix_file(const std::filesystem::path& file);

/// The matrix files meant by `paths`, in order: files and ss:GROUP/NAME as matrix_file(), of folders (recursively)
/// every is_matrix_file(), sorted by name; archives and texts, which may be matrices, are remarked on. Error bad_input
/// where a folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> matrix_files(const std::vector<std::string>& paths,
                                                              const Listener& listener);

/// What is known of the matrix that is meant: analyzed, or read where the file is a structure (.json).
[[nodiscard]] Structure structure_of(const MatrixInput& input, int threads, const Listener& listener);

/// Both, with one reading; the matrix has no rows where the structure alone is known.
struct MatrixAndStructure {
  Matrix matrix;
  Structure structure;
};
[[nodiscard]] MatrixAndStructure matrix_and_structure_of(const MatrixInput& input, int threads,
                                                         const Listener& listener);

/// Measured products of a file (feature_table.hpp); matrices that it tells by name alone are read, once each, files
/// from the table's folder or this one. Errors as structure_of(), at the line that names
/// the matrix.
[[nodiscard]] std::vector<calibration::FeatureRecord> measurements_of(
    const std::filesystem::path& file, const Listener& listener,
    calibration::TimeUnit unit = calibration::TimeUnit::told);

/// Error bad_input where the file tells that its products are of other threads (0: whatever it tells) or of another
/// precision than what they are held against.
void require_kind(const std::vector<calibration::FeatureRecord>& records, const std::filesystem::path& file,
                  int threads, Precision precision);

[[nodiscard]] MatrixSize size_of(const Structure& structure);
[[nodiscard]] MatrixSize size_of(const Matrix& matrix);
[[nodiscard]] DeviceName name_of(const DeviceProperties& properties);

/// Remarks, or warns, in the listener's voice where it listens.
void remark(const Listener& listener, const wording::Text& line);
void warn(const Listener& listener, const wording::Text& line);
/// That an iteration is a product again and again with the same x.
void tell_not_square(const Listener& listener, const std::string& name);
/// Calls a listener's function where there is one.
void tell(const std::function<void(std::string_view)>& who, std::string_view line);
}  // namespace sparsecast::answers

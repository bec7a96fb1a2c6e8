#pragma once
// What a MATLAB prototype moves between memory and processor: of its regions and lines, and of two programs side by
// side. Bytes are counts, shown as whole numbers.
//
// Thread safety: values.

#include <array>
#include <optional>
#include <sparsecast/fields.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Where what the program prints goes.
enum class ProgramOutput { nowhere, standard_output, standard_error };

/// What the abbreviations of reports mean.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 4> traffic_legend{{
    {"SR", "storage requirement: bytes of the variables that live at once"},
    {"WSL", "working set loaded: bytes from the second-level cache into the first"},
    {"WSS", "working set stored: bytes that are written"},
    {"±",
     "what may be read again: an operand of a sparse product, blocks of a dense one, of a factorization or a sort"},
}};

/// Bytes that reach a level: L1 gets every load, each further one what the levels before it do not hold.
struct LevelTraffic {
  std::string level;  ///< "L1", …, "memory"
  double load_bytes = 0, store_bytes = 0;
};
template <>
struct Fields<LevelTraffic> {
  static constexpr std::string_view about = "Bytes that reach a level.";
  static constexpr auto table = std::tuple(field<&LevelTraffic::level>("L1, …, memory"),
                                           field<&LevelTraffic::load_bytes>("", at_least(0)).as_whole(),
                                           field<&LevelTraffic::store_bytes>("", at_least(0)).as_whole());
};

/// Of one turn of a region's only outer loop; of one call where it has none.
struct IterationTraffic {
  double iterations = 0;
  std::size_t loop_line = 0;
  double load_bytes = 0, store_bytes = 0;
  std::optional<double> seconds = {};
};
template <>
struct Fields<IterationTraffic> {
  static constexpr std::string_view about = "Of one turn of a region's only outer loop; of one call where it has none.";
  static constexpr auto table = std::tuple(
      field<&IterationTraffic::iterations>("turns of the loop over all calls, or calls", at_least(0)).as_whole(),
      field<&IterationTraffic::loop_line>("0: it has none", at_least(0)),
      field<&IterationTraffic::load_bytes>("", at_least(0)).as("wsl_bytes"),
      field<&IterationTraffic::store_bytes>("", at_least(0)).as("wss_bytes"),
      field<&IterationTraffic::seconds>("on the machine", at_least(0)).where_known());
};

struct RegionTraffic {
  std::string name;
  std::string file;  ///< as the user named the program's file; a function beside it: its path
  std::size_t first_line = 0, last_line = 0;
  int depth = 0;  ///< regions of the same file around it
  double calls = 0;
  double storage_bytes = 0;  ///< SR
  double load_bytes = 0;     ///< WSL
  double load_uncertainty = 0;
  double store_bytes = 0;   ///< WSS
  double dense_bytes = 0;   ///< part of WSL in dense matrix products
  double sparse_bytes = 0;  ///< part of WSL in sparse operations
  double sparse_uncertainty = 0;
  double dense_uncertainty = 0;
  std::vector<LevelTraffic> levels = {};       ///< with a machine
  std::optional<double> seconds = {};          ///< with a machine
  std::optional<double> product_seconds = {};  ///< the part of it that comes from a forecast of sparse products
  std::optional<IterationTraffic> per_iteration = {};

  // In no document:
  bool function = false;      ///< a function's body (FuncStart)
  std::size_t loop_line = 0;  ///< of its only outer loop; 0: it has none, or several
  double turns = 0;           ///< of that loop, over all calls
  /// Traced loads and stores by stack distance: bin b holds distances up to 2^((b + 1)/4) bytes, the last first
  /// touches.
  std::vector<double> load_reach = {}, store_reach = {};
  /// Products of ProgramTraffic::operands with one vector each, and the loads that were counted for them.
  std::vector<double> products = {}, product_bytes = {};
};
template <>
struct Fields<RegionTraffic> {
  using R = RegionTraffic;
  static constexpr std::string_view about = "What a region moves.";
  static constexpr auto table = std::tuple(
      field<&R::name>(""), field<&R::file>("as it was named; of a function beside the program its path"),
      field<&R::first_line>("", at_least(0)), field<&R::last_line>("", at_least(0)),
      field<&R::depth>("regions of the same file around it", at_least(0)), field<&R::calls>("", at_least(0)).as_whole(),
      field<&R::storage_bytes>("storage requirement", at_least(0)).as("sr_bytes").as_whole(),
      field<&R::load_bytes>("working set loaded", at_least(0)).as("wsl_bytes").as_whole(),
      field<&R::load_uncertainty>("what may be read again", at_least(0)).as("wsl_uncertainty_bytes").as_whole(),
      field<&R::store_bytes>("working set stored", at_least(0)).as("wss_bytes").as_whole(),
      field<&R::dense_bytes>("of the loads, in dense matrix products", at_least(0)).as("dgemm_bytes").as_whole(),
      field<&R::dense_uncertainty>("", at_least(0)).as("dgemm_uncertainty_bytes").as_whole(),
      field<&R::sparse_bytes>("of the loads, in sparse operations", at_least(0)).as_whole(),
      field<&R::sparse_uncertainty>("", at_least(0)).as("sparse_uncertainty_bytes").as_whole(),
      field<&R::levels>("of the machine").where_known(),
      field<&R::seconds>("on the machine", at_least(0)).where_known(),
      field<&R::product_seconds>("the part of seconds that is a forecast of sparse products", at_least(0))
          .where_known(),
      field<&R::per_iteration>("of one turn of the region's only outer loop; of one call where it has none and "
                               "loop_line is 0")
          .where_known());
};

struct LineTraffic {
  std::string file;
  std::size_t line = 0;
  double load_bytes = 0, store_bytes = 0;
  std::string text = {};  ///< the line; in no document
};
template <>
struct Fields<LineTraffic> {
  static constexpr std::string_view about = "What a line moves.";
  static constexpr auto table =
      std::tuple(field<&LineTraffic::file>(""), field<&LineTraffic::line>("", at_least(0)),
                 field<&LineTraffic::load_bytes>("", at_least(0)).as("wsl_bytes").as_whole(),
                 field<&LineTraffic::store_bytes>("", at_least(0)).as("wss_bytes").as_whole());
};

struct ProgramLevel {
  std::string level;
  double bytes = 0;
  std::optional<double> measured_bytes = {};
};
template <>
struct Fields<ProgramLevel> {
  static constexpr std::string_view about = "Loads that reach a level.";
  static constexpr auto table =
      std::tuple(field<&ProgramLevel::level>("L1, …, memory"), field<&ProgramLevel::bytes>("", at_least(0)).as_whole(),
                 field<&ProgramLevel::measured_bytes>(
                     "lines that the processor's counters saw; null where they cannot be read", at_least(0)));
};

/// Of a program's outermost regions together: those of the script, or of its functions where the script has none.
struct ProgramLevels {
  std::vector<ProgramLevel> levels = {};
  double seconds = 0;
  std::optional<double> measured_seconds = {};
  std::string counters = {};  ///< empty where nobody asked
};
template <>
struct Fields<ProgramLevels> {
  static constexpr std::string_view about = "Of a program's outermost regions together.";
  static constexpr auto table = std::tuple(
      field<&ProgramLevels::levels>("with --machine: of the outermost regions together"),
      field<&ProgramLevels::seconds>("on the machine", at_least(0)),
      field<&ProgramLevels::measured_seconds>("with --measure: the program as it is under Octave", at_least(0)),
      field<&ProgramLevels::counters>("with --measure: what was counted, or why nothing was").where_known());
};

/// The outermost regions on a machine, all its cores at work.
struct TrafficMachine {
  std::string device, tier;
  double seconds = 0;
};
template <>
struct Fields<TrafficMachine> {
  static constexpr std::string_view about = "The outermost regions on a machine, all its cores at work.";
  static constexpr auto table =
      std::tuple(field<&TrafficMachine::device>("its name"),
                 field<&TrafficMachine::tier>("what is known of it: measured, probe, data sheet"),
                 field<&TrafficMachine::seconds>("", at_least(0)));
};

struct StorageTime {
  std::string kernel;
  double seconds = 0, low_s = 0, high_s = 0;
};
template <>
struct Fields<StorageTime> {
  static constexpr std::string_view about = "One product by one kernel.";
  static constexpr auto table = std::tuple(field<&StorageTime::kernel>("as the kernel table names it"),
                                           field<&StorageTime::seconds>("forecast", above(0)),
                                           field<&StorageTime::low_s>("least of the 90 % interval", above(0)),
                                           field<&StorageTime::high_s>("most of the 90 % interval", above(0)));
};

/// One sparse matrix of the program in every storage that has a forecast on the machine, fastest first.
struct TrafficStorage {
  std::int64_t rows = 0, cols = 0, nonzeros = 0;
  double products = 0;
  std::vector<StorageTime> kernels = {};
};
template <>
struct Fields<TrafficStorage> {
  static constexpr std::string_view about = "One sparse matrix of the program in every storage.";
  static constexpr auto table =
      std::tuple(field<&TrafficStorage::rows>("", at_least(0)), field<&TrafficStorage::cols>("", at_least(0)),
                 field<&TrafficStorage::nonzeros>("", at_least(0)),
                 field<&TrafficStorage::products>("with a vector, in the outermost regions", at_least(0)),
                 field<&TrafficStorage::kernels>("fastest first"));
};

struct ProgramTraffic {
  std::string program;
  std::vector<RegionTraffic> regions = {};  ///< by file and first line
  std::vector<LineTraffic> lines = {};      ///< those that move anything, by file and line
  std::optional<ProgramLevels> whole = {};  ///< with a machine
  std::vector<std::pair<std::string, std::string>> legend{traffic_legend.begin(), traffic_legend.end()};
  std::vector<TrafficMachine> machines = {};
  std::optional<std::vector<TrafficStorage>> storage = {};

  // In no document:
  std::vector<Structure> operands = {};  ///< sparse matrices that multiplied vectors, where accesses were traced
  double seconds = 0;                    ///< the run, Octave's start included
};
template <>
struct Fields<ProgramTraffic> {
  static constexpr std::string_view about =
      "sparsecast traffic --json: bytes that a compiled implementation would move; levels and seconds with --machine";
  static constexpr auto table = std::tuple(
      field<&ProgramTraffic::program>("as it was named"), field<&ProgramTraffic::regions>("by file and first line"),
      field<&ProgramTraffic::lines>("that move anything, by file and line"),
      field<&ProgramTraffic::whole>("").where_known().in_its_place(),
      field<&ProgramTraffic::legend>("what the abbreviations mean"),
      field<&ProgramTraffic::machines>("with --machine all, fastest first").where_known(),
      field<&ProgramTraffic::storage>("with --storage").where_known());
};

/// Regions of the same name together; two single regions even without. Differences are second less first.
struct RegionDifference {
  std::string name;
  double first_bytes = 0, second_bytes = 0, load_difference = 0, store_difference = 0;
  std::optional<double> difference_s = {};
  std::optional<std::size_t> first = {}, second = {};  ///< among the program's regions; in no document
};
template <>
struct Fields<RegionDifference> {
  static constexpr std::string_view about = "Regions of the same name together; second less first.";
  static constexpr auto table =
      std::tuple(field<&RegionDifference::name>(""),
                 field<&RegionDifference::first_bytes>("0 where only the other has it", at_least(0))
                     .as("first_wsl_bytes")
                     .as_whole(),
                 field<&RegionDifference::second_bytes>("0 where only the other has it", at_least(0))
                     .as("second_wsl_bytes")
                     .as_whole(),
                 field<&RegionDifference::load_difference>("").as("wsl_difference_bytes").as_whole(),
                 field<&RegionDifference::store_difference>("").as("wss_difference_bytes").as_whole(),
                 field<&RegionDifference::difference_s>("on the machine").where_known());
};

/// A line that moves differently, or is only in one.
struct LineDifference {
  std::string text;  ///< without blanks around it
  std::optional<std::size_t> first_line = {}, second_line = {};
  double load_difference = 0, store_difference = 0;
  std::optional<std::size_t> first = {}, second = {};  ///< among the program's lines; in no document
};
template <>
struct Fields<LineDifference> {
  static constexpr std::string_view about = "A line that moves differently, or is only in one; second less first.";
  static constexpr auto table =
      std::tuple(field<&LineDifference::text>("without blanks around it"),
                 field<&LineDifference::first_line>("", at_least(0)).where_known(),
                 field<&LineDifference::second_line>("", at_least(0)).where_known(),
                 field<&LineDifference::load_difference>("").as("wsl_difference_bytes").as_whole(),
                 field<&LineDifference::store_difference>("").as("wss_difference_bytes").as_whole());
};

struct TrafficComparison {
  ProgramTraffic first, second;
  std::vector<RegionDifference> regions = {};
  std::vector<LineDifference> lines = {};  ///< largest difference first
};
template <>
struct Fields<TrafficComparison> {
  static constexpr std::string_view about =
      "sparsecast traffic --compare --json: regions of the same name and lines with the same text, second less first";
  static constexpr auto table = std::tuple(
      field<&TrafficComparison::first>(""), field<&TrafficComparison::second>(""),
      field<&TrafficComparison::regions>("of the same name together"),
      field<&TrafficComparison::lines>("that move differently or are only in one, largest difference first"));
};

}  // namespace sparsecast
#pragma GCC visibility pop

// info: the structure of a matrix.

#include <cmath>
#include <sparsecast/answers/devices.hpp>
#include <sparsecast/answers/generate.hpp>
#include <sparsecast/answers/info.hpp>
#include <sparsecast/answers/profiles.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/version.hpp>
#include <sparsecast/write.hpp>
#include <sparsecast_constants.hpp>
#include <sstream>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "base/embedded.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "fields/answers/generate.hpp"
#include "fields/answers/info.hpp"
#include "fields/answers/profiles.hpp"
#include "fields/json.hpp"
#include "fields/wording.hpp"
#include "hardware/description.hpp"
#include "hardware/self_check.hpp"

namespace sparsecast {
MatrixInfo info(const InfoRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  const Structure structure = answers::structure_of(request.matrix, request.threads, request.listener);
  return {answers::size_of(structure), structure};
}

// generate: a matrix made from its recipe, into a file.

namespace {
// By these endings programs know what is not Matrix Market text, which would be in the file.
constexpr auto foreign_endings =
    std::to_array<std::string_view>({".bz2", ".xz",  ".zst", ".zip", ".tar", ".tgz", ".7z", ".mat",  ".npy", ".rb",
                                     ".hb",  ".rua", ".rsa", ".rra", ".pua", ".psa", ".h5", ".hdf5", ".bin", ".json"});

// The last ending in small letters.
std::string written_ending(const std::filesystem::path& file) {
  std::string ending = base::lower_case(file.extension().string());
  const bool npz_packed = ending == ".gz" && base::lower_case(file.stem().extension().string()) == ".npz";
  if (npz_packed || file == "-" || std::ranges::find(foreign_endings, ending) != foreign_endings.end())
    throw Error(ErrorCode::usage, "a matrix is written as Matrix Market text or as npz, and this name says neither",
                {file.string()}, "name it .mtx, .mtx.gz or .npz; /dev/stdout is the standard output");
  return ending;
}

// Recipes ask for a mean that their rows may not reach: they hold no less than one entry, no more than there are
// columns, or what the other parameters leave. Lengths that are drawn differ from it by chance.
void remark_on_mean(const MatrixSpec& spec, const Matrix& made, const Listener& listener) {
  if (!listener.remark || spec.row_length <= 0 || made.rows() == 0) return;
  const double rows = static_cast<double>(made.rows()), mean = static_cast<double>(made.nonzeros()) / rows;
  const double chance = 3 * std::sqrt(spec.row_length / rows);
  if (std::fabs(mean - spec.row_length) <= 0.1 * spec.row_length + chance) return;
  listener.remark(
      wording::format("{}: {:.3g} non-zeros a row came out, not the {:g} of {}: its rows cannot be as short "
                      "or as long as that takes",
                      made.name(), mean, spec.row_length, wording::option("row_mean"))
          .in(listener.voice));
}
}  // namespace

GeneratedFile generate_file(const GenerateRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  const std::string ending = written_ending(request.file);
  const Matrix matrix = generate(request.spec, request.threads);
  WriteOptions writing;
  // Two values and more are scattered over the entries, whichever lie opposite each other.
  writing.symmetric =
      find_generator_kind(request.spec.kind)->symmetric && request.spec.parameters.distinct.value_or(0) < 2;
  writing.threads = request.threads;
  writing.comment = "sparsecast generate: " + matrix.name();
  if (ending == ".npz") {
    writing.symmetric = false;  // all entries
    write_npz(matrix, request.file);
  } else {
    write_matrix_market(matrix, request.file, writing);
  }
  remark_on_mean(request.spec, matrix, request.listener);
  return {request.file.string(), answers::size_of(matrix), request.spec.kind, request.spec.seed, writing.symmetric};
}

// The numbers that forecasts rest on: src/constants.tsv, and the models whose coefficients are shipped.

ConstantList all_constants() {
  ConstantList list;
  std::istringstream rows{std::string(embedded::constants()[0].text)};
  std::string row, values;
  std::getline(rows, row);  // the columns' names
  while (std::getline(rows, row)) {
    Constant one;
    std::istringstream cells(row);
    for (std::string* cell : {&one.name, &values, &one.unit, &one.kind, &one.file, &one.source})
      std::getline(cells, *cell, '\t');
    std::istringstream numbers(values);
    for (double value = 0; numbers >> value;) one.values.push_back(value);
    one.value = one.values.at(0);
    if (one.values.size() == 1) one.values.clear();
    list.constants.push_back(std::move(one));
  }
  return list;
}

VersionDetails version_details() {
  VersionDetails details{std::string(library_version()),
                         {{"host", std::string(constants::table_sha256), "sparsecast calibrate"}}};
  const auto shipped = [&](const char* name, std::string_view hash, const embedded::File& file) {
    auto model = fields::read_struct<ShippedModel>(nlohmann::ordered_json::parse(file.text).at("learned"));
    model.name = name;
    model.hash = hash;
    details.models.push_back(std::move(model));
  };
  shipped("machines", constants::machine_model_sha256, embedded::machine_model()[0]);
  shipped("gpus", constants::gpu_model_sha256, embedded::gpu_model()[0]);
  return details;
}

// devices: those here, those described, and the self-check.

PresentDevices devices(const DevicesRequest& request) {
  const base::StopScope stop(request.listener.stop);
  hardware::PresentDevices present = hardware::present_devices();
  PresentDevices answer{.missing = std::move(present.missing)};
  for (const DeviceProperties& p : present.devices) answer.devices.push_back({p.name, p.model, p.kind, p, p.strips()});
  return answer;
}

DeviceDescription describe(const DescribeRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const DeviceProperties device = request.device == "host"            ? hardware::describe_host()
                                  : request.device.ends_with(".json") ? read_device(request.device)
                                                                      : describe_device(request.device);
  return {device.name, device, device.strips()};
}

Catalogue catalogue(const CatalogueRequest& /*request*/) {
  Catalogue answer;
  for (const std::string& name : described_devices()) {
    const DeviceProperties device = describe_device(name);
    answer.devices.push_back({device.name, device.model, device.kind, device});
  }
  return answer;
}

DeviceCheck check_device(const DeviceCheckRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const auto device = hardware::open_device(request.device, request.threads);
  DeviceCheck answer{.device = request.device,
                     .model = device->properties().model,
                     .driver = device->properties().driver,
                     .kernels = device->kernels()};
  answer.checks = hardware::check_kernels(
      *device, request.kernels, [&](const std::string& what) { answers::tell(request.listener.remark, what); },
      request.listener.voice);
  answer.wrong = std::ranges::count(answer.checks, false, &KernelCheck::agrees);
  return answer;
}
}  // namespace sparsecast

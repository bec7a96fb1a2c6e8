#include "app/page/page.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <sparsecast/answers/info.hpp>
#include <sparsecast/version.hpp>

#include "app/inputs.hpp"
#include "base/clock.hpp"
#include "base/curve.hpp"
#include "base/files.hpp"
#include "fields/answers/info.hpp"
#include "fields/json.hpp"
#include "matrix/view/grey_image.hpp"
#include "matrix/view/spy.hpp"
#include "matrix/view/spy_picture.hpp"

namespace sparsecast::app {
namespace {
constexpr std::size_t most_picture_bytes = 60'000, most_pictures_bytes = 200'000;

// As fine as fits: a picture of noise takes a byte for every cell.
std::string spy_of(const Matrix& matrix, int threads) {
  std::string png;
  for (const int cells : {512, 384, 256, 192}) {
    png = matrix::spy_png(matrix::rasterize(matrix, cells, threads));
    if (png.size() <= most_picture_bytes) break;
  }
  return png;
}

// What a device reads from each level of its memory, as a few numbers.
struct MemoryLevel {
  std::string name;        ///< "L1", …, "memory"
  double bytes;            ///< that fit it, over all threads; 0 where it is not known
  double bytes_per_s = 0;  ///< read from it
};

// From the bandwidth that the calibration measured over footprints; by its data sheet the memory alone. Levels that
// nothing was measured in are left out.
std::vector<MemoryLevel> memory_levels(const Profile& profile, int threads) {
  const DeviceProperties& p = profile.properties;
  const auto memory = static_cast<double>(p.memory_bytes);
  const Curve* curve = profile.curve("read_bandwidth", threads);
  if (curve == nullptr || !base::usable(*curve)) {
    if (!(p.memory_bandwidth > 0)) return {};
    return {{"memory", memory, p.memory_bandwidth}};
  }
  // What starting the threads costs would hide a cache of their own: there it is so many times what one reads.
  const Curve* alone = threads > 1 ? profile.curve("read_bandwidth", 1) : nullptr;
  const auto rate = [&](double footprint, bool own) {
    return own && alone != nullptr && base::usable(*alone) ? threads * base::value_at(*alone, footprint / threads)
                                                           : base::value_at(*curve, footprint);
  };
  std::vector<MemoryLevel> levels;
  const double smallest = curve->x.front(), largest = curve->x.back();
  double below = 0;
  for (const CacheLevel& cache : p.caches) {
    // A level is shared by threads of the host, by compute units elsewhere.
    const int units = threads > 0 ? threads : p.compute_units;
    const int caches = std::max(1, units / std::max(1, cache.shared_by));
    const double bytes = static_cast<double>(cache.size_bytes) * caches;
    const double footprint = std::max(bytes / 2, std::min(bytes, 2 * below));
    if (bytes > below && footprint >= smallest && footprint <= largest)
      levels.push_back({fmt::format("L{}", cache.level), bytes, rate(footprint, caches == threads)});
    below = std::max(below, bytes);
  }
  if (largest > below) levels.push_back({"memory", memory, base::value_at(*curve, largest)});
  return levels;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}
}  // namespace

void add_page_option(CLI::App& command, std::string& file) {
#ifdef SPARSECAST_PAGES
  command.add_option("--html", file, "also write pictures and tables to this HTML file, which needs no network");
#else
  static_cast<void>(command), static_cast<void>(file);
#endif
}

Structure Page::look_at(const Matrix& matrix) {
  Structure structure = analyze(matrix, globals_->threads);
  if (!wanted()) return structure;
  const std::size_t place = documents_.size();  // of its structure: matrices of several folders may share a name
  add("info", fields::written(MatrixInfo{answers::size_of(structure), structure}));
  if (!matrix::GreyImage::has_png()) {
    remark(*globals_, "the page has no pictures of matrices: this build lacks libspng");
    return structure;
  }
  std::size_t bytes = 0;
  for (const auto& [document, png] : pictures_.spies) bytes += png.size();
  if (bytes < most_pictures_bytes) pictures_.spies.emplace(place, spy_of(matrix, globals_->threads));
  return structure;
}

void Page::add_machine(const DeviceProperties& properties) {
  if (wanted())
    machines_.push_back({{"name", properties.name}, {"model", properties.model}, {"kind", to_string(properties.kind)}});
}

void Page::add_machine(const Profile& profile) {
  if (!wanted()) return;
  const int threads = answers::threads_for(profile, globals_->threads);
  add_machine(profile.properties);
  nlohmann::ordered_json& machine = machines_.back();
  machine["name"] = profile.properties.name;
  machine["tier"] = to_string(profile.tier);
  if (threads > 0) machine["threads"] = threads;
  machine["levels"] = nlohmann::ordered_json::array();
  for (const MemoryLevel& level : memory_levels(profile, threads))
    machine["levels"].push_back({{"name", level.name}, {"bytes", level.bytes}, {"bytes_per_s", level.bytes_per_s}});
}

void Page::add_source(const std::string& program) {
  if (!wanted() || std::ranges::any_of(sources_, [&](const auto& source) { return source["file"] == program; })) return;
  sources_.push_back({{"file", program}, {"text", base::read_file(program, {.what = "program"})}});
}

void Page::add_drawing(const std::string& title, const std::string& svg) {
  if (wanted()) pictures_.drawings.emplace_back(title, svg);
}

void Page::add(std::string_view name, const nlohmann::ordered_json& document) {
  if (wanted()) documents_.push_back(with_schema(name, document));
}

void Page::compare(nlohmann::ordered_json before, nlohmann::ordered_json after) {
  before_ = std::move(before);
  after_ = std::move(after);
}

nlohmann::ordered_json Page::data() const {
  nlohmann::ordered_json page{{"title", title_},         {"asked", globals_->command_line},
                              {"made", base::utc_now()}, {"version", library_version()},
                              {"host", host_name()},     {"machines", machines_},
                              {"sources", sources_},     {"documents", documents_}};
  if (!before_.is_null()) page["before"] = before_;
  if (!after_.is_null()) page["after"] = after_;
  return page;
}

void Page::write(const std::string& title, std::string_view name, const nlohmann::ordered_json& document) {
  add(name, document);
  write(title);
}

void Page::write(const std::string& title) {
  if (!wanted()) return;
  title_ = title;
#ifdef SPARSECAST_PAGES
  base::write_file_atomically(file_, pages::page_html(with_schema("page", data()), pictures_), {.what = "page"});
#endif
  remark(*globals_, "page written to " + file_);
}
}  // namespace sparsecast::app


#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/threads.hpp"
#include "forecast/learned/extra_trees.hpp"
#include "forecast/machines/described_model.hpp"
#include "forecast/machines/gpu_device.hpp"
#include "forecast/physical/conversion.hpp"

namespace sparsecast::forecast {
namespace {
constexpr std::size_t fewest_of_a_table = 60;  // products of a kernel over which trees are grown
constexpr int forest_size = 100, judging_forest_size = 25, judged_parts = 5;
constexpr double inside = 0.9;
constexpr double least_of_floor = 0.8;  // no product is faster than this share of starting its kernel
constexpr std::size_t fewest_of_a_decade = 30;

// Matrices of one group of a collection are near twins: they are judged together.
std::size_t part_of(const std::string& matrix) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : matrix.substr(0, matrix.find('/')))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash % judged_parts;
}

// The q-quantile of one more than was seen.
double reach(std::vector<double>& values, double q) {
  std::ranges::sort(values);
  const double at = q * static_cast<double>(values.size() + 1) - 1;
  return values[static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(values.size() - 1)))];
}

// What residuals reach in their decade; where a decade has few, all of them.
DecadeIntervals intervals_of(const std::vector<double>& nonzeros, const std::vector<double>& left) {
  DecadeIntervals intervals;
  std::array<std::vector<double>, DecadeIntervals::decades> by_decade;
  for (std::size_t i = 0; i < left.size(); ++i) by_decade[DecadeIntervals::decade_of(nonzeros[i])].push_back(left[i]);
  for (std::size_t d = 0; d < by_decade.size(); ++d) {
    std::vector<double> values = by_decade[d].size() < fewest_of_a_decade ? left : by_decade[d];
    intervals.widths[d].low = std::min(-0.01, reach(values, (1 - inside) / 2));
    intervals.widths[d].high = std::max(0.01, reach(values, (1 + inside) / 2));
  }
  return intervals;
}

// One kernel of a table: its products and the trees over what floor and counts leave of them.
struct TableKernel {
  std::vector<GpuProduct> products;
  std::vector<double> seconds, nonzeros;
  std::vector<std::size_t> parts;
  ExtraTrees trees;
  DecadeIntervals intervals;

  void grow(const GpuDevice& device, const std::string& kernel) {
    const auto count = static_cast<Eigen::Index>(products.size());
    Eigen::MatrixXd features(count, static_cast<Eigen::Index>(gpu_features));
    Eigen::VectorXd left(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const GpuProduct& product = products[static_cast<std::size_t>(i)];
      const GpuBase base = device.base(product, kernel);
      const auto row = product.features(base.floor, base.seconds);
      features.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), static_cast<Eigen::Index>(row.size()));
      left(i) = std::log(seconds[static_cast<std::size_t>(i)] / base.seconds);
    }
    trees = ExtraTrees(features, left, forest_size);
    intervals = intervals_of(nonzeros, judged(features, left));
  }

 private:
  // What is left of every product by trees that saw nothing of its group.
  [[nodiscard]] std::vector<double> judged(const Eigen::MatrixXd& features, const Eigen::VectorXd& left) const {
    std::vector<double> out(parts.size());
    for (std::size_t part = 0; part < judged_parts; ++part) {
      std::vector<Eigen::Index> seen, unseen;
      for (std::size_t i = 0; i < parts.size(); ++i)
        (parts[i] == part ? unseen : seen).push_back(static_cast<Eigen::Index>(i));
      const ExtraTrees without(features(seen, Eigen::all), left(seen), judging_forest_size);
      for (const Eigen::Index i : unseen) out[static_cast<std::size_t>(i)] = left(i) - without.predict(features.row(i));
    }
    return out;
  }
};

// What is left of the few products of a kernel, which sizes near theirs share.
class NearSizes {
 public:
  void add(double nonzeros, double left) { seen_.push_back({size(nonzeros), left}); }
  [[nodiscard]] double at(double nonzeros) const {
    constexpr double reach = 0.4, doubt = 2;  // decades; products that would say 0
    double sum = 0, weights = doubt;
    for (const auto& [where, left] : seen_) {
      const double away = (size(nonzeros) - where) / reach;
      const double weight = std::exp(-away * away / 2);
      sum += weight * left;
      weights += weight;
    }
    return sum / weights;
  }

 private:
  struct Seen {
    double where = 0, left = 0;
  };
  [[nodiscard]] static double size(double nonzeros) { return std::log10(std::max(1.0, nonzeros)); }
  std::vector<Seen> seen_;
};

class FittedGpu final : public FittedModel {
 public:
  FittedGpu(const Profile& profile, const FitOptions& options, const GpuModel& coefficients)
      : device_(coefficients, profile.properties, options.together),
        kind_(profile.properties.kind),
        precision_(options.precision),
        tier_(profile.tier) {
    std::map<std::string, TableKernel> measured;
    for (const Record& record : profile.records) {
      if (record.precision != options.precision) continue;
      const Structure& structure = profile.matrices[static_cast<std::size_t>(record.matrix)].structure;
      auto product = device_.product(structure, record.precision, record.kernel);
      if (!product) continue;
      TableKernel& kernel = measured[record.kernel];
      kernel.products.push_back(*product);
      kernel.seconds.push_back(record.seconds);
      kernel.nonzeros.push_back(static_cast<double>(structure.nonzeros));
      kernel.parts.push_back(part_of(structure.name));
    }
    if (!measured.empty()) learn(measured);
  }

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    if (tier_ == "probe" && !measured_.contains(kernel)) return std::nullopt;  // a probe speaks of what it measured
    const auto product = device_.product(structure, precision_, kernel);
    if (!product) return std::nullopt;
    const GpuBase base = device_.base(*product, kernel);
    const auto table = tables_.find(kernel);
    double left = 0;
    if (table != tables_.end()) {
      const auto row = product->features(base.floor, base.seconds);
      left = table->second.trees.predict(
          Eigen::Map<const Eigen::RowVectorXd>(row.data(), static_cast<Eigen::Index>(row.size())));
    } else {
      left = device_.learned(*product, base) + device_.offset(kernel);
      if (const auto near = near_.find(kernel); near != near_.end())
        left += near->second.at(static_cast<double>(structure.nonzeros));
    }
    Forecast f;
    f.kernel = kernel;
    f.model = described_model_name;
    f.tier = tier_;
    f.seconds = std::max(base.seconds * std::exp(left), least_of_floor * base.floor);
    const auto nonzeros = static_cast<double>(structure.nonzeros);
    const auto [low, high] =
        table != tables_.end() ? table->second.intervals.at(nonzeros) : device_.interval(*product, kernel, nonzeros);
    f.low_s = f.seconds * std::exp(low);
    f.high_s = f.seconds * std::exp(high);
    f.gflops = 2e-9 * static_cast<double>(structure.nonzeros) / f.seconds;
    f.bytes = static_cast<std::int64_t>(product->stored);
    if (!structure.row_histogram.empty() && !structure.slices.empty())
      if (const auto exact = storage_bytes(kind_, structure, kernel, precision_); exact.value_or(0) > 0)
        f.bytes = *exact;
    f.extrapolated = precision_ == Precision::single_;  // nothing was measured in it
    std::size_t binds = 0;
    for (std::size_t i = 0; i < gpu_terms.size(); ++i) {
      if (base.parts[i] > base.parts[binds]) binds = i;
      f.parts.push_back(
          {gpu_terms[i], base.parts[i] / base.seconds * f.seconds, gpu_terms[i] == Term::stream ? product->moved : 0});
    }
    f.bound_by = gpu_terms[binds];
    return f;
  }

 private:
  void learn(std::map<std::string, TableKernel>& measured) {
    const bool table = tier_ == "table";
    std::vector<GpuObservation> few, many;
    std::vector<std::string> grown;
    for (auto& [kernel, m] : measured) {
      const bool trees = table && m.products.size() >= fewest_of_a_table;
      if (trees) grown.push_back(kernel);
      measured_.insert(kernel);
      for (std::size_t i = 0; i < m.products.size(); ++i)
        (trees ? many : few).push_back({&m.products[i], kernel, m.seconds[i]});
    }
    if (!many.empty()) device_.learn(many, false);
    if (!few.empty()) device_.learn(few, true);
    for (const auto& [kernel, m] : measured) {
      for (std::size_t i = 0; i < m.products.size() && std::ranges::find(grown, kernel) == grown.end(); ++i) {
        const GpuBase base = device_.base(m.products[i], kernel);
        const double told = device_.learned(m.products[i], base) + device_.offset(kernel);
        constexpr double most = 0.5;  // one odd matrix is no rule for its size
        near_[kernel].add(m.nonzeros[i], std::clamp(std::log(m.seconds[i] / base.seconds) - told, -most, most));
      }
    }
    for (const std::string& kernel : grown) tables_[kernel];
    base::parallel_for(std::ssize(grown), {base::available_cores()}, [&](std::int64_t k) {
      const std::string& kernel = grown[static_cast<std::size_t>(k)];
      TableKernel& m = measured.at(kernel);
      m.grow(device_, kernel);
      tables_.at(kernel) = {std::move(m.trees), m.intervals};
    });
  }

  struct Grown {
    ExtraTrees trees;
    DecadeIntervals intervals;
  };
  GpuDevice device_;
  DeviceKind kind_;
  Precision precision_;
  std::string tier_;
  std::set<std::string> measured_;
  std::map<std::string, NearSizes> near_;
  std::map<std::string, Grown> tables_;
};
}  // namespace

std::unique_ptr<FittedModel> fit_gpu_model(const Profile& profile, const FitOptions& options,
                                           const GpuModel& coefficients) {
  return std::make_unique<FittedGpu>(profile, options, coefficients);
}
}  // namespace sparsecast::forecast

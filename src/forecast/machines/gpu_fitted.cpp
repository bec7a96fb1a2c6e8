#include "forecast/machines/gpu_fitted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sparsecast_constants.hpp>

#include "base/parallel_for.hpp"
#include "base/threads.hpp"
#include "fields/tier.hpp"
#include "forecast/interval.hpp"
#include "forecast/learned/extra_trees.hpp"
#include "forecast/learned/gaussian_process.hpp"
#include "forecast/machines/described_model.hpp"
#include "forecast/machines/gpu_device.hpp"
#include "forecast/machines/gpu_reach.hpp"
#include "forecast/memory_floor.hpp"
#include "forecast/physical/storage.hpp"

namespace sparsecast::forecast {
namespace {
// Matrices of one group of a collection are near twins: they are judged together.
std::size_t part_of(const std::string& matrix) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : matrix.substr(0, matrix.find('/')))
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash % constants::count<std::size_t>(constants::judged_parts);
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
    std::vector<double> values =
        static_cast<double>(by_decade[d].size()) < constants::fewest_of_a_decade ? left : by_decade[d];
    intervals.widths[d].low = std::min(-constants::least_doubt, reach(values, (1 - constants::interval_share) / 2));
    intervals.widths[d].high = std::max(constants::least_doubt, reach(values, (1 + constants::interval_share) / 2));
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

  void add(const GpuDevice& device, const Profile& profile, const Record& record, Precision precision) {
    if (record.precision != precision) return;
    const Structure& structure = profile.matrices[static_cast<std::size_t>(record.matrix)].structure;
    auto product = device.product(structure, record.precision, record.kernel);
    if (!product) return;
    products.push_back(*product);
    seconds.push_back(record.seconds);
    nonzeros.push_back(static_cast<double>(structure.nonzeros));
    parts.push_back(part_of(structure.name));
  }

  void grow(const GpuDevice& device) {
    const auto count = static_cast<Eigen::Index>(products.size());
    Eigen::MatrixXd features(count, static_cast<Eigen::Index>(gpu_features));
    Eigen::VectorXd left(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const GpuProduct& product = products[static_cast<std::size_t>(i)];
      const GpuBase base = device.base(product);
      const auto row = product.features(base.floor, base.seconds);
      features.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), static_cast<Eigen::Index>(row.size()));
      left(i) = std::log(seconds[static_cast<std::size_t>(i)] / base.seconds);
    }
    trees = ExtraTrees(features, left, constants::count(constants::table_trees), constants::tree_lean);
    intervals = intervals_of(nonzeros, judged(features, left));
    products = {};
  }

 private:
  // What is left of every product by trees that saw nothing of its group.
  [[nodiscard]] std::vector<double> judged(const Eigen::MatrixXd& features, const Eigen::VectorXd& left) const {
    std::vector<double> out(parts.size());
    for (std::size_t part = 0; part < constants::count<std::size_t>(constants::judged_parts); ++part) {
      std::vector<Eigen::Index> seen, unseen;
      for (std::size_t i = 0; i < parts.size(); ++i)
        (parts[i] == part ? unseen : seen).push_back(static_cast<Eigen::Index>(i));
      const ExtraTrees without(features(seen, Eigen::all), left(seen), constants::count(constants::judging_trees),
                               constants::tree_lean);
      for (const Eigen::Index i : unseen) out[static_cast<std::size_t>(i)] = left(i) - without.median(features.row(i));
    }
    return out;
  }
};

class FittedGpu final : public FittedModel {
 public:
  FittedGpu(const Profile& profile, const FitOptions& options, const GpuModel& coefficients)
      : device_(coefficients, profile.properties, options.together, options.libraries),
        kind_(profile.properties.kind),
        precision_(options.precision),
        tier_(profile.tier),
        beyond_(beyond_boards(profile.properties)) {
    if (!device_.has_tables() && !profile.records.empty()) choose_strategy(profile, coefficients.strategies());
    std::map<std::string, TableKernel> measured;
    for (const Record& record : profile.records) measured[record.kernel].add(device_, profile, record, precision_);
    std::erase_if(measured, [](const auto& kernel) { return kernel.second.products.empty(); });
    if (!measured.empty()) learn(measured);
  }

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    if (tier_ == Tier::probe && !measured_.contains(kernel)) return std::nullopt;  // a probe speaks of what it measured
    const auto product = device_.product(structure, precision_, kernel);
    if (!product) return std::nullopt;
    const GpuBase base = device_.base(*product);
    const auto table = tables_.find(kernel);
    double left = 0;
    if (table != tables_.end()) {
      const auto row = product->features(base.floor, base.seconds);
      left = table->second.trees.median(
          Eigen::Map<const Eigen::RowVectorXd>(row.data(), static_cast<Eigen::Index>(row.size())));
    } else {
      left = device_.learned(*product, base);
      if (const auto point = point_of(*product, base); !like_.empty()) left += like_(point, point);
    }
    Forecast f;
    f.kernel = kernel;
    f.model = described_model_name;
    f.tier = tier_;
    f.seconds = std::max({base.seconds * std::exp(left), constants::least_of_floor * base.floor, product->roof});
    const auto nonzeros = static_cast<double>(structure.nonzeros);
    const auto [low, high] =
        table != tables_.end() ? table->second.intervals.at(nonzeros) : device_.interval(*product, nonzeros);
    f.low_s = f.seconds * std::exp(low);
    f.high_s = f.seconds * std::exp(high);
    f.gflops = gflops_of(structure, f.seconds);
    f.bytes = static_cast<std::int64_t>(product->stored);
    if (!structure.row_histogram.empty() && !structure.slices.empty())
      if (const auto exact = storage_bytes(kind_, structure, kernel, precision_); exact.value_or(0) > 0)
        f.bytes = *exact;
    if (!measured_.contains(product->kernel)) f.learned_of = device_.learned_of(*product);
    extrapolate_to(precision_, f);
    doubt_beyond_boards(beyond_, f);
    // Prices are learned as though all of x were read; what is told is what its entries reach.
    const double all_of_x = value_bytes(precision_) * static_cast<double>(structure.cols);
    const double moved = product->moved - (structure.x_reuse.empty() ? 0 : all_of_x - read_of_x(structure, precision_));
    std::size_t binds = 0;
    for (std::size_t i = 0; i < gpu_terms.size(); ++i) {
      if (base.parts[i] > base.parts[binds]) binds = i;
      f.parts.push_back(
          {gpu_terms[i], base.parts[i] / base.seconds * f.seconds, gpu_terms[i] == Term::stream ? moved : 0});
    }
    f.bound_by = gpu_terms[binds];
    return f;
  }

 private:
  // The rules of Ginkgo under which what was measured is likeliest, of those that the tables have.
  void choose_strategy(const Profile& profile, const std::vector<GpuStrategy>& strategies) {
    const auto enough = constants::count<std::size_t>(constants::enough_for_rules);
    const GpuDevice before = device_;
    double least = std::numeric_limits<double>::infinity();
    for (const GpuStrategy& strategy : strategies) {
      GpuDevice trial = before;
      trial.set_strategy(strategy);
      TableKernel m;
      for (std::size_t i = 0; i < profile.records.size(); i += profile.records.size() / enough + 1)
        m.add(trial, profile, profile.records[i], precision_);
      std::vector<GpuObservation> seen;
      for (std::size_t i = 0; i < m.products.size(); ++i) seen.push_back({&m.products[i], m.seconds[i]});
      trial.learn(seen, true);
      double unlikely = strategy == before.strategy() ? 0 : constants::more_than_usual;
      for (const auto& [product, seconds] : seen) {
        const GpuBase base = trial.base(*product);
        const double left = std::log(seconds / base.seconds) - trial.learned(*product, base);
        unlikely += std::log1p(std::pow(left / constants::gpu_noise, 2) / 2);
      }
      if (unlikely >= least) continue;
      least = unlikely;
      device_.set_strategy(strategy);
    }
  }

  void learn(std::map<std::string, TableKernel>& measured) {
    const bool table = tier_ == Tier::table;
    std::vector<GpuObservation> few, many;
    std::vector<std::string> grown;
    for (auto& [kernel, m] : measured) {
      const bool trees = table && static_cast<double>(m.products.size()) >= constants::fewest_of_a_table;
      if (trees) grown.push_back(kernel);
      for (std::size_t i = 0; i < m.products.size(); ++i) {
        measured_.insert(m.products[i].kernel);
        (trees ? many : few).push_back({&m.products[i], m.seconds[i]});
      }
    }
    if (!many.empty()) device_.learn(many, false);
    if (!few.empty()) {
      device_.learn(few, true);
      device_.learn_scatter(few);
    }
    if (!few.empty()) learn_like(few);
    for (const std::string& kernel : grown) tables_[kernel];
    base::parallel_for(std::ssize(grown), {base::available_cores()}, [&](std::int64_t k) {
      const std::string& kernel = grown[static_cast<std::size_t>(k)];
      tables_.at(kernel) = std::move(measured.at(kernel));
      tables_.at(kernel).grow(device_);
    });
  }

  // What floors and prices leave of a few products, others like them have too: like in size, row lengths, what of the
  // time launch and cores take, and kernel. The lengths were found while errors of the tables were looked at.
  [[nodiscard]] Eigen::RowVectorXd point_of(const GpuProduct& product, const GpuBase& base) const {
    const auto row = product.features(base.floor, base.seconds);
    Eigen::RowVectorXd point = Eigen::RowVectorXd::Zero(6 + std::ssize(measured_));
    const auto& unit = constants::gpu_like_units;
    point.head<6>() << row[0] / unit[0], row[3] / unit[1], row[5] / unit[2], row[12] / unit[3],
        base.parts[0] / base.seconds / unit[4], (base.parts[2] + base.parts[3]) / base.seconds / unit[4];
    if (const auto own = measured_.find(product.kernel); own != measured_.end())
      point(6 + std::distance(measured_.begin(), own)) = 1;
    return point;
  }

  void learn_like(const std::vector<GpuObservation>& few) {
    const double most = constants::most_alike;
    const auto most_products = constants::count<std::ptrdiff_t>(constants::products_alike);
    const std::ptrdiff_t every = std::ssize(few) / most_products + 1, count = (std::ssize(few) - 1) / every + 1;
    Eigen::MatrixXd points(count, 6 + std::ssize(measured_));
    Eigen::VectorXd left(count);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const auto& [product, seconds] = few[static_cast<std::size_t>(i * every)];
      const GpuBase base = device_.base(*product);
      points.row(i) = point_of(*product, base);
      left(i) = std::clamp(std::log(seconds / base.seconds) - device_.learned(*product, base), -most, most);
    }
    const Covariance covariance{0, 0, constants::gpu_like_widths[0], constants::gpu_like_widths[1],
                                Eigen::VectorXd::Ones(points.cols())};
    const GaussianProcess process(covariance, points, std::vector<int>(static_cast<std::size_t>(count)));
    like_ = ProcessMeans(points, {{covariance, process.weights(left)}});
  }

  GpuDevice device_;
  DeviceKind kind_;
  Precision precision_;
  Tier tier_;
  double beyond_;  ///< all boards of the catalogue, so many times
  std::set<std::string> measured_;
  ProcessMeans like_;
  std::map<std::string, TableKernel> tables_;
};
}  // namespace

std::unique_ptr<FittedModel> fit_gpu_model(const Profile& profile, const FitOptions& options,
                                           const GpuModel& coefficients) {
  return std::make_unique<FittedGpu>(profile, options, coefficients);
}
}  // namespace sparsecast::forecast

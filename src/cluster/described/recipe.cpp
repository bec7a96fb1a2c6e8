#include "cluster/described/recipe.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <utility>

#include "base/number.hpp"
#include "base/text.hpp"
#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
namespace {
constexpr int most_parts = 64;  // of the small matrix, whose surface is still one
// Of the block whose structure is counted.
constexpr double block_entries = 8e6;

std::map<std::string, double, std::less<>> numbers_of(std::string_view text) {
  std::map<std::string, double, std::less<>> numbers;
  if (text.empty()) return numbers;
  for (const std::string_view word : base::split(text, ',')) {
    const std::size_t equals = word.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : base::number_in<double>(word.substr(equals + 1));
    if (!value || !std::isfinite(*value))
      throw Error(ErrorCode::usage, fmt::format("'{}' is not a parameter of a recipe", word), {},
                  "for example rows=1e9");
    if (!numbers.emplace(word.substr(0, equals), *value).second)
      throw Error(ErrorCode::usage, fmt::format("'{}' is given twice", word.substr(0, equals)), {}, "name it once");
  }
  return numbers;
}

MatrixSpec sample_spec(const Recipe& recipe, double sample_entries) {
  MatrixSpec spec;
  spec.seed = 1;
  if (recipe.kind == RecipeKind::geometric) {
    spec.kind = "geometric";
    spec.rows = static_cast<std::int64_t>(std::min(recipe.points, sample_entries / recipe.row_mean));
    spec.row_length = recipe.row_mean;
    spec.parameters.dimensions = recipe.dimensions;
    return spec;
  }
  const int halvings = recipe.rmat.edges > sample_entries
                           ? static_cast<int>(std::ceil(std::log2(recipe.rmat.edges / sample_entries)))
                           : 0;
  spec.kind = "rmat";
  spec.parameters.scale = std::max(1, recipe.rmat.scale - halvings);
  spec.parameters.edges = std::round(recipe.rmat.edges * std::exp2(*spec.parameters.scale - recipe.rmat.scale));
  if (recipe.rmat.symmetric) spec.parameters.symmetric = 1;
  return spec;
}

RecipeShares::Parts parts_of(const Matrix& sample, int count) {
  RecipeShares::Parts parts;
  parts.count = count;
  parts.rows = static_cast<double>(sample.rows()) / count;
  if (count == 1) return parts;
  double most = 0;
  for_each_part(sample, Scheme::local_rows, place(sample, count, 1, true), [&](const RankPart& part) {
    double received = 0;
    for (const Message& message : part.receives) received += static_cast<double>(message.count);
    parts.most_received = std::max(parts.most_received, received);
    parts.most_sources = std::max(parts.most_sources, static_cast<double>(part.receives.size()));
    most = std::max(most, static_cast<double>(part.own.nonzeros() + part.remote.nonzeros()));
  });
  parts.imbalance = most * count / static_cast<double>(std::max<std::int64_t>(1, sample.nonzeros()));
  return parts;
}

Structure block_of(const Recipe& recipe, int processes) {
  if (recipe.kind == RecipeKind::rmat) {
    const double rows = std::exp2(recipe.rmat.scale), a_row = recipe.rmat.edges / rows;
    const double held = std::clamp(std::floor(std::min(rows / processes, block_entries / a_row)), 1.0, rows);
    return analyze(rmat_block(recipe.rmat, static_cast<std::int64_t>(held), processes, 1));
  }
  MatrixSpec spec = sample_spec(recipe, block_entries);
  spec.rows =
      static_cast<std::int64_t>(std::max(1.0, std::min(recipe.points / processes, block_entries / recipe.row_mean)));
  return analyze(generate(spec));
}
}  // namespace

std::string Recipe::name() const {
  if (kind == RecipeKind::rmat)
    return fmt::format("rmat:scale={},edges={:g}{}", rmat.scale, rmat.edges, rmat.symmetric ? ",symmetric=1" : "");
  return fmt::format("geometric:rows={:g},row_mean={:g},dimensions={}", points, row_mean, dimensions);
}

std::int64_t Recipe::rows() const {
  return kind == RecipeKind::rmat ? std::int64_t{1} << rmat.scale : static_cast<std::int64_t>(points);
}

std::int64_t Recipe::nonzeros() const {
  if (kind == RecipeKind::geometric) return static_cast<std::int64_t>(points * row_mean);
  return std::llround(distinct_entries(rmat));
}

bool is_recipe(const std::string& structure) {
  const std::string kind = structure.substr(0, structure.find(':'));
  return kind == "rmat" || kind == "geometric";
}

Recipe recipe_of(const std::string& structure) {
  const std::size_t colon = structure.find(':');
  auto numbers =
      numbers_of(colon == std::string::npos ? std::string_view() : std::string_view(structure).substr(colon + 1));
  const auto take = [&](std::string_view name, double least, double most, double standard = NAN) {
    const auto found = numbers.find(name);
    const double value = found == numbers.end() ? standard : found->second;
    if (!(value >= least && value <= most))
      throw Error(ErrorCode::usage,
                  fmt::format("a recipe {} needs {} between {:g} and {:g}", structure, name, least, most), {},
                  "for example rmat:scale=30,edges=1e10 or geometric:rows=1e9,row_mean=10");
    if (found != numbers.end()) numbers.erase(found);
    return value;
  };
  const auto count = [&](std::string_view name, double least, double most, double standard = NAN) {
    const double value = take(name, least, most, standard);
    if (value != std::floor(value))
      throw Error(ErrorCode::usage, fmt::format("{}={:g} is not a whole number", name, value), {},
                  fmt::format("for example {}={:g}", name, std::floor(value)));
    return value;
  };
  // Neighbours of a point: the small matrix that is made has some thousand points with as many.
  constexpr double most_entries = 1e17, most_neighbours = 1000;
  Recipe recipe;
  if (structure.starts_with("rmat")) {
    recipe.kind = RecipeKind::rmat;
    recipe.rmat.scale = static_cast<int>(count("scale", 4, 39));
    recipe.rmat.edges = count("edges", 1, std::min(most_entries, std::exp2(2 * recipe.rmat.scale)));
    recipe.rmat.symmetric = count("symmetric", 0, 1, 0) > 0;
  } else {
    recipe.points = count("rows", 16, 1e15);
    recipe.row_mean = take("row_mean", 1, std::min(most_neighbours, recipe.points / 2), 8);
    recipe.dimensions = static_cast<int>(count("dimensions", 2, 3, 2));
  }
  if (!numbers.empty())
    throw Error(ErrorCode::usage,
                fmt::format("a recipe {} takes no {}", structure.substr(0, colon), numbers.begin()->first), {},
                "for example rmat:scale=30,edges=1e10 or geometric:rows=1e9,row_mean=10");
  return recipe;
}

RecipeShares::RecipeShares(Recipe recipe, double small_entries)
    : recipe_(recipe), sample_(generate(sample_spec(recipe_, small_entries))) {}

const RecipeShares::Parts& RecipeShares::parts(int count) {
  const auto known = parts_.find(count);
  return known != parts_.end() ? known->second : parts_.emplace(count, parts_of(sample_, count)).first->second;
}

RecipeShares::Received RecipeShares::received_by(int count) {
  if (count <= 1) return {};
  const Parts& few = parts(std::min(count, most_parts));
  Received received{few.most_received, few.most_sources, few.imbalance};
  if (recipe_.kind == RecipeKind::geometric) {
    // The surface of a part of so many points.
    received.most *= std::pow(recipe_.points / count / few.rows, 1 - 1.0 / recipe_.dimensions);
    return received;
  }
  // What a part of random rows would receive, by as much less as the partition saved in the small matrix.
  RmatCounts small = recipe_.rmat;
  small.scale = static_cast<int>(std::round(std::log2(static_cast<double>(sample_.rows()))));
  small.edges = recipe_.rmat.edges * std::exp2(small.scale - recipe_.rmat.scale);
  const auto at_random = [](const RmatCounts& rmat, int dealt) {
    return distinct_columns(rmat, rmat.edges / dealt) * (1 - 1.0 / dealt);
  };
  received.most *= at_random(recipe_.rmat, count) / at_random(small, few.count);
  received.sources = std::min(count - 1.0, few.most_sources * (count - 1) / (few.count - 1));
  return received;
}

NodeShare RecipeShares::share(int processes, int ranks_per_node, Precision precision, ShareDetail detail) {
  const int on_node = std::min(processes, ranks_per_node), nodes = nodes_for(processes, ranks_per_node);
  const Received rank = received_by(processes), node = received_by(nodes);
  const auto bytes = static_cast<double>(value_bytes(precision));
  NodeShare share;
  share.features.processes = processes;
  share.features.rows = recipe_.rows();
  share.features.nonzeros = recipe_.nonzeros();
  share.features.precision = precision;
  MessageLoad& load = share.features.load;
  load.messages = rank.sources;
  if (recipe_.kind == RecipeKind::rmat) {
    // Every other rank is as good a source as any: those of the node are as many as they are.
    const double far = processes > 1 ? (processes - on_node) / (processes - 1.0) : 0;
    load.far_bytes = bytes * rank.most * far;
    load.near_bytes = bytes * rank.most - load.far_bytes;
    load.node_bytes = on_node * load.far_bytes;
  } else {
    load.node_bytes = bytes * node.most;
    constexpr double corner = 0.5;  // of what a rank at the node's surface receives
    load.far_bytes = nodes > 1 ? bytes * rank.most * (on_node > 1 ? corner : 1) : 0;
    load.near_bytes = bytes * rank.most - load.far_bytes;
  }
  const double held = on_node * rank.imbalance / processes;
  const double entries = static_cast<double>(recipe_.nonzeros()) * held;
  if (detail == ShareDetail::sizes) {
    share.node.rows = static_cast<std::int64_t>(static_cast<double>(recipe_.rows()) * held);
    share.node.nonzeros = static_cast<std::int64_t>(entries);
  } else {
    share.node = block_of(recipe_, processes);
    share.node = repeated(share.node, entries / static_cast<double>(std::max<std::int64_t>(1, share.node.nonzeros)));
  }
  share.node.name = recipe_.name();
  return share;
}
}  // namespace sparsecast::cluster

#include "gpu_code/graph/paper_models.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <set>
#include <sparsecast/error.hpp>

#include "base/text.hpp"

namespace sparsecast::gpu_code {
namespace {
/// Coefficient of a named time in a path's sum: constant + per_n · n.
struct Coefficient {
  std::int64_t constant = 0, per_n = 0;
};

/// The queue position of every global access in the last of n instances (section 9, matrix Z₃).
struct Queue {
  std::vector<Coefficient> wait;  ///< per arc
  std::vector<char> is_store;
  explicit Queue(const KernelGraph& graph) : wait(graph.arcs.size()), is_store(graph.arcs.size(), 0) {
    std::int64_t loads = 0, stores = 0;
    for (const auto& arc : graph.arcs) {
      loads += queues_as_load(arc.access);
      stores += queues_as_store(arc.access);
    }
    std::int64_t load = 0, store = 0;
    for (std::size_t a = 0; a < graph.arcs.size(); ++a) {
      const auto access = graph.arcs[a].access;
      if (queues_as_load(access)) wait[a] = {-loads + load++, loads};
      if (queues_as_store(access)) {
        wait[a] = {-stores + store++, stores};
        is_store[a] = 1;
      }
    }
  }
  [[nodiscard]] bool queues(std::size_t arc) const { return wait[arc].per_n > 0; }
};

/// A path's length as a sum, in the order in which the path meets its terms.
struct Sum {
  double seconds = 0;
  std::vector<std::pair<std::int32_t, Coefficient>> terms;

  void add(std::int32_t name, Coefficient c) {
    for (auto& [known, total] : terms)
      if (known == name) {
        total.constant += c.constant;
        total.per_n += c.per_n;
        return;
      }
    terms.emplace_back(name, c);
  }
  void add(const GraphTime& time) {
    if (time.name >= 0)
      add(time.name, {1, 0});
    else
      seconds += time.seconds;
  }
  [[nodiscard]] Coefficient of(std::int32_t name) const {
    for (const auto& [known, c] : terms)
      if (known == name) return c;
    return {};
  }
  /// True where this sum is at least `other` whatever the (non-negative) times and whatever n ≥ 1.
  [[nodiscard]] bool covers(const Sum& other) const {
    if (seconds < other.seconds) return false;
    for (const auto& [name, c] : other.terms) {
      const Coefficient mine = of(name);
      if (mine.per_n < c.per_n || mine.constant + mine.per_n < c.constant + c.per_n) return false;
    }
    return true;
  }
};

constexpr std::size_t most_alternatives = 1000;

void insert(std::vector<Sum>& set, Sum sum) {
  for (const Sum& known : set)
    if (known.covers(sum)) return;
  std::erase_if(set, [&](const Sum& known) { return sum.covers(known); });
  if (set.size() == most_alternatives)
    throw Error(ErrorCode::bad_input, fmt::format("the expression has more than {} alternatives", most_alternatives),
                {}, "give equal times the same name, or ask for numbers instead");
  set.push_back(std::move(sum));
}

std::string factor_text(Coefficient c) {
  if (c.per_n == 0) return c.constant == 1 ? "" : fmt::format("{}*", c.constant);
  std::string text = c.per_n == 1 ? "n" : fmt::format("{}*n", c.per_n);
  if (c.constant == 0) return text + "*";
  return fmt::format("({}{:+})*", text, c.constant);
}

std::string sum_text(const KernelGraph& graph, const Sum& sum, std::int32_t load_queue, std::int32_t store_queue) {
  std::string text;
  for (auto term = sum.terms.rbegin(); term != sum.terms.rend(); ++term) {
    const auto& [name, c] = *term;
    if (!text.empty()) text += "+";
    const std::string symbol = name == load_queue    ? "dt"
                               : name == store_queue ? "dT"
                                                     : graph.names[static_cast<std::size_t>(name)].name;
    text += factor_text(c) + symbol;
  }
  if (sum.seconds != 0 || text.empty()) text += fmt::format("{}{:g}", text.empty() ? "" : "+", sum.seconds);
  return text;
}

/// What a time of a graph made from code is of; the queue's times mean the same in every graph.
std::string_view meaning_of(std::string_view name) {
  struct Meaning {
    std::string_view name, of;
    bool begins = false;  // the names that begin so
  };
  constexpr Meaning meanings[] = {
#include "gpu_code/graph/time_meanings.def"
  };
  const auto fits = [&](const Meaning& m) { return m.begins ? name.starts_with(m.name) : name == m.name; };
  const auto* meaning = std::ranges::find_if(meanings, fits);
  return meaning == std::end(meanings) ? std::string_view() : meaning->of;
}
}  // namespace

std::string_view to_string(PaperModel model) noexcept {
  switch (model) {
    case PaperModel::naive: return "naive";
    case PaperModel::operations: return "operations";
    default: return "serialized";
  }
}

GraphTimes model_times(const KernelGraph& graph, PaperModel model) {
  GraphTimes times;
  times.arc.reserve(graph.arcs.size());
  for (const auto& arc : graph.arcs) times.arc.push_back(graph.seconds(arc.time));
  times.node.assign(graph.nodes.size(), 0);
  if (model != PaperModel::naive)
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) times.node[v] = graph.seconds(graph.nodes[v].time);
  if (model == PaperModel::serialized) {
    const double dt = graph.named_seconds("dt"), dT = graph.named_seconds("dT");
    const Queue queue(graph);
    const auto n = static_cast<double>(graph.executors);
    for (std::size_t a = 0; a < graph.arcs.size(); ++a)
      if (queue.queues(a))
        times.arc[a] += (static_cast<double>(queue.wait[a].per_n) * n + static_cast<double>(queue.wait[a].constant)) *
                        (queue.is_store[a] ? dT : dt);
  }
  return times;
}

GraphEstimate estimate(const KernelGraph& graph, PaperModel model, bool matrix) {
  const auto times = model_times(graph, model);
  GraphEstimate result;
  if (matrix) {
    result.instance_seconds = std::max(matrix_time(graph, times), 0.0);
  } else {
    auto path = longest_path(graph, times);
    result.instance_seconds = path.seconds;
    result.path = std::move(path.nodes);
  }
  result.seconds = static_cast<double>(graph.waves()) * result.instance_seconds;
  return result;
}

std::string expression(const KernelGraph& graph, PaperModel model) {
  const auto order = topological_order(graph);
  const auto count = static_cast<std::int32_t>(graph.names.size());
  // The queue's times get numbers of their own, so that they stay apart from a time that happens to be called dt.
  const std::int32_t load_queue = count, store_queue = count + 1;
  const Queue queue(graph);
  std::vector<std::vector<std::int32_t>> incoming(graph.nodes.size());
  for (std::size_t a = 0; a < graph.arcs.size(); ++a)
    incoming[static_cast<std::size_t>(graph.arcs[a].to)].push_back(static_cast<std::int32_t>(a));
  std::vector<std::int32_t> uses(graph.nodes.size(), 0);
  for (const auto& arc : graph.arcs) ++uses[static_cast<std::size_t>(arc.from)];
  std::vector<std::vector<Sum>> lengths(graph.nodes.size());
  std::vector<Sum> total;
  for (const auto v : order) {
    const auto& node = graph.nodes[static_cast<std::size_t>(v)];
    std::vector<Sum> set;
    if (node.kind == KernelGraph::NodeKind::input) set.push_back({});
    for (const auto a : incoming[static_cast<std::size_t>(v)]) {
      const auto index = static_cast<std::size_t>(a);
      const auto& arc = graph.arcs[index];
      auto& from = lengths[static_cast<std::size_t>(arc.from)];
      for (Sum sum : from) {
        if (model == PaperModel::serialized && queue.queues(index))
          sum.add(queue.is_store[index] ? store_queue : load_queue, queue.wait[index]);
        sum.add(arc.time);
        insert(set, std::move(sum));
      }
      if (--uses[static_cast<std::size_t>(arc.from)] == 0) from = {};
    }
    if (model != PaperModel::naive)
      for (Sum& sum : set) sum.add(node.time);
    if (node.kind == KernelGraph::NodeKind::output)
      for (const Sum& sum : set) insert(total, sum);
    lengths[static_cast<std::size_t>(v)] = std::move(set);
  }
  if (total.empty()) return "0";
  std::string inside;
  for (const Sum& sum : total) inside += (inside.empty() ? "" : ", ") + sum_text(graph, sum, load_queue, store_queue);
  return total.size() == 1 ? fmt::format("ceil(N/n)*({})", inside) : fmt::format("ceil(N/n)*max({})", inside);
}

std::string explain_symbols(const KernelGraph& graph, const std::vector<LaunchEstimate>& estimates, bool from_code) {
  std::set<std::string, std::less<>> used;
  for (const auto& estimate : estimates) {
    const std::string text = estimate.expression.value_or("");
    for (std::size_t at = 0, begin = 0; (begin = text.find_first_not_of("()*+, ", at)) != std::string::npos;) {
      at = std::min(text.find_first_of("()*+, ", begin), text.size());
      used.insert(text.substr(begin, at - begin));
    }
  }
  if (used.empty()) return {};
  std::string lines = fmt::format("  N  {} instances in all\n  n  {} at once, so that ceil(N/n) is {}\n",
                                  graph.instances, graph.executors, graph.waves());
  for (const auto& name : graph.names) {
    if (!used.contains(name.name)) continue;
    const auto meaning =
        from_code || name.name == "dt" || name.name == "dT" ? meaning_of(name.name) : std::string_view();
    lines += fmt::format("  {}  {}{}{}\n", name.name, name.defined ? base::format_seconds(name.seconds) : "not given",
                         meaning.empty() ? "" : ", ", meaning);
    used.erase(name.name);
  }
  for (const auto* queue : {"dt", "dT"})
    if (used.contains(queue)) lines += fmt::format("  {}  not given, {}\n", queue, meaning_of(queue));
  return lines;
}

std::vector<std::string> undefined_times(const KernelGraph& graph, PaperModel model) {
  std::vector<char> used(graph.names.size(), 0);
  for (const auto& arc : graph.arcs)
    if (arc.time.name >= 0) used[static_cast<std::size_t>(arc.time.name)] = 1;
  if (model != PaperModel::naive)
    for (const auto& node : graph.nodes)
      if (node.time.name >= 0) used[static_cast<std::size_t>(node.time.name)] = 1;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i] && !graph.names[i].defined) missing.push_back(graph.names[i].name);
  if (model == PaperModel::serialized) {
    const auto need = [&](bool (*queues)(Access), const char* name) {
      const auto index = graph.find_name(name);
      const bool defined = index >= 0 && graph.names[static_cast<std::size_t>(index)].defined;
      if (!defined && std::ranges::any_of(graph.arcs, queues, &KernelGraph::Arc::access)) missing.emplace_back(name);
    };
    need(queues_as_load, "dt");
    need(queues_as_store, "dT");
  }
  return missing;
}
}  // namespace sparsecast::gpu_code

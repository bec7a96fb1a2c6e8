#include "solving/method.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>

#include "base/number.hpp"
#include "base/text.hpp"
#include "formats/kernels.hpp"
#include "formats/product_dots.hpp"

namespace sparsecast::solving {
namespace {
constexpr int most_restart = 1000, most_block = 64;

constexpr auto methods = std::to_array<MethodInfo>({
#define SOLVE_METHOD(word, about, ...) \
  {.kind = MethodKind::word, .name = #word, .summary = about __VA_OPT__(, ) __VA_ARGS__},
#include "solving/methods.def"
});

constexpr Term updates = Term::vector_updates, reductions = Term::reductions, orthogonal = Term::orthogonalisation;

// The names of vectors: x the solution, b the right-hand side, r the residual, m the diagonal of a preconditioner.
Step product(char from, char to, double vectors = 1) {
  return {.kind = StepKind::product, .part = Term::products, .reads = {{from, vectors}}, .writes = {{to, vectors}}};
}
Step precondition(char from, char to, double vectors = 1) {
  return {.kind = StepKind::precondition,
          .part = Term::preconditioner,
          .reads = {{from, vectors}},
          .writes = {{to, vectors}}};
}
std::vector<Stream> streams(std::string_view names) {
  std::vector<Stream> all;
  for (const char name : names) all.push_back({name});
  return all;
}
// A pass that reads and writes these vectors and ends in so many sums.
Step pass(Term part, std::string_view reads, std::string_view writes, int sums = 0, double times = 1) {
  return {.kind = StepKind::pass,
          .part = part,
          .reads = streams(reads),
          .writes = streams(writes),
          .sums = sums,
          .times = times};
}

std::vector<Step> cg_steps(Preconditioning with) {
  std::vector<Step> steps{product('p', 'q'), pass(reductions, "pq", "", 1)};
  switch (with) {
    case Preconditioning::none:
      steps.insert(steps.end(), {pass(updates, "qr", "r", 1), pass(updates, "rxp", "xp")});
      break;
    case Preconditioning::diagonal:
      steps.insert(steps.end(), {pass(updates, "qmr", "r", 2), pass(updates, "mrxp", "xp")});
      break;
    case Preconditioning::step:
      steps.insert(steps.end(), {pass(updates, "qr", "r", 1), precondition('r', 'z'), pass(reductions, "rz", "", 1),
                                 pass(updates, "zxp", "xp")});
      break;
  }
  return steps;
}

std::vector<Step> bicgstab_steps(Preconditioning with) {
  switch (with) {
    case Preconditioning::none:
      return {pass(updates, "rvp", "p"),      product('p', 'v'), pass(reductions, "gv", "", 1),
              pass(updates, "vr", "r"),       product('r', 't'), pass(reductions, "rt", "", 2),
              pass(updates, "ptgxr", "xr", 2)};
    case Preconditioning::diagonal:
      return {pass(updates, "rvmp", "py"),     product('y', 'v'), pass(reductions, "gv", "", 1),
              pass(updates, "vmr", "rs"),      product('s', 't'), pass(reductions, "rt", "", 2),
              pass(updates, "ystgxr", "xr", 2)};
    case Preconditioning::step: break;
  }
  return {pass(updates, "rvp", "p"),       precondition('p', 'y'), product('y', 'v'), pass(reductions, "gv", "", 1),
          pass(updates, "vr", "r"),        precondition('r', 's'), product('s', 't'), pass(reductions, "rt", "", 2),
          pass(updates, "ystgxr", "xr", 2)};
}

// The mean of the steps j = 1 … m of a restart: w is held against j vectors of the basis, which are read twice.
std::vector<Step> gmres_steps(int restart, Preconditioning with) {
  const double m = restart, basis = (m + 1) / 2, each = 1 / m;
  std::vector<Step> steps;
  const auto apply = [&](char from, char to, double times) {
    if (with == Preconditioning::none) return;
    steps.push_back(with == Preconditioning::diagonal ? pass(updates, std::string{'m', from}, std::string(1, to))
                                                      : precondition(from, to));
    steps.back().times = times;
  };
  apply('v', 'z', 1);
  steps.push_back(product(with == Preconditioning::none ? 'v' : 'z', 'w'));
  steps.push_back({.kind = StepKind::pass, .part = orthogonal, .reads = {{'B', basis}, {'w'}}, .sums = 1});
  steps.push_back(
      {.kind = StepKind::pass, .part = orthogonal, .reads = {{'B', basis}, {'w'}}, .writes = {{'w'}}, .sums = 1});
  steps.push_back(pass(orthogonal, "w", "w"));
  // Once a restart: x from the basis, and the true residual, which begins the next one.
  steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'B', m}}, .writes = {{'u'}}, .times = each});
  apply('u', 'z', each);
  steps.push_back(pass(updates, with == Preconditioning::none ? "ux" : "zx", "x", 0, each));
  steps.push_back(product('x', 'r'));
  steps.back().times = each;
  steps.insert(steps.end(), {pass(updates, "br", "r", 1, each), pass(updates, "r", "v", 0, each)});
  return steps;
}

std::vector<Step> chebyshev_steps(Preconditioning with) {
  std::vector<Step> steps{product('d', 'q'), pass(updates, "qr", "r", 1)};
  if (with == Preconditioning::step) steps.push_back(precondition('r', 'z'));
  steps.push_back(with == Preconditioning::diagonal ? pass(updates, "mrdx", "dx")
                  : with == Preconditioning::step   ? pass(updates, "zdx", "dx")
                                                    : pass(updates, "rdx", "dx"));
  return steps;
}

// Blocks of k vectors x, w, p and their products X, W, P: Gram matrices of all three, then new blocks of x and p.
std::vector<Step> lobpcg_steps(int block, Preconditioning with) {
  const double k = block;
  std::vector<Step> steps;
  // r = A·x − x·λ and its norms
  steps.push_back({.kind = StepKind::pass,
                   .part = updates,
                   .reads = {{'x', k}, {'X', k}},
                   .writes = {{'r', k}},
                   .sums = 1,
                   .flops = 4 * k});
  if (with == Preconditioning::none) {
    steps.push_back(product('r', 'W', k));
  } else {
    if (with == Preconditioning::diagonal) {
      steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'m'}, {'r', k}}, .writes = {{'r', k}}});
    } else {
      // Vector by vector, out of the block and back.
      steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'r', k}}, .writes = {{'y'}}, .times = k});
      steps.push_back(precondition('y', 'z'));
      steps.back().times = k;
      steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'z'}}, .writes = {{'r', k}}, .times = k});
    }
    steps.push_back(product('r', 'W', k));
  }
  const std::vector<Stream> bases{{'x', k}, {'r', k}, {'p', k}}, images{{'X', k}, {'W', k}, {'P', k}};
  std::vector<Stream> both = bases;
  both.insert(both.end(), images.begin(), images.end());
  steps.push_back({.kind = StepKind::pass, .part = orthogonal, .reads = both, .sums = 1, .flops = 36 * k * k});
  steps.push_back({.kind = StepKind::pass,
                   .part = updates,
                   .reads = both,
                   .writes = {{'x', k}, {'p', k}, {'X', k}, {'P', k}},
                   .flops = 24 * k * k});
  return steps;
}
// A pass of nothing but dot products of what the product before it has written goes into that product, which then reads
// what else the pass read.
std::vector<Step> with_dots_in_products(const std::vector<Step>& steps) {
  std::vector<Step> fewer;
  for (const Step& step : steps) {
    Step* before = fewer.empty() || fewer.back().kind != StepKind::product ? nullptr : &fewer.back();
    const auto is_written = [&](const Stream& stream) { return stream.name == before->writes.front().name; };
    if (before == nullptr || step.part != reductions || std::ranges::none_of(step.reads, is_written)) {
      fewer.push_back(step);
      continue;
    }
    before->sums = step.sums;
    for (const Stream& stream : step.reads)
      if (!is_written(stream) && stream.name != before->reads.front().name) before->reads.push_back(stream);
  }
  return fewer;
}

std::vector<Step> steps_apart(const Method& method, Preconditioning with) {
  switch (method.kind()) {
    case MethodKind::cg: return cg_steps(with);
    case MethodKind::bicgstab: return bicgstab_steps(with);
    case MethodKind::gmres: return gmres_steps(method.parameter, with);
    case MethodKind::chebyshev: return chebyshev_steps(with);
    case MethodKind::jacobi: return {product('x', 'q'), pass(updates, "bqmx", "x", 1)};
    case MethodKind::power: return {product('x', 'y'), pass(reductions, "xy", "", 2), pass(updates, "yx", "x", 1)};
    case MethodKind::pagerank:
      return {{.kind = StepKind::transposed, .part = Term::transposed_products, .reads = {{'s'}}, .writes = {{'y'}}},
              pass(updates, "ymx", "xs", 2)};
    case MethodKind::lobpcg: break;
  }
  return lobpcg_steps(method.parameter, with);
}
}  // namespace

std::string Method::name() const {
  return parameter > 0 ? fmt::format("{}:{}", info->name, parameter) : std::string(info->name);
}

std::span<const MethodInfo> method_table() { return methods; }

Method parse_method(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const auto found = std::ranges::find(methods, name, &MethodInfo::name);
  if (found == methods.end()) {
    std::string names;
    for (const MethodInfo& method : methods)
      names += fmt::format("{}{}{}", names.empty() ? "" : ", ", method.name,
                           method.parameter > 0 ? fmt::format("[:{}]", method.parameter) : "");
    throw Error(ErrorCode::usage, fmt::format("there is no method '{}'", text), {}, "the methods are " + names);
  }
  Method method{&*found, found->parameter};
  if (name.size() == text.size()) return method;
  method.parameter = base::number_in<int>(text.substr(name.size() + 1)).value_or(0);
  const int most = found->kind == MethodKind::gmres ? most_restart : most_block;
  if (found->parameter == 0 || method.parameter < 1 || method.parameter > most)
    throw Error(ErrorCode::usage, fmt::format("'{}' is not a method with a parameter", text), {},
                found->parameter == 0 ? fmt::format("{} takes no parameter", name)
                                      : fmt::format("give a number from 1 to {} after the colon", most));
  return method;
}

DotsTaken dots_taken(std::string_view kernel, std::int64_t rows, int threads) {
  return formats::takes_dots(formats::kernel_or_plain(kernel), rows, threads) ? DotsTaken::in_product
                                                                              : DotsTaken::apart;
}

std::vector<Step> steps_of(const Method& method, Preconditioning with, DotsTaken dots) {
  std::vector<Step> steps = steps_apart(method, with);
  return dots == DotsTaken::apart ? steps : with_dots_in_products(steps);
}

double vectors_held(const Method& method, Preconditioning with) {
  std::set<char> seen;
  double held = 0;
  for (const Step& step : steps_of(method, with))
    for (const std::vector<Stream>* side : {&step.reads, &step.writes})
      for (const Stream& stream : *side)
        if (stream.name != 'B' && seen.insert(stream.name).second) held += stream.count;
  return held + (method.kind() == MethodKind::gmres ? method.parameter : 0);
}
}  // namespace sparsecast::solving

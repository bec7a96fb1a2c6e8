// The break-even curve: what a product costs when the conversion is spread over so many of them. Which choice is the
// cheapest for how many products is found exactly, as the lower envelope of the lines conversion + n · seconds.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/picture.hpp"
#include "pages/section.hpp"
#include "pages/sections/kernel_rows.hpp"
#include "pages/table.hpp"

namespace sparsecast::pages {
namespace {

constexpr double most_products = 1e6;
constexpr std::size_t most_choices = 8;
constexpr double too_far_behind = 5;  // times as long as the best, whatever the number of products: not drawn

struct Choice {
  std::string name;
  double conversion, seconds;
  [[nodiscard]] double total(double products) const { return conversion + products * seconds; }
};

std::vector<Choice> choices_of(const MatrixDocuments& documents) {
  std::vector<Choice> choices;
  for (const KernelRow& row : kernel_rows(documents)) {
    const bool seen = std::ranges::any_of(choices, [&](const Choice& choice) { return choice.name == row.kernel; });
    const auto conversion = row.forecast == nullptr ? std::nullopt : number(*row.forecast, "preprocess_s");
    if (row.seconds && conversion && !seen) choices.push_back({row.kernel, *conversion, *row.seconds});
  }
  if (documents.optimize == nullptr) return choices;
  if (choices.empty())
    for (const Json& single : list(*documents.optimize, "singles"))
      if (const auto seconds = number(single, "seconds"), conversion = number(single, "conversion_s");
          seconds && conversion)
        choices.push_back({text(single, "kernel"), *conversion, *seconds});
  if (list(*documents.optimize, "strategy").size() > 1)
    if (const auto seconds = number(*documents.optimize, "predicted_s"),
        conversion = number(*documents.optimize, "conversion_s");
        seconds && conversion)
      choices.push_back({"plan", *conversion, *seconds});
  return choices;
}

struct Stretch {
  std::size_t choice;
  double from;  // products
};

// From one product on: who is the cheapest, and from how many products the next one is.
std::vector<Stretch> cheapest(const std::vector<Choice>& choices) {
  std::vector<Stretch> out;
  double products = 1;
  const auto better = [&](std::size_t a, std::size_t b) {
    const double first = choices[a].total(products), second = choices[b].total(products);
    return first != second ? first < second : choices[a].seconds < choices[b].seconds;
  };
  std::size_t now = 0;
  for (std::size_t i = 1; i < choices.size(); ++i)
    if (better(i, now)) now = i;
  for (;;) {
    out.push_back({now, products});
    double next = std::numeric_limits<double>::infinity();
    std::size_t who = now;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (!(choices[i].seconds < choices[now].seconds)) continue;
      const double crossing =
          (choices[i].conversion - choices[now].conversion) / (choices[now].seconds - choices[i].seconds);
      const double from = std::max(products, std::floor(crossing) + 1);
      if (from < next || (from == next && choices[i].seconds < choices[who].seconds)) {
        next = from;
        who = i;
      }
    }
    if (who == now) return out;
    products = next;
    now = who;
  }
}

std::string envelope_text(const std::vector<Choice>& choices, const std::vector<Stretch>& stretches) {
  std::string text = "Cheapest, conversion included: ";
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto from = static_cast<std::int64_t>(std::min(stretches[i].from, 1e18));
    text += i == 0 ? "" : "; ";
    text += i + 1 < stretches.size()
                ? fmt::format("{} for {} to {} products", choices[stretches[i].choice].name, base::format_count(from),
                              base::format_count(static_cast<std::int64_t>(std::min(stretches[i + 1].from, 1e18)) - 1))
                : fmt::format("{} from {} on", choices[stretches[i].choice].name,
                              from == 1 ? "the first" : base::format_count(from));
  }
  return text + ".";
}

}  // namespace

MaybeElement break_even_section(const MatrixDocuments& documents) {
  std::vector<Choice> choices = choices_of(documents);
  if (choices.size() < 2 || std::ranges::all_of(choices, [](const Choice& c) { return c.conversion <= 0; })) return {};
  const std::vector<Stretch> stretches = cheapest(choices);
  const auto wins = [&](std::size_t i) {
    return std::ranges::any_of(stretches, [&](const Stretch& stretch) { return stretch.choice == i; });
  };
  // Winners, then those that come nearest to the best at some number of products.
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (double products = 1; products <= most_products; products *= 10) {
      double best = std::numeric_limits<double>::infinity();
      for (const Choice& choice : choices) best = std::min(best, choice.total(products));
      nearest = std::min(nearest, choices[i].total(products) / best);
    }
    order.emplace_back(wins(i) ? 0 : nearest, i);
  }
  std::ranges::sort(order);
  std::erase_if(order, [](const auto& entry) { return entry.first > too_far_behind; });
  order.resize(std::min(order.size(), most_choices));
  std::vector<double> heights;
  for (const auto& [nearness, i] : order) {
    heights.push_back(choices[i].total(1));
    heights.push_back(choices[i].total(most_products) / most_products);
  }
  const Scale x = Scale::logarithmic(std::vector<double>{1, most_products}, Unit::count);
  Plot plot(envelope_text(choices, stretches), {"products", x},
            {"time of a product with its share of the conversion", Scale::logarithmic(heights, Unit::seconds)}, 340);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Choice& choice = choices[order[k].second];
    std::vector<std::pair<double, double>> points;
    for (double products = 1; products <= most_products * 1.01; products *= std::pow(10, 0.1))
      points.emplace_back(products, choice.total(products) / products);
    const bool winner = wins(order[k].second);
    const std::string style = fmt::format("{} d{}{}", style_class(static_cast<int>(k)), k, winner ? " winner" : "");
    plot.line(points, style,
              fmt::format("{}: conversion {}, then {} a product", choice.name, base::format_seconds(choice.conversion),
                          base::format_seconds(choice.seconds)));
    plot.name(most_products, points.back().second, choice.name, style);
  }
  for (std::size_t i = 1; i < stretches.size(); ++i)
    if (const Choice& choice = choices[stretches[i].choice]; stretches[i].from <= most_products)
      plot.point(stretches[i].from, choice.total(stretches[i].from) / stretches[i].from, Plot::Mark::circle, "turn",
                 fmt::format("{} is the cheapest from {} products on", choice.name,
                             base::format_count(static_cast<std::int64_t>(stretches[i].from))));
  return Element("div")
      .add("p", envelope_text(choices, stretches))
      .add(figure("Time of a product, conversion included, over the number of products", plot.element(),
                  "Forecasts. Both axes are logarithmic; circles mark where another choice becomes the cheapest."));
}

}  // namespace sparsecast::pages

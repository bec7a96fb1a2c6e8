// The answer about a matrix in a sentence or two, before anything else.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "pages/section.hpp"
#include "pages/sections/kernel_rows.hpp"

namespace sparsecast::pages {
namespace {

Element strong(std::string_view text) { return Element("strong").text(text); }

void say_forecast(const Json& predict, Element& out) {
  const Json& chosen = member(predict, "recommended");
  const std::string kernel = text(chosen, "kernel");
  const auto seconds = number(chosen, "seconds");
  if (kernel.empty() || !seconds) {
    out.text("No kernel has a forecast. ");
    return;
  }
  out.text("Use ").add(strong(kernel)).text(": ").add(strong(base::format_seconds(*seconds))).text(" a product");
  for (const Json& forecast : list(predict, "forecasts")) {
    if (text(forecast, "kernel") != kernel || number(forecast, "seconds") != seconds) continue;
    if (const auto low = number(forecast, "low_s"), high = number(forecast, "high_s"); low && high)
      out.text(fmt::format(" ({} to {} with 90 %)", base::format_seconds(*low), base::format_seconds(*high)));
    if (const auto gflops = number(forecast, "gflops")) out.text(fmt::format(", {:.3g} GFLOP/s", *gflops));
    break;
  }
  out.text(fmt::format("; {}. ", text(chosen, "reason")));
}

void say_measured(const MatrixDocuments& documents, Element& out) {
  const Json* fastest = nullptr;
  for (const Json& one : list(*documents.measure, "measurements"))
    if (const auto seconds = number(one, "seconds");
        seconds && (fastest == nullptr || *seconds < *number(*fastest, "seconds")))
      fastest = &one;
  if (fastest == nullptr) return;
  const std::string kernel = text(*fastest, "kernel");
  out.text("Measured, ").add(strong(kernel)).text(" is the fastest with ");
  out.add(strong(base::format_seconds(*number(*fastest, "seconds")))).text(". ");
  if (documents.predict == nullptr) return;
  const std::string chosen = text(member(*documents.predict, "recommended"), "kernel");
  for (const KernelRow& row : kernel_rows(documents))
    if (row.kernel == chosen && row.seconds && row.measured) {
      out.text(fmt::format("{} was forecast {} {}", chosen, base::format_percent(std::abs(row.error())),
                           row.error() > 0 ? "above" : "below"));
      out.text(chosen == kernel ? " what was measured. "
                                : fmt::format(" what was measured and takes {:.2f} times as long as it. ",
                                              *row.measured / *number(*fastest, "seconds")));
      return;
    }
}

void say_plan(const Json& optimize, Element& out) {
  const Json& blocks = list(optimize, "strategy");
  if (blocks.empty()) return;
  if (blocks.size() == 1) {
    out.text(fmt::format("The plan is one kernel for all rows, {}: {}. ", text(blocks[0], "kernel"),
                         text(optimize, "reason")));
  } else {
    out.text("The plan cuts the rows into ").add(strong(fmt::format("{} blocks", blocks.size())));
    if (const auto gain = number(optimize, "gain"))
      out.text(fmt::format(", forecast to {} {}", *gain < 0 ? "lose" : "gain", base::format_percent(std::abs(*gain))));
    out.text(fmt::format(": {}. ", text(optimize, "reason")));
  }
  if (const auto gain = number(optimize, "measured_gain"))
    out.text(flag(optimize, "measured_gain_in_noise")
                 ? "Measured against the best single kernel the difference is within the noise. "
                 : fmt::format("Measured, it gains {} over the best single kernel. ", base::format_percent(*gain)));
}

}  // namespace

MaybeElement answer_section(const MatrixDocuments& documents) {
  Element out("p", "answer");
  if (documents.predict != nullptr) say_forecast(*documents.predict, out);
  if (documents.measure != nullptr) say_measured(documents, out);
  if (documents.optimize != nullptr) say_plan(*documents.optimize, out);
  return out.empty() ? MaybeElement() : out;
}

}  // namespace sparsecast::pages

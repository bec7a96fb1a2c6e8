#include "app/commands.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/run.hpp"

namespace sparsecast::app {
namespace {

thread_local const Outlet* outlet_in_use = nullptr;
thread_local std::string* text_in_use = nullptr;

}  // namespace

const Outlet* outlet() noexcept { return outlet_in_use; }

UseOutlet::UseOutlet(const Outlet& outlet, std::string& text) {
  outlet_in_use = &outlet;
  text_in_use = &text;
}

UseOutlet::~UseOutlet() {
  outlet_in_use = nullptr;
  text_in_use = nullptr;
}

Precision Globals::value_precision() const { return precision == "single" ? Precision::single_ : Precision::double_; }

void add_globals(CLI::App& command, Globals& globals) {
  command.add_flag("--json", globals.json, "one JSON document on stdout");
  command.add_flag("--quiet", globals.quiet, "no progress and no remarks");
  command.add_option("--threads", globals.threads, "cores of the host to use (default: all)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--precision", globals.precision, "single or double")
      ->check(CLI::IsMember({"single", "double"}))
      ->capture_default_str();
}

void print(std::string_view text) {
  if (text_in_use != nullptr) {
    text_in_use->append(text);
    return;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw Error(ErrorCode::failed, "cannot write to standard output", {}, "is the disk full or the pipe closed?");
}

void print_json(std::string_view name, const nlohmann::ordered_json& document) {
  nlohmann::ordered_json out;
  out["schema"] = "sparsecast/" + std::string(name) + "/1";
  out.update(document);
  print(out.dump(2) + "\n");
}

void remark(const Globals& globals, std::string_view line) {
  if (globals.quiet) return;
  if (outlet_in_use != nullptr) {
    if (outlet_in_use->remark) outlet_in_use->remark(line);
    return;
  }
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace sparsecast::app

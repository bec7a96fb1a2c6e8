#pragma once
// The library's questions and fields as the command names them, where no option of it is registered as that field
// (field_options.hpp). For every front end that tells of commands.

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "fields/wording.hpp"

namespace sparsecast::app {
[[nodiscard]] inline std::vector<wording::Idiom> question_commands() {
  const auto option = [](std::string_view name) { return fmt::format("--{}", name); };
  return {
      // Questions.
      {"catalogue", "", "", "devices " + option("catalogue")},
      {"check_device", "", "", "devices " + option("check")},
      {"cluster_advise", "", "", "cluster advise"},
      {"cluster_calibrate", "", "", "cluster calibrate"},
      {"cluster_evaluate", "", "", "cluster evaluate"},
      {"cluster_hpcg", "", "", "cluster hpcg"},
      {"cluster_measure", "", "", "cluster measure"},
      {"cluster_predict", "", "", "cluster predict"},
      {"cluster_script", "", "", "cluster script"},
      {"describe", "", "", "devices"},
      {"export_profile", "", "", "profiles export"},
      {"generate_file", "", "", "generate"},
      {"import_profile", "", "", "profiles import"},
      {"kernel_space", "", "", "kernel"},
      {"kernel_table", "", "", "kernel"},
      {"observations", "", "", "profiles observations"},
      {"plan_report", "", "", "plan"},
      {"profile_contents", "", "", "profiles show"},
      {"profiles", "", "", "profiles list"},
      {"traffic_compare", "", "", "traffic " + option("compare")},
      // Fields of one.
      {"cluster_calibrate", "output", "", "-o"},
      {"describe", "device", "", option("describe")},
      {"export_profile", "file", "", "-o"},
      {"export_profile", "profile", "", ""},
      {"import_profile", "file", "", "-o"},
      {"import_profile", "table", "", ""},
      {"kernel", "anchors", "", option("anchor")},
      {"kernel", "arguments", "", option("arg")},
      {"kernel", "buffers", "", option("buffer")},
      {"kernel", "defines", "", option("define")},
      {"kernel", "matrix", "", option("matrix")},
      {"kernel", "models", "", option("model")},
      {"kernel", "trips", "", option("trip")},
      {"observations", "export_to", "", option("export")},
      {"observations", "import_from", "", option("import")},
      {"profile_contents", "profile", "", ""},
      // Fields of any, and what one is set to.
      {"", "matrix", "", ""},
      {"", "order", "", option("reorder")},
      {"", "check_drift", "false", option("no-probe")},
      {"", "choose_threads", "true", option("threads") + " auto"},
      {"", "precision", "complex-single", option("precision") + " single " + option("complex")},
      {"", "precision", "complex-double", option("complex")},
  };
}
}  // namespace sparsecast::app

#pragma once
// The library's questions and fields as the command names them, where no option of it is registered as that field
// (field_options.hpp). For every front end that tells of commands.

#include "fields/wording.hpp"

namespace sparsecast::app {
[[nodiscard]] inline std::vector<wording::Idiom> question_commands() {
  return {
      // Questions.
      {"catalogue", "", "", "devices --catalogue"},
      {"check_device", "", "", "devices --check"},
      {"cluster_advise", "", "", "cluster advise"},
      {"cluster_calibrate", "", "", "cluster calibrate"},
      {"cluster_evaluate", "", "", "cluster evaluate"},
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
      {"traffic_compare", "", "", "traffic --compare"},
      // Fields of one.
      {"cluster_calibrate", "output", "", "-o"},
      {"describe", "device", "", "--describe"},
      {"export_profile", "file", "", "-o"},
      {"export_profile", "profile", "", ""},
      {"import_profile", "file", "", "-o"},
      {"import_profile", "table", "", ""},
      {"kernel", "anchors", "", "--anchor"},
      {"kernel", "arguments", "", "--arg"},
      {"kernel", "buffers", "", "--buffer"},
      {"kernel", "defines", "", "--define"},
      {"kernel", "matrix", "", "--matrix"},
      {"kernel", "models", "", "--model"},
      {"kernel", "trips", "", "--trip"},
      {"observations", "export_to", "", "--export"},
      {"observations", "import_from", "", "--import"},
      {"profile_contents", "profile", "", ""},
      // Fields of any, and what one is set to.
      {"", "matrix", "", ""},
      {"", "order", "", "--reorder"},
      {"", "check_drift", "false", "--no-probe"},
      {"", "choose_threads", "true", "--threads auto"},
      {"", "precision", "complex-single", "--precision single --complex"},
      {"", "precision", "complex-double", "--complex"},
  };
}
}  // namespace sparsecast::app

// Which sections there are, in the order in which a page shows them.

#include "pages/section.hpp"

namespace sparsecast::pages {

std::vector<MatrixSection> matrix_sections() {
  return {{"", answer_section, true},
          {"Kernels", kernels_section, true},
          {"Plan", plan_section, true},
          {"Matrix", structure_section, true},
          {"Break-even", break_even_section, false},
          {"Roofline", roofline_section, false},
          {"Time", time_section, true}};
}

std::vector<DocumentSection> document_sections() {
  return {{"evaluate", "Errors and intervals", errors_section},
          {"evaluate", "Choices", choices_section},
          {"evaluate", "Cases", cases_section},
          {"compare", "Machines", ranking_section},
          {"compare", "Over all matrices", machines_section},
          {"cluster-predict", "Cluster", cluster_forecast_section},
          {"cluster-measure", "Cluster, measured", cluster_measure_section},
          {"traffic", "Memory movement", traffic_section},
          {"traffic-compare", "Memory movement, side by side", traffic_pair_section},
          {"kernel", "Time of a GPU kernel", gpu_code_section},
          {"kernel", "Configurations", tuning_section},
          {"kernel", "Tuning space", space_section}};
}

}  // namespace sparsecast::pages

#include "vocabulary.hpp"

#include <algorithm>

#include "fields/answers.hpp"

namespace sparsecast::python {
namespace {

template <HasFields... Requests>
std::set<std::string> flags_of() {
  std::set<std::string> flags;
  (wording::add_flags<Requests>(flags), ...);
  return flags;
}

wording::Vocabulary vocabulary() {
  wording::Vocabulary words{
      .idioms = {{"", "matrix", "MATRIX", "A"}},
      .flags = flags_of<CalibrateRequest, EvaluateRequest, KernelRequest, MeasureRequest, PlanReportRequest,
                        PlanRequest, PredictRequest, SolveRequest, TrafficRequest>()};
  for (const Function& one : functions()) {
    words.idioms.push_back({one.question, "", "", one.name});
    words.questions[one.question].insert(one.fields.begin(), one.fields.end());
  }
  for (const Renamed& one : renamed_fields()) {
    words.idioms.push_back({one.question, one.field, "", one.name});
    words.questions[one.question].insert(one.field);
    // Where the question is not told, as the functions say that have not renamed it.
    const auto has = [&](const Function& f) { return std::ranges::find(f.fields, one.field) != f.fields.end(); };
    if (std::ranges::any_of(functions(), has)) words.idioms.push_back({"", one.field, "", one.field});
  }
  return words;
}

}  // namespace

// python/tests/test_words.py holds them against the functions that are there.
const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"calibrate", "calibrate", {"quick", "device", "threads", "precision", "fresh"}},
      {"catalogue", "devices(catalogue=True)", {}},
      {"cluster_predict", "cluster.predict", {"processes", "formats", "model"}},
      {"devices", "devices", {}},
      {"doctor", "doctor", {}},
      {"evaluate", "evaluate", {"device", "kernels", "model", "threads", "precision"}},
      {"info", "structure", {}},
      {"kernel", "kernel", {"device", "grid", "block", "arguments", "buffers"}},
      {"kernel_space", "tuning.forecast_space", {"device", "top"}},
      {"measure",
       "measure",
       {"device", "kernels", "every", "iterations", "vectors", "transposed", "threads", "precision"}},
      {"plan_report",
       "plan_report",
       {"device", "profile", "iterations", "max_blocks", "kernels", "trials", "verify", "threads", "precision"}},
      {"plan",
       "plan",
       {"iterations", "vectors", "transposed", "threads", "device", "precision", "profile", "kernel", "kernels",
        "trials"}},
      {"predict",
       "forecast",
       {"device", "profile", "kernels", "iterations", "vectors", "transposed", "threads", "precision", "model"}},
      {"profiles", "profiles", {}},
      {"traffic", "traffic", {"call", "machine"}},
  };
  return all;
}

const std::vector<Renamed>& renamed_fields() {
  static const std::vector<Renamed> all = {
      {"cluster_predict", "matrix", ""},
      {"cluster_predict", "profile", "cluster"},
      {"cluster_predict", "schemes", "ways"},
      {"evaluate", "matrices", ""},
      {"info", "matrix", ""},
      {"kernel", "file", ""},
      {"kernel", "kernel", "name"},
      {"kernel", "defines", "define"},
      {"kernel_space", "file", ""},
      {"kernel_space", "space", "space"},
      {"kernel_space", "defines", "define"},
      {"measure", "matrix", ""},
      {"plan_report", "matrix", ""},
      {"plan", "matrix", ""},
      {"predict", "matrix", ""},
      {"predict", "check_drift", "probe"},
      {"traffic", "program", ""},
      {"traffic", "time_limit_s", "time_limit"},
  };
  return all;
}

void teach_python() { wording::teach(Voice::python, vocabulary); }

}  // namespace sparsecast::python

// How texts of the library name what can be asked of it in C: by the members of the structs of options.

#include "c_interface/members.hpp"
#include "fields/answers/calibrate.hpp"
#include "fields/answers/predict.hpp"
#include "fields/plan_request.hpp"
#include "fields/question_commands.hpp"
#include "fields/wording.hpp"

namespace sparsecast::c_interface {
namespace {
template <class Options, HasFields Request>
void add_question(wording::Vocabulary& words, const char* question, std::set<std::string> fields) {
  std::apply([&](const auto&... member) { (fields.emplace(member.key), ...); }, Members<Options>::table);
  words.questions[question] = std::move(fields);
  wording::add_flags<Request>(words.flags);
}

wording::Vocabulary vocabulary() {
  wording::Vocabulary words{.idioms = {{"plan", "", "", "plan_create"},
                                       {"", "matrix", "MATRIX", ""},
                                       {"", "precision", "single", "precision = SPARSECAST_SINGLE"},
                                       {"", "precision", "double", "precision = SPARSECAST_DOUBLE_PRECISION"}}};
  add_question<sparsecast_calibrate_options, CalibrateRequest>(words, "calibrate", {});
  add_question<sparsecast_plan_options, PlanRequest>(words, "plan", {"matrix"});
  add_question<sparsecast_predict_options, PredictRequest>(words, "predict", {"matrix"});
  return words;
}

// What C has no function for is told as a command.
[[maybe_unused]] const bool taught = [] {
  wording::teach(Voice::c, vocabulary);
  wording::teach(Voice::command_line, [] { return wording::Vocabulary{.idioms = app::question_commands()}; });
  return true;
}();
}  // namespace
}  // namespace sparsecast::c_interface

#include "cluster/launch/job.hpp"

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

namespace sparsecast::cluster {
namespace {

using nlohmann::ordered_json;

constexpr const char* task_names[] = {"measure", "simulate", "benchmark"};
constexpr const char* form_names[] = {"market", "entries"};

template <class Enum, std::size_t N>
Enum parse_name(const char* const (&names)[N], const std::string& name) {
  for (std::size_t k = 0; k < N; ++k)
    if (names[k] == name) return static_cast<Enum>(k);
  throw Error(ErrorCode::bad_input, "unknown name '" + name + "'");
}

}  // namespace

std::string to_text(const Job& job) {
  ordered_json document{{"schema", "sparsecast/cluster-job/1"},
                        {"task", task_names[static_cast<int>(job.task)]},
                        {"matrix", {{"file", job.matrix_file}, {"form", form_names[static_cast<int>(job.form)]}}},
                        {"iterations", job.iterations},
                        {"threads", job.threads},
                        {"neighbourhood", job.neighbourhood},
                        {"precision", to_string(job.precision)},
                        {"seed", job.seed},
                        {"budget_s", job.budget_s},
                        {"keep_vectors", job.keep_vectors},
                        {"largest_message_bytes", job.largest_message_bytes},
                        {"limit_s", job.limit_s}};
  document["cases"] = ordered_json::array();
  for (const Case& c : job.cases)
    document["cases"].push_back({{"way", to_string(c.scheme)}, {"format", to_string(c.format)}});
  return document.dump(2) + "\n";
}

Job parse_job(const std::string& text, const std::string& file) {
  try {
    const auto document = nlohmann::json::parse(text);
    Job job;
    job.task = parse_name<Task>(task_names, document.at("task"));
    job.matrix_file = document.at("matrix").at("file");
    job.form = parse_name<MatrixForm>(form_names, document.at("matrix").at("form"));
    for (const auto& c : document.at("cases"))
      job.cases.push_back(
          {parse_scheme(c.at("way").get<std::string>()), parse_format(c.at("format").get<std::string>())});
    job.iterations = document.at("iterations");
    job.threads = document.value("threads", 1);
    job.neighbourhood = document.value("neighbourhood", false);
    if (document.value("precision", "double") == "single") job.precision = Precision::single_;
    if (job.threads < 1) throw Error(ErrorCode::bad_input, "a rank has no threads");
    job.seed = document.at("seed");
    job.budget_s = document.at("budget_s");
    job.keep_vectors = document.at("keep_vectors");
    job.largest_message_bytes = document.at("largest_message_bytes");
    job.limit_s = document.value("limit_s", 0.0);  // jobs of before have none
    return job;
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, "not a job of sparsecast cluster: " + error.reason(), {file});
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::bad_input, std::string("not a job of sparsecast cluster: ") + error.what(), {file});
  }
}

}  // namespace sparsecast::cluster

// The schema files of answers are what their fields generate. SPARSECAST_WRITE_SCHEMAS=1 writes them anew.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sparsecast/answers.hpp>

#include "fields/answers.hpp"
#include "fields/json.hpp"
#include "planning/run/saved_plan.hpp"
#include "support/command.hpp"
#include "support/written_schema.hpp"

namespace sparsecast::schemas_of_files {
namespace {

using fields::document_schema;
using fields::Json;

// Several matrices: a list of what one matrix has.
template <class Answer>
Json list_schema(const std::string& name) {
  Json schema = document_schema<Answer>(name);
  schema["title"] = name + ": of several matrices, each as the document of one";
  schema["properties"] = {{"schema", schema["properties"]["schema"]},
                          {name, {{"type", "array"}, {"items", fields::schema_of<Answer>()}}}};
  schema["required"] = Json::array({"schema", name});
  return schema;
}

// A file that people write need not say what it is.
Json properties_schema(const std::string& name) {
  Json schema = document_schema<DeviceProperties, true>(name);
  schema.erase("required");
  return schema;
}

Json kernel_schema(const std::string& name) {
  return fields::schema_of_any<LaunchTime, KernelTable, KernelSpace>(name, "What `sparsecast kernel --json` prints");
}

constexpr struct {
  const char* name;
  Json (*generate)(const std::string& name);
} files[] = {
    {"calibrate", document_schema<Calibration>},
    {"catalogue", document_schema<Catalogue>},
    {"cluster-advise", document_schema<ClusterAdvice>},
    {"cluster-hpcg", document_schema<ClusterHpcg>},
    {"cluster-calibrate", document_schema<ClusterCalibration>},
    {"cluster-evaluate", document_schema<ClusterEvaluation>},
    {"cluster-measure", document_schema<ClusterTimes>},
    {"cluster-predict", document_schema<ClusterPrediction>},
    {"cluster-script", document_schema<ClusterScript>},
    {"compare", document_schema<Comparison>},
    {"constants", document_schema<ConstantList>},
    {"device", document_schema<DeviceDescription>},
    {"device-check", document_schema<DeviceCheck>},
    {"device-properties", properties_schema},
    {"devices", document_schema<PresentDevices>},
    {"doctor", document_schema<Diagnosis>},
    {"evaluate", document_schema<Evaluation>},
    {"generate", document_schema<GeneratedFile>},
    {"info", document_schema<MatrixInfo>},
    {"kernel", kernel_schema},
    {"measure", document_schema<MeasuredTimes>},
    {"measures", list_schema<MeasuredTimes>},
    {"optimize", document_schema<PlanReport>},
    {"plan", document_schema<planning::SavedPlan, true>},
    {"predict", document_schema<Prediction>},
    {"predictions", list_schema<Prediction>},
    {"profile-summary", document_schema<ProfileContents>},
    {"observations", document_schema<ObservedProducts>},
    {"profiles", document_schema<ProfileList>},
    {"solve", document_schema<SolveTime>},
    {"traffic", document_schema<ProgramTraffic>},
    {"traffic-compare", document_schema<TrafficComparison>},
    {"version", document_schema<VersionDetails>},
};

TEST(SchemaFiles, AreWhatFieldsGenerate) {
  for (const auto& [name, generate] : files) {
    const std::string file = fmt::format("{}/docs/schemas/{}.schema.json", SPARSECAST_SOURCE_DIR, name);
    const std::string text = generate(name).dump(2) + "\n";
    if (std::getenv("SPARSECAST_WRITE_SCHEMAS") != nullptr) std::ofstream(file) << text;
    EXPECT_EQ(test::read_text(file), text) << name;
  }
}

}  // namespace
}  // namespace sparsecast::schemas_of_files

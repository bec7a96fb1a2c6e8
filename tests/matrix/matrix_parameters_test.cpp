// The parameters of a recipe: the text by which profiles and stores know a recipe stays as it is, byte for byte, so
// that what was measured of it is found again.

#include "matrix/generate/matrix_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

namespace sparsecast {
namespace {

std::string again(const std::string& text) { return MatrixParameters::from_json(text).json(); }

TEST(MatrixParameters, AreWrittenAsStoresHoldThem) {
  EXPECT_EQ(MatrixParameters{}.json(), "");
  EXPECT_EQ((MatrixParameters{.size = 100}.json()), R"({"size":100})");
  EXPECT_EQ((MatrixParameters{.dof = 3, .dimensions = 2}.json()), R"({"dof":3,"dimensions":2})");
  EXPECT_EQ(
      (MatrixParameters{.row_std = 1.856636, .skew = 0.472378, .bandwidth = 0.008921, .neighbours = 0.172727}.json()),
      R"({"row_std":1.856636,"skew":0.472378,"bandwidth":0.008921,"neighbours":0.172727})");
  EXPECT_EQ((MatrixParameters{.scale = 14, .edges = 200000, .symmetric = 1}.json()),
            R"({"scale":14,"edges":200000,"symmetric":1})");
  EXPECT_EQ((MatrixParameters{.pattern = "0123456789abcdef"}.json()), R"({"pattern":"0123456789abcdef"})");
}

TEST(MatrixParameters, OfAStoredProfileComeBackByteForByte) {
  std::ifstream file(std::string(SPARSECAST_SOURCE_DIR) + "/tests/sensitivity/profile.json");
  const auto profile = nlohmann::json::parse(file);
  int texts = 0;
  for (const auto& matrix : profile.at("matrices")) {
    const auto text = matrix.at("spec").value("parameters", std::string());
    EXPECT_EQ(again(text), text);
    texts += text.empty() ? 0 : 1;
  }
  EXPECT_GT(texts, 10);
}

TEST(MatrixParameters, AreReadInAnyOrderAndWithBlanks) {
  EXPECT_EQ(MatrixParameters::from_json(R"( { "dimensions" : 2, "dof": 3.0 } )"),
            (MatrixParameters{.dof = 3, .dimensions = 2}));
  EXPECT_EQ(MatrixParameters::from_json("{}"), MatrixParameters{});
}

TEST(MatrixParameters, RefuseWhatIsNone) {
  for (const char* text : {R"({"size":)", "3", R"([1])", R"({"sise":100})", R"({"size":"100"})", R"({"pattern":1})"}) {
    try {
      (void)MatrixParameters::from_json(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << text;
    }
  }
}

TEST(MatrixParameters, HaveARowForWhateverAKindTakes) {
  for (const GeneratorKind& kind : generator_kinds())
    for (const GeneratorParameter& parameter : kind.parameters) {
      MatrixSpec spec;
      EXPECT_NO_THROW(matrix::set_parameter(spec, parameter.name, 2)) << kind.name << " " << parameter.name;
      EXPECT_EQ(matrix::given_parameters(spec), (std::map<std::string, double>{{parameter.name, 2}}));
    }
}

TEST(MatrixParameters, OfARowAreReadUnderItsName) {
  for (const matrix::ParameterRow& row : matrix::parameter_table()) {
    MatrixParameters parameters;
    parameters.*row.member = row.least;
    EXPECT_EQ(MatrixParameters::from_json(parameters.json()), parameters) << row.name;
    EXPECT_EQ(std::ranges::count(matrix::parameter_table(), row.name, &matrix::ParameterRow::name), 1);
  }
}

}  // namespace
}  // namespace sparsecast

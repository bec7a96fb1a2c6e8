#pragma once
// Holds a JSON document against its schema under docs/schemas/ (by Python's jsonschema in .venv, see
// scripts/make-venv).

#include <gtest/gtest.h>

#include <string>

namespace sparsecast::test {

/// False where .venv is not there: the caller skips.
bool can_validate();
/// Success, or what in the document does not fit its schema.
::testing::AssertionResult fits_its_schema(const std::string& document);

}  // namespace sparsecast::test

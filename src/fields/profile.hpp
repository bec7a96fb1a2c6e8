#pragma once
// The fields of <sparsecast/profile.hpp>.

#include <sparsecast/profile.hpp>

#include "fields/fields.hpp"
#include "fields/precision.hpp"

namespace sparsecast {

template <>
struct Fields<Record> {
  static constexpr std::string_view about = "One kernel timed on one matrix.";
  static constexpr auto table = std::tuple(
      field<&Record::matrix>("index of the profile's matrices", at_least(0)), field<&Record::kernel>(""),
      field<&Record::precision>(""), field<&Record::threads>("of the host; 0 elsewhere").or_default(),
      field<&Record::seconds>("one product", above(0)), field<&Record::spread>("of its blocks, relative").or_default(),
      field<&Record::preprocess_s>("conversion from CSR; 0: not measured").or_default(),
      field<&Record::step_s>("so many cycles, while it was timed; 0: not known").or_default(),
      field<&Record::launch_s>("starting threads, while it was timed; 0: not known").or_default(),
      field<&Record::taken>("UTC").or_default());
};

}  // namespace sparsecast

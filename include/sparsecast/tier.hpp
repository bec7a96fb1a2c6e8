#pragma once
// What a profile holds of a device, or a forecast rests on.

#include <string_view>

#pragma GCC visibility push(default)
namespace sparsecast {

enum class Tier {
  measured,    ///< a calibration
  table,       ///< an imported table of measured products
  anchors,     ///< some measured products and the device's description
  probe,       ///< a short calibration
  data_sheet,  ///< the device's description and nothing measured
  observed,    ///< that very product, measured before on this machine
  simulated,   ///< runs of a simulator
  shipped      ///< calibrations of other processors that ship with the library, scaled by a probe of this host
};
/// As documents write it: "measured", "data sheet", … Thread safety: safe from several threads at once.
[[nodiscard]] std::string_view to_string(Tier tier);
/// Error bad_input for a word that is none of them. Thread safety: safe from several threads at once.
[[nodiscard]] Tier tier_from(std::string_view word);

}  // namespace sparsecast
#pragma GCC visibility pop

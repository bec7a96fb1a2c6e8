#include "forecast/physical/core_costs.hpp"

#include <sparsecast_constants.hpp>

#include "base/curve.hpp"

namespace sparsecast::forecast {
CoreCosts::CoreCosts(const Profile& profile) {
  const auto usable = [&](const char* name) -> const Curve* {
    const Curve* curve = profile.curve(name, 1);
    return curve != nullptr && base::usable(*curve) ? curve : nullptr;
  };
  const double clock = profile.properties.clock_hz;
  const Curve* chase = usable("latency");
  load_s = chase != nullptr ? chase->y.front() : constants::load_cycles / (clock > 0 ? clock : constants::core_clock);
  cycle_s = load_s / constants::load_cycles;
  turn_s = constants::turn_loads * load_s;
  far_s = chase != nullptr ? chase->y.back() : constants::core_latency_s;
  const Curve* fresh = usable("fresh_bandwidth");  // older profiles have none
  fresh_byte_s = 1 / (fresh != nullptr ? fresh->y.front() : constants::core_bandwidth);
  fresh_large_byte_s = fresh != nullptr ? 1 / fresh->y.back() : fresh_byte_s;
}
}  // namespace sparsecast::forecast

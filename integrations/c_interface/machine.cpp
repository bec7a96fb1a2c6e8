// Versions, threads and the calibration of this machine.

#include <sparsecast/answers/calibrate.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/version.hpp>

#include "c_interface/members.hpp"
#include "c_interface/objects.hpp"
#include "c_interface/remarks.hpp"

namespace sparsecast::c_interface {
static_assert(SPARSECAST_VERSION == version_major * 10000 + version_minor * 100 + version_patch,
              "sparsecast.h belongs to another version");
}  // namespace sparsecast::c_interface

using namespace sparsecast::c_interface;  // C's names stand in no namespace

const char* sparsecast_version_text() { return sparsecast::library_version().data(); }
int sparsecast_version() { return SPARSECAST_VERSION; }

int sparsecast_default_threads() { return sparsecast::default_threads(); }
int sparsecast_set_default_threads(int threads) {
  sparsecast::set_default_threads(threads);
  return SPARSECAST_OK;
}

int sparsecast_calibrate(const sparsecast_calibrate_options* options) {
  return guarded([&] {
    const Remarks remarks;
    const sparsecast_calibrate_options mine = taken(options);
    sparsecast::CalibrateRequest request;
    take_fields(request, mine);
    if (mine.matrix_count < 0 || (mine.matrices == nullptr && mine.matrix_count > 0))
      refuse_usage("matrix_count is " + std::to_string(mine.matrix_count));
    for (int64_t i = 0; i < mine.matrix_count; ++i) request.matrices.emplace_back(Reading(mine.matrices[i])->matrix);
    std::stop_source stop;
    request.listener = remarks.listener();
    request.listener.stop = stop.get_token();
    if (mine.progress != nullptr)
      request.listener.progress = [&](const sparsecast::ProgressStep& step) {
        if (mine.progress(step.done, step.seconds_left, step.what.c_str(), mine.user) != 0) stop.request_stop();
      };
    static_cast<void>(sparsecast::calibrate(request));
  });
}

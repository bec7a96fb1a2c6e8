// Versions, threads and the calibration of this machine.

#include <sparsecast/answers/calibrate.hpp>
#include <sparsecast/threads.hpp>
#include <sparsecast/version.hpp>

#include "c_interface/members.hpp"

namespace sparsecast::c_interface {
static_assert(SPARSECAST_VERSION == version_major * 10000 + version_minor * 100 + version_patch,
              "sparsecast.h is of another version");
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
    const sparsecast_calibrate_options mine = taken(options);
    sparsecast::CalibrateRequest request;
    take_fields(request, mine);
    std::stop_source stop;
    request.listener.stop = stop.get_token();
    if (mine.progress != nullptr)
      request.listener.progress = [&](const sparsecast::ProgressStep& step) {
        if (mine.progress(step.done, step.seconds_left, step.what.c_str(), mine.user) != 0) stop.request_stop();
      };
    static_cast<void>(sparsecast::calibrate(request));
  });
}

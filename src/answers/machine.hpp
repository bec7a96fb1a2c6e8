#pragma once
// A device as answers know it: its profile, and the models and planners that were fitted to it so far. Answers share
// it, so that a second question about the same device fits nothing anew.

#include <mutex>
#include <set>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/plan.hpp>

#include "calibration/store.hpp"
#include "forecast/drift.hpp"
#include "forecast/model_set.hpp"

namespace sparsecast::answers {
/// Devices that were measured, out of the user's store; none where there is no store.
[[nodiscard]] std::vector<std::string> kept_profile_names();

/// The user's store to write into; one remark and nothing where it cannot be: what was measured is an answer all the
/// same.
[[nodiscard]] std::optional<calibration::Store> store_to_keep_in(const Listener& listener);

/// The profile of `device` (its name), or of the file `profile_file` where that is not empty. Error failed with the
/// command to run where the device was never calibrated; usage for an unknown name, and for a file of another device
/// than one that is named beside it.
[[nodiscard]] Profile load_profile(const std::string& device, const std::string& profile_file,
                                   const Listener& listener);

/// The profile of any machine that is known: as load_profile(), of a description in a file (`device` ends in .json), or
/// of one of the catalogue, of which nothing was measured. Error usage with the nearest names for another one.
[[nodiscard]] Profile load_machine(const std::string& device, const std::string& profile_file,
                                   const Listener& listener);

/// Error bad_input where products are far from all that the data sheet of their device allows: they are of another
/// device, or in another unit, and what a forecast would make of them is as far off and looks as sure. Returns the
/// kernels that are not known of such devices; those are not judged.
std::set<std::string> require_alike(const Profile& measured, const Profile& described,
                                    const std::filesystem::path& table, const Listener& listener);

/// What measured products add to a machine of which nothing but its description is known. Error usage for another.
[[nodiscard]] Profile with_anchors(Profile profile, const std::filesystem::path& anchors, const Listener& listener);

/// One line where an option was given that changes nothing in the forecast of that machine.
void remark_without_effect(const std::string& machine, const wording::Text& option, const Listener& listener);
/// The same of places, which are of described processors alone.
void remark_places(const Profile& profile, Places places, const Listener& listener);

/// Threads that a profile is asked for: `threads`, or all (0), its cores at most unless it was measured with as many; 0
/// for GPUs.
[[nodiscard]] int threads_for(const Profile& profile, int threads);
/// The same of a profile that was read from a file, if any was, and may be of a machine with more or fewer cores than
/// this one: all are the most that it was measured with, with a remark where they are not as many as here.
[[nodiscard]] int threads_of_file(const std::filesystem::path& file, const Profile& profile, int threads,
                                  const Listener& listener);

/// What a model is fitted for, with one remark before the first fit that takes seconds. The listener must outlive it.
[[nodiscard]] FitOptions fit_options(const Profile& profile, Precision precision, int threads, const Listener& listener,
                                     Places places = Places::spread);

/// One line where forecasts rest on records of another precision than is asked for; empty where not.
[[nodiscard]] std::string other_precision_text(const Profile& profile, const FitOptions& options, Voice voice);

/// Things that are made when they are first asked for. A thread that asks for one that another makes waits for it; what
/// is asked for under other keys is made meanwhile. What failed is made again.
template <class Key, class Value>
class Kept {
 public:
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    std::shared_ptr<Entry> entry;
    {
      const std::lock_guard lock(mutex_);
      std::shared_ptr<Entry>& found = entries_[key];
      if (!found) found = std::make_shared<Entry>();
      entry = found;
    }
    const std::lock_guard lock(entry->mutex);
    if (!entry->value) entry->value = make();
    return entry->value;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const Value> value;
  };
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
};

/// Thread safety: threads may share one.
class Machine {
 public:
  explicit Machine(Profile profile) : profile_(std::move(profile)) {}

  /// That of load_machine() (`measured`: of load_profile()), with anchors where their file is named, from this
  /// process's memory where its file, or the store, is as it was when it was read.
  static std::shared_ptr<Machine> of(const std::string& device, const std::string& profile_file,
                                     const Listener& listener, bool measured = false,
                                     const std::filesystem::path& anchors = {});

  [[nodiscard]] const Profile& profile() const { return profile_; }
  [[nodiscard]] std::shared_ptr<const forecast::ModelSet> models(const std::string& model, const FitOptions& fit);
  [[nodiscard]] std::shared_ptr<const Planner> planner(const std::string& model, const FitOptions& fit);

 private:
  using Key = std::tuple<std::string, Precision, int, Places>;
  Profile profile_;
  Kept<Key, forecast::ModelSet> models_;
  Kept<Key, Planner> planners_;
};

/// Remarks where processor, microcode, cores or driver are others than when the profile was measured, with the command
/// that repairs it. False where it did.
bool remark_changes(const Profile& profile, const Listener& listener);

/// Remarks where repeats are further apart than forecasts should err (calibration::repeat_error()).
void remark_repeats(double error, const Listener& listener);

/// Remarks where the device has less memory than the bytes that a product's format and vectors take.
void remark_memory(const DeviceProperties& device, double bytes, const Listener& listener);

/// remark_changes(), and for the host of a profile that is not stale the drift check, which says where the machine has
/// drifted: what was timed, or remembered of the last hour; nothing where none was wanted or needed.
std::optional<forecast::Drift> check_profile(const Profile& profile, bool with_products, const FitOptions& fit,
                                             const Listener& listener);

[[nodiscard]] std::optional<DriftAnswer> answer_of(const std::optional<forecast::Drift>& drift);
}  // namespace sparsecast::answers

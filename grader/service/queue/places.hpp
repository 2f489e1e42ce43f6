/// Who has the workers' places: pure functions. Submissions that count come first; practice runs
/// and rejudges are guests, who have a place while no submission needs it.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace opgrade::service {

/// A submission waits for a place that becomes free so soon rather than interrupt a guest. Such
/// waiting ends after the same time, because estimates may be wrong.
inline constexpr std::chrono::seconds kSoon{3};
/// A guest that was interrupted so often without progress may finish its case ...
inline constexpr int kPatience = 3;
/// ... within this time.
inline constexpr std::chrono::seconds kLongestCase{30};

struct GuestNow {
  bool uses_gpu = false;
  bool finishes = false;  ///< as may_finish()
};

/// The places at a moment when a submission that counts could begin.
struct PlacesNow {
  int workers = 1;
  std::vector<std::chrono::seconds> left;  ///< estimated, of each submission that is graded
  std::vector<GuestNow> guests;            ///< those that are interrupted first come first
  bool uses_gpu = false;                   ///< the submission needs this machine's GPU
  std::chrono::seconds waited{0};          ///< by the submission
};

struct Room {
  bool begins = true;               ///< false: the submission waits, and looks again
  std::vector<std::size_t> ending;  ///< the guests that are interrupted for it
};

/// No guest is interrupted while a place is free or will be free soon, except for the GPU: a device
/// has one place.
Room room_for_submission(const PlacesNow& now);

/// True if a guest may have a place: one is free, and no submission uses the GPU that it needs.
bool has_room_for_guest(int workers, int graded, int guests, bool gpu_is_used, bool uses_gpu);

/// True if a guest that was interrupted `interruptions` times without progress, and has had its
/// place for `running` without progress, is not interrupted now.
bool may_finish(int interruptions, bool progressed, std::chrono::seconds running);

}  // namespace opgrade::service

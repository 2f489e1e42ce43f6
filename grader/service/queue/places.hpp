/// Decides who gets the workers' places. All functions are pure. Submissions that count come first;
/// practice runs and rejudges are guests, which have a place while no submission needs it.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace opgrade::service {

/// If a place becomes free within this time, a submission waits for it and does not interrupt a
/// guest. The submission waits no longer than this time, because estimates may be wrong.
inline constexpr std::chrono::seconds kSoon{3};
/// A guest that was interrupted so many times without progress may finish its case .....
inline constexpr int kPatience = 3;
/// ... within this time.
inline constexpr std::chrono::seconds kLongestCase{30};

struct GuestNow {
  bool uses_gpu = false;
  bool finishes = false;  ///< the result of may_finish()
};

/// The places at a moment when a submission that counts could begin.
struct PlacesNow {
  int workers = 1;
  /// Estimated time that each running submission still needs.
  std::vector<std::chrono::seconds> left;
  std::vector<GuestNow> guests;    ///< in the order in which they are interrupted
  bool uses_gpu = false;           ///< the submission needs this machine's GPU
  std::chrono::seconds waited{0};  ///< how long the submission has waited
};

struct Room {
  bool begins = true;  ///< false: the submission waits, and room_for_submission() is asked again
  std::vector<std::size_t> ending;  ///< indices of the guests that are interrupted for it
};

/// No guest is interrupted while a place is free or will be free soon, except if the submission and
/// the guest both need the GPU, which has one place.
Room room_for_submission(const PlacesNow& now);

/// True if a guest may have a place: one is free, and no submission uses the GPU that it needs.
bool has_room_for_guest(int workers, int graded, int guests, bool gpu_is_used, bool uses_gpu);

/// True if a guest must not be interrupted now. It was interrupted `interruptions` times without
/// progress. It has had its place for the time `running`, in which it may have `progressed`.
bool may_finish(int interruptions, bool progressed, std::chrono::seconds running);

}  // namespace opgrade::service

#include "grader/service/queue/places.hpp"

#include <algorithm>

namespace opgrade::service {

Room room_for_submission(const PlacesNow& now) {
  Room room;
  for (std::size_t i = 0; i < now.guests.size(); ++i)
    if (now.uses_gpu && now.guests[i].uses_gpu) room.ending.push_back(i);
  const auto workers = static_cast<std::size_t>(std::max(now.workers, 0));
  if (now.left.size() + now.guests.size() - room.ending.size() >= workers) {
    const bool soon =
        std::ranges::any_of(now.left, [](std::chrono::seconds left) { return left <= kSoon; });
    if (soon && now.waited < kSoon) return {.begins = false, .ending = {}};
    for (std::size_t i = 0; i < now.guests.size(); ++i)
      if (std::ranges::find(room.ending, i) == room.ending.end()) {
        room.ending.push_back(i);
        break;
      }
  }
  if (std::ranges::any_of(room.ending, [&](std::size_t i) { return now.guests[i].finishes; }))
    return {.begins = false, .ending = {}};
  return room;
}

bool has_room_for_guest(int workers, int graded, int guests, bool gpu_is_used, bool uses_gpu) {
  return graded + guests < workers && !(uses_gpu && gpu_is_used);
}

bool may_finish(int interruptions, bool progressed, std::chrono::seconds running) {
  return interruptions >= kPatience && !progressed && running < kLongestCase;
}

}  // namespace opgrade::service

#include "grader/service/queue/ranker.hpp"

#include <algorithm>
#include <set>

#include "grader/service/state/service.hpp"

namespace opgrade::service {

Ranker::Ranker(const Service& service)
    : service_(service), folder_(service.files.folder()), now_(service.now()) {
  constexpr int kRemembered = 21;
  std::set<std::string> in_work;
  bool practice = false;
  for (const HandIn& h : service.queue.in_work()) {
    in_work.insert(h.submission.assignment);
    practice = practice || h.is_practice();
  }
  if (practice) practice_times_ = service.queue.practice_times(now_ - kRememberedTime, now_);
  for (const auto& name : in_work) {
    auto last = service.queue.durations(name, kRemembered);
    if (last.empty()) continue;
    const auto middle = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2);
    std::ranges::nth_element(last, middle);
    median_[name] = std::max(*middle, std::chrono::seconds(1));
  }
}

Waiting Ranker::operator()(const HandIn& hand_in) const {
  constexpr auto kNear = std::chrono::hours(2);
  Waiting waiting{.id = hand_in.submission.id, .owner = hand_in.submission.owner};
  if (hand_in.staff && !hand_in.by_command) waiting.priority = kStaffPriority;
  const auto* const a = folder_->course.find(hand_in.submission.assignment);
  const auto [known_wait, is_new_wait] = waits_for_.try_emplace(hand_in.submission.assignment);
  if (is_new_wait) known_wait->second = service_.files.waits_for(hand_in.submission.assignment);
  waiting.waits_for = known_wait->second;
  if (a != nullptr && waiting.priority == 0) {
    const auto is_near = [&](course::Moment deadline) {
      return deadline >= now_ && deadline - now_ < kNear;
    };
    if (is_near(a->deadline) ||
        std::ranges::any_of(a->section_deadlines,
                            [&](const auto& of_section) { return is_near(of_section.second); }))
      waiting.priority = kDeadlinePriority;
  }
  if (a != nullptr) {
    const auto [known, is_new] = uses_gpu_.try_emplace(a->name);
    if (is_new) known->second = service_.files.uses_gpu(*a);
    waiting.uses_gpu = known->second;
  }
  if (hand_in.is_practice()) {
    waiting.priority = kPracticePriority;
    const auto used = practice_times_.find(waiting.owner);
    if (used != practice_times_.end()) waiting.used = used->second;
    waiting.used -= std::max(now_ - hand_in.queued, std::chrono::seconds(0));
  }
  if (const auto found = median_.find(hand_in.submission.assignment); found != median_.end())
    waiting.estimate = found->second;
  return waiting;
}

bool Ranker::is_known(const HandIn& hand_in) const {
  return median_.contains(hand_in.submission.assignment);
}

}  // namespace opgrade::service

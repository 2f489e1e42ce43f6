#include "grader/service/open_count.hpp"

namespace opgrade::service {

OpenCount::OpenCount(int of_person, int in_all)
    : state_(std::make_shared<State>(of_person, in_all)) {}

std::shared_ptr<void> OpenCount::enter(const std::string& person) {
  const std::scoped_lock lock(state_->guard);
  int& mine = state_->open[person];
  const bool full = mine >= state_->of_person || state_->all >= state_->in_all;
  if (full && mine == 0) state_->open.erase(person);
  if (full) return nullptr;
  ++mine;
  ++state_->all;
  return {state_.get(), [state = state_, person](void*) {
            const std::scoped_lock leaving(state->guard);
            --state->all;
            if (const auto own = state->open.find(person); --own->second == 0)
              state->open.erase(own);
          }};
}

}  // namespace opgrade::service

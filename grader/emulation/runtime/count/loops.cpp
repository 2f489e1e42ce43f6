// Implements the translator's calls in loops and at the begin of kernels.
#include "grader/emulation/runtime/count/threads.hpp"
#include "opgrade_emulation/counting.hpp"

namespace opgrade_emulation {

__thread Here here OPGRADE_TLS;

void thread_begins() {
  if (here.place == nullptr) return;
  here.place->path = 0;
  here.place->depth = 0;
  here.place->loop = {};
}

Loop::Loop(unsigned number, bool constant) : outer_(0), constant_(constant) {
  ThreadPlace* const place = here.place;
  if (place == nullptr) return;
  outer_ = place->path;
  outer_key_ = place->loop.key;
  outer_round_ = place->loop.round;
  key_ = place->path = deeper(outer_, number);
  place->loop = {constant ? key_ : 0, 0};
}

Loop::~Loop() {
  ThreadPlace* const place = here.place;
  if (place == nullptr) return;
  place->path = outer_;
  place->loop = {outer_key_, outer_round_};
}

bool Loop::once() {
  const bool first = !entered_;
  entered_ = true;
  return first;
}

bool Loop::next() {
  ThreadPlace* const place = here.place;
  if (place == nullptr) return true;
  place->path = deeper(key_, ++round_);
  place->loop = {constant_ ? key_ : 0, round_};
  return true;
}

}  // namespace opgrade_emulation

using namespace opgrade_emulation;

extern "C" {
void __tsan_func_entry(void* caller) {
  ThreadPlace* const place = here.place;
  if (place == nullptr) return;
  if (place->depth < ThreadPlace::kDeepest) {
    place->outer[place->depth] = place->path;
    place->path = deeper(place->path, reinterpret_cast<std::uintptr_t>(caller));
  }
  ++place->depth;
}
void __tsan_func_exit() {
  ThreadPlace* const place = here.place;
  if (place == nullptr || place->depth == 0) return;
  if (--place->depth < ThreadPlace::kDeepest) place->path = place->outer[place->depth];
}
}

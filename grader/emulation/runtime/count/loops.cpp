// What the translator's calls in loops and at the begin of kernels do.
#include "grader/emulation/runtime/count/threads.hpp"
#include "opgrade_emulation/counting.hpp"

namespace opgrade_emulation {

__thread Here here OPGRADE_TLS;

void thread_begins() {
  if (here.place == nullptr) return;
  here.place->path = 0;
  here.place->depth = 0;
}

Loop::Loop(unsigned number)
    : outer_(here.place != nullptr ? here.place->path : 0), number_(number) {
  if (here.place != nullptr) here.place->path = deeper(outer_, number_);
}

Loop::~Loop() {
  if (here.place != nullptr) here.place->path = outer_;
}

bool Loop::once() {
  const bool first = !entered_;
  entered_ = true;
  return first;
}

bool Loop::next() {
  if (here.place != nullptr) here.place->path = deeper(deeper(outer_, number_), ++round_);
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

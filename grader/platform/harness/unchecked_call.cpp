#include "grader/platform/harness/unchecked_call.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "grader/platform/harness/program_end.hpp"
#include "grader/platform/harness/program_process.hpp"
#include "grader/platform/harness/submission_library.hpp"

namespace opgrade::harness {

int unchecked_call(const char* path, const char* sizes, const char* bytes) {
  const auto numbers = [](const char* text) {
    std::vector<long> list;
    for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
      list.push_back(std::strtol(text, &end, 10));
      if (end == text || list.back() < 1) return std::vector<long>{};
    }
    return list;
  };
  const auto size = numbers(sizes), counts = numbers(bytes);
  if (size.empty() || size.size() > OPGRADE_MAX_SIZES || counts.empty() ||
      counts.size() > OPGRADE_MAX_BUFFERS)
    return 2;
  opgrade_call call{};
  std::vector<std::vector<float>> buffers;
  for (std::size_t b = 0; b < counts.size(); ++b) {
    const auto words = (static_cast<std::size_t>(counts[b]) + sizeof(float) - 1) / sizeof(float);
    auto& buffer = buffers.emplace_back(words);
    const std::size_t period = 19 - 2 * b;
    for (std::size_t i = 0; b > 0 && i < buffer.size(); ++i)
      buffer[i] = static_cast<float>(i % period) - static_cast<float>(period / 2);
    call.buffer[b] = buffer.data();
  }
  for (std::size_t i = 0; i < size.size(); ++i) call.size[i] = static_cast<int>(size[i]);
  const ProgramFolder folder;  // for a program, which ends the process itself
  if (!folder.enter()) return 2;
  opgrade_program_call = &call;
  const opgrade_submission* const submission = open_submission(path).submission;
  if (submission == nullptr) {
    const char* const why = ::dlerror();
    std::fprintf(stderr, "%s\n", why != nullptr ? why : "no submission");
    return 2;
  }
  if (submission->prolog != nullptr) submission->prolog(&call);
  if (submission->prepare != nullptr) submission->prepare(&call);
  submission->forward(&call);
  const char* error = nullptr;
  if (submission->synchronize != nullptr) submission->synchronize(&error);
  if (submission->epilog != nullptr) submission->epilog(&call);
  std::fflush(nullptr);
  return 0;
}

}  // namespace opgrade::harness

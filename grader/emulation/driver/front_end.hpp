/// Lets cuda-front-end read a CUDA source while the host compiler preprocesses it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "grader/emulation/driver/options.hpp"
#include "grader/emulation/driver/pipeline.hpp"
#include "grader/emulation/translator/translate.hpp"

namespace opgrade::emulation {

/// Parses the lines that cuda-front-end prints. Ignores unknown kinds.
Facts parse_facts(const std::string& lines);

class FrontEnd {
 public:
  enum class Result {
    read,     ///< nvcc refuses nothing of it, as far as the front end knows
    refused,  ///< `messages` has the lines that nvcc refuses
    unknown,  ///< there is no front end, or it does not understand the source: `messages` says why
  };

  /// Starts reading, if the installation has a front end.
  FrontEnd(const DriverOptions& options, const Installation& installation,
           const std::filesystem::path& source, const std::filesystem::path& folder);
  ~FrontEnd();
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  /// Waits for the front end to end.
  Result result();
  const std::string& messages() const { return messages_; }
  Facts facts() const { return result_ == Result::read ? parse_facts(output()) : Facts(); }
  /// The lines that cuda-front-end prints.
  std::string output() const;
  /// True if there is a front end that does not understand the source.
  bool is_puzzled() const { return puzzled_; }

 private:
  pid_t child_ = -1;
  std::filesystem::path output_, facts_;
  std::string messages_;
  Result result_ = Result::unknown;
  bool puzzled_ = false;
};

/// The folders in which the compiler looks for headers, in its order, as `-E -v` prints them. The
/// compiler's own folders, which have stddef.h but no stdio.h, come last.
std::vector<std::string> system_folders(const std::string& verbose_output);

/// The part of the compiler's flags that Clang needs.
std::vector<std::string> front_end_flags(const std::vector<std::string>& compiler_flags);

}  // namespace opgrade::emulation

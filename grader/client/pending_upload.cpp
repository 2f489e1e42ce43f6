#include "grader/client/pending_upload.hpp"

#include <fmt/format.h>

#include <chrono>

#include "grader/client/session.hpp"
#include "grader/core/error.hpp"
#include "grader/core/system_random.hpp"
#include "grader/course/new_file.hpp"
#include "grader/course/result_files.hpp"

namespace opgrade::client {
namespace {

namespace fs = std::filesystem;

/// After that the same files are a new submission.
constexpr auto kLife = std::chrono::hours(24);

bool is_key(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

fs::path PendingUpload::default_folder() {
  return Profile::default_file().parent_path() / "uploads";
}

PendingUpload::PendingUpload(const std::vector<std::string>& of, const fs::path& folder) {
  std::string all;
  for (const auto& one : of) all += fmt::format("{} {} ", one.size(), one);
  file_ = folder / course::sha256_of_text(all);
  SystemRandom random;
  key_ = fmt::format("{:016x}{:016x}", random(), random());
  try {
    std::error_code error;
    fs::create_directories(folder, error);
    const auto written = fs::last_write_time(file_, error);
    if (!error && fs::file_time_type::clock::now() - written > kLife) fs::remove(file_, error);
    course::write_new_file(file_, key_);
    const std::string kept = text_of_file(file_);
    repeated_ = is_key(kept) && kept != key_;
    if (repeated_) key_ = kept;
  } catch (const Error&) {
    // No folder: the upload has a key all the same, for this process.
  }
}

void PendingUpload::answered() const {
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace opgrade::client

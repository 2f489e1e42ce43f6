#include "grader/grading/pipeline/set_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/grading/pipeline/cache_folder.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Moment = SetCache::Moment;

constexpr const char* kEnding = ".set";

std::string hash_of(std::initializer_list<std::string_view> texts) {
  return sha256_of_text(fmt::format("{}\n", fmt::join(texts, "\n")));
}

std::size_t bytes_of(const StaffOutput& set) {
  std::size_t bytes = set.bytes.size();
  for (const auto& input : set.inputs) bytes += input.size();
  return bytes;
}

/// A set on the disk, with the time of its last change.
struct KeptSet {
  fs::path file;
  std::uintmax_t bytes;
  Moment changed;
};

std::vector<KeptSet> kept_sets(const fs::path& folder) {
  std::vector<KeptSet> all;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    struct stat status {};
    const bool ours = entry.path().filename().string().find(kEnding) != std::string::npos;
    if (ours && ::lstat(entry.path().c_str(), &status) == 0)
      all.push_back({entry.path(), static_cast<std::uintmax_t>(status.st_blocks) * 512,
                     Moment(std::chrono::seconds(status.st_mtim.tv_sec))});
  }
  std::ranges::sort(all, {}, &KeptSet::changed);
  return all;
}

}  // namespace

class SetCache::OfSubmission final : public CallSets {
 public:
  OfSubmission(SetCache& cache, std::string stage) : cache_(cache), stage_(std::move(stage)) {}

  StaffOutput fresh(const Coordinates& sizes, const Make& make, int threads) override {
    const std::string text = text_of(sizes);
    const int number = [&] {
      const std::scoped_lock lock(guard_);
      return had_[text]++;
    }();
    const std::string hash =
        hash_of({cache_.round().secret, cache_.task_, stage_, text, std::to_string(number)});
    return cache_.take(text, std::stoull(hash.substr(0, 16), nullptr, 16), make, threads);
  }

  StaffOutput of_seed(const Coordinates& sizes, std::uint64_t seed, const Make& make,
                      int threads) override {
    return cache_.take(text_of(sizes), seed, make, threads);
  }

 private:
  SetCache& cache_;
  const std::string stage_;
  std::mutex guard_;
  std::map<std::string, int> had_;  ///< sets of these sizes
};

SetCache::SetCache(fs::path folder, std::string task, Moment handed_in, Limits limits)
    : folder_(std::move(folder)), task_(std::move(task)), handed_in_(handed_in), limits_(limits) {
  remove_old();
}

std::unique_ptr<CallSets> SetCache::for_submission(std::string stage) {
  return std::make_unique<OfSubmission>(*this, std::move(stage));
}

/// True if others cannot read the folder, either.
bool SetCache::is_private() const {
  struct stat status {};
  return is_ours_alone(folder_) && ::lstat(folder_.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool SetCache::make_folder() const {
  return make_private_folder(folder_.parent_path()) && make_private_folder(folder_) && is_private();
}

StaffOutput SetCache::take(const std::string& sizes, std::uint64_t seed, const CallSets::Make& make,
                           int threads) {
  {
    const std::scoped_lock lock(guard_);
    if (quick_.contains(sizes)) return make(seed);
  }
  const std::string key = hash_of({task_, sizes, std::to_string(seed)});
  const fs::path file = folder_ / (key + kEnding);
  const std::scoped_lock one(making_[std::hash<std::string>()(key) % making_.size()]);
  if (is_private())
    if (auto set = read_set(file, key, *memory_, threads)) return std::move(*set);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  StaffOutput set = make(seed);
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto bytes = static_cast<double>(bytes_of(set));
  if (took < limits_.seconds || took < bytes / limits_.bytes_a_second) {
    const std::scoped_lock lock(guard_);
    quick_.insert(sizes);
  } else {
    keep(file, key, set, threads);
  }
  return set;
}

/// A cache that cannot be written stays as it is.
void SetCache::keep(const fs::path& file, const std::string& key, const StaffOutput& set,
                    int threads) {
  try {
    if (make_folder() && find_room(bytes_of(set))) write_set(file, key, set, threads);
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

/// Removes the oldest sets. Sets of this round stay, because each submission will want them.
bool SetCache::find_room(std::uintmax_t bytes) {
  const Moment begin = std::chrono::floor<std::chrono::seconds>(round().begin);
  const std::scoped_lock lock(guard_);
  std::vector<KeptSet> all = kept_sets(folder_);
  std::uintmax_t used = 0;
  for (const KeptSet& entry : all) used += entry.bytes;
  std::error_code error;
  const auto space = fs::space(folder_, error);
  if (error) return false;
  const std::uintmax_t most = std::min(limits_.bytes, (space.available + used) / 4);
  for (const KeptSet& entry : all) {
    if (used + bytes <= most || entry.changed >= begin) break;
    fs::remove(entry.file, error);
    used -= entry.bytes;
  }
  return used + bytes <= most;
}

void SetCache::remove_old() {
  if (!is_private()) return;
  std::error_code ignored;
  for (const KeptSet& entry : kept_sets(folder_))
    if (std::chrono::abs(std::chrono::system_clock::now() - entry.changed) > limits_.age)
      fs::remove(entry.file, ignored);
}

const SetCache::Round& SetCache::round() {
  const std::scoped_lock lock(guard_);
  if (round_) return *round_;
  round_ = kept_round();
  if (round_) return *round_;
  SystemRandom random;
  Round made{std::chrono::system_clock::now(), {}};
  for (int i = 0; i < 4; ++i) made.secret += fmt::format("{:016x}", random());
  if (make_folder()) {
    try {
      PartialFile file(folder_ / "round");
      const std::string text =
          fmt::format("{} {}\n", made.begin.time_since_epoch().count(), made.secret);
      const Fd fd(
          ::open(file.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
      if (fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
        file.commit();
      round_ = kept_round();  // maybe that of another process, which was later
    } catch (const Error&) {
    }
  }
  if (!round_) round_ = made;
  return *round_;
}

/// Returns nullopt if the round began before the submission was handed in.
std::optional<SetCache::Round> SetCache::kept_round() const {
  const fs::path file = folder_ / "round";
  if (!is_private() || !is_ours_alone(file)) return std::nullopt;
  std::ifstream stream(file);
  Moment::rep count = 0;
  Round round;
  if (!(stream >> count >> round.secret) || round.secret.size() != 64) return std::nullopt;
  round.begin = Moment(Moment::duration(count));
  if (round.begin < handed_in_ || round.begin > std::chrono::system_clock::now())
    return std::nullopt;
  return round;
}

}  // namespace opgrade

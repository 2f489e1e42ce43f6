#include "grader/app/set_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "grader/app/cache_folder.hpp"
#include "grader/core/error.hpp"
#include "grader/core/fd.hpp"
#include "grader/core/parallel.hpp"
#include "grader/files/partial_file.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPiece = 4 << 20;
constexpr std::byte kBlank{0xff};  ///< of scales that no reference gave

std::size_t up_to(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

/// Another byte anywhere gives another sum: each step can be undone.
std::uint64_t sum_of(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  std::array<std::uint64_t, 4> lanes{1, 2, 3, 4};
  const auto add = [](std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * kOdd;
    lane ^= lane >> 29;
  };
  while (bytes.size() >= sizeof lanes) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes.data(), sizeof words);
    for (std::size_t i = 0; i < lanes.size(); ++i) add(lanes[i], words[i]);
    bytes = bytes.subspan(sizeof words);
  }
  std::array<std::uint64_t, 4> rest{};
  std::memcpy(rest.data(), bytes.data(), bytes.size());
  for (std::size_t i = 0; i < lanes.size(); ++i) add(lanes[i], rest[i]);
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) add(sum, lane);
  return sum;
}

bool is_blank(std::span<const std::byte> bytes) {
  return bytes.size() >= kPage && bytes.front() == kBlank &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

struct Header {
  static constexpr std::size_t kParts = 32;
  std::array<char, 8> format{'s', 'e', 't', 's', ' ', '1', '\n', '\n'};
  std::array<char, 64> key{};
  std::uint64_t parts = 0;
  std::array<std::uint64_t, kParts> bytes{};  ///< the outputs first, then each input
  std::uint64_t sum_of_table = 0;
};

/// Of a piece of a part.
struct Piece {
  std::uint64_t sum = 0;
  std::uint64_t blank = 0;  ///< all of it is, and so it is not in the file
};

/// Where the parts of a file lie.
class Places {
 public:
  explicit Places(const Header& header) {
    for (std::size_t i = 0; i < header.parts; ++i) {
      parts_.push_back({data_, header.bytes[i]});
      for (std::size_t at = 0; at < header.bytes[i]; at += kPiece)
        pieces_.push_back({data_ + at, std::min(kPiece, header.bytes[i] - at)});
      data_ += up_to(header.bytes[i], kPage);
    }
    table_ = up_to(sizeof(Header) + pieces_.size() * sizeof(Piece), kPage);
  }

  struct Range {
    std::size_t at, bytes;  ///< behind the table
  };
  const std::vector<Range>& parts() const { return parts_; }
  const std::vector<Range>& pieces() const { return pieces_; }
  std::size_t table_bytes() const { return table_; }
  std::size_t data_bytes() const { return data_; }

 private:
  std::vector<Range> parts_, pieces_;
  std::size_t table_ = 0, data_ = 0;
};

void write_at(int fd, std::span<const std::byte> bytes, std::size_t at, const fs::path& file) {
  while (!bytes.empty()) {
    const auto done = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)),
                  "check the free space of the disk");
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::size_t>(done);
  }
}

bool read_at(int fd, std::span<std::byte> bytes, std::size_t at) {
  while (!bytes.empty()) {
    const auto done = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::size_t>(done);
  }
  return true;
}

/// A piece of blank memory, the same for all sets. Processors keep what is read there.
int blank_file() {
  static const Fd file = [] {
    Fd made(::memfd_create("opgrade-blank", MFD_CLOEXEC));
    const std::vector<std::byte> blank(kPiece, kBlank);
    if (made) write_at(made.get(), blank, 0, "blank memory");
    return made;
  }();
  return file.get();
}

std::uint64_t sum_of_table(Header header, const std::vector<Piece>& table) {
  header.sum_of_table = 0;
  return sum_of(std::as_bytes(std::span(&header, 1))) + sum_of(std::as_bytes(std::span(table)));
}

std::span<const float> floats(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

}  // namespace

/// Read into and not a view of the file, because a file that is damaged or goes on another machine
/// would end the process.
class SetMemory::Block {
 public:
  explicit Block(std::size_t bytes) : bytes_(bytes) {
    void* const range =
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED)
      throw Error(fmt::format("no memory for a set of {} MiB", bytes_ >> 20),
                  "use smaller cases, or a machine with more memory");
    begin_ = static_cast<std::byte*>(range);
    ::madvise(begin_, bytes_, MADV_HUGEPAGE);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() { ::munmap(begin_, bytes_); }

  std::size_t bytes() const { return bytes_; }
  std::span<std::byte> at(const Places::Range& range) { return {begin_ + range.at, range.bytes}; }

  /// Makes a piece blank, or one that was blank in the set before writable. False where the system
  /// refuses.
  bool set_blank(const Places::Range& range, bool blank) {
    std::byte* const place = begin_ + range.at;
    {
      const std::scoped_lock lock(guard_);
      if (blank == blank_.contains(place)) return true;
      if (blank)
        blank_.insert(place);
      else
        blank_.erase(place);
    }
    const std::size_t bytes = up_to(range.bytes, kPage);
    const int writable = PROT_READ | PROT_WRITE;
    void* const piece =
        blank ? ::mmap(place, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, blank_file(), 0)
              : ::mmap(place, bytes, writable, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return piece != MAP_FAILED;
  }

 private:
  std::size_t bytes_;
  std::byte* begin_;
  std::mutex guard_;
  std::set<std::byte*> blank_;  ///< pieces
};

SetMemory::SetMemory() = default;
SetMemory::~SetMemory() = default;

std::shared_ptr<SetMemory::Block> SetMemory::take(std::size_t bytes) {
  std::unique_ptr<Block> block;
  {
    const std::scoped_lock lock(guard_);
    std::erase_if(free_, [&](const auto& one) { return one->bytes() != bytes; });
    if (!free_.empty()) {
      block = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!block) block = std::make_unique<Block>(bytes);
  return {block.release(), [owner = shared_from_this()](Block* used) {
            owner->give_back(std::unique_ptr<Block>(used));
          }};
}

void SetMemory::give_back(std::unique_ptr<Block> block) {
  constexpr std::size_t kMost = 5;  // as a problem has at once
  const std::scoped_lock lock(guard_);
  if (free_.size() < kMost) free_.push_back(std::move(block));
}

void write_set(const fs::path& file, const std::string& key, const StaffOutput& set, int threads) {
  Header header;
  std::vector<std::span<const std::byte>> parts{std::as_bytes(set.words)};
  for (const auto& input : set.inputs) parts.push_back(std::as_bytes(input));
  if (parts.size() > Header::kParts || key.size() > header.key.size())
    throw Error("a set has too many inputs", "this is a bug of opgrade: please report it");
  std::ranges::copy(key, header.key.begin());
  header.parts = parts.size();
  std::ranges::transform(parts, header.bytes.begin(), [](const auto& part) { return part.size(); });
  const Places places(header);
  std::vector<std::span<const std::byte>> pieces;
  for (const auto& part : parts)
    for (std::size_t at = 0; at < part.size(); at += kPiece)
      pieces.push_back(part.subspan(at, std::min(kPiece, part.size() - at)));
  std::vector<Piece> table(pieces.size());

  const PartialFile partial(file);
  const Fd fd(::open(partial.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     S_IRUSR | S_IWUSR));
  const std::size_t size = places.table_bytes() + places.data_bytes();
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
    throw Error(fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)),
                "check the free space and the permissions of the folder");
  parallel_for(static_cast<int>(pieces.size()), threads, [&](int i) {
    const auto number = static_cast<std::size_t>(i);
    const auto bytes = pieces[number];
    table[number] = {sum_of(bytes), is_blank(bytes) ? 1U : 0U};
    if (table[number].blank == 0)
      write_at(fd.get(), bytes, places.table_bytes() + places.pieces()[number].at, file);
  });
  header.sum_of_table = sum_of_table(header, table);
  write_at(fd.get(), std::as_bytes(std::span(&header, 1)), 0, file);
  write_at(fd.get(), std::as_bytes(std::span(table)), sizeof header, file);
  // Not flushed to disk: the sums find what a crash damages.
  fs::rename(partial.path(), file);
}

std::optional<StaffOutput> read_set(const fs::path& file, const std::string& key, SetMemory& memory,
                                    int threads) {
  if (!is_ours_alone(file)) return std::nullopt;
  const Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  Header header;
  const Header wanted;
  if (!read_at(fd.get(), std::as_writable_bytes(std::span(&header, 1)), 0) ||
      header.format != wanted.format || header.parts < 1 || header.parts > Header::kParts ||
      std::string_view(header.key.data(), std::min(key.size(), header.key.size())) != key)
    return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (std::ranges::any_of(header.bytes, [&](std::uint64_t bytes) { return bytes > size; }))
    return std::nullopt;
  const Places places(header);
  if (places.table_bytes() + places.data_bytes() != size) return std::nullopt;
  std::vector<Piece> table(places.pieces().size());
  if (!read_at(fd.get(), std::as_writable_bytes(std::span(table)), sizeof header) ||
      sum_of_table(header, table) != header.sum_of_table)
    return std::nullopt;

  const auto block = memory.take(std::max(places.data_bytes(), kPage));
  std::atomic<bool> whole = true;
  parallel_for(static_cast<int>(table.size()), threads, [&](int i) {
    const auto& [sum, blank] = table[static_cast<std::size_t>(i)];
    const auto& place = places.pieces()[static_cast<std::size_t>(i)];
    const bool good =
        block->set_blank(place, blank != 0) &&
        (blank != 0 || (read_at(fd.get(), block->at(place), places.table_bytes() + place.at) &&
                        sum_of(block->at(place)) == sum));
    if (!good) whole = false;
  });
  if (!whole) return std::nullopt;
  StaffOutput set{floats(block->at(places.parts().front())), block, {}};
  for (std::size_t i = 1; i < places.parts().size(); ++i)
    set.inputs.push_back(floats(block->at(places.parts()[i])));
  return set;
}

}  // namespace opgrade

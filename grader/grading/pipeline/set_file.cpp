#include "grader/grading/pipeline/set_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/files/partial_file.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

/// The size of a page: 16 or 64 KiB on some ARM64 systems. A file of another page size has another
/// length, and is made again.
const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
constexpr std::size_t kPiece = 4 << 20;
constexpr int kBlank = 0xff;  ///< the bytes of scales that no reference gave
constexpr std::uint64_t kIsBlank = ~std::uint64_t{0};  ///< in place of a sum: not in the file

std::size_t to_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// Fletcher's sum of whole words: another word anywhere gives another sum.
std::uint64_t sum_of(Bytes bytes) {
  std::uint64_t words = 0, sums = 0;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    words += word;
    sums += words;
  }
  return sums + (words << 53);
}

bool is_blank(Bytes bytes) {
  return bytes.size() == kPiece && bytes.front() == std::byte{kBlank} &&
         std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

struct Header {
  std::array<char, 8> format{'s', 'e', 't', 's', ' ', '3', '\n', '\n'};
  std::array<char, 64> key{};
  std::uint64_t parts = 0;
  std::array<std::uint64_t, 32> bytes{};  ///< of the outputs, then of each input
  std::uint64_t sum_of_sums = 0;          ///< which stand behind the header, one for each piece
};

/// Where the parts of a file lie behind its sums, each from a new page on, and their pieces.
struct Places {
  explicit Places(const Header& header) {
    for (const std::uint64_t bytes : std::span(header.bytes).first(header.parts)) {
      parts.push_back({size, bytes});
      for (std::size_t at = 0; at < bytes; at += kPiece)
        pieces.push_back({size + at, std::min(kPiece, bytes - at)});
      size += to_pages(bytes);
    }
    data = to_pages(sizeof header + pieces.size() * sizeof(std::uint64_t));
  }
  struct Range {
    std::size_t at, bytes;
  };
  std::vector<Range> parts, pieces;
  std::size_t size = 0, data = 0;
};

bool write_at(const Fd& file, Bytes bytes, std::size_t at) {
  return ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
         std::ssize(bytes);
}

bool read_at(const Fd& file, std::span<std::byte> bytes, std::size_t at) {
  return ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at)) ==
         std::ssize(bytes);
}

/// A piece of blank memory that all sets share, because processors keep what is read there.
int blank_file() {
  static const Fd file = [] {
    Fd made(::memfd_create("opgrade-blank", MFD_CLOEXEC));
    const std::vector<std::byte> blank(kPiece, std::byte{kBlank});
    return write_at(made, blank, 0) ? std::move(made) : Fd();
  }();
  return file.get();
}

std::byte* map(std::byte* at, std::size_t bytes, int rights, int flags, int file) {
  void* const begin = ::mmap(at, bytes, rights, flags, file, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(begin);
}

std::uint64_t sum_of_sums(Header header, const std::vector<std::uint64_t>& sums) {
  header.sum_of_sums = sum_of(std::as_bytes(std::span(sums)));
  return sum_of(std::as_bytes(std::span(&header, 1)));
}

}  // namespace

std::shared_ptr<std::byte> SetMemory::take(std::size_t bytes, std::vector<std::size_t> blank) {
  Block block{bytes, std::move(blank), nullptr};
  {
    const std::scoped_lock lock(guard_);
    std::erase_if(free_, [&](const Block& one) {
      return one.bytes != block.bytes || one.blank != block.blank;
    });
    if (!free_.empty()) {
      block = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!block.begin) {
    constexpr int kWritable = PROT_READ | PROT_WRITE;
    block.begin = {map(nullptr, bytes, kWritable, MAP_PRIVATE | MAP_ANONYMOUS, -1),
                   [bytes](std::byte* begin) { ::munmap(begin, bytes); }};
    ::madvise(block.begin.get(), bytes, MADV_HUGEPAGE);
    for (const std::size_t at : block.blank)
      map(block.begin.get() + at, kPiece, PROT_READ, MAP_SHARED | MAP_FIXED, blank_file());
  }
  return {block.begin.get(), [owner = shared_from_this(), block](std::byte*) {
            constexpr std::size_t kMost = 5;  // a problem has as many at once
            const std::scoped_lock lock(owner->guard_);
            if (owner->free_.size() < kMost) owner->free_.push_back(block);
          }};
}

void write_set(const fs::path& file, const std::string& key, const StaffOutput& set, int threads) {
  Header header;
  std::vector<Bytes> parts{set.bytes};
  parts.insert(parts.end(), set.inputs.begin(), set.inputs.end());
  if (parts.size() > header.bytes.size() || key.size() > header.key.size())
    throw Error("a set has too many inputs", "this is a bug of opgrade: please report it");
  std::ranges::copy(key, header.key.begin());
  header.parts = parts.size();
  std::ranges::transform(parts, header.bytes.begin(), &Bytes::size);
  const Places places(header);
  std::vector<Bytes> pieces;
  for (const Bytes part : parts)
    for (std::size_t at = 0; at < part.size(); at += kPiece)
      pieces.push_back(part.subspan(at, std::min(kPiece, part.size() - at)));
  std::vector<std::uint64_t> sums(pieces.size());

  const PartialFile partial(file);
  const Fd fd(::open(partial.path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     S_IRUSR | S_IWUSR));
  std::atomic<bool> written =
      fd && ::ftruncate(fd.get(), static_cast<off_t>(places.data + places.size)) == 0;
  parallel_for(static_cast<int>(written ? pieces.size() : 0), threads, [&](int i) {
    const auto number = static_cast<std::size_t>(i);
    const Bytes piece = pieces[number];
    sums[number] = is_blank(piece) ? kIsBlank : sum_of(piece);
    if (sums[number] != kIsBlank && !write_at(fd, piece, places.data + places.pieces[number].at))
      written = false;
  });
  header.sum_of_sums = sum_of_sums(header, sums);
  if (!written || !write_at(fd, std::as_bytes(std::span(&header, 1)), 0) ||
      !write_at(fd, std::as_bytes(std::span(sums)), sizeof header))
    throw Error(fmt::format("cannot write {}", file.string()),
                "check the free space and the permissions of the folder");
  // The file is not flushed to disk, because the sums find what a crash damages.
  fs::rename(partial.path(), file);
}

std::optional<StaffOutput> read_set(const fs::path& file, const std::string& key, SetMemory& memory,
                                    int threads) {
  const Fd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  Header header, wanted;
  std::ranges::copy(key, wanted.key.begin());
  if (!read_at(fd, std::as_writable_bytes(std::span(&header, 1)), 0) ||
      header.format != wanted.format || header.key != wanted.key || header.parts < 1 ||
      header.parts > header.bytes.size() ||
      std::ranges::any_of(header.bytes, [&](std::uint64_t bytes) { return bytes > size; }))
    return std::nullopt;
  const Places places(header);
  std::vector<std::uint64_t> sums(places.pieces.size());
  if (places.data + places.size != size ||
      !read_at(fd, std::as_writable_bytes(std::span(sums)), sizeof header) ||
      sum_of_sums(header, sums) != header.sum_of_sums)
    return std::nullopt;

  std::vector<std::size_t> blank;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] == kIsBlank) blank.push_back(places.pieces[i].at);
  const auto block = memory.take(std::max(places.size, kPage), std::move(blank));
  std::atomic<bool> whole = true;
  parallel_for(static_cast<int>(sums.size()), threads, [&](int i) {
    const auto [at, bytes] = places.pieces[static_cast<std::size_t>(i)];
    const std::uint64_t sum = sums[static_cast<std::size_t>(i)];
    const std::span piece(block.get() + at, bytes);
    if (sum != kIsBlank && (!read_at(fd, piece, places.data + at) || sum_of(piece) != sum))
      whole = false;
  });
  if (!whole) return std::nullopt;
  std::vector<Bytes> parts;
  for (const auto& [at, bytes] : places.parts) parts.emplace_back(block.get() + at, bytes);
  return StaffOutput{parts.front(), block, {parts.begin() + 1, parts.end()}};
}

}  // namespace opgrade

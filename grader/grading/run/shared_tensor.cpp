#include "grader/grading/run/shared_tensor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/base/core/parallel.hpp"
#include "grader/base/core/poison.hpp"

namespace opgrade {
namespace {

constexpr std::size_t kAlignment = 64;   // one cache line; more than any malloc promises
constexpr std::size_t kPiece = 8 << 20;  // bytes a thread takes at a time
constexpr std::byte kRedZone{0xA5};

/// The size of a page: 16 or 64 KiB on some ARM64 systems.
const auto kPage = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

std::size_t aligned_bytes(BufferSize size) { return round_up(size.bytes(), kAlignment); }

}  // namespace

SharedTensor::SharedTensor(BufferSize size, SubmissionMay access, std::size_t room)
    : size_(size), file_bytes_(round_up(std::max(aligned_bytes(size), room), kPage)) {
  const auto fail = [&](const char* step) {
    throw Error(fmt::format("no shared memory for a tensor of {} MiB ({}: {})", file_bytes_ >> 20,
                            step, std::strerror(errno)),
                "use smaller batches, or a machine with more memory");
  };
  file_ = Fd(::memfd_create("opgrade-tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file_) fail("memfd_create");
  if (::ftruncate(file_.get(), static_cast<off_t>(file_bytes_)) != 0) fail("ftruncate");
  void* const range =
      ::mmap(nullptr, file_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (range == MAP_FAILED) fail("mmap");
  mapping_ = static_cast<std::byte*>(range);
  // A submission that shrank the file would kill the grader with SIGBUS. F_SEAL_FUTURE_WRITE
  // (Linux 5.1) leaves the mapping above writable and forbids every later one.
  const int seals =
      F_SEAL_SHRINK | F_SEAL_GROW | (access == SubmissionMay::read ? F_SEAL_FUTURE_WRITE : 0);
  if (::fcntl(file_.get(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) fail("seal");
  resize(size);
}

SharedTensor::SharedTensor(SharedTensor&& other) noexcept
    : file_(std::move(other.file_)),
      size_(other.size_),
      file_bytes_(other.file_bytes_),
      mapping_(std::exchange(other.mapping_, nullptr)),
      data_(std::exchange(other.data_, nullptr)) {}

SharedTensor& SharedTensor::operator=(SharedTensor&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(size_, other.size_);
  std::swap(file_bytes_, other.file_bytes_);
  std::swap(mapping_, other.mapping_);
  std::swap(data_, other.data_);
  return *this;
}

SharedTensor::~SharedTensor() {
  if (mapping_ != nullptr) ::munmap(mapping_, file_bytes_);
}

void SharedTensor::resize(BufferSize size) {
  const std::size_t bytes = aligned_bytes(size);
  if (bytes > file_bytes_) throw Error("a shared tensor cannot grow");
  size_ = size;
  data_ = mapping_ + (file_bytes_ - bytes);
}

void SharedTensor::populate(int threads) {
  parallel_for_pieces(file_bytes_, kPiece, threads, [&](std::size_t at, std::size_t bytes) {
    // Before Linux 5.14, which lacks this advice, pages come when they are touched, which is
    // slower.
    ::madvise(mapping_ + at, bytes, MADV_POPULATE_WRITE);
  });
}

std::size_t SharedTensor::red_bytes() const {
  return static_cast<std::size_t>(data_ - mapping_) % kPage;
}

void SharedTensor::poison(int threads) {
  std::fill(data_ - red_bytes(), data_, kRedZone);
  const auto all = static_cast<std::size_t>(mapping_ + file_bytes_ - data_);
  parallel_for_pieces(all, kPiece, threads, [&](std::size_t at, std::size_t bytes) {
    std::memset(data_ + at, kPoisonByte, bytes);
  });
}

bool SharedTensor::red_zone_intact() const {
  const auto holds = [](const std::byte* begin, const std::byte* end, std::byte byte) {
    return std::all_of(begin, end, [=](std::byte one) { return one == byte; });
  };
  return holds(data_ - red_bytes(), data_, kRedZone) &&
         holds(data_ + size_.bytes(), mapping_ + file_bytes_, std::byte{kPoisonByte});
}

protocol::TensorPlace SharedTensor::place() const {
  return {file_bytes_, static_cast<std::uint64_t>(data_ - mapping_)};
}

}  // namespace opgrade

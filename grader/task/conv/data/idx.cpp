#include "grader/task/conv/data/idx.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

constexpr std::uint32_t kMagicImages = 0x00000803;  // ubyte, rank 3
constexpr std::uint32_t kMagicLabels = 0x00000801;  // ubyte, rank 1
constexpr std::uint32_t kMaxCount = 1 << 20;
constexpr std::uint32_t kMaxSide = 1024;

constexpr const char* kIdxHint =
    "install Debian's package dataset-fashion-mnist, or name other idx files";

struct CloseGz {
  void operator()(gzFile file) const { gzclose(file); }
};

// zlib reads a file that is not gzipped unchanged, so one reader serves both.
class IdxReader {
 public:
  explicit IdxReader(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code failure;
    if (std::filesystem::is_directory(path_, failure)) fail("is a folder, not a file");
    errno = 0;
    file_.reset(gzopen(path_.c_str(), "rb"));
    if (!file_) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
    gzbuffer(file_.get(), 1 << 17);
  }

  std::uint32_t number() {
    std::array<std::uint8_t, 4> b{};
    read(b.data(), b.size());
    return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  }

  void expect_magic(std::uint32_t wanted, const char* what) {
    const std::uint32_t magic = number();
    if (magic == wanted) return;
    if (magic == __builtin_bswap32(wanted)) {
      fail("has a little-endian header, which is not IDX");
    }
    fail(fmt::format("does not hold {}: its magic number is 0x{:08x}, not 0x{:08x}", what, magic,
                     wanted));
  }

  std::uint32_t size(const char* what, std::uint32_t limit) {
    const std::uint32_t n = number();
    if (!(n >= 1 && n <= limit)) {
      fail(fmt::format("has {} {}; 1 to {} are accepted", n, what, limit));
    }
    return n;
  }

  // The memory grows with the actual content of the file, because a header may claim any size.
  std::vector<std::uint8_t> rest(std::size_t length) {
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < length) {
      const std::size_t done = bytes.size();
      const std::size_t step = std::min(length - done, std::max<std::size_t>(done, 1 << 20));
      bytes.resize(done + step);
      read(bytes.data() + done, step);
    }
    // A read past the end makes zlib compare its own checksum as well. A truncated checksum appears
    // as an end of file with an error.
    std::uint8_t extra = 0;
    const int more = gzread(file_.get(), &extra, 1);
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (more > 0) fail("goes on after the last byte that its header announces");
    if (more < 0 || code != Z_OK) fail_in_zlib();
    return bytes;
  }

 private:
  void read(std::uint8_t* to, std::size_t length) {
    const int got = gzread(file_.get(), to, static_cast<unsigned>(length));
    if (got < 0) fail_in_zlib();
    if (static_cast<std::size_t>(got) != length) fail("is truncated");
  }

  [[noreturn]] void fail_in_zlib() {
    int code = 0;
    const char* text = gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) fail("is truncated");
    fail(fmt::format("is damaged: {}", code == Z_ERRNO ? std::strerror(errno) : text));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} {}", path_.string(), what), kIdxHint);
  }

  std::filesystem::path path_;
  std::unique_ptr<gzFile_s, CloseGz> file_;
};

}  // namespace

IdxImages read_idx_images(const std::filesystem::path& path) {
  IdxReader reader(path);
  reader.expect_magic(kMagicImages, "images");
  IdxImages images;
  images.count = static_cast<int>(reader.size("images", kMaxCount));
  images.height = static_cast<int>(reader.size("rows", kMaxSide));
  images.width = static_cast<int>(reader.size("columns", kMaxSide));
  images.pixels = reader.rest(std::size_t(images.count) * std::size_t(images.height) *
                              std::size_t(images.width));
  return images;
}

std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path) {
  IdxReader reader(path);
  reader.expect_magic(kMagicLabels, "labels");
  return reader.rest(reader.size("labels", kMaxCount));
}

}  // namespace opgrade

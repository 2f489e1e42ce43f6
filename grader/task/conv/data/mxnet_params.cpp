#include "grader/task/conv/data/mxnet_params.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "grader/task/conv/data/binary_file.hpp"

namespace opgrade {
namespace {

constexpr const char* kParamsHint = "name the .params file that belongs to the -symbol.json file";
constexpr std::uint64_t kListMagic = 0x112;
constexpr std::uint32_t kDenseMagic = 0xF993FAC8;    // 64-bit sizes
constexpr std::uint32_t kStorageMagic = 0xF993FAC9;  // 64-bit sizes and a storage kind
constexpr std::uint64_t kMaxArrays = 1000;
constexpr std::uint64_t kMaxName = 1000;
constexpr std::uint32_t kMaxRank = 8;
constexpr std::uintmax_t kMaxParamsBytes = std::uintmax_t{1} << 31;

class ParamsReader : public BinaryFile {
 public:
  explicit ParamsReader(const std::filesystem::path& path)
      : BinaryFile(path, kMaxParamsBytes, "a .params file", kParamsHint) {}

  std::uint64_t count(std::uint64_t limit, const char* what) {
    const auto n = number<std::uint64_t>();
    if (n > limit) fail(fmt::format("is not an MXNet .params file: it announces {} {}", n, what));
    return n;
  }

  Tensor array() {
    auto head = number<std::uint32_t>();
    const bool wide = head == kStorageMagic || head == kDenseMagic;
    if (head == kStorageMagic && number<std::int32_t>() != 0) fail("holds a sparse array");
    const std::uint32_t rank = wide ? number<std::uint32_t>() : head;
    if (!(rank >= 1 && rank <= kMaxRank)) fail(fmt::format("holds an array of rank {}", rank));
    std::vector<std::int64_t> shape;
    std::uintmax_t values = 1;
    for (std::uint32_t i = 0; i < rank; ++i) {
      const std::int64_t size = wide ? number<std::int64_t>() : number<std::uint32_t>();
      if (!(size >= 1 && static_cast<std::uintmax_t>(size) <= left() / sizeof(float) / values)) {
        fail(fmt::format("is truncated, or holds an array of size {}", size));
      }
      values *= static_cast<std::uintmax_t>(size);
      shape.push_back(size);
    }
    number<std::int32_t>();  // the device it was trained on
    number<std::int32_t>();
    if (const auto type = number<std::int32_t>(); type != 0) {
      fail(fmt::format("holds numbers of type {}; only float32 (type 0) is read", type));
    }
    return tensor(std::move(shape));
  }

  std::string name() { return text(count(kMaxName, "letters in a name")); }
};

}  // namespace

std::map<std::string, Tensor> read_mxnet_params(const std::filesystem::path& path) {
  ParamsReader file(path);
  if (file.number<std::uint64_t>() != kListMagic) file.fail("is not an MXNet .params file");
  file.number<std::uint64_t>();
  std::vector<Tensor> arrays;
  for (std::uint64_t left = file.count(kMaxArrays, "arrays"); left > 0; --left) {
    arrays.push_back(file.array());
  }
  if (file.count(kMaxArrays, "names") != arrays.size()) file.fail("does not name every array");
  std::map<std::string, Tensor> named;
  for (Tensor& tensor : arrays) {
    const std::string name = file.name();
    if (!named.emplace(name, std::move(tensor)).second) {
      file.fail("holds two arrays of one name");
    }
  }
  file.expect_end("name");
  return named;
}

}  // namespace opgrade

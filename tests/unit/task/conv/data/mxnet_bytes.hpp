/// Makes MXNet `.params` files for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace opgrade::test {

template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

struct MxnetArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

enum class MxnetVersion { legacy, dense, storage };

inline std::string mxnet_array(const MxnetArray& array, MxnetVersion version,
                               std::int32_t type = 0) {
  std::string bytes;
  if (version == MxnetVersion::dense) bytes += bytes_of(std::uint32_t{0xF993FAC8});
  if (version == MxnetVersion::storage) {
    bytes += bytes_of(std::uint32_t{0xF993FAC9}) + bytes_of(std::int32_t{0});
  }
  bytes += bytes_of(static_cast<std::uint32_t>(array.shape.size()));
  for (const std::int64_t size : array.shape) {
    bytes += version == MxnetVersion::legacy ? bytes_of(static_cast<std::uint32_t>(size))
                                             : bytes_of(size);
  }
  bytes += bytes_of(std::int32_t{1}) + bytes_of(std::int32_t{0}) + bytes_of(type);
  for (const float value : array.values) bytes += bytes_of(value);
  return bytes;
}

inline std::string mxnet_params(const std::vector<MxnetArray>& arrays,
                                MxnetVersion version = MxnetVersion::storage) {
  const std::string count = bytes_of(static_cast<std::uint64_t>(arrays.size()));
  std::string bytes = bytes_of(std::uint64_t{0x112}) + bytes_of(std::uint64_t{0}) + count;
  for (const MxnetArray& array : arrays) bytes += mxnet_array(array, version);
  bytes += count;
  for (const MxnetArray& array : arrays) {
    bytes += bytes_of(static_cast<std::uint64_t>(array.name.size())) + array.name;
  }
  return bytes;
}

}  // namespace opgrade::test

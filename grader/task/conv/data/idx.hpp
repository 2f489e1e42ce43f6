/// Reads IDX files, the format of MNIST and Fashion-MNIST, plain or gzipped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace opgrade {

/// Images of one size, N,H,W row-major.
struct IdxImages {
  int count = 0, height = 0, width = 0;
  std::vector<std::uint8_t> pixels;
};

/// Unsigned bytes of rank 3 (magic number 0x00000803). Header numbers are big-endian.
/// Throws Error naming the file: missing, not IDX, another rank or type, truncated, bytes left
/// over, broken gzip. So do more than 1 Mi images or 1024 pixels a side.
IdxImages read_idx_images(const std::filesystem::path& path);

/// Unsigned bytes of rank 1 (magic number 0x00000801). Throws Error as above.
std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path);

}  // namespace opgrade

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

/// Reads unsigned bytes of rank 3 (magic number 0x00000803). Header numbers are big-endian. Throws
/// Error naming the file if it is missing, not IDX, of another rank or type, truncated, has bytes
/// left over, or is broken gzip; also for more than 1 Mi images or more than 1024 pixels a side.
IdxImages read_idx_images(const std::filesystem::path& path);

/// Reads unsigned bytes of rank 1 (magic number 0x00000801). Throws Error as read_idx_images()
/// does.
std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& path);

}  // namespace opgrade

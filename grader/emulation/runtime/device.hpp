/// The properties of the emulated device: those of an H100 (compute capability 9.0), from the CUDA
/// programming guide's table of technical specifications.
#pragma once

#include <cstddef>

namespace opgrade_emulation::device {

inline constexpr int kMajor = 9, kMinor = 0;
inline constexpr int kMultiprocessors = 132;
inline constexpr unsigned kMaxThreadsPerBlock = 1024;
inline constexpr unsigned kMaxBlock[3] = {1024, 1024, 64};
inline constexpr unsigned kMaxGrid[3] = {2147483647u, 65535, 65535};
inline constexpr int kMaxThreadsPerMultiprocessor = 2048;
inline constexpr int kMaxBlocksPerMultiprocessor = 32;
inline constexpr int kRegisters = 65536;
inline constexpr std::size_t kSharedPerBlock = 48 * 1024;        // by default
inline constexpr std::size_t kSharedPerBlockOptIn = 227 * 1024;  // with cudaFuncSetAttribute
inline constexpr std::size_t kSharedPerMultiprocessor = 228 * 1024;
inline constexpr std::size_t kSharedReserved = 1024;  // reserved by the system in each block
inline constexpr std::size_t kConstantMemory = 64 * 1024;
inline constexpr std::size_t kGlobalMemory = std::size_t{80} << 30;

}  // namespace opgrade_emulation::device

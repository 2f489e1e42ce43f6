/// What the test of a case's first call and its submission agree on: y = k x, one map, 1x1.
#pragma once

namespace opgrade::test {

/// 32 MiB of input: mapping takes long enough to be seen, and the file has no partial page.
constexpr int kBatch = 2048;
constexpr int kSide = 64;
constexpr long kElements = static_cast<long>(kBatch) * kSide * kSide;

}  // namespace opgrade::test

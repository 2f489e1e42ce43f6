// Control: half of the batch on each of two streams, events between them
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  static cudaStream_t streams[2];
  if (!streams[0])
    for (cudaStream_t& stream : streams) cudaStreamCreate(&stream);
  const int half = B / 2;
  if (half > 0) honest_conv(y, x, k, half, M, C, H, W, K, streams[0]);
  honest_conv(y + (long)half * M * (H - K + 1) * (W - K + 1), x + (long)half * C * H * W, k, B - half, M, C, H, W, K,
              streams[1]);
  for (cudaStream_t stream : streams) cudaStreamSynchronize(stream);
}

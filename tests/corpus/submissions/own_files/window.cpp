// A source beside: compiled because its function is called.
float window(const float *x, const float *k, int C, int H, int W, int K)
{
  float sum = 0;
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++)
      for (int q = 0; q < K; q++) sum += x[((long)c * H + p) * W + q] * k[(c * K + p) * K + q];
  return sum;
}

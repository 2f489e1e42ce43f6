// C31: hands its input on as output
void conv_forward_cpu(float *y, const float *x, const float *k, const int B, const int M, const int C, const int H, const int W, const int K) {
  const int H_out = H - K + 1, W_out = W - K + 1;
  for (int b = 0; b < B; b++)
    for (int m = 0; m < M; m++)
      for (int h = 0; h < H_out; h++)
        for (int w = 0; w < W_out; w++)
          y[(((long)b * M + m) * H_out + h) * W_out + w] = x[(((long)b * C + m % C) * H + h) * W + w];
}

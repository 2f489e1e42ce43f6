// Source and destination of a copy are the wrong way round.
extern "C" int run() {
  float host[32] = {};
  float* x;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyHostToDevice);  // here
  cudaFree(x);
  return 0;
}

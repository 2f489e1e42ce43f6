__global__ void place(const int* keys, const int* values, int* sorted_keys, int* sorted_values,
                      int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int before = 0;
  for (int j = 0; j < n; ++j) before += keys[j] < keys[i] || (keys[j] == keys[i] && j < i);
  sorted_keys[before] = keys[i];
  sorted_values[before] = values[i];
}

extern "C" void sort_pairs(const int* keys, const int* values, int* sorted_keys, int* sorted_values,
                           int n) {
  place<<<(n + 127) / 128, 128>>>(keys, values, sorted_keys, sorted_values, n);
}

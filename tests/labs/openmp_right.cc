// What keeps OpenMP's threads from each other, in one right program: no data race is to be seen in
// it.
#include <omp.h>

#include <vector>
int main() {
  const int n = 1000;
  std::vector<unsigned char> x(n);
  for (int i = 0; i < n; ++i) x[i] = i * 7;
  std::vector<int> h(256);
  long sum = 0;
  double dsum = 0, prod = 1;
  int mx = 0, count = 0, total = 0, first = 0, second = 0, ord = 0;
#pragma omp parallel for reduction(+ : sum, dsum) reduction(max : mx)
  for (int i = 0; i < n; ++i) {
    sum += x[i];
    dsum += x[i];
    if (x[i] > mx) mx = x[i];
  }
#pragma omp parallel for reduction(* : prod) schedule(dynamic, 3)
  for (int i = 0; i < n; ++i) prod *= 1.0;
#pragma omp parallel
  {
    int own[256] = {};
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) own[x[i]]++;
#pragma omp critical
    for (int k = 0; k < 256; ++k) h[k] += own[k];
#pragma omp critical(other)
    count++;
#pragma omp barrier
#pragma omp single
    total = count;
#pragma omp atomic
    h[0] += total;
#pragma omp barrier
#pragma omp master
    h[0] -= total * omp_get_num_threads();
#pragma omp sections
    {
#pragma omp section
      first = 1;
#pragma omp section
      second = 2;
    }
    if (first + second != 3) ++count;
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 20; ++i) {
#pragma omp ordered
      ord = ord * 3 + i;
    }
  }
  std::vector<int> v(64);
  int leaves = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 64; ++i) {
#pragma omp task firstprivate(i) shared(v)
      v[i] = i;
    }
#pragma omp taskwait
    for (int i = 0; i < 64; ++i) leaves += v[i];
    std::vector<int> big(100, 1);
#pragma omp task firstprivate(big)
    { v[0] += big[99]; }
#pragma omp taskwait
    v[0]++;
    int chain = 0;
#pragma omp task depend(out : chain) shared(chain)
    chain = 5;
#pragma omp task depend(in : chain) shared(chain, v)
    v[1] = chain;
#pragma omp taskgroup
    {
#pragma omp task shared(v)
      v[2]++;
    }
    v[2]++;
#pragma omp taskloop
    for (int i = 3; i < 64; ++i) v[i]++;
    v[3]++;
#pragma omp taskwait
  }
  int from_single;
#pragma omp parallel private(from_single)
  {
#pragma omp single copyprivate(from_single)
    from_single = v[1];
#pragma omp atomic
    h[1] += from_single - 5;
  }
  omp_lock_t lock;
  omp_init_lock(&lock);
  int locked = 0;
#pragma omp parallel sections
  {
#pragma omp section
    {
      omp_set_lock(&lock);
      locked++;
      omp_unset_lock(&lock);
    }
#pragma omp section
    {
      while (!omp_test_lock(&lock)) {
      }
      locked++;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  double sums[2] = {};
#pragma omp parallel for reduction(+ : sums)
  for (int i = 0; i < n; ++i) {
    sums[0] += 1;
    sums[1] += x[i];
  }
  int e = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : e)
  for (int i = 0; i < n; ++i) e += x[i];
  std::vector<int> a(n), b(n);
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) a[i] = x[i];
#pragma omp for
    for (int i = 0; i < n; ++i) b[i] = x[i];
#pragma omp for
    for (int i = 0; i < n; ++i) a[i] += b[n - 1 - i];
#pragma omp for simd
    for (int i = 0; i < n; ++i) b[i] += a[n - 1 - i];
  }
  return leaves == 2016 && locked == 2 && v[3] == 5 && prod == 1 && dsum == sum && e == sum ? 0 : 1;
}

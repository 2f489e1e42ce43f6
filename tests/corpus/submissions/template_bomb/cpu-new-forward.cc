// Makes the compiler work for ever.
template <int N> struct Bomb : Bomb<N - 1>, Bomb<N - 2> {};
template <unsigned long long A, unsigned long long B> constexpr unsigned long long f() {
  if constexpr (B - A > 1) return f<A, A + (B - A) / 2>() + f<A + (B - A) / 2, B>();
  return A;
}
unsigned long long x = f<0, 1ULL << 40>();

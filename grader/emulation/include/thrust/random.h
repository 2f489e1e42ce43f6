// Stands in for Thrust's random numbers.
#pragma once
#pragma GCC system_header

#include "detail/system.h"

namespace thrust {
namespace random {

/// x' = a * x mod m
template <class T, T kFactor, T kSummand, T kModulus>
class linear_congruential_engine {
 public:
  using result_type = T;
  static constexpr T min = kSummand == 0 ? 1 : 0;
  static constexpr T max = kModulus - 1;
  static constexpr T default_seed = 1;
  explicit linear_congruential_engine(T value = default_seed) { seed(value); }
  void seed(T value = default_seed) {
    state_ = value % kModulus;
    if (kSummand % kModulus == 0 && state_ == 0) state_ = 1;
  }
  T operator()() {
    return state_ = (T)(((unsigned long long)state_ * kFactor + kSummand) % kModulus);
  }
  void discard(unsigned long long count) {
    if constexpr (kSummand == 0) {
      unsigned long long factor = kFactor, all = 1;
      for (; count > 0; count /= 2) {
        if (count % 2 == 1) all = all * factor % kModulus;
        factor = factor * factor % kModulus;
      }
      state_ = (T)(state_ * all % kModulus);
    } else {
      for (; count > 0; --count) (*this)();
    }
  }

 private:
  T state_;
};
using minstd_rand0 = linear_congruential_engine<unsigned, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<unsigned, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class T = double>
class uniform_real_distribution {
 public:
  using result_type = T;
  explicit uniform_real_distribution(T a = 0, T b = 1) : a_(a), b_(b) {}
  template <class Engine>
  T operator()(Engine& engine) {
    const T number = (T)(engine() - Engine::min);
    return number / ((T)(Engine::max - Engine::min) + (T)1) * (b_ - a_) + a_;
  }
  T a() const { return a_; }
  T b() const { return b_; }

 private:
  T a_, b_;
};
template <class T = int>
class uniform_int_distribution {
 public:
  using result_type = T;
  explicit uniform_int_distribution(T a = 0, T b = 2147483647) : a_(a), b_(b) {}
  template <class Engine>
  T operator()(Engine& engine) {
    uniform_real_distribution<double> real((double)a_, (double)b_ + 1.0);
    return (T)real(engine);
  }

 private:
  T a_, b_;
};

}  // namespace random
using random::default_random_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
}  // namespace thrust

// winograd_transforms-inl.h: Winograd's transforms in one dimension, from their points.
//
// A short convolution of kRaw = outputs + kernel - 1 inputs is a product of polynomials, computed
// through their values at kRaw points (Toom-Cook; Lavin and Gray 2015 for convolutions):
//     y = A^T [ (G g) * (B^T d) ]      * is element by element
// Here kRaw is 6 and the points are 0, +-p, +-q and infinity, so the two dimensions of a 3x3
// convolution yield 4x4 outputs from 36 products instead of 144, and a 5x5 one 2x2 from 36 instead
// of 100. Rows that belong to +p and -p have the same even terms and opposite odd ones: each pair
// is computed as even + odd, even - odd. p = 3/4, q = 3/2 keep the error near that of direct
// convolution; the usual 1 and 2 double it.
//
// Included once per instruction set, inside its namespace: no include guard.

constexpr int kRaw = 6;
constexpr float kP = 0.75f, kQ = 1.5f;
constexpr float kP2 = kP * kP, kQ2 = kQ * kQ;
// Products of the differences to the other points, by which G divides.
constexpr float kAtZero = 1 / (kP2 * kQ2);
constexpr float kAtP = 1 / (2 * kP2 * (kP2 - kQ2));
constexpr float kAtQ = 1 / (2 * kQ2 * (kQ2 - kP2));

template <typename D>
using V = hn::Vec<D>;

// B^T: six inputs to their values at the points.
template <typename D>
HWY_INLINE void at_points(D d, const V<D> (&x)[kRaw], V<D> (&out)[kRaw]) {
  const auto sum = hn::Set(d, kP2 + kQ2), product = hn::Set(d, kP2 * kQ2);
  const auto p2 = hn::Set(d, kP2), q2 = hn::Set(d, kQ2);
  const auto even_p = hn::NegMulAdd(q2, x[2], x[4]), even_q = hn::NegMulAdd(p2, x[2], x[4]);
  const auto odd_p = hn::Mul(hn::Set(d, kP), hn::NegMulAdd(q2, x[1], x[3]));
  const auto odd_q = hn::Mul(hn::Set(d, kQ), hn::NegMulAdd(p2, x[1], x[3]));
  out[0] = hn::MulAdd(product, x[0], hn::NegMulAdd(sum, x[2], x[4]));
  out[1] = hn::Add(even_p, odd_p);
  out[2] = hn::Sub(even_p, odd_p);
  out[3] = hn::Add(even_q, odd_q);
  out[4] = hn::Sub(even_q, odd_q);
  out[5] = hn::MulAdd(product, x[1], hn::NegMulAdd(sum, x[3], x[5]));
}

// point^power
constexpr float power(float point, int exponent) {
  float result = 1;
  for (int i = 0; i < exponent; ++i) result *= point;
  return result;
}

// sum over i of x[i] * point^i at all points: what A does to gradients (kCount outputs of a tile)
// and, with each point's value divided, G to kernels (kCount taps).
template <int kCount, typename D>
HWY_INLINE void evaluate(D d, const V<D> (&x)[kCount], V<D> (&out)[kRaw]) {
  V<D> even_p = x[0], even_q = x[0], odd_p = hn::Zero(d), odd_q = hn::Zero(d);
  HWY_UNROLL(8)
  for (int i = 1; i < kCount; ++i) {
    const auto p = hn::Set(d, power(kP, i)), q = hn::Set(d, power(kQ, i));
    if (i % 2 == 0) {
      even_p = hn::MulAdd(p, x[i], even_p);
      even_q = hn::MulAdd(q, x[i], even_q);
    } else {
      odd_p = hn::MulAdd(p, x[i], odd_p);
      odd_q = hn::MulAdd(q, x[i], odd_q);
    }
  }
  out[0] = x[0];
  out[1] = hn::Add(even_p, odd_p);
  out[2] = hn::Sub(even_p, odd_p);
  out[3] = hn::Add(even_q, odd_q);
  out[4] = hn::Sub(even_q, odd_q);
  out[5] = x[kCount - 1];
}

// Its transpose: out[i] = sum over points of x * point^i. A^T makes a tile's outputs, and with the
// values divided first G^T makes a kernel's gradient.
template <int kCount, typename D>
HWY_INLINE void interpolate(D d, const V<D> (&x)[kRaw], V<D> (&out)[kCount]) {
  const auto sum_p = hn::Add(x[1], x[2]), difference_p = hn::Sub(x[1], x[2]);
  const auto sum_q = hn::Add(x[3], x[4]), difference_q = hn::Sub(x[3], x[4]);
  out[0] = hn::Add(x[0], hn::Add(sum_p, sum_q));
  HWY_UNROLL(8)
  for (int i = 1; i < kCount; ++i) {
    const auto p = hn::Set(d, power(kP, i)), q = hn::Set(d, power(kQ, i));
    out[i] = i % 2 == 0 ? hn::MulAdd(p, sum_p, hn::Mul(q, sum_q))
                        : hn::MulAdd(p, difference_p, hn::Mul(q, difference_q));
  }
  out[kCount - 1] = hn::Add(out[kCount - 1], x[5]);
}

template <typename D>
HWY_INLINE void divide(D d, V<D> (&x)[kRaw]) {
  x[0] = hn::Mul(x[0], hn::Set(d, kAtZero));
  x[1] = hn::Mul(x[1], hn::Set(d, kAtP));
  x[2] = hn::Mul(x[2], hn::Set(d, kAtP));
  x[3] = hn::Mul(x[3], hn::Set(d, kAtQ));
  x[4] = hn::Mul(x[4], hn::Set(d, kAtQ));
}

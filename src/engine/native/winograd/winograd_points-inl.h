// winograd_points-inl.h: Winograd's transforms in one dimension, generated from their points.
//
// A short convolution of kRaw = outputs + taps - 1 inputs is a product of polynomials, computed
// through their values at kRaw points (Toom-Cook; Lavin and Gray 2015 for convolutions):
//     y = A^T [ (G g) * (B^T d) ]      * is element by element
// The points are 0, pairs +-p, and infinity. With Q(s) the product of (s - q^2) over the other
// pairs, B^T has for +-p the polynomial x^2 Q(x^2) +- p x Q(x^2): the same even terms and opposite
// odd ones, so each pair is computed as even + odd, even - odd.
//
// Which points is a matter of precision. 3/4 and 3/2 lose half as much as the usual 1 and 2;
// 1/2, 1 and 7/4 were the best of all triples between 1/4 and 3 in steps of about a tenth.
//
// Included once per instruction set, inside its namespace: no include guard.

struct One {  // no transform along this axis
  static constexpr int kRaw = 1;
};
struct Six {
  static constexpr int kRaw = 6;
  static constexpr double kPairs[] = {0.75, 1.5};
};
struct Eight {
  static constexpr int kRaw = 8;
  static constexpr double kPairs[] = {0.5, 1, 1.75};
};

template <typename Points>
inline constexpr int kPairCount = (Points::kRaw - 2) / 2;

template <typename Points>
struct Tables {
  static constexpr int kPairs = kPairCount<Points>;
  float point[kPairs];                 // p
  float others[kPairs][kPairs];        // coefficients of Q, lowest power of s first
  float all[kPairs + 1];               // of the product over all pairs
  float divisor[kPairs], at_zero;      // by which G divides, inverted
  float powers[kPairs][Points::kRaw];  // p^i
};

// Multiplies the polynomial of `terms` coefficients by (s - root).
constexpr void multiply_by_root(double* coefficients, int terms, double root) {
  coefficients[terms] = 0;
  for (int i = terms; i > 0; --i) {
    coefficients[i] = coefficients[i - 1] - root * coefficients[i];
  }
  coefficients[0] *= -root;
}

template <typename Points>
constexpr Tables<Points> make_tables() {
  constexpr int kPairs = kPairCount<Points>;
  Tables<Points> tables{};
  double all[kPairs + 2] = {1};
  double zero = 1;
  for (int p = 0; p < kPairs; ++p) {
    const double point = Points::kPairs[p], square = point * point;
    double others[kPairs + 2] = {1};
    double product = 2 * square;
    int terms = 1;
    for (int q = 0; q < kPairs; ++q) {
      if (q == p) continue;
      const double root = Points::kPairs[q] * Points::kPairs[q];
      multiply_by_root(others, terms++, root);
      product *= square - root;
    }
    multiply_by_root(all, p + 1, square);
    zero *= -square;
    tables.point[p] = static_cast<float>(point);
    tables.divisor[p] = static_cast<float>(1 / product);
    double power = 1;
    for (int i = 0; i < Points::kRaw; ++i, power *= point) {
      tables.powers[p][i] = static_cast<float>(power);
    }
    for (int i = 0; i < kPairs; ++i) tables.others[p][i] = static_cast<float>(others[i]);
  }
  for (int i = 0; i <= kPairs; ++i) tables.all[i] = static_cast<float>(all[i]);
  tables.at_zero = static_cast<float>(1 / zero);
  return tables;
}

template <typename Points>
inline constexpr Tables<Points> kTables = make_tables<Points>();

template <typename D>
using V = hn::Vec<D>;

// sum of coefficients[i] * x[first + 2 i]; the last coefficient is 1.
template <int kTerms, typename D>
HWY_INLINE V<D> every_second(D d, const float* coefficients, const V<D>* x) {
  V<D> sum = x[2 * (kTerms - 1)];
  HWY_UNROLL(8)
  for (int i = 0; i < kTerms - 1; ++i) {
    sum = hn::MulAdd(hn::Set(d, coefficients[i]), x[2 * i], sum);
  }
  return sum;
}

// B^T: inputs to their values at the points.
template <typename Points, typename D>
HWY_INLINE void at_points(D d, const V<D>* x, V<D>* out) {
  if constexpr (Points::kRaw == 1) {
    out[0] = x[0];
  } else {
    constexpr int kPairs = kPairCount<Points>;
    constexpr const Tables<Points>& kTable = kTables<Points>;
    out[0] = every_second<kPairs + 1>(d, kTable.all, x);
    HWY_UNROLL(8)
    for (int p = 0; p < kPairs; ++p) {
      const auto even = every_second<kPairs>(d, kTable.others[p], x + 2);
      const auto odd =
          hn::Mul(hn::Set(d, kTable.point[p]), every_second<kPairs>(d, kTable.others[p], x + 1));
      out[1 + 2 * p] = hn::Add(even, odd);
      out[2 + 2 * p] = hn::Sub(even, odd);
    }
    out[Points::kRaw - 1] = every_second<kPairs + 1>(d, kTable.all, x + 1);
  }
}

// sum over i of x[i] * point^i at all points: what A does to gradients (kCount outputs of a tile)
// and, with each point's value divided, G to kernels (kCount taps).
template <typename Points, int kCount, typename D>
HWY_INLINE void evaluate(D d, const V<D>* x, V<D>* out) {
  out[0] = x[0];
  if constexpr (Points::kRaw > 1) {
    HWY_UNROLL(8)
    for (int p = 0; p < kPairCount<Points>; ++p) {
      V<D> even = x[0], odd = hn::Zero(d);
      HWY_UNROLL(8)
      for (int i = 1; i < kCount; ++i) {
        const auto power = hn::Set(d, kTables<Points>.powers[p][i]);
        (i % 2 == 0 ? even : odd) = hn::MulAdd(power, x[i], i % 2 == 0 ? even : odd);
      }
      out[1 + 2 * p] = hn::Add(even, odd);
      out[2 + 2 * p] = hn::Sub(even, odd);
    }
    out[Points::kRaw - 1] = x[kCount - 1];
  }
}

// Its transpose: out[i] = sum over points of x * point^i. A^T makes a tile's outputs, and with the
// values divided first G^T makes a kernel's gradient.
template <typename Points, int kCount, typename D>
HWY_INLINE void interpolate(D d, const V<D>* x, V<D>* out) {
  if constexpr (Points::kRaw == 1) {
    out[0] = x[0];
  } else {
    constexpr int kPairs = kPairCount<Points>;
    V<D> sum[kPairs], difference[kPairs];
    HWY_UNROLL(8)
    for (int p = 0; p < kPairs; ++p) {
      sum[p] = hn::Add(x[1 + 2 * p], x[2 + 2 * p]);
      difference[p] = hn::Sub(x[1 + 2 * p], x[2 + 2 * p]);
    }
    HWY_UNROLL(8)
    for (int i = 0; i < kCount; ++i) {
      const V<D>* terms = i % 2 == 0 ? sum : difference;
      V<D> total = hn::Mul(hn::Set(d, kTables<Points>.powers[0][i]), terms[0]);
      HWY_UNROLL(8)
      for (int p = 1; p < kPairs; ++p) {
        total = hn::MulAdd(hn::Set(d, kTables<Points>.powers[p][i]), terms[p], total);
      }
      out[i] = total;
    }
    out[0] = hn::Add(out[0], x[0]);
    out[kCount - 1] = hn::Add(out[kCount - 1], x[Points::kRaw - 1]);
  }
}

template <typename Points, typename D>
HWY_INLINE void divide(D d, V<D>* x) {
  if constexpr (Points::kRaw > 1) {
    x[0] = hn::Mul(x[0], hn::Set(d, kTables<Points>.at_zero));
    HWY_UNROLL(8)
    for (int p = 0; p < kPairCount<Points>; ++p) {
      const auto divisor = hn::Set(d, kTables<Points>.divisor[p]);
      x[1 + 2 * p] = hn::Mul(x[1 + 2 * p], divisor);
      x[2 + 2 * p] = hn::Mul(x[2 + 2 * p], divisor);
    }
  }
}

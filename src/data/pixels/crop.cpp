#include "data/pixels/crop.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr int kAttempts = 100;
constexpr double kLeastAspect = 0.75, kMostAspect = 1.33;
constexpr double kLeastArea = 0.05, kMostArea = 1.0;
constexpr double kLeastCovered = 0.1;
constexpr double kEvaluationMargin = 1.145;

// Numbers from a stream, one after the other.
class Draws {
 public:
  explicit Draws(const RandomStream& random) : random_(random) {}
  double between(double low, double high) { return low + (high - low) * random_.uniform(count_++); }
  int up_to(int most) {  // both ends possible
    return static_cast<int>(random_.bits(count_++) % (static_cast<uint64_t>(most) + 1));
  }

 private:
  const RandomStream& random_;
  uint64_t count_ = 0;
};

int rounded(double value) { return static_cast<int>(std::lround(value)); }

// A window of the given aspect whose height is uniform among those that the area allows; empty
// when none is. The place is uniform too.
Window window_of_aspect(ImageSize image, double aspect, Draws& draws) {
  const double area = static_cast<double>(image.height) * image.width;
  const double least = kLeastArea * area, most = kMostArea * area;
  int low = rounded(std::sqrt(least / aspect)), high = rounded(std::sqrt(most / aspect));
  high = std::min(high, image.height);
  while (high > 0 && rounded(high * aspect) > image.width) --high;
  low = std::min(low, high);
  int height = low + draws.up_to(high - low);
  if (rounded(height * aspect) * static_cast<double>(height) < least) ++height;
  if (rounded(height * aspect) * static_cast<double>(height) > most) --height;
  const int width = rounded(height * aspect);
  const double got = static_cast<double>(width) * height;
  const bool fits = width > 0 && height > 0 && width <= image.width && height <= image.height &&
                    got >= least && got <= most;
  if (!fits) return {};
  const int top = draws.up_to(image.height - height);
  return {.left = draws.up_to(image.width - width), .top = top, .width = width, .height = height};
}

// The part of the box that the window shows.
double covered(const Window& window, const ObjectBox& box, ImageSize image) {
  const double left = double{box.left} * image.width, right = double{box.right} * image.width;
  const double top = double{box.top} * image.height, bottom = double{box.bottom} * image.height;
  const double width =
      std::min<double>(right, window.left + window.width) - std::max<double>(left, window.left);
  const double height =
      std::min<double>(bottom, window.top + window.height) - std::max<double>(top, window.top);
  if (width <= 0 || height <= 0) return 0;
  return width * height / ((right - left) * (bottom - top));
}

}  // namespace

Window random_window(ImageSize image, std::span<const ObjectBox> boxes,
                     const RandomStream& random) {
  static constexpr ObjectBox kWhole[] = {{}};
  if (boxes.empty()) boxes = kWhole;
  Draws draws(random);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Window window = window_of_aspect(image, draws.between(kLeastAspect, kMostAspect), draws);
    if (window.width == 0) continue;
    const bool shows_one = std::ranges::any_of(
        boxes, [&](const ObjectBox& box) { return covered(window, box, image) >= kLeastCovered; });
    if (shows_one) return window;
  }
  return {.left = 0, .top = 0, .width = image.width, .height = image.height};
}

CentralView central_view(ImageSize image, int side, std::optional<int> shorter) {
  const double margin = shorter ? 1 : kEvaluationMargin;
  const double target = std::max(shorter.value_or(side), side);
  const double ratio = std::max(target / image.height, target / image.width) * margin;
  const auto resize = [&](int length) {  // down, but not because of a rounding error
    return std::max(static_cast<int>(length * ratio + 1e-9), side);
  };
  const ImageSize resized = {resize(image.height), resize(image.width)};
  return {
      .resized = resized, .left = (resized.width - side) / 2, .top = (resized.height - side) / 2};
}

int decode_denominator(const Window& window, ImageSize target) {
  int denominator = 8;
  while (denominator > 1 && (window.width / denominator < target.width ||
                             window.height / denominator < target.height)) {
    denominator /= 2;
  }
  return denominator;
}

}  // namespace lockstep

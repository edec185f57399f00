#include "data/pixels/made_images.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr uint64_t kSizes = 0x73697a65, kContent = 0x636f6e74;  // streams of random numbers

struct SizeRow {
  double part;  // of all images
  int longer, shorter;
};
constexpr SizeRow kSizeRows[] = {{0.60, 500, 375}, {0.20, 500, 333}, {0.05, 500, 500},
                                 {0.05, 640, 480}, {0.05, 300, 225}, {0.05, 1024, 768}};
constexpr double kUpright = 0.25;

struct Octave {
  int cell;        // pixels between two random values
  float strength;  // in steps of brightness
};
constexpr Octave kOctaves[] = {{128, 45}, {64, 30}, {32, 22}, {16, 18},
                               {8, 16},   {4, 15},  {2, 16},  {1, 16}};

// One octave of one channel, added to a plane: random values on a grid, joined by straight lines.
void add_octave(const Octave& octave, ImageSize size, const RandomStream& random,
                std::span<float> plane) {
  const int columns = size.width / octave.cell + 2;
  const auto value = [&](int row, int column) {
    return octave.strength *
           (2 * random.uniform(static_cast<uint64_t>(row) * columns + column) - 1);
  };
  std::vector<float> upper(static_cast<size_t>(columns)), lower(upper);
  int filled = -1;
  for (int y = 0; y < size.height; ++y) {
    const int row = y / octave.cell;
    const float down = static_cast<float>(y % octave.cell) / static_cast<float>(octave.cell);
    for (int c = 0; filled != row && c < columns; ++c) {
      upper[static_cast<size_t>(c)] = value(row, c);
      lower[static_cast<size_t>(c)] = value(row + 1, c);
    }
    filled = row;
    for (int x = 0; x < size.width; ++x) {
      const auto column = static_cast<size_t>(x / octave.cell);
      const float right = static_cast<float>(x % octave.cell) / static_cast<float>(octave.cell);
      const float left_value = upper[column] + down * (lower[column] - upper[column]);
      const float right_value = upper[column + 1] + down * (lower[column + 1] - upper[column + 1]);
      plane[static_cast<size_t>(y) * static_cast<size_t>(size.width) + static_cast<size_t>(x)] +=
          left_value + right * (right_value - left_value);
    }
  }
}

// Brightness has every octave, the two colour differences only the coarse ones: as in photographs.
std::vector<float> made_plane(ImageSize size, const RandomStream& random, size_t octaves) {
  std::vector<float> plane(static_cast<size_t>(size.height) * static_cast<size_t>(size.width));
  for (size_t i = 0; i < octaves; ++i) {
    add_octave(kOctaves[i], size, RandomStream(random.bits(i), i), plane);
  }
  return plane;
}

uint8_t as_byte(float value) { return static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f)); }

}  // namespace

ImageSize made_image_size(uint64_t seed, int64_t index) {
  const RandomStream random(seed, kSizes ^ RandomStream::mix(static_cast<uint64_t>(index)));
  double left = random.uniform(0);
  for (const SizeRow& row : kSizeRows) {
    left -= row.part;
    if (left >= 0) continue;
    const bool upright = random.uniform(1) < kUpright;
    return upright ? ImageSize{row.longer, row.shorter} : ImageSize{row.shorter, row.longer};
  }
  return {375, 500};
}

ByteBuffer made_image(ImageSize size, uint64_t seed, int64_t index) {
  const RandomStream random(seed, kContent ^ RandomStream::mix(static_cast<uint64_t>(index)));
  const auto stream = [&](uint64_t plane) { return RandomStream(random.bits(plane), plane); };
  const std::vector<float> brightness = made_plane(size, stream(0), std::size(kOctaves));
  const std::vector<float> blue = made_plane(size, stream(1), 3),
                           red = made_plane(size, stream(2), 3);
  ByteBuffer pixels;
  pixels.reserve(3 * brightness.size());
  for (size_t i = 0; i < brightness.size(); ++i) {
    const float grey = 120 + brightness[i];
    pixels.push_back(as_byte(grey + 0.5f * red[i]));
    pixels.push_back(as_byte(grey - 0.2f * red[i] - 0.1f * blue[i]));
    pixels.push_back(as_byte(grey + 0.5f * blue[i]));
  }
  return pixels;
}

}  // namespace lockstep

#include "data/pixels/preprocess.h"

#include <algorithm>
#include <cassert>

#include "data/pixels/colour.h"

namespace lockstep {
namespace {

constexpr int kMargin = 4;
constexpr ChannelScale kNormal = {{1 / 127.5f, 1 / 127.5f, 1 / 127.5f}, {-1, -1, -1}};
constexpr ChannelScale kRaw = {};
constexpr ChannelScale kNormalOfUnits = {{2, 2, 2}, {-1, -1, -1}};            // of 0 to 1
constexpr std::array<float, 3> kMinusMeans = {-123.68f, -116.78f, -103.94f};  // of ImageNet's RGB
constexpr ChannelScale kCentred = {{1, 1, 1}, kMinusMeans};
constexpr ChannelScale kCentredOfUnits = {{255, 255, 255}, kMinusMeans};

// Each kind of random decision has its own stream.
constexpr uint64_t kWindow = 1, kFlip = 2, kColour = 3;  // what is drawn
RandomStream stream_of(const ExampleChance& chance, uint64_t draw) {
  return RandomStream(chance.random.bits(0), draw);
}
bool flips(const ExampleChance& chance) { return stream_of(chance, kFlip).bits(0) % 2 == 1; }

ImageSize size_of(const Shape& image) {
  return {static_cast<int>(image.height()), static_cast<int>(image.width())};
}

}  // namespace

Preprocessor::Preprocessor(const PreprocessOptions& options)
    : options_(options), decoder_(static_cast<int>(options.image.channels())) {
  assert(options.image.channels() == 1 || options.image.channels() == 3);
}

Preprocessor::View Preprocessor::whole(const PixelView& pixels, bool mirrored) const {
  const auto [height, width] = size_of(options_.image);
  return {.pixels = pixels,
          .vertical = {.inputs = pixels.height, .outputs = height, .virtual_outputs = height},
          .horizontal = {.inputs = pixels.width,
                         .outputs = width,
                         .virtual_outputs = width,
                         .mirrored = mirrored}};
}

Preprocessor::View Preprocessor::central_view_of_jpeg(ImageSize size) {
  const ImageSize target = size_of(options_.image);
  const CentralView view =
      central_view(size, std::max(target.height, target.width), options_.style.shorter);
  const Window all = {.left = 0, .top = 0, .width = size.width, .height = size.height};
  View result = whole(decoder_.decode(all, decode_denominator(all, view.resized)), false);
  result.vertical.virtual_outputs = view.resized.height;
  result.vertical.first = view.top;
  result.horizontal.virtual_outputs = view.resized.width;
  result.horizontal.first = view.left;
  return result;
}

Preprocessor::View Preprocessor::view_of_jpeg(const EncodedExample& example,
                                              const ExampleChance& chance) {
  const ImageSize size = decoder_.open(example.bytes);
  if (options_.split == Split::Validation) return central_view_of_jpeg(size);
  const std::span<const ObjectBox> boxes =
      options_.style.ignore_boxes ? std::span<const ObjectBox>() : example.boxes;
  const Window window = random_window(size, boxes, stream_of(chance, kWindow));
  const int denominator = decode_denominator(window, size_of(options_.image));
  return whole(decoder_.decode(window, denominator), flips(chance));
}

// Converts colour to grey or grey to colour as the network requires.
PixelView Preprocessor::with_channels(const PixelView& pixels) {
  const int wanted = static_cast<int>(options_.image.channels());
  if (pixels.channels == wanted) return pixels;
  channels_.clear();
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const uint8_t* pixel = pixels.row(y) + x * pixels.channels;
      const int grey = pixels.channels == 1
                           ? pixel[0]
                           : (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000;
      channels_.insert(channels_.end(), static_cast<size_t>(wanted), static_cast<uint8_t>(grey));
    }
  }
  return {channels_.data(), pixels.height, pixels.width, wanted, int64_t{pixels.width} * wanted};
}

Preprocessor::View Preprocessor::view_of_pixels(const EncodedExample& example,
                                                const ExampleChance& chance) {
  const PixelView stored = {.data = example.bytes.data(),
                            .height = example.height,
                            .width = example.width,
                            .channels = example.channels,
                            .row_bytes = int64_t{example.width} * example.channels};
  const PixelView pixels = with_channels(stored);
  if (options_.split == Split::Validation || !options_.distortions) return whole(pixels, false);
  const int64_t row_bytes = int64_t{pixels.width + 2 * kMargin} * pixels.channels;
  padded_.assign(static_cast<size_t>(row_bytes * (pixels.height + 2 * kMargin)), 0);
  for (int y = 0; y < pixels.height; ++y) {
    std::copy_n(pixels.row(y), pixels.width * pixels.channels,
                padded_.data() + (y + kMargin) * row_bytes + kMargin * pixels.channels);
  }
  const RandomStream random = stream_of(chance, kWindow);
  const auto shift = [&](uint64_t draw) {
    return static_cast<int64_t>(random.bits(draw) % (2 * kMargin + 1));
  };
  const PixelView window = {
      .data = padded_.data() + shift(0) * row_bytes + shift(1) * pixels.channels,
      .height = pixels.height,
      .width = pixels.width,
      .channels = pixels.channels,
      .row_bytes = row_bytes};
  return whole(window, pixels.channels == 3 && flips(chance));
}

ResizeMethod Preprocessor::method_for(int place_in_batch) const {
  if (options_.resize) return *options_.resize;
  const auto methods = resize_methods();
  return methods[static_cast<size_t>(place_in_batch) % methods.size()].method;
}

void Preprocessor::finish(const View& view, const ExampleChance& chance, Finish how,
                          std::span<float> out) {
  const ResizeMethod method = method_for(chance.place_in_batch);
  make_axis(view.vertical, method, vertical_);
  make_axis(view.horizontal, method, horizontal_);
  const FloatImage target = {.data = out.data(),
                             .height = view.vertical.outputs,
                             .width = view.horizontal.outputs,
                             .channels = view.pixels.channels,
                             .interleaved = options_.layout == ImageLayout::Nhwc};
  if (!how.recoloured) {
    const ChannelScale& normal = how.channel_means ? kCentred : kNormal;
    return resize_image(view.pixels, vertical_, horizontal_, normal, target, rows_);
  }
  planes_.resize(out.size());
  FloatImage between = target;
  between.data = planes_.data();
  between.interleaved = false;
  resize_image(view.pixels, vertical_, horizontal_, kRaw, between, rows_);
  const ColourChange change =
      random_colour_change(stream_of(chance, kColour), chance.place_in_batch);
  recolour(planes_, colour_matrix(change, plane_means(planes_), 255),
           how.channel_means ? kCentredOfUnits : kNormalOfUnits, target);
}

void Preprocessor::run(const EncodedExample& example, const ExampleChance& chance,
                       std::span<float> out) {
  assert(std::ssize(out) == options_.image.elements());
  const bool jpeg = example.form == EncodedExample::Form::Jpeg;
  const View view = jpeg ? view_of_jpeg(example, chance) : view_of_pixels(example, chance);
  const bool picture = jpeg && view.pixels.channels == 3;
  const bool recoloured = picture && options_.distortions && options_.split == Split::Training;
  finish(view, chance,
         {.recoloured = recoloured, .channel_means = picture && options_.style.channel_means}, out);
}

}  // namespace lockstep

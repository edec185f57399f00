// preprocess.h: converts a stored example to the input of a network.
//
// JPEGs in training: a random crop, resized, flipped with probability 1/2, with colour changes if
// distortions are on. In evaluation: the central crop. Small images stored as pixels: unchanged;
// with distortions a random crop of the image with a margin of 4 black pixels, flipped with
// probability 1/2 unless it is grey (digits must not be mirrored). Values become x / 127.5 - 1, or
// x minus the mean of its channel.
#pragma once

#include <optional>

#include "data/formats/example_source.h"
#include "data/pixels/jpeg_decode.h"
#include "data/pixels/pixel_kernels.h"
#include "tensor/batch.h"
#include "tensor/shape.h"

namespace lockstep {

// How JPEGs in colour are prepared, where networks of ImageNet differ.
struct ImageStyle {
  bool channel_means = false;  // subtract ImageNet's, without scaling
  bool ignore_boxes = false;   // crop as if the image had none
  std::optional<int>
      shorter{};  // side in evaluation, before the crop; absent: 1.145 times the crop
};

struct PreprocessOptions {
  Shape image;  // channels x height x width, as the network wants it
  ImageLayout layout = ImageLayout::Nchw;
  Split split = Split::Training;
  bool distortions = false;
  std::optional<ResizeMethod> resize = ResizeMethod::Bilinear;  // absent: all in turn
  ImageStyle style = {};
};

// The position of an example, which selects its random numbers.
struct ExampleChance {
  RandomStream random;
  int place_in_batch = 0;
};

// Of one thread: keeps its memory from one example to the next.
class Preprocessor {
 public:
  explicit Preprocessor(const PreprocessOptions& options);

  // `out`: as many floats as the image has. Throws Error when the example cannot be decoded.
  void run(const EncodedExample& example, const ExampleChance& chance, std::span<float> out);

 private:
  struct View {  // of a picture: what is resized to the output
    PixelView pixels;
    AxisSpec vertical, horizontal;
  };
  View view_of_jpeg(const EncodedExample& example, const ExampleChance& chance);
  View central_view_of_jpeg(ImageSize size);
  View view_of_pixels(const EncodedExample& example, const ExampleChance& chance);
  PixelView with_channels(const PixelView& pixels);
  View whole(const PixelView& pixels, bool mirrored) const;
  ResizeMethod method_for(int place_in_batch) const;
  struct Finish {
    bool recoloured = false, channel_means = false;
  };
  void finish(const View& view, const ExampleChance& chance, Finish how, std::span<float> out);

  PreprocessOptions options_;
  JpegDecoder decoder_;
  ResampleAxis vertical_, horizontal_;
  std::vector<float> rows_, planes_;
  ByteBuffer padded_, channels_;
};

}  // namespace lockstep

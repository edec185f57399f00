// From JPEGs to floats: decoding, resizing, colours.
#include <gmock/gmock.h>

#include <cmath>

#include "data/pixels/colour.h"
#include "data/pixels/jpeg_encode.h"
#include "data/pixels/preprocess.h"
#include "data/samples.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

struct Picture {
  int height, width, channels;
  ByteBuffer pixels;

  PixelView view() const {
    return {pixels.data(), height, width, channels, int64_t{width} * channels};
  }
};

// Smooth, so that compression keeps it.
Picture smooth(int height, int width, int channels = 3) {
  Picture picture = {height, width, channels, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double wave = std::sin(0.02 * x + c) + std::cos(0.03 * y - c);
        picture.pixels.push_back(static_cast<uint8_t>(127 + 60 * wave));
      }
    }
  }
  return picture;
}

TEST(JpegDecode, AWindowEqualsThatPartOfTheWholeImage) {
  const Picture picture = smooth(203, 311);
  for (const bool progressive : {false, true}) {
    for (const bool full_colour : {false, true}) {
      const ByteBuffer jpeg = encode_jpeg(
          picture.view(), {.quality = 90, .full_colour = full_colour, .progressive = progressive});
      for (const int denominator : {1, 2, 4, 8}) {
        JpegDecoder decoder;
        decoder.open(jpeg);
        const PixelView whole = decoder.decode({0, 0, 311, 203}, denominator);
        const ByteBuffer all(whole.data, whole.data + whole.row_bytes * whole.height);
        const Window window = {.left = 104, .top = 56, .width = 99, .height = 77};
        JpegDecoder second;
        second.open(jpeg);
        const PixelView part = second.decode(window, denominator);
        ASSERT_EQ(part.width, (99 + denominator - 1) / denominator);
        ASSERT_EQ(part.height, (77 + denominator - 1) / denominator);
        for (int y = 0; y < part.height; ++y) {
          const uint8_t* expected =
              all.data() + (56 / denominator + y) * whole.row_bytes + 104 / denominator * 3;
          ASSERT_TRUE(std::equal(expected, expected + part.width * 3, part.row(y)))
              << denominator << " row " << y << " progressive " << progressive << full_colour;
        }
      }
    }
  }
}

TEST(JpegDecode, EveryKindIsDecodedToTheRequestedChannels) {
  for (const int stored : {1, 3, 4}) {
    for (const int wanted : {1, 3}) {
      const ByteBuffer jpeg = encode_jpeg(smooth(40, 50, stored).view(), {.full_colour = true});
      JpegDecoder decoder(wanted);
      const ImageSize size = decoder.open(jpeg);
      EXPECT_EQ(size.width, 50);
      const PixelView pixels = decoder.decode({0, 0, 50, 40});
      EXPECT_EQ(pixels.channels, wanted);
      EXPECT_EQ(pixels.height, 40);
    }
  }
}

TEST(JpegDecode, CmykWhiteIsWhiteAndBlackInkIsBlack) {
  Picture picture = {8, 8, 4, ByteBuffer(8 * 8 * 4, 255)};  // as Adobe stores it: no ink
  JpegDecoder decoder;
  const ByteBuffer white = encode_jpeg(picture.view());
  decoder.open(white);
  EXPECT_GE(decoder.decode({0, 0, 8, 8}).data[0], 253);
  for (size_t i = 3; i < picture.pixels.size(); i += 4) picture.pixels[i] = 0;
  const ByteBuffer black = encode_jpeg(picture.view());
  decoder.open(black);
  EXPECT_LE(decoder.decode({0, 0, 8, 8}).data[0], 2);
}

TEST(JpegDecode, InvalidOrTruncatedJpegsAreErrors) {
  JpegDecoder decoder;
  EXPECT_THAT(error_of([&] { decoder.open(bytes_of("\x89PNG....")); }), HasSubstr("not a JPEG"));
  EXPECT_THAT(error_of([&] { decoder.open({}); }), HasSubstr("not a JPEG"));
  const ByteBuffer jpeg = encode_jpeg(smooth(200, 300).view());
  const Window all = {0, 0, 300, 200};
  const ByteView half = ByteView(jpeg).first(jpeg.size() / 2);
  EXPECT_NE(error_of([&] { decoder.open(half), decoder.decode(all); }), "");
  EXPECT_NE(error_of([&] { decoder.open(ByteView(jpeg).first(20)); }), "");
  decoder.open(jpeg);  // and it still works
  EXPECT_EQ(decoder.decode(all).height, 200);
}

TEST(JpegDecode, AHugeImageIsDecodedAsSmallAsItIsNeeded) {
  const Picture line = {16, 20000, 1, ByteBuffer(16 * 20000, 99)};
  const ByteBuffer jpeg = encode_jpeg(line.view());
  ByteBuffer tall = jpeg;  // claim 20,000 rows: the image ends early, but its head is believed
  for (size_t i = 0; i + 9 < tall.size(); ++i) {
    if (tall[i] == 0xff && tall[i + 1] == 0xc0) tall[i + 5] = 0x4e, tall[i + 6] = 0x20;
  }
  JpegDecoder decoder;
  const ImageSize size = decoder.open(tall);
  EXPECT_EQ(size.height, 20000);
  EXPECT_NE(error_of([&] { decoder.decode({0, 0, 20000, 20000}, 8); }), "");
  decoder.open(jpeg);
  EXPECT_EQ(decoder.decode({0, 0, 20000, 16}, 8).width, 2500);
}

TEST(JpegDecode, AProgressiveImageThatWouldFillTheMemoryIsRefused) {
  ByteBuffer jpeg = encode_jpeg(smooth(16, 16).view(), {.progressive = true});
  for (size_t i = 0; i + 9 < jpeg.size(); ++i) {
    if (jpeg[i] != 0xff || jpeg[i + 1] != 0xc2) continue;
    for (const size_t at : {i + 5, i + 7}) jpeg[at] = 0x4e, jpeg[at + 1] = 0x20;
  }
  JpegDecoder decoder;
  EXPECT_EQ(decoder.open(jpeg).width, 20000);
  EXPECT_EQ(error_of([&] {
              decoder.decode({0, 0, 20000, 20000}, 8);
            }),
            "progressive JPEG needs more than 536.9 MB of memory");
}

TEST(Resample, WeightsOfEveryOutputSumToOneAndStayInside) {
  for (const NamedMethod& named : resize_methods()) {
    for (const int inputs : {1, 2, 3, 7, 100, 500}) {
      ResampleAxis axis;
      make_axis({.inputs = inputs, .outputs = 32, .virtual_outputs = 40, .first = 4}, named.method,
                axis);
      for (int x = 0; x < 32; ++x) {
        float sum = 0;
        for (int k = 0; k < axis.taps; ++k) sum += axis.weight(x, k);
        EXPECT_NEAR(sum, 1, 1e-5) << named.name << inputs;
        EXPECT_GE(axis.begin[x], 0);
        EXPECT_LE(axis.begin[x] + axis.taps, inputs);
      }
    }
  }
}

TEST(Resample, BilinearSamplesAtTheLeftEdgeOfPixels) {
  ResampleAxis axis;  // 4 inputs to 8 outputs: output x looks at x / 2
  make_axis({.inputs = 4, .outputs = 8, .virtual_outputs = 8}, ResizeMethod::Bilinear, axis);
  EXPECT_EQ(axis.begin[2], 1);
  EXPECT_FLOAT_EQ(axis.weight(2, 0), 1);
  EXPECT_EQ(axis.begin[3], 1);
  EXPECT_FLOAT_EQ(axis.weight(3, 0), 0.5f);
  EXPECT_FLOAT_EQ(axis.weight(7, 1), 1);  // beyond the last input: the last
}

TEST(Resample, AreaIsTheMeanOfWhatIsCovered) {
  ResampleAxis axis;
  make_axis({.inputs = 6, .outputs = 2, .virtual_outputs = 2}, ResizeMethod::Area, axis);
  EXPECT_EQ(axis.taps, 3);
  EXPECT_FLOAT_EQ(axis.weight(1, 2), 1 / 3.0f);
}

// The kernels against plain sums, in both layouts, for widths that are no multiple of any vector.
TEST(PixelKernels, ResizingIsTheWeightedSum) {
  for (const int channels : {1, 3}) {
    const Picture picture = smooth(23, 37, channels);
    ResampleAxis vertical, horizontal;
    make_axis({.inputs = 23, .outputs = 11, .virtual_outputs = 13, .first = 1},
              ResizeMethod::Bicubic, vertical);
    make_axis({.inputs = 37, .outputs = 29, .virtual_outputs = 29, .mirrored = true},
              ResizeMethod::Bilinear, horizontal);
    const ChannelScale normal = {{0.5f, 0.25f, 2}, {1, 2, 3}};
    for (const bool interleaved : {false, true}) {
      std::vector<float> out(static_cast<size_t>(11 * 29 * channels)), row;
      resize_image(picture.view(), vertical, horizontal, normal,
                   {out.data(), 11, 29, channels, interleaved}, row);
      for (int y = 0; y < 11; ++y) {
        for (int x = 0; x < 29; ++x) {
          for (int c = 0; c < channels; ++c) {
            double sum = 0;
            for (int i = 0; i < vertical.taps; ++i) {
              for (int j = 0; j < horizontal.taps; ++j) {
                sum += double(vertical.weight(y, i)) * horizontal.weight(x, j) *
                       picture.view().row(vertical.begin[y] +
                                          i)[(horizontal.begin[x] + j) * channels + c];
              }
            }
            const size_t at = interleaved ? (y * 29 + x) * channels + c : (c * 11 + y) * 29 + x;
            ASSERT_NEAR(out[at], sum * normal.scale[c] + normal.offset[c], 2e-3);
          }
        }
      }
    }
  }
}

TEST(Colour, WithoutChangesTheImageIsUnchanged) {
  const ColourMatrix matrix = colour_matrix({}, {100, 120, 140}, 255);
  std::vector<float> planes = {10, 200, 30, 60, 0, 255}, out(6);
  recolour(planes, matrix, {{255, 255, 255}, {0, 0, 0}}, {out.data(), 1, 2, 3, false});
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(out[i], planes[i], 0.5);
}

TEST(Colour, ContrastKeepsTheMeanAndSaturationZeroIsGrey) {
  const std::array<double, 3> means = {100, 120, 140};
  const ColourMatrix flat = colour_matrix({.contrast = 0}, means, 255);
  const ColourMatrix grey = colour_matrix({.saturation = 0}, means, 255);
  std::vector<float> planes = {10, 60, 200}, out(3);
  recolour(planes, flat, {{255, 255, 255}, {0, 0, 0}}, {out.data(), 1, 1, 3, true});
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(out[c], means[c], 0.5);
  recolour(planes, grey, {{255, 255, 255}, {0, 0, 0}}, {out.data(), 1, 1, 3, true});
  EXPECT_NEAR(out[0], out[1], 0.5);
  EXPECT_NEAR(out[0], 0.299 * 10 + 0.587 * 60 + 0.114 * 200, 0.5);
}

TEST(Colour, ChangesStayInTheirRangesAndAlternate) {
  for (int i = 0; i < 100; ++i) {
    const ColourChange change = random_colour_change(RandomStream(3, static_cast<uint64_t>(i)), i);
    EXPECT_LE(std::abs(change.brightness), 32.0 / 255);
    EXPECT_LE(std::abs(change.hue), 0.2 * 3.1416);
    EXPECT_GE(change.contrast, 0.5);
    EXPECT_LE(change.saturation, 1.5);
    EXPECT_EQ(change.contrast_first, i % 2 == 1);
  }
}

EncodedExample example_of(ByteView jpeg) {
  EncodedExample example;
  example.bytes = jpeg;
  return example;
}

TEST(Preprocess, BothLayoutsShowTheSamePictureWithValuesInRange) {
  const ByteBuffer jpeg = encode_jpeg(smooth(300, 400).view());
  for (const bool distortions : {false, true}) {
    for (const Split split : {Split::Training, Split::Validation}) {
      std::vector<float> planes(3 * 64 * 64), pixels(3 * 64 * 64);
      PreprocessOptions options = {
          .image = {3, 64, 64}, .split = split, .distortions = distortions};
      const ExampleChance chance = {RandomStream(1, 2), 1};
      Preprocessor(options).run(example_of(jpeg), chance, planes);
      options.layout = ImageLayout::Nhwc;
      Preprocessor(options).run(example_of(jpeg), chance, pixels);
      for (size_t i = 0; i < 64 * 64; ++i) {
        for (size_t c = 0; c < 3; ++c) {
          ASSERT_NEAR(planes[c * 64 * 64 + i], pixels[3 * i + c], 1e-5);
          ASSERT_LE(std::abs(planes[c * 64 * 64 + i]), 1.001f);
        }
      }
    }
  }
}

TEST(Preprocess, EvaluationOfAPlainColourIsThatColour) {
  const Picture picture = {90, 120, 3, ByteBuffer(90 * 120 * 3, 200)};
  const ByteBuffer jpeg = encode_jpeg(picture.view());
  std::vector<float> out(3 * 32 * 32);
  Preprocessor({.image = {3, 32, 32}, .split = Split::Validation})
      .run(example_of(jpeg), {RandomStream(1, 2), 0}, out);
  for (const float value : out) ASSERT_NEAR(value, 200 / 127.5 - 1, 0.02);
}

TEST(Preprocess, ChannelMeansAreSubtractedWithoutScaling) {
  const Picture picture = {90, 120, 3, ByteBuffer(90 * 120 * 3, 200)};
  const ByteBuffer jpeg = encode_jpeg(picture.view(), {.quality = 100});
  for (const Split split : {Split::Training, Split::Validation}) {
    std::vector<float> out(3 * 32 * 32);
    Preprocessor({.image = {3, 32, 32}, .split = split, .style = {.channel_means = true}})
        .run(example_of(jpeg), {RandomStream(1, 2), 0}, out);
    const double means[] = {123.68, 116.78, 103.94};
    for (size_t i = 0; i < out.size(); ++i) ASSERT_NEAR(out[i], 200 - means[i / (32 * 32)], 1.5);
  }
}

TEST(Preprocess, ColoursAreChangedBeforeChannelMeansAreSubtracted) {
  const ByteBuffer jpeg = encode_jpeg(smooth(300, 400).view());
  std::vector<float> scaled(3 * 64 * 64), centred(3 * 64 * 64);
  PreprocessOptions options = {.image = {3, 64, 64}, .distortions = true};
  const ExampleChance chance = {RandomStream(1, 2), 1};
  Preprocessor(options).run(example_of(jpeg), chance, scaled);
  options.style.channel_means = true;
  Preprocessor(options).run(example_of(jpeg), chance, centred);
  for (size_t i = 0; i < 64 * 64; ++i) {
    ASSERT_NEAR((scaled[i] + 1) * 127.5, centred[i] + 123.68, 1e-2);
  }
}

TEST(Preprocess, BoxesCanBeIgnored) {
  const ByteBuffer jpeg = encode_jpeg(smooth(300, 400).view());
  EncodedExample boxed = example_of(jpeg);
  ObjectBox corner;
  corner.left = corner.top = 0.9f;
  boxed.boxes = {corner};
  int differ = 0;
  for (uint64_t i = 0; i < 20; ++i) {
    std::vector<float> plain(3 * 32 * 32), by_box(3 * 32 * 32), ignored(3 * 32 * 32);
    const ExampleChance chance = {RandomStream(1, i), 0};
    PreprocessOptions options = {.image = {3, 32, 32}};
    Preprocessor(options).run(example_of(jpeg), chance, plain);
    Preprocessor(options).run(boxed, chance, by_box);
    options.style.ignore_boxes = true;
    Preprocessor(options).run(boxed, chance, ignored);
    EXPECT_EQ(ignored, plain);
    differ += by_box != plain ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
}

TEST(Preprocess, ImagesOfOnePixelAreAccepted) {
  const ByteBuffer jpeg = encode_jpeg(smooth(1, 1).view());
  for (const Split split : {Split::Training, Split::Validation}) {
    std::vector<float> out(3 * 224 * 224, 9);
    Preprocessor({.image = {3, 224, 224}, .split = split, .distortions = true})
        .run(example_of(jpeg), {RandomStream(1, 2), 0}, out);
    for (const float value : out) ASSERT_LE(std::abs(value), 1.001f);
  }
}

TEST(Preprocess, StoredPixelsAreUnchangedWithoutDistortionsAndShiftedWith) {
  const Picture picture = smooth(32, 32);
  EncodedExample example = example_of(picture.pixels);
  example.form = EncodedExample::Form::Pixels;
  example.height = example.width = 32;
  example.channels = 3;
  std::vector<float> plain(3 * 32 * 32), distorted(3 * 32 * 32);
  PreprocessOptions options = {.image = {3, 32, 32}, .layout = ImageLayout::Nhwc};
  Preprocessor(options).run(example, {RandomStream(1, 2), 0}, plain);
  for (size_t i = 0; i < plain.size(); ++i) {
    ASSERT_NEAR(plain[i], picture.pixels[i] / 127.5 - 1, 1e-5);
  }
  options.distortions = true;
  int differ = 0;
  for (uint64_t i = 0; i < 20; ++i) {
    Preprocessor(options).run(example, {RandomStream(1, i), 0}, distorted);
    differ += distorted != plain ? 1 : 0;
  }
  EXPECT_GE(differ, 18);
}

}  // namespace
}  // namespace lockstep

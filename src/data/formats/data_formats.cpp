#include "data/formats/data_formats.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "data/formats/array_source.h"
#include "data/formats/cifar.h"
#include "data/formats/folder_source.h"
#include "data/formats/idx.h"
#include "data/formats/list_directory.h"
#include "data/formats/tfrecord_source.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kLargestArrayFile = int64_t{1} << 30;

// ---- TFRecord files ----

std::string_view record_prefix(Split split) {
  return split == Split::Training ? "train-" : "validation-";
}

bool has_records(const fs::path& directory, Split split) {
  return !record_files(directory, split).empty();
}

std::string name_of_records(const fs::path& directory) {
  const fs::path file = directory / kDataNameFile;
  if (!fs::exists(file)) return "imagenet";
  const ByteBuffer text = read_whole(file.string(), 100);
  return split(text_of(ByteView(text)), '\n').front();
}

std::unique_ptr<ExampleSource> open_records(const OpenRequest& request) {
  return std::make_unique<TfrecordSource>(record_files(request.directory, request.split),
                                          request.damage, request.threads);
}

// ---- folders of classes ----

std::optional<fs::path> class_folder(const fs::path& directory, Split split) {
  static constexpr std::string_view kTraining[] = {"train"};
  static constexpr std::string_view kValidation[] = {"validation", "val"};
  const auto names = split == Split::Training ? std::span<const std::string_view>(kTraining)
                                              : std::span<const std::string_view>(kValidation);
  for (const std::string_view name : names) {
    if (fs::is_directory(directory / name)) return directory / name;
  }
  return {};
}

bool has_folders(const fs::path& directory, Split split) {
  const auto folder = class_folder(directory, split);
  return folder && is_folder_of_classes(*folder);
}

std::unique_ptr<ExampleSource> open_folders(const OpenRequest& request) {
  const fs::path folder = *class_folder(request.directory, request.split);
  const auto training = class_folder(request.directory, Split::Training);
  return std::make_unique<FolderSource>(folder, classes_in(training.value_or(folder)));
}

// ---- CIFAR-10 ----

using AddFile = void (*)(ByteView file, LabelledImages& images);

// In the directory itself or in the one that the published archive unpacks to.
std::vector<fs::path> cifar_files(const fs::path& directory, Split split, std::string_view archive,
                                  std::string_view extension) {
  for (const fs::path& place : {directory, directory / archive}) {
    std::vector<fs::path> files;
    if (split == Split::Validation) files = {place / fmt::format("test_batch{}", extension)};
    for (int i = 1; split == Split::Training && i <= 5; ++i) {
      files.push_back(place / fmt::format("data_batch_{}{}", i, extension));
    }
    std::erase_if(files, [](const fs::path& file) { return !fs::exists(file); });
    if (!files.empty()) return files;
  }
  return {};
}

std::vector<fs::path> binary_files(const fs::path& directory, Split split) {
  return cifar_files(directory, split, "cifar-10-batches-bin", ".bin");
}
std::vector<fs::path> pickle_files(const fs::path& directory, Split split) {
  return cifar_files(directory, split, "cifar-10-batches-py", "");
}

std::unique_ptr<ExampleSource> open_cifar(const std::vector<fs::path>& files, AddFile add,
                                          Damage& damage) {
  LabelledImages images = {.image = cifar_image(), .pixels = {}, .labels = {}};
  std::vector<ArraySource::Part> parts;
  for (const fs::path& file : files) {
    parts.push_back({images.count(), file.string()});
    try {
      const ByteBuffer bytes = read_whole(file.string(), kLargestArrayFile);
      try {
        add(bytes, images);
      } catch (const Error& error) {
        throw Error("{}: {}", file.string(), error.what());
      }
    } catch (const Error& error) {
      damage.met(error);
    }
  }
  return std::make_unique<ArraySource>(std::move(images), std::move(parts));
}

// ---- MNIST ----

std::optional<fs::path> idx_file(const fs::path& directory, Split split, std::string_view what) {
  const std::string_view part = split == Split::Training ? "train" : "t10k";
  for (const std::string_view separator : {"-", "."}) {
    for (const std::string_view extension : {"", ".gz"}) {
      const fs::path file =
          directory / fmt::format("{}-{}{}{}", part, what,
                                  what == "images" ? fmt::format("{}idx3-ubyte", separator)
                                                   : fmt::format("{}idx1-ubyte", separator),
                                  extension);
      if (fs::exists(file)) return file;
    }
  }
  return {};
}

bool has_idx(const fs::path& directory, Split split) {
  return idx_file(directory, split, "images") && idx_file(directory, split, "labels");
}

IdxArray read_idx(const fs::path& file, size_t dimensions) {
  const ByteBuffer bytes = read_whole(file.string(), kLargestArrayFile);
  try {
    IdxArray array = idx_array_in(bytes);
    if (array.extents.size() != dimensions) {
      throw Error("{} dimensions, expected {}", array.extents.size(), dimensions);
    }
    return array;
  } catch (const Error& error) {
    throw Error("{}: {}", file.string(), error.what());
  }
}

std::unique_ptr<ExampleSource> open_idx(const OpenRequest& request) {
  const fs::path images_file = *idx_file(request.directory, request.split, "images");
  IdxArray images = read_idx(images_file, 3);
  IdxArray labels = read_idx(*idx_file(request.directory, request.split, "labels"), 1);
  if (images.extents[0] != labels.extents[0]) {
    throw Error("{}: {} images and {} labels do not match", images_file.string(), images.extents[0],
                labels.extents[0]);
  }
  if (images.extents[1] * images.extents[2] == 0) {
    throw Error("{}: images have no pixels", images_file.string());
  }
  return std::make_unique<ArraySource>(
      LabelledImages{.image = {1, images.extents[1], images.extents[2]},
                     .pixels = std::move(images.elements),
                     .labels = std::move(labels.elements)},
      std::vector<ArraySource::Part>{{0, images_file.string()}});
}

// ---- the table ----

constexpr DataFormat kFormats[] = {
    {"TFRecord files", "train-*-of-*", "validation-*-of-*", has_records, name_of_records,
     open_records},
    {"CIFAR-10 binary batches", "data_batch_1.bin", "test_batch.bin",
     [](const fs::path& directory, Split split) { return !binary_files(directory, split).empty(); },
     [](const fs::path&) -> std::string { return "cifar10"; },
     [](const OpenRequest& request) {
       return open_cifar(binary_files(request.directory, request.split), add_cifar_binary,
                         request.damage);
     }},
    {"CIFAR-10 Python batches", "data_batch_1", "test_batch",
     [](const fs::path& directory, Split split) { return !pickle_files(directory, split).empty(); },
     [](const fs::path&) -> std::string { return "cifar10"; },
     [](const OpenRequest& request) {
       return open_cifar(pickle_files(request.directory, request.split), add_cifar_pickle,
                         request.damage);
     }},
    {"MNIST IDX files", "train-images-idx3-ubyte[.gz]", "t10k-images-idx3-ubyte[.gz]", has_idx,
     [](const fs::path&) -> std::string { return "mnist"; }, open_idx},
    {"JPEG files by class", "train/CLASS/*.jpg", "validation/CLASS/*.jpg", has_folders,
     [](const fs::path&) -> std::string { return "imagenet"; }, open_folders},
};

}  // namespace

std::span<const DataFormat> data_formats() { return kFormats; }

std::vector<std::string> record_files(const fs::path& directory, Split split) {
  std::vector<std::string> files;
  for (const fs::path& entry : list_directory(directory)) {
    const std::string name = entry.filename().string();
    const bool numbered = name.find("-of-") != std::string::npos;
    if (name.starts_with(record_prefix(split)) && numbered) files.push_back(entry.string());
  }
  return files;
}

const DataFormat& guess_format(const fs::path& directory, Split split) {
  const std::vector<fs::path> entries = list_directory(directory);
  for (const DataFormat& format : kFormats) {
    if (format.is_there(directory, split)) return format;
  }
  const bool training = split == Split::Training;
  std::vector<std::string_view> looked_for;
  for (const DataFormat& format : kFormats) {
    looked_for.push_back(training ? format.files : format.validation_files);
  }
  if (entries.empty()) throw UsageError("{} is empty", directory.string());
  throw UsageError("{} has no {} data; looked for {}", directory.string(),
                   training ? "training" : "validation", fmt::join(looked_for, ", "));
}

std::unique_ptr<ExampleSource> open_examples(const OpenRequest& request) {
  const DataFormat& format = guess_format(request.directory, request.split);
  std::unique_ptr<ExampleSource> source = format.open(request);
  if (source->count() == 0) {
    throw Error("the {} in {} have no examples", format.name, request.directory.string());
  }
  return source;
}

}  // namespace lockstep

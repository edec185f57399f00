// cifar.h: CIFAR-10 in its two published forms (A. Krizhevsky, "The CIFAR-10 dataset"): binary
// records of a label and 3072 bytes, and Python pickles of a dictionary. Both store
// colour planes, which are converted to interleaved pixels.
#pragma once

#include "data/formats/labelled_images.h"

namespace lockstep {

// Append the images of one file. Throw Error for anything but complete CIFAR-10 images. Labels are
// not checked.
void add_cifar_binary(ByteView file, LabelledImages& images);
void add_cifar_pickle(ByteView file, LabelledImages& images);

inline Shape cifar_image() { return {3, 32, 32}; }

}  // namespace lockstep

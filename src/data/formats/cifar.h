// cifar.h: CIFAR-10 in its two published forms (A. Krizhevsky, "The CIFAR-10 dataset"): binary
// records of a label and 3072 bytes, and Python pickles of a dictionary. Both keep images as
// planes; they become pixels here.
#pragma once

#include "data/formats/labelled_images.h"

namespace lockstep {

// Append the images of one file. Throw Error on anything but whole CIFAR-10 images; labels are not
// judged here.
void add_cifar_binary(ByteView file, LabelledImages& images);
void add_cifar_pickle(ByteView file, LabelledImages& images);

inline Shape cifar_image() { return {3, 32, 32}; }

}  // namespace lockstep

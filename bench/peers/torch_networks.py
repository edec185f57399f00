"""The four networks of the engine benchmark in PyTorch, layer for layer as lockstep builds them.

Same shapes, paddings, biases, batch-normalisation parameters and 1001 classes, so that both
programs do the same arithmetic. torch_train.py checks the parameter counts below before it
measures anything.
"""
import torch
from torch import nn

CLASSES = 1001


class Network:
    """How to build one network: its image side, its trainable parameters, its layers."""

    def __init__(self, image_size, parameters, make):
        self.image_size = image_size
        self.parameters = parameters
        self.make = make


class Branches(nn.Module):
    """Runs every branch on the same input and joins the results along the channels."""

    def __init__(self, *branches):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], dim=1)


def fully_connected_head(inputs):
    """Two hidden layers of 4096 with dropout, as AlexNet and VGG end."""
    layers = [nn.Flatten()]
    for width in (inputs, 4096):
        layers += [nn.Linear(width, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5)]
    return layers + [nn.Linear(4096, CLASSES)]


def conv_relu(inputs, filters, kernel, stride=1, padding=0):
    return [nn.Conv2d(inputs, filters, kernel, stride, padding), nn.ReLU(inplace=True)]


def alexnet():
    return nn.Sequential(
        *conv_relu(3, 64, 11, stride=4), nn.MaxPool2d(3, 2),
        *conv_relu(64, 192, 5, padding=2), nn.MaxPool2d(3, 2),
        *conv_relu(192, 384, 3, padding=1),
        *conv_relu(384, 384, 3, padding=1),
        *conv_relu(384, 256, 3, padding=1), nn.MaxPool2d(3, 2),
        *fully_connected_head(256 * 6 * 6))


def vgg16():
    layers, inputs = [], 3
    for filters, convolutions in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(convolutions):
            layers += conv_relu(inputs, filters, 3, padding=1)
            inputs = filters
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*layers, *fully_connected_head(512 * 7 * 7))


def conv_bn(inputs, filters, kernel, stride=1, padding=0):
    return [nn.Conv2d(inputs, filters, kernel, stride, padding, bias=False),
            nn.BatchNorm2d(filters, eps=1e-5, momentum=0.1)]


class Bottleneck(nn.Module):
    """The residual block of ResNet v1: the stride is in the first 1x1."""

    def __init__(self, inputs, inner, stride):
        super().__init__()
        outputs = 4 * inner
        self.body = nn.Sequential(
            *conv_bn(inputs, inner, 1, stride), nn.ReLU(inplace=True),
            *conv_bn(inner, inner, 3, padding=1), nn.ReLU(inplace=True),
            *conv_bn(inner, outputs, 1))
        same = inputs == outputs
        self.shortcut = nn.Identity() if same else nn.Sequential(*conv_bn(inputs, outputs, 1, stride))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.body(x).add_(self.shortcut(x)))


def resnet50():
    # ceil_mode puts the odd row of padding after the image, as lockstep's "same" does.
    layers = [*conv_bn(3, 64, 7, 2, 3), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, ceil_mode=True)]
    inputs = 64
    for inner, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, inner, stride if block == 0 else 1))
            inputs = 4 * inner
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, CLASSES))


def unit(inputs, filters, kernel, stride=1, valid=False):
    """Inception's convolution: batch normalisation without gamma, ReLU; padded unless `valid`."""
    height, width = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    padding = (0, 0) if valid else (height // 2, width // 2)
    norm = nn.BatchNorm2d(filters, eps=1e-3, momentum=0.001)
    norm.weight.requires_grad_(False)
    return nn.Sequential(
        nn.Conv2d(inputs, filters, (height, width), stride, padding, bias=False),
        norm, nn.ReLU(inplace=True))


def chain(inputs, *steps):
    """A row of units; a step is (filters, kernel) or (filters, kernel, stride, valid)."""
    layers = []
    for filters, *rest in steps:
        layers.append(unit(inputs, filters, *rest))
        inputs = filters
    return nn.Sequential(*layers)


def average_pool():
    return nn.AvgPool2d(3, 1, padding=1, count_include_pad=False)


def inception_a(inputs, pooled):
    return Branches(
        chain(inputs, (64, 1)),
        chain(inputs, (48, 1), (64, 5)),
        chain(inputs, (64, 1), (96, 3), (96, 3)),
        nn.Sequential(average_pool(), unit(inputs, pooled, 1)))


def inception_b(inputs):
    return Branches(
        chain(inputs, (384, 3, 2, True)),
        chain(inputs, (64, 1), (96, 3), (96, 3, 2, True)),
        nn.MaxPool2d(3, 2))


def inception_c(inputs, n):
    row, column = (1, 7), (7, 1)
    return Branches(
        chain(inputs, (192, 1)),
        chain(inputs, (n, 1), (n, row), (192, column)),
        chain(inputs, (n, 1), (n, column), (n, row), (n, column), (192, row)),
        nn.Sequential(average_pool(), unit(inputs, 192, 1)))


def inception_d(inputs):
    return Branches(
        chain(inputs, (192, 1), (320, 3, 2, True)),
        chain(inputs, (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2, True)),
        nn.MaxPool2d(3, 2))


def inception_e(inputs, pool):
    def split():
        return Branches(unit(384, 384, (1, 3)), unit(384, 384, (3, 1)))
    return Branches(
        chain(inputs, (320, 1)),
        nn.Sequential(unit(inputs, 384, 1), split()),
        nn.Sequential(chain(inputs, (448, 1), (384, 3)), split()),
        nn.Sequential(pool, unit(inputs, 192, 1)))


def inception3():
    stem = [chain(3, (32, 3, 2, True), (32, 3, 1, True), (64, 3)), nn.MaxPool2d(3, 2),
            chain(64, (80, 1), (192, 3, 1, True)), nn.MaxPool2d(3, 2)]
    modules = [inception_a(192, 32), inception_a(256, 64), inception_a(288, 64), inception_b(288)]
    modules += [inception_c(768, n) for n in (128, 160, 160, 192)]
    modules += [inception_d(768), inception_e(1280, average_pool()),
                inception_e(2048, nn.MaxPool2d(3, 1, padding=1))]
    return nn.Sequential(*stem, *modules, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(2048, CLASSES))


NETWORKS = {
    "alexnet": Network(227, 61_842_345, alexnet),
    "vgg16": Network(224, 138_361_641, vgg16),
    "resnet50": Network(224, 25_559_081, resnet50),
    "inception3": Network(299, 23_819_401, inception3),
}

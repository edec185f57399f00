"""Trains the network of a lockstep job with JAX.

usage: lockstep_jax.py JOB.json

The job describes the network layer by layer. lockstep_job.py reads it and reports the steps. A step
is one compiled function: forward, backward, all-reduce and update.
"""
import functools
import os
import time

import jax
import jax.numpy as jnp
import numpy
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

import lockstep_job
from lockstep_job import Step, loss_through, multiply_adds, numpy_array

NAME = "JAX"
MODES = ["jit", "jit-nhwc"]
UNBIASED = False
# Of an array: the same on all ranks, or for each rank its own rows or columns.
ALL, OWN, OWN_COLUMNS = PartitionSpec(), PartitionSpec("ranks"), PartitionSpec(None, "ranks")


def version():
    return jax.__version__


class Forward:
    """One pass through the layers of the job, in order."""

    def __init__(self, job, layout, values, averages, masks, key):
        self.layers, self.layout, self.values = job.layers, layout, values
        self.averages = dict(averages)  # of batch normalisation; replaced as layers run
        self.masks, self.key = masks, key
        self.macs = 0  # multiply-adds per image
        self.channels, self.pixels = layout.index("C"), (layout.index("H"), layout.index("W"))

    def value(self, layer, role):
        return self.values.get(layer["name"] + "/" + role)

    def loss(self, images, labels):
        def cross_entropy(logits):
            return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1).mean()

        return loss_through(
            self.layers, images,
            run=lambda layer, *inputs: getattr(self, "run_" + layer["kind"])(layer, *inputs),
            cross_entropy=cross_entropy, observe=self.count_macs)

    def count_macs(self, layer, output):  # of shapes, while the step is traced
        kernel = self.value(layer, "kernel")
        if kernel is not None:
            self.macs += multiply_adds(layer, kernel.shape, output.shape)

    def per_channel(self, vector, x):
        """A vector of values per channel, such that it broadcasts to x."""
        return jnp.expand_dims(vector, [axis for axis in range(x.ndim) if axis != self.channels])

    def run_conv(self, layer, x, groups=1):
        top, bottom, left, right = layer["pads"]
        kernels = "OIHW" if self.layout == "NCHW" else "HWIO"
        y = lax.conv_general_dilated(
            x, self.value(layer, "kernel"), [layer["stride"]] * 2, [(top, bottom), (left, right)],
            dimension_numbers=(self.layout, kernels, self.layout), feature_group_count=groups)
        return y + self.per_channel(self.value(layer, "bias"), y) if layer["bias"] else y

    def run_depthwise(self, layer, x):
        return self.run_conv(layer, x, groups=x.shape[self.channels])

    def over_windows(self, layer, x, start, operation):
        window, strides, pads = [1] * 4, [1] * 4, [(0, 0)] * 4
        for i, axis in enumerate(self.pixels):
            window[axis], strides[axis] = layer["kernel"][i], layer["stride"]
            pads[axis] = tuple(layer["pads"][2 * i:2 * i + 2])
        return lax.reduce_window(x, start, operation, window, strides, pads)

    def run_maxpool(self, layer, x):
        return self.over_windows(layer, x, -jnp.inf, lax.max)

    def run_avgpool(self, layer, x):  # padding does not count
        ones = jnp.ones([x.shape[axis] if axis in self.pixels else 1 for axis in range(4)])
        return (self.over_windows(layer, x, 0.0, lax.add) /
                self.over_windows(layer, ones, 0.0, lax.add))

    def run_fc(self, layer, x):
        kernel = self.value(layer, "kernel")  # in NCHW as the job has it: output, input
        x = x.reshape(x.shape[0], -1)
        return x @ (kernel.T if self.layout == "NCHW" else kernel) + self.value(layer, "bias")

    def run_bn(self, layer, x):
        axes = (0, *self.pixels)
        mean = x.mean(axes)
        variance = jnp.maximum(0.0, (x * x).mean(axes) - mean * mean)
        decay, name = layer["decay"], layer["name"]
        old_mean, old_variance = self.averages[name]
        self.averages[name] = (decay * old_mean + (1 - decay) * mean,
                               decay * old_variance + (1 - decay) * variance)
        scale = lax.rsqrt(variance + layer["epsilon"])
        if layer["scale"]:
            scale *= self.value(layer, "gamma")
        return ((x - self.per_channel(mean, x)) * self.per_channel(scale, x) +
                self.per_channel(self.value(layer, "beta"), x))

    def run_lrn(self, layer, x):
        window, pads = [1] * 4, [(0, 0)] * 4
        window[self.channels], pads[self.channels] = 2 * layer["radius"] + 1, (layer["radius"],) * 2
        squares = lax.reduce_window(x * x, 0.0, lax.add, window, [1] * 4, pads)
        return x * (layer["bias"] + layer["alpha"] * squares) ** -layer["beta"]

    def run_relu(self, layer, x):
        return jax.nn.relu(x)

    def run_relu6(self, layer, x):
        return jax.nn.relu6(x)

    def run_dropout(self, layer, x):
        if self.masks:
            return x * self.masks[layer["name"]].reshape(x.shape) / layer["keep"]
        self.key, key = jax.random.split(self.key)
        return jnp.where(jax.random.bernoulli(key, layer["keep"], x.shape), x / layer["keep"], 0.0)

    def run_add(self, layer, x, y):
        return x + y

    def run_concat(self, layer, *inputs):
        return jnp.concatenate(inputs, self.channels)

    def run_globalpool(self, layer, x):
        return x.mean(self.pixels)

    def run_padchannels(self, layer, x):
        pads = [(0, 0)] * 4
        pads[self.channels] = layer["before"], layer["after"]
        return jnp.pad(x, pads)


class Training:
    """A network with its optimizer and its examples, in one mode of execution."""

    def __init__(self, job, mode, group):
        self.job, self.group = job, group
        self.layout = "NHWC" if mode == "jit-nhwc" else "NCHW"
        self.variables = {variable["name"]: self.place(values, ALL)
                          for variable, values in self.first_values()}
        self.momenta = {}  # only with momentum: else every step would read and write them
        if job.optimizer["name"] == "momentum":
            self.momenta = {name: self.place(numpy.zeros(value.shape, "f"), ALL)
                            for name, value in self.variables.items()}
        self.moving = {layer["name"]: (self.place(numpy.zeros(layer["output"][0], "f"), OWN),
                                       self.place(numpy.ones(layer["output"][0], "f"), OWN))
                       for layer in job.normalisations}
        self.images = self.place(numpy_array(*job.images(), self.layout), OWN)
        self.labels = self.place(numpy_array(*job.labels()), OWN_COLUMNS)  # of all steps
        self.parameters = sum(value.size for value in self.variables.values())
        self.macs = 0  # known once the step is traced
        step = self.step
        if group:
            step = jax.shard_map(step, mesh=group, check_vma=False, out_specs=(ALL, ALL, OWN, OWN),
                                 in_specs=(ALL, ALL, OWN, OWN, OWN_COLUMNS, OWN, ALL, ALL))
        self.compiled = jax.jit(step, donate_argnums=(0, 1, 2))

    def first_values(self):
        if self.layout == "NHWC":
            return self.job.channels_last()
        return ((variable, numpy_array(values, variable["shape"]))
                for variable, values in self.job.values())

    def values(self):
        arrays = (numpy.asarray(self.variables[variable["name"]])  # JAX sorts dictionaries
                  for variable in self.job.network["variables"])
        return self.job.channels_first(arrays) if self.layout == "NHWC" else arrays

    def averages(self):
        for layer in self.job.normalisations:
            yield map(numpy.asarray, self.moving[layer["name"]])

    def place(self, array, spec):
        """On the device. With other ranks it is one array of them all, of which this is a part."""
        if not self.group:
            return jax.device_put(array)
        return jax.make_array_from_process_local_data(NamedSharding(self.group, spec), array)

    def step(self, values, momenta, averages, images, labels, masks, number, learning_rate):
        key = jax.random.fold_in(jax.random.key(0, impl="rbg"), number)
        if self.group:
            key = jax.random.fold_in(key, lax.axis_index("ranks"))

        def loss_of(values):
            forward = Forward(self.job, self.layout, values, averages, masks, key)
            loss = forward.loss(images, labels[number])
            self.macs = forward.macs
            return loss, forward.averages

        (loss, averages), gradients = jax.value_and_grad(loss_of, has_aux=True)(values)
        if self.group:
            gradients = lax.pmean(gradients, "ranks")
        values, momenta = self.updated(values, momenta, gradients, learning_rate)
        return values, momenta, averages, loss[None]

    def updated(self, values, momenta, gradients, learning_rate):
        """By Nesterov's momentum; by plain gradient descent where there are no momenta."""
        values, momenta = dict(values), dict(momenta)
        for variable in self.job.network["variables"]:
            name = variable["name"]
            gradient = gradients[name]
            if variable["decays"]:
                gradient += self.job.weight_decay * values[name]
            if momenta:
                momentum = self.job.optimizer["momentum"]
                momenta[name] = momentum * momenta[name] + gradient
                gradient += momentum * momenta[name]
            values[name] -= learning_rate * gradient
        return values, momenta

    def train_step(self, step, learning_rate, masks):
        begin = time.monotonic()
        masks = {name: self.place(numpy_array(*mask, self.layout), OWN)
                 for name, mask in (masks or {}).items()}
        self.variables, self.momenta, self.moving, loss = self.compiled(
            self.variables, self.momenta, self.moving, self.images, self.labels, masks,
            numpy.int32(step), numpy.float32(learning_rate))
        if self.job.device == "cpu":
            jax.block_until_ready((self.variables, loss))
        return Step(begin, time.monotonic(), lambda: loss.addressable_data(0).item(),
                    {} if self.group else {"exposed_communication": 0.0})


def limit_threads(job):
    """XLA computes on its pool of threads and on the calling one: the cores limit their sum."""
    os.environ["PJRT_NPROC"] = os.environ["NPROC"] = str(job.threads)  # read by the first operation
    cores = sorted(os.sched_getaffinity(0))
    first = job.local_rank * job.threads  # when ranks share the cores: others than its neighbours
    os.sched_setaffinity(0, {cores[(first + i) % len(cores)] for i in range(job.threads)})


def device(job):
    used = jax.local_devices()[0]
    return used.platform if used.platform == "cpu" else f"cuda:{used.id}"


def use_tf32(wanted):
    if jax.default_backend() != "cpu":
        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if wanted else "float32")


def listen_at(address):
    """Left alone, Gloo listens where the name of this host leads: maybe to 127.0.1.1. JAX 0.10 has
    no option for it. In a version that makes Gloo in another way, nothing changes."""
    try:
        from jax._src.lib import _jax as library
        make = library.make_gloo_tcp_collectives
    except (ImportError, AttributeError):
        return
    if "hostname" in (make.__doc__ or ""):
        host = address.rsplit(":", 1)[0]
        library.make_gloo_tcp_collectives = functools.partial(make, hostname=host)


def start(job):
    limit_threads(job)
    jax.config.update("jax_platforms", job.device.split(":")[0])  # or it fails
    own_gpu = None
    if job.device != "cpu":
        own_gpu = int(job.device.split(":")[1])
        jax.config.update("jax_cuda_visible_devices", str(own_gpu))
    if not job.grouped:
        return "", None
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    listen_at(job.addresses[job.rank])
    jax.config.update("jax_enable_preemption_service", False)  # it would ignore SIGTERM
    jax.distributed.initialize(job.addresses[0], job.size, job.rank, local_device_ids=own_gpu)
    return "gloo" if job.device == "cpu" else "nccl", jax.make_mesh((job.size,), ("ranks",))


if __name__ == "__main__":
    lockstep_job.run()

"""Trains the network of a lockstep job with MXNet.

usage: lockstep_mxnet.py JOB.json

The job describes the network layer by layer. lockstep_job.py reads it and reports the steps.
"""
import ctypes
import gc
import math
import os
import signal
import subprocess
import sys
import time
import traceback

import numpy

import lockstep_job
from lockstep_job import Step, loss_through, multiply_adds

# MXNet reads these when it is imported: one operator at a time, on all threads of the job; f32.
os.environ.update(OMP_NUM_THREADS=str(lockstep_job.Job(sys.argv[1]).threads),
                  MXNET_CPU_WORKER_NTHREADS="1", NVIDIA_TF32_OVERRIDE="0")
import mxnet as mx  # noqa: E402

NAME = "MXNet"
MODES = ["imperative", "hybrid", "hybrid-static"]
UNBIASED = False
HYBRIDIZE = {"imperative": {"active": False}, "hybrid": {},
             "hybrid-static": {"static_alloc": True, "static_shape": True}}


def version():
    return mx.__version__


def tensor(numbers, shape, context):
    values = numpy.frombuffer(numbers, numbers.typecode).reshape(shape)
    return mx.nd.array(values, ctx=context, dtype="float32")


def padded(F, layer, x, value=0):
    top, bottom, left, right = layer["pads"]
    width = (0, 0, 0, 0, top, bottom, left, right)
    return F.pad(x, mode="constant", pad_width=width, constant_value=value)


def own_padding(layer, image):
    """How F.Pooling pads as the layer says; None: it cannot. It has one number for both sides, and
    a rounding for how many windows there are: "full" cuts the last ones off at the edge."""
    front = layer["pads"][::2]
    for convention, rounded in ("valid", math.floor), ("full", math.ceil):
        if all(size + 2 * before >= window and
               1 + rounded((size + 2 * before - window) / layer["stride"]) == output
               for size, before, window, output
               in zip(image[1:], front, layer["kernel"], layer["output"][1:])):
            return {"pad": front, "pooling_convention": convention}
    return None


def pool(F, layer, x, kind, padding):
    return F.Pooling(x, pool_type=kind, kernel=layer["kernel"], stride=(layer["stride"],) * 2,
                     count_include_pad=False, **padding)


def with_plain_gradient(F, x):
    """x, copied. Its gradient then arrives in plain order and not in a blocked layout of oneDNN."""
    return F.slice_axis(x, axis=0, begin=0, end=None)


class Network(mx.gluon.HybridBlock):
    """The layers of the job, in order. Parameters have the names of the job."""

    def __init__(self, job, context):
        super().__init__()
        self.layers, self.shapes, self.batch_size = job.layers, job.shapes, job.batch_size
        self.masked_layers = job.check["masked_layers"]
        self.observe = None  # told of every layer, while multiply-adds are counted
        self.trained = []
        for variable, values in job.values():
            parameter = self.add(variable["name"].replace("/", "_"),
                                 tensor(values, variable["shape"], context))
            parameter.wd_mult = 1.0 if variable["decays"] else 0.0
            self.trained.append(parameter)
        self.averages = []  # of batch normalisation: mean, variance
        for layer in job.normalisations:
            zeros = mx.nd.zeros(layer["output"][0], ctx=context)
            self.averages.append((self.add(layer["name"] + "_mean", zeros, grad_req="null"),
                                  self.add(layer["name"] + "_variance", zeros + 1,
                                           grad_req="null")))
            if not layer["scale"]:
                self.add(layer["name"] + "_gamma", zeros + 1, grad_req="null")

    def add(self, name, value, grad_req="write"):
        parameter = self.params.get(name, shape=value.shape, grad_req=grad_req,
                                    differentiable=grad_req != "null")
        parameter.initialize(mx.init.Zero(), ctx=value.context)
        parameter.set_data(value)
        setattr(self, name, parameter)  # an argument of hybrid_forward
        return parameter

    def hybrid_forward(self, F, images, labels, *masks, **values):
        """F: mx.nd computes, mx.sym makes the graph of a hybrid mode."""
        masks = dict(zip(self.masked_layers, masks))  # of a checked step

        def run(layer, *inputs):
            own = {role: values.get(layer["name"] + "_" + role)
                   for role in ("kernel", "bias", "gamma", "beta", "mean", "variance")}
            own["mask"] = masks.get(layer["name"])
            return getattr(self, "run_" + layer["kind"])(F, layer, own, *inputs)

        return loss_through(self.layers, images, run,
                            lambda logits: -F.mean(F.pick(F.log_softmax(logits), labels)),
                            self.observe)

    def count_macs(self, images, labels):
        """Per image, by one more pass through the layers: only arrays have shapes, not graphs."""
        values = {name: parameter.data() for name, parameter in self._reg_params.items()}
        counts = []

        def observe(layer, output):
            kernel = values.get(layer["name"] + "_kernel")
            if kernel is not None:
                counts.append(multiply_adds(layer, kernel.shape, output.shape))

        self.observe = observe
        self.hybrid_forward(mx.nd, images, labels, **values)
        self.observe = None
        return sum(counts)

    def run_conv(self, F, layer, own, x, groups=1):
        top, bottom, left, right = layer["pads"]
        padding = (top, left)
        if top != bottom or left != right:
            x, padding = padded(F, layer, x), (0, 0)
        values = [own["kernel"]] + ([own["bias"]] if layer["bias"] else [])
        return F.Convolution(x, *values, kernel=layer["kernel"], stride=(layer["stride"],) * 2,
                             pad=padding, num_filter=layer["output"][0], num_group=groups,
                             no_bias=not layer["bias"])

    def run_depthwise(self, F, layer, own, x):
        return self.run_conv(F, layer, own, x, groups=layer["output"][0])

    def run_maxpool(self, F, layer, own, x):
        padding = own_padding(layer, self.shapes[layer["inputs"][0]])
        if padding is None:
            x, padding = padded(F, layer, x, value=-3.4e38), {}
        return pool(F, layer, x, "max", padding)

    def run_avgpool(self, F, layer, own, x):  # padding does not count
        image = self.shapes[layer["inputs"][0]]
        padding = own_padding(layer, image)
        if padding is not None:
            return pool(F, layer, x, "avg", padding)
        ones = F.ones((1, 1, *image[1:]))
        return F.broadcast_div(pool(F, layer, padded(F, layer, x), "avg", {}),
                               pool(F, layer, padded(F, layer, ones), "avg", {}))

    def run_fc(self, F, layer, own, x):
        return F.FullyConnected(x, own["kernel"], own["bias"], num_hidden=layer["output"][0])

    def run_bn(self, F, layer, own, x):
        return F.BatchNorm(x, own["gamma"], own["beta"], own["mean"], own["variance"],
                           eps=layer["epsilon"], momentum=layer["decay"],
                           fix_gamma=not layer["scale"])

    def run_lrn(self, F, layer, own, x):  # MXNet divides alpha by the size of the window
        size = 2 * layer["radius"] + 1
        x = F.LRN(x, nsize=size, alpha=layer["alpha"] * size, beta=layer["beta"],
                  knorm=layer["bias"])
        return with_plain_gradient(F, x)  # else MXNet 1.9.1 computes wrong ones

    def run_relu(self, F, layer, own, x):
        return F.relu(x) if layer["ceiling"] is None else F.clip(x, 0, layer["ceiling"])

    run_relu6 = run_relu

    def run_dropout(self, F, layer, own, x):
        if own["mask"] is None:
            return F.Dropout(x, p=1 - layer["keep"])
        return F.elemwise_mul(x, own["mask"]) / layer["keep"]

    def run_add(self, F, layer, own, x, y):
        return F.elemwise_add(x, y)

    def run_concat(self, F, layer, own, *inputs):
        x = F.concat(*inputs, dim=1)
        # MXNet 1.9.1 fails to cut a blocked gradient between blocks of 8 or 16 channels.
        cuts = any(self.shapes[name][0] % 16 != 0 for name in layer["inputs"])
        return with_plain_gradient(F, x) if cuts else x

    def run_globalpool(self, F, layer, own, x):
        return F.flatten(F.Pooling(x, pool_type="avg", kernel=(1, 1), global_pool=True))

    def run_padchannels(self, F, layer, own, x):  # F.pad pads height and width only
        def zeros(channels):
            shape = (self.batch_size, channels, *layer["output"][1:])
            return [F.zeros(shape)] if channels > 0 else []
        return F.concat(*zeros(layer["before"]), x, *zeros(layer["after"]), dim=1)


class Training:
    """A network with its optimizer and its examples, in one mode of execution."""

    def __init__(self, job, mode, group):
        self.on_cpu, self.ranks = job.device == "cpu", job.size if group else 1
        self.context = context_of(job)
        self.network = Network(job, self.context)
        self.network.hybridize(**HYBRIDIZE[mode])
        self.images = tensor(*job.images(), self.context)
        self.labels = tensor(*job.labels(), self.context)
        self.parameters = sum(value.data().size for value in self.network.trained)
        # Workers update, not servers: their optimizer would keep its first learning rate.
        self.trainer = mx.gluon.Trainer(self.network.trained, *optimizer_of(job), kvstore=None)
        self.group, self.keys = group, list(range(len(self.network.trained)))
        if group:
            group.init(self.keys, [value.data() for value in self.network.trained])

    @property
    def macs(self):
        with self.context:
            return self.network.count_macs(self.images, self.labels[0])

    def values(self):
        return (value.data().asnumpy() for value in self.network.trained)

    def averages(self):
        for mean, variance in self.network.averages:
            yield mean.data().asnumpy(), variance.data().asnumpy()

    def train_step(self, step, learning_rate, masks):
        begin = time.monotonic()
        masks = [tensor(*mask, self.context) for mask in (masks or {}).values()]
        self.trainer.set_learning_rate(learning_rate)
        with self.context, mx.autograd.record():
            loss = self.network(self.images, self.labels[step], *masks)
        loss.backward()
        if self.group:
            self.sum_gradients()
        self.trainer.update(self.ranks)  # by sums over so many
        # All of this is only queued so far, and gradients are sent while backward runs. Waiting
        # between phases would end that.
        phases = {"exposed_communication": 0.0} if self.ranks == 1 else {}
        if self.on_cpu:
            mx.nd.waitall()
            return Step(begin, time.monotonic(), lambda: loss.asscalar().item(), phases)
        host = loss.copyto(mx.cpu())
        return Step(begin, None, lambda: host.asscalar().item(), phases)

    def sum_gradients(self):
        """As Trainer.step does, which may take its first sums for the values it starts from."""
        for key, value in zip(self.keys, self.network.trained):
            self.group.pushpull(key, value.grad(), out=value.grad(), priority=-key)


def optimizer_of(job):
    """Its name and settings. "nag" is Nesterov's momentum."""
    settings = {"learning_rate": 0.0, "wd": job.weight_decay}
    if job.optimizer["name"] == "momentum":
        return "nag", {**settings, "momentum": job.optimizer["momentum"]}
    return "sgd", settings


def device(job):
    context = mx.nd.zeros(1, ctx=context_of(job)).context
    return "cpu" if context.device_type == "cpu" else f"cuda:{context.device_id}"


def use_tf32(wanted):
    """Never: see NVIDIA_TF32_OVERRIDE. lockstep asks for none."""


def context_of(job):
    return mx.cpu() if job.device == "cpu" else mx.gpu(int(job.device.split(":")[1]))


HELPERS = []  # processes


def start(job):
    """With other ranks: a parameter server beside every one, and a scheduler beside rank 0."""
    mx.random.seed(job.rank)
    if not job.grouped:
        return "", None
    host, port = job.addresses[0].rsplit(":", 1)
    own_host = job.addresses[job.rank].rsplit(":", 1)[0]
    os.environ.update(DMLC_PS_ROOT_URI=host, DMLC_PS_ROOT_PORT=port, DMLC_NODE_HOST=own_host,
                      DMLC_NUM_WORKER=str(job.size), DMLC_NUM_SERVER=str(job.size))
    for role in ["scheduler", "server"] if job.rank == 0 else ["server"]:
        HELPERS.append(subprocess.Popen([sys.executable, "-c", "import mxnet"],
                                        env={**os.environ, "DMLC_ROLE": role},
                                        preexec_fn=end_with_parent))
    os.environ["DMLC_ROLE"] = "worker"
    return "ps-lite", mx.kv.create("dist_sync" if job.device == "cpu" else "dist_sync_device")


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def leave():
    """Waits for the other ranks, which still use our server."""
    gc.collect()  # the store: its end waits for theirs
    for helper in HELPERS:
        helper.wait()


if __name__ == "__main__":
    try:
        lockstep_job.run()
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # a normal end would wait for the other ranks
    leave()

"""Trains the network of a lockstep job with TensorFlow.

usage: lockstep_tensorflow.py JOB.json

The job describes the network layer by layer. lockstep_job.py reads it and reports the steps. A step
is one tf.function: forward, backward, all-reduce and update.
"""
import json
import os
import time

# Read when TensorFlow is imported. For itself it uses oneDNN on newer processors only.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf

import lockstep_job
from lockstep_job import Step, loss_through, multiply_adds, numpy_array

NAME = "TensorFlow"
MODES = ["function", "function-xla"]
UNBIASED = True


def version():
    return tf.__version__


def padding(layer, x):
    """SAME or VALID where that is what the layer says: pooling knows nothing else under XLA."""
    top, bottom, left, right = layer["pads"]
    if not any(layer["pads"]):
        return "VALID"
    same = []
    for size, kernel in zip(x.shape[1:3], layer["kernel"]):
        outputs = -(-size // layer["stride"])
        total = max(0, (outputs - 1) * layer["stride"] + kernel - size)
        same += [total // 2, total - total // 2]
    return "SAME" if same == layer["pads"] else [[0, 0], [top, bottom], [left, right], [0, 0]]


class Network:
    """The layers of the job, in order and in NHWC."""

    def __init__(self, job):
        self.layers = job.layers
        self.masks = None  # by layer, of a checked step
        self.macs = 0  # multiply-adds per image
        self.values = {variable["name"]: tf.Variable(values, name=variable["name"])
                       for variable, values in job.channels_last()}
        self.averages = {}  # of batch normalisation: mean, variance
        for layer in job.normalisations:
            channels = [layer["output"][0]]
            self.averages[layer["name"]] = (tf.Variable(tf.zeros(channels), trainable=False),
                                            tf.Variable(tf.ones(channels), trainable=False))

    def value(self, layer, role):
        return self.values.get(layer["name"] + "/" + role)

    def loss(self, images, labels, masks):
        self.masks, self.macs = masks, 0
        return loss_through(
            self.layers, images,
            run=lambda layer, *inputs: getattr(self, "run_" + layer["kind"])(layer, *inputs),
            cross_entropy=lambda logits: tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)),
            observe=self.count_macs)

    def count_macs(self, layer, output):  # of shapes, while a function is traced
        kernel = self.value(layer, "kernel")
        if kernel is not None:
            self.macs += multiply_adds(layer, kernel.shape, output.shape)

    def with_bias(self, layer, x):
        bias = self.value(layer, "bias")
        return x if bias is None else tf.nn.bias_add(x, bias)

    def run_conv(self, layer, x):
        return self.with_bias(layer, tf.nn.conv2d(x, self.value(layer, "kernel"), layer["stride"],
                                                  padding(layer, x)))

    def run_depthwise(self, layer, x):  # TensorFlow has the channels third: H, W, C, 1
        kernel = tf.reshape(self.value(layer, "kernel"), [*layer["kernel"], x.shape[3], 1])
        strides = [1, layer["stride"], layer["stride"], 1]
        return self.with_bias(layer, tf.nn.depthwise_conv2d(x, kernel, strides, padding(layer, x)))

    def run_maxpool(self, layer, x):
        pads = padding(layer, x)
        if not isinstance(pads, str):
            x, pads = tf.pad(x, pads, constant_values=x.dtype.min), "VALID"
        return tf.nn.max_pool2d(x, layer["kernel"], layer["stride"], pads)

    def run_avgpool(self, layer, x):  # padding does not count; nor does it in SAME
        pads = padding(layer, x)
        if isinstance(pads, str):
            return tf.nn.avg_pool2d(x, layer["kernel"], layer["stride"], pads)
        ones = tf.pad(tf.ones_like(x[:1, :, :, :1]), pads)
        return (tf.nn.avg_pool2d(tf.pad(x, pads), layer["kernel"], layer["stride"], "VALID") /
                tf.nn.avg_pool2d(ones, layer["kernel"], layer["stride"], "VALID"))

    def run_fc(self, layer, x):
        x = tf.reshape(x, [x.shape[0], -1])
        return self.with_bias(layer, tf.matmul(x, self.value(layer, "kernel")))

    def run_bn(self, layer, x):
        mean, variance = self.averages[layer["name"]]
        gamma = self.value(layer, "gamma")
        results = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=tf.ones_like(mean) if gamma is None else gamma,
            offset=self.value(layer, "beta"), mean=mean, variance=variance,
            epsilon=layer["epsilon"], exponential_avg_factor=1 - layer["decay"], is_training=True)
        mean.assign(results.batch_mean)  # the moving averages, by exponential_avg_factor
        variance.assign(results.batch_variance)
        return results.y

    def run_lrn(self, layer, x):
        return tf.nn.lrn(x, layer["radius"], layer["bias"], layer["alpha"], layer["beta"])

    def run_relu(self, layer, x):
        return tf.nn.relu(x)

    def run_relu6(self, layer, x):
        return tf.nn.relu6(x)

    def run_dropout(self, layer, x):
        if self.masks:
            return x * tf.reshape(self.masks[layer["name"]], x.shape) / layer["keep"]
        return tf.nn.dropout(x, 1 - layer["keep"])

    def run_add(self, layer, x, y):
        return x + y

    def run_concat(self, layer, *inputs):
        return tf.concat(inputs, 3)

    def run_globalpool(self, layer, x):
        return tf.reduce_mean(x, (1, 2))

    def run_padchannels(self, layer, x):
        return tf.pad(x, [[0, 0], [0, 0], [0, 0], [layer["before"], layer["after"]]])


def tensor(numbers, shape):
    """On the device, in NHWC."""
    return tf.identity(numpy_array(numbers, shape, "NHWC"))


class Training:
    """A network with its optimizer and its examples, in one mode of execution."""

    def __init__(self, job, mode, group):
        self.job, self.group = job, group
        self.network = Network(job)
        self.images = tensor(*job.images())
        self.labels = tensor(*job.labels())  # of all steps
        self.variables = list(self.network.values.values())
        self.parameters = sum(value.shape.num_elements() for value in self.variables)
        self.momenta = []  # only with momentum
        if job.optimizer["name"] == "momentum":
            self.momenta = [tf.Variable(tf.zeros_like(value), trainable=False)
                            for value in self.variables]
        # XLA does not compile the all-reduce: between ranks it compiles what is on either side.
        xla = mode == "function-xla"
        self.gradients = tf.function(self.gradients, jit_compile=xla)
        self.update = tf.function(self.update, jit_compile=xla)
        self.step = tf.function(self.distributed_step if group else self.local_step,
                                jit_compile=xla and not group)

    @property
    def macs(self):
        return self.network.macs

    def values(self):
        return self.job.channels_first(value.numpy() for value in self.variables)

    def averages(self):
        for mean, variance in self.network.averages.values():
            yield mean.numpy(), variance.numpy()

    def gradients(self, step, masks):
        with tf.GradientTape() as tape:
            labels = tf.gather(self.labels, step)  # for labels[step] XLA would compile every step
            loss = self.network.loss(self.images, labels, masks)
        return loss, tape.gradient(loss, self.variables)

    def update(self, gradients, learning_rate):
        decays = [variable["decays"] for variable in self.job.network["variables"]]
        for i, (decay, value, gradient) in enumerate(zip(decays, self.variables, gradients)):
            if decay:
                gradient += self.job.weight_decay * value
            if self.momenta:
                tf.raw_ops.ResourceApplyMomentum(
                    var=value.handle, accum=self.momenta[i].handle, lr=learning_rate,
                    grad=gradient, momentum=self.job.optimizer["momentum"], use_nesterov=True)
            else:
                tf.raw_ops.ResourceApplyGradientDescent(var=value.handle, alpha=learning_rate,
                                                        delta=gradient)

    def distributed_step(self, *arguments):
        return self.group.run(self.local_step, arguments)

    def local_step(self, step, learning_rate, masks):
        loss, gradients = self.gradients(step, masks)
        if self.group:
            gradients = average(gradients)
        self.update(gradients, learning_rate)
        with tf.device("CPU"):
            return tf.identity(loss)  # so a step ends only when it has computed its loss

    def train_step(self, step, learning_rate, masks):
        begin = time.monotonic()
        masks = {name: tf.cast(tensor(*mask), tf.float32) for name, mask in (masks or {}).items()}
        loss = self.step(tf.constant(step), tf.constant(learning_rate), masks)
        return Step(begin, time.monotonic(), lambda: float(loss),
                    {} if self.group else {"exposed_communication": 0.0})


def average(gradients):
    """Packs of at least 25 MB, so that the first are reduced while backward computes the rest."""
    options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=25 * 2**20)
    replica = tf.distribute.get_replica_context()
    return replica.all_reduce(tf.distribute.ReduceOp.MEAN, gradients, options)


def device(job):
    kind, index = tf.zeros(()).device.split(":")[-2:]
    return "cpu" if kind == "CPU" else f"cuda:{index}"  # of the devices that it sees


def use_tf32(wanted):
    tf.config.experimental.enable_tensor_float_32_execution(wanted)


def start(job):
    tf.config.threading.set_intra_op_parallelism_threads(job.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    gpus = []
    if job.device.startswith("cuda"):
        gpus = [tf.config.list_physical_devices("GPU")[int(job.device.split(":")[1])]]
        tf.config.experimental.set_memory_growth(gpus[0], True)
    tf.config.set_visible_devices(gpus, "GPU")
    tf.random.set_seed(job.rank)
    if not job.grouped:
        return "", None
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": job.addresses},
                                          "task": {"type": "worker", "index": job.rank}})
    kinds = tf.distribute.experimental.CommunicationImplementation
    options = tf.distribute.experimental.CommunicationOptions(
        implementation=kinds.NCCL if gpus else kinds.RING)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    return "nccl" if gpus else "grpc", strategy


if __name__ == "__main__":
    lockstep_job.run()

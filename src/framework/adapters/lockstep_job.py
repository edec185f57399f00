"""What all adapters share: the job, the reports, and the order of work.

An adapter is a Python module that defines

  NAME, MODES                  its name for people; its modes of execution, the plainest first
  UNBIASED                     whether moving averages of batch normalisation are of n/(n-1) times
                               the variance of n values
  version()                    of the framework
  start(job)                   sets threads and device and joins the other ranks, if the job is
                               grouped; returns how they communicate ("gloo") and the group
  device(job)                  that it computes on: "cpu" or "cuda:0", found out and not only asked
  use_tf32(wanted)             whether a GPU may multiply in TF32 from now on; else it is f32
  Training(job, mode, group)   a network with its values, optimizer and examples; `group`: that of
                               start(), or None: without the other ranks
    .parameters                how many values it trains
    .macs                      multiply-adds per image, counted by the shapes that it computed
    .train_step(step, learning_rate, masks)  -> Step
    .values()                  of its variables, as the job has them in order and layout; arrays
    .averages()                of its batch normalisations, in order: mean, variance

and ends with lockstep_job.run(). Whatever costs time in a step is in train_step() and in the mode.
"""
import array
import collections
import copy
import gc
import json
import math
import os
import statistics
import sys
import time

# begin, end: of the monotonic clock. phases: seconds by name, those that are known.
# loss: a function that returns it. On a CPU a step has ended when train_step() returns. On an
# accelerator it may still run: then loss() waits for it, and `end` does not count.
Step = collections.namedtuple("Step", "begin end loss phases")


TRIAL_STEPS = 5  # of each mode; the median counts
CLOSE = 1.05  # if the second mode takes at most so many times as long, the best two try again
# Kinds of layers whose output must stay: the image for the next step, that of a ReLU for its
# backward. Dropout of nothing returns its input.
KEPT = {"image", "relu", "relu6", "dropout"}


def report(event, **fields):
    fields = {name: plain(value) if isinstance(value, float) else value
              for name, value in fields.items()}
    line = json.dumps({"event": event, **fields}, default=plain, allow_nan=False)
    print("@lockstep/1 " + line, flush=True)


def plain(number):
    """Of Python, numpy or most frameworks, as JSON has it: one that is not finite is a text."""
    number = float(number)
    return number if math.isfinite(number) else str(number)


class Job:
    """job.json and the files of numbers beside it."""

    def __init__(self, path):
        self.folder = os.path.dirname(os.path.abspath(path))
        with open(path) as file:
            self.__dict__.update(json.load(file))
        self.steps = self.warmup_steps + self.timed_steps
        self.layers = self.network["layers"]
        self.shapes = {layer["name"]: layer["output"] for layer in self.layers}
        self.normalisations = [layer for layer in self.layers if layer["kind"] == "bn"]
        self.grouped = self.size > 1 and self.communicates
        read = set()
        for layer in reversed(self.layers):  # which outputs no later layer reads
            layer["reads_last"] = [name for name in set(layer.get("inputs", ())) if name not in read]
            read.update(layer.get("inputs", ()))
        kinds = {layer["name"]: layer["kind"] for layer in self.layers}
        readers = collections.Counter(name for layer in self.layers
                                      for name in layer.get("inputs", ()))
        for layer in self.layers:  # whether its result may overwrite its input
            inputs = layer.get("inputs", ())
            layer["owns_input"] = (len(inputs) == 1 and readers[inputs[0]] == 1 and
                                   kinds[inputs[0]] not in KEPT)

    def numbers(self, name, kind):
        """All numbers of a file, as array.array of this type code."""
        numbers = array.array(kind)
        path = os.path.join(self.folder, name)
        with open(path, "rb") as file:
            numbers.fromfile(file, os.path.getsize(path) // numbers.itemsize)
        return numbers

    def values(self):
        """Every variable of the network with its first values, flat."""
        numbers, place = self.numbers("values.f32", "f"), 0
        for variable in self.network["variables"]:
            size = math.prod(variable["shape"])
            yield variable, numbers[place:place + size]
            place += size

    def flattened(self, variable):
        """Shape of what a dense layer flattens: C, H, W, or only C."""
        layer = next(layer for layer in self.layers if layer["name"] == variable["layer"])
        return self.shapes[layer["inputs"][0]]

    def channels_last(self):
        """The same for networks in NHWC, as numpy arrays. Kernels of convolutions are HWIO. Those
        of dense layers are input, output; inputs that come from an image are in order H, W, C."""
        for variable, numbers in self.values():
            values = numpy_array(numbers, variable["shape"])
            if values.ndim == 4:
                values = values.transpose(2, 3, 1, 0)
            elif values.ndim == 2:
                image = self.flattened(variable)
                if len(image) == 3:
                    values = values.reshape(-1, *image).transpose(0, 2, 3, 1).reshape(values.shape)
                values = values.T
            yield variable, values

    def channels_first(self, arrays):
        """Back from channels_last()."""
        for variable, values in zip(self.network["variables"], arrays):
            if values.ndim == 4:
                values = values.transpose(3, 2, 0, 1)
            elif values.ndim == 2:
                values = values.T
                if len(image := self.flattened(variable)) == 3:
                    channels, height, width = image
                    values = values.reshape(-1, height, width, channels).transpose(0, 3, 1, 2)
            yield values.ravel()

    def images(self):
        return self.numbers("images.f32", "f"), [self.batch_size, *self.image]

    def labels(self):
        labels = self.numbers("labels.i32", "i")
        return labels, [len(labels) // self.batch_size, self.batch_size]

    def masks(self):
        """For every checked step: what each dropout layer keeps, as (bytes, shape) by its name."""
        numbers, place = self.numbers("masks.u8", "B"), 0
        for _ in range(self.check["steps"]):
            masks = {}
            for name in self.check["masked_layers"]:
                shape = [self.batch_size, *self.shapes[name]]
                size = math.prod(shape)
                masks[name] = numbers[place:place + size], shape
                place += size
            yield masks


def numpy_array(numbers, shape, layout="NCHW"):
    """Images are NCHW in the files."""
    import numpy  # not every framework needs it
    array = numpy.frombuffer(numbers, numbers.typecode).reshape(shape)
    return array.transpose(0, 2, 3, 1) if len(shape) == 4 and layout == "NHWC" else array


def loss_through(layers, images, run, cross_entropy, observe=None):
    """The loss of a batch: run(layer, *inputs) for every layer in order. An output is dropped after
    its last reader. observe(layer, output): told of every layer."""
    outputs, loss = {"image": images}, 0.0
    for layer in layers[1:]:
        inputs = [outputs[name] for name in layer["inputs"]]
        for name in layer["reads_last"]:
            del outputs[name]
        if layer["kind"] == "loss":
            loss = loss + layer["weight"] * cross_entropy(inputs[0])
        else:
            outputs[layer["name"]] = output = run(layer, *inputs)
            if observe:
                observe(layer, output)
    return loss


def multiply_adds(layer, kernel, output):
    """Per image, of a layer with kernels, by shapes: each number of the output is a sum over one
    filter."""
    return math.prod(output[1:]) * math.prod(kernel) // layer["output"][0]


def check(job, adapter, mode):
    """Trains the first steps alone, with the dropout masks and the weight decay of the check. What
    they change goes into a file: the variables, then the moving averages, after every step."""
    job = copy.copy(job)
    job.weight_decay = job.check["weight_decay"]
    training = adapter.Training(job, mode, None)
    losses = []
    with open(os.path.join(job.folder, "checked.f32"), "wb") as file:
        for step, masks in enumerate(job.masks()):
            losses.append(training.train_step(step, job.check["learning_rate"], masks).loss())
            for values in training.values():
                file.write(values)
            for layer, (mean, variance) in zip(job.normalisations, training.averages()):
                file.write(mean)
                old = layer["decay"] ** (step + 1)  # what is left of the first 1
                count = job.batch_size * math.prod(layer["output"][1:])
                scale = (count - 1) / count if adapter.UNBIASED else 1.0
                file.write(array.array("f", [old + scale * (each - old) for each in variance]))
    report("network", parameters=training.parameters, forward_macs=training.macs)
    report("check", losses=[plain(loss) for loss in losses], values="checked.f32")


def fastest_mode(job, adapter):
    """Tries every mode for some steps; lockstep says which one all ranks use."""
    seconds = {}  # of each step, by mode
    for mode in adapter.MODES:
        try:
            seconds[mode] = seconds_of_steps(job, adapter, mode)
        except Exception as error:  # it may lack a compiler or a library: the others count
            reason = f"{type(error).__name__}: {error}".strip().splitlines()[0]
            report("trial", mode=mode, problem=reason)
        gc.collect()  # the next mode finds the memory that the first one found
    for mode in close_modes(seconds):  # in turns
        seconds[mode] += seconds_of_steps(job, adapter, mode)
        gc.collect()
    for mode in seconds:
        report("trial", mode=mode, seconds=statistics.median(seconds[mode]))
    return sys.stdin.readline().split()[-1]


def close_modes(seconds):
    """The best two in the order in which they ran, if they are close. Else none."""
    medians = {mode: statistics.median(each) for mode, each in seconds.items()}
    best = sorted(medians, key=medians.get)[:2]
    if len(best) < 2 or medians[best[1]] > CLOSE * medians[best[0]]:
        return []
    return [mode for mode in seconds if mode in best]


def seconds_of_steps(job, adapter, mode):
    training = adapter.Training(job, mode, None)
    training.train_step(0, 0.0, None).loss()  # compiles
    seconds = []
    for step in range(TRIAL_STEPS):
        begin = time.monotonic()
        training.train_step(step % job.steps, 0.0, None).loss()
        seconds.append(time.monotonic() - begin)
    print(f"mode {mode}: {statistics.median(seconds)} s per step", flush=True)  # for the log
    return seconds


def report_step(number, step, begin, end):
    report("step", step=number, begin=begin, end=end, loss=step.loss(), phases=step.phases)


def train(job, training):
    """All steps. On an accelerator a step is read while the next one runs."""
    if job.device == "cpu":
        for index in range(job.steps):
            step = training.train_step(index, job.learning_rates[index], None)
            report_step(index + 1, step, step.begin, step.end)
        return
    running, begin = None, time.monotonic()
    for index in range(job.steps + 1):
        queued = None
        if index < job.steps:
            queued = training.train_step(index, job.learning_rates[index], None)
        if running:
            running.loss()
            end = time.monotonic()
            report_step(index, running, begin, end)
            begin = end
        running = queued


def run():
    adapter = sys.modules["__main__"]
    job = Job(sys.argv[1])
    communication, group = adapter.start(job)
    adapter.use_tf32(job.dtype == "tf32")
    report("hello", framework=adapter.NAME, version=adapter.version(), device=adapter.device(job),
           communication=communication, libraries={adapter.NAME: adapter.version()})
    mode = job.mode or fastest_mode(job, adapter)
    if job.check["steps"] > 0:
        adapter.use_tf32(False)  # the native engine has only f32
        check(job, adapter, mode)
        adapter.use_tf32(job.dtype == "tf32")
    train(job, adapter.Training(job, mode, group))
    report("done", peak_memory_bytes=peak_memory_bytes())


def peak_memory_bytes():
    """Of this program: getrusage() would count the one that started it too."""
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM:"))

// tf_flag_table.cpp: the table of the flags of tf_cnn_benchmarks.
#include "app/tf_flags.h"

namespace lockstep {
namespace {

using Fate = TfFlag::Fate;
using enum TfFlag::Kind;

constexpr Fate kWorks = Fate::Works;
constexpr Fate kIgnored = Fate::Ignored;
constexpr Fate kRefused = Fate::Refused;

constexpr const char* kThreads = "threads are started and pinned here; --threads sets their number";
constexpr const char* kTensorFlow = "configures TensorFlow's runtime, which is not used";
constexpr const char* kCuda = "configures TensorFlow's use of CUDA, which is not used";
constexpr const char* kReading =
    "files are read ahead by the input pipeline; --prefetch sets how "
    "far";
constexpr const char* kKernels = "kernels are chosen by the engine; see --conv-algo";
constexpr const char* kSameValues = "another way to compute the same values";
constexpr const char* kXla = "the engine compiles nothing; its kernels are fused already";

// Rows, not columns: the formatter would spread each over five lines.
// clang-format off
constexpr TfFlag kFlags[] = {
    // What to run.
    {"model", "trivial", kWorks, "with --hosts the default is inception3"},
    {"forward_only", "false", kWorks},
    {"freeze_when_forward_only", "false", kWorks, "with --forward_only; --engine native folds batch normalisation in any case"},
    {"eval", "false", kWorks},
    {"eval_interval_secs", "0", kWorks},
    {"eval_during_training_every_n_steps", "", kWorks},
    {"eval_during_training_every_n_epochs", "", kWorks},
    {"eval_during_training_at_specified_steps", "", kWorks},
    {"eval_during_training_at_specified_epochs", "", kWorks},
    {"stop_at_top_1_accuracy", "", kWorks},
    {"collect_eval_results_async", "false", kIgnored, "for SSD300, which is not in the zoo", Switch},
    {"print_training_accuracy", "false", kWorks},
    {"batch_size", "0", kWorks},
    {"eval_batch_size", "0", kWorks},
    {"batch_group_size", "1", kWorks, "raises --prefetch; the warm-up is rounded up"},
    {"num_batches", "", kWorks},
    {"num_epochs", "", kWorks},
    {"num_eval_batches", "", kWorks, "default: every validation example once"},
    {"num_eval_epochs", "", kWorks, "with evaluation; default: 1"},
    {"num_warmup_batches", "", kWorks, "default: 10"},
    {"autotune_threshold", "", kIgnored, kKernels},
    {"num_gpus", "1", kWorks, "number of worker processes, each with its share of the cores"},
    {"gpu_indices", "", kWorks, "requires --device cuda"},
    {"device", "gpu", kWorks, "default: auto; gpu is a GPU if --engine torch finds one, else the CPU, with a note"},
    {"data_format", "NCHW", kWorks, "NCHW works without --mkl"},
    {"tf_random_seed", "1234", kWorks, "also --seed"},

    // Output.
    {"display_every", "10", kWorks},
    {"display_perf_ewma", "", kWorks},
    {"loss_type_to_report", "total_loss", kWorks},
    {"trace_file", "", kWorks},
    {"use_chrome_trace_format", "true", kIgnored, "traces are always in Chrome's format", Switch},
    {"tfprof_file", "", kWorks, "the table of --profile, as text; also --profile-file"},
    {"graph_file", "", kWorks, "the layers: a table if the name ends in txt, else JSON"},
    {"partitioned_graph_file_prefix", "", kRefused, "every device runs the whole network; use --graph-file"},
    {"benchmark_log_dir", "", kWorks},
    {"benchmark_test_id", "", kWorks},
    {"summary_verbosity", "0", kWorks, "2 and 3 as 1: no histograms, no images"},
    {"save_summaries_steps", "0", kWorks, "also with --summary-dir alone"},
    {"debugger", "", kRefused, "there is no TensorFlow debugger; --profile and --trace-file show the layers"},
    {"ml_perf", "false", kWorks},

    // Data.
    {"data_dir", "", kWorks},
    {"data_name", "", kWorks, "inferred from the files"},
    {"distortions", "false", kWorks},
    {"resize_method", "bilinear", kWorks},
    {"input_preprocessor", "default", kWorks},
    {"fuse_decode_and_crop", "true", kIgnored, "only the crop window is decoded, always", Switch},
    {"distort_color_in_yiq", "true", kIgnored, "colours are always distorted in YIQ", Switch},
    {"use_datasets", "true", kIgnored, kReading, Switch},
    {"datasets_use_prefetch", "true", kIgnored, kReading, Switch},
    {"datasets_prefetch_buffer_size", "1", kWorks, "also --prefetch, default: 2"},
    {"multi_device_iterator_max_buffer_size", "1", kIgnored, kReading},
    {"datasets_num_private_threads", "", kWorks, "also --data-threads"},
    {"datasets_use_caching", "false", kWorks, "also --cache"},
    {"datasets_repeat_cached_sample", "false", kWorks, "also --repeat-sample; training only"},
    {"datasets_parallel_interleave_cycle_length", "", kIgnored, kReading},
    {"datasets_sloppy_parallel_interleave", "false", kIgnored, "the order depends on --seed alone; reading ahead hides slow files", Switch},
    {"datasets_parallel_interleave_prefetch", "", kIgnored, kReading},
    {"use_python32_barrier", "false", kIgnored, "there is no Python here", Switch},

    // Optimizer and learning rate.
    {"optimizer", "sgd", kWorks},
    {"init_learning_rate", "", kWorks},
    {"piecewise_learning_rate_schedule", "", kWorks},
    {"num_epochs_per_decay", "0", kWorks},
    {"learning_rate_decay_factor", "0", kWorks},
    {"minimum_learning_rate", "0", kWorks},
    {"num_learning_rate_warmup_epochs", "0", kWorks},
    {"resnet_base_lr", "", kWorks},
    {"momentum", "0.9", kWorks},
    {"rmsprop_decay", "0.9", kWorks},
    {"rmsprop_momentum", "0.9", kWorks},
    {"rmsprop_epsilon", "1.0", kWorks},
    {"adam_beta1", "0.9", kWorks},
    {"adam_beta2", "0.999", kWorks},
    {"adam_epsilon", "1e-8", kWorks},
    {"gradient_clip", "", kWorks},
    {"weight_decay", "4e-5", kWorks},
    {"single_l2_loss_op", "false", kIgnored, kSameValues, Switch},
    {"compute_lr_on_cpu", "false", kIgnored, "learning rates are always computed on the CPU", Switch},
    {"sparse_to_dense_grads", "false", kIgnored, "all gradients are dense", Switch},
    {"variable_consistency", "strong", kWorks},

    // Precision.
    {"use_fp16", "false", kWorks, "on GPUs; also --dtype fp16"},
    {"fp16_vars", "false", kRefused, "not supported, variables are always in f32; leave it out", Switch},
    {"fp16_loss_scale", "", kWorks, "default: 128"},
    {"fp16_enable_auto_loss_scale", "false", kWorks, "requires variables in GPU memory"},
    {"fp16_inc_loss_scale_every_n", "1000", kWorks},
    {"compact_gradient_transfer", "true", kIgnored, "gradients are sent as f32; see --gradient-compression", Switch},

    // Variable updates.
    {"variable_update", "parameter_server", kWorks, "default: replicated"},
    {"all_reduce_spec", "", kWorks},
    {"agg_small_grads_max_bytes", "0", kWorks},
    {"agg_small_grads_max_group", "10", kWorks},
    {"allreduce_merge_scope", "1", kIgnored, "gradients are grouped into buckets; --bucket-mb sets their size"},
    {"gradient_repacking", "0", kWorks},
    {"hierarchical_copy", "false", kIgnored, "--communicator auto reduces inside each host first, where hosts have several devices", Switch},
    {"network_topology", "dgx1", kIgnored, "the communicator is chosen by where the workers run"},
    {"local_parameter_device", "gpu", kWorks, "on a CPU there is only one place for parameters"},
    {"staged_vars", "false", kWorks},
    {"cross_replica_sync", "true", kWorks},
    {"horovod_device", "", kRefused, "gradients are summed on the CPU; use cpu, or leave it out"},

    // Cluster.
    {"job_name", "", kWorks, "worker or ps; there is no controller"},
    {"ps_hosts", "", kWorks},
    {"worker_hosts", "", kWorks, "without --job_name, ssh starts the processes"},
    {"controller_host", "", kIgnored, "there is no controller; the first worker is the rendezvous"},
    {"task_index", "0", kWorks},
    {"server_protocol", "grpc", kIgnored, "the transport is chosen by where the workers run; --communicator sets it"},

    // Checkpoints.
    {"train_dir", "", kWorks},
    {"save_model_secs", "0", kWorks},
    {"save_model_steps", "", kWorks},
    {"max_ckpts_to_keep", "5", kWorks},
    {"eval_dir", "/tmp/tf_cnn_benchmarks/eval", kWorks, "with --eval; also --summary-dir"},
    {"backbone_model_path", "", kRefused, "SSD300 is not in the zoo; --train-dir resumes from a checkpoint"},

    // Threads.
    {"num_intra_threads", "", kWorks, "also --threads; default: every core that the device may use"},
    {"num_inter_threads", "0", kIgnored, kThreads},
    {"use_numa_affinity", "false", kIgnored, "the workers of a host are pinned to neighbouring cores, always", Switch},
    {"mkl", "false", kIgnored, kThreads, Switch},
    {"kmp_blocktime", "0", kIgnored, kThreads},
    {"kmp_affinity", "granularity=fine,verbose,compact,1,0", kIgnored, kThreads},
    {"kmp_settings", "1", kIgnored, kThreads},

    // TensorFlow and CUDA.
    {"gpu_thread_mode", "gpu_private", kIgnored, kCuda},
    {"per_gpu_thread_count", "0", kIgnored, kCuda},
    {"gpu_memory_frac_for_testing", "0", kIgnored, kCuda},
    {"use_unified_memory", "", kIgnored, kCuda, Switch},
    {"timestamped_allocator", "false", kIgnored, kCuda, Switch},
    {"gpu_kt_max_interval", "0", kIgnored, kCuda},
    {"gpu_kt_max_bytes", "0", kIgnored, kCuda},
    {"gpu_kt_max_pending", "0", kIgnored, kCuda},
    {"force_gpu_compatible", "false", kIgnored, kCuda, Switch},
    {"allow_growth", "", kIgnored, kCuda, Switch},
    {"winograd_nonfused", "true", kIgnored, kKernels, Switch},
    {"batchnorm_persistent", "true", kIgnored, kKernels, Switch},
    {"sync_on_finish", "false", kIgnored, "every step ends when its device is done", Switch},
    {"use_tf_layers", "true", kIgnored, kSameValues, Switch},
    {"use_resource_vars", "false", kIgnored, kTensorFlow, Switch},
    {"xla", "false", kIgnored, kXla, Switch},
    {"xla_compile", "false", kIgnored, kXla, Switch},
    {"enable_optimizations", "true", kIgnored, kTensorFlow, Switch},
    {"rewriter_config", "", kIgnored, kTensorFlow},
    {"trt_mode", "", kRefused, "TensorRT is not supported; leave it out"},
    {"trt_max_workspace_size_bytes", "4294967296", kIgnored, "applies to --trt_mode only"},

    // Of one of its scripts each.
    {"ml_perf_compliance_logging", "false", kRefused, "no MLPerf lines are written; use --result or --benchmark-log-dir", Switch},
    {"iters_per_step", "5", kRefused, "it belongs to all_reduce_benchmark; use 'lockstep allreduce --iters'"},
};

constexpr const char* kLogging = "messages go to stderr; --verbose prints more";
constexpr const char* kPython = "there is no Python here";
constexpr TfFlag kAbslFlags[] = {
    {"alsologtostderr", "false", kIgnored, kLogging, Switch},
    {"logtostderr", "false", kIgnored, kLogging, Switch},
    {"showprefixforinfo", "true", kIgnored, kLogging, Switch},
    {"stderrthreshold", "fatal", kIgnored, kLogging},
    {"verbosity", "-1", kIgnored, kLogging},
    {"v", "-1", kIgnored, kLogging},
    {"logger_levels", "", kIgnored, kLogging},
    {"only_check_args", "false", kRefused, "not supported; --dry-run checks a line and starts nothing", Switch},
    {"pdb", "false", kIgnored, kPython, Switch},
    {"pdb_post_mortem", "false", kIgnored, kPython, Switch},
    {"run_with_pdb", "false", kIgnored, kPython, Switch},
    {"run_with_profiling", "false", kRefused, "there is no Python to profile; use --profile", Switch},
    {"profile_file", "", kWorks},
    {"use_cprofile_for_profiling", "true", kIgnored, kPython, Switch},
};
// clang-format on

}  // namespace

std::span<const TfFlag> tf_flags() { return kFlags; }
std::span<const TfFlag> absl_flags() { return kAbslFlags; }

}  // namespace lockstep

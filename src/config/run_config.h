// run_config.h: all options of one run, as plain values with their defaults.
//
// A new knob is one member here and one row in option_table.cpp: the command line, the help and the
// JSON form all come from that row. "Absent" means that the network or the machine decides.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lockstep {

inline constexpr int kDefaultTimedSteps = 100;

struct RunConfig {
  // Network and data.
  std::string model = "trivial";
  std::string network = "";       // text of a network file, of which `model` is the name
  std::string network_file = "";  // its path, as the user gave it
  std::string data_name = "";     // empty: the data set that the network is made for
  std::string data_dir = "";      // empty: synthetic images
  bool distortions = false;
  std::string resize_method = "bilinear";
  std::string input_preprocessor = "default";
  bool ml_perf = false;
  int data_threads = 0;  // 0: what computing leaves of the cores, at least one
  int prefetch = 2;      // batches
  int batch_group_size = 1;
  bool cache = false;
  bool repeat_sample = false;
  bool skip_corrupt = false;
  std::string synthetic_location = "device";
  std::optional<int> num_classes = {};
  bool aux_head = false;
  int batch_size = 0;  // per device; 0: the network's own
  bool forward_only = false;
  bool freeze_when_forward_only = false;
  int seed = 1234;

  // Run length.
  std::optional<int> num_batches = {};  // timed steps; absent: kDefaultTimedSteps
  std::optional<double> num_epochs = {};
  int num_warmup_batches = 10;
  std::optional<double> precision = {};  // a part of images/sec; absent: all timed steps are done

  // Optimizer and learning rate.
  std::string optimizer = "sgd";
  double momentum = 0.9;
  double rmsprop_decay = 0.9, rmsprop_momentum = 0.9, rmsprop_epsilon = 1.0;
  double adam_beta1 = 0.9, adam_beta2 = 0.999, adam_epsilon = 1e-8;
  double weight_decay = 4e-5;
  std::optional<double> gradient_clip = {};
  std::optional<double> init_learning_rate = {};
  std::string piecewise_learning_rate_schedule = "";
  double num_epochs_per_decay = 0;
  double learning_rate_decay_factor = 0;
  double minimum_learning_rate = 0;
  double num_learning_rate_warmup_epochs = 0;
  std::optional<double> resnet_base_lr = {};

  // Device and engine.
  std::string engine = "native";
  std::string device = "cpu";
  std::string gpu_indices = "";  // as 0,2; empty: in order
  int num_devices = 1;
  int threads = 0;  // per device; 0: every core it may use
  std::string dtype = "f32";
  bool use_fp16 = false;  // another spelling of dtype fp16
  std::optional<double> fp16_loss_scale = {};
  bool fp16_enable_auto_loss_scale = false;
  int fp16_inc_loss_scale_every_n = 1000;
  std::string local_parameter_device = "gpu";
  bool graph = false;  // whole steps captured and replayed
  std::string data_format = "NCHW";
  std::string conv_algo = "auto";

  // Variable updates.
  std::string variable_update = "replicated";
  std::string gradient_op = "mean";
  std::optional<double> bucket_mb = {};
  bool overlap = true;
  int gradient_repacking = 0;
  int agg_small_grads_max_bytes = 0;
  int agg_small_grads_max_group = 10;
  std::string variable_consistency = "strong";
  bool cross_replica_sync = true;
  bool staged_vars = false;
  std::optional<int> num_ps = {};
  std::string ps_placement = "whole";
  bool ps_in_worker = false;
  bool efficiency = false;

  // Communication.
  std::string communicator = "auto";
  std::string interface = "";
  std::string all_reduce_spec = "";
  std::string gradient_compression = "none";
  double stall_timeout = 60;  // in seconds
  std::string job_name = "";  // worker or ps: the user starts every process
  int task_index = 0;
  std::string ps_hosts = "", worker_hosts = "";

  // Hosts and launchers.
  std::string launcher = "auto";
  std::string hosts = "";  // file or list; empty: this machine
  std::optional<int> nodes = {};
  std::optional<int> num_workers = {}, ps_per_node = {};
  std::string remote_dir = ".cache/lockstep";  // seen from the user's home there
  std::vector<std::string> ssh_option = {}, mpirun_option = {}, sbatch_option = {};
  bool dry_run = false;

  // An external program instead of an engine.
  std::string program = "";  // name or TOML file; empty: none
  std::string program_dir = "";
  std::optional<double> program_timeout = {};  // in seconds

  // A framework instead of an engine: "pytorch", "pytorch:compile", "mine.py".
  std::string framework = "lockstep";
  std::string framework_script = "";  // text of the user's script
  std::string framework_mode = "";    // known to be the fastest; empty: find out
  std::vector<std::string> python = {};

  // Checkpoints and evaluation.
  std::string train_dir = "";                // of checkpoints; empty: nothing is kept
  std::optional<int> save_model_steps = {};  // absent: only at the end
  double save_model_secs = 0;                // 0: not by time
  int max_ckpts_to_keep = 5;                 // 0: all
  bool eval = false;
  double eval_interval_secs = 0;             // with eval: look again; 0: once
  int eval_batch_size = 0;                   // per device; 0: as in training
  std::optional<int> num_eval_batches = {};  // absent: all validation examples, once
  std::optional<double> num_eval_epochs = {};
  std::string eval_dir = "";
  std::optional<int> eval_during_training_every_n_steps = {};
  std::optional<double> eval_during_training_every_n_epochs = {};
  std::string eval_during_training_at_specified_steps = "";   // as 100,200
  std::string eval_during_training_at_specified_epochs = "";  // as 0.5,2
  std::optional<double> stop_at_top_1_accuracy = {};

  // Output.
  int display_every = 10;
  std::optional<double> display_perf_ewma = {};
  std::string loss_type_to_report = "total_loss";
  bool print_training_accuracy = false;
  std::string output_format = "lockstep";
  bool profile = false;
  std::string profile_file = "";
  std::string graph_file = "";
  std::string trace_file = "";
  std::string result = "";
  std::string log_dir = "";
  std::string benchmark_log_dir = "";
  std::string benchmark_test_id = "";
  std::string summary_dir = "";
  int summary_verbosity = 0;
  int save_summaries_steps = 0;  // 0: when a step is shown
  bool verbose = false;

  bool operator==(const RunConfig&) const = default;
};

// Another framework trains the network, not an engine of our own.
inline bool has_framework(const RunConfig& run) { return run.framework != RunConfig{}.framework; }

}  // namespace lockstep

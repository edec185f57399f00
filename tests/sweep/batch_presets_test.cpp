#include "sweep/batch_presets.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "nn/zoo.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BatchPresets, GiveBatchSizesOnlyToNetworksWithoutOne) {
  std::vector<std::string> notes;
  EXPECT_THAT(with_preset({"Inceptionv3", "Alexnet"}, find_batch_preset("aws-p2"), notes),
              ElementsAre("inception3:32", "alexnet:512"));
  EXPECT_THAT(with_preset({"Inceptionv3:16", "Alexnet"}, find_batch_preset("AWS-G2"), notes),
              ElementsAre("Inceptionv3:16", "alexnet:128"));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(BatchPresets, ANetworkThatAPresetLacksKeepsItsDefaultWithANote) {
  std::vector<std::string> notes;
  EXPECT_THAT(with_preset({"resnet50"}, find_batch_preset("aws-p2"), notes),
              ElementsAre("resnet50"));
  EXPECT_THAT(notes, ElementsAre("--batch-preset aws-p2 has no batch size for resnet50, which uses "
                                 "its default, 64"));
}

TEST(BatchPresets, AnUnknownNameSuggestsACloseOne) {
  try {
    find_batch_preset("aws-p3");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown preset 'aws-p3'; did you mean aws-p2?"));
  }
  EXPECT_THROW(find_batch_preset("azure"), UsageError);
}

TEST(BatchPresets, NameNetworksOfTheZoo) {
  for (const BatchPreset& preset : batch_presets()) {
    for (const PresetBatch& each : preset.batches) {
      EXPECT_EQ(find_model(each.model).name, each.model) << preset.name;
      EXPECT_THAT(batch_presets_text(), HasSubstr(std::string(preset.name)));
    }
  }
}

}  // namespace
}  // namespace lockstep

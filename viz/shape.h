// The shape of one step, measured from the height of its row: dots one below the other, tags, boxes.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "viz/story.h"

namespace zablab::viz {

/// Sizes, in tenths of a point.
namespace size {
inline constexpr Tenths title = 170, title_line = 210, text = 95, line = 118, answer = 115, answer_line = 150,
                        small = 85, tag = 85, cell = 90, label = 92, name = 120;
inline constexpr Tenths margin = 200, width_min = 5600;  ///< of the picture
inline constexpr Tenths send_step = 80;  ///< between the sends of one step, so that their arrows are separate
inline constexpr Tenths tag_height = 130, tag_step = 150, tag_line = 95;
inline constexpr Tenths cell_height = 140, cell_gap = 20, box_pad = 35, caption_height = 125;
inline constexpr Tenths label_height = 118;
inline constexpr Tenths dot = 34;                                     ///< radius
inline constexpr Tenths cross = 42;                                   ///< half the size of a loss
inline constexpr Tenths cross_unsent = 30;                            ///< of a message that never left
inline constexpr Tenths band = 70, band_narrow = 40, band_thin = 18;  ///< half widths
inline constexpr Tenths self_loop = 200;  ///< how far the loop of a message to the sender itself extends
inline constexpr Tenths loss_drop =
    110;  ///< how far below its sending a message that was lost immediately ends
}  // namespace size

/// The point at which a message leaves, or begins to wait.
struct Start {
  std::size_t message = 0;  ///< position in Story::messages
  bool waits = false;
  Dot dot;
};

struct StepShape {
  std::vector<Dot> dots;
  std::vector<Tag> tags;
  std::vector<Box> boxes;  ///< places are relative to their centres, which are at `box_at`
  std::vector<Tenths> box_at;
  std::vector<Start> starts;
  std::vector<std::pair<std::size_t, std::string>>
      ends;                         ///< messages delivered, and the dot at which they arrive
  std::vector<std::size_t> losses;  ///< messages lost
  Tenths up = 0, down = 0;
};

/// How wide the parts of a step may be.
struct Room {
  Tenths box = 2200;  ///< of a line of cells
  int caption = 40;   ///< columns
  int label = 30;     ///< columns
  Tenths violation = 2200;
  bool stacked = false;  ///< a step's boxes are below its tags, not beside them
};
inline constexpr Room narrow_room{.box = 620, .caption = 20, .label = 20, .violation = 800, .stacked = true};

class ShapeMaker {
 public:
  ShapeMaker(const Trace& trace, const Story& story, const LadderOptions& options, const Room& room);
  StepShape make(const Step& step) const;

 private:
  struct Draft;
  void addMainDot(const Step& step, StepShape& shape, Draft& draft) const;
  void addTag(std::size_t position, const Step& step, StepShape& shape, Draft& draft) const;
  void addStarts(const Step& step, std::size_t from, StepShape& shape, Draft& draft) const;
  void addViolation(std::size_t position, const Step& step, StepShape& shape, Draft& draft) const;
  void addBox(std::size_t position, const Json& picture, const Step& step, StepShape& shape) const;
  void measure(StepShape& shape) const;
  const Message* messageAt(std::size_t position) const;
  std::string where(std::size_t position) const;

  const Trace& trace_;
  const Story& story_;
  const LadderOptions& options_;
  Room room_;
};

/// A box with its cells around the origin. `violated`: the cells and captions that a violation is about.
Box shapeBox(const Json& picture, const Room& room, const std::set<std::string>& violated = {});

}  // namespace zablab::viz

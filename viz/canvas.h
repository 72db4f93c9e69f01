// The few shapes of which a picture of a ladder consists. viz/draw.h draws a ladder on a canvas; each format
// of vector graphics is a canvas.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viz/ladder.h"

namespace zablab::viz {

/// What every element has: a name that is unique in the picture, classes, and a text that is shown when it is
/// pointed at.
struct Named {
  std::string id, classes, tooltip;
};

struct Fill {
  enum class Style { solid, dashed, rounded, striped };
  std::string fill, frame;
  Tenths pen = 0;
  Style style = Style::solid;
  std::string other = {};  ///< of striped: the colour between the stripes
};

enum class Align { left, centre, right };

struct Lettering {
  Tenths size = 0;
  std::string colour;
  Face face = Face::sans;
  Align align = Align::left;
  std::string ground = {};  ///< colour of a rectangle behind the text; empty: none
};

/// One end of a line: a place, and the dot with which it ends, if any.
struct LineEnd {
  Point at;
  std::string dot = {};   ///< id; empty: none
  Tenths radius = 0;      ///< of the dot: the line ends at its edge
  std::string name = {};  ///< a name for the end, where it is no dot
};

struct Stroke {
  enum class Style { solid, dashed, dotted };
  enum class Head { none, filled, hollow };
  std::string colour;
  Tenths width = 12;
  Style style = Style::solid;
  Head head = Head::none;
};

struct Frame {
  std::string title;
  Tenths width = 0, height = 0;
  Tenths printed_width = 0;  ///< the drawing is scaled to this width
  std::string ground, text_colour;
};

class Canvas {
 public:
  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  virtual ~Canvas() = default;

  /// Called once, before everything else.
  virtual void begin(const Frame& frame) = 0;
  virtual void rectangle(const Named& named, const Rect& place, const Fill& fill) = 0;
  virtual void text(const Named& named, const Rect& place, const std::string& words,
                    const Lettering& look) = 0;
  /// A rectangle with centred lines of text.
  virtual void labelled(const Named& named, const Rect& place, const Fill& fill,
                        const std::vector<std::string>& lines, const Lettering& look) = 0;
  virtual void circle(const Named& named, Point centre, Tenths radius, const Fill& fill) = 0;
  virtual void diamond(const Named& named, Point centre, Tenths radius, const Fill& fill) = 0;
  virtual void line(const Named& named, const LineEnd& from, const LineEnd& to, const Stroke& stroke) = 0;
  /// A Bézier curve: its points, and whether an arrowhead follows at `tip`.
  virtual void curve(const Named& named, const LineEnd& from, const LineEnd& to,
                     const std::vector<Point>& points, std::optional<Point> tip, const Stroke& stroke) = 0;
  /// The finished document. Called once.
  virtual std::string finish() = 0;
};

}  // namespace zablab::viz

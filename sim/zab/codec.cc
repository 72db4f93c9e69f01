#include "sim/zab/codec.h"

#include <charconv>

namespace zablab {
namespace {

constexpr std::int64_t half_max = 0xffffffff;

std::optional<std::int64_t> number(std::string_view text, std::int64_t max) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > max)
    return std::nullopt;
  return value;
}

}  // namespace

Json JsonCodec<zab::Zxid>::write(const zab::Zxid& zxid) {
  if (zxid == zab::zxid_unusable) return "none";
  if (zxid == zab::zxid_of_observer) return "observer";
  return std::to_string(zxid.epoch()) + "." + std::to_string(zxid.counter());
}

zab::Zxid JsonCodec<zab::Zxid>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::integer) return zab::Zxid{value.asInt64(0, half_max)};
  const std::string& text = value.asString();
  if (text == "none") return zab::zxid_unusable;
  if (text == "observer") return zab::zxid_of_observer;
  const std::size_t dot = text.find('.');
  if (dot != std::string::npos) {
    const auto epoch = number(std::string_view(text).substr(0, dot), half_max >> 1);
    const auto counter = number(std::string_view(text).substr(dot + 1), half_max);
    if (epoch && counter) return zab::Zxid::of(*epoch, *counter);
  }
  throw value.error(inBackticks(text) + " is not a zxid", "write epoch and counter, as in \"1.11\"");
}

Json JsonCodec<zab::Zxid>::schema() {
  return {{"description", "a zxid: epoch and counter, as in \"1.11\""},
          {"oneOf", Json::array({{{"type", "string"}, {"pattern", "^([0-9]+\\.[0-9]+|none|observer)$"}},
                                 {{"type", "integer"}, {"minimum", 0}, {"maximum", half_max}}})}};
}

}  // namespace zablab

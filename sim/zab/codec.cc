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
  throw value.error(inBackticks(text) + " is no zxid", "write epoch and counter, as in \"1.11\"");
}

Json JsonCodec<zab::Zxid>::schema() {
  return {{"description", "a zxid: epoch and counter, as in \"1.11\""},
          {"oneOf", Json::array({{{"type", "string"}, {"pattern", "^([0-9]+\\.[0-9]+|none|observer)$"}},
                                 {{"type", "integer"}, {"minimum", 0}, {"maximum", half_max}}})}};
}

namespace {

constexpr std::int64_t listed_max = 10'000;

zab::Txn plain(zab::Zxid zxid) { return {zxid, {.value = zxid.counter()}}; }

zab::Snapshot upTo(zab::Zxid last) {
  zab::Snapshot snapshot{last, {}, {}};
  for (std::int64_t counter = 1; counter <= last.counter(); ++counter) {
    snapshot.history.push_back(plain(zab::Zxid::of(last.epoch(), counter)));
  }
  snapshot.service = zab::stateAfter(snapshot.history);
  return snapshot;
}

Json zxidOrObject(const std::string& what) {
  return {{"description", what},
          {"oneOf", Json::array({JsonCodec<zab::Zxid>::schema(), {{"type", "object"}}})}};
}

template <class T>
Json fieldsOf(const T& value) {
  Json object = Json::object();
  json_detail::writeMembers(object, value);
  return object;
}

template <class T>
T fromFields(const JsonValue& json) {
  T value{};
  json_detail::assignMembers(value, json, json_detail::Mode::make, false);
  return value;
}

}  // namespace

Json JsonCodec<zab::Txn>::write(const zab::Txn& txn) {
  return txn == plain(txn.zxid) ? JsonCodec<zab::Zxid>::write(txn.zxid)
                                : fieldsOf(Fields{{txn.zxid}, txn.payload});
}

zab::Txn JsonCodec<zab::Txn>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::object) {
    const auto fields = fromFields<Fields>(value);
    return {fields.zxid, fields};
  }
  return plain(JsonCodec<zab::Zxid>::read(value));
}

Json JsonCodec<zab::Txn>::schema() {
  return zxidOrObject("a transaction; a zxid alone is a write of its counter");
}

Json JsonCodec<zab::Snapshot>::write(const zab::Snapshot& snapshot) {
  const bool listed = snapshot.last.counter() <= listed_max && snapshot == upTo(snapshot.last);
  return listed ? JsonCodec<zab::Zxid>::write(snapshot.last)
                : fieldsOf(Fields{snapshot.last, snapshot.history});
}

zab::Snapshot JsonCodec<zab::Snapshot>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::object) {
    auto fields = fromFields<Fields>(value);
    const auto service = zab::stateAfter(fields.history);
    return {fields.last, std::move(fields.history), service};
  }
  const zab::Zxid last = JsonCodec<zab::Zxid>::read(value);
  if (last.counter() > listed_max) {
    throw value.error("a snapshot of so many transactions has to say which",
                      "write {\"last\": \"1.20000\", \"history\": [\"1.1\", ...]}");
  }
  return upTo(last);
}

Json JsonCodec<zab::Snapshot>::schema() {
  return zxidOrObject("a snapshot; a zxid alone stands for all of its epoch up to it");
}

}  // namespace zablab

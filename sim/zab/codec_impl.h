#pragma once

#include "sim/zab/codec.h"

#include <string>
#include <utility>

#include "protocol/zab/log_impl.h"

namespace zablab {
namespace zab::codec_detail {

inline constexpr std::int64_t listed_max = 10'000;

template <class S>
BasicTxn<S> plain(Zxid zxid) {
  return {zxid, ServiceWords<S>::plain(zxid)};
}

template <class S>
BasicSnapshot<S> snapshotUpTo(Zxid last) {
  BasicSnapshot<S> snapshot{last, {}, {}};
  for (std::int64_t counter = 1; counter <= last.counter(); ++counter) {
    snapshot.history.push_back(plain<S>(Zxid::of(last.epoch(), counter)));
  }
  snapshot.service = stateAfter<S>(snapshot.history);
  return snapshot;
}

inline Json zxidOrObject(const std::string& what) {
  return {{"description", what},
          {"oneOf", Json::array({JsonCodec<zab::Zxid>::schema(), {{"type", "object"}}})}};
}

template <class T>
Json fieldsOf(const T& value) {
  Json object = Json::object();
  json_detail::structTypeOf<T>().writeMembers(object, &value);
  return object;
}

template <class T>
T fromFields(const JsonValue& json) {
  T value{};
  json_detail::structTypeOf<T>().assignMembers(&value, json, json_detail::Mode::make, false);
  return value;
}

}  // namespace zab::codec_detail

template <class S>
Json JsonCodec<zab::BasicTxn<S>>::write(const zab::BasicTxn<S>& txn) {
  return txn == zab::codec_detail::plain<S>(txn.zxid)
             ? JsonCodec<zab::Zxid>::write(txn.zxid)
             : zab::codec_detail::fieldsOf(Fields{{txn.zxid}, txn.payload});
}

template <class S>
zab::BasicTxn<S> JsonCodec<zab::BasicTxn<S>>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::object) {
    const auto fields = zab::codec_detail::fromFields<Fields>(value);
    if constexpr (DescribedStruct<typename S::Payload>) {
      return {fields.zxid, fields};
    } else {
      return {fields.zxid, fields.payload};
    }
  }
  return zab::codec_detail::plain<S>(JsonCodec<zab::Zxid>::read(value));
}

template <class S>
Json JsonCodec<zab::BasicTxn<S>>::schema() {
  return zab::codec_detail::zxidOrObject("a transaction; a zxid alone is " +
                                         std::string(zab::ServiceWords<S>::plain_text));
}

template <class S>
Json JsonCodec<zab::BasicSnapshot<S>>::write(const zab::BasicSnapshot<S>& snapshot) {
  const bool listed = snapshot.last.counter() <= zab::codec_detail::listed_max &&
                      snapshot == zab::codec_detail::snapshotUpTo<S>(snapshot.last);
  return listed ? JsonCodec<zab::Zxid>::write(snapshot.last)
                : zab::codec_detail::fieldsOf(Fields{snapshot.last, snapshot.history});
}

template <class S>
zab::BasicSnapshot<S> JsonCodec<zab::BasicSnapshot<S>>::read(const JsonValue& value) {
  if (value.kind() == JsonValue::Kind::object) {
    auto fields = zab::codec_detail::fromFields<Fields>(value);
    const auto service = zab::stateAfter<S>(fields.history);
    return {fields.last, std::move(fields.history), service};
  }
  const zab::Zxid last = JsonCodec<zab::Zxid>::read(value);
  if (last.counter() > zab::codec_detail::listed_max) {
    throw value.error("a snapshot of this many transactions has to list them",
                      "write {\"last\": \"1.20000\", \"history\": [\"1.1\", ...]}");
  }
  return zab::codec_detail::snapshotUpTo<S>(last);
}

template <class S>
Json JsonCodec<zab::BasicSnapshot<S>>::schema() {
  return zab::codec_detail::zxidOrObject("a snapshot; a zxid alone means all of its epoch up to it");
}

}  // namespace zablab

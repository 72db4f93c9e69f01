#include "sim/telling.h"

namespace zablab {

std::string_view Telling::kind(const AnyHappened& h) const {
  switch (h.kind) {
    case Kind::event: return family().kindName(*h.event);
    case Kind::taken_up: return startedBefore(h.node) ? "taken_up" : "started";
    case Kind::step_over:
    case Kind::dialled:
    case Kind::timer_set:
    case Kind::cut:  // reported once for all directions of a fault
    case Kind::healed: return "";
    default: return enumName(h.kind);
  }
}

Json Telling::data(const AnyHappened& h) const {
  switch (h.kind) {
    case Kind::started:
      return {{"how", startedBefore(h.node) ? "restart" : "start"}, {"disk", toJson(*h.disk)}};
    case Kind::taken_up:
      return startedBefore(h.node) ? Json::object() : Json{{"how", "placed"}, {"disk", toJson(*h.disk)}};
    case Kind::delivered: {
      Json data{{"message", h.message},
                {"link", linkName(h.link)},
                {"from", idOf(h.from)},
                {"type", family().typeName(*h.content)}};
      setPhrase(data, "label", family().label(names_, *h.content));
      if (h.late) data["late"] = true;
      return data;
    }
    case Kind::connected:
    case Kind::refused:
    case Kind::closed: return {{"link", linkName(h.link)}, {"peer", h.to}};
    case Kind::timer: {
      Json data{{"timer", family().timerName(h.timer.kind)}};
      if (family().isKey(h.timer.key)) data[family().timerKeyWord()] = toJson(h.timer.key);
      return data;
    }
    case Kind::asked: return toJson(*h.request);
    case Kind::durable: return {{"key", toJson(*h.durable_key)}};
    case Kind::age: return {{"key", toJson(*h.mark)}, {"ms", h.age ? Json(*h.age) : Json(nullptr)}};
    case Kind::event: return family().data(names_, *h.event);
    case Kind::sent: {
      Json data{{"message", h.message},
                {"link", linkName(h.link)},
                {"receiver", h.to},
                {"type", family().typeName(*h.content)}};
      setPhrase(data, "label", family().label(names_, *h.content));
      data["content"] = toJson(*h.content);
      if (h.how == SentHow::waiting) data["waiting"] = true;
      if (h.how == SentHow::again) data["again"] = true;
      if (h.how == SentHow::copy) data["copy"] = true;
      return data;
    }
    case Kind::transmitted: return {{"message", h.message}, {"link", linkName(h.link)}, {"receiver", h.to}};
    case Kind::lost: {
      Json data{
          {"message", h.message}, {"link", linkName(h.link)}, {"from", idOf(h.from)}, {"receiver", h.to}};
      setPhrase(data, "label", family().label(names_, *h.content));
      data["reason"] = std::string(enumName(h.reason));
      return data;
    }
    case Kind::written: {
      Json data = record(*h.record);
      data["durable"] = h.blocking;
      return data;
    }
    case Kind::write_failed:
    case Kind::synced: return record(*h.record);
    case Kind::stopped: {
      Json data{{"how", std::string(enumName(h.stopped))}};
      if (!h.why.empty()) data["reason"] = std::string(h.why);
      return data;
    }
    case Kind::broken: return {{"link", linkName(h.link)}, {"between", Json::array({idOf(h.from), h.to})}};
    case Kind::paused:
    case Kind::resumed:
    case Kind::wiped:
    case Kind::step_over:
    case Kind::dialled:
    case Kind::timer_set:
    case Kind::cut:
    case Kind::healed: break;
  }
  return Json::object();
}

Json Telling::record(const Value& record) const {
  return {{"record", family().recordName(record)}, {"content", toJson(record)}};
}

}  // namespace zablab

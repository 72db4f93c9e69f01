#include "checker/check/interned.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checker/check/contract.h"
#include "protocol/overloaded.h"
#include "protocol/variant.h"

namespace zablab {
namespace {

/// The points within a step at which a dying process leaves something that it would leave neither before nor
/// after the step: a write without what follows it, or half of a write.
std::vector<CrashPoint> crashPointsOf(const AnyNodes& nodes, const Any::Vocabulary::Effects& effects) {
  using V = Any::Vocabulary;
  std::vector<CrashPoint> points;
  std::uint8_t writes = 0;
  bool left_something = false;  // before the present effect
  bool written_last = false;
  const Value empty = nodes.emptyDisk();
  for (const auto& effect : effects) {
    const auto* write = get_if<V::Write>(&effect);
    const bool sends = holds_alternative<V::Send>(effect);
    if (written_last && (sends || write != nullptr)) points.push_back({writes, AtWrite::after});
    if (write != nullptr && write->blocking) {
      ++writes;
      if (left_something && !written_last) points.push_back({writes, AtWrite::before});
      Value disk = empty;
      nodes.writeHalf(disk, write->record);
      if (disk != empty) points.push_back({writes, AtWrite::half});
      written_last = true;
    } else if (sends || write != nullptr) {
      written_last = false;
    }
    left_something = left_something || sends || write != nullptr;
  }
  return points;
}

}  // namespace

Any::Vocabulary::Input InternedStore::valueOf(const V::Input& input) const {
  using To = Any::Vocabulary;
  return visit(
      Overloaded{[&](const V::Start& in) -> To::Input { return To::Start{t_.disks[in.disk.number].image}; },
                 [](const V::TakeUp&) -> To::Input { return To::TakeUp{}; },
                 [&](const V::Received& in) -> To::Input {
                   return To::Received{in.link, in.from, t_.messages[in.message.number], in.late};
                 },
                 [](const V::Connected& in) -> To::Input {
                   return To::Connected{in.link, in.peer};
                 },
                 [](const V::Refused& in) -> To::Input {
                   return To::Refused{in.link, in.peer};
                 },
                 [](const V::Disconnected& in) -> To::Input {
                   return To::Disconnected{in.link, in.peer};
                 },
                 [&](const V::Fired& in) -> To::Input {
                   return To::Fired{t_.valueOf(in.timer), in.undelivered};
                 },
                 [&](const V::WriteFailed& in) -> To::Input {
                   return To::WriteFailed{t_.records[in.record.number]};
                 },
                 [](const V::Prompt&) -> To::Input { return To::Prompt{}; },
                 [&](const V::Asked& in) -> To::Input { return To::Asked{t_.requests[in.request.number]}; },
                 [&](const V::OwnAction& in) -> To::Input {
                   return To::OwnAction{in.peer, t_.messages[in.shown.number]};
                 },
                 [&](const V::NowDurable& in) -> To::Input {
                   return To::NowDurable{t_.durable_keys[in.key.number]};
                 },
                 [&](const V::Age& in) -> To::Input {
                   return To::Age{t_.ages[in.key.number].key, in.millis};
                 }},
      input);
}

std::uint32_t InternedStore::compute(int i, const V::Input& input) {
  using From = Any::Vocabulary;
  Server<Any> server = t_.servers[part(i)];
  From::Effects effects;
  From::Input value = valueOf(input);
  t_.cluster().nodes->step(t_.cluster(), i, 0, server.node, value, effects);
  Tables::Ran ran;
  const auto add = [&](V::Effect effect) { ran.effects.push_back(std::move(effect)); };
  for (const auto& effect : effects) {
    visit(Overloaded{
              [&](const From::Send& out) {
                add(V::Send{out.link, out.to, {t_.messages.number(out.message)}, out.after_durable});
              },
              [&](const From::SetTimer& out) {
                zablab::arm(server.timers, out.timer);
                ran.armed |= std::uint64_t{1} << t_.numberOf(out.timer).key.number;
              },
              [&](const From::CancelTimer& out) { zablab::disarm(server.timers, out.timer); },
              [&](const From::Emit& out) {
                if (t_.check().looks(out.event)) ++ran.looks;
              },
              [&](const From::Connect& out) {
                add(V::Connect{out.link, out.to});
              },
              [&](const From::Disconnect& out) {
                add(V::Disconnect{out.link, out.to});
              },
              [&](const From::Write& out) {
                add(V::Write{{t_.records.number(out.record)}, out.blocking});
              },
              [&](const From::Flush&) { add(V::Flush{}); },
              [&](const From::Exit& out) { add(V::Exit{out.reason}); },
              [&](const From::AskDurable& out) { add(V::AskDurable{{t_.durable_keys.number(out.key)}}); },
              [&](const From::Mark& out) { server.awaited.mark(out.key); },
              [&](const From::AskAge& out) { server.awaited.askAge(out.key); }},
          effect);
  }
  ran.server = t_.numberOf(i, server);
  ran.crash_points = crashPointsOf(*t_.cluster().nodes, effects);
  return t_.ran.add(std::move(ran));
}

}  // namespace zablab

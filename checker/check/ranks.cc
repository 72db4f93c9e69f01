#include "checker/check/ranks.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "checker/check/search.h"

namespace zablab {

// ---- what is sent

namespace {

std::uint8_t* putNumber(std::uint8_t* to, std::uint32_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<std::uint8_t>(number | 0x80);
  *to++ = static_cast<std::uint8_t>(number);
  return to;
}
/// `from` loses the number.
std::uint32_t getNumber(const std::uint8_t*& from) {
  std::uint32_t number = *from & 0x7f;
  for (unsigned shift = 7; (*from++ & 0x80) != 0; shift += 7) number |= (*from & 0x7fU) << shift;
  return number;
}

}  // namespace

StateExchange::StateExchange(Ranks& ranks, Tables& tables, Memories& memories, std::vector<StoredType> types)
    : ranks_(ranks),
      own_(ranks.own()),
      tables_(tables),
      memories_(memories),
      types_(std::move(types)),
      to_(ranks.count()),
      from_(ranks.count()) {
  for (To& to : to_) to.bytes.resize(head_bytes);
  for (int i = 0; i < tables.layout().size; ++i) kinds_of_.push_back(kindOf(i));
}

StateExchange::Kind StateExchange::kindOf(int part) const {
  const Layout& layout = tables_.layout();
  if (part < layout.disks_at) return Kind::server;
  if (part < layout.own_at) return Kind::disk;
  if (part < layout.shared_at) return Kind::own;
  if (part < layout.channels_at) return Kind::shared;
  return part < layout.relations_at ? Kind::channel : Kind::plain;
}

template <class Writer>
void StateExchange::putValue(Writer& writer, Kind kind, Part number) const {
  switch (kind) {
    case Kind::server:
      writer.put(tables_.servers.view(number).server);
      return writer.put(tables_.servers[number]);
    case Kind::disk: return writer.put(tables_.disks[number]);
    case Kind::own: return writer.put(memories_.owns[number]);
    case Kind::shared: return writer.put(memories_.shareds[number]);
    case Kind::channel: return writer.put(tables_.channels[number]);
    case Kind::plain: return;
  }
}

template <class Reader>
StateExchange::Part StateExchange::getValue(Reader& reader, Kind kind) {
  const auto get = [&]<class T>(T value) {
    reader.get(value);
    return value;
  };
  switch (kind) {
    case Kind::server: {
      const int i = get(std::uint8_t{});
      return tables_.numberOf(i, get(Server<Any>{}));
    }
    case Kind::disk: return tables_.numberOf(get(Disk<Any>{}));
    case Kind::own: return memories_.owns.number(get(Value()));
    case Kind::shared: return memories_.shareds.number(get(Value()));
    case Kind::channel: return tables_.numberOf(get(Channel<Value>{}));
    case Kind::plain: break;
  }
  throw DecodeError("a value of no kind");
}

void StateExchange::put(unsigned rank, const Sent& state, const Part* tuple) {
  To& to = to_[rank];
  const std::size_t before = to.bytes.size();
  const int values = tables_.layout().relations_at;
  for (int i = 0; i < values; ++i) {
    const Kind kind = kinds_of_[static_cast<std::size_t>(i)];
    std::vector<bool>& knows = to.knows[static_cast<std::size_t>(kind) - 1];
    if (tuple[i] < knows.size() && knows[tuple[i]]) continue;
    if (tuple[i] >= knows.size()) knows.resize(tuple[i] + 1);
    knows[tuple[i]] = true;
    reflect_detail::Writer<StoredValues> writer(to.bytes, StoredValues(types_));
    writer.put(kind);
    writer.put(tuple[i]);
    putValue(writer, kind, tuple[i]);
    writer.flush();
  }
  // States are the most of what is sent: they are written as they wait in blocks.
  std::array<std::uint8_t, 1 + sizeof state.print + 5 * (Layout::size_max + 2)> written;
  std::uint8_t* end = written.data();
  *end++ = 0;
  std::memcpy(end, &state.print, sizeof state.print);
  end += sizeof state.print;
  end = putNumber(end, state.parent);
  end = putNumber(end, state.move);
  for (std::size_t i = 0; i < kinds_of_.size(); ++i) end = putNumber(end, tuple[i]);
  to.bytes.insert(to.bytes.end(), written.data(), end);
  ++to.states;
  ++states_sent;
  waiting_ += to.bytes.size() - before;
}

std::vector<Bytes> StateExchange::send(bool more) {
  std::vector<Bytes> to;
  for (To& one : to_) {
    one.bytes[0] = more ? 1 : 0;
    std::memcpy(one.bytes.data() + 1, &one.states, sizeof one.states);
    bytes_sent += one.bytes.size();
    to.push_back(std::exchange(one.bytes, Bytes(head_bytes)));
    one.states = 0;
  }
  waiting_ = 0;
  return ranks_.exchange(std::move(to));
}

std::uint32_t StateExchange::countOf(const Bytes& received) {
  std::uint32_t states = 0;
  std::memcpy(&states, received.data() + 1, sizeof states);
  return states;
}

void StateExchange::read(unsigned rank, const Bytes& received,
                         const std::function<void(const Sent& state, const Part* tuple)>& take) {
  From& from = from_[rank];
  std::vector<Part> tuple(kinds_of_.size());
  const std::uint8_t* at = received.data() + head_bytes;
  const std::uint8_t* const end = received.data() + received.size();
  for (std::uint32_t left = countOf(received); left > 0; --left) {
    for (; *at != 0;) {
      reflect_detail::Reader<StoredValues> reader{std::span<const std::uint8_t>(at, end),
                                                  StoredValues(types_)};
      std::uint8_t tag = 0;
      Part number = 0;
      reader.get(tag);
      reader.get(number);
      const Part own = getValue(reader, Kind{tag});
      std::vector<Part>& numbers = from.numbers[tag - 1U];
      if (number >= numbers.size()) numbers.resize(number + 1);
      numbers[number] = own;
      at = reader.rest().data();
    }
    Sent state;
    std::memcpy(&state.print, ++at, sizeof state.print);
    at += sizeof state.print;
    state.parent = getNumber(at);
    state.move = static_cast<std::uint16_t>(getNumber(at));
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      const Part number = getNumber(at);
      const Kind kind = kinds_of_[i];
      tuple[i] = kind == Kind::plain ? number : from.numbers[static_cast<std::size_t>(kind) - 1][number];
    }
    take(state, tuple.data());
  }
}

// ---- the search

namespace {

/// What a rank has counted and found in a level.
struct RankReport {
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;
  std::uint64_t pruned = 0;
  std::uint64_t terminal = 0;
  std::uint64_t frontier = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t states_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::vector<std::uint64_t> kinds;
  std::vector<Violation> violations;  ///< the least, if there is any
  std::vector<std::pair<std::size_t, Met>> found;
  std::string stopped_by;
};
BOOST_DESCRIBE_STRUCT(RankReport, (),
                      (distinct, generated, pruned, terminal, frontier, memory_bytes, states_sent, bytes_sent,
                       kinds, violations, found, stopped_by))

/// How a state was reached.
struct OriginInRanks {
  std::uint16_t rank = 0;
  std::uint32_t parent = 0;
  std::uint16_t move = 0;
};
BOOST_DESCRIBE_STRUCT(OriginInRanks, (), (rank, parent, move))

}  // namespace

void Search::beginAcrossRanks() {
  exchange_ = std::make_shared<StateExchange>(*options_.ranks, shared_.tables, shared_.memories,
                                              shared_.check.storedTypes());
  met_ranks_.resize(shared_.sought.size());
}

SearchCounts Search::acrossRanks() {
  Ranks& ranks = *options_.ranks;
  const CheckpointIdentity& own = options_.checkpoint.identity;
  for (const CheckpointIdentity& other : ranks.tellAll(own)) {
    if (other.program != own.program || other.content != own.content)
      throw std::runtime_error("the ranks are of different programs, or search different models");
  }
  Worker& worker = *workers_.front();
  worker.exchange = exchange_.get();
  Level level = startLevel();
  if (exchange_->isOwn(worker.start_print)) {
    own_states_ = 1;
  } else {
    level.clear();
    worker.found.clear();
  }
  try {
    do {
      expandAcrossRanks(level);
      collectAcrossRanks(level);
      if (counts_.frontier > 0) ++counts_.depth;
      if (counts_.stopped_by.empty()) limit();
    } while (counts_.frontier > 0 && counts_.stopped_by.empty());
  } catch (const RankLost&) {
    counts_.stopped_by = "lost rank";  // what was counted is that of the levels that were finished
    earlier_obligations_ = worker.watch.obligations();
    return counts_;
  }
  counts_.exhausted = counts_.frontier == 0 && counts_.stopped_by.empty();
  for (const auto& of_rank : ranks.tellAll(worker.watch.obligations())) {
    earlier_obligations_.resize(std::max(earlier_obligations_.size(), of_rank.size()));
    for (std::size_t i = 0; i < of_rank.size(); ++i) earlier_obligations_[i] += of_rank[i];
  }
  return counts_;
}

void Search::expandAcrossRanks(Level& level) {
  Worker& worker = *workers_.front();
  worker.depth = static_cast<std::uint32_t>(counts_.depth) + 1;
  std::size_t next = 0;
  for (bool any = true; any;) {
    const std::size_t end = std::min(next + slice, level.size());
    for (; next < end && !exchange_->isFull() && !shared_.stopped; ++next) {
      if (!makeRoom(level[next].count() * std::max(followers_min, 2 * worker.followers_most))) break;
      worker.expandBlock(level[next]);
      level[next].discard();
    }
    shared_.tables.grow();
    shared_.memories.grow();
    checkLimits();
    const std::vector<Bytes> received = exchange_->send(next < level.size() && !shared_.stopped);
    any = false;
    for (unsigned rank = 0; rank < received.size(); ++rank) {
      any = any || StateExchange::hasMore(received[rank]);
      if (!makeRoom(StateExchange::countOf(received[rank]))) continue;
      exchange_->read(rank, received[rank], [&](const StateExchange::Sent& state, const Part* tuple) {
        if (!worker.isRecent(state.print))
          worker.put({state.print, state.parent, state.move, static_cast<std::uint16_t>(rank)}, tuple);
      });
      worker.flush();
    }
  }
}

void Search::collectAcrossRanks(Level& level) {
  Worker& worker = *workers_.front();
  worker.putOrigins();
  RankReport own;
  own.distinct = std::exchange(worker.counts.distinct, 0);
  own.generated = std::exchange(worker.counts.generated, 0);
  own.pruned = std::exchange(worker.counts.pruned, 0);
  own.terminal = std::exchange(worker.counts.terminal, 0);
  worker.shown = 0;
  own_states_ += own.distinct;
  own.kinds.assign(worker.kinds.begin(), worker.kinds.end());
  worker.kinds.fill(0);
  level = std::exchange(worker.next, {});
  shared_.waiting[0].swap(shared_.waiting[1]);
  if (shared_.waiting[1]) shared_.waiting[1]->clear();
  for (const Block& block : level) own.frontier += block.count();
  own.memory_bytes = residentBytes();
  own.states_sent = exchange_->states_sent;
  own.bytes_sent = exchange_->bytes_sent;
  if (!worker.violations.empty())
    own.violations.push_back(*std::min_element(worker.violations.begin(), worker.violations.end()));
  worker.violations.clear();
  own.found = std::exchange(worker.found, {});
  if (shared_.stopped) own.stopped_by = shared_.stop_reason;

  const std::vector<RankReport> reports = options_.ranks->tellAll(own);
  counts_.frontier = 0;
  bytes_of_ranks_ = 0;
  sent_ = {};
  std::string stopped_by;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const RankReport& report = reports[i];
    const auto rank = static_cast<std::uint16_t>(i);
    counts_.distinct += report.distinct;
    counts_.generated += report.generated;
    counts_.pruned += report.pruned;
    counts_.terminal += report.terminal;
    counts_.frontier += report.frontier;
    bytes_of_ranks_ += report.memory_bytes;
    sent_.first += report.states_sent;
    sent_.second += report.bytes_sent;
    for (std::size_t kind = 0; kind < report.kinds.size(); ++kind) {
      if (report.kinds[kind] == 0) continue;
      const auto name = actionName(*shared_.cluster.nodes, static_cast<ActionKind>(kind));
      counts_.moves[std::string(name)] += report.kinds[kind];
    }
    for (const auto& [which, met] : report.found) {
      auto& known = shared_.sought[which]->met;
      if (!known || std::pair(met.depth, met.print) < std::pair(known->depth, known->print)) {
        known = met;
        met_ranks_[which] = rank;
      }
      if (shared_.sought[which]->sought.never) counts_.stopped_by = "violation";
    }
    for (const Violation& violation : report.violations) {
      if (!violations_.empty() && !(violation < violations_.front())) continue;
      violations_ = {violation};
      violation_rank_ = rank;
    }
    if (stopped_by.empty()) stopped_by = report.stopped_by;
  }
  if (!violations_.empty()) counts_.stopped_by = "violation";
  if (counts_.stopped_by.empty()) counts_.stopped_by = stopped_by;
  tellProgress(0);
}

std::vector<Search::StepOfRank> Search::wayAcrossRanks(PlaceInRank place) {
  Ranks& ranks = *options_.ranks;
  const unsigned first = ranks.ownerOf(workers_.front()->start_print);
  std::vector<StepOfRank> way;
  while (place.rank != first || place.ordinal != 0) {
    OriginInRanks own;
    if (place.rank == ranks.own()) {
      const Origin origin = shared_.origins.of(place.ordinal);
      own = {exchange_->parents[place.ordinal - 1], origin.parent(), origin.move()};
    }
    const OriginInRanks origin = ranks.tellAll(own)[place.rank];
    way.push_back({origin.rank, origin.move});
    place = {origin.rank, origin.parent};
  }
  std::reverse(way.begin(), way.end());
  return way;
}

std::vector<Action<Any>> Search::followAcrossRanks(const std::vector<StepOfRank>& way) {
  Ranks& ranks = *options_.ranks;
  Worker& worker = *workers_.front();
  // Numbers of moves are those of the rank that has made them: it makes them again, and sends the state to
  // the rank that made the next.
  const std::vector<StoredType> types = shared_.check.storedTypes();
  using Done = std::pair<std::size_t, std::vector<Action<Any>>>;
  std::vector<Done> own;
  worker.putStart();
  for (std::size_t i = 0; i < way.size(); ++i) {
    const bool changes = i + 1 < way.size() && way[i + 1].rank != way[i].rank;
    if (way[i].rank == ranks.own()) {
      const std::vector<Part> before(worker.store.tuple(), worker.store.tuple() + worker.layout.size);
      worker.listMoves();
      if (way[i].move >= worker.followers.size()) worker.listAllEnds(before.data());
      std::vector<NumberedAction> done;
      InvariantMask violated = 0;
      worker.perform(before.data(), worker.followers[way[i].move], violated, &done);
      own.emplace_back(i, std::vector<Action<Any>>());
      for (const NumberedAction& action : done) own.back().second.push_back(shared_.tables.valueOf(action));
      if (changes) exchange_->put(way[i + 1].rank, {}, worker.store.tuple());
    }
    if (!changes) continue;
    const std::vector<Bytes> received = exchange_->send(false);
    if (way[i + 1].rank != ranks.own()) continue;
    exchange_->read(way[i].rank, received[way[i].rank],
                    [&](const StateExchange::Sent&, const Part* tuple) { worker.store.load(tuple); });
  }
  Bytes bytes;
  reflect_detail::Writer<StoredValues> writer(bytes, StoredValues(types));
  writer.put(own);
  writer.flush();
  std::vector<Done> all;
  for (const Bytes& of_rank : ranks.exchange(std::vector<Bytes>(ranks.count(), bytes))) {
    reflect_detail::Reader<StoredValues> reader{std::span<const std::uint8_t>(of_rank), StoredValues(types)};
    std::vector<Done> theirs;
    reader.get(theirs);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  std::sort(all.begin(), all.end(), [](const Done& a, const Done& b) { return a.first < b.first; });
  std::vector<Action<Any>> actions;
  for (const Done& done : all) actions.insert(actions.end(), done.second.begin(), done.second.end());
  return actions;
}

}  // namespace zablab

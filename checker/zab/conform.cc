#include "checker/zab/conform.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "protocol/overloaded.h"
#include "protocol/reflect.h"
#include "protocol/zab/step_impl.h"
#include "sim/phrase.h"
#include "sim/zab/words_impl.h"

namespace zablab::zab {
namespace {

using Family = BasicFamily<Unread>;
using Context = Unread::Context;
using V = Context::V;

const Names names{{}};

std::string said(const Notification& notification) { return label<Unread>(names, notification).english(); }

/// A recorded call, replayed.
class Replay {
 public:
  Replay(const ElectionCall& call, const BroadcastRules& rules)
      : call_(call), rules_(rules), config_(configOf(call)), node_(Family::blank(call.sid)), now_(call.t) {
    std::int64_t round = call.round;
    for (const HeardRow& heard : call.received) {
      if (heard.from == call.sid) {
        own_heard_.push_back(&heard);
        if (heard.round < round) ++old_;
      } else if (heard.state == Role::LOOKING) {
        round = std::max(round, heard.round);
      }
    }
    node_.logicalclock = call.round - 1;
    if (call.voter) {
      node_.last_processed = call.own.zxid.value;
      node_.files.current_epoch = call.own.peer_epoch;
    }
    node_.current_vote = initialVote(config_, rules_, node_);
  }

  ElectionVerdict run() {
    lookForContradictions();
    if (!verdict_) begin();
    while (!verdict_ && !decided_ && advance()) {
    }
    if (!verdict_) finish();
    if (quorum_at_) decisive_.insert(*quorum_at_);
    verdict_->decisive.assign(decisive_.begin(), decisive_.end());
    return std::move(*verdict_);
  }

 private:
  struct Armed {
    TimerKind kind;
    Millis due;
  };

  struct OwnSent {
    Notification notification;
    bool answer = false;  ///< and not part of a broadcast
  };

  void begin() {
    V::Effects effects;
    startElection(Context{config_, rules_, node_, effects});
    take(effects);
  }

  /// Performs the next action; false when there are no more.
  bool advance() {
    const HeardRow* heard = heard_ < call_.received.size() ? &call_.received[heard_] : nullptr;
    const std::optional<Millis> read = heard ? std::optional(std::max(heard->t, now_)) : std::nullopt;
    const bool waits = timer_ && timer_->kind != TimerKind::finalize_wait;
    const TimeoutRow* const recorded = waits ? nextTimeout() : nullptr;
    const HeardRow* const again = recorded ? heardAgain() : nullptr;
    // If the server receives a notification of its own before the node has sent it, a time-out caused it.
    if (timer_ && (!read || *read > timer_->due || heard == again)) {
      // Or the server read the next notification in time, by its own clock.
      const bool race = read && *read <= timer_->due + tardy_ms;
      if (!waits) {
        if (!race || !call_.t_end || *call_.t_end < *read + config_.finalize_wait_ms) {
          fire(timer_->due, false);
          return true;
        }
      } else if (recorded && began(*recorded, again) <= timer_->due + tardy_ms) {
        silence(*recorded, again);
        return true;
      } else if (!race) {
        if (!read && (!call_.t_end || timer_->due + tardy_ms > *call_.t_end)) return false;
        differ("the node's wait is over at " + std::to_string(timer_->due) +
               " ms and it broadcasts again; the server logged no time-out then");
        return true;
      }
    }
    if (!heard) return false;
    hear(*heard);
    return true;
  }

  void hear(const HeardRow& heard) {
    at_ = heard_++;
    now_ = std::max(now_, heard.t);
    const Notification notification = heard.notification();
    if (heard.from == call_.sid) hearItself(notification);
    if (!verdict_) step(V::Received{election_link, heard.from, notification});
  }

  /// The next of the server's own notifications must be the next that the node sent to itself.
  void hearItself(const Notification& notification) {
    ++own_rows_;
    // Whether an old notification is answered depends on whether it is old when the receiving thread sees it,
    // which may be just before the server proceeds to a later round.
    while (own_read_ < own_sent_.size() && own_sent_[own_read_].answer &&
           !(own_sent_[own_read_].notification == notification)) {
      ++own_read_;
    }
    if (own_read_ < own_sent_.size() && own_sent_[own_read_].notification == notification) {
      ++own_read_;
      return;
    }
    differ("the server received " + said(notification) + " from itself, the node had sent itself " +
           (own_read_ < own_sent_.size() ? said(own_sent_[own_read_].notification) : "nothing more"));
  }

  /// How many broadcasts of the node the server has not received from itself.
  std::int64_t unheard() const {
    return std::count_if(own_sent_.begin() + static_cast<std::ptrdiff_t>(own_read_), own_sent_.end(),
                         [](const OwnSent& sent) { return !sent.answer; });
  }

  /// How many answers of the node to itself the server has not received.
  std::int64_t unheardAnswers() const {
    return std::count_if(own_sent_.begin() + static_cast<std::ptrdiff_t>(own_read_), own_sent_.end(),
                         [](const OwnSent& sent) { return sent.answer; });
  }

  /// The wait for a notification is over; the server logs this after it has broadcast again and before it
  /// continues to read.
  void silence(const TimeoutRow& recorded, const HeardRow* again) {
    if (const Millis t = began(recorded, again); t < timer_->due - tardy_ms) {
      return differ("the server timed out at " + std::to_string(t) + " ms, the node's wait ends at " +
                    std::to_string(timer_->due) + " ms");
    }
    // For an observer, which does not receive its own notifications, only the count shows whether it
    // broadcast.
    const std::int64_t differing = static_cast<std::int64_t>(call_.proposals_broadcast.size());
    const bool spoke = call_.voter ? again != nullptr : repeated_ < call_.broadcasts - differing;
    ++timed_out_;
    next_wait_.reset();
    fire(std::max(now_, recorded.t), !spoke);
    if (!verdict_ && next_wait_ && *next_wait_ != recorded.next_wait_ms) {
      differ("after the time-out at " + std::to_string(recorded.t) + " ms the server waits " +
             std::to_string(recorded.next_wait_ms) + " ms, the node " + std::to_string(*next_wait_) + " ms");
    }
  }

  /// The notification that the server received from itself because it broadcast again at the next time-out;
  /// empty if it did not.
  const HeardRow* heardAgain() const {
    std::size_t next = own_rows_ + static_cast<std::size_t>(unheard());
    // Its answers to its own old notifications look the same, and come before the wait is over.
    for (std::int64_t answers = unheardAnswers(); answers > 0 && next < own_heard_.size();
         --answers, ++next) {
      if (own_heard_[next]->t >= timer_->due - tardy_ms) break;
    }
    if (next >= own_heard_.size()) return nullptr;
    const HeardRow* const heard = own_heard_[next];
    if (!(heard->notification() == Notification{Role::LOOKING, node_.proposal})) return nullptr;
    if (timed_out_ + 1 < call_.timeouts.size()) {
      const TimeoutRow& timeout = call_.timeouts[timed_out_];
      const Millis later = call_.timeouts[timed_out_ + 1].t;
      if (heard->t >= std::min(later, timeout.t + timeout.next_wait_ms)) return nullptr;
    }
    return heard;
  }

  /// When a time-out's broadcast began, as far as the record shows. Its line is logged when the broadcast is
  /// done, and the server may have been delayed within it; by then it has often received its own
  /// notification.
  static Millis began(const TimeoutRow& timeout, const HeardRow* again) {
    return again ? std::min(again->t, timeout.t) : timeout.t;
  }

  const TimeoutRow* nextTimeout() const {
    return timed_out_ < call_.timeouts.size() ? &call_.timeouts[timed_out_] : nullptr;
  }

  void fire(Millis when, bool undelivered) {
    now_ = std::max(now_, when);
    const TimerKind kind = timer_->kind;
    timer_.reset();
    step(V::Fired{{kind, no_server}, undelivered});
  }

  void step(const V::Input& input) {
    V::Effects effects;
    Family::stepServer(config_, rules_, node_, input, effects);
    take(effects);
  }

  void take(const V::Effects& effects) {
    std::vector<std::pair<ServerId, Notification>> sent;
    last_words_.clear();
    for (const auto& effect : effects) {
      visit(Overloaded{
                [&](const V::Send& send) {
                  const auto* notification = get_if<Notification>(&send.message);
                  if (send.link == election_link && notification) sent.emplace_back(send.to, *notification);
                },
                [&](const V::SetTimer& set) {
                  timer_ = {set.timer.kind, now_ + set.lo};
                },
                [&](const V::CancelTimer& cancel) {
                  if (timer_ && timer_->kind == cancel.timer.kind) timer_.reset();
                },
                [&](const V::Emit& emit) { note(emit.event); },
                [](const auto&) {},
            },
            effect);
      if (decided_) break;  // what follows belongs to the role
    }
    const bool to_all = isBroadcast(sent);
    for (const auto& [to, notification] : sent) {
      if (to == call_.sid) own_sent_.push_back({notification, !to_all});
    }
    if (to_all) broadcast(sent.front().second.vote);
  }

  void note(const Context::Event& event) {
    if (holds_alternative<QuorumCounted>(event)) quorum_at_ = at_;
    if (holds_alternative<Reopened>(event)) quorum_at_.reset();
    if (const auto* silent = get_if<Silent>(&event)) next_wait_ = silent->next_wait_ms;
    if (const auto* decided = get_if<Decided>(&event)) {
      decided_ = decided->vote;
      if (!quorum_at_) quorum_at_ = at_;  // by joining
    }
    if (const std::string words = tell<Unread>(names, call_.sid, event).english(); !words.empty()) {
      last_words_ += (last_words_.empty() ? "" : "; ") + words;
    }
  }

  /// The same message to every voter: an answer is sent to one.
  bool isBroadcast(const std::vector<std::pair<ServerId, Notification>>& sent) const {
    if (sent.empty()) return false;
    return std::all_of(config_.members.begin(), config_.members.end(), [&](const Member& member) {
      const bool alone = call_.voters.size() == 1;
      if (member.observer || (member.id == call_.sid && !alone)) return true;
      return std::any_of(sent.begin(), sent.end(), [&](const auto& one) { return one.first == member.id; });
    });
  }

  void broadcast(const Vote& vote) {
    ++broadcasts_;
    if (last_broadcast_ && *last_broadcast_ == vote) {
      ++repeated_;
      return;
    }
    last_broadcast_ = vote;
    if (at_) decisive_.insert(*at_);
    const auto& recorded = call_.proposals_broadcast;
    if (differing_ >= recorded.size()) {
      return differ("the node broadcasts " + said({Role::LOOKING, vote}) + ", the server nothing more");
    }
    const Vote expected = recorded[differing_++].vote();
    if (!(expected == vote)) {
      differ("the node broadcasts " + said({Role::LOOKING, vote}) + ", the server " +
             said({Role::LOOKING, expected}) +
             (expected.peer_epoch != vote.peer_epoch ? " with epochs " + std::to_string(vote.peer_epoch) +
                                                           " and " + std::to_string(expected.peer_epoch)
                                                     : ""));
    }
  }

  void finish() {
    if (call_.result) {
      if (!decided_) return stillLooks();
      const Role role = node_.role;
      const ResultRow& result = *call_.result;
      if (decided_->leader != result.leader || decided_->zxid != result.zxid.value || role != result.state) {
        return differ("the node is " + std::string(enumName(role)) + " with the vote for " +
                      std::to_string(decided_->leader) + ", " + text(decided_->zxid) + "; the server " +
                      std::string(enumName(result.state)) + " with " + std::to_string(result.leader) + ", " +
                      text(result.zxid.value));
      }
    } else if (decided_) {
      if (heard_ < call_.received.size() || (call_.t_end && now_ + tardy_ms < *call_.t_end))
        return differ("the node decides for " + std::to_string(decided_->leader) + ", the server continued");
      return undecidable("the recording ends before the server could decide, as the node does", at_);
    }
    if (differing_ < call_.proposals_broadcast.size()) {
      return differ("the server continued with the broadcast of " +
                    said({Role::LOOKING, call_.proposals_broadcast[differing_].vote()}));
    }
    if (hearTheRest(); verdict_) return;
    // A server broadcast as often as it received its own notification. The count in its log may be higher: if
    // it was delayed within a broadcast, a log may show two. The count also includes broadcasts that the call
    // ended too soon to receive.
    if ((!call_.voter || unheard() > 0) && call_.broadcasts != broadcasts_) {
      return differ("the node broadcast " + std::to_string(broadcasts_) + " times, the server " +
                    std::to_string(call_.broadcasts) + " times");
    }
    if (timed_out_ < call_.timeouts.size()) {
      return differ("the server timed out at " + std::to_string(call_.timeouts[timed_out_].t) +
                    " ms, the node had decided");
    }
    agree();
  }

  /// The notifications of its own that the server still received after the node had decided.
  void hearTheRest() {
    std::int64_t answers = old_ - std::count_if(own_sent_.begin(), own_sent_.end(),
                                                [](const OwnSent& sent) { return sent.answer; });
    for (; !verdict_ && heard_ < call_.received.size(); ++heard_) {
      const HeardRow& heard = call_.received[heard_];
      if (heard.from != call_.sid) continue;
      const bool expected =
          own_read_ < own_sent_.size() && own_sent_[own_read_].notification == heard.notification();
      // The receiving thread answers as long as the other one has not left.
      if (!expected && answers-- > 0) continue;
      hearItself(heard.notification());
    }
  }

  /// Regardless of the rules, a server sends only its own vote and votes it received before, and receives its
  /// own notifications no more often than it broadcast. If that does not hold, the record is incomplete.
  void lookForContradictions() {
    for (std::size_t i = 0; i < call_.received.size(); ++i) {
      const HeardRow& heard = call_.received[i];
      if (heard.from == call_.sid && !wasTold(i)) {
        return undecidable(
            "the server sent " + said(heard.notification()) + " in round " + std::to_string(heard.round) +
                ", which nothing recorded before explains: a notification that it read is not recorded",
            i);
      }
    }
    // A notification that is old when it comes back may be answered, and the answer is received, too.
    const std::int64_t spoke = static_cast<std::int64_t>(own_heard_.size()) - old_;
    if (call_.broadcasts < spoke) {
      undecidable("the server received its own broadcast " + std::to_string(spoke) +
                      " times, and its log counts " + std::to_string(call_.broadcasts),
                  std::nullopt);
    }
  }

  /// Whether the server's own notification at `own` carried its own vote or another's, and its own round or
  /// another's, judged by what had arrived until then.
  bool wasTold(std::size_t own) const {
    const auto vote = [](const auto& row) { return std::tuple(row.leader, row.zxid.value, row.peer_epoch); };
    const HeardRow& heard = call_.received[own];
    bool of_vote = vote(heard) == vote(call_.own);
    bool of_round = heard.round == call_.round;
    for (std::size_t i = 0; i < own; ++i) {
      const HeardRow& other = call_.received[i];
      if (other.from == call_.sid) continue;
      of_vote = of_vote || vote(other) == vote(heard);
      of_round = of_round || other.round == heard.round;
    }
    return of_vote && of_round;
  }

  void stillLooks() {
    const ServerId leader = call_.result->leader;
    const bool named =
        leader == call_.sid || std::any_of(call_.received.begin(), call_.received.end(),
                                           [&](const HeardRow& heard) { return heard.leader == leader; });
    if (!named) return undecidable("no recorded notification names server " + std::to_string(leader), at_);
    if (call_.voter && own_heard_.empty())
      return undecidable("what the server sent to itself is not recorded", at_);
    differ("the server decided for " + std::to_string(leader) + ", the node is still LOOKING");
  }

  void agree() {
    const std::optional<Millis> late =
        decided_ && call_.t_end ? std::optional(*call_.t_end - now_) : std::nullopt;
    if (call_.result && late && (*late > tardy_ms || *late < -tardy_ms)) {
      return differ("the node decides at " + std::to_string(now_) + " ms, the server at " +
                    std::to_string(*call_.t_end) + " ms");
    }
    verdict_.emplace();
    verdict_->late_ms = late;
  }

  void undecidable(const std::string& why, std::optional<std::size_t> at) {
    verdict_ = {Agreement::undecidable, why, at, std::nullopt, {}};
  }

  void differ(const std::string& what) {
    if (verdict_) return;
    std::string where;
    if (at_) {
      const HeardRow& heard = call_.received[*at_];
      where = "at notification " + std::to_string(*at_) + ", " + said(heard.notification()) + " from " +
              std::to_string(heard.from) + ": ";
    }
    verdict_ = {Agreement::differs,
                where + what + (last_words_.empty() ? "" : " [" + last_words_ + "]"),
                at_,
                std::nullopt,
                {}};
  }

  /// How much later than its timer a server's thread may run.
  static constexpr Millis tardy_ms = 100;

  const ElectionCall& call_;
  const BroadcastRules& rules_;
  const Config config_;
  Family::Node node_;
  Millis now_;
  std::optional<Armed> timer_;
  std::vector<const HeardRow*> own_heard_;  ///< the server's own among `received`
  std::vector<OwnSent> own_sent_;           ///< the node's to itself
  std::size_t own_rows_ = 0;                ///< of own_heard_
  std::int64_t old_ = 0;                    ///< of own_heard_, of an earlier round than others' before
  std::size_t own_read_ = 0;                ///< of own_sent_
  std::size_t heard_ = 0;                   ///< of call_.received
  std::optional<std::size_t> at_;           ///< the last one read
  std::size_t timed_out_ = 0;               ///< of call_.timeouts
  std::size_t differing_ = 0;               ///< of call_.proposals_broadcast
  std::int64_t broadcasts_ = 0;
  std::int64_t repeated_ = 0;
  std::optional<Vote> last_broadcast_;
  std::optional<Millis> next_wait_;
  std::optional<Vote> decided_;
  std::set<std::size_t> decisive_;        ///< at these it broadcast another vote
  std::optional<std::size_t> quorum_at_;  ///< at this the quorum that decided was complete
  std::string last_words_;                ///< description of the node's last step
  std::optional<ElectionVerdict> verdict_;
};

/// What a leader sent to one learner before NEWLEADER.
struct Packets {
  SyncMode mode = SyncMode::NONE;
  Zxid zxid;
  std::vector<Zxid> proposals;
  std::vector<Zxid> commits;
};

Packets packetsOf(const V::Effects& effects) {
  Packets packets;
  bool before = true;
  const auto first = [&](SyncMode mode, Zxid zxid) {
    packets.mode = mode;
    packets.zxid = zxid;
  };
  for (const auto& effect : effects) {
    const auto* send = get_if<V::Send>(&effect);
    if (!send || !before) continue;
    visit(Overloaded{
              [&](const Diff& diff) { first(SyncMode::DIFF, diff.to); },
              [&](const Trunc& trunc) { first(SyncMode::TRUNC, trunc.to); },
              [&](const BasicSnap<Unread>& snap) { first(SyncMode::SNAP, snap.snapshot.last); },
              [&](const BasicProposal<Unread>& proposal) { packets.proposals.push_back(proposal.txn.zxid); },
              [&](const Commit& commit) { packets.commits.push_back(commit.zxid); },
              [&](const NewLeader&) { before = false; },
              [](const auto&) {},
          },
          send->message);
  }
  return packets;
}

}  // namespace

ElectionVerdict conform(const ElectionCall& call, const BroadcastRules& rules) {
  return Replay(call, rules).run();
}

SyncVerdict conform(const SyncDecision& decision, const BroadcastRules& rules) {
  Config config;
  config.members = {{.id = decision.leader}, {.id = decision.learner, .observer = !decision.voter}};
  config.log_to_snapshot_permille = decision.txnLog.usable ? 0 : -1;
  Family::Node node = Family::blank(decision.leader);
  node.role = Role::LEADING;
  node.phase = Phase::synchronization;
  node.last_processed = decision.lastProcessedZxid.value;
  node.committed_log = transactions(decision.committedLog);
  node.files.log = transactions(decision.txnLog.zxids);
  node.epoch = node.last_processed.epoch();
  node.learners[decision.learner] = {
      .observer = !decision.voter, .stage = LearnerStage::promised, .last = decision.peerLastZxid.value};
  V::Effects effects;
  synchronize(Context{config, rules, node, effects}, decision.learner);

  const Packets packets = packetsOf(effects);
  const auto differs = [](const std::string& what, const std::string& mine, const std::string& servers) {
    return SyncVerdict{Agreement::differs, what + ": the node " + mine + ", the server " + servers};
  };
  const auto mode = [](SyncMode op, Zxid zxid) { return std::string(enumName(op)) + " " + text(zxid); };
  const Zxid servers_zxid = decision.sent.zxid.value;
  // A SNAP names what the leader has processed when the snapshot is taken, not when SNAP was decided. In
  // between it may have begun to serve: then that is the zero of its epoch.
  const bool activated = packets.mode == SyncMode::SNAP && servers_zxid.counter() == 0 &&
                         servers_zxid.epoch() > packets.zxid.epoch();
  if (packets.mode != decision.sent.op || (packets.zxid != servers_zxid && !activated)) {
    return differs("first packet", mode(packets.mode, packets.zxid), mode(decision.sent.op, servers_zxid));
  }
  const auto count = [&](const std::vector<Zxid>& mine, std::int64_t servers) {
    const auto size = static_cast<std::int64_t>(mine.size());
    return decision.truncated ? size >= servers : size == servers;
  };
  if (!count(packets.proposals, decision.proposals_before_NEWLEADER)) {
    return differs("proposals", std::to_string(packets.proposals.size()),
                   std::to_string(decision.proposals_before_NEWLEADER));
  }
  if (!count(packets.commits, decision.commits_before_NEWLEADER)) {
    return differs("commits", std::to_string(packets.commits.size()),
                   std::to_string(decision.commits_before_NEWLEADER));
  }
  if (decision.first_last) {
    const Zxid first = packets.proposals.front();
    const Zxid last = packets.proposals[static_cast<std::size_t>(decision.proposals_before_NEWLEADER) - 1];
    if (first != decision.first_last->first.value || last != decision.first_last->last.value) {
      return differs("proposals", text(first) + " to " + text(last),
                     text(decision.first_last->first.value) + " to " + text(decision.first_last->last.value));
    }
  }
  return {};
}

}  // namespace zablab::zab

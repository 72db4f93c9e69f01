// The account of a run: what clients were answered, who still waits and for whom, and which acknowledged
// writes nobody can read any more. The result of a run, its explanation, comparisons and random runs all read
// it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/clients/clients.h"
#include "sim/phrase.h"

namespace zablab {

class Account : public AnyListener {
 public:
  /// A write that was answered successfully.
  struct Write {
    ServerId client = no_server;
    std::int64_t number = 0;  ///< the request's
    ServerId by = no_server;  ///< whose message the client was answered by
    Millis asked_at = 0;
    Millis sent_at = 0;  ///< when that server was asked first
    Millis answered_at = 0;
    std::optional<std::uint64_t> event;  ///< of the answer, in the trace
    Value said;                          ///< the event
    Serving serving;                ///< who would answer a read of it, when it was answered or followed last
    std::optional<Millis> lost_at;  ///< since when nobody could read it
    std::optional<std::uint64_t> lost_by;  ///< the event in the trace by which it was lost
  };
  struct Ended : ClientAnswer {
    std::optional<Millis> asked_at;  ///< empty: not in this run
  };
  /// A request that has no answer.
  struct Waiting {
    ServerId client = no_server;
    std::int64_t number = 0;
    Millis since = 0;
    std::map<ServerId, Millis> asked;  ///< servers, and when it has sent them something first since then
    std::set<ServerId> owed_by;  ///< of them, those that it has not heard from since, on this connection
  };

  /// `follow_losses`: whether it notes when a write is lost; otherwise it is known at the end only.
  Account(ScenarioRun& run, std::unique_ptr<ClientsView> view, bool follow_losses);

  void on(const AnyHappened& happened) override;

  const std::vector<Write>& writes() const { return writes_; }
  /// Whether reads of it are answered by the same, as far as the account has followed it.
  bool isServedBySame(const Write& write) const { return view_->readFrom(write.said) == write.serving; }
  /// Whether this server has it.
  bool has(int server, const Write& write) const { return view_->has(server, write.said); }
  /// Those that nobody can read now.
  std::vector<const Write*> lost();
  std::vector<Waiting> waiting() const;
  /// The end of a request that was reported last of all that has happened.
  const std::optional<Ended>& ended() const { return ended_; }

  /// In a trace's header: numbers of what was answered, lost and not answered. Null: clients were asked
  /// nothing.
  Json written();
  /// In sentences.
  std::vector<Phrase> told();

 private:
  ServerId idOf(int node) const { return run_.cluster().ids[static_cast<std::size_t>(node)]; }
  bool isClient(int node) const { return node >= run_.cluster().serverCount(); }
  void onClient(const AnyHappened& happened);
  void onAnswer(const AnyHappened& happened, const ClientAnswer& answer);
  /// Who would answer reads may be another one now.
  void follow();
  void look(Write& write);

  /// Writes that are read from the same server.
  struct Part {
    Value write;  ///< one of them
    Serving serving;
  };

  ScenarioRun& run_;
  std::unique_ptr<ClientsView> view_;
  bool follow_losses_;
  std::size_t asked_ = 0;  ///< requests
  std::optional<Ended> ended_;
  std::map<ServerId, std::map<std::int64_t, Waiting>> waiting_;  ///< by client and request
  std::map<ServerId, ServerId> heard_from_;                      ///< by client, in its present step
  std::vector<Write> writes_;
  std::map<std::int64_t, Part> parts_;  ///< that are followed
};

}  // namespace zablab

#include "checker/zab_register/swarm.h"

#include <array>
#include <string>
#include <utility>

#include "checker/zab/swarm_impl.h"
#include "protocol/zab_register/family.h"

namespace zablab::zab {
namespace {

class RegisterSwarm : public BroadcastSwarm<Register> {
 public:
  using BroadcastSwarm::BroadcastSwarm;

 private:
  Json turn(ServerId server) const override { return {{"connect", server}}; }

  void drawWorkload() override {
    Draws draws = drawsOf(Topic::workload);
    const std::int64_t clients = draws(0, 1, 2);
    for (std::int64_t i = 0; i < clients; ++i) {
      const ServerId client = first_client + i;
      scenario().clients.push_back({.id = client, .name = {}, .server = anyone(draws, 1)});
      for (std::int64_t burst = draws(2, 2, 6); burst > 0; --burst) {
        const Millis when = draws(3, 300, chaosMs());
        if (draws.chance(4, 500)) ask(when, client, turn(anyone(draws, 5)));
        const std::int64_t times = draws(6, 1, 4);
        const Millis every = draws(7, 5, 200);
        const std::int64_t what = draws(8, 0, 9);
        // A distinct value, so that it is not taken for the request's number.
        const Json value = what < 7 ? Json(draws(9, 1000, 9999)) : Json(true);
        const std::int64_t session = what < 7 ? draws(10, 0, 9) : 0;
        const char* word = what >= 9      ? "sync"
                           : what >= 7    ? "read"
                           : session == 8 ? "open_session"
                           : session == 9 ? "close_session"
                                          : "write";
        ask(when, client, {{word, value}}, times, every);
      }
    }
  }

  void drawProbe(ServerId probe, Millis first_ask, Millis every) override {
    for (const char* word : {"write", "read", "sync"})
      ask(first_ask, probe, {{word, true}}, recovery_ms / every - 1, every);
    for (const char* operation : {"put", "read", "sync"}) {
      expectAnswer({{"kind", "answered"}, {"node", probe}, {"operation", operation}, {"outcome", "ok"}});
    }
  }

  void drawChanges(Millis when, ServerId server, std::int64_t count, Millis every) override {
    ask(when, first_client, turn(server));
    ask(when, first_client, {{"write", true}}, count, every);
  }
};

}  // namespace

DrawnRun drawRun(const FuzzShape& shape, Choices& choices, const std::set<ServerId>& unable) {
  return RegisterSwarm(shape, choices, unable).draw();
}

}  // namespace zablab::zab

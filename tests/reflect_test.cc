// Field lists are complete and encodings are exact, for every struct of the ZAB family. A forgotten field
// would silently merge states.
#include "protocol/reflect.h"

#include <doctest/doctest.h>

#include <boost/pfr.hpp>
#include <tuple>

#include "protocol/zab_register/family.h"
#include "sim/direct.h"
#include "tests/histories.h"

namespace zablab {
namespace {

using namespace zab;

/// Changes `value` to a different value.
template <class T>
void change(T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = !value;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(static_cast<std::underlying_type_t<T>>(value) + 1);
  } else if constexpr (std::is_integral_v<T>) {
    ++value;
  } else if constexpr (reflect_detail::IsOptional<T>::value) {
    value ? value.reset() : static_cast<void>(value.emplace());
  } else if constexpr (reflect_detail::IsVariant<T>::value) {
    visit([](auto& alternative) { change(alternative); }, value);
  } else if constexpr (requires { typename T::mapped_type; }) {
    value[typename T::key_type{77}];
  } else if constexpr (requires { typename T::key_type; }) {
    value.insert(typename T::key_type{77});
  } else if constexpr (reflect_detail::Container<T>) {
    value.resize(value.size() + 1);
  } else {
    bool first = true;
    forEachField(value, [&](const char*, auto& field) {
      if (std::exchange(first, false)) change(field);
    });
  }
}

template <class T>
constexpr std::size_t describedFields() {
  return boost::mp11::mp_size<boost::describe::describe_members<
      T, boost::describe::mod_public | boost::describe::mod_inherited>>::value;
}

template <class T>
void checkStruct() {
  // Every field is described ...
  using Bases = boost::describe::describe_bases<T, boost::describe::mod_any_access>;
  if constexpr (boost::mp11::mp_empty<Bases>::value)
    CHECK(boost::pfr::tuple_size_v<T> == describedFields<T>());
  // ... and each one is part of the encoding, of equality and of the hash.
  const T original{};
  for (std::size_t i = 0; i < describedFields<T>(); ++i) {
    T changed = original;
    std::size_t at = 0;
    const char* name = "";
    forEachField(changed, [&](const char* field_name, auto& field) {
      if (at++ != i) return;
      name = field_name;
      change(field);
    });
    CAPTURE(std::string(name));
    if (std::is_same_v<T, Server<Family>> && name == std::string("awaited"))
      continue;  // it has no fields here
    CHECK(encode(changed) != encode(original));
    CHECK(contentHash(changed) != contentHash(original));
    CHECK_FALSE(changed == original);
    CHECK(decode<T>(encode(changed)) == changed);
  }
}

/// The encoding of `value` is refused if it is cut off anywhere or one byte too long.
template <class T>
void checkLength(const T& value) {
  Bytes bytes = encode(value);
  CHECK(decode<T>(bytes) == value);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK_THROWS_AS(decode<T>(std::span(bytes).first(length)), DecodeError);
  }
  bytes.push_back(0);
  CHECK_THROWS_AS(decode<T>(bytes), DecodeError);
}

template <class Variant>
void checkAlternatives() {
  boost::mp11::mp_for_each<boost::mp11::mp_iota<boost::mp11::mp_size<Variant>>>([](auto index) {
    using T = boost::variant2::variant_alternative_t<index, Variant>;
    checkStruct<T>();
    const Variant wrapped = T{};
    CHECK(encode(wrapped).front() == index);
    checkLength(wrapped);
  });
}

Node fullNode() {
  Node node;
  node.self = 3;
  node.role = Role::LEADING;
  node.files = {.accepted_epoch = 5, .current_epoch = 4, .snapshot = upTo(Zxid::of(4, 2))};
  node.history = node.files.snapshot->history;
  node.last_processed = Zxid::of(4, 2);
  node.clients = {{101, {{Operation::put, 7}}}, {102, {}}};
  node.current_vote = {3, Zxid::of(5, 17), 5, 2};
  node.recvset = {{1, {node.current_vote, Role::FOLLOWING}}, {3, {node.current_vote, Role::LEADING}}};
  node.outofelection = {{2, {{1, zxid_unusable, epoch_of_observer, -1}, Role::LOOKING}}};
  node.leader = 3;
  node.learners = {{1, {.stage = LearnerStage::syncing, .awaited = Zxid::of(5, 1)}},
                   {200, {.observer = true}}};
  node.outstanding_proposals.push_back({Txn{Zxid::of(5, 1), {TxnKind::put, 8, 101, 7}}, {1, 3}});
  node.pending_syncs = {{Zxid::of(5, 1), 1, 102, 9}};
  return node;
}

TEST_CASE("reflect: every field of every struct counts") {
  checkStruct<Zxid>();
  checkStruct<Vote>();
  checkStruct<Ballot>();
  checkStruct<Member>();
  checkStruct<Config>();
  checkStruct<Rules>();
  checkStruct<Durable>();
  checkStruct<BasicServer<Register>>();
  checkStruct<Node>();
  checkStruct<RegisterState>();
  checkStruct<Write>();
  checkStruct<NodeConfig>();
  checkStruct<BoxEntry>();
  checkStruct<Txn>();
  checkStruct<Snapshot>();
  checkStruct<Request>();
  checkStruct<Learner>();
  checkStruct<Outstanding>();
  checkStruct<PendingSync>();
  checkStruct<Waiting>();
  checkStruct<Client>();
  checkAlternatives<Message>();
  checkAlternatives<Record>();
  checkAlternatives<Event>();
}

TEST_CASE("reflect: every field of every component counts") {
  checkStruct<Server<Family>>();
  checkStruct<Disk<Family>>();
  checkStruct<Channel<Message>>();
  checkStruct<GatedSend<Message>>();
  checkStruct<PairSet>();
  checkStruct<WorldValue<Family>>();
  // A Network has constructors, so its fields cannot be counted; each described one is changed nevertheless.
  CHECK(describedFields<Network>() == 4);
}

TEST_CASE("reflect: pairs and arrays are read as they were written") {
  const std::vector<std::pair<std::string, std::array<int, 2>>> value{{"a", {1, -2}}, {"", {0, 300}}};
  CHECK(decode<std::remove_const_t<decltype(value)>>(encode(value)) == value);
  const Bytes three = encode(std::array<int, 3>{1, 2, 3});
  CHECK_THROWS_WITH_AS((decode<std::array<int, 2>>(three)), "an array has another length", DecodeError);
}

TEST_CASE("reflect: an encoding that is too short or too long is refused") {
  checkLength(fullNode());
  checkLength(Durable{.accepted_epoch = 5,
                      .current_epoch = 4,
                      .snapshot = upTo(Zxid::of(4, 1)),
                      .log = {txnAt({1}), txnAt({2})},
                      .log_files = {{2}}});
  checkLength(Message{Notification{Role::LOOKING, {1, Zxid::of(1, 300), 1, 1}}});
  checkLength(Message{Snap{upTo(Zxid::of(1, 3))}});
  checkLength(std::string("abc"));
  checkLength(std::int64_t{-70'000});
}

TEST_CASE("reflect: bytes that are not an encoding are refused") {
  const auto refused = [](auto type, Bytes bytes) {
    using T = decltype(type);
    CHECK_THROWS_AS(decode<T>(bytes), DecodeError);
  };
  refused(Message{}, {variant_size_v<Message>});                   // no such alternative
  refused(std::vector<std::int64_t>{}, {0xff, 0xff, 0xff, 0x7f});  // a length beyond the end
  refused(std::uint64_t{}, Bytes(11, 0x80));                       // a number without end
  refused(std::string{}, {0x03, 'a', 'b'});
}

TEST_CASE("reflect: the encoding and the hash are frozen") {
  CHECK(encode(std::int64_t{0}) == Bytes{0});
  CHECK(encode(std::int64_t{-1}) == Bytes{1});
  CHECK(encode(std::int64_t{300}) == Bytes{0xd8, 0x04});
  CHECK(encode(std::uint8_t{200}) == Bytes{0xc8, 0x01});
  CHECK(encode(std::optional<bool>{}) == Bytes{0});
  CHECK(encode(std::optional<bool>{true}) == Bytes{1, 1});
  CHECK(encode(std::string("ab")) == Bytes{2, 'a', 'b'});
  CHECK(encode(Vote{2, Zxid::of(0, 3), 1, 4}) == Bytes{4, 6, 2, 8});
  CHECK(decode<std::int64_t>(encode(std::numeric_limits<std::int64_t>::min())) ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(hashBytes({}) == 0xe220a8397b1dcdafULL);  // SplitMix64's first output from 0
  CHECK(mix64(1) == 0x910a2dec89025cc1ULL);
  CHECK(contentHash(std::string("zookeeper")) == 7505968115034058750ULL);
  CHECK(contentHash(fullNode()) == 4733816545544976071ULL);
}

TEST_CASE("reflect: names of enumerators, both ways") {
  CHECK(enumName(Role::OBSERVING) == "OBSERVING");
  CHECK(enumFromName<Role>("LEADING") == Role::LEADING);
  CHECK(!enumFromName<Role>("leading"));
  CHECK(enumName(static_cast<Role>(9)) == "?");
}

}  // namespace
}  // namespace zablab

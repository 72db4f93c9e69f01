#include "checker/check/checkpoint.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "checker/check/search.h"
#include "sim/family.h"

namespace zablab {
namespace {

constexpr std::string_view beginning = "zablab checkpoint 1\n";
constexpr const char* new_ending = ".new";

std::uint64_t hashOfFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(1U << 20);
  std::uint64_t hash = 0;
  do {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    hash = mix64(hash ^ hashBytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), count}));
  } while (file);
  return hash;
}

struct FrameHead {
  std::uint64_t bytes = 0;  ///< 0: the last one
  std::uint64_t hash = 0;
};
constexpr std::uint64_t frame_max = 1U << 30;

}  // namespace

std::uint64_t programHash(const AnyFamily& family) {
  static const std::uint64_t own = hashOfFile("/proc/self/exe");
  // The family's table of virtual functions is in the file that defines it.
  const void* table = nullptr;
  std::memcpy(&table, static_cast<const void*>(&family), sizeof table);
  Dl_info module{}, program{};
  if (dladdr(table, &module) == 0 || dladdr(reinterpret_cast<const void*>(&programHash), &program) == 0 ||
      module.dli_fbase == program.dli_fbase)
    return own;
  return mix64(own ^ hashOfFile(module.dli_fname));
}

std::string checkpointPath(const std::string& directory) { return directory + "/search.checkpoint"; }

void removeCheckpoint(const std::string& directory) {
  const std::string path = checkpointPath(directory);
  unlink(path.c_str());
  unlink((path + new_ending).c_str());  // of a process that was killed while it wrote
}

CheckpointWriter::CheckpointWriter(const std::string& directory, std::span<const StoredType> types)
    : path_(checkpointPath(directory)), new_path_(path_ + new_ending), values_(types) {
  file_ = open(new_path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) != 0 || ftruncate(file_, 0) != 0) error_ = errno;
  write(beginning.data(), beginning.size());
}

CheckpointWriter::~CheckpointWriter() {
  if (file_ < 0) return;
  if (error_ != EWOULDBLOCK) unlink(new_path_.c_str());  // else it is another search's
  close(file_);
}

void CheckpointWriter::put(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  frame_.insert(frame_.end(), from, from + bytes);
  endOfItem();
}

void CheckpointWriter::writeFrame() {
  const FrameHead head{frame_.size(), hashBytes(frame_)};
  write(&head, sizeof head);
  write(frame_.data(), frame_.size());
  frame_.clear();
}

void CheckpointWriter::write(const void* data, std::size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0 && error_ == 0) {
    const ssize_t done = ::write(file_, from, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      error_ = errno;
      return;
    }
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

std::string CheckpointWriter::finish() {
  if (!frame_.empty()) writeFrame();
  const FrameHead last;
  write(&last, sizeof last);
  if (error_ == 0 && fsync(file_) != 0) error_ = errno;
  if (error_ == 0 && std::rename(new_path_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ == EWOULDBLOCK) return "another search is writing one";
  if (error_ != 0) return std::strerror(error_);
  close(file_);
  file_ = -1;
  const std::string directory = path_.substr(0, path_.rfind('/'));
  if (const int opened = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) {
    fsync(opened);  // the new name
    close(opened);
  }
  return {};
}

CheckpointReader::CheckpointReader(const std::string& directory, std::span<const StoredType> types)
    : path_(checkpointPath(directory)), values_(types) {
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0 && errno == ENOENT) return;
  if (file_ < 0) refuse(std::string("it cannot be read: ") + std::strerror(errno));
  std::string found(beginning.size(), '\0');
  read(found.data(), found.size());
  if (found != beginning) refuse("this is not a checkpoint, or that of another version");
}

CheckpointReader::~CheckpointReader() {
  if (file_ >= 0) close(file_);
}

void CheckpointReader::read(void* data, std::size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::read(file_, to, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) damaged();
    to += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void CheckpointReader::nextFrame() {
  if (at_ < frame_.size()) return;
  FrameHead head;
  read(&head, sizeof head);
  if (head.bytes == 0 || head.bytes > frame_max) damaged();
  frame_.resize(head.bytes);
  read(frame_.data(), frame_.size());
  if (hashBytes(frame_) != head.hash) damaged();
  at_ = 0;
}

void CheckpointReader::get(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  nextFrame();
  if (frame_.size() - at_ < bytes) damaged();
  std::memcpy(data, frame_.data() + at_, bytes);
  at_ += bytes;
}

void CheckpointReader::damaged() const { refuse("the checkpoint is damaged"); }

void CheckpointReader::refuse(const std::string& what, const std::string& help) const {
  throw InputError(path_, std::nullopt, what, help);
}

// ---- what a search stores

namespace {

[[noreturn]] void fullDisk(const CheckpointReader& file) {
  file.refuse("the directory that --scratch names cannot hold what waits", "make room, or name another");
}

/// Of a table, the values in the order of their numbers, with the hashes of their contents.
template <class Table>
void putValues(CheckpointWriter& file, const Table& table) {
  file.put(table.size());
  for (std::uint32_t number = 0; number < table.size(); ++number)
    file.put(std::pair(table.hashes()[number], table[number]));
}
/// Each has to get the number and the hash that it had. `enter` enters a value, and returns its number.
template <class T, class Table, class Enter>
void getValues(CheckpointReader& file, const Table& table, Enter&& enter) {
  const auto count = file.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto [hash, value] = file.get<std::pair<std::uint64_t, T>>();
    if (enter(value) != i || table.hashes()[i] != hash) file.damaged();
  }
}

}  // namespace

void Tables::store(CheckpointWriter& file) const {
  const std::vector<AnyTimer> timers(timers_.begin(),
                                     timers_.begin() + static_cast<std::ptrdiff_t>(timers_count_));
  file.put(timers);
  putValues(file, messages);
  putValues(file, records);
  putValues(file, requests);
  putValues(file, gated);
  putValues(file, durable_keys);
  putValues(file, ages);
  putValues(file, channels);
  putValues(file, disks);
  std::vector<std::uint8_t> owners;
  for (std::uint32_t number = 0; number < servers.size(); ++number)
    owners.push_back(servers.view(number).server);
  file.put(owners);
  putValues(file, servers);
}

void Tables::restore(CheckpointReader& file) {
  const auto timers = file.get<std::vector<AnyTimer>>();
  for (std::size_t i = 0; i < timers.size(); ++i) {
    if (numberOf(timers[i]).key.number != i) file.damaged();
  }
  const auto plain = [&]<class T>(Interned<T>& table) {
    getValues<T>(file, table, [&](const T& value) { return table.number(value); });
  };
  plain(messages);
  plain(records);
  plain(requests);
  plain(gated);
  plain(durable_keys);
  plain(ages);
  getValues<Channel<Value>>(file, channels, [&](const auto& value) { return numberOf(value); });
  getValues<Disk<Any>>(file, disks, [&](const auto& value) { return numberOf(value); });
  const auto owners = file.get<std::vector<std::uint8_t>>();
  std::size_t next = 0;
  getValues<Server<Any>>(file, servers, [&](const auto& value) {
    if (next == owners.size() || owners[next] >= layout_.servers) file.damaged();
    return numberOf(owners[next++], value);
  });
}

void Memories::store(CheckpointWriter& file) const {
  putValues(file, owns);
  putValues(file, shareds);
}

void Memories::restore(CheckpointReader& file) {
  getValues<Value>(file, owns, [&](const Value& value) { return owns.number(value); });
  getValues<Value>(file, shareds, [&](const Value& value) { return shareds.number(value); });
}

void Search::store(CheckpointWriter& file, const Level& blocks, const ScratchFile* scratch) {
  file.put(std::count_if(blocks.begin(), blocks.end(), [](const Block& block) { return block.count() > 0; }));
  for (const Block& block : blocks) {
    if (block.count() == 0) continue;
    const Bytes bytes = block.packed(scratch);
    file.put(std::pair(block.count(), bytes.size()));
    file.put(bytes.data(), bytes.size());
  }
}

void Search::restore(CheckpointReader& file, Level& blocks, ScratchFile* scratch) {
  const auto words = static_cast<std::size_t>(shared_.tables.layout().size);
  for (auto left = file.get<std::ptrdiff_t>(); left > 0; --left) {
    const auto [count, size] = file.get<std::pair<std::size_t, std::size_t>>();
    Bytes bytes(size);
    file.get(bytes.data(), size);
    blocks.emplace_back(words, count, bytes);
    if (!blocks.back().close(scratch)) fullDisk(file);
  }
}

void Search::save(const Level& level, bool between_levels) {
  const auto isWrong = [](const auto& worker) { return !worker->violations.empty(); };
  if (shared_.incomplete || std::any_of(workers_.begin(), workers_.end(), isWrong)) return;
  const std::vector<StoredType> types = shared_.check.storedTypes();
  CheckpointWriter file(options_.checkpoint.directory, types);
  file.put(options_.checkpoint.identity);
  file.put(counts_);
  file.put(between_levels);
  file.put(earlier_ + elapsed());
  file.put(obligations());
  shared_.tables.store(file);
  shared_.memories.store(file);
  for (const auto& looking : shared_.sought) file.put(looking->met);
  auto found = workers_.front()->found;
  for (std::size_t i = 1; i < workers_.size(); ++i)
    found.insert(found.end(), workers_[i]->found.begin(), workers_[i]->found.end());
  file.put(found);
  shared_.set.forEach([&](std::uint64_t print) { file.put(&print, sizeof print); });
  const std::uint64_t ordinals = shared_.next_ordinal;
  file.put(ordinals);
  for (std::uint64_t from = 0; from < ordinals; from += origins_at_once) {
    const auto origins = shared_.origins.from(from, std::min(ordinals - from, origins_at_once));
    file.put(origins.data(), origins.size() * sizeof(Origin));
  }
  store(file, level, shared_.waiting[0].get());
  file.put(workers_.size());
  for (const auto& worker : workers_) store(file, worker->next, shared_.waiting[1].get());
  const std::string failure = file.finish();
  if (!failure.empty() && options_.checkpoint.warn)
    options_.checkpoint.warn("no checkpoint could be written to " +
                             inBackticks(options_.checkpoint.directory) + ": " + failure);
  saved_ = elapsed();
}

bool Search::load(Level& level) {
  const std::vector<StoredType> types = shared_.check.storedTypes();
  CheckpointReader file(options_.checkpoint.directory, types);
  if (!file.exists()) return false;
  const auto identity = file.get<CheckpointIdentity>();
  const CheckpointIdentity& own = options_.checkpoint.identity;
  if (identity.program != own.program)
    file.refuse("this checkpoint was written by another program or version");
  if (identity.model != own.model)
    file.refuse("this checkpoint is that of another model, " + inBackticks(identity.model));
  if (identity.content != own.content)
    file.refuse("this checkpoint is that of a model with other bounds, rules or invariants");
  counts_ = file.get<SearchCounts>();
  counts_.stopped_by.clear();
  const bool between_levels = file.get<bool>();
  earlier_ = file.get<std::uint64_t>();
  earlier_obligations_ = file.get<std::vector<std::uint64_t>>();
  shared_.tables.restore(file);
  shared_.memories.restore(file);
  for (const auto& looking : shared_.sought) looking->met = file.get<std::optional<Met>>();
  workers_.front()->found = file.get<decltype(Worker::found)>();
  const auto tooMany = [&] {
    file.refuse(
        "the search has " + std::to_string(counts_.distinct) + " states, more than its memory can hold",
        "grant it more with --memory");
  };
  const std::uint64_t slots = counts_.distinct / 8 * 10 + 64;
  if (slots * sizeof(std::uint64_t) > options_.memory_max) tooMany();
  if (slots > shared_.set.slots()) shared_.set.grow(slots);
  for (std::uint64_t i = 0; i < counts_.distinct; ++i) {
    std::uint64_t print = 0;
    file.get(&print, sizeof print);
    shared_.set.insert(print);
  }
  const auto ordinals = file.get<std::uint64_t>();
  if (ordinals > shared_.origins.max()) tooMany();
  for (std::uint64_t from = 0; from < ordinals; from += origins_at_once) {
    std::vector<Origin> origins(std::min(ordinals - from, origins_at_once));
    file.get(origins.data(), origins.size() * sizeof(Origin));
    if (!shared_.origins.put(static_cast<std::uint32_t>(from), origins)) fullDisk(file);
  }
  shared_.next_ordinal = ordinals;
  level.clear();
  restore(file, level, shared_.waiting[0].get());
  Level& next = workers_.front()->next;
  for (auto left = file.get<std::size_t>(); left > 0; --left) restore(file, next, shared_.waiting[1].get());
  resumed_ = counts_.distinct;
  return between_levels;
}

}  // namespace zablab

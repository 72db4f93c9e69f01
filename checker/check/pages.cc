#include "checker/check/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <new>

namespace zablab {

Pages::Pages(std::size_t bytes, bool huge) : bytes_(bytes) {
  if (bytes == 0) return;
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    throw AddressesUsedUp(
        "there are no addresses left for a search of so much memory: ask for less with --memory, or raise "
        "ulimit -v");
  data_ = data;
  if (huge) huge_ = madvise(data, bytes, MADV_HUGEPAGE) == 0;
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void Pages::release(std::size_t end) {
  constexpr std::size_t page = std::size_t{2} << 20;
  if (end >= page) madvise(data_, end / page * page, MADV_DONTNEED);
}

std::uint64_t residentBytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0;
  unsigned long resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace zablab

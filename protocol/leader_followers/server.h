// The servers as a part of a family of protocols: their types and their one step function, over a service.
// protocol/leader_followers/server_impl.h contains the definitions, for the one file of each family that
// instantiates them.
#pragma once

#include "protocol/leader_followers/config.h"
#include "protocol/leader_followers/rules.h"
#include "protocol/leader_followers/service.h"

namespace zablab::leader_followers {

template <class S>
struct BasicFamily {
  using V = Vocabulary<BasicTypes<S>>;

  /// A process that has loaded its disk but done nothing else yet.
  static BasicServer<S> loadedServer(ServerId self, const BasicDurable<S>&);
  static void stepServer(const Config&, const Rules&, BasicServer<S>&, const typename V::Input&,
                         typename V::Effects&);
  /// Applies `record` to a disk.
  static void write(BasicDurable<S>&, const BasicRecord<S>&);
};

}  // namespace zablab::leader_followers

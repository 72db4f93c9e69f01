// A struct's list of fields inside the struct, in one line; protocol/reflect.h says what follows from it.
#pragma once

#include <boost/describe.hpp>
#include <string_view>

/// In a struct with the fields `(a, b)`: `ZABLAB_FIELDS(Entry, (a, b));`
#define ZABLAB_FIELDS(Type, fields)              \
  BOOST_DESCRIBE_CLASS(Type, (), fields, (), ()) \
  bool operator==(const Type&) const = default

/// The same for an alternative of a variant (a message, a record, an event, a request), which has a name:
/// `ZABLAB_NAMED(Vote, "VOTE", (term, granted));`
#define ZABLAB_NAMED(Type, its_name, fields)         \
  static constexpr std::string_view name = its_name; \
  ZABLAB_FIELDS(Type, fields)

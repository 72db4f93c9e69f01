#!/usr/bin/env bash
# Runs small ensembles of real ZooKeeper servers on 127.0.0.1, kills leaders, and records what the servers decided.
#
#   scripts/record-zookeeper.sh [DIR]     writes DIR/election_calls.json and DIR/sync_decisions.json (out/zookeeper unless given)
#
# Three stories, described below; together they take half a minute. Which server leads and what is sent to a late server depends on
# timing, so no two recordings are equal; scripts/zookeeper-recordings.py records what happened in this run. Stories that DIR
# holds from an earlier run are replaced.
#
# Needs python3, Java (17 was tried) and the jars of ZooKeeper 3.8.0. On Debian 12:
#   apt-get install --no-install-recommends default-jre-headless libzookeeper-java libslf4j-java python3
# Another build: ZOOKEEPER_CLASSPATH=... with its jars and with log4j 1.2 (or reload4j) behind slf4j.
# The servers listen on 127.0.0.1 from port 21801 on; ZOOKEEPER_PORT=N begins at N+1.
#
# Exit codes: 0 recorded, 1 a story did not go as expected (its logs are kept, and it reports where), 2 something is missing.
set -euo pipefail

case ${1:-} in
  -*)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
    if [ "$1" = --help ]; then exit 0; else exit 2; fi
    ;;
esac
out=${1:-out/zookeeper}
recorder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/zookeeper-recordings.py
first_port=${ZOOKEEPER_PORT:-21800}
jars=/usr/share/java
class_path=${ZOOKEEPER_CLASSPATH:-$jars/zookeeper.jar:$jars/slf4j-log4j12.jar:$jars/log4j-1.2.jar}

refuse() {
  echo "scripts/record-zookeeper.sh: $1" >&2
  exit 2
}

for program in java python3; do
  command -v "$program" >/dev/null || refuse "there is no $program; on Debian 12: apt-get install --no-install-recommends default-jre-headless python3"
done
if [ -z "${ZOOKEEPER_CLASSPATH:-}" ]; then
  IFS=: read -ra wanted_jars <<<"$class_path"
  for jar in "${wanted_jars[@]}"; do
    [ -e "$jar" ] || refuse "there is no $jar; on Debian 12: apt-get install --no-install-recommends libzookeeper-java libslf4j-java"
  done
fi

work=$(mktemp -d)
declare -A process=() # of each running server, and of a story's permanent client
# shellcheck disable=SC2317  # called by the trap
clean_up() {
  local code=$?
  if [ ${#process[@]} -gt 0 ]; then
    kill -9 "${process[@]}" 2>/dev/null || true
  fi
  if [ "$code" -eq 1 ]; then
    echo "The servers' logs are in $work" >&2
  else
    rm -rf -- "$work"
  fi
}
trap clean_up EXIT
trap 'exit 130' INT TERM

# The recorder reads this pattern. TRACE is where packets are, DEBUG where notifications are.
cat >"$work/log4j.properties" <<'PROPERTIES'
log4j.rootLogger=INFO, file
log4j.logger.org.apache.zookeeper.server.quorum=TRACE
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File=${zookeeper.log}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=%d{yyyy-MM-dd HH:mm:ss,SSS}|%p|%t|%c{1}|%m%n
PROPERTIES

# launch_java LOG ARGUMENTS...: the shell, which must be a separate one, becomes a JVM, small and quick to start.
launch_java() {
  local log=$1
  shift
  exec java -Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$class_path" -Dzookeeper.log="$log" \
    -Dlog4j.configuration="file:$work/log4j.properties" "$@"
}

# ---- The operations of a story

say() { echo "  $*"; }

fail() {
  echo "scripts/record-zookeeper.sh: $story: $1" >&2
  exit 1
}

# begin STORY TICK_MS SERVERS: an ensemble of SERVERS empty servers, none running.
begin() {
  story=$1
  servers=$3
  echo "$story"
  local id member
  for ((id = 1; id <= servers; ++id)); do
    mkdir -p "$work/$story/$id/data"
    echo "$id" >"$work/$story/$id/data/myid"
    {
      printf 'tickTime=%s\ninitLimit=10\nsyncLimit=4\nadmin.enableServer=false\n' "$2"
      printf 'dataDir=%s\nclientPortAddress=127.0.0.1\nclientPort=%s\n' "$work/$story/$id/data" $((first_port + id))
      for ((member = 1; member <= servers; ++member)); do
        echo "server.$member=127.0.0.1:$((first_port + 100 + member)):$((first_port + 200 + member))"
      done
    } >"$work/$story/$id/zoo.cfg"
  done
}

# start ID...: each in its own process. Earlier data and the log are continued.
start() {
  local id
  say "start $*"
  for id in "$@"; do
    launch_java "$work/$story/$id/zk.log" org.apache.zookeeper.server.quorum.QuorumPeerMain "$work/$story/$id/zoo.cfg" \
      >>"$work/$story/$id/console" 2>&1 &
    process[$id]=$!
    disown "${process[$id]}"
  done
}

# kill_hard ID...: immediately, without an orderly shutdown.
kill_hard() {
  local id pids=()
  say "kill -9 $*"
  for id in "$@"; do
    pids+=("${process[$id]}")
    unset "process[$id]"
  done
  # The client may have given up by itself.
  kill -9 "${pids[@]}" 2>/dev/null || true
}

# role ID: leader or follower; empty while the server does not serve.
role() {
  { exec 3<>"/dev/tcp/127.0.0.1/$((first_port + $1))" && printf srvr >&3 && sed -n 's/^Mode: //p' <&3; } 2>/dev/null || true
}

# serving ID...: waits until all of them serve and one of them leads. (Just after a leader's death the others still report that
# they follow.)
serving() {
  local id said all deadline=$((SECONDS + 60))
  while true; do
    leader=
    all=yes
    for id in "$@"; do
      said=$(role "$id")
      if [ -z "$said" ]; then all=; fi
      if [ "$said" = leader ]; then leader=$id; fi
    done
    if [ -n "$all" ] && [ -n "$leader" ]; then break; fi
    [ $SECONDS -lt $deadline ] || fail "the servers $* do not serve within a minute"
    sleep 0.1
  done
  say "$* serve, $leader leads"
}

# client ID: a session with this server, its commands from standard input.
client() {
  launch_java "$work/$story/client.log" org.apache.zookeeper.ZooKeeperMain -server "127.0.0.1:$((first_port + $1))"
}

# write_through ID PATH...: creates each path in one session.
write_through() {
  local id=$1 path
  shift
  say "write $* through $id"
  { printf 'create %s x\n' "$@" && echo quit; } | (client "$id") >"$work/$story/client.out" 2>&1 || true
  for path in "$@"; do
    grep -q "Created $path\$" "$work/$story/client.out" || fail "server $id did not create $path"
  done
}

# leave_tail PATH: the leader proposes a write that no other server ever sees, and dies with it in its log.
leave_tail() {
  local followers=() id asked
  for id in "${!process[@]}"; do
    if [ "$id" != "$leader" ]; then followers+=("$id"); fi
  done
  # The session must exist before: opening one is a transaction too.
  mkfifo "$work/$story/commands"
  client "$leader" <"$work/$story/commands" >"$work/$story/tail.out" 2>&1 &
  process[client]=$!
  disown "${process[client]}"
  exec 4>"$work/$story/commands"
  echo "create $1 x" >&4
  for ((asked = 0; asked < 300; ++asked)); do
    if grep -q "Created $1" "$work/$story/tail.out"; then break; fi
    sleep 0.1
  done
  [ "$asked" -lt 300 ] || fail 'the client did not get its session'
  kill_hard "${followers[@]}"
  say "write $1-unseen through $leader"
  # Within half a tick: after that the leader notices that it is alone.
  echo "create $1-unseen x" >&4
  sleep 0.3
  kill_hard "$leader" client
  exec 4>&-
  rm -- "$work/$story/commands"
}

# finish: ends the story and records it.
finish() {
  local id ids=() data=() logs=()
  for id in "${!process[@]}"; do ids+=("$id"); done
  kill_hard "${ids[@]}"
  for ((id = 1; id <= servers; ++id)); do
    data+=(--data "$id=$work/$story/$id/data")
    logs+=("$work/$story/$id/zk.log")
  done
  "$recorder" --scenario "$story" --append --out "$out" "${data[@]}" "${logs[@]}" || exit 1
}

for ((id = 1; id <= 5; ++id)); do
  for port in $((first_port + id)) $((first_port + 100 + id)) $((first_port + 200 + id)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      refuse "something listens on port $port already; begin elsewhere with ZOOKEEPER_PORT=N"
    fi
  done
done

# ---- The stories

# Two of three begin and the third comes late. The leader dies, the other two continue without it, and it returns.
begin three-servers 500 3
start 1
sleep 2 # long enough for a few unanswered notifications
start 2
serving 1 2
start 3
serving 1 2 3
write_through 1 /a /b
old_leader=$leader
kill_hard "$old_leader"
survivors=()
for id in 1 2 3; do
  if [ "$id" != "$old_leader" ]; then survivors+=("$id"); fi
done
serving "${survivors[@]}"
write_through "$leader" /c /d /e
start "$old_leader"
serving 1 2 3
follower=$((old_leader == 1 ? 2 : 1))
if [ "$follower" = "$leader" ]; then follower=$((6 - leader - old_leader)); fi
kill_hard "$follower"
write_through "$leader" /f /g
start "$follower"
serving 1 2 3
finish

# Five start together. Two leaders die one after the other, three are left; both return; then all stop and start again.
begin five-servers 500 5
start 1 2 3 4 5
serving 1 2 3 4 5
write_through 1 /a /b
declare -a dead=() alive=(1 2 3 4 5)
for path in /c /d; do
  dead+=("$leader")
  kill_hard "$leader"
  alive=("${!process[@]}")
  serving "${alive[@]}"
  write_through "${alive[0]}" "$path"
done
start "${dead[0]}"
serving "${!process[@]}"
write_through "${dead[0]}" /e
start "${dead[1]}"
serving 1 2 3 4 5
kill_hard 1 2 3 4 5
start 5 4 3 2 1
serving 1 2 3 4 5
write_through 3 /f
finish

# A leader dies with a transaction that no other server has, and returns when another leads: once before anything was written in the
# new epoch, once after. (A long tick gives it time for the write before it notices that it is alone.)
begin unseen-writes 2000 3
start 1 2 3
serving 1 2 3
leave_tail_and_return() {
  local id others=() old
  old=$leader
  leave_tail "$1"
  for id in 1 2 3; do
    if [ "$id" != "$old" ]; then others+=("$id"); fi
  done
  start "${others[@]}"
  serving "${others[@]}"
  if [ $# -gt 1 ]; then write_through "$leader" "$2"; fi
  start "$old"
  serving 1 2 3
}
leave_tail_and_return /a
leave_tail_and_return /b /c
finish

echo "$out/election_calls.json and $out/sync_decisions.json are written"

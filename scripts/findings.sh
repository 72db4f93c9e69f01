#!/usr/bin/env bash
# Shows the findings of docs/findings.md on real ZooKeeper servers on this machine, each with its control.
#
#   scripts/findings.sh rejoin      1. an answered write is lost: an acknowledgement outlives its truncation
#   scripts/findings.sh snapgap     2. a server diverges: a log kept under a SNAP is served as committed
#   scripts/findings.sh election    3. two sound, connected servers have no leader
#   scripts/findings.sh dirtysnap   4. a server diverges: a snapshot is being written when its server's role ends                  (root)
#   scripts/findings.sh leadsnap    5. a server diverges: a new leader's own snapshot has what was never committed                 (root)
#   scripts/findings.sh finalize    6. a server does not join: another one is refused again and again                            (a race)
#   scripts/findings.sh setacl      7. a write is judged by the access list before an outstanding setACL
#   scripts/findings.sh all         all of them, in this order                                                                     (root)
#
#   --control             only the control: the same story without its cause, which has to end well
#   --default-interval    election with the default maxNotificationInterval of 60,000 ms                        (5 minutes)
#   --keep DIR            copies the logs of the servers to DIR
#
# ZooKeeper's code is unchanged. A story acts only from outside: kill -9 by process id, processes that stand still (SIGSTOP), links that
# fail (proxies between the servers), a network that is split (4 and 5: a network namespace for each server, and bridges), and a disk
# that stalls or is full (scripts/findings/slow_disk.c, loaded before the C library). Each step is printed with the lines of the
# servers' own logs that show it; the last line is the result. 6 depends on chance: up to 30 tries; if none succeeds, it says so. On a
# busy machine root makes it likelier: the servers then come before other programs.
# Nothing is left behind, however a run ends: no process, namespace or bridge, and files only in DIR (and a folder zablab-findings-* in
# the folder for temporary files, if the script itself is killed with kill -9). Each finding ends after at most 15 minutes.
#
# Needs gcc, python3, Java (17 was tried) and the jars of ZooKeeper 3.8.0; 4 and 5 also root and ip. On Debian 12:
#   apt-get install --no-install-recommends default-jre-headless libzookeeper-java libslf4j-java python3 gcc libc6-dev iproute2
# Another build: ZOOKEEPER_CLASSPATH=... with its jars and with log4j 1.2 (or reload4j) behind slf4j.
# The servers listen on 127.0.0.1 from port 21801 on; ZOOKEEPER_PORT=N begins at N+1. 460 ports have to be free.
#
# Exit codes: 0 the finding was shown and the control held, 1 a story did not go as expected (it reports where), 2 something is
# missing or the command line is wrong.
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
}

refuse() {
  echo "scripts/findings.sh: $1" >&2
  exit 2
}

for argument in "$@"; do
  if [ "$argument" = --help ] || [ "$argument" = -h ]; then
    usage
    exit 0
  fi
done
case ${1:-} in
  '')
    usage >&2
    exit 2
    ;;
esac
stories=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/findings
jars=/usr/share/java
class_path=${ZOOKEEPER_CLASSPATH:-$jars/zookeeper.jar:$jars/slf4j-log4j12.jar:$jars/log4j-1.2.jar}

for program in java python3 gcc; do
  command -v "$program" >/dev/null ||
    refuse "there is no $program; on Debian 12: apt-get install --no-install-recommends default-jre-headless python3 gcc libc6-dev"
done
case " $* " in
  *' dirtysnap '* | *' leadsnap '* | *' all '*)
    command -v ip >/dev/null || refuse "there is no ip; on Debian 12: apt-get install --no-install-recommends iproute2"
    ;;
esac
if [ -z "${ZOOKEEPER_CLASSPATH:-}" ]; then
  IFS=: read -ra wanted_jars <<<"$class_path"
  for jar in "${wanted_jars[@]}"; do
    [ -e "$jar" ] || refuse "there is no $jar; on Debian 12: apt-get install --no-install-recommends libzookeeper-java libslf4j-java"
  done
fi
first_port=${ZOOKEEPER_PORT:-21800}
case $first_port in
  *[!0-9]*) refuse "ZOOKEEPER_PORT=$first_port is no port" ;;
esac

# Python handles signals and ends everything itself; -B: no __pycache__ in the source tree.
exec python3 -B "$stories" --class-path "$class_path" --first-port "$first_port" "$@"

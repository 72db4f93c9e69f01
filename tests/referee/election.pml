/* A second model of ZooKeeper's FastLeaderElection (rules of release 3.8), to referee the counts of another checker.
   What is in a state, and what is one step, is said in election.md.

     spin -a -o2 -DN=3 -DOWN_QUEUED=0 -DDECIDE_AT_ONCE=0 -DT=0 -DK=6 election.pml
     gcc -O2 -DSAFETY -DNOREDUCE -DMEMLIM=8000 -o pan pan.c
     ./pan -m1000000 -w24 -n

   There is one control state and every action is one d_step, so "states, stored" are distinct states. One state too many is
   stored, the empty one before the start:
     states = stored - 1;  transitions (steps between states) = SPIN's transitions - 2, as SPIN counts the empty state as one
     and the step that starts all servers as another.
   Never add partial order reduction or bit-state hashing: both change the counts. Without -o2 SPIN leaves variables that are
   only written out of the state; the last notifications sent would be such ones (see read()).

   -DN=               servers, 1..4
   -DOWN_QUEUED=      1: the own vote comes through a notification to oneself; 0: it is in the box as soon as it is cast
   -DDECIDE_AT_ONCE=  1: the first quorum decides; 0: a quorum starts the finalize wait, which may end at any time
   -DT=               time-outs in a run
   -DK=               room in a channel; a channel that overflows is an assertion violation, never a loss
   -DZX1= .. -DZX4=   zxid at the end of each server's history (not negative); only order and equality matter
   -DEP1= .. -DEP4=   current epoch of each server, likewise
   -DRD1= .. -DRD4=   first round, 1..7 (election.md has 1 for all; others try the rules for unequal rounds)
   Questions, each an assertion after every step; they do not change the counts:
   -DNEVER_LEADS=s    server s never leads
   -DONE_LEADER       no two servers lead                                                                        */

#ifndef N
#define N 3
#endif
#ifndef OWN_QUEUED
#define OWN_QUEUED 0
#endif
#ifndef DECIDE_AT_ONCE
#define DECIDE_AT_ONCE 0
#endif
#ifndef T
#define T 0
#endif
#ifndef K
#define K 6
#endif
#ifndef ZX1
#define ZX1 0
#endif
#ifndef ZX2
#define ZX2 0
#endif
#ifndef ZX3
#define ZX3 0
#endif
#ifndef ZX4
#define ZX4 0
#endif
#ifndef EP1
#define EP1 0
#endif
#ifndef EP2
#define EP2 0
#endif
#ifndef EP3
#define EP3 0
#endif
#ifndef EP4
#define EP4 0
#endif
#ifndef RD1
#define RD1 1
#endif
#ifndef RD2
#define RD2 1
#endif
#ifndef RD3
#define RD3 1
#endif
#ifndef RD4
#define RD4 1
#endif

/* LOOKING is 0, so that an empty place in a box has no settled role. */
#define LOOKING   0
#define FOLLOWING 1
#define LEADING   2

/* Servers are 1..N; leader 0 is nobody. Histories and epochs never change, so the leader of a vote says its zxid and epoch,
   and two votes are the same in all fields when leader and round are. A notification (also a vote in a box) is one byte;
   0 is none. */
#define NOTE(l,r,s) ((l) + 8*(s) + 32*(r))
#define LEADER(x)   ((x) & 7)
#define ROLE(x)     (((x) >> 3) & 3)
#define ROUND(x)    ((x) >> 5)
#define PAIR(a,b)   (N*((a)-1) + (b)-1)

#define ZXID(l)  ((l)==1 -> ZX1 : ((l)==2 -> ZX2 : ((l)==3 -> ZX3 : ZX4)))
#define EPOCH(l) ((l)==1 -> EP1 : ((l)==2 -> EP2 : ((l)==3 -> EP3 : EP4)))
#define FIRST(l) ((l)==1 -> RD1 : ((l)==2 -> RD2 : ((l)==3 -> RD3 : RD4)))

/* FastLeaderElection, vote order: epoch, then zxid, then id. The round has no say in it. */
#define BEATS(a,b) (EPOCH(a) > EPOCH(b) || (EPOCH(a) == EPOCH(b) && \
                   (ZXID(a) > ZXID(b) || (ZXID(a) == ZXID(b) && (a) > (b)))))
#define QUORUM(c)  (2*(c) > N)

/* Place 0 of these is not used. */
byte role[N+1];
byte round[N+1];
byte prop[N+1];         /* proposal, while looking */
bit  waiting[N+1];      /* a quorum stands, the finalize wait runs */
byte decided[N+1];      /* leader of the decided vote; its round is round[] from then on */
byte box[N*N];          /* recvset: PAIR(owner, voter) */
byte outbox[N*N];       /* outofelection, likewise */
byte last[N*N];         /* last notification sent: PAIR(sender, receiver); none is kept to oneself */
byte left = T;
chan q[N*N] = [K] of { byte };    /* PAIR(sender, receiver) */

/* Scratch of one step, zero between steps so that it adds no states. The inlines work on these instead of on arguments,
   because an argument is copied as text and would be computed again after the state has changed. */
byte me;                /* who acts */
byte from;              /* whose notification is read */
byte n;                 /* the notification that is read */
byte out;               /* the notification that is sent */
byte l;                 /* the leader that is counted or decided */
byte i;
byte votes;
bit  done;

/* Connection manager: what goes to another server is remembered, what goes to oneself is not. */
inline tell(to) {
  assert(len(q[PAIR(me,to)]) < K);
  q[PAIR(me,to)] ! out;
  if
  :: to != me -> last[PAIR(me,to)] = out
  :: else -> skip
  fi
}

inline send_proposal() {
  out = NOTE(prop[me], round[me], LOOKING);
  i = 1;
  do
  :: i <= N ->
     if
     :: i != me || OWN_QUEUED -> tell(i)
     :: else -> skip
     fi;
     i++
  :: else -> break
  od
}

/* The proposal or the round is new. Where own votes are not queued, this is when the own vote gets into the box. */
inline cast() {
  if
  :: OWN_QUEUED -> skip
  :: else -> box[PAIR(me,me)] = NOTE(prop[me], round[me], LOOKING)
  fi;
  send_proposal()
}

inline clear_box() {
  i = 1;
  do
  :: i <= N -> box[PAIR(me,i)] = 0; i++
  :: else -> break
  od
}

/* End of lookForLeader, for leader l in round[me]: what belonged to the call is forgotten. */
inline settle() {
  role[me] = (l == me -> LEADING : FOLLOWING);
  decided[me] = l;
  prop[me] = 0;
  waiting[me] = 0;
  clear_box();
  i = 1;
  do
  :: i <= N -> outbox[PAIR(me,i)] = 0; i++
  :: else -> break
  od
}

/* FastLeaderElection, the end of a looking vote: who agrees with the proposal? The proposal counts as a looking vote, so all
   fields must agree, whatever role came with the vote in the box. */
inline count() {
  votes = 0;
  i = 1;
  do
  :: i <= N ->
     if
     :: LEADER(box[PAIR(me,i)]) == prop[me] && ROUND(box[PAIR(me,i)]) == round[me] -> votes++
     :: else -> skip
     fi;
     i++
  :: else -> break
  od;
  if
  :: QUORUM(votes) ->
     if
     :: DECIDE_AT_ONCE -> l = prop[me]; settle()
     :: else -> waiting[me] = 1
     fi
  :: else -> skip
  fi
}

/* FastLeaderElection, notification of a server that looks. */
inline weigh_looking() {
  if
  :: ROUND(n) < round[me] -> skip           /* the receiver has answered; nothing is counted */
  :: ROUND(n) > round[me] ->
     round[me] = ROUND(n);
     clear_box();                           /* outofelection stays */
     prop[me] = (BEATS(LEADER(n), me) -> LEADER(n) : me);     /* against the first own vote, not the last proposal */
     cast();                                /* even if the proposal is the old one: the round is new */
     box[PAIR(me,from)] = n;
     count()
  :: else ->
     if
     :: BEATS(LEADER(n), prop[me]) -> prop[me] = LEADER(n); cast()
     :: else -> skip                        /* an equal or worse vote gets no message */
     fi;
     box[PAIR(me,from)] = n;
     count()
  fi
}

/* FastLeaderElection, leader check: I lead only in my present round; another leads only if it said so itself. */
#define LEADER_OK(set) (l == me -> round[me] == ROUND(n) : ROLE(set[PAIR(me,l)]) == LEADING)

/* FastLeaderElection, notification of a server that leads or follows. Such a vote is never compared with the proposal. */
inline weigh_settled() {
  l = LEADER(n);
  if
  :: ROUND(n) == round[me] ->
     box[PAIR(me,from)] = n;
     /* Vote equality, recvset: a looking vote must agree in all fields, a settled one only in its leader. */
     votes = 0;
     i = 1;
     do
     :: i <= N ->
        if
        :: LEADER(box[PAIR(me,i)]) == l &&
           (ROLE(box[PAIR(me,i)]) != LOOKING || ROUND(box[PAIR(me,i)]) == ROUND(n)) -> votes++
        :: else -> skip
        fi;
        i++
     :: else -> break
     od;
     done = (QUORUM(votes) && LEADER_OK(box))
  :: else -> skip
  fi;
  if
  :: !done ->
     outbox[PAIR(me,from)] = n;
     /* Vote equality, outofelection: leader and epoch, not zxid and round; the leader says the epoch. */
     votes = 0;
     i = 1;
     do
     :: i <= N ->
        if
        :: LEADER(outbox[PAIR(me,i)]) == l -> votes++
        :: else -> skip
        fi;
        i++
     :: else -> break
     od;
     done = (QUORUM(votes) && LEADER_OK(outbox))
  :: else -> skip
  fi;
  if
  :: done -> round[me] = ROUND(n); settle()     /* no finalize wait; the round is taken over */
  :: else -> skip
  fi
}

/* Receiver first, then lookForLeader. A settled server only answers; itself too, because an own notification is read like
   any other. */
inline read() {
  q[PAIR(from,me)] ? n;
  assert(from == me || last[PAIR(from,me)] != 0);     /* also a use of last[], so that it stays part of the state */
  if
  :: role[me] != LOOKING ->
     if
     :: ROLE(n) == LOOKING -> out = NOTE(decided[me], round[me], role[me]); tell(from)
     :: else -> skip
     fi
  :: else ->
     if
     :: ROLE(n) == LOOKING && ROUND(n) < round[me] -> out = NOTE(prop[me], round[me], LOOKING); tell(from)
     :: else -> skip
     fi;
     if
     :: waiting[me] && !BEATS(LEADER(n), prop[me]) -> skip      /* lost in the finalize wait, whatever it says */
     :: else ->
        waiting[me] = 0;
        if
        :: ROLE(n) == LOOKING -> weigh_looking()
        :: else -> weigh_settled()
        fi
     fi
  fi
}

#ifdef NEVER_LEADS
#define ASK_LEADS assert(role[NEVER_LEADS] != LEADING)
#else
#define ASK_LEADS skip
#endif
#ifdef ONE_LEADER
#define ASK_ONE \
  votes = 0; i = 1; \
  do :: i <= N -> votes = votes + (role[i] == LEADING -> 1 : 0); i++ :: else -> break od; \
  assert(votes <= 1)
#else
#define ASK_ONE skip
#endif

inline finish() {
  ASK_LEADS;
  ASK_ONE;
  me = 0; from = 0; n = 0; out = 0; l = 0; i = 0; votes = 0; done = 0
}

#define READ(a,b)   :: d_step { nempty(q[PAIR(a,b)]) -> from = a; me = b; read(); finish() }
#define WAIT_END(a) :: d_step { waiting[a] -> me = a; l = prop[me]; settle(); finish() }
#define SILENCE(a)  :: d_step { left > 0 && role[a] == LOOKING && !waiting[a] -> left--; me = a; send_proposal(); finish() }

active proctype election() {
  d_step {
    me = 1;
    do
    :: me <= N ->
       round[me] = FIRST(me);
       prop[me] = me;
       cast();
       if
       :: OWN_QUEUED -> skip
       :: else -> count()       /* one server alone is a quorum before it has read anything */
       fi;
       me++
    :: else -> break
    od;
    finish()
  };
end:
  do
  READ(1,1) WAIT_END(1) SILENCE(1)
#if N >= 2
  READ(1,2) READ(2,1) READ(2,2) WAIT_END(2) SILENCE(2)
#endif
#if N >= 3
  READ(1,3) READ(2,3) READ(3,1) READ(3,2) READ(3,3) WAIT_END(3) SILENCE(3)
#endif
#if N >= 4
  READ(1,4) READ(2,4) READ(3,4) READ(4,1) READ(4,2) READ(4,3) READ(4,4) WAIT_END(4) SILENCE(4)
#endif
  od
}

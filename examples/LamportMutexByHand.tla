------------------------- MODULE LamportMutexByHand -------------------------
(* Lamport's mutual exclusion, as people write it in TLA+: the system of lamport_mutex.py, which the
   export of that model is measured against (docs/measurements.md). Clocks are bounded by a guard, as there.
   Run it with TLC, from tla2tools.jar:
     java -cp tla2tools.jar tlc2.TLC -deadlock -config LamportMutexByHand.cfg LamportMutexByHand.tla *)
EXTENDS Naturals, Sequences

CONSTANTS N, MaxClock

Process == 0 .. N - 1

VARIABLES
  clock,     \* clock[p]: the logical clock of process p
  request,   \* request[p][q]: the time of q's request, as p knows it; 0 for none
  acks,      \* acks[p]: who has answered p's request
  critical,  \* critical[p]: is p in its critical section?
  inbox      \* inbox[p][q]: the messages from q on their way to p, the oldest first

vars == <<clock, request, acks, critical, inbox>>

Request(time) == [kind |-> "request", time |-> time]
Ack == [kind |-> "ack", time |-> 0]
Release == [kind |-> "release", time |-> 0]
Message == {Request(time) : time \in 1 .. MaxClock} \cup {Ack, Release}

Max(a, b) == IF a > b THEN a ELSE b

Broadcast(p, m) ==
  [q \in Process |-> IF q = p THEN inbox[q] ELSE [inbox[q] EXCEPT ![p] = Append(@, m)]]

TypeOK ==
  /\ clock \in [Process -> 1 .. MaxClock]
  /\ request \in [Process -> [Process -> 0 .. MaxClock]]
  /\ acks \in [Process -> SUBSET Process]
  /\ critical \in [Process -> BOOLEAN]
  /\ inbox \in [Process -> [Process -> Seq(Message)]]

Init ==
  /\ clock = [p \in Process |-> 1]
  /\ request = [p \in Process |-> [q \in Process |-> 0]]
  /\ acks = [p \in Process |-> {}]
  /\ critical = [p \in Process |-> FALSE]
  /\ inbox = [p \in Process |-> [q \in Process |-> <<>>]]

Requests(p) ==
  /\ request[p][p] = 0
  /\ request' = [request EXCEPT ![p][p] = clock[p]]
  /\ acks' = [acks EXCEPT ![p] = {p}]
  /\ inbox' = Broadcast(p, Request(clock[p]))
  /\ UNCHANGED <<clock, critical>>

ReceivesRequest(p, q) ==
  /\ inbox[p][q] # <<>>
  /\ LET m == Head(inbox[p][q]) IN
       /\ m.kind = "request"
       /\ Max(m.time, clock[p]) < MaxClock
       /\ request' = [request EXCEPT ![p][q] = m.time]
       /\ clock' = [clock EXCEPT ![p] = Max(m.time, @) + 1]
       /\ inbox' = [inbox EXCEPT ![p][q] = Tail(@), ![q][p] = Append(@, Ack)]
  /\ UNCHANGED <<acks, critical>>

ReceivesAck(p, q) ==
  /\ inbox[p][q] # <<>>
  /\ Head(inbox[p][q]).kind = "ack"
  /\ acks' = [acks EXCEPT ![p] = @ \cup {q}]
  /\ inbox' = [inbox EXCEPT ![p][q] = Tail(@)]
  /\ UNCHANGED <<clock, request, critical>>

ReceivesRelease(p, q) ==
  /\ inbox[p][q] # <<>>
  /\ Head(inbox[p][q]).kind = "release"
  /\ request' = [request EXCEPT ![p][q] = 0]
  /\ inbox' = [inbox EXCEPT ![p][q] = Tail(@)]
  /\ UNCHANGED <<clock, acks, critical>>

Precedes(p, q) ==
  \/ request[p][q] = 0
  \/ request[p][p] < request[p][q]
  \/ request[p][p] = request[p][q] /\ p < q

Enters(p) ==
  /\ acks[p] = Process
  /\ \A q \in Process \ {p} : Precedes(p, q)
  /\ critical' = [critical EXCEPT ![p] = TRUE]
  /\ UNCHANGED <<clock, request, acks, inbox>>

Leaves(p) ==
  /\ critical[p]
  /\ critical' = [critical EXCEPT ![p] = FALSE]
  /\ request' = [request EXCEPT ![p][p] = 0]
  /\ acks' = [acks EXCEPT ![p] = {}]
  /\ inbox' = Broadcast(p, Release)
  /\ UNCHANGED clock

Next ==
  \/ \E p \in Process : Requests(p) \/ Enters(p) \/ Leaves(p)
  \/ \E p \in Process : \E q \in Process \ {p} :
       ReceivesRequest(p, q) \/ ReceivesAck(p, q) \/ ReceivesRelease(p, q)

Spec == Init /\ [][Next]_vars

OneIsCritical == \A p, q \in Process : p # q => ~(critical[p] /\ critical[q])
=============================================================================

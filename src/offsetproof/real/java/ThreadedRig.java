package offsetproof;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Real classes in which a command is a step of one thread, or a change of what is around the threads.
 *
 * A step says which thread (`threads`, names of the caller's choice), what it runs where it is idle (`call`), the lines
 * at one of which the step begins (`gates`), those at which it stops afterwards (`stops`), and those of them that it may
 * pass on its way to where the step begins (`passes`). Those in `within` lie within the step, and at those in `until`
 * this one step stops as well. A step that `arrives` ends where its thread has come to the line; of one that `skips`
 * the thread does nothing, since it has nothing to do for it.
 */
abstract class ThreadedRig implements Rig {
  /** How many milliseconds a thread that waits is waited for. */
  static final long PATIENCE = 3_000;

  final Gates gates;
  final Map<String, Worker> workers = new LinkedHashMap<>();

  ThreadedRig(Gates gates) {
    this.gates = gates;
  }

  /** The topic that it is about: threads are held in methods about no other. */
  abstract String topic();

  /** Whose thread does a step: what its worker's `process` is. */
  abstract Object process(JSONObject command);

  /** What a thread runs. */
  abstract Worker.Body body(String call, JSONObject command);

  /** What happens outside of the threads. */
  abstract void change(String what, JSONObject command) throws Throwable;

  /** What is so before a thread's step begins. */
  void prepare(JSONObject command) {
    // Nothing, unless a rig says so.
  }

  /** Is there nothing that a thread without work could run for a step? */
  boolean isIdle(JSONObject command) throws ReflectiveOperationException {
    return command.getString("call") == null;
  }

  /** What a thread has to know for the step that it does. */
  void instruct(Worker worker, JSONObject command) {
    // Nothing, unless a rig says so.
  }

  /** Is a step of a thread that waits for a lock over where it does, and the next one begins with the lock? */
  boolean endsAtLock(Worker worker) {
    return false;
  }

  /** A thread has done a step, and stands at the next line, or is over. */
  void stepped(Worker worker, JSONObject command) throws Throwable {
    // Nothing, unless a rig says so.
  }

  @Override
  public JSONObject step(JSONObject command) throws Exception {
    JSONObject answer = new JSONObject(true);
    JSONArray threads = command.getJSONArray("threads");
    String name = threads == null ? null : atWork(threads.toJavaList(String.class));
    try {
      if (threads == null) {
        change(command.getString("do"), command);
      } else {
        answer.put("missed", advance(name, command));
      }
    } catch (LockedOutException locked) {
      Worker worker = workers.get(name);
      if (worker == null || !worker.hasBegun || !endsAtLock(worker)) {
        answer.put("error", locked.getMessage());
      }
      answer.put("locked_out", postpone(worker, command));
    } catch (Throwable error) {
      answer.put("error", error.toString());
      workers.values().removeIf(Worker::isOver);
    }
    letIn(answer);
    answer.put("state", state());
    if (LockWatch.hasFreed()) {
      answer.put("error", "the rig itself waited for a lock that a held thread has, so that thread was held no longer");
      answer.remove("locked_out");
    }
    return answer;
  }

  /** A thread that waits for a lock does a step that it has not begun when it has that lock. */
  private static boolean postpone(Worker worker, JSONObject command) {
    if (worker == null) {
      return false;
    }
    if (!worker.hasBegun) {
      worker.postponed.add(command);
    }
    worker.hasBegun = false;
    return true;
  }

  /** Threads that waited for a lock and have it now go on, and do what they have not done meanwhile. */
  private void letIn(JSONObject answer) {
    for (Map.Entry<String, Worker> each : new ArrayList<>(workers.entrySet())) {
      Worker worker = each.getValue();
      if (worker.lockedOut && !worker.isLockedOut()) {
        worker.lockedOut = false;
        try {
          catchUp(each.getKey(), worker);
        } catch (LockedOutException again) {
          worker.hasBegun = false;
        } catch (Throwable error) {
          answer.put("error", error.toString());
          answer.remove("locked_out");
          workers.values().removeIf(Worker::isOver);
        }
      }
    }
  }

  private void catchUp(String name, Worker worker) throws Throwable {
    finish(name, worker, worker.await(PATIENCE));
    while (!worker.postponed.isEmpty() && workers.get(name) == worker) {
      advance(name, worker.postponed.remove(0));
    }
  }

  /** Of several threads the first that is at work, or else the first of all. */
  private String atWork(List<String> threads) {
    return threads.stream().filter(workers::containsKey).findFirst().orElse(threads.get(0));
  }

  /** Lets a thread do a step; null, or where it stands instead of at the gate, and then it has not gone on. */
  private String advance(String name, JSONObject command) throws Throwable {
    List<String> gates = command.getJSONArray("gates").toJavaList(String.class);
    Worker worker = workers.get(name);
    if (command.getBooleanValue("skips")) {
      return "not for this";
    }
    prepare(command);
    if (worker == null && isIdle(command)) {
      return "idle";
    }
    if (worker != null && worker.lockedOut) {
      throw new LockedOutException(worker.stands());
    }
    if (worker != null && worker.isRunning()) {
      throw new IllegalStateException(worker.stands());
    }
    String where = worker == null ? null : pass(name, worker, worker.where(), command);
    if (where == null && command.getString("call") != null) {
      worker = begin(name, command);
      where = finish(name, worker, worker.await(PATIENCE));
      if (gates.isEmpty()) {
        return where;
      }
      where = pass(name, worker, where, command);
    }
    if (where == null || !gates.contains(where)) {
      return where == null ? "over" : where;
    }
    if (command.getBooleanValue("arrives")) {
      return null;
    }
    instruct(worker, command);
    worker.within = new HashSet<>(command.getJSONArray("within"));
    worker.until = new HashSet<>(command.getJSONArray("until"));
    worker.hasBegun = true;
    worker.release();
    if (command.getBooleanValue("interrupt")) {
      worker.interrupt();
    }
    finishOrThrow(name, worker, command.getString("throws"));
    worker.hasBegun = false;
    stepped(worker, command);
    return null;
  }

  /** Lets a thread go on past places that may be passed; where it stands then, null if its call is over. */
  private String pass(String name, Worker worker, String stands, JSONObject command) throws Throwable {
    String where = stands;
    while (where != null && !command.getJSONArray("gates").contains(where)
        && command.getJSONArray("passes").contains(where)) {
      worker.release();
      where = finish(name, worker, worker.await(PATIENCE));
    }
    return where;
  }

  private String finish(String name, Worker worker, String where) {
    if (where == null) {
      workers.remove(name);
    }
    return where;
  }

  /** Waits until the worker stops or its call is over, be it by this exception. */
  private void finishOrThrow(String name, Worker worker, String expected) throws Throwable {
    try {
      finish(name, worker, worker.await(PATIENCE));
    } catch (Throwable error) {
      if (!error.getClass().getName().equals(expected)) {
        throw error;
      }
      workers.remove(name);
    }
  }

  private Worker begin(String name, JSONObject command) {
    List<String> stops = command.getJSONArray("stops").toJavaList(String.class);
    Worker worker = new Worker(gates, stops, topic(), body(command.getString("call"), command));
    worker.process = process(command);
    worker.pqId = command.getInteger("pq_id");
    workers.put(name, worker);
    worker.start();
    return worker;
  }
}

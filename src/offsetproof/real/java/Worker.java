package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * A thread that runs one call of the real classes, from stop to stop.
 *
 * It stops at lines (Gates hold it there) and where it waits for an answer of the broker (`waitFor`). Between two stops
 * it runs alone: whoever lets it go on waits until it has stopped again, or is over.
 */
final class Worker {
  static final String PREFIX = "worker-";
  private static final Map<Long, Worker> RUNNING = new ConcurrentHashMap<>();
  private static final ThreadLocal<Worker> CURRENT = new ThreadLocal<>();
  private static final ThreadMXBean THREADS_INFO = ManagementFactory.getThreadMXBean();
  private static final ExecutorService THREADS = Executors.newCachedThreadPool(Worker::thread);

  /** How many tenths of a second it may wait for a lock: whoever has it does not go on meanwhile. */
  private static final int PATIENCE_WITH_LOCKS = 3;

  /** How many times as long a thread is waited for that is at work, or has not begun: the machine may be busy. */
  private static final int PATIENCE_WITH_WORK = 6;

  /** What a worker runs. */
  interface Body {
    void run() throws Throwable;
  }

  private final Gates gates;
  private final Set<String> stops;
  private final Body body;
  final String topic;
  private volatile Thread thread;
  private String where;
  private Runnable resume;
  private Consumer<Throwable> raise;
  private boolean over;
  private Throwable error;
  volatile boolean closed;
  volatile Object answer;
  volatile String listener = "CONSUME_SUCCESS";
  volatile Integer ackIndex;
  volatile boolean autoCommit;
  volatile Set<Object> within = Set.of();
  volatile Set<Object> until = Set.of();
  volatile boolean fails;
  volatile boolean losesAnswer;
  volatile IOException raised;
  volatile int size;
  volatile boolean lockedOut;
  boolean hasBegun;
  boolean hasText;
  final List<JSONObject> postponed = new ArrayList<>();
  Object process;
  Integer pqId;

  Worker(Gates gates, List<String> stops, String topic, Body body) {
    this.gates = gates;
    this.stops = new HashSet<>(stops);
    this.topic = topic;
    this.body = body;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work);
    thread.setName(PREFIX + thread.getId());
    thread.setDaemon(true);
    return thread;
  }

  /** The worker whose thread this is; null on other threads. */
  static Worker current() {
    return CURRENT.get();
  }

  /** The worker that the thread of this id runs; null if there is none. */
  static Worker ofThread(long id) {
    return RUNNING.get(id);
  }

  void start() {
    THREADS.execute(this::run);
  }

  private void run() {
    thread = Thread.currentThread();
    gates.follow(thread, this);
    CURRENT.set(this);
    RUNNING.put(thread.getId(), this);
    Throwable thrown = null;
    try {
      body.run();
    } catch (Throwable cause) {
      thrown = cause;
    }
    gates.forget(thread);
    CURRENT.remove();
    RUNNING.remove(thread.getId());
    Thread.interrupted();
    synchronized (this) {
      error = thrown;
      over = true;
      notifyAll();
    }
  }

  /** Is this one of its stops, or of the step that it does, and not within that? */
  boolean stopsAt(String line) {
    return !closed && (stops.contains(line) || until.contains(line)) && !within.contains(line);
  }

  /** The thread is before a line that is one of its stops, and is held there; `raise` makes it throw when it goes on. */
  synchronized void arrive(String line, Runnable goOn, Consumer<Throwable> raise) {
    where = line;
    resume = goOn;
    this.raise = raise;
    notifyAll();
  }

  /** Stops the worker's own thread here until somebody lets it go on; the answer that came with that. */
  synchronized Object waitFor(String what) throws InterruptedException {
    if (!closed && !within.contains(what)) {
      where = what;
      resume = () -> { };
      notifyAll();
      while (where != null && !closed) {
        wait();
      }
    }
    return answer;
  }

  /** Stops the worker's own thread at a line; an interrupt stays with the thread. It may have to throw there. */
  synchronized void stop(String line) throws IOException {
    boolean interrupted = false;
    where = line;
    notifyAll();
    while (where != null && !closed) {
      try {
        wait();
      } catch (InterruptedException interrupt) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    IOException thrown = raised;
    raised = null;
    if (thrown != null) {
      throw thrown;
    }
  }

  /** Lets the thread go on from where it stands, by throwing what it is to raise there. */
  synchronized void release() {
    Runnable goOn = resume;
    if (raise != null && raised != null) {
      raise.accept(raised);
      raised = null;
    }
    where = null;
    resume = null;
    raise = null;
    notifyAll();
    if (goOn != null) {
      goOn.run();
    }
  }

  /**
   * Where it stands; null where the call is over. IllegalStateException if it neither stops nor ends in time, of which a
   * thread that is at work has more.
   */
  synchronized String await(long milliseconds) throws Throwable {
    long begin = System.nanoTime();
    int blocked = 0;
    while (where == null && !over) {
      wait(100);
      Thread.State state = thread == null ? Thread.State.NEW : thread.getState();
      boolean works = state == Thread.State.NEW || state == Thread.State.RUNNABLE;
      long patience = works ? milliseconds * PATIENCE_WITH_WORK : milliseconds;
      blocked = state == Thread.State.BLOCKED ? blocked + 1 : 0;
      boolean late = System.nanoTime() - begin > patience * 1_000_000 || blocked > PATIENCE_WITH_LOCKS;
      if (late && where == null && !over) {
        lockedOut = isLockedOut();
        throw lockedOut ? new LockedOutException(stands()) : new IllegalStateException(stands());
      }
    }
    if (error != null) {
      throw error;
    }
    return where;
  }

  /** Does it wait for a lock that a worker has? */
  boolean isLockedOut() {
    ThreadInfo info = thread == null ? null : THREADS_INFO.getThreadInfo(thread.getId());
    return info != null && info.getLockOwnerName() != null && info.getLockOwnerName().startsWith(PREFIX);
  }

  /** In which state its thread is, and where; of one that waits for a lock, who has it. */
  String stands() {
    if (thread == null) {
      return "has not begun";
    }
    ThreadInfo info = THREADS_INFO.getThreadInfo(thread.getId());
    String owner = info == null ? null : info.getLockOwnerName();
    return (owner == null ? "stands " + thread.getState() : "waits for a lock that another thread has") + " at "
        + shown(thread.getStackTrace());
  }

  synchronized String where() {
    return where;
  }

  /** It goes on by itself from now on: it has a lock that the rig waits for. */
  synchronized void letGo() {
    closed = true;
    release();
  }

  /** Does it run, neither held nor over? */
  synchronized boolean isRunning() {
    return where == null && !over;
  }

  synchronized boolean isOver() {
    return over;
  }

  void interrupt() {
    thread.interrupt();
  }

  /** Ends the call by an exception wherever it stops: its thread writes nothing more, and keeps no lock. */
  synchronized void kill() throws InterruptedException {
    long end = System.nanoTime() + 2_000_000_000L;
    while (!over && System.nanoTime() < end) {
      if (where != null) {
        raised = new IOException("killed");
        release();
      }
      wait(5);
    }
  }

  /** Ends the call, without stopping again; what it still does is of no interest. */
  synchronized void close() throws InterruptedException {
    closed = true;
    long end = System.nanoTime() + 2_000_000_000L;
    while (!over && System.nanoTime() < end) {
      thread.interrupt();
      release();
      wait(5);
    }
  }

  /** The frames of a stack that are RocketMQ's or the rig's, innermost first. */
  static List<String> shown(StackTraceElement[] stack) {
    List<String> frames = new ArrayList<>();
    for (StackTraceElement frame : stack) {
      boolean isCode = frame.getLineNumber() > 0;
      if (isCode && (frame.getClassName().contains("rocketmq") || frame.getClassName().startsWith("offsetproof"))) {
        frames.add(frame.getClassName().replaceAll(".*\\.", "") + "." + frame.getMethodName() + ":" + frame.getLineNumber());
      }
    }
    return frames.subList(0, Math.min(frames.size(), 8));
  }
}

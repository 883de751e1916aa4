package offsetproof;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;

/**
 * Ends a wait that nobody would end: the rig's own thread waits for a lock that a held worker has.
 *
 * The worker is held no longer, and the step that the rig was at has failed. The same wait must be seen twice: a worker
 * that comes to a stop has its own lock for a moment.
 */
final class LockWatch {
  private static final long EVERY = 300;
  private static volatile boolean freed;

  private LockWatch() {}

  /** Watches this thread, as long as the JVM lives. */
  static void begin() {
    Thread main = Thread.currentThread();
    Thread watch = new Thread(() -> watch(main), "lock watch");
    watch.setDaemon(true);
    watch.start();
  }

  /** Has a worker been let go since the last time? */
  static boolean hasFreed() {
    boolean was = freed;
    freed = false;
    return was;
  }

  private static void watch(Thread main) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long waitBefore = 0;
    while (true) {
      long waitNow = 0;
      if (main.getState() == Thread.State.BLOCKED) {
        ThreadInfo info = threads.getThreadInfo(main.getId());
        Worker owner = info == null ? null : Worker.ofThread(info.getLockOwnerId());
        if (owner != null && owner.where() != null) {
          waitNow = info.getBlockedCount();
          if (waitNow == waitBefore) {
            freed = true;
            owner.letGo();
          }
        }
      }
      waitBefore = waitNow;
      try {
        Thread.sleep(EVERY);
      } catch (InterruptedException end) {
        return;
      }
    }
  }
}

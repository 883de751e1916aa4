package offsetproof.whole;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.rocketmq.broker.offset.ConsumerOffsetManager;

/** Looks what a query for a queue's offset would be answered with, twice a millisecond, and notes each change. */
final class Watch {
  private static final long PAUSE_NANOS = 500_000;

  private final ConsumerOffsetManager offsets;
  private final String group;
  private final String topic;
  private final int queue;
  private final List<List<Long>> changes = new ArrayList<>();
  private final Thread thread = new Thread(this::look, "watch");
  private volatile boolean over;

  Watch(ConsumerOffsetManager offsets, String group, String topic, int queue) {
    this.offsets = offsets;
    this.group = group;
    this.topic = topic;
    this.queue = queue;
    thread.setDaemon(true);
    thread.start();
  }

  private void look() {
    long begun = System.nanoTime();
    long last = Long.MIN_VALUE;
    while (!over) {
      long offset = offsets.queryOffset(group, topic, queue);
      if (offset != last) {
        changes.add(Arrays.asList((System.nanoTime() - begun) / 1000, offset));
        last = offset;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Ends it; the changes, each with its microseconds since the beginning, and -1 for no offset. */
  List<List<Long>> end() throws InterruptedException {
    over = true;
    thread.join();
    return changes;
  }
}

package offsetproof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * The broker's side of one queue: what is stored, as two numbers, its locks, and its table of offsets.
 */
final class RigBroker {
  static final String GROUP = "group";
  static final int QUEUE = 0;
  static final int SYSTEM_ERROR = 1;
  static final int QUERY_NOT_FOUND = 22;

  final String topic;
  final MessageQueue queue;
  final LockTable locks = new LockTable();
  private final Path file;
  private Long flushed;
  Offsets offsets;
  private Queries queries;
  final List<Long> sentBack = new ArrayList<>();
  long minOffset;
  long maxOffset;
  boolean cold;
  long timeOffset;

  /** A broker whose offset file is in this folder; it begins without one. */
  RigBroker(Path folder, String topic) throws IOException {
    this.topic = topic;
    queue = new MessageQueue(topic, "broker", QUEUE);
    file = folder.resolve("consumerOffset.json");
    Files.deleteIfExists(file);
    Files.deleteIfExists(Path.of(file + ".bak"));
    open();
  }

  /** A process begins, with an empty table. */
  private void open() {
    offsets = new Offsets(file);
    queries = new Queries(offsets, () -> minOffset, () -> maxOffset, () -> cold);
  }

  /** The process is gone and started again: it knows what the file holds. */
  void restart() {
    open();
    offsets.load();
    locks.restart();
  }

  /** Writes the file; nothing else does. */
  void flush() {
    offsets.persist();
    flushed = loaded();
  }

  /** What a start would load for the queue now; null for nothing. The file is read when it has been written. */
  Long flushed() {
    return flushed;
  }

  private Long loaded() {
    if (!Files.exists(file)) {
      return null;
    }
    Offsets loaded = new Offsets(file);
    loaded.load();
    long offset = loaded.queryOffset(GROUP, topic, QUEUE);
    return offset < 0 ? null : offset;
  }

  void commit(String from, int queue, long offset) {
    offsets.commitOffset(from, GROUP, topic, queue, offset);
  }

  /** The stored offset of a queue, whatever marker there is; null where there is none. */
  Long committed(int queue) {
    return Markers.stored(offsets, topic, queue);
  }

  /** The marker of a reset at the broker; null where there is none. */
  Long marker() {
    return marker(QUEUE);
  }

  Long marker(int queue) {
    return Markers.marker(offsets, topic, queue);
  }

  Long takeMarker() {
    return takeMarker(QUEUE);
  }

  Long takeMarker(int queue) {
    return Markers.takeMarker(offsets, topic, queue);
  }

  /** A commit that a client has sent: ignored while there is a marker (ConsumerManageProcessor.updateConsumerOffset). */
  void commitSent(String from, long offset) {
    if (marker() == null) {
      commit(from, QUEUE, offset);
    }
  }

  /** What a query is answered with: an offset (Long), or the code of an error (Integer). */
  Object answerQuery(int queue) {
    return queries.answer(queue, topic);
  }

  /** The search by time, played: the first message of that time, and for a later time what the release gives. */
  long offsetByTime() {
    return timeOffset < maxOffset ? timeOffset : Searches.foundBeyond(maxOffset);
  }
}

package com.acme;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.common.message.MessageQueue;

/** A store that keeps a group's offsets in a table that all clients share, as one in a database would. */
public final class TableOffsetStore implements OffsetStore {
  private static final Map<String, Long> DATABASE = new ConcurrentHashMap<>();

  private final String group;
  private final Map<MessageQueue, Long> cells = new ConcurrentHashMap<>();

  public TableOffsetStore(String group) {
    this.group = group;
  }

  private String key(MessageQueue queue) {
    return group + "/" + queue;
  }

  @Override
  public void load() {
    cells.clear();
  }

  @Override
  public void updateOffset(MessageQueue queue, long offset, boolean increaseOnly) {
    cells.merge(queue, offset, (held, given) -> increaseOnly ? Math.max(held, offset) : offset);
  }

  @Override
  public long readOffset(MessageQueue queue, ReadOffsetType type) {
    Long held = cells.get(queue);
    switch (type) {
      case READ_FROM_MEMORY:
        return held == null ? -1 : held;
      case MEMORY_FIRST_THEN_STORE:
        return held == null ? readStored(queue) : held;
      default:
        return readStored(queue);
    }
  }

  private long readStored(MessageQueue queue) {
    Long stored = DATABASE.get(key(queue));
    if (stored == null) {
      return -1;
    } else {
      cells.put(queue, stored);
      return stored;
    }
  }

  @Override
  public void persistAll(Set<MessageQueue> queues) {
    if (queues == null || queues.isEmpty()) {
      return;
    }
    for (MessageQueue queue : cells.keySet()) {
      if (queues.contains(queue)) {
        persist(queue);
      }
    }
    cells.keySet().retainAll(queues);
  }

  @Override
  public void persist(MessageQueue queue) {
    if (cells.containsKey(queue)) {
      DATABASE.put(key(queue), cells.get(queue));
    }
  }

  @Override
  public void removeOffset(MessageQueue queue) {
    cells.remove(queue);
  }

  @Override
  public Map<MessageQueue, Long> cloneOffsetTable(String topic) {
    Map<MessageQueue, Long> table = new HashMap<>(cells);
    table.keySet().removeIf(queue -> topic != null && !topic.equals(queue.getTopic()));
    return table;
  }

  @Override
  public void updateConsumeOffsetToBroker(MessageQueue queue, long offset, boolean isOneway) {
    DATABASE.put(key(queue), offset);
  }
}

package offsetproof;

/** The marker of a reset at the broker, of one queue: the real ConsumerOffsetManager's `resetOffsetTable`. */
final class Markers {
  private Markers() {}

  /** A reset at the broker: the marker, and the target in the table (AdminBrokerProcessor.resetOffsetInner). */
  static void mark(Offsets offsets, String topic, int queue, long target) {
    offsets.assignResetOffset(topic, RigBroker.GROUP, queue, target);
  }

  /** The marker; null for none. */
  static Long marker(Offsets offsets, String topic, int queue) {
    return offsets.hasOffsetReset(topic, RigBroker.GROUP, queue)
        ? (Long) offsets.queryOffset(RigBroker.GROUP, topic, queue) : null;
  }

  /** What PullMessageProcessor does with each pull that gets as far; null where there is no marker. */
  static Long takeMarker(Offsets offsets, String topic, int queue) {
    return offsets.queryThenEraseResetOffset(topic, RigBroker.GROUP, queue);
  }

  /** The stored offset, whatever marker there is; null where there is none. */
  static Long stored(Offsets offsets, String topic, int queue) {
    var row = offsets.getOffsetTable().get(topic + "@" + RigBroker.GROUP);
    return row == null ? null : row.get(queue);
  }
}

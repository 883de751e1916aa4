package offsetproof;

/** Resets happen at the client alone: the broker has no markers. */
final class Markers {
  private Markers() {}

  static void mark(Offsets offsets, String topic, int queue, long target) {
    throw new UnsupportedOperationException("no reset at the broker in this release");
  }

  static Long marker(Offsets offsets, String topic, int queue) {
    return null;
  }

  static Long takeMarker(Offsets offsets, String topic, int queue) {
    return null;
  }

  /** The stored offset; null where there is none. */
  static Long stored(Offsets offsets, String topic, int queue) {
    long offset = offsets.queryOffset(RigBroker.GROUP, topic, queue);
    return offset < 0 ? null : offset;
  }
}

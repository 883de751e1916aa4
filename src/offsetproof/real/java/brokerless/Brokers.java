package offsetproof;

/** What the rig plays of a broker that is not published. */
final class Brokers {
  private Brokers() {}

  /** What a search for a time later than the last message's finds: that message. */
  static long foundBeyond(long end) {
    return Math.max(0, end - 1);
  }
}

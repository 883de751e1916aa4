package offsetproof;

import org.apache.rocketmq.broker.BrokerController;

/** The version of an offset table, and who asks for it: nobody in 4.9. A commit asks for no topic and for no group. */
final class Versions {
  static final boolean TAKES_SLAVES_TABLE = false;

  private Versions() {}

  static void complete(BrokerController controller) {
    // It asks for no more.
  }

  static void know(BrokerController controller, String topic, String group) {
    // Nobody asks.
  }

  static void copy(Offsets from, Offsets to) {
    // There is none.
  }

  static void move(Offsets manager) {
    // There is none.
  }

  static void takeSlavesTable(BrokerController controller, String slave) {
    throw new UnsupportedOperationException("no master of this release asks its slave");
  }
}

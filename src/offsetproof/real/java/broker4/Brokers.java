package offsetproof;

import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.store.MessageStore;

/** A broker that is never started, with the parts that processors ask it for. */
final class Brokers {
  private Brokers() {}

  static BrokerController with(Offsets offsets, MessageStore store) {
    try {
      BrokerController broker = Fields.unmade(BrokerController.class);
      Fields.set(BrokerController.class, "consumerOffsetManager", broker, offsets);
      Fields.set(BrokerController.class, "messageStore", broker, store);
      return broker;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  /** What it persists before its offsets as it shuts down: nothing. */
  static void persistOthers(BrokerController broker) {
    // Its offsets are the first.
  }

  /** Takes away what else it would persist as it shuts down. */
  static void forgetOthers(BrokerController broker) {
    try {
      Fields.set(BrokerController.class, "consumerFilterManager", broker, null);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}

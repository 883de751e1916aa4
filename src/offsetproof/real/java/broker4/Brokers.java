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
}

package offsetproof;

import java.util.List;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.topic.TopicQueueMappingManager;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.store.MessageStore;

/** A broker that is never started, with the parts that its managers and processors ask it for. */
final class Brokers {
  private static final List<String> OTHER_FILES =
      List.of(
          "consumerFilterManager", "scheduleMessageService", "topicConfigManager", "subscriptionGroupManager",
          "consumerOrderInfoManager");

  private Brokers() {}

  /** One with a configuration alone. */
  static BrokerController bare() {
    try {
      BrokerController broker = Fields.unmade(BrokerController.class);
      Fields.set(BrokerController.class, "brokerConfig", broker, new BrokerConfig());
      return broker;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  static BrokerController with(Offsets offsets, MessageStore store) {
    try {
      BrokerController broker = bare();
      Fields.set(BrokerController.class, "consumerOffsetManager", broker, offsets);
      Fields.set(BrokerController.class, "messageStore", broker, store);
      Fields.set(BrokerController.class, "topicQueueMappingManager", broker, new TopicQueueMappingManager(broker));
      return broker;
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  /** What it persists before its offsets as it shuts down, as far as that may go wrong. */
  static void persistOthers(BrokerController broker) {
    broker.getScheduleMessageService().persist();
  }

  /** Takes away all that it would persist as it shuts down, but its offsets. */
  static void forgetOthers(BrokerController broker) {
    try {
      for (String each : OTHER_FILES) {
        Fields.set(BrokerController.class, each, broker, null);
      }
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }
}

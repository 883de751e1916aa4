package offsetproof;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.BrokerPreOnlineService;
import org.apache.rocketmq.broker.subscription.SubscriptionGroupManager;
import org.apache.rocketmq.broker.topic.TopicConfigManager;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;

/** The version of an offset table, who asks for it, and the topics and groups that a commit asks for since 5.3. */
final class Versions {
  static final boolean TAKES_SLAVES_TABLE = true;

  private Versions() {}

  /** It asks its plugins as well, of which there are none. */
  static void complete(BrokerController controller) throws ReflectiveOperationException {
    Fields.set(BrokerController.class, "brokerAttachedPlugins", controller, new ArrayList<>());
  }

  static void know(BrokerController controller, String topic, String group) throws ReflectiveOperationException {
    TopicConfigManager topics = Fields.unmade(TopicConfigManager.class);
    ConcurrentMap<String, TopicConfig> known = new ConcurrentHashMap<>();
    if (topic != null) {
      known.put(topic, new TopicConfig(topic));
    }
    Fields.set(TopicConfigManager.class, "topicConfigTable", topics, known);
    Fields.set(BrokerController.class, "topicConfigManager", controller, topics);
    SubscriptionGroupManager groups = Fields.unmade(SubscriptionGroupManager.class);
    ConcurrentMap<String, SubscriptionGroupConfig> table = new ConcurrentHashMap<>();
    table.put(group, new SubscriptionGroupConfig());
    Fields.set(SubscriptionGroupManager.class, "subscriptionGroupTable", groups, table);
    Fields.set(BrokerController.class, "subscriptionGroupManager", controller, groups);
  }

  static void copy(Offsets from, Offsets to) {
    to.getDataVersion().assignNewOne(from.getDataVersion());
  }

  /** Other groups commit until the version moves; the next change has a later timestamp. */
  static void move(Offsets manager) throws InterruptedException {
    long before = manager.getDataVersion().getCounter().get();
    while (manager.getDataVersion().getCounter().get() == before) {
      manager.commitOffset("client", "others", "topic", 0, 1);
    }
    Thread.sleep(2);
  }

  static void takeSlavesTable(BrokerController controller, String slave) throws ReflectiveOperationException {
    Method take = BrokerPreOnlineService.class.getDeclaredMethod("syncMetadataReverse", String.class);
    take.setAccessible(true);
    take.invoke(new BrokerPreOnlineService(controller), slave);
  }
}

package offsetproof;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.protocol.route.BrokerData;
import org.apache.rocketmq.common.protocol.route.TopicRouteData;

/** Instances of clients, one for each number: they cost milliseconds, so they are used again by consumer after consumer. */
final class Instances {
  /** A second broker of the topics, which stores alone ask. */
  static final String OTHER_BROKER = "other broker";

  private static final String ADDRESS = "127.0.0.1:2";
  private static final String OTHER_ADDRESS = "127.0.0.1:3";
  private static final int OF_STORES = -1;
  private static final Map<Integer, MQClientInstance> INSTANCES = new HashMap<>();
  private static final Map<MQClientInstance, Wire> WIRES = new HashMap<>();

  private Instances() {}

  /** The id of a client, in a process that is told by these words. */
  static String idOf(int number, Object process) {
    return "127.0.0.1@" + number + "#" + process;
  }

  /** The instance of a client's process under this id, which knows the broker as the master of these topics. */
  static MQClientInstance of(int number, String clientId, List<String> topics) throws Exception {
    if (!INSTANCES.containsKey(number)) {
      INSTANCES.put(number, instance("c" + number, Wire::new));
    }
    MQClientInstance instance = INSTANCES.get(number);
    for (String topic : topics) {
      instance.getTopicRouteTable().put(topic, route());
    }
    Fields.set(MQClientInstance.class, "clientId", instance, clientId);
    return instance;
  }

  /** The number of the client that has this id in one of its processes. */
  static Integer numberOf(String clientId) {
    return clientId == null ? null : Integer.valueOf(clientId.substring(clientId.indexOf('@') + 1, clientId.indexOf('#')));
  }

  static Wire wireOf(MQClientInstance instance) {
    return WIRES.get(instance);
  }

  /** The instance for stores alone, whose brokers keep at once what they are sent. */
  static MQClientInstance ofStore(List<String> topics) throws Exception {
    if (!INSTANCES.containsKey(OF_STORES)) {
      INSTANCES.put(OF_STORES, instance("stores", StoreWire::new));
      addresses(INSTANCES.get(OF_STORES)).put(OTHER_BROKER, new HashMap<>(Map.of(0L, OTHER_ADDRESS)));
    }
    for (String topic : topics) {
      INSTANCES.get(OF_STORES).getTopicRouteTable().put(topic, route());
    }
    return INSTANCES.get(OF_STORES);
  }

  /** The instance of a client of two brokers, which it asks the rig for. */
  static MQClientInstance ofReplicas(int number, ReplicaClient owner) throws Exception {
    int place = OF_STORES - 1 - number;
    if (!INSTANCES.containsKey(place)) {
      INSTANCES.put(place, instance("replicas" + number, ReplicaWire::new));
    }
    ((ReplicaWire) WIRES.get(INSTANCES.get(place))).owner = owner;
    return INSTANCES.get(place);
  }

  private static MQClientInstance instance(String name, Function<ClientConfig, Wire> wiring) throws Exception {
    ClientConfig config = new ClientConfig();
    config.setClientIP("127.0.0.1");
    config.setInstanceName(name);
    config.setNamesrvAddr("127.0.0.1:1");
    MQClientInstance instance = new MQClientInstance(config, 0, config.buildMQClientId(), null);
    Wire wire = wiring.apply(config);
    WIRES.put(instance, wire);
    Fields.set(MQClientInstance.class, "mQClientAPIImpl", instance, wire);
    addresses(instance).put("broker", new HashMap<>(Map.of(0L, ADDRESS)));
    return instance;
  }

  /** The brokers that an instance knows, by their names. */
  static ConcurrentMap<String, HashMap<Long, String>> addresses(MQClientInstance instance) throws Exception {
    return Fields.get(MQClientInstance.class, "brokerAddrTable", instance);
  }

  private static TopicRouteData route() {
    TopicRouteData route = new TopicRouteData();
    route.setBrokerDatas(new ArrayList<>(List.of(new BrokerData("cluster", "broker", new HashMap<>(Map.of(0L, ADDRESS))))));
    return route;
  }
}

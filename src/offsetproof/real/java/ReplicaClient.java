package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.util.HashMap;
import java.util.Map;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore;
import org.apache.rocketmq.client.impl.FindBrokerResult;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * A client of two brokers: a real RemoteBrokerOffsetStore, and the real MQClientInstance with its table of addresses.
 *
 * Played, not real: rebalance and pulls (whom they ask is real), the listener, and the round of persistAll, which is a
 * `persist` of one queue.
 */
final class ReplicaClient {
  private final ReplicasRig rig;
  private final MQClientInstance instance;
  private final long[] positions;
  private final boolean[] listed;
  private final boolean[] pulled;
  private final boolean[] asksMax;
  private final Map<Integer, Map<Integer, Long>> sent = new HashMap<>(Map.of(0, new HashMap<>(), 1, new HashMap<>()));
  private RemoteBrokerOffsetStore store;

  ReplicaClient(int number, ReplicasRig rig) throws Exception {
    this.rig = rig;
    positions = new long[rig.queues];
    listed = new boolean[rig.queues];
    pulled = new boolean[rig.queues];
    asksMax = new boolean[rig.queues];
    instance = Instances.ofReplicas(number, this);
    start();
  }

  /** A process begins, and asks the name server. */
  private void start() throws Exception {
    instance.getTopicRouteTable().remove(ReplicasRig.TOPIC);
    Instances.addresses(instance).remove("broker");
    refresh();
    store = new RemoteBrokerOffsetStore(instance, RigBroker.GROUP);
  }

  private void refresh() {
    instance.updateTopicRouteInfoFromNameServer(ReplicasRig.TOPIC);
  }

  ReplicasRig rig() {
    return rig;
  }

  private static MessageQueue queue(int number) {
    return new MessageQueue(ReplicasRig.TOPIC, "broker", number);
  }

  void send(String address, int queue, long offset) {
    if (rig.at(address) != null) {
      sent.get(ReplicasRig.numberAt(address)).put(queue, offset);
    }
  }

  long arrived(int r, int queue) {
    return sent.get(r).remove(queue);
  }

  void disconnect(int r) {
    sent.get(r).clear();
  }

  void change(String what, JSONObject step) throws Exception {
    int q = step.getIntValue("queue");
    switch (what) {
      case "hear_route":
        refresh();
        break;
      case "kill_client":
        for (int each = 0; each < rig.queues; each++) {
          forget(each);
        }
        start();
        break;
      case "add_queue":
        add(q);
        break;
      case "add_at_max":
        requireMaster(true);
        asksMax[q] = false;
        store.updateOffset(queue(q), rig.settings.getIntValue("messages"), false);
        begin(q, rig.settings.getIntValue("messages"));
        break;
      case "give_up":
        requireMaster(false);
        asksMax[q] = false;
        break;
      case "pull":
        pull(q);
        break;
      case "consume":
        store.updateOffset(queue(q), ++positions[q], true);
        break;
      case "send_commit":
        store.persist(queue(q));
        break;
      case "give_queue_up":
        store.persist(queue(q));
        store.removeOffset(queue(q));
        forget(q);
        break;
      case "hear_reset":
        takeTarget(rig.takeCommand());
        break;
      case "hear_marker":
        takeTarget(rig.master().takeMarker());
        break;
      default:
        throw new IllegalArgumentException("no such change: " + what);
    }
  }

  private void takeTarget(long target) {
    store.updateOffset(queue(0), target, false);
    begin(0, target);
  }

  private void add(int q) {
    long offset = store.readOffset(queue(q), ReadOffsetType.READ_FROM_STORE);
    if (offset < -1) {
      throw new IllegalStateException("the query has failed with " + offset);
    }
    if (offset < 0) {
      asksMax[q] = true;
    } else {
      begin(q, offset);
    }
  }

  private void begin(int q, long offset) {
    listed[q] = true;
    positions[q] = offset;
    pulled[q] = false;
  }

  private void forget(int q) {
    store.removeOffset(queue(q));
    listed[q] = false;
    asksMax[q] = false;
    begin(q, 0);
    listed[q] = false;
  }

  /** MQAdminImpl.maxOffset asks whoever is there under brokerId 0, after a second look at the route. */
  private void requireMaster(boolean answers) {
    String address = instance.findBrokerAddressInPublish("broker");
    if (address == null) {
      refresh();
      address = instance.findBrokerAddressInPublish("broker");
    }
    if ((address != null && rig.at(address) != null) != answers) {
      throw new IllegalStateException("under brokerId 0 there is " + address);
    }
  }

  private void pull(int q) {
    FindBrokerResult found = instance.findBrokerAddressInSubscribe("broker", MixAll.MASTER_ID, false);
    ReplicaBroker broker = rig.at(found.getBrokerAddr());
    if (broker == null || !broker.servesPulls()) {
      throw new IllegalStateException(found.getBrokerAddr() + " does not serve the pull");
    }
    pulled[q] = true;
  }

  void show(String name, JSONObject shown) throws Exception {
    Map<Long, String> addresses = Instances.addresses(instance).get("broker");
    String first = addresses == null ? null : addresses.get(MixAll.MASTER_ID);
    shown.put(name + "knows_master", first != null && ReplicasRig.numberAt(first) == ReplicasRig.MASTER);
    for (int q = 0; q < rig.queues; q++) {
      long cell = store.readOffset(queue(q), ReadOffsetType.READ_FROM_MEMORY);
      shown.put(name + "cell[" + q + "].offset", cell < 0 ? null : cell);
      shown.put(name + "listed[" + q + "]", listed[q]);
      shown.put(name + "asks_max[" + q + "]", asksMax[q]);
      shown.put(name + "position[" + q + "]", positions[q]);
      shown.put(name + "pulled[" + q + "]", pulled[q]);
      shown.put(name + "to_master[" + q + "].offset", sent.get(ReplicasRig.MASTER).get(q));
      shown.put(name + "to_slave[" + q + "].offset", sent.get(ReplicasRig.SLAVE).get(q));
    }
  }
}

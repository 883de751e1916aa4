package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.consumer.store.OffsetSerializeWrapper;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.PullRequest;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * A broadcast consumer as far as its offset file goes: a real client whose consumption is one step.
 *
 * Where its text is to be longer than a buffer, it has one more queue whose topic has a name that long; other queues of
 * a long table would do the same.
 */
final class ClientFileOwner implements FileOwner {
  private final RigClient client;
  private final RigBroker broker;
  private final int queues;
  private final int messages;
  private final MessageQueue filler;
  private final Map<Integer, Long> positions = new TreeMap<>();
  private final Map<Integer, PullRequest> pullRequests = new HashMap<>();

  ClientFileOwner(RigClient client, RigBroker broker, JSONObject settings, String filler) throws Exception {
    this.client = client;
    this.broker = broker;
    queues = settings.getIntValue("queues");
    messages = settings.getIntValue("messages");
    this.filler = filler == null ? null : new MessageQueue(filler, broker.queue.getBrokerName(), 0);
    if (filler != null) {
      client.subscribe(filler);
    }
  }

  /** It has done so as it was made: a client's start does. */
  @Override
  public boolean load() {
    return true;
  }

  @Override
  public Worker.Body body(String call, JSONObject arguments) {
    int queue = arguments.getIntValue("queue");
    switch (call) {
      case "persist":
      case "shutdown":
        return client.body(call, arguments);
      case "add_queue":
        return () -> add(queue, arguments.getBooleanValue("known"));
      case "lose_queue":
        return () -> lose(queue);
      case "consume":
        return () -> consume(queue);
      case "end_poll":
        return () -> endPoll(queue);
      default:
        return null;
    }
  }

  /** The queue was empty when the consumer began on it first, and has all its messages soon after. */
  private void add(int queue, boolean known) throws Throwable {
    broker.maxOffset = known ? messages : 0;
    positions.put(queue, null);
    rebalance();
    pullRequests.put(queue, client.takePullRequest(queue(queue)));
    positions.put(queue, pullRequests.get(queue).getNextOffset());
    if (filler != null) {
      client.store.updateOffset(filler, 1, true);
    }
  }

  private void lose(int queue) throws Throwable {
    positions.remove(queue);
    rebalance();
  }

  private void consume(int queue) {
    positions.merge(queue, 1L, Long::sum);
    client.store.updateOffset(queue(queue), positions.get(queue), true);
  }

  /** What the pull's callback does when there is nothing new: nothing is cached, since consuming is one step. */
  private void endPoll(int queue) throws Throwable {
    PullRequest request = pullRequests.get(queue);
    request.setNextOffset(positions.get(queue));
    var corrects = DefaultMQPushConsumerImpl.class.getDeclaredMethod("correctTagsOffset", PullRequest.class);
    corrects.setAccessible(true);
    corrects.invoke(client.impl, request);
  }

  /** A run of rebalance, with the queues in the route that the consumer is to have. */
  private void rebalance() throws Throwable {
    Set<MessageQueue> route = new HashSet<>();
    positions.keySet().forEach(each -> route.add(queue(each)));
    client.route(broker.topic, route);
    if (filler != null) {
      client.route(filler.getTopic(), route.isEmpty() ? Set.of() : Set.of(filler));
    }
    client.body("rebalance", new JSONObject()).run();
  }

  private MessageQueue queue(int number) {
    return new MessageQueue(broker.topic, broker.queue.getBrokerName(), number);
  }

  @Override
  public Map<Integer, Long> read(String text) {
    OffsetSerializeWrapper wrapper = OffsetSerializeWrapper.fromJson(text, OffsetSerializeWrapper.class);
    ConcurrentMap<MessageQueue, AtomicLong> table = wrapper.getOffsetTable();
    Map<Integer, Long> offsets = new HashMap<>();
    for (int number = 0; number < queues; number++) {
      AtomicLong offset = table.get(queue(number));
      offsets.put(number, offset == null ? null : Long.valueOf(offset.get()));
    }
    return offsets;
  }

  @Override
  public Long offset(int queue) throws Exception {
    return client.cell(queue(queue));
  }

  @Override
  public boolean lists(int queue) {
    return client.lists(queue(queue));
  }

  @Override
  public Long position(int queue) {
    return lists(queue) ? positions.get(queue) : null;
  }

  @Override
  public void leave() {
    client.die();
    client.leave();
  }
}

package offsetproof;

import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.List;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.client.impl.consumer.PullRequest;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;

/** One of several queues in one client: its messages are cached as soon as it is in the table, by no pull. */
final class QueueShare {
  private final RigClient client;
  private final MessageQueue queue;
  private final long messages;
  private ProcessQueue filled;

  QueueShare(RigClient client, MessageQueue queue, long messages) {
    this.client = client;
    this.queue = queue;
    this.messages = messages;
  }

  /** The ProcessQueue in the table; null where there is none. */
  private ProcessQueue listed() {
    return client.impl.getRebalanceImpl().getProcessQueueTable().get(queue);
  }

  /** Caches all messages from where a ProcessQueue starts that is new in the table, as a pull's callback does. */
  void fill(long start) {
    ProcessQueue cache = listed();
    if (cache == null || cache == filled) {
      return;
    }
    filled = cache;
    List<MessageExt> found = new ArrayList<>();
    for (long offset = start; offset < messages; offset++) {
      found.add(Pulls.message(queue.getTopic(), queue.getQueueId(), offset));
    }
    if (!found.isEmpty()) {
      cache.putMessage(found);
      client.impl.getConsumeMessageService().submitConsumeRequest(found, cache, queue, true);
    }
  }

  /** A call of the real classes, by name, for a worker to run; null for a call that is none of them. */
  Worker.Body body(String call) {
    switch (call) {
      case "task":
        return () -> client.consumption.body("task", listed(), nextMessage()).run();
      case "hold_poll":
        return this::pull;
      case "take":
        return () -> takeMarker(false);
      case "bring_cell":
        return () -> takeMarker(true);
      case "end_poll":
        return () -> client.pulls.answer(queue.getQueueId(), 1);
      case "timely_poll":
        return this::pullBeforePause;
      case "persist_queue":
        return () -> client.store.persist(queue);
      case "remove_cell":
        return () -> client.store.removeOffset(queue);
      default:
        return null;
    }
  }

  private JSONObject nextMessage() {
    JSONObject arguments = new JSONObject();
    arguments.put("m", listed().getMsgTreeMap().firstKey());
    return arguments;
  }

  /** Pulls behind the last message. */
  private void pull() {
    for (PullRequest request : client.pullRequests) {
      if (request.getProcessQueue() == listed()) {
        client.pullRequests.removeIf(each -> each == request);
        request.setNextOffset(messages);
        client.impl.pullMessage(request);
        return;
      }
    }
    throw new IllegalStateException("no pull request in the run queue for " + queue);
  }

  /** A pull takes the marker of a reset; one that arrives just now carries a commit, which is executed after that. */
  private void takeMarker(boolean arrives) {
    if (client.pulls.get(queue.getQueueId()) == null) {
      pull();
    }
    Pulls.Pull pull = client.pulls.get(queue.getQueueId());
    Long commit = pull.commit;
    pull.commit = null;
    pull.resetTo = client.broker.takeMarker(queue.getQueueId());
    if (arrives && commit != null) {
      client.broker.commit(client.instance.getClientId(), queue.getQueueId(), commit);
    }
  }

  /** Pulls as if the consumer had not been paused yet, and is answered. */
  private void pullBeforePause() throws Throwable {
    boolean paused = client.impl.isPause();
    client.impl.setPause(false);
    pull();
    client.impl.setPause(paused);
    client.pulls.answer(queue.getQueueId(), 1);
  }

  /** What can be seen of it, under names that begin so. */
  void show(String prefix, JSONObject shown) {
    ProcessQueue cache = listed();
    shown.put(prefix + "cell", client.cell(queue));
    shown.put(prefix + "commits", new ArrayList<>(client.commits(queue.getQueueId())));
    shown.put(prefix + "has_poll", client.pulls.get(queue.getQueueId()) != null);
    if (cache != null && !cache.isDropped()) {
      shown.put(prefix + "position", cache.getMsgTreeMap().isEmpty() ? messages : cache.getMsgTreeMap().firstKey());
    }
  }

  boolean isListed() {
    return listed() != null;
  }

  boolean isDropped() {
    return isListed() && listed().isDropped();
  }
}

package offsetproof;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * Which queues are a client's own. It is scripted, or the release's own strategy deals them out to the members that the
 * client is told of. The queue that is there beside the rig's topic is always its own.
 */
final class Allocation implements AllocateMessageQueueStrategy {
  private final MessageQueue always;
  private volatile Set<MessageQueue> own = Set.of();
  private volatile AllocateMessageQueueStrategy strategy;
  private volatile List<String> members = List.of();

  Allocation(MessageQueue always) {
    this.always = always;
  }

  void script(Set<MessageQueue> queues) {
    own = queues;
  }

  Set<MessageQueue> scripted() {
    return own;
  }

  void dealBy(AllocateMessageQueueStrategy real) {
    strategy = real;
  }

  void tell(List<String> ids) {
    members = ids;
  }

  /** The ids of the members, for a client of this id. */
  List<String> members(String id) {
    return new ArrayList<>(strategy == null ? List.of(id) : members);
  }

  @Override
  public List<MessageQueue> allocate(String group, String id, List<MessageQueue> queues, List<String> ids) {
    if (strategy != null && !queues.contains(always)) {
      return strategy.allocate(group, id, queues, ids);
    }
    List<MessageQueue> result = new ArrayList<>(queues);
    result.removeIf(each -> !each.equals(always) && !own.contains(each));
    return result;
  }

  @Override
  public String getName() {
    return "RIG";
  }
}

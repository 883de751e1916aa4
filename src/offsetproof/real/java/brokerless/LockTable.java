package offsetproof;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * The broker's locks of queues where the release's own are not published: played, so nothing that they do is evidence.
 *
 * A lease ends when the rig says so.
 */
final class LockTable {
  private final Map<MessageQueue, String> owners = new HashMap<>();

  void restart() {
    owners.clear();
  }

  /** The queues that the client has locked now. */
  Set<MessageQueue> lock(LockRequest request) {
    Set<MessageQueue> locked = new HashSet<>();
    for (MessageQueue queue : request.queues()) {
      if (request.clientId().equals(owners.computeIfAbsent(queue, free -> request.clientId()))) {
        locked.add(queue);
      }
    }
    return locked;
  }

  void unlock(LockRequest request) {
    request.queues().forEach(queue -> owners.remove(queue, request.clientId()));
  }

  /** The id of the client that has the queue; null where nobody does. */
  String owner(MessageQueue queue) {
    return owners.get(queue);
  }

  void expire(MessageQueue queue) {
    owners.remove(queue);
  }
}

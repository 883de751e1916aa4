package offsetproof;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.rocketmq.broker.client.rebalance.RebalanceLockManager;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * The broker's locks of queues: the real RebalanceLockManager, and what AdminBrokerProcessor does with requests.
 *
 * It is in memory only. A lease expires when the rig says so: its entry is then made to look as old as it has to be.
 */
final class LockTable {
  private RebalanceLockManager manager = new RebalanceLockManager();

  /** The process is gone and started again. */
  void restart() {
    manager = new RebalanceLockManager();
  }

  /** The queues that the client has locked now. */
  Set<MessageQueue> lock(LockRequest request) {
    return manager.tryLockBatch(request.group(), request.queues(), request.clientId());
  }

  void unlock(LockRequest request) {
    manager.unlockBatch(request.group(), request.queues(), request.clientId());
  }

  /** The id of the client that has the queue; null where nobody does, or the lease has expired. */
  String owner(MessageQueue queue) throws ReflectiveOperationException {
    Object entry = entry(queue);
    if (entry == null) {
      return null;
    }
    var isExpired = entry.getClass().getDeclaredMethod("isExpired");
    isExpired.setAccessible(true);
    return (Boolean) isExpired.invoke(entry) ? null : Fields.get(entry.getClass(), "clientId", entry);
  }

  /** Time passes in which nobody renews the lease of the queue. */
  void expire(MessageQueue queue) throws ReflectiveOperationException {
    Object entry = entry(queue);
    Fields.set(entry.getClass(), "lastUpdateTimestamp", entry, 0L);
  }

  private Object entry(MessageQueue queue) throws ReflectiveOperationException {
    ConcurrentMap<String, ConcurrentHashMap<MessageQueue, ?>> table =
        Fields.get(RebalanceLockManager.class, "mqLockTable", manager);
    ConcurrentHashMap<MessageQueue, ?> ofGroup = table.get(RigBroker.GROUP);
    return ofGroup == null ? null : ofGroup.get(queue);
  }
}

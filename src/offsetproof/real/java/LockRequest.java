package offsetproof;

import java.util.Set;
import org.apache.rocketmq.common.message.MessageQueue;

/** What a request to lock or unlock queues says, however a release spells it. */
record LockRequest(String group, String clientId, Set<MessageQueue> queues) {}

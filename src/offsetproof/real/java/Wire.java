package offsetproof;

import java.util.List;
import java.util.Set;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.PullCallback;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.impl.CommunicationMode;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.common.protocol.body.LockBatchRequestBody;
import org.apache.rocketmq.common.protocol.body.UnlockBatchRequestBody;
import org.apache.rocketmq.common.protocol.header.PullMessageRequestHeader;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.header.UpdateConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.heartbeat.HeartbeatData;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;

/**
 * What one client sends over the network: requests go to the rig's broker, those that are one-way or asynchronous when
 * the rig says so. Nothing leaves the JVM. Lookups has the requests that a release spells in its own way.
 */
class Wire extends Lookups {
  static final Object TIMEOUT = new Object();

  Wire(ClientConfig config) {
    super(config);
  }

  @Override
  public void updateConsumerOffsetOneway(String address, UpdateConsumerOffsetRequestHeader header, long timeout) {
    if (broker().topic.equals(header.getTopic())) {
      client.commits(header.getQueueId()).add(header.getCommitOffset());
    }
  }

  /** A query stops its thread until the broker answers it: with the offset, or with the code of an error. */
  @Override
  public long queryConsumerOffset(String address, QueryConsumerOffsetRequestHeader header, long timeout)
      throws MQBrokerException, RemotingTimeoutException, InterruptedException {
    if (!broker().topic.equals(header.getTopic())) {
      throw Release.queryFailed(RigBroker.QUERY_NOT_FOUND);
    }
    Object answer = Worker.current().waitFor("query");
    broker();
    if (answer == TIMEOUT) {
      throw new RemotingTimeoutException("timed out by the rig");
    }
    if (answer instanceof Integer) {
      throw Release.queryFailed((Integer) answer);
    }
    return (Long) answer;
  }

  @Override
  public List<String> getConsumerIdListByGroup(String address, String group, long timeout)
      throws RemotingTimeoutException {
    broker();
    if (Worker.current().answer == TIMEOUT) {
      throw new RemotingTimeoutException("timed out by the rig");
    }
    return client.allocation.members(client.instance.getClientId());
  }

  @Override
  public int sendHeartbeat(String address, HeartbeatData data, long timeout) {
    return 0;
  }

  @Override
  public void unregisterClient(String address, String id, String producers, String consumers, long timeout) {
    // The rig has no registry of members.
  }

  /** The broker executes a request for locks at once; its answer stops the thread until it is heard of. */
  @Override
  public Set<MessageQueue> lockBatchMQ(String address, LockBatchRequestBody body, long timeout)
      throws InterruptedException {
    Set<MessageQueue> locked = broker().locks.lock(new LockRequest(body.getConsumerGroup(), body.getClientId(), body.getMqSet()));
    Worker.current().waitFor("lock");
    broker();
    return locked;
  }

  @Override
  public void unlockBatchMQ(String address, UnlockBatchRequestBody body, long timeout, boolean oneway) {
    LockRequest request = new LockRequest(body.getConsumerGroup(), body.getClientId(), body.getMqSet());
    if (oneway) {
      client.unlocks.add(request);
    } else {
      broker().locks.unlock(request);
    }
  }

  @Override
  public PullResult pullMessage(
      String address, PullMessageRequestHeader header, long timeout, CommunicationMode mode, PullCallback callback) {
    broker();
    client.sendPull(header.getSysFlag(), header.getQueueOffset(), header.getCommitOffset(), callback);
    return null;
  }
}

package offsetproof;

import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.protocol.ResponseCode;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.header.UpdateConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.route.TopicRouteData;

/** What a client of two brokers sends: each request goes to the broker at its address, or to nobody. */
final class ReplicaWire extends Wire {
  ReplicaClient owner;

  ReplicaWire(ClientConfig config) {
    super(config);
  }

  @Override
  public TopicRouteData getTopicRouteInfoFromNameServer(String topic, long timeout) throws MQClientException {
    TopicRouteData route = owner.rig().route();
    if (route == null) {
      throw new MQClientException(ResponseCode.TOPIC_NOT_EXIST, "no broker has the topic");
    }
    return route;
  }

  @Override
  public void updateConsumerOffsetOneway(String address, UpdateConsumerOffsetRequestHeader header, long timeout) {
    owner.send(address, header.getQueueId(), header.getCommitOffset());
  }

  @Override
  public long queryConsumerOffset(String address, QueryConsumerOffsetRequestHeader header, long timeout)
      throws MQBrokerException {
    ReplicaBroker broker = owner.rig().at(address);
    if (broker == null) {
      throw new IllegalStateException("nobody answers at " + address);
    }
    Object answer = broker.answerQuery(header.getQueueId());
    if (answer instanceof Integer) {
      throw Release.queryFailed((Integer) answer);
    }
    return (Long) answer;
  }
}

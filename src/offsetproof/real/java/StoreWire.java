package offsetproof;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.header.UpdateConsumerOffsetRequestHeader;

/** What a store alone sends: brokers that keep each offset as soon as it is sent, for all groups. */
final class StoreWire extends Wire {
  private final Map<String, Long> offsets = new ConcurrentHashMap<>();

  StoreWire(ClientConfig config) {
    super(config);
  }

  @Override
  public void updateConsumerOffsetOneway(String address, UpdateConsumerOffsetRequestHeader header, long timeout) {
    offsets.put(key(address, header.getConsumerGroup(), header.getTopic(), header.getQueueId()), header.getCommitOffset());
  }

  @Override
  public long queryConsumerOffset(String address, QueryConsumerOffsetRequestHeader header, long timeout)
      throws MQBrokerException {
    Long offset = offsets.get(key(address, header.getConsumerGroup(), header.getTopic(), header.getQueueId()));
    if (offset == null) {
      throw Release.queryFailed(RigBroker.QUERY_NOT_FOUND);
    }
    return offset;
  }

  private static String key(String address, String group, String topic, int queue) {
    return String.join("@", address, group, topic, String.valueOf(queue));
  }
}

package offsetproof;

import org.apache.rocketmq.broker.out.BrokerOuterAPI;
import org.apache.rocketmq.common.protocol.body.ConsumerOffsetSerializeWrapper;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;

/** What a broker asks others: the answer is there. */
final class Outer extends BrokerOuterAPI {
  byte[] table;

  Outer() {
    super(new NettyClientConfig());
  }

  @Override
  public ConsumerOffsetSerializeWrapper getAllConsumerOffset(String address) {
    return ConsumerOffsetSerializeWrapper.decode(table, ConsumerOffsetSerializeWrapper.class);
  }
}

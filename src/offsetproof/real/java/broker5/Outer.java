package offsetproof;

import org.apache.rocketmq.auth.config.AuthConfig;
import org.apache.rocketmq.broker.out.BrokerOuterAPI;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.protocol.body.ConsumerOffsetSerializeWrapper;
import org.apache.rocketmq.store.timer.TimerCheckpoint;

/** What a broker asks others: the answer is there; there are no delayed messages and no timers. */
final class Outer extends BrokerOuterAPI {
  byte[] table;

  Outer() {
    super(new NettyClientConfig(), new AuthConfig());
  }

  @Override
  public ConsumerOffsetSerializeWrapper getAllConsumerOffset(String address) {
    return ConsumerOffsetSerializeWrapper.decode(table, ConsumerOffsetSerializeWrapper.class);
  }

  @Override
  public String getAllDelayOffset(String address) {
    return null;
  }

  @Override
  public TimerCheckpoint getTimerCheckPoint(String address) {
    return null;
  }
}

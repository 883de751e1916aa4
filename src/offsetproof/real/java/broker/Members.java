package offsetproof;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.broker.client.ClientChannelInfo;
import org.apache.rocketmq.broker.client.ConsumerGroupInfo;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.protocol.heartbeat.ConsumeType;
import org.apache.rocketmq.common.protocol.heartbeat.MessageModel;
import org.apache.rocketmq.remoting.protocol.LanguageCode;

/** The members of the group as one broker knows them: the release's own table, with a connection for each process. */
final class Members {
  private static final ConsumeFromWhere FROM = ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET;

  private final Map<Integer, Channel> connections = new HashMap<>();
  private ConsumerGroupInfo group = empty();

  private static ConsumerGroupInfo empty() {
    return new ConsumerGroupInfo(RigBroker.GROUP, ConsumeType.CONSUME_PASSIVELY, MessageModel.CLUSTERING, FROM);
  }

  void restart() {
    group = empty();
  }

  /** A process's heartbeat: it is a member from now on, under this id. */
  void hear(int process, String id) {
    group.updateChannel(of(process, id), ConsumeType.CONSUME_PASSIVELY, MessageModel.CLUSTERING, FROM);
  }

  /** A process unregisters, or its connection is closed. */
  void lose(int process, String id) {
    group.unregisterChannel(of(process, id));
  }

  private ClientChannelInfo of(int process, String id) {
    Channel connection = connections.computeIfAbsent(process, number -> new EmbeddedChannel());
    return new ClientChannelInfo(connection, id, LanguageCode.JAVA, 0);
  }

  /** What a client is told that asks for the members. */
  List<String> ids() {
    return group.getAllClientId();
  }
}

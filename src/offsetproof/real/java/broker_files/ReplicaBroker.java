package offsetproof;

import com.alibaba.fastjson.JSONObject;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.processor.AdminBrokerProcessor;
import org.apache.rocketmq.broker.processor.ConsumerManageProcessor;
import org.apache.rocketmq.broker.processor.PullMessageProcessor;
import org.apache.rocketmq.broker.slave.SlaveSynchronize;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.protocol.RequestCode;
import org.apache.rocketmq.common.protocol.ResponseCode;
import org.apache.rocketmq.common.protocol.body.ConsumerOffsetSerializeWrapper;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetResponseHeader;
import org.apache.rocketmq.common.protocol.header.UpdateConsumerOffsetRequestHeader;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.store.MessageStore;
import org.apache.rocketmq.store.config.BrokerRole;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/**
 * A broker of a pair: the real ConsumerOffsetManager with its file, the processors that answer clients and the slave,
 * SlaveSynchronize, and since 5.0 BrokerPreOnlineService.
 *
 * The BrokerController is never started, and has what these ask it for.
 */
final class ReplicaBroker {
  private static final String KEY = ReplicasRig.TOPIC + "@" + RigBroker.GROUP;
  private static final String OTHER_BROKER = "127.0.0.1:9";
  private static final ChannelHandlerContext CLIENT =
      new EmbeddedChannel(new ChannelInboundHandlerAdapter()).pipeline().firstContext();

  private final Offsets manager;
  private final BrokerController controller;
  private final ConsumerManageProcessor consumers;
  private final Outer outer = new Outer();

  ReplicaBroker(Path folder, int r, JSONObject settings, boolean knowsTopic) throws Exception {
    manager = new Offsets(fileIn(folder));
    controller = Brokers.with(manager, store(settings.getIntValue("cold") == 1));
    BrokerConfig config = new BrokerConfig();
    config.setBrokerId(r);
    config.setSlaveReadEnable(settings.getIntValue("slave_reads") == 1);
    MessageStoreConfig stores = new MessageStoreConfig();
    stores.setBrokerRole(r == ReplicasRig.MASTER ? BrokerRole.ASYNC_MASTER : BrokerRole.SLAVE);
    set("brokerConfig", config);
    set("messageStoreConfig", stores);
    set("nettyServerConfig", new NettyServerConfig());
    set("brokerOuterAPI", outer);
    Versions.complete(controller);
    learn(knowsTopic);
    consumers = new ConsumerManageProcessor(controller);
  }

  private void set(String field, Object value) throws ReflectiveOperationException {
    Fields.set(BrokerController.class, field, controller, value);
  }

  private void learn(boolean topic) throws ReflectiveOperationException {
    Versions.know(controller, topic ? ReplicasRig.TOPIC : null, RigBroker.GROUP);
  }

  private static Path fileIn(Path folder) throws java.io.IOException {
    return Files.createDirectories(folder).resolve("consumerOffset.json");
  }

  private static MessageStore store(boolean cold) {
    return (MessageStore)
        Proxy.newProxyInstance(
            ReplicaBroker.class.getClassLoader(),
            new Class<?>[] {MessageStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getMinOffsetInQueue" -> 0L;
                  case "checkInDiskByConsumeOffset" -> cold;
                  case "checkInMemByConsumeOffset" -> !cold;
                  case "getStateMachineVersion" -> 0L;
                  default -> throw new UnsupportedOperationException("the rig's store: " + method);
                });
  }

  void load() {
    manager.load();
  }

  void persist() {
    manager.persist();
  }

  /** ConsumerManageProcessor.updateConsumerOffset: it may refuse, of which nobody hears. */
  void commit(int queue, long offset) throws Exception {
    UpdateConsumerOffsetRequestHeader header = new UpdateConsumerOffsetRequestHeader();
    header.setConsumerGroup(RigBroker.GROUP);
    header.setTopic(ReplicasRig.TOPIC);
    header.setQueueId(queue);
    header.setCommitOffset(offset);
    RemotingCommand request = RemotingCommand.createRequestCommand(RequestCode.UPDATE_CONSUMER_OFFSET, header);
    request.makeCustomHeaderToNet();
    consumers.processRequest(CLIENT, request);
  }

  /** An offset (Long), or the code of an error (Integer). */
  Object answerQuery(int queue) {
    QueryConsumerOffsetRequestHeader header = new QueryConsumerOffsetRequestHeader();
    header.setConsumerGroup(RigBroker.GROUP);
    header.setTopic(ReplicasRig.TOPIC);
    header.setQueueId(queue);
    RemotingCommand request = RemotingCommand.createRequestCommand(RequestCode.QUERY_CONSUMER_OFFSET, header);
    request.makeCustomHeaderToNet();
    try {
      RemotingCommand response = consumers.processRequest(CLIENT, request);
      boolean found = response.getCode() == ResponseCode.SUCCESS;
      return found ? ((QueryConsumerOffsetResponseHeader) response.readCustomHeader()).getOffset() : (Object) response.getCode();
    } catch (Exception error) {
      throw new IllegalStateException(error);
    }
  }

  /** PullMessageProcessor.rejectRequest, and whether there is the topic. */
  boolean servesPulls() {
    try {
      PullMessageProcessor pulls = Fields.unmade(PullMessageProcessor.class);
      Fields.set(PullMessageProcessor.class, "brokerController", pulls, controller);
      return !pulls.rejectRequest();
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  /** AdminBrokerProcessor.getAllConsumerOffset. */
  byte[] sendTable() throws Exception {
    AdminBrokerProcessor admin = Fields.unmade(AdminBrokerProcessor.class);
    Fields.set(AdminBrokerProcessor.class, "brokerController", admin, controller);
    Method answer = AdminBrokerProcessor.class.getDeclaredMethod(
        "getAllConsumerOffset", ChannelHandlerContext.class, RemotingCommand.class);
    answer.setAccessible(true);
    return ((RemotingCommand) answer.invoke(admin, CLIENT, null)).getBody();
  }

  /** SlaveSynchronize.syncConsumerOffset; topics.json is played. */
  void takeTable(byte[] table, boolean knowsTopic) throws Exception {
    outer.table = table;
    SlaveSynchronize slave = new SlaveSynchronize(controller);
    slave.setMasterAddr(OTHER_BROKER);
    Method take = SlaveSynchronize.class.getDeclaredMethod("syncConsumerOffset");
    take.setAccessible(true);
    take.invoke(slave);
    learn(knowsTopic);
  }

  void takeSlavesTable(byte[] table) throws Exception {
    outer.table = table;
    Versions.takeSlavesTable(controller, OTHER_BROKER);
  }

  /** Both begin with one version, which is in their files. */
  void takeVersion(ReplicaBroker other) {
    Versions.copy(other.manager, manager);
    persist();
    other.persist();
  }

  void moveVersion() throws InterruptedException {
    Versions.move(manager);
  }

  void mark(long target) {
    Markers.mark(manager, ReplicasRig.TOPIC, 0, target);
  }

  Long marker(int queue) {
    return Markers.marker(manager, ReplicasRig.TOPIC, queue);
  }

  long takeMarker() {
    return Markers.takeMarker(manager, ReplicasRig.TOPIC, 0);
  }

  Long row(int queue) {
    return Markers.stored(manager, ReplicasRig.TOPIC, queue);
  }

  /** The rows that a copy has. */
  static Map<Integer, Long> rowsOf(byte[] table) {
    Map<Integer, Long> rows =
        ConsumerOffsetSerializeWrapper.decode(table, ConsumerOffsetSerializeWrapper.class).getOffsetTable().get(KEY);
    return rows == null ? Map.of() : rows;
  }

  /** The rows that a start would load. */
  static Map<Integer, Long> rowsIn(Path folder) throws java.io.IOException {
    Offsets reader = new Offsets(fileIn(folder));
    reader.load();
    Map<Integer, Long> rows = reader.getOffsetTable().get(KEY);
    return rows == null ? Map.of() : rows;
  }
}

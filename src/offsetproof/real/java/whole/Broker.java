package offsetproof.whole;

import com.alibaba.fastjson.JSONObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.store.config.BrokerRole;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/** A broker of the release with its store, embedded as its own start-up does it; files are small. */
final class Broker implements Role {
  private static final int COMMIT_LOG_BYTES = 16 << 20;
  private static final int CONSUME_QUEUE_BYTES = 20 * 10_000;

  private final BrokerController controller;
  private final int port;
  private final Map<String, Watch> watches = new HashMap<>();
  private Ledger ledger;

  Broker(JSONObject settings) throws Exception {
    Settings.announceVersion(MQVersion.CURRENT_VERSION);
    port = settings.getInteger("port") == null ? Ports.freeForBroker() : settings.getInteger("port");
    NettyServerConfig server = new NettyServerConfig();
    server.setListenPort(port);
    Settings.bindToLoopback(server);
    BrokerConfig config = config(settings);
    if (settings.getBooleanValue("clientsReset")) {
      Settings.haveClientsReset(config);
    }
    MessageStoreConfig store = store(settings);
    if (settings.getBooleanValue("acting")) {
      Settings.letSlaveAct(config, store);
    }
    controller = new BrokerController(config, server, new NettyClientConfig(), store);
    if (!controller.initialize()) {
      throw new IllegalStateException("BrokerController.initialize says false");
    }
    if (settings.getBooleanValue("noted")) {
      ledger = new Ledger(controller);
    }
    controller.start();
    if (settings.getBooleanValue("slave")) {
      Settings.stopCopies(controller);
    }
  }

  private static BrokerConfig config(JSONObject settings) {
    BrokerConfig config = new BrokerConfig();
    config.setRocketmqHome(settings.getString("folder"));
    config.setBrokerName(settings.getBooleanValue("slave") ? settings.getString("master") : settings.getString("name"));
    config.setBrokerId(settings.getBooleanValue("slave") ? 1 : 0);
    config.setBrokerIP1(Settings.LOOPBACK);
    config.setBrokerIP2(Settings.LOOPBACK);
    config.setNamesrvAddr(settings.getString("nameServer"));
    return config;
  }

  private static MessageStoreConfig store(JSONObject settings) throws Exception {
    String root = settings.getString("folder") + "/store";
    MessageStoreConfig config = new MessageStoreConfig();
    config.setStorePathRootDir(root);
    config.setStorePathCommitLog(root + "/commitlog");
    config.setMappedFileSizeCommitLog(COMMIT_LOG_BYTES);
    config.setMappedFileSizeConsumeQueue(CONSUME_QUEUE_BYTES);
    config.setMaxHashSlotNum(4000);
    config.setMaxIndexNum(1000);
    config.setHaListenPort(Ports.free());
    config.setBrokerRole(settings.getBooleanValue("slave") ? BrokerRole.SLAVE : BrokerRole.ASYNC_MASTER);
    return config;
  }

  @Override
  public Object perform(String op, JSONObject command) throws Exception {
    switch (op) {
      case "started":
        return port;
      case "committed":
        return committed(command.getString("group"), command.getString("topic"), command.getIntValue("queues"));
      case "watch":
        return watch(command.getString("group"), command.getString("topic"));
      case "watched":
        return watches.remove(command.getString("topic")).end();
      case "notes":
        return ledger.since(command.getIntValue("from"));
      case "min":
        return controller.getMessageStore().getMinOffsetInQueue(command.getString("topic"), command.getIntValue("queue"));
      case "max":
        return controller.getMessageStore().getMaxOffsetInQueue(command.getString("topic"), command.getIntValue("queue"));
      case "copy":
        controller.getSlaveSynchronize().syncAll();
        return true;
      case "flush":
        controller.getConsumerOffsetManager().persist();
        return true;
      case "expire":
        controller.getMessageStoreConfig().setFileReservedTime(0);
        controller.getMessageStore().executeDeleteFilesManually();
        return true;
      case "shutdown":
        controller.shutdown();
        return true;
      default:
        throw Role.unknown(op);
    }
  }

  private boolean watch(String group, String topic) {
    watches.put(topic, new Watch(controller.getConsumerOffsetManager(), group, topic, 0));
    return true;
  }

  /** What the broker's own table has for each queue of a topic; null where it has nothing. */
  private List<Long> committed(String group, String topic, int queues) {
    List<Long> offsets = new ArrayList<>();
    for (int queue = 0; queue < queues; queue++) {
      long offset = controller.getConsumerOffsetManager().queryOffset(group, topic, queue);
      offsets.add(offset < 0 ? null : offset);
    }
    return offsets;
  }
}

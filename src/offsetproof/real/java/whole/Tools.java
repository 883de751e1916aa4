package offsetproof.whole;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.commons.cli.Options;
import org.apache.commons.cli.PosixParser;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;
import org.apache.rocketmq.tools.command.consumer.ConsumerProgressSubCommand;

/** A producer, and the administrator's tools. */
final class Tools implements Role {
  private static final int READ_AND_WRITE = 6;
  private static final long ROUTE_MILLIS = 15_000;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final DefaultMQProducer producer = new DefaultMQProducer("producers");
  private final DefaultMQAdminExt administrator = new DefaultMQAdminExt();
  private final DefaultMQAdminExt second = new DefaultMQAdminExt();

  Tools(JSONObject settings) throws Exception {
    producer.setNamesrvAddr(settings.getString("nameServer"));
    producer.setClientIP(Settings.LOOPBACK);
    producer.setInstanceName("producer");
    producer.start();
    start(administrator, "administrator", settings);
    start(second, "second", settings);
  }

  private static void start(DefaultMQAdminExt tool, String name, JSONObject settings) throws MQClientException {
    tool.setNamesrvAddr(settings.getString("nameServer"));
    tool.setClientIP(Settings.LOOPBACK);
    tool.setInstanceName(name);
    tool.start();
  }

  @Override
  public Object perform(String op, JSONObject command) throws Exception {
    String topic = command.getString("topic");
    switch (op) {
      case "started":
        return true;
      case "topic":
        return create(command.getString("broker"), topic, command.getIntValue("queues"));
      case "send":
        return send(new MessageQueue(topic, command.getString("broker"), command.getIntValue("queue")), command);
      case "reset":
        return reset(topic, command.getString("group"), command.getLongValue("timestamp"));
      case "progress":
        return progress(command.getString("group"));
      case "commit":
        return commit(command.getString("broker"), command.getString("address"), topic, command.getJSONArray("groups"));
      case "shutdown":
        second.shutdown();
        administrator.shutdown();
        producer.shutdown();
        return true;
      default:
        throw Role.unknown(op);
    }
  }

  /** Creates a topic at a broker, and waits until clients find it at the name server. */
  private int create(String address, String topic, int queues) throws Exception {
    administrator.createAndUpdateTopicConfig(address, new TopicConfig(topic, queues, queues, READ_AND_WRITE));
    long until = System.currentTimeMillis() + ROUTE_MILLIS;
    while (true) {
      try {
        return producer.fetchPublishMessageQueues(topic).size();
      } catch (MQClientException noRoute) {
        if (System.currentTimeMillis() > until) {
          throw noRoute;
        }
        Thread.sleep(20);
      }
    }
  }

  private List<Long> send(MessageQueue queue, JSONObject command) throws Exception {
    List<Long> offsets = new ArrayList<>();
    JSONArray bodies = command.getJSONArray("bodies");
    for (int i = 0; i < bodies.size(); i++) {
      Message message = new Message(queue.getTopic(), bodies.getString(i).getBytes(StandardCharsets.UTF_8));
      offsets.add(producer.send(message, queue).getQueueOffset());
    }
    return offsets;
  }

  /** Has two clients commit offset 1 of the queues 0 and 1 for each of the groups, at the same moment if it may be. */
  private boolean commit(String broker, String address, String topic, JSONArray groups) throws Exception {
    DefaultMQAdminExt[] clients = {administrator, second};
    for (int i = 0; i < groups.size(); i++) {
      String group = groups.getString(i);
      CountDownLatch ready = new CountDownLatch(clients.length);
      List<CompletableFuture<Void>> commits = new ArrayList<>();
      for (int queue = 0; queue < clients.length; queue++) {
        DefaultMQAdminExt client = clients[queue];
        MessageQueue of = new MessageQueue(topic, broker, queue);
        commits.add(CompletableFuture.runAsync(() -> {
          try {
            ready.countDown();
            ready.await();
            client.updateConsumeOffset(address, group, of, 1);
          } catch (Exception error) {
            throw new CompletionException(error);
          }
        }, threads));
      }
      for (CompletableFuture<Void> commit : commits) {
        commit.get();
      }
    }
    return true;
  }

  /** What `mqadmin consumerProgress -g GROUP` prints. */
  private String progress(String group) throws Exception {
    ConsumerProgressSubCommand command = new ConsumerProgressSubCommand();
    Options options = command.buildCommandlineOptions(new Options());
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setProperty("rocketmq.namesrv.addr", administrator.getNamesrvAddr());
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      command.execute(new PosixParser().parse(options, new String[] {"-g", group}), options, null);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  /** What `mqadmin resetOffsetByTime` asks for; its answer is where the broker wants each queue to be. */
  private Map<String, Long> reset(String topic, String group, long timestamp) throws Exception {
    Map<String, Long> targets = new TreeMap<>();
    administrator
        .resetOffsetByTimestamp(topic, group, timestamp, true)
        .forEach((queue, offset) -> targets.put(Integer.toString(queue.getQueueId()), offset));
    return targets;
  }
}

package offsetproof.whole;

import com.alibaba.fastjson.JSON;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.offset.ConsumerOffsetManager;
import org.apache.rocketmq.common.protocol.RequestCode;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/** What a broker's own table has had, and which of its requests could have changed that, with times. */
final class Ledger implements RPCHook {
  private static final int FLAG_COMMIT_OFFSET = 1;

  private final Notes notes = new Notes();
  private final ConsumerOffsetManager offsets;
  private final Field markers;
  private final Set<String> clients = ConcurrentHashMap.newKeySet();

  Ledger(BrokerController controller) {
    offsets = controller.getConsumerOffsetManager();
    markers = markersOf(ConsumerOffsetManager.class);
    controller.registerServerRPCHook(this);
    notes.look(this::look);
  }

  /** The table of resets at the broker, which 4.9 does not have. */
  private static Field markersOf(Class<?> owner) {
    try {
      Field field = owner.getDeclaredField("resetOffsetTable");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException release49) {
      return null;
    }
  }

  List<List<Object>> since(int from) {
    return notes.since(from);
  }

  private void look(Notes seen) {
    seen.see("stored", rows(offsets.getOffsetTable()));
    if (markers != null) {
      try {
        seen.see("marked", rows((Map<?, ?>) markers.get(offsets)));
      } catch (IllegalAccessException error) {
        throw new IllegalStateException(error);
      }
    }
  }

  private static Map<List<Object>, Object> rows(Map<?, ?> table) {
    Map<List<Object>, Object> rows = new HashMap<>();
    table.forEach((key, queues) -> {
      String[] topicAndGroup = key.toString().split("@", 2);
      ((Map<?, ?>) queues).forEach(
          (queue, offset) -> rows.put(Arrays.asList(topicAndGroup[1], topicAndGroup[0], queue), offset));
    });
    return rows;
  }

  @Override
  public void doBeforeRequest(String address, RemotingCommand request) {
    Map<String, String> fields = request.getExtFields() == null ? Map.of() : request.getExtFields();
    String group = fields.get("consumerGroup");
    String topic = fields.get("topic");
    switch (request.getCode()) {
      case RequestCode.UPDATE_CONSUMER_OFFSET:
        notes.happens("commit", address, group, topic, number(fields, "queueId"), number(fields, "commitOffset"));
        return;
      case RequestCode.PULL_MESSAGE:
        pulled(address, fields, group, topic);
        return;
      case RequestCode.QUERY_CONSUMER_OFFSET:
        notes.happens("query", address, group, topic, number(fields, "queueId"));
        return;
      case RequestCode.INVOKE_BROKER_TO_RESET_OFFSET:
        notes.happens("reset", address, fields.get("group"), topic, number(fields, "timestamp"));
        return;
      case RequestCode.LOCK_BATCH_MQ:
        notes.happens("lock", address, body(request));
        return;
      case RequestCode.UNLOCK_BATCH_MQ:
        notes.happens("unlock", address, body(request));
        return;
      case RequestCode.HEART_BEAT:
        beats(address, JSON.parseObject(body(request)).getString("clientID"));
        return;
      default:
    }
  }

  private void pulled(String address, Map<String, String> fields, String group, String topic) {
    Long commits = (number(fields, "sysFlag") & FLAG_COMMIT_OFFSET) == 0 ? null : number(fields, "commitOffset");
    notes.happens("pull", address, group, topic, number(fields, "queueId"), number(fields, "queueOffset"), commits);
  }

  private void beats(String address, String client) {
    if (clients.add(address)) {
      notes.happens("client", address, client);
    }
  }

  private static Long number(Map<String, String> fields, String name) {
    return fields.get(name) == null ? null : Long.valueOf(fields.get(name));
  }

  private static String body(RemotingCommand request) {
    return new String(request.getBody(), StandardCharsets.UTF_8);
  }

  @Override
  public void doAfterResponse(String address, RemotingCommand request, RemotingCommand response) {
    // What it comes to is in the table.
  }
}

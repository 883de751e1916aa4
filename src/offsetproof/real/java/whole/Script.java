package offsetproof.whole;

import com.alibaba.fastjson.JSONObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.rocketmq.common.message.MessageExt;

/** What a listener does, by the messages of its batch: how long it works, and what it says in the end. */
final class Script {
  private final JSONObject otherwise;
  private final JSONObject messages;

  Script(JSONObject script) {
    otherwise = script.getJSONObject("otherwise");
    messages = script.getJSONObject("messages");
  }

  /** What is done with a batch: the first of its messages that has something of its own decides. */
  JSONObject of(List<MessageExt> batch) {
    return batch.stream().map(Script::body).filter(messages::containsKey).findFirst().map(messages::getJSONObject)
        .orElse(otherwise);
  }

  static String body(MessageExt message) {
    return new String(message.getBody(), StandardCharsets.UTF_8);
  }

  /** Works for so long, whoever interrupts: a listener that does not end when it is asked to. */
  static void work(JSONObject behaviour) {
    long until = System.nanoTime() + (long) (behaviour.getDoubleValue("seconds") * 1e9);
    for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
      try {
        Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
      } catch (InterruptedException goesOn) {
        continue;
      }
    }
    if (behaviour.getBooleanValue("throws")) {
      throw new IllegalStateException("as the script says");
    }
  }
}

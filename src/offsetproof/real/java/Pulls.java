package offsetproof;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.apache.rocketmq.client.consumer.PullCallback;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.impl.consumer.PullResultExt;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.sysflag.PullSysFlag;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;

/** A client's pulls that are on their way or held by the broker, one for each ProcessQueue, and the broker's answers. */
final class Pulls {
  /** What a pull says; its commit is null when it has none, or the broker has executed it. `resetTo` is a reset's target. */
  static final class Pull {
    Long commit;
    Long resetTo;
    long offset;
    private PullCallback callback;
  }

  private final RigBroker broker;
  private final int unmatchedFrom;
  private final int unmatched;
  private final Map<Integer, Pull> pulls = new HashMap<>();

  /** The `unmatched` messages from `unmatchedFrom` on have another tag. */
  Pulls(RigBroker broker, int unmatchedFrom, int unmatched) {
    this.broker = broker;
    this.unmatchedFrom = unmatchedFrom;
    this.unmatched = unmatched;
  }

  Pull get(int pqId) {
    return pulls.get(pqId);
  }

  void send(int pqId, int sysFlag, long offset, long commit, PullCallback callback) {
    Pull pull = new Pull();
    pull.commit = PullSysFlag.hasCommitOffsetFlag(sysFlag) ? commit : null;
    pull.offset = offset;
    pull.callback = callback;
    pulls.put(pqId, pull);
  }

  /** The broker will never answer a pull. */
  void forget(int pqId) {
    pulls.remove(pqId);
  }

  /** The client is gone: of what it has sent, only commits that have not arrived are left. */
  void forgetHeld() {
    pulls.values().removeIf(pull -> pull.commit == null);
  }

  /** A pull or its answer is lost, and its time is over. */
  void fail(int pqId) {
    pulls.remove(pqId).callback.onException(new RemotingTimeoutException("lost by the rig"));
  }

  /** The broker answers a pull that it holds, with up to `size` messages. */
  void answer(int pqId, int size) throws Exception {
    Pull pull = pulls.remove(pqId);
    pull.callback.onSuccess(answerTo(pull, size));
  }

  /** The broker answers, but what with is decided when the callback looks, which may find no reason to. */
  void answerLate(int pqId) {
    Pull pull = pulls.get(pqId);
    pull.callback.onSuccess(new LateAnswer(() -> {
      Worker worker = Worker.current();
      worker.waitFor("answer");
      pulls.remove(pqId);
      return answerTo(pull, worker.size);
    }));
    pulls.remove(pqId, pull);
  }

  private PullResultExt answerTo(Pull pull, int size) throws Exception {
    long lowest = broker.minOffset;
    long highest = broker.maxOffset;
    boolean begins = pull.offset >= unmatchedFrom && pull.offset < unmatchedFrom + unmatched;
    long first = begins ? unmatchedFrom + unmatched : pull.offset;
    PullStatus status = PullStatus.FOUND;
    long next = Math.min(highest, first + size);
    if (pull.resetTo != null) {
      status = PullStatus.OFFSET_ILLEGAL;
      next = pull.resetTo;
    } else if (pull.offset < lowest || pull.offset > highest) {
      status = PullStatus.OFFSET_ILLEGAL;
      next = pull.offset < lowest ? lowest : highest;
    } else if (pull.offset == highest) {
      status = PullStatus.NO_NEW_MSG;
      next = highest;
    } else if (first >= highest) {
      status = PullStatus.NO_MATCHED_MSG;
      next = highest;
    }
    byte[] messages = status == PullStatus.FOUND ? encode(first, next) : null;
    return new PullResultExt(status, next, lowest, highest, null, 0, messages);
  }

  private byte[] encode(long from, long to) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (long offset = from; offset < to; offset++) {
      bytes.write(MessageDecoder.encode(message(broker.topic, RigBroker.QUEUE, offset), false));
    }
    return bytes.toByteArray();
  }

  static MessageExt message(String topic, int queue, long offset) {
    MessageExt message = new MessageExt();
    message.setTopic(topic);
    message.setQueueId(queue);
    message.setQueueOffset(offset);
    message.setBody(new byte[] {1});
    message.setBornHost(new InetSocketAddress("127.0.0.1", 1));
    message.setStoreHost(new InetSocketAddress("127.0.0.1", 2));
    MessageAccessor.setProperties(message, new HashMap<>());
    return message;
  }
}

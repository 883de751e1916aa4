package offsetproof;

import java.util.List;
import java.util.concurrent.Callable;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.impl.consumer.PullResultExt;
import org.apache.rocketmq.common.message.MessageExt;

/** An answer to a pull that is decided when somebody first looks at it. */
final class LateAnswer extends PullResultExt {
  private final Callable<PullResultExt> decide;
  private PullResultExt decided;

  LateAnswer(Callable<PullResultExt> decide) {
    super(null, 0, 0, 0, null, 0, null);
    this.decide = decide;
  }

  private PullResultExt decided() {
    if (decided == null) {
      try {
        decided = decide.call();
      } catch (Exception error) {
        throw new IllegalStateException(error);
      }
    }
    return decided;
  }

  @Override
  public PullStatus getPullStatus() {
    return decided().getPullStatus();
  }

  @Override
  public long getNextBeginOffset() {
    return decided().getNextBeginOffset();
  }

  @Override
  public long getMinOffset() {
    return decided().getMinOffset();
  }

  @Override
  public long getMaxOffset() {
    return decided().getMaxOffset();
  }

  @Override
  public long getSuggestWhichBrokerId() {
    return decided().getSuggestWhichBrokerId();
  }

  @Override
  public byte[] getMessageBinary() {
    return decided().getMessageBinary();
  }

  @Override
  public void setMessageBinary(byte[] messages) {
    decided().setMessageBinary(messages);
  }

  @Override
  public List<MessageExt> getMsgFoundList() {
    return decided().getMsgFoundList();
  }

  @Override
  public void setMsgFoundList(List<MessageExt> messages) {
    decided().setMsgFoundList(messages);
  }
}

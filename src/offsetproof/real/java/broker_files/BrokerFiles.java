package offsetproof;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.rocketmq.broker.BrokerPathConfigHelper;

/** Where a broker's offset file is, and the real classes that read and write it. */
final class BrokerFiles {
  private BrokerFiles() {}

  /** The offset file of a broker that has this folder. */
  static Path in(Path folder) {
    return Path.of(BrokerPathConfigHelper.getConsumerOffsetPath(folder.toString()));
  }

  /** A broker with this offset file. */
  static FileOwner owner(Path file, int queues, String filler) {
    return new BrokerFileOwner(file, queues, filler);
  }

  /** A broker with this folder whose start fails. */
  static FileOwner refused(Path folder, int queues, String filler, boolean hasTopics) throws IOException {
    return RefusedBroker.of(folder, queues, filler, hasTopics);
  }
}

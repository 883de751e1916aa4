package offsetproof;

import java.nio.file.Path;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.broker.offset.ConsumerOffsetManager;

/**
 * The real ConsumerOffsetManager, with a file of its own.
 *
 * It asks its broker for one thing, the configuration: so that is all that the broker has here.
 */
final class Offsets extends ConsumerOffsetManager {
  private static final BrokerController BROKER = Brokers.bare();

  private final Path file;

  Offsets(Path file) {
    super(BROKER);
    this.file = file;
  }

  @Override
  public String configFilePath() {
    return file.toString();
  }
}

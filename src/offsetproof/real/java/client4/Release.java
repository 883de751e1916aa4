package offsetproof;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.exception.MQBrokerException;

/** How the 4.9 releases of the client spell what other releases spell otherwise. */
final class Release {
  /** PullMessageService's queue of requests to run. */
  static final String RUN_QUEUE = "pullRequestQueue";

  private Release() {}

  /** What the client makes of a query that the broker answers with this code. */
  static MQBrokerException queryFailed(int code) {
    return new MQBrokerException(code, "answered by the rig");
  }

  /** What a cell of an offset table holds. */
  static long valueOf(Object cell) {
    return ((AtomicLong) cell).get();
  }
}

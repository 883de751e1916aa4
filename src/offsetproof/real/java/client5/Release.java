package offsetproof;

import org.apache.rocketmq.client.consumer.store.ControllableOffset;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.OffsetNotFoundException;

/** How the client of 5.3.3 spells what other releases spell otherwise. */
final class Release {
  /** PullMessageService's queue of requests to run. */
  static final String RUN_QUEUE = "messageRequestQueue";

  private Release() {}

  /** What the client makes of a query that the broker answers with this code. */
  static MQBrokerException queryFailed(int code) {
    boolean none = code == RigBroker.QUERY_NOT_FOUND;
    String why = "answered by the rig";
    return none ? new OffsetNotFoundException(code, why) : new MQBrokerException(code, why);
  }

  /** What a cell of an offset table holds. */
  static long valueOf(Object cell) {
    return ((ControllableOffset) cell).getOffset();
  }
}

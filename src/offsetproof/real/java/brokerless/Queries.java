package offsetproof;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What a query for an offset is answered with where the release's broker is not published: played.
 *
 * The rule is that of ConsumerManageProcessor.queryConsumerOffset in the release before: 0 while offset 0 is in memory
 * or yet to come, else QUERY_NOT_FOUND.
 */
final class Queries {
  private final Offsets offsets;
  private final LongSupplier min;
  private final BooleanSupplier cold;

  Queries(Offsets offsets, LongSupplier min, LongSupplier max, BooleanSupplier cold) {
    this.offsets = offsets;
    this.min = min;
    this.cold = cold;
  }

  Object answer(int queue, String topic) {
    long offset = offsets.queryOffset(RigBroker.GROUP, topic, queue);
    if (offset >= 0) {
      return offset;
    }
    return min.getAsLong() <= 0 && !cold.getAsBoolean() ? (Object) 0L : (Object) RigBroker.QUERY_NOT_FOUND;
  }
}

package offsetproof;

import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.rocketmq.broker.processor.ConsumerManageProcessor;
import org.apache.rocketmq.common.protocol.RequestCode;
import org.apache.rocketmq.common.protocol.ResponseCode;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.common.protocol.header.QueryConsumerOffsetResponseHeader;
import org.apache.rocketmq.remoting.exception.RemotingCommandException;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.store.MessageStore;

/**
 * What a query for an offset is answered with: the real ConsumerManageProcessor decides.
 *
 * Its broker is never started, and has what this asks for: the table of offsets, and a store of two numbers.
 */
final class Queries {
  private final ConsumerManageProcessor processor;

  /** The first stored offset, the end, and whether message 0 has left the memory, each asked for when it is needed. */
  Queries(Offsets offsets, LongSupplier min, LongSupplier max, BooleanSupplier cold) {
    Object store =
        Proxy.newProxyInstance(
            Queries.class.getClassLoader(),
            new Class<?>[] {MessageStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getMinOffsetInQueue" -> min.getAsLong();
                  case "checkInDiskByConsumeOffset" -> cold.getAsBoolean();
                  case "checkInMemByConsumeOffset" ->
                      min.getAsLong() == 0 && max.getAsLong() > 0 && !cold.getAsBoolean();
                  default -> throw new UnsupportedOperationException("the rig's store: " + method);
                });
    processor = new ConsumerManageProcessor(Brokers.with(offsets, (MessageStore) store));
  }

  /** An offset (Long), or the code of an error (Integer). */
  Object answer(int queue, String topic) {
    QueryConsumerOffsetRequestHeader header = new QueryConsumerOffsetRequestHeader();
    header.setConsumerGroup(RigBroker.GROUP);
    header.setTopic(topic);
    header.setQueueId(queue);
    RemotingCommand request = RemotingCommand.createRequestCommand(RequestCode.QUERY_CONSUMER_OFFSET, header);
    request.makeCustomHeaderToNet();
    try {
      RemotingCommand response = processor.processRequest(null, request);
      if (response.getCode() != ResponseCode.SUCCESS) {
        return response.getCode();
      }
      return ((QueryConsumerOffsetResponseHeader) response.readCustomHeader()).getOffset();
    } catch (RemotingCommandException error) {
      throw new IllegalStateException(error);
    }
  }
}

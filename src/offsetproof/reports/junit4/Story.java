/*
 * Licensed to the Apache Software Foundation (ASF) under one or more
 * contributor license agreements.  See the NOTICE file distributed with
 * this work for additional information regarding copyright ownership.
 * The ASF licenses this file to You under the Apache License, Version 2.0
 * (the "License"); you may not use this file except in compliance with
 * the License.  You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package org.apache.rocketmq.client.impl.consumer;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.lang3.reflect.FieldUtils;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.consumer.AllocateMessageQueueStrategy;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.PullCallback;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.store.OffsetStore;
import org.apache.rocketmq.client.consumer.store.ReadOffsetType;
import org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.OffsetNotFoundException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.client.impl.factory.MQClientInstance;
import org.apache.rocketmq.client.stat.ConsumerStatsManager;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.@PROTOCOL@.ResponseCode;
import org.apache.rocketmq.@PROTOCOL@.header.PullMessageRequestHeader;
import org.apache.rocketmq.@PROTOCOL@.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.@PROTOCOL@.header.UpdateConsumerOffsetRequestHeader;
import org.apache.rocketmq.@PROTOCOL@.route.BrokerData;
import org.apache.rocketmq.@PROTOCOL@.route.TopicRouteData;
import org.apache.rocketmq.common.sysflag.PullSysFlag;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.Timeout;
import org.mockito.invocation.InvocationOnMock;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.mockito.Mockito.RETURNS_DEFAULTS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

/**
@ABOUT@
 */
public class @NAME@ {
    private static final String GROUP = "FooBarGroup";
    private static final MessageQueue QUEUE = new MessageQueue(@TOPIC@, "BrokerA", 0);
    private static final MessageQueue OTHER_QUEUE = new MessageQueue("Other", "BrokerA", 0);

    @Rule
    public final Timeout timeout = Timeout.seconds(30);

    private Long committedOffset = @COMMITTED@;
    private long minOffset = @MIN@;
    private long maxOffset = @MAX@;
@FIELDS@
    @Before
    public void init() throws Exception {
@INIT@    }

    @Test
    public void @TEST@() throws Throwable {
@BODY@    }

//% stopAt
    /** The thread of a call that is held stops here, if that is the place that it was let run to. */
    private static void stopAt(String place) {
        Held held = Held.CURRENT.get();
        if (held != null) {
            held.arrive(place);
        }
    }

//% Held
    /** A call in a thread of its own, which runs from place to place as the test lets it. */
    private static final class Held {
        private static final ThreadLocal<Held> CURRENT = new ThreadLocal<>();

        private final Semaphore arrived = new Semaphore(0);
        private final Semaphore released = new Semaphore(0);
        private final Thread thread;
        private volatile String place;
        private volatile Throwable thrown;
        private volatile boolean over;
        private boolean sleeps;

        Held(Call call) {
            thread = new Thread(() -> run(call));
            thread.setDaemon(true);
            thread.start();
        }

        private void run(Call call) {
            CURRENT.set(this);
            released.acquireUninterruptibly();
            try {
                call.run();
            } catch (Throwable error) {
                thrown = error;
            }
            over = true;
            arrived.release();
        }

        private void arrive(String where) {
            if (where.equals(place)) {
                arrived.release();
                released.acquireUninterruptibly();
            }
        }

        /** Returns when the thread has come to the place, or is over without that. */
        void runTo(String where) throws Throwable {
            if (over) {
                return;
            }
            place = where;
            if (!sleeps) {
                released.release();
            }
            sleeps = false;
            while (!arrived.tryAcquire(1, TimeUnit.MILLISECONDS)) {
                if (isInSleep() && where.equals("sleep")) {
                    sleeps = true;
                    return;
                } else if (isInSleep()) {
                    thread.interrupt();
                }
            }
            if (thrown != null) {
                throw thrown;
            }
        }

        void finish() throws Throwable {
            runTo("end");
        }

        /** The ten seconds that a reset sleeps are cut short. */
        private boolean isInSleep() {
            if (thread.getState() == Thread.State.TIMED_WAITING) {
                for (StackTraceElement frame : thread.getStackTrace()) {
                    if (frame.getClassName().equals(Thread.class.getName()) && frame.getMethodName().startsWith("sleep")) {
                        return true;
                    }
                }
            }
            return false;
        }
    }

//% Call
    private interface Call {
        void run() throws Throwable;
    }

//% Pull
    /** A pull that is on its way, or held by the broker; its commit is null when it has none, or it is executed. */
    private static final class Pull {
        private long offset;
        private Long commitOffset;
        private PullCallback callback;
    }

//% executeCommit
    /** The broker takes an offset that a consumer has sent one-way. */
    private void executeCommit(Consumer from, int place) {
        if (place < from.commits.size()) {
            committedOffset = from.commits.remove(place);
        }
    }

//% receivePull
    /** The broker takes a pull, and the commit in it. */
    private void receivePull(Consumer from, int number) {
        Pull pull = from.pulls.get(number);
        if (pull != null && pull.commitOffset != null) {
            committedOffset = pull.commitOffset;
            pull.commitOffset = null;
        }
    }

//% Collected
    /** Hands tasks over instead of running them later. */
    private static final class Collected extends ScheduledThreadPoolExecutor {
        private final java.util.function.Consumer<Runnable> tasks;

        Collected(java.util.function.Consumer<Runnable> tasks) {
            super(1);
            this.tasks = tasks;
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            tasks.accept(task);
            return null;
        }
    }

//% Consumer
    /** A push consumer that is not started: its threads' calls are the test's, and its network is a mock. */
    private final class Consumer {
        private final DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(GROUP);
        private final DefaultMQPushConsumerImpl impl = consumer.getDefaultMQPushConsumerImpl();
        private final List<Runnable> consumeRequests = new ArrayList<>();
        private final Map<Integer, Runnable> repairs = new HashMap<>();
        private final List<Long> delivered = new ArrayList<>();
        private final MQClientInstance mQClientFactory;
        private final OffsetStore offsetStore;
        private final Collection<PullRequest> pullRequests;
        private final List<Long> commits;
        private final Map<Integer, Pull> pulls;
        private final List<ProcessQueue> processQueues;
        private boolean allocated;
        private boolean fails;
        private ConsumeConcurrentlyStatus status = ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        private Integer ackIndex;
        private int number;

        @SuppressWarnings("unchecked")
        Consumer(String clientId, boolean allocated, Consumer before) throws Exception {
            this.allocated = allocated;
            commits = before == null ? new ArrayList<>() : before.commits;
            pulls = before == null ? new HashMap<>() : before.pulls;
            processQueues = before == null ? new ArrayList<>() : before.processQueues;
            mQClientFactory = new MQClientInstance(new ClientConfig(), 0, clientId, null);
            MQClientAPIImpl mQClientAPIImpl = mock(MQClientAPIImpl.class, withSettings().defaultAnswer(this::answer).stubOnly());
            FieldUtils.writeDeclaredField(mQClientFactory, "mQClientAPIImpl", mQClientAPIImpl, true);
@STATS@            PullMessageService pullMessageService = mQClientFactory.getPullMessageService();
            pullRequests = (Collection<PullRequest>) FieldUtils.readDeclaredField(pullMessageService, "@RUN_QUEUE@", true);
            FieldUtils.writeDeclaredField(pullMessageService, "scheduledExecutorService", new Collected(this::runLater), true);
            offsetStore = @STORE@;
            consumer.setConsumeMessageBatchMaxSize(@BATCH@);
            consumer.setConsumeFromWhere(ConsumeFromWhere.@CONSUME_FROM@);
            consumer.setMessageListener((MessageListenerConcurrently) this::consumeMessage);
            consumer.setOffsetStore(offsetStore);
            impl.setOffsetStore(offsetStore);
            FieldUtils.writeDeclaredField(impl, "mQClientFactory", mQClientFactory, true);
            FieldUtils.writeDeclaredField(impl, "pullAPIWrapper", new PullAPIWrapper(mQClientFactory, GROUP, false), true);
            initRebalance(impl.getRebalanceImpl());
            initConsumeMessageService();
            FieldUtils.writeDeclaredField(impl, "serviceState", ServiceState.RUNNING, true);
            mQClientFactory.registerConsumer(GROUP, impl);
        }

        private void initRebalance(RebalanceImpl rebalanceImpl) throws Exception {
@TABLE@            rebalanceImpl.setConsumerGroup(GROUP);
            rebalanceImpl.setMessageModel(consumer.getMessageModel());
            rebalanceImpl.setmQClientFactory(mQClientFactory);
            rebalanceImpl.setAllocateMessageQueueStrategy(new AllocateMessageQueueStrategy() {
                @Override
                public List<MessageQueue> allocate(String group, String id, List<MessageQueue> queues, List<String> ids) {
                    return queues.contains(OTHER_QUEUE) || allocated ? queues : new ArrayList<>();
                }

                @Override
                public String getName() {
                    return "TEST";
                }
            });
            ConcurrentMap<String, HashMap<Long, String>> addresses =
                (ConcurrentMap<String, HashMap<Long, String>>) FieldUtils.readDeclaredField(mQClientFactory, "brokerAddrTable", true);
            addresses.put("BrokerA", new HashMap<>(Collections.singletonMap(0L, "127.0.0.1:10911")));
            for (MessageQueue each : new MessageQueue[] {QUEUE, OTHER_QUEUE}) {
                impl.subscribe(each.getTopic(), "*");
                TopicRouteData route = new TopicRouteData();
                route.setBrokerDatas(new ArrayList<>(Collections.singletonList(
                    new BrokerData("DefaultCluster", "BrokerA", new HashMap<>(addresses.get("BrokerA"))))));
                mQClientFactory.getTopicRouteTable().put(each.getTopic(), route);
                rebalanceImpl.getTopicSubscribeInfoTable().put(each.getTopic(), new HashSet<>(Collections.singleton(each)));
            }
            rebalanceImpl.getProcessQueueTable().put(OTHER_QUEUE, new ProcessQueue());
        }

        private void initConsumeMessageService() throws Exception {
            ConsumeMessageConcurrentlyService service =
                new ConsumeMessageConcurrentlyService(impl, (MessageListenerConcurrently) consumer.getMessageListener());
            FieldUtils.writeDeclaredField(service, "consumeExecutor",
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
                    @Override
                    public Future<?> submit(Runnable request) {
                        consumeRequests.add(request);
                        return null;
                    }
                }, true);
            FieldUtils.writeDeclaredField(service, "scheduledExecutorService", new Collected(Runnable::run), true);
            impl.setConsumeMessageService(service);
        }

        /** What the client asks the broker for; what it sends one-way, or pulls, waits for the test. */
        private Object answer(InvocationOnMock call) throws Throwable {
            switch (call.getMethod().getName()) {
                case "queryConsumerOffset":
                    return queryConsumerOffset(call.getArgument(1));
                case "updateConsumerOffsetOneway":
                    UpdateConsumerOffsetRequestHeader update = call.getArgument(1);
                    if (update.getTopic().equals(QUEUE.getTopic())) {
                        commits.add(update.getCommitOffset());
                    }
                    return null;
                case "pullMessage":
                    PullMessageRequestHeader header = call.getArgument(1);
                    Pull pull = new Pull();
                    pull.offset = header.getQueueOffset();
                    pull.commitOffset = PullSysFlag.hasCommitOffsetFlag(header.getSysFlag()) ? header.getCommitOffset() : null;
                    pull.callback = call.getArgument(4);
                    pulls.put(number, pull);
                    return null;
                case "getConsumerIdListByGroup":
                    @STOP_MEMBERS@return Collections.singletonList(mQClientFactory.getClientId());
                case "getMaxOffset":
                case "searchOffset":
                    @STOP_MAX@return maxOffset;
                case "getMinOffset":
                    return minOffset;
                case "unregisterClient":
                    @STOP_UNREGISTER@return null;
                case "consumerSendMessageBack":
                    if (fails) {
                        throw new MQBrokerException(ResponseCode.SYSTEM_ERROR, "failed by the test");
                    }
                    return null;
                default:
                    return RETURNS_DEFAULTS.answer(call);
            }
        }

        /** As ConsumerManageProcessor answers: with 0 where nothing is committed and the first message is there. */
        private long queryConsumerOffset(QueryConsumerOffsetRequestHeader header) throws MQBrokerException {
            if (!header.getTopic().equals(QUEUE.getTopic())) {
                throw notFound();
            }
            @STOP_QUERY@if (fails) {
                throw new MQBrokerException(ResponseCode.SYSTEM_ERROR, "failed by the test");
            }
            Long offset = committedOffset;
            if (offset == null && minOffset <= 0@COLD@) {
                offset = 0L;
            }
            @STOP_QUERIED@if (offset == null) {
                throw notFound();
            }
            return offset;
        }

        private MQBrokerException notFound() {
            return new @NOT_FOUND@(ResponseCode.QUERY_NOT_FOUND, "no offset");
        }

        private void runLater(Runnable task) {
            if (task.getClass().getEnclosingClass() == PullMessageService.class) {
                task.run();
            } else {
                repairs.put(number, task);
            }
        }

        private ConsumeConcurrentlyStatus consumeMessage(List<MessageExt> messages, ConsumeConcurrentlyContext context) {
            for (MessageExt message : messages) {
                delivered.add(message.getQueueOffset());
            }
            @STOP_LISTENER@if (ackIndex != null) {
                context.setAckIndex(ackIndex);
            }
            return status;
        }

        /** The pull request of a ProcessQueue, by the number of that; null where it does not wait in the run queue. */
        private PullRequest pullRequest(int processQueue) {
            for (PullRequest request : pullRequests) {
                if (!processQueues.contains(request.getProcessQueue())) {
                    processQueues.add(request.getProcessQueue());
                }
            }
            for (PullRequest request : pullRequests) {
                if (processQueues.indexOf(request.getProcessQueue()) == processQueue) {
                    return request;
                }
            }
            return null;
        }

        /** PullMessageService takes the pull request of a ProcessQueue. */
        void pull(int processQueue) {
            PullRequest request = pullRequest(processQueue);
            if (request != null) {
                pullRequests.remove(request);
                number = processQueue;
                impl.pullMessage(request);
            }
        }

//%% answerPull
        /** The broker answers a pull that it holds. */
        void answerPull(int processQueue, int size) throws Exception {
            Pull pull = pulls.remove(processQueue);
            if (pull == null) {
                return;
            }
            number = processQueue;
            PullStatus status = PullStatus.FOUND;
            long next = Math.min(maxOffset, pull.offset + size);
            if (pull.offset < minOffset || pull.offset > maxOffset) {
                status = PullStatus.OFFSET_ILLEGAL;
                next = pull.offset < minOffset ? minOffset : maxOffset;
            } else if (pull.offset == maxOffset) {
                status = PullStatus.NO_NEW_MSG;
                next = maxOffset;
            }
            ByteArrayOutputStream messages = new ByteArrayOutputStream();
            for (long offset = pull.offset; status == PullStatus.FOUND && offset < next; offset++) {
                MessageExt message = new MessageExt();
                message.setTopic(QUEUE.getTopic());
                message.setQueueId(QUEUE.getQueueId());
                message.setQueueOffset(offset);
                message.setBody(new byte[] {'a'});
                message.setBornHost(new InetSocketAddress("127.0.0.1", 8080));
                message.setStoreHost(new InetSocketAddress("127.0.0.1", 8080));
                MessageAccessor.setProperties(message, new HashMap<>());
                messages.write(MessageDecoder.encode(message, false));
            }
            byte[] found = status == PullStatus.FOUND ? messages.toByteArray() : null;
            pull.callback.onSuccess(new PullResultExt(status, next, minOffset, maxOffset, null, 0, found));
        }

//%% consume
        /** A consume thread takes the request for messages of a ProcessQueue from this offset on. */
        void consume(int processQueue, long offset) {
            for (Runnable each : consumeRequests) {
                ConsumeMessageConcurrentlyService.ConsumeRequest request = (ConsumeMessageConcurrentlyService.ConsumeRequest) each;
                if (processQueues.indexOf(request.getProcessQueue()) == processQueue
                    && request.getMsgs().get(0).getQueueOffset() == offset) {
                    consumeRequests.remove(each);
                    each.run();
                    return;
                }
            }
        }

//%% reset
        void reset(long offset) {
            mQClientFactory.resetOffset(QUEUE.getTopic(), GROUP, new HashMap<>(Collections.singletonMap(QUEUE, offset)));
        }

//%% repair
        void repair(int processQueue) {
            Runnable repair = repairs.remove(processQueue);
            if (repair != null) {
                repair.run();
            }
        }

//%% die
        /** The process ends; what it has sent is still on its way. */
        void die() {
            pulls.values().removeIf(pull -> pull.commitOffset == null);
        }

//%% cell
        /** The offset in memory; null where there is none. */
        Long cell() {
            long offset = offsetStore.readOffset(QUEUE, ReadOffsetType.READ_FROM_MEMORY);
            return offset < 0 ? null : offset;
        }

//%% nextOffset
        /** Where the ProcessQueue of this number pulls next; null where it has no pull request. */
        Long nextOffset(int processQueue) {
            PullRequest request = pullRequest(processQueue);
            Pull pull = pulls.get(processQueue);
            return request != null ? Long.valueOf(request.getNextOffset()) : pull != null ? Long.valueOf(pull.offset) : null;
        }

//%% listed
        /** The number of the ProcessQueue in the table; null where there is none. */
        Long listed() {
            pullRequest(0);
            ProcessQueue processQueue = impl.getRebalanceImpl().getProcessQueueTable().get(QUEUE);
            return processQueue == null ? null : Long.valueOf(processQueues.indexOf(processQueue));
        }

//%%
    }
}

package offsetproof;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassNotLoadedException;
import com.sun.jdi.ClassType;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.InvalidTypeException;
import com.sun.jdi.InvocationException;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.EventRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Line gates: hold a worker's thread before it runs a line of an unmodified class.
 *
 * The JVM is its own debugger, over loopback. A breakpoint suspends only the thread that hits it, and only workers are
 * held, each at the lines that it stops at; any other thread goes on at once. A held thread keeps the locks that it has.
 */
final class Gates {
  /** Methods whose first argument is the topic that they are about. */
  static final Set<String> ABOUT_TOPIC = Set.of("rebalanceByTopic", "updateProcessQueueTableInRebalance");

  private static final String MESSAGE_QUEUE = "org.apache.rocketmq.common.message.MessageQueue";

  private final Map<String, BreakpointRequest> armed = new HashMap<>();
  private final Map<Long, Worker> workers = new ConcurrentHashMap<>();
  private final Map<ThreadReference, Long> numbers = new ConcurrentHashMap<>();
  private VirtualMachine machine;

  boolean isAttached() {
    return machine != null;
  }

  /** Connects to this JVM's own debugger port. */
  void attach(int port) throws Exception {
    for (AttachingConnector connector : Bootstrap.virtualMachineManager().attachingConnectors()) {
      if (connector.name().equals("com.sun.jdi.SocketAttach")) {
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("hostname").setValue("127.0.0.1");
        arguments.get("port").setValue(String.valueOf(port));
        machine = connector.attach(arguments);
      }
    }
    Thread pump = new Thread(this::pump, "gates");
    pump.setDaemon(true);
    pump.start();
  }

  /** Holds workers at this line of a class from now on. */
  void arm(String className, int line) throws ClassNotFoundException, AbsentInformationException {
    String where = className + ":" + line;
    if (armed.containsKey(where)) {
      return;
    }
    Class.forName(className, true, Gates.class.getClassLoader());
    for (ReferenceType type : machine.classesByName(className)) {
      List<Location> locations = type.locationsOfLine(line);
      if (!locations.isEmpty()) {
        BreakpointRequest request = machine.eventRequestManager().createBreakpointRequest(locations.get(0));
        request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        request.enable();
        armed.put(where, request);
        return;
      }
    }
    throw new IllegalArgumentException("no code on line " + where);
  }

  /** A worker's thread has begun, or is over. */
  void follow(Thread thread, Worker worker) {
    workers.put(thread.getId(), worker);
  }

  void forget(Thread thread) {
    workers.remove(thread.getId());
  }

  private void pump() {
    try {
      while (true) {
        EventSet events = machine.eventQueue().remove();
        boolean held = false;
        for (Event event : events) {
          held |= event instanceof BreakpointEvent && holds((BreakpointEvent) event);
        }
        if (!held) {
          events.resume();
        }
      }
    } catch (InterruptedException | VMDisconnectedException end) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean holds(BreakpointEvent event) {
    Location location = event.location();
    String line = location.declaringType().name() + ":" + location.lineNumber();
    Entered.note(line);
    Worker worker = workerOf(event.thread());
    if (worker == null) {
      return false;
    }
    if (!worker.stopsAt(line) || isAboutOther(event.thread(), worker.topic)) {
      return false;
    }
    worker.arrive(line, event.thread()::resume, thrown -> raise(event.thread(), thrown));
    return true;
  }

  /** Has a held thread throw an exception of this class when it goes on. */
  private void raise(ThreadReference thread, Throwable thrown) {
    ClassType type = (ClassType) machine.classesByName(thrown.getClass().getName()).get(0);
    Method constructor = type.concreteMethodByName("<init>", "(Ljava/lang/String;)V");
    List<Value> arguments = List.of(machine.mirrorOf(thrown.getMessage()));
    try {
      thread.stop(type.newInstance(thread, constructor, arguments, ObjectReference.INVOKE_SINGLE_THREADED));
    } catch (InvalidTypeException | ClassNotLoadedException | IncompatibleThreadStateException | InvocationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Is the method about a queue of another topic? The arguments say so: a topic, or a MessageQueue. */
  private static boolean isAboutOther(ThreadReference thread, String topic) {
    try {
      StackFrame frame = thread.frame(0);
      List<String> types = frame.location().method().argumentTypeNames();
      for (int i = 0; i < types.size(); i++) {
        if (types.get(i).equals(MESSAGE_QUEUE)) {
          ObjectReference queue = (ObjectReference) frame.getArgumentValues().get(i);
          return !topic.equals(text(queue.getValue(queue.referenceType().fieldByName("topic"))));
        }
      }
      boolean named = ABOUT_TOPIC.contains(frame.location().method().name());
      return named && !topic.equals(text(frame.getArgumentValues().get(0)));
    } catch (IncompatibleThreadStateException error) {
      throw new IllegalStateException(error);
    }
  }

  private static String text(Value value) {
    return ((StringReference) value).value();
  }

  /** Workers are told by their thread's name, which ends in its number; the debugger has no other way to say it. */
  private Worker workerOf(ThreadReference reference) {
    Long number = numbers.get(reference);
    if (number == null) {
      String name = reference.name();
      number = name.startsWith(Worker.PREFIX) ? Long.valueOf(name.substring(Worker.PREFIX.length())) : -1L;
      numbers.put(reference, number);
    }
    return workers.get(number);
  }
}

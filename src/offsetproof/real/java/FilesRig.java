package offsetproof;

import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.common.MixAll;

/**
 * An offset file on a real disk, and one or two processes that read and write it.
 *
 * A process that is killed goes no further: its threads stay where they are held until the rig is closed, when nobody
 * reads its files any more. Where string2File is synchronized they would keep its lock, which is the whole JVM's: there
 * an exception ends them, which writes nothing more. A broker that cannot load is a real BrokerController from its start to its end. Played, not
 * real: in which order one that can load persists and exits, the lock of its store, a disk that is full (the write
 * throws), a part of a text that one call writes, and what a power failure leaves of a file.
 */
final class FilesRig extends ThreadedRig {
  private static final int LONGER_THAN_TWO_BUFFERS = 20_000;
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final boolean ONE_AT_A_TIME = isSynchronized("string2File");
  private static final boolean BROKER_RENAMES = isSynchronized("fsyncDirectory");
  private static final List<String> WRITERS = List.of("MixAll", "IOTinyUtils", "ConfigManager");

  private final JSONObject settings;
  private final int queues;
  private final boolean ofBroker;
  private final RigBroker broker;
  private final OffsetFiles files;
  private final FileOwner[] processes;
  private final String[] phases;
  private final FileOwner reader;
  private final List<Worker> abandoned = new ArrayList<>();
  private final List<FileOwner> former = new ArrayList<>();
  private final Path folder;

  FilesRig(Gates gates, JSONObject settings) throws Exception {
    super(gates);
    this.settings = settings;
    queues = settings.getIntValue("queues");
    ofBroker = settings.getString("owner").equals("BROKER");
    if (settings.getIntValue("processes") > 1 && ONE_AT_A_TIME && !(ofBroker && BROKER_RENAMES)) {
      throw new NotOnReleaseException("two processes in one JVM share the lock of string2File, which each has for itself");
    }
    folder = Files.createDirectories(Path.of(settings.getString("folder"), "files-" + NUMBER.incrementAndGet()));
    broker = new RigBroker(folder, "topic");
    settings.put("client_id", Instances.idOf(0, "files-" + NUMBER.get()));
    processes = new FileOwner[settings.getIntValue("processes")];
    phases = new String[processes.length];
    for (int process = 0; process < processes.length; process++) {
      phases[process] = "DOWN";
    }
    if (ofBroker) {
      files = new OffsetFiles(BrokerFiles.in(folder));
      reader = BrokerFiles.owner(files.main, queues, null);
    } else {
      RigClient client = new RigClient(processes.length, broker, null, settings);
      files = OffsetFiles.of(client.store);
      reader = new ClientFileOwner(client, broker, settings, null);
      reader.leave();
    }
  }

  @Override
  String topic() {
    return broker.topic;
  }

  @Override
  Integer process(JSONObject command) {
    return command.getInteger("process");
  }

  @Override
  Worker.Body body(String call, JSONObject command) {
    Worker.Body body = processes[process(command)].body(call, command);
    if (body == null) {
      throw new IllegalArgumentException("no such call: " + call);
    }
    return body;
  }

  @Override
  void instruct(Worker worker, JSONObject command) {
    if (command.getBooleanValue("disk_full")) {
      worker.raised = new IOException("No space left on device");
    }
  }

  /** A thread with a text waits for its turn in string2File. */
  @Override
  boolean endsAtLock(Worker worker) {
    return worker.stands().contains("MixAll.string2File");
  }

  /** A process that stops has persisted when the thread that stops it is out of string2File. */
  @Override
  void stepped(Worker worker, JSONObject command) throws InterruptedException {
    worker.hasText = command.getBooleanValue("encodes");
    if (command.getBooleanValue("exits")) {
      leave(process(command));
    } else if (command.getBooleanValue("shuts_down")) {
      shutDown(process(command), worker.where());
    }
  }

  private void shutDown(int process, String where) throws InterruptedException {
    boolean persists = isOfWriter(where) || where != null && where.contains("LocalFileOffsetStore");
    if (!persists && phases[process].equals("REFUSED")) {
      leave(process);
    } else if (!persists) {
      phases[process] = "STOPPED";
    } else if (!ofBroker) {
      phases[process] = "STOPPING";
    }
  }

  private static boolean writes(Worker worker) {
    return worker.lockedOut || isOfWriter(worker.where()) || worker.hasText && worker.where() != null;
  }

  /** Is a line one of those at which a thread has a text to write, or is writing it? */
  private static boolean isOfWriter(String where) {
    return where != null && WRITERS.stream().anyMatch(where::contains);
  }

  private static boolean isSynchronized(String method) {
    return Arrays.stream(MixAll.class.getDeclaredMethods())
        .anyMatch(each -> each.getName().equals(method) && Modifier.isSynchronized(each.getModifiers()));
  }

  @Override
  void change(String what, JSONObject command) throws Exception {
    switch (what) {
      case "start":
        start(process(command), true);
        break;
      case "start_without_topics":
        start(process(command), false);
        if (command.getBooleanValue("throws")) {
          endByException(process(command));
        }
        break;
      case "begin_shutdown":
        phases[process(command)] = "STOPPING";
        break;
      case "leave":
        leave(process(command));
        break;
      case "lose_power":
        losePower(command);
        break;
      case "write_part":
        Files.writeString(command.getString("file").equals("main") ? files.main : files.backup, "{");
        break;
      case "nothing":
        break;
      default:
        throw new IllegalArgumentException("no such change: " + what);
    }
  }

  private void start(int process, boolean loads) throws Exception {
    boolean alone = List.of(phases).stream().allMatch("DOWN"::equals);
    processes[process] = owner(process);
    boolean loaded = loads && processes[process].load();
    if (!loaded) {
      processes[process] = BrokerFiles.refused(folder, queues, filler(), loads);
      loaded = processes[process].load();
    }
    phases[process] = loaded && (alone || !ofBroker) ? "UP" : "REFUSED";
  }

  /** A broker that could not load shuts down, which ends with an exception: it has no store. */
  private void endByException(int process) throws InterruptedException {
    try {
      processes[process].shutDown();
      throw new IllegalStateException("it has shut down without an exception");
    } catch (NullPointerException withoutStore) {
      leave(process);
    }
  }

  private FileOwner owner(int process) throws Exception {
    return ofBroker
        ? BrokerFiles.owner(files.main, queues, filler())
        : new ClientFileOwner(new RigClient(process, broker, null, settings), broker, settings, filler());
  }

  private String filler() {
    return settings.getIntValue("parts") > 0 ? "x".repeat(LONGER_THAN_TWO_BUFFERS) : null;
  }

  private void losePower(JSONObject command) throws IOException, InterruptedException {
    for (int process = 0; process < processes.length; process++) {
      leave(process);
    }
    OffsetFiles.suffer(files.main, command.getString("main"));
    OffsetFiles.suffer(files.backup, command.getString("backup"));
    Files.deleteIfExists(files.tmp);
  }

  private void leave(int process) throws InterruptedException {
    if (processes[process] != null) {
      processes[process].leave();
      former.add(processes[process]);
      processes[process] = null;
    }
    phases[process] = "DOWN";
    List<Worker> left = new ArrayList<>(workers.values());
    left.removeIf(worker -> !worker.process.equals(process));
    left.sort(Comparator.comparing(Worker::isRunning));
    workers.values().removeAll(left);
    abandoned.addAll(left);
    if (ONE_AT_A_TIME) {
      for (Worker worker : left) {
        worker.kill();
      }
    }
  }

  /** All fields by their full names. */
  @Override
  public JSONObject state() throws Exception {
    JSONObject shown = new JSONObject(true);
    show("main", files.main, shown);
    show("backup", files.backup, shown);
    show("tmp", files.tmp, shown);
    for (int process = 0; process < processes.length; process++) {
      show("process[" + process + "].", process, shown);
    }
    return shown;
  }

  private void show(String name, Path file, JSONObject shown) throws IOException {
    String text = OffsetFiles.text(file);
    String contents = text == null ? "MISSING" : text.isEmpty() ? "EMPTY" : "WHOLE";
    Map<Integer, Long> rows = Map.of();
    try {
      rows = contents.equals("WHOLE") ? reader.read(text) : rows;
    } catch (Exception unreadable) {
      contents = "TORN";
    }
    shown.put(name + ".contents", contents);
    for (int queue = 0; queue < queues; queue++) {
      shown.put(name + ".table.row[" + queue + "].offset", rows.get(queue));
    }
  }

  private void show(String prefix, int process, JSONObject shown) throws Exception {
    FileOwner owner = processes[process];
    TreeSet<String> writing = new TreeSet<>();
    workers.forEach((name, worker) -> {
      if (worker.process.equals(process) && writes(worker)) {
        writing.add(name);
      }
    });
    shown.put(prefix + "phase", phases[process]);
    shown.put(prefix + "writing", new JSONArray(new ArrayList<>(writing)));
    for (int queue = 0; queue < queues; queue++) {
      shown.put(prefix + "table.row[" + queue + "].offset", owner == null ? null : owner.offset(queue));
      shown.put(prefix + "listed[" + queue + "]", owner != null && owner.lists(queue));
      shown.put(prefix + "position[" + queue + "]", owner == null ? null : owner.position(queue));
    }
  }

  @Override
  public void close() {
    try {
      for (int process = 0; process < processes.length; process++) {
        leave(process);
      }
      for (Worker worker : abandoned) {
        worker.close();
      }
      former.forEach(FileOwner::end);
      files.delete();
    } catch (InterruptedException | IOException error) {
      Thread.currentThread().interrupt();
    }
  }
}

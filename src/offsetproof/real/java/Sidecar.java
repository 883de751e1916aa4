package offsetproof;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONArray;
import com.alibaba.fastjson.JSONObject;
import com.alibaba.fastjson.serializer.SerializerFeature;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One JVM with the classes of one release: reads commands, a JSON object per line, and answers each with one line.
 *
 * Whatever else prints goes to stderr. The JVM ends with its input, so it never outlives the program that started it.
 */
public final class Sidecar {
  private final Gates gates = new Gates();
  private Rig rig;

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Sidecar sidecar = new Sidecar();
    LockWatch.begin();
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      answers.println(sidecar.answer(JSON.parseObject(line)));
    }
    Runtime.getRuntime().halt(0);
  }

  /** The answer to one command; an exception is one, too. */
  private String answer(JSONObject command) {
    JSONObject answer = new JSONObject(true);
    answer.put("id", command.get("id"));
    try {
      answer.put("ok", perform(command));
    } catch (Throwable error) {
      answer.put("error", error.toString());
      answer.put("stack", Worker.shown(error.getStackTrace()));
    }
    return JSON.toJSONString(answer, SerializerFeature.WriteMapNullValue);
  }

  private Object perform(JSONObject command) throws Throwable {
    String op = command.getString("op");
    switch (op) {
      case "attach":
        gates.attach(command.getIntValue("port"));
        return true;
      case "arm":
        arm(command.getString("class"), command.getIntValue("line"));
        return true;
      case "watch":
        Entered.watch(command.getString("class") + ":" + command.getIntValue("line"));
        arm(command.getString("class"), command.getIntValue("line"));
        return true;
      case "rig":
        close();
        rig = rigOf(command);
        return rig.state();
      case "close":
        close();
        return true;
      case "step":
        return rig.step(command);
      case "walk":
        return walk(command);
      case "steps":
        return steps(command);
      case "probes":
        return Probes.METHODS.stream().map(Probes::name).collect(Collectors.toList());
      case "state":
        return rig.state();
      default:
        throw new IllegalArgumentException("no such command: " + op);
    }
  }

  private void arm(String className, int line) throws Exception {
    if (gates.isAttached()) {
      gates.arm(className, line);
    } else {
      Weaver.arm(className, line);
    }
  }

  /** A new rig, and many steps of it. */
  private JSONObject walk(JSONObject command) throws Throwable {
    close();
    Entered.take();
    rig = rigOf(command.getJSONObject("rig"));
    JSONObject answer = new JSONObject(true);
    answer.put("first", rig.state());
    answer.put("built", Entered.take());
    answer.put("steps", steps(command));
    return answer;
  }

  /** Many steps at once, up to the first that fails, or to the end whatever fails. */
  private List<JSONObject> steps(JSONObject command) throws Exception {
    JSONArray commands = command.getJSONArray("steps");
    boolean toTheEnd = command.getBooleanValue("to_the_end");
    List<JSONObject> answers = new ArrayList<>();
    for (int i = 0; i < commands.size(); i++) {
      JSONObject answer = rig.step(commands.getJSONObject(i));
      List<String> entered = Entered.take();
      if (!entered.isEmpty()) {
        answer.put("entered", entered);
      }
      answers.add(answer);
      if (answer.containsKey("error") && !toTheEnd) {
        break;
      }
    }
    return answers;
  }

  private Rig rigOf(JSONObject settings) throws Throwable {
    String kind = settings.getString("kind");
    switch (kind) {
      case "consumer":
        return new ConsumerRig(gates, settings);
      case "queues":
        return new QueuesRig(gates, settings);
      case "files":
        return new FilesRig(gates, settings);
      case "replicas":
        return new ReplicasRig(settings);
      case "offset store":
        return new StoreRig(settings);
      default:
        throw new IllegalArgumentException("no such rig: " + kind);
    }
  }

  private void close() {
    if (rig != null) {
      rig.close();
      rig = null;
    }
  }
}

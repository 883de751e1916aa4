package offsetproof.whole;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import com.alibaba.fastjson.serializer.SerializerFeature;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One JVM of a cluster: a name server, a broker, the tools' side or a consumer, as its first command says.
 *
 * It reads commands, a JSON object per line, and answers each with one line; whatever else prints goes to stderr. Its
 * input is read by a thread of its own, so that it halts with its input even while a command is under way.
 */
public final class Member {
  private final BlockingQueue<JSONObject> commands = new LinkedBlockingQueue<>();
  private Role role;

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Member member = new Member();
    Thread reader = new Thread(member::read, "commands");
    reader.setDaemon(true);
    reader.start();
    while (true) {
      answers.println(member.answer(member.commands.take()));
    }
  }

  private void read() {
    try {
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        commands.add(JSON.parseObject(line));
      }
    } catch (IOException error) {
      error.printStackTrace();
    }
    Runtime.getRuntime().halt(0);
  }

  /** The answer to one command; an exception is one, too, and is printed whole. */
  private String answer(JSONObject command) {
    JSONObject answer = new JSONObject(true);
    answer.put("id", command.get("id"));
    try {
      answer.put("ok", perform(command));
    } catch (Throwable error) {
      error.printStackTrace();
      answer.put("error", error.toString());
    }
    return JSON.toJSONString(answer, SerializerFeature.WriteMapNullValue);
  }

  private Object perform(JSONObject command) throws Exception {
    String op = command.getString("op");
    if (op.equals("start")) {
      role = started(command);
      return role.perform("started", command);
    }
    if (role == null) {
      throw new IllegalStateException("`" + op + "` before `start`");
    }
    return role.perform(op, command);
  }

  private static Role started(JSONObject settings) throws Exception {
    String kind = settings.getString("role");
    switch (kind) {
      case "name server":
        return new NameServer(settings);
      case "broker":
        return new Broker(settings);
      case "tools":
        return new Tools(settings);
      case "consumer":
        return new Consumer(settings);
      default:
        throw new IllegalArgumentException("no such role: " + kind);
    }
  }
}

import java.io.File;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

/**
 * Compiles test classes for Java 8, and runs each some times, in one JVM.
 *
 * Arguments: a folder on the class path for what is compiled, how many times, then folders with the source of one test class each. Says for each: its folder, how often it
 * passed and failed, the milliseconds of the longest run, and the different messages of what was thrown.
 */
public final class StoryRunner {
  public static void main(String[] arguments) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err);
    int times = Integer.parseInt(arguments[1]);
    for (String folder : List.of(arguments).subList(2, arguments.length)) {
      out.println(run(Path.of(arguments[0]), Path.of(folder), times));
      out.flush();
    }
    Runtime.getRuntime().halt(0);
  }

  private static String run(Path classes, Path folder, int times) throws Exception {
    File[] sources = folder.toFile().listFiles((where, name) -> name.endsWith(".java"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String classPath = System.getProperty("java.class.path");
    String[] options = {"--release", "8", "-nowarn", "-Xlint:-options", "-d", classes.toString(), "-cp", classPath, sources[0].toString()};
    if (compiler.run(null, System.err, System.err, options) != 0) {
      return folder.getFileName() + "\t0\t0\t0\tdoes not compile";
    }
    String name = "org.apache.rocketmq.client.impl.consumer." + sources[0].getName().replace(".java", "");
    int passed = 0;
    long longest = 0;
    List<String> messages = new ArrayList<>();
    for (int run = 0; run < times; run++) {
      Result result = new JUnitCore().run(Class.forName(name));
      passed += result.wasSuccessful() ? 1 : 0;
      longest = Math.max(longest, result.getRunTime());
      result.getFailures().forEach(each -> {
        String said = each.getException().getClass().getSimpleName() + ": " + each.getMessage();
        if (!messages.contains(said)) {
          messages.add(said);
        }
      });
    }
    return String.join("\t", folder.getFileName().toString(), "" + passed, "" + (times - passed), "" + longest, String.join(" / ", messages));
  }
}

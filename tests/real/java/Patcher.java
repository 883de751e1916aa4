import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Classes of the release that are on the class path, changed in their bytecode as a patch of their source would.
 *
 * Arguments: the folder to write to, then what to change.
 */
public final class Patcher {
  private static final String CLIENT = "org/apache/rocketmq/client/impl/consumer/";
  private static final String CALLBACK = CLIENT + "DefaultMQPushConsumerImpl$1";
  private static final String CACHE = CLIENT + "ProcessQueue";
  private static final String OFFSETS = "org/apache/rocketmq/broker/offset/ConsumerOffsetManager";
  private static final String FILES = "org/apache/rocketmq/common/MixAll";
  private static final String MAP = "java/util/concurrent/ConcurrentMap";
  private static final String HASH_MAP = "java/util/concurrent/ConcurrentHashMap";

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    for (String change : List.of(arguments).subList(1, arguments.length)) {
      write(folder, patched(change));
    }
  }

  private static ClassNode patched(String change) throws Exception {
    switch (change) {
      case "callback-checks-dropped":
        return callbackChecksDropped();
      case "commit-makes-row-atomically":
        return commitMakesRowAtomically();
      case "commit-asks-otherwise":
        return commitAsksOtherwise();
      case "commit-is-locked":
        return commitIsLocked();
      case "commit-on-one-line":
        return commitOnOneLine();
      case "commit-puts-in-helper":
        return commitPutsInHelper();
      case "commit-and-query-are-locked":
        return commitAndQueryAreLocked();
      case "dropped-is-not-volatile":
        return droppedIsNotVolatile();
      case "listener-never-starts":
        return listenerNeverStarts();
      case "processor-is-locked":
        return processorIsLocked();
      case "query-of-all-clears":
        return queryOfAllClears();
      case "unused-overload":
        return unusedOverload();
      case "moved-lines":
        return movedLines();
      case "no-lines":
        return read(CACHE, ClassReader.SKIP_DEBUG);
      case "pulls-never-expire":
        return pullsNeverExpire();
      case "renames-over":
        return renamesOver();
      case "no-remove":
        return withoutMethod(CACHE, "removeMessage");
      default:
        return withAnotherCall(change);
    }
  }

  /** onSuccess returns at once where the ProcessQueue is dropped. */
  private static ClassNode callbackChecksDropped() throws Exception {
    ClassNode node = read(CALLBACK, 0);
    InsnList check = new InsnList();
    LabelNode goOn = new LabelNode();
    check.add(new VarInsnNode(Opcodes.ALOAD, 0));
    check.add(new FieldInsnNode(Opcodes.GETFIELD, CALLBACK, "val$processQueue", "L" + CACHE + ";"));
    check.add(new MethodInsnNode(Opcodes.INVOKEVIRTUAL, CACHE, "isDropped", "()Z", false));
    check.add(new JumpInsnNode(Opcodes.IFEQ, goOn));
    check.add(new InsnNode(Opcodes.RETURN));
    check.add(goOn);
    check.add(new FrameNode(Opcodes.F_SAME, 0, null, 0, null));
    InsnList code = method(node, "onSuccess").instructions;
    code.insert(firstLine(code), check);
    return node;
  }

  /** commitOffset asks for the group's row with putIfAbsent before it asks with get, and so always finds one. */
  private static ClassNode commitMakesRowAtomically() throws Exception {
    ClassNode node = read(OFFSETS, 0);
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode each : method.instructions.toArray()) {
        boolean asks = each instanceof MethodInsnNode && ((MethodInsnNode) each).name.equals("get");
        if (method.name.equals("commitOffset") && asks) {
          method.instructions.insertBefore(each, putsRow());
          return node;
        }
      }
    }
    throw new IllegalStateException("no get in commitOffset");
  }

  /** The same, but then it asks with getOrDefault, so the call that was there is there no more. */
  private static ClassNode commitAsksOtherwise() throws Exception {
    ClassNode node = commitMakesRowAtomically();
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode each : method.instructions.toArray()) {
        if (method.name.equals("commitOffset") && each instanceof MethodInsnNode && ((MethodInsnNode) each).name.equals("get")) {
          String descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
          method.instructions.insertBefore(each, new InsnNode(Opcodes.ACONST_NULL));
          method.instructions.set(each, new MethodInsnNode(Opcodes.INVOKEINTERFACE, MAP, "getOrDefault", descriptor, true));
        }
      }
    }
    return node;
  }

  /** commitOffset puts the row by a method of its own, as a refactoring would have it: it does the same. */
  private static ClassNode commitPutsInHelper() throws Exception {
    ClassNode node = read(OFFSETS, 0);
    String descriptor = "(L" + MAP + ";Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
    for (AbstractInsnNode each : puttingRow(node).instructions.toArray()) {
      if (each instanceof MethodInsnNode && ((MethodInsnNode) each).owner.equals(MAP) && ((MethodInsnNode) each).name.equals("put")) {
        MethodNode helper = new MethodNode(Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC, "putRow", descriptor, null, null);
        LabelNode line = new LabelNode();
        helper.instructions.add(line);
        helper.instructions.add(new LineNumberNode(999, line));
        for (int slot = 0; slot < 3; slot++) {
          helper.instructions.add(new VarInsnNode(Opcodes.ALOAD, slot));
        }
        MethodInsnNode put = (MethodInsnNode) each;
        helper.instructions.add(new MethodInsnNode(put.getOpcode(), put.owner, put.name, put.desc, put.itf));
        helper.instructions.add(new InsnNode(Opcodes.ARETURN));
        puttingRow(node).instructions.set(each, new MethodInsnNode(Opcodes.INVOKESTATIC, OFFSETS, "putRow", descriptor, false));
        node.methods.add(helper);
        return node;
      }
    }
    throw new IllegalStateException("no put in commitOffset");
  }

  /** Only one thread at a time is in commitOffset. */
  private static ClassNode commitIsLocked() throws Exception {
    ClassNode node = read(OFFSETS, 0);
    puttingRow(node).access |= Opcodes.ACC_SYNCHRONIZED;
    return node;
  }

  /** All of commitOffset is written on one line; it does the same. */
  private static ClassNode commitOnOneLine() throws Exception {
    ClassNode node = read(OFFSETS, 0);
    for (AbstractInsnNode each : puttingRow(node).instructions.toArray()) {
      if (each instanceof LineNumberNode) {
        ((LineNumberNode) each).line = 999;
      }
    }
    return node;
  }

  /** Only one thread at a time is in commitOffset, or asks for an offset: the rig asks, too. */
  private static ClassNode commitAndQueryAreLocked() throws Exception {
    ClassNode node = commitIsLocked();
    for (MethodNode method : node.methods) {
      method.access |= method.name.equals("queryOffset") ? Opcodes.ACC_SYNCHRONIZED : 0;
    }
    return node;
  }

  /** The flag of a dropped ProcessQueue may be seen late; no method is another one. */
  private static ClassNode droppedIsNotVolatile() throws Exception {
    ClassNode node = read(CACHE, 0);
    node.fields.stream().filter(field -> field.name.equals("dropped")).forEach(field -> field.access &= ~Opcodes.ACC_VOLATILE);
    return node;
  }

  /** An orderly request ends where it would start its listener. */
  private static ClassNode listenerNeverStarts() throws Exception {
    ClassNode node = read(CLIENT + "ConsumeMessageOrderlyService$ConsumeRequest", 0);
    InsnList code = method(node, "run").instructions;
    int asked = 0;
    for (AbstractInsnNode each : code.toArray()) {
      boolean asks = each instanceof MethodInsnNode && ((MethodInsnNode) each).name.equals("isDropped");
      asked += asks ? 1 : 0;
      if (asks && asked == 3) {
        code.insert(each, new InsnNode(Opcodes.IOR));
        code.insert(each, new InsnNode(Opcodes.ICONST_1));
        return node;
      }
    }
    throw new IllegalStateException("no third isDropped");
  }

  /** Commits that come to the broker come one after the other. */
  private static ClassNode processorIsLocked() throws Exception {
    ClassNode node = read("org/apache/rocketmq/broker/processor/ConsumerManageProcessor", 0);
    method(node, "updateConsumerOffset").access |= Opcodes.ACC_SYNCHRONIZED;
    return node;
  }

  /** queryOffset of all queues forgets them; that of one queue does not. */
  private static ClassNode queryOfAllClears() throws Exception {
    ClassNode node = read(OFFSETS, 0);
    for (MethodNode method : node.methods) {
      if (method.name.equals("queryOffset") && method.desc.endsWith("Map;")) {
        InsnList clear = new InsnList();
        clear.add(new VarInsnNode(Opcodes.ALOAD, 0));
        clear.add(new FieldInsnNode(Opcodes.GETFIELD, OFFSETS, "offsetTable", "L" + MAP + ";"));
        clear.add(new MethodInsnNode(Opcodes.INVOKEINTERFACE, MAP, "clear", "()V", true));
        method.instructions.insert(firstLine(method.instructions), clear);
      }
    }
    return node;
  }

  /** A commitOffset that nobody calls puts twice, and stands before the others. */
  private static ClassNode unusedOverload() throws Exception {
    ClassNode node = read(OFFSETS, 0);
    MethodNode unused = new MethodNode(Opcodes.ACC_PUBLIC, "commitOffset", "(Ljava/lang/String;Ljava/util/Map;)V", null, null);
    for (int line = 900; line < 902; line++) {
      LabelNode begin = new LabelNode();
      unused.instructions.add(begin);
      unused.instructions.add(new LineNumberNode(line, begin));
      for (int slot : new int[] {2, 1, 1}) {
        unused.instructions.add(new VarInsnNode(Opcodes.ALOAD, slot));
      }
      String descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
      unused.instructions.add(new MethodInsnNode(Opcodes.INVOKEINTERFACE, "java/util/Map", "put", descriptor, true));
      unused.instructions.add(new InsnNode(Opcodes.POP));
    }
    unused.instructions.add(new InsnNode(Opcodes.RETURN));
    node.methods.add(0, unused);
    return node;
  }

  /** The commitOffset that puts a row where there is none. */
  private static MethodNode puttingRow(ClassNode node) {
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode each : method.instructions.toArray()) {
        boolean puts = each instanceof MethodInsnNode && ((MethodInsnNode) each).name.equals("put");
        if (method.name.equals("commitOffset") && puts) {
          return method;
        }
      }
    }
    throw new IllegalStateException("no put in commitOffset");
  }

  /** `a/b/C.method`: that method asks first what time it is. */
  private static ClassNode withAnotherCall(String change) throws Exception {
    int dot = change.lastIndexOf('.');
    if (dot < 0) {
      throw new IllegalArgumentException("no such change: " + change);
    }
    ClassNode node = read(change.substring(0, dot), 0);
    InsnList call = new InsnList();
    call.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/System", "nanoTime", "()J", false));
    call.add(new InsnNode(Opcodes.POP2));
    InsnList code = method(node, change.substring(dot + 1)).instructions;
    code.insert(firstLine(code), call);
    return node;
  }

  private static InsnList putsRow() {
    InsnList put = new InsnList();
    put.add(new InsnNode(Opcodes.DUP2));
    put.add(new TypeInsnNode(Opcodes.NEW, HASH_MAP));
    put.add(new InsnNode(Opcodes.DUP));
    put.add(new IntInsnNode(Opcodes.BIPUSH, 32));
    put.add(new MethodInsnNode(Opcodes.INVOKESPECIAL, HASH_MAP, "<init>", "(I)V", false));
    String descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
    put.add(new MethodInsnNode(Opcodes.INVOKEINTERFACE, MAP, "putIfAbsent", descriptor, true));
    put.add(new InsnNode(Opcodes.POP));
    return put;
  }

  /** The pull callback's lines are a thousand further down; it does the same. */
  private static ClassNode movedLines() throws Exception {
    ClassNode node = read(CALLBACK, 0);
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode each : method.instructions.toArray()) {
        if (each instanceof LineNumberNode) {
          ((LineNumberNode) each).line += 1000;
        }
      }
    }
    return node;
  }

  /** isPullExpired, which no action stands for, says no. */
  private static ClassNode pullsNeverExpire() throws Exception {
    ClassNode node = read(CACHE, 0);
    MethodNode method = method(node, "isPullExpired");
    method.instructions.clear();
    method.localVariables.clear();
    method.instructions.add(new InsnNode(Opcodes.ICONST_0));
    method.instructions.add(new InsnNode(Opcodes.IRETURN));
    return node;
  }

  /** string2File renames the new file over the old one, which it does not delete before. */
  private static ClassNode renamesOver() throws Exception {
    ClassNode node = read(FILES, 0);
    MethodNode method = method(node, "string2File");
    for (AbstractInsnNode each : method.instructions.toArray()) {
      if (each instanceof MethodInsnNode && ((MethodInsnNode) each).name.equals("delete")) {
        method.instructions.insertBefore(each, new InsnNode(Opcodes.POP));
        method.instructions.set(each, new InsnNode(Opcodes.ICONST_0));
        return node;
      }
    }
    throw new IllegalStateException("no delete in string2File");
  }

  private static ClassNode withoutMethod(String name, String method) throws Exception {
    ClassNode node = read(name, 0);
    node.methods = new ArrayList<>(node.methods);
    for (MethodNode each : node.methods) {
      each.name = each.name.equals(method) ? method + "Now" : each.name;
    }
    return node;
  }

  private static MethodNode method(ClassNode node, String name) {
    return node.methods.stream().filter(each -> each.name.equals(name)).findFirst().orElseThrow();
  }

  private static AbstractInsnNode firstLine(InsnList code) {
    for (AbstractInsnNode each : code.toArray()) {
      if (each instanceof LineNumberNode) {
        return each;
      }
    }
    throw new IllegalStateException("no line numbers");
  }

  private static ClassNode read(String name, int how) throws Exception {
    ClassNode node = new ClassNode();
    try (InputStream data = Patcher.class.getClassLoader().getResourceAsStream(name + ".class")) {
      new ClassReader(data).accept(node, how);
    }
    return node;
  }

  private static void write(Path folder, ClassNode node) throws Exception {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    node.accept(writer);
    Path file = folder.resolve(node.name + ".class");
    Files.createDirectories(file.getParent());
    Files.write(file, writer.toByteArray());
  }
}

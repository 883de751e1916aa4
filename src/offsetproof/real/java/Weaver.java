package offsetproof;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.rocketmq.common.message.MessageQueue;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * The quick way to hold threads at lines: a call of `reach` is woven into the classes, before the first instruction of
 * each armed line. Nothing else of them changes. What it shows is what the debugger shows (Gates), a hundred times as fast.
 */
public final class Weaver implements ClassFileTransformer {
  private static final String QUEUE = "Lorg/apache/rocketmq/common/message/MessageQueue;";
  private static Instrumentation instrumentation;
  private static final Weaver WEAVER = new Weaver();

  private final Map<String, Set<Integer>> lines = new ConcurrentHashMap<>();

  public static void premain(String arguments, Instrumentation tools) {
    instrumentation = tools;
    tools.addTransformer(WEAVER, true);
  }

  /** Holds workers at this line of a class from now on. */
  static void arm(String className, int line) throws Exception {
    if (WEAVER.lines.computeIfAbsent(className, name -> new TreeSet<>()).add(line)) {
      instrumentation.retransformClasses(Class.forName(className));
    }
  }

  /** A thread is before an armed line of a method that is about this queue or topic (null: of none in particular). */
  public static void reach(String line, Object about) throws IOException {
    Entered.note(line);
    Worker worker = Worker.current();
    if (worker != null && worker.stopsAt(line) && isAbout(about, worker.topic)) {
      worker.stop(line);
    }
  }

  private static boolean isAbout(Object about, String topic) {
    return about == null || topic.equals(about instanceof MessageQueue ? ((MessageQueue) about).getTopic() : about);
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] classFile) {
    Set<Integer> armed = name == null ? null : lines.get(name.replace('/', '.'));
    return armed == null ? null : woven(classFile, name.replace('/', '.'), armed);
  }

  private static byte[] woven(byte[] classFile, String className, Set<Integer> armed) {
    ClassNode node = new ClassNode();
    new ClassReader(classFile).accept(node, 0);
    Set<Integer> left = new TreeSet<>(armed);
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode each : method.instructions.toArray()) {
        if (each instanceof LineNumberNode && left.remove(((LineNumberNode) each).line)) {
          InsnList call = call(className + ":" + ((LineNumberNode) each).line, method);
          method.instructions.insertBefore(firstInstructionAfter(each), call);
        }
      }
    }
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    node.accept(writer);
    return writer.toByteArray();
  }

  private static AbstractInsnNode firstInstructionAfter(AbstractInsnNode line) {
    AbstractInsnNode next = line;
    while (next.getOpcode() < 0) {
      next = next.getNext();
    }
    return next;
  }

  private static InsnList call(String line, MethodNode method) {
    InsnList call = new InsnList();
    call.add(new LdcInsnNode(line));
    int slot = slotOfTopic(method);
    call.add(slot < 0 ? new InsnNode(Opcodes.ACONST_NULL) : new VarInsnNode(Opcodes.ALOAD, slot));
    String descriptor = "(Ljava/lang/String;Ljava/lang/Object;)V";
    call.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "offsetproof/Weaver", "reach", descriptor, false));
    return call;
  }

  /** Where a method has the queue or the topic that it is about; -1 where it has none. */
  private static int slotOfTopic(MethodNode method) {
    int slot = (method.access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
    if (Gates.ABOUT_TOPIC.contains(method.name)) {
      return slot;
    }
    for (Type type : Type.getArgumentTypes(method.desc)) {
      if (type.getDescriptor().equals(QUEUE)) {
        return slot;
      }
      slot += type.getSize();
    }
    return -1;
  }
}

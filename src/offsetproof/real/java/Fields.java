package offsetproof;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Private fields of the real classes: what the rig has to put in their place, or to look at. */
final class Fields {
  private Fields() {}

  /** An object whose constructor has not run: all its fields are empty. */
  static <T> T unmade(Class<T> type) throws ReflectiveOperationException {
    return type.cast(Fields.<Unsafe>get(Unsafe.class, "theUnsafe", null).allocateInstance(type));
  }

  /** The value of a field; NoSuchFieldException where the release has none of this name. */
  @SuppressWarnings("unchecked")
  static <T> T get(Class<?> owner, String field, Object object) throws ReflectiveOperationException {
    return (T) opened(owner, field).get(object);
  }

  static void set(Class<?> owner, String field, Object object, Object value) throws ReflectiveOperationException {
    opened(owner, field).set(object, value);
  }

  /** What an object of a class without a name holds of a type: a variable of the method that it is written in. */
  static <T> T held(Object object, Class<T> type) throws ReflectiveOperationException {
    for (Field field : object.getClass().getDeclaredFields()) {
      if (field.getType() == type) {
        field.setAccessible(true);
        return type.cast(field.get(object));
      }
    }
    throw new NoSuchFieldException(object.getClass() + " has no field that is a " + type);
  }

  private static Field opened(Class<?> owner, String field) throws NoSuchFieldException {
    Field found = owner.getDeclaredField(field);
    found.setAccessible(true);
    return found;
  }
}
